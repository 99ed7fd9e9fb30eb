/*
 * python_signals.h - a Ctrl-C that CPython has received, while a statement of ours runs.
 *
 * CPython's handler of a signal only notes it. The Python function for it, which raises
 * KeyboardInterrupt unless the program has set another one, is called when Python code runs
 * again, and that is when our statement has ended, after hours. So for the time of a statement
 *
 *     begin   a handler of ours is put before CPython's: it notes SIGINT and calls CPython's
 *     stop?   has a SIGINT come, the interpreter is asked to call its function now; the
 *             exception that this raises ends the statement, and is kept. A function that
 *             raises none has dealt with the signal: the statement goes on
 *     end     CPython's handler is alone again; the kept exception is raised as soon as Python
 *             code runs, after the error with which the statement ended
 *
 * A second SIGINT before the first was asked about interrupts SQLite, which may be in one long
 * step of the user's SELECT.
 *
 * Nothing is done in programs that are not CPython or hide it (a libpython that was loaded
 * without RTLD_GLOBAL), where SIGINT has another handler than CPython's, and outside of the
 * main thread, which alone runs Python's functions for signals. The interpreter's lock is taken
 * only when a signal has come: a thread that holds it may be waiting for this connection.
 */
#pragma once

#include <stdbool.h>

#include "extension/sqlite/api/api.h"

/* Pairs may be nested: a statement may be run by a function that another one calls. */
void python_signals_begin(sqlite3 *db);
void python_signals_end(void);

/* Is the statement to end? Cheap, and to be asked at each row. */
bool python_signals_stop(void);
