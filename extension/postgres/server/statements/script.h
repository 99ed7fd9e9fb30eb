/*
 * script.h - the statements of one string, run one after the other by the backend itself, each in a
 * transaction of its own; the first error ends it.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

/* Runs the statements of a text one after the other, each in a transaction of its
 * own, and sends what they return to the client. The caller has none open. False: the
 * extension is not in this database, and nothing was done. `is_logged`: the server has logged the
 * text, where it logs all statements. */
bool script_run(const char *text, bool is_logged);
/* Has it a piece of ours? More than one piece? One that begins or ends a transaction? */
bool script_is_ours(const char *text);
bool script_has_several(const char *text);
bool script_has_transactions(const char *text);
