/*
 * shell_config.h - the file of dot commands and statements with which the shell of a person begins.
 *
 *     $XDG_CONFIG_HOME/totrain/config, else ~/.config/totrain/config
 *
 * It is read as by .read, and not by scripts (-c, -f, standard input), which are to do the same for
 * everybody. An error in it is shown, and the session goes on.
 */
#pragma once

#include "cli/session/session.h"

/* Nothing where there is no such file. */
void shell_config_run(struct session *session);
