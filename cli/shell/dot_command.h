/*
 * dot_command.h - what a script does besides statements: .help, .read, ...
 *
 * One table holds the commands; .help, completion and the check of unknown
 * words are made from it.
 */
#pragma once

#include "cli/session/session.h"
#include "cli/shell/completion.h"

extern const struct completion_command dot_commands[];
extern const size_t dot_command_count;

/* One line of the running script, without the blanks around it. An error has
 * been shown when this returns. */
enum status dot_command_run(struct session *session, struct slice line);
