/*
 * failure_command.h - an administrator's program that is told which job has failed.
 *
 *     totrain.failure_commands = 'page=/usr/local/bin/page, mail=/etc/totrain/mail'   the list
 *     totrain.failure_command = 'page'                                  one name of it, any user's
 *
 *     worker of the job --posix_spawn--> PROGRAM ID STATE   stdin: the line that listeners receive
 *
 * A path, an id and a state are all that it is started with: no text of a user is an argument, and
 * no shell reads any. It runs as the server's operating-system user, with PATH=/usr/bin:/bin and
 * nothing else in its environment; what it prints as errors is in the server's log.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

#include <utils/guc.h>

/* Check hooks of the two settings. */
bool failure_command_check_list(char **value, void **extra, GucSource source);
bool failure_command_check_name(char **value, void **extra, GucSource source);

/* Waits for the program's end, FAILURE_COMMAND_MS at most; the server's log has what goes wrong.
 * No transaction is open. `told` has less than 4 KiB. */
void failure_command_run(int64_t job, const char *state, const char *told);
