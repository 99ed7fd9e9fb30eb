/*
 * database_sqlite.h - a connection to SQLite as a database (extension/sql/database.h).
 *
 * Statements write their parameters as $1, $2, ...; one may stand several times, or nowhere.
 * FORM_SHOWN gives the same cells as FORM_DATA. `describe` is NULL: query.c describes the user's
 * SELECT by what SQLite says of its columns.
 */
#pragma once

#include "extension/sqlite/host/sqlite_host.h"

/* host->db is open. */
void database_sqlite_init(struct sqlite_host *host);
