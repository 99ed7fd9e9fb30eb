/*
 * bare.h - the bare statement: what sqlite3_prepare_v2 is given, run where it is one of ours.
 */
#pragma once

#include "extension/sqlite/functions/sqlite_connection.h"

/* A text that SQLite refused as a syntax error may be ours. False when it is
 * not: the caller returns SQLite's error. Else *code is the answer, and
 * statement and tail are set as sqlite3_prepare_v2 would. */
bool bare_prepare(struct sqlite_connection *connection, const char *sql, int bytes, unsigned flags,
                  sqlite3_stmt **statement, const char **tail, int *code);

/* Was it made by bare_prepare? */
bool bare_is_prepared(sqlite3_stmt *statement);

/* SQLite refused the text with `code`, and it is not ours. Where it was probably meant for ToTrain
 * the connection's message is SQLite's own with its place and a hint beside it; else it stays as it
 * is. Returns the code of the error. */
int bare_refused(struct sqlite_connection *connection, const char *sql, int bytes, int code);

/* totrain_sql('statement'): what a program prepares in its place whose calls cannot be redirected
 * (intercept.h), with the same parameters; NULL where it is none of ours. SQLite's code. */
int bare_register(struct sqlite_connection *connection);
