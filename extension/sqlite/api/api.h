/*
 * api.h - SQLite, called directly or through the table of the host program.
 *
 * The loadable extension must call the very library that loads it, which may
 * be linked into that program; sqlite3ext.h turns every call into one through
 * the table `sqlite3_api`. The CLI calls libsqlite3 itself.
 */
#pragma once

#ifdef TOTRAIN_LOADABLE
#include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif

/* sqlite3_txn_state() came with 3.34.0. */
#define SQLITE_VERSION_LEAST 3034000
/* sqlite3_error_offset() came with 3.38.0. */
#define SQLITE_VERSION_ERROR_OFFSET 3038000
