/*
 * model_command.h - what commands on a model of a database share: totrain picture, totrain report.
 *
 *     totrain COMMAND DB MODEL ... [-c SELECT] [-o FILE] [--theme light|dark]
 */
#ifndef CLI_MODEL_COMMAND_H
#define CLI_MODEL_COMMAND_H

#include "cli/session/session.h"

/* Reads the options, prints `usage` and the options for --help, else runs the command. The exit
 * code. */
int model_command(int argc, char **argv, const char *usage,
                  enum status (*run)(const struct options *options, struct error *err));
/* Opens the database that the first word names, which must be there. To be closed even when this
 * fails. */
enum status model_command_open(struct session *session, const struct options *options,
                               struct error *err);

#endif
