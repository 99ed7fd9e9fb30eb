#include "runtime/data/store/shardstore.h"

#include <sqlite3.h>
#include <string.h>

#include "runtime/data/store/jobstore_parts.h"
#include "runtime/data/store/journal_record.h"

static const char *const state_names[] = {
#define X(name, text) text,
    SHARD_STATE_MAP(X)
#undef X
};

static enum status finish(struct jobstore *store, sqlite3_stmt *statement, struct error *err)
{
    enum status status =
        sqlite3_step(statement) == SQLITE_DONE ? STATUS_OK : jobstore_failed(store, err);

    sqlite3_finalize(statement);
    return status;
}

static void bind_slice(sqlite3_stmt *statement, int index, struct slice text)
{
    sqlite3_bind_text64(statement, index, text.data ? text.data : "", text.size, SQLITE_STATIC,
                        SQLITE_UTF8);
}

static enum status record(struct recording *recording, const struct shard_row *row,
                          struct error *err)
{
    const struct journal_shard fields = {.lease = row->lease,
                                         .first = row->first,
                                         .count = row->count,
                                         .worker = row->worker,
                                         .state = state_names[row->state]};

    return row->state == SHARD_DONE
               ? record_entry_with(recording, JOURNAL_SHARD, &fields, row->results, err)
               : record_entry(recording, JOURNAL_SHARD, &fields, err);
}

enum status shardstore_put(struct jobstore *store, const struct shard_row *row, struct error *err)
{
    struct recording *recording = jobstore_recording(store);
    sqlite3_stmt *statement;

    /* A row that is settled twice breaks the index on `first`, and is refused. */
    TRY(jobstore_prepare(store,
                         "INSERT INTO shards VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(lease) DO UPDATE"
                         " SET state = excluded.state, result = excluded.result",
                         &statement, err));
    sqlite3_bind_int64(statement, 1, (int64_t)row->lease);
    sqlite3_bind_int64(statement, 2, (int64_t)row->first);
    sqlite3_bind_int64(statement, 3, row->count);
    sqlite3_bind_text(statement, 4, state_names[row->state], -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 5, row->worker);
    /* The copy of a journal is the master's, which does not need them. */
    if (row->state == SHARD_DONE && !recording)
        sqlite3_bind_blob64(statement, 6, row->results.data ? row->results.data : "",
                            row->results.size, SQLITE_STATIC);
    TRY(finish(store, statement, err));
    return record(recording, row, err);
}

bool shard_state_find(const char *name, enum shard_state *state)
{
    for (size_t i = 0; i < sizeof state_names / sizeof *state_names; i++) {
        *state = (enum shard_state)i;
        if (strcmp(name, state_names[i]) == 0)
            return true;
    }
    return false;
}

enum status shardstore_return_all(struct jobstore *store, struct error *err)
{
    return jobstore_run(store, "UPDATE shards SET state = 'returned' WHERE state = 'leased'", err);
}

static struct slice column_slice(sqlite3_stmt *statement, int column)
{
    const char *data = sqlite3_column_blob(statement, column);

    return (struct slice){data ? data : "", (size_t)sqlite3_column_bytes(statement, column)};
}

static enum status read_row(sqlite3_stmt *statement, struct shard_row *row, struct error *err)
{
    const int64_t first = sqlite3_column_int64(statement, 1);
    const int64_t count = sqlite3_column_int64(statement, 2);

    if (first < 0 || count < 1 || count > UINT32_MAX)
        return fail(err, STATUS_CORRUPT, "the job's store: a shard of %lld rows from row %lld",
                    (long long)count, (long long)first);
    *row = (struct shard_row){.lease = (uint64_t)sqlite3_column_int64(statement, 0),
                              .first = (uint64_t)first,
                              .count = (uint32_t)count,
                              .state = slice_is(column_slice(statement, 3), "bad") ? SHARD_BAD
                                                                                   : SHARD_DONE,
                              .worker = (uint32_t)sqlite3_column_int64(statement, 4),
                              .results = column_slice(statement, 5)};
    return STATUS_OK;
}

