/*
 * intercept.h - intercept.c - stand in front of sqlite3_prepare_v2.
 *
 * SQLite has no hook for its parser. But programs that use the shared library
 * (the sqlite3 shell, Python's module, most others) reach it through a slot of
 * their import tables, and each loaded object lists its slots: relocations that
 * name the function. We put our function there. It calls the
 * real one first, and only where that reports an error, for a connection that
 * loaded this extension, looks at the text itself. Every other call of the
 * process passes through unchanged.
 *
 * A slot is changed only when it leads to the very library that loaded us. A
 * program with SQLite linked in has no slots; there the function form serves.
 * All of the interception is in this file, and nothing else depends on it.
 *
 * Python's module, which keeps prepared statements by their text, is answered
 * about sqlite3_stmt_busy and sqlite3_reset, too, so that it prepares a text of
 * ours each time. Other programs that execute a kept statement whose columns
 * have changed meanwhile get an error that says so.
 */
#pragma once

/* Redirect the calls of all loaded objects to prepare_v2 and its
 * variants. Idempotent; *objects is how many call through us now. */
void intercept_install(unsigned *objects);
