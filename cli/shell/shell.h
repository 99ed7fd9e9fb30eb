/*
 * shell.h - statements typed by a person.
 */
#pragma once

#include "cli/session/session.h"

/* Until the end of the input. An error is shown, and the shell goes on. */
enum status shell_run(struct session *session);
