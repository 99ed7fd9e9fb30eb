/*
 * shell.h - statements typed by a person.
 */
#ifndef CLI_SHELL_SHELL_H
#define CLI_SHELL_SHELL_H

#include "cli/session/session.h"

/* Until the end of the input. An error is shown, and the shell goes on. */
enum status shell_run(struct session *session);

#endif
