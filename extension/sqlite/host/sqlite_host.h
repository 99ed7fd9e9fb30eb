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
#pragma once

#include <signal.h>

#include "extension/sql/sql_host.h"
#include "extension/sqlite/api/api.h"

#define SCHEMAS_MAX 128 /* attached databases; SQLite's own limit is 125 */

struct sqlite_host {
    struct sql_host sql; /* first: the engine and the files of extension/sql get its address */
    struct database database;
    sqlite3 *db;
    const volatile sig_atomic_t *interrupts; /* the CLI's SIGINT counter; NULL in a database */
    bool is_preparing; /* no values are bound yet to the parameters of what is described */
};

static inline struct sqlite_host *sqlite_host_of(void *host)
{
    return host;
}

void sqlite_host_init(struct sqlite_host *host, sqlite3 *db, const char *program);
