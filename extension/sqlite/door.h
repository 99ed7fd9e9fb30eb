/*
 * door.h - the loadable extension: the functions and the bare statement.
 *
 *     SELECT * FROM t TO TRAIN ...      sqlite3_prepare_v2, in front of which we stand
 *        --bare.c--> WITH RECURSIVE r AS (SELECT totrain_exec('...') ...) SELECT ...
 *        --run.c---> engine_run(), and its rows one by one
 */
#ifndef EXTENSION_SQLITE_DOOR_H
#define EXTENSION_SQLITE_DOOR_H

#include "extension/sqlite/connection.h"

/* run.c: totrain(), totrain_exec(), totrain_more(), totrain_cell(),
 * totrain_raise(), totrain_config() on a connection; closing it removes it. */
int door_register(struct connection *connection);

/* run.c: the same for a program that has SQLite linked in: `SELECT totrain(...)`
 * works there as in any other. */
enum status door_open(sqlite3 *db, const char *program, struct error *err);

/* bare.c: a text that SQLite refused as a syntax error may be ours. False when it is
 * not: the caller returns SQLite's error. Else *code is the answer, and
 * statement and tail are set as sqlite3_prepare_v2 would. */
bool bare_prepare(struct connection *connection, const char *sql, int bytes, unsigned flags,
                  sqlite3_stmt **statement, const char **tail, int *code);

/* intercept.c: redirect the calls of all loaded objects to prepare_v2 and its
 * sisters. Idempotent; *objects is how many call through us now. */
void intercept_install(unsigned *objects);

#endif
