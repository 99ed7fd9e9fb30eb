/*
 * model_command.h - what commands on a database's models share: totrain picture, report, console.
 *
 *     totrain COMMAND DB [MODEL ...] [-c SELECT] [-o FILE] [--theme light|dark]
 */
#pragma once

#include "cli/session/session.h"

#define MODEL_COMMAND_TAKES                                                                        \
    (OPTION_SQL | OPTION_OUTPUT | OPTION_THEME | OPTION_COLOUR | OPTION_HELP)

/* Reads the options that it takes, prints `usage` and them for --help, else runs the command. The
 * exit code. */
int model_command(int argc, char **argv, const char *usage, unsigned takes,
                  enum status (*run)(const struct options *options, struct error *err));
/* Opens the database that the first word names, which must be there. To be closed even when this
 * fails. */
enum status model_command_open(struct session *session, const struct options *options,
                               struct error *err);
