/*
 * dot_command.h - what a script does besides statements: .help, .read, ...
 *
 * One table holds the commands; .help, completion and the check of unknown
 * words are made from it.
 */
#ifndef CLI_DOT_COMMAND_H
#define CLI_DOT_COMMAND_H

#include "cli/completion.h"
#include "cli/session.h"

extern const struct completion_command dot_commands[];
extern const size_t dot_command_count;

/* One line of the running script, without the blanks around it. An error has
 * been shown when this returns. */
enum status dot_command_run(struct session *session, struct slice line);

#endif
