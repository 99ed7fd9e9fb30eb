/*
 * bare.h - the bare statement: what sqlite3_prepare_v2 is given, run where it is one of ours.
 */
#ifndef EXTENSION_SQLITE_BARE_H
#define EXTENSION_SQLITE_BARE_H

#include "extension/sqlite/sqlite_connection.h"

/* A text that SQLite refused as a syntax error may be ours. False when it is
 * not: the caller returns SQLite's error. Else *code is the answer, and
 * statement and tail are set as sqlite3_prepare_v2 would. */
bool bare_prepare(struct sqlite_connection *connection, const char *sql, int bytes, unsigned flags,
                  sqlite3_stmt **statement, const char **tail, int *code);

#endif
