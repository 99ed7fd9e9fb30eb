/*
 * sqlite_connection.h - the connections of this process that loaded the extension.
 *
 * sqlite3_prepare_v2 and its variants are intercepted for the whole process, so
 * something process-wide must tell our connections from all others: one list,
 * behind one lock. It is the only state of the extension that belongs to no
 * connection. A connection leaves the list when SQLite closes it.
 */
#pragma once

#include "extension/sqlite/functions/model_cache.h"
#include "extension/sqlite/functions/result.h"
#include "extension/sqlite/host/sqlite_host.h"

struct sqlite_connection {
    struct sqlite_connection *next;
    sqlite3 *db;
    struct sqlite_host host;
    bool bare_statements;      /* totrain_config('bare_statements', ...) */
    int progress_pipe;         /* totrain_config('progress', ...); -1: none */
    struct model_cache models; /* totrain_config('model_cache', ...) */
    struct results results;
    struct text message; /* the message that totrain_raise() raises next */
    int running;         /* statements that run now, each inside of the one before it */
};

/* NULL when the connection did not load the extension. */
struct sqlite_connection *sqlite_connection_find(sqlite3 *db);
/* Has any connection of the process loaded the extension, and is open? */
bool sqlite_connection_exists(void);
/* NULL when memory ran out. */
struct sqlite_connection *sqlite_connection_add(sqlite3 *db, const char *program);
void sqlite_connection_remove(struct sqlite_connection *connection);
