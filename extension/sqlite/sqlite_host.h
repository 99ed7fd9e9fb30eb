/*
 * sqlite_host.h - the engine's host seam (extension/engine/host/host.h), filled for SQLite.
 *
 *     query.c    run a query, describe one        models.c   find, load, list models
 *     tables.c   targets: checks, filling         publish.c  publish, keep and restore versions
 *     functions.c  totrain_predict() and the other functions that score
 *     fill_rows.c  tables from rows that were scored elsewhere
 *
 * One of these belongs to one connection, and is used by one thread at a time
 * as the connection is.
 */
#ifndef EXTENSION_SQLITE_SQLITE_HOST_H
#define EXTENSION_SQLITE_SQLITE_HOST_H

#include <limits.h>
#include <signal.h>

#include "extension/engine/host/host.h"
#include "extension/sqlite/api.h"

#define SCHEMAS_MAX 128 /* attached databases; SQLite's own limit is 125 */

struct sqlite_host {
    sqlite3 *db;
    const volatile sig_atomic_t *interrupts; /* the CLI's SIGINT counter; NULL in a database */
    bool is_preparing; /* no values are bound yet to the parameters of what is described */
    char program[PATH_MAX];
    struct host host; /* what the engine gets; .self is this struct */
};

void sqlite_host_init(struct sqlite_host *host, sqlite3 *db, const char *program);

#endif