enum status shardstore_each_settled(struct jobstore *store, bool with_results, shard_reader *each,
                                    void *context, struct error *err)
{
    enum status status = STATUS_OK;
    sqlite3_stmt *statement;
    struct shard_row row;
    int stepped = SQLITE_DONE;

    TRY(jobstore_prepare(store,
                         with_results
                             ? "SELECT lease, first, count, state, worker, result FROM shards"
                               " WHERE state IN ('done', 'bad') ORDER BY first"
                             : "SELECT lease, first, count, state, worker, NULL FROM shards"
                               " WHERE state IN ('done', 'bad') ORDER BY first",
                         &statement, err));
    while (status == STATUS_OK && (stepped = sqlite3_step(statement)) == SQLITE_ROW) {
        status = read_row(statement, &row, err);
        if (status == STATUS_OK)
            status = each(context, &row, err);
    }
    if (status == STATUS_OK && stepped != SQLITE_DONE)
        status = jobstore_failed(store, err);
    sqlite3_finalize(statement);
    return status;
}

static int64_t read_pragma(struct jobstore *store, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t number = 0;

    if (jobstore_prepare(store, sql, &statement, NULL) != STATUS_OK)
        return 0;
    if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* Else the file would keep the room of what was dropped as long as the job is listed. What stays is
 * written anew for that, a large model too: only where more goes than stays. */
static enum status give_room_back(struct jobstore *store, struct error *err)
{
    if (2 * read_pragma(store, "PRAGMA freelist_count") <= read_pragma(store, "PRAGMA page_count"))
        return STATUS_OK;
    return jobstore_run(store, "VACUUM", err);
}

enum status shardstore_drop_results(struct jobstore *store, struct error *err)
{
    TRY(jobstore_run(store, "UPDATE shards SET result = NULL WHERE result IS NOT NULL", err));
    return give_room_back(store, err);
}

uint64_t shardstore_rows_settled(struct jobstore *store)
{
    sqlite3_stmt *statement;
    uint64_t rows = 0;

    if (jobstore_prepare(store, "SELECT sum(count) FROM shards WHERE state IN ('done', 'bad')",
                         &statement, NULL) != STATUS_OK)
        return 0;
    if (sqlite3_step(statement) == SQLITE_ROW)
        rows = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return rows;
}

enum status shardstore_put_target(struct jobstore *store, int position,
                                  const struct shard_target *target, struct error *err)
{
    sqlite3_stmt *statement;

    TRY(jobstore_prepare(store, "INSERT OR REPLACE INTO targets VALUES(?, ?, ?, ?)", &statement,
                         err));
    sqlite3_bind_int64(statement, 1, position);
    bind_slice(statement, 2, target->schema);
    bind_slice(statement, 3, target->name);
    bind_slice(statement, 4, target->definition);
    return finish(store, statement, err);
}

static enum status read_target(sqlite3_stmt *statement, struct arena *arena,
                               struct shard_target *target, struct error *err)
{
    target->schema = arena_copy(arena, column_slice(statement, 0));
    target->name = arena_copy(arena, column_slice(statement, 1));
    target->definition = arena_copy(arena, column_slice(statement, 2));
    return target->schema.data && target->name.data && target->definition.data
               ? STATUS_OK
               : fail_no_memory(err);
}

enum status shardstore_get_target(struct jobstore *store, int position, struct arena *arena,
                                  struct shard_target *target, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    int stepped;

    TRY(jobstore_prepare(store, "SELECT schema, name, definition FROM targets WHERE position = ?",
                         &statement, err));
    sqlite3_bind_int64(statement, 1, position);
    stepped = sqlite3_step(statement);
    if (stepped == SQLITE_ROW)
        status = read_target(statement, arena, target, err);
    else if (stepped == SQLITE_DONE)
        status = fail(err, STATUS_NOT_FOUND, "the job has no table %d to fill", position);
    else
        status = jobstore_failed(store, err);
    sqlite3_finalize(statement);
    return status;
}
