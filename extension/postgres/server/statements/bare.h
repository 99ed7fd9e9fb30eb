/*
 * bare.h - the bare statement: SELECT * FROM t TO TRAIN ... INTO m; in any client that sends
 * its statements by the simple protocol, as psql does.
 *
 * PostgreSQL cannot be taught grammar, so it fails first:
 *
 *     client    Q: SELECT ... TO TRAIN ...
 *     backend   its parser fails; the error is about to go to the log (emit_log_hook)
 *               and to the client (PqCommMethods->putmessage, 'E'). Both are ours to
 *               refuse: the text is kept, and nothing else is done while the backend
 *               is in error recovery.
 *     backend   recovers, and is about to report that it is ready for the next statement ('Z').
 *               Before that goes out everything is clean: the text is run (script.c),
 *               its rows go to the client, then 'Z'.
 *
 * This can be done where nothing but the statement itself is in doubt: in the simple
 * protocol (an error in Parse must be answered as the extended protocol says) and outside
 * of a transaction block (which the error has ended already). Elsewhere the error gets a
 * hint that names the functions. An error that is none of ours is passed on as it is.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

/* Puts itself before the functions that send messages to the client. Once a process. */
void bare_install(void);
