/*
 * names.h - the tables, columns and models of a database, for completion.
 */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include "completion.h"
#include "sqlite_host/api.h"

#define NAMES_MAX 10000 /* tables; columns of one table are bounded by SQLite */

/* One row a table or view: its name, its kind (table, view, model). */
extern const char names_query[];

/* What cannot be read is left out: completion must not disturb. */
void names_read(sqlite3 *db, struct arena *arena, struct completion_names *names);

#endif
