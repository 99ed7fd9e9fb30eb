#include "runtime/data/store/destination.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "runtime/data/store/jobstore_parts.h"

static const char *const state_names[] = {
#define X(name, text) text,
    DESTINATION_STATE_MAP(X)
#undef X
};

enum status destination_put(struct jobstore *store, const struct destination *destination,
                            struct error *err)
{
    sqlite3_stmt *statement;
    enum status status = STATUS_OK;

    TRY(jobstore_prepare(store,
                         "INSERT OR REPLACE INTO destination VALUES(1, ?, ?, ?, ?, ?, ?, ?, ?)",
                         &statement, err));
    sqlite3_bind_text(statement, 1, state_names[destination->state], -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, destination->database, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, destination->table, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, destination->version);
    sqlite3_bind_int64(statement, 5, destination->rows);
    sqlite3_bind_text(statement, 6, destination->error, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 7, destination->hint, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 8, destination->tries);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = jobstore_failed(store, err);
    sqlite3_finalize(statement);
    return status;
}

/* False when it does not fit: half a path would lead elsewhere. */
static bool read_text(sqlite3_stmt *statement, int column, char *into, size_t size)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return snprintf(into, size, "%s", text ? text : "") < (int)size;
}

static bool read_state(sqlite3_stmt *statement, enum destination_state *state)
{
    const char *text = (const char *)sqlite3_column_text(statement, 0);

    for (size_t i = 0; i < sizeof state_names / sizeof *state_names; i++) {
        if (text && slice_is(slice_of(text), state_names[i])) {
            *state = (enum destination_state)i;
            return true;
        }
    }
    return false;
}

static enum status read_row(sqlite3_stmt *statement, struct destination *destination,
                            struct error *err)
{
    if (!read_state(statement, &destination->state) ||
        !read_text(statement, 1, destination->database, sizeof destination->database) ||
        !read_text(statement, 2, destination->table, sizeof destination->table) ||
        !(destination->database[0] == '/' || strchr(destination->database, '=')) ||
        !destination->table[0])
        return fail(err, STATUS_CORRUPT, "the job's store: its destination is damaged");
    destination->version = sqlite3_column_int64(statement, 3);
    destination->rows = sqlite3_column_int64(statement, 4);
    destination->tries = sqlite3_column_int64(statement, 7);
    (void)read_text(statement, 5, destination->error, sizeof destination->error);
    (void)read_text(statement, 6, destination->hint, sizeof destination->hint);
    return STATUS_OK;
}

enum status destination_get(struct jobstore *store, struct destination *destination,
                            struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    int stepped;

    *destination = (struct destination){.version = 0};
    TRY(jobstore_prepare(store,
                         "SELECT state, database, \"table\", version, rows, error, hint,"
                         " tries FROM destination",
                         &statement, err));
    stepped = sqlite3_step(statement);
    if (stepped == SQLITE_ROW)
        status = read_row(statement, destination, err);
    else if (stepped == SQLITE_DONE)
        status = fail(err, STATUS_NOT_FOUND, "the job's model goes to the session that waits");
    else
        status = jobstore_failed(store, err);
    sqlite3_finalize(statement);
    return status;
}
