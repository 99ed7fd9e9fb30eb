/*
 * dot_command.h - what the shell does besides statements: .help, .tables, ...
 */
#ifndef CLI_DOT_COMMAND_H
#define CLI_DOT_COMMAND_H

#include "completion.h"
#include "script.h"

extern const struct completion_word dot_commands[];
extern const size_t dot_command_count;

/* One line, without the blanks around it. True when the shell is to end. */
bool dot_command_run(struct session *session, struct slice line);

#endif
