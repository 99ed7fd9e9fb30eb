#include "extension/postgres/libpq/libpq_scan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/process/thread.h"
#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_query.h"
#include "extension/postgres/libpq/libpq_snapshot.h"
#include "extension/postgres/libpq/libpq_wait.h"
#include "extension/postgres/sql/query.h"
#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/table_scan.h"
#include "extension/sql/sql.h"
#include "runtime/data/spool/spool_writer.h"

#define SCAN_READERS_MAX  8
#define TID_SCANS_SINCE   140000 /* server_version_num */
#define INTERRUPT_POLL_MS 50

struct scan_job {
    const struct scan *scan;
    struct table_scan tables;
    const struct database_column *columns; /* the columns that the SELECT returns */
    size_t column_count;
    atomic_uint_fast64_t next; /* piece */
    atomic_bool stops;
    pthread_mutex_t lock; /* over running */
    pthread_cond_t ended;
    uint32_t running;
};

struct scan_reader {
    struct scan_job *job;
    struct libpq libpq;
    struct spool_writer *writer;
    void *room; /* for a row */
    enum status status;
    struct error error;
    pthread_t thread;
};

struct scan_group {
    struct scan_job job;
    struct scan_reader readers[SCAN_READERS_MAX];
    uint32_t count, started;
};

/* ----- one reader ----- */

static enum status put_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct scan_reader *reader = self;

    (void)count;
    if (atomic_load_explicit(&reader->job->stops, memory_order_relaxed))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    return scan_put_row(reader->job->scan, cells, reader->room, reader->writer, err);
}

static enum status read_piece(struct scan_reader *reader, uint64_t number)
{
    struct scan_job *job = reader->job;
    struct database_rows rows = {.self = reader, .row = put_row};
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    table_scan_append(&job->tables, number, &sql);
    status = sql.failed ? fail_no_memory(&reader->error)
                        : libpq_copy(&reader->libpq, text_slice(&sql), job->columns,
                                     job->column_count, &rows, &reader->error);
    text_deinit(&sql);
    return status;
}

static void *read_pieces(void *argument)
{
    struct scan_reader *reader = argument;
    struct scan_job *job = reader->job;
    uint64_t number;

    while (reader->status == STATUS_OK && !atomic_load(&job->stops) &&
           (number = atomic_fetch_add(&job->next, 1)) < job->tables.ranges)
        reader->status = read_piece(reader, number);
    if (reader->status == STATUS_OK && !atomic_load(&job->stops))
        reader->status = spool_writer_flush(reader->writer, &reader->error);
    pthread_mutex_lock(&job->lock);
    if (reader->status != STATUS_OK)
        atomic_store(&job->stops, true);
    job->running--;
    pthread_cond_signal(&job->ended);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

/* ----- all readers ----- */

static void start_readers(struct scan_group *group)
{
    struct scan_job *job = &group->job;

    pthread_mutex_lock(&job->lock);
    while (group->started < group->count &&
           thread_start(&group->readers[group->started].thread, read_pieces,
                        &group->readers[group->started]))
        group->started++;
    job->running = group->started;
    pthread_mutex_unlock(&job->lock);
}

/* Readers that wait for their servers notice it by what those answer. A request that
 * comes before a statement has begun is lost: it is sent until all have ended. */
static void stop_readers(struct scan_group *group)
{
    atomic_store(&group->job.stops, true);
    for (uint32_t i = 0; i < group->started; i++)
        libpq_cancel(&group->readers[i].libpq);
}

static bool wait_for_readers(struct sql_host *host, struct scan_group *group)
{
    struct scan_job *job = &group->job;
    bool is_interrupted = false;

    pthread_mutex_lock(&job->lock);
    while (job->running > 0) {
        thread_wait(&job->ended, &job->lock, INTERRUPT_POLL_MS);
        is_interrupted = is_interrupted || postgres_interrupted(host);
        if (is_interrupted || atomic_load(&job->stops))
            stop_readers(group);
    }
    pthread_mutex_unlock(&job->lock);
    return is_interrupted || postgres_interrupted(host);
}

/* Every branch is joined, whatever happened to the others. The first failure counts that
 * is no reader's being stopped because of it. */
static enum status join_branches(struct scan_group *group, struct error *err)
{
    struct spool_writer *writer = group->job.scan->writer;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < group->count; i++) {
        struct scan_reader *reader = &group->readers[i];

        if (reader->status != STATUS_OK && (status == STATUS_OK || status == STATUS_INTERRUPTED)) {
            status = reader->status;
            *err = reader->error;
        }
    }
    for (uint32_t i = 0; i < group->count; i++) {
        struct error ignored;

        if (group->readers[i].writer &&
            spool_writer_join(writer, group->readers[i].writer,
                              status == STATUS_OK ? err : &ignored) != STATUS_OK &&
            status == STATUS_OK)
            status = err->status;
    }
    return status;
}

static enum status branch_writers(struct scan_group *group, struct error *err)
{
    const struct scan *scan = group->job.scan;

    for (uint32_t i = 0; i < group->count; i++) {
        struct scan_reader *reader = &group->readers[i];

        reader->job = &group->job;
        reader->libpq.interrupts = NULL; /* the signals are the session's */
        reader->libpq.stops = &group->job.stops;
        reader->room = calloc(1, scan_room_bytes(scan));
        if (!reader->room)
            return fail_no_memory(err);
        TRY(spool_writer_branch(scan->writer, &reader->writer, err));
    }
    return STATUS_OK;
}

static enum status read_tables(struct sql_host *host, struct scan_group *group, struct error *err)
{
    enum status status = branch_writers(group, err);
    bool is_interrupted = false;
    struct error ignored;

    pthread_mutex_init(&group->job.lock, NULL);
    pthread_cond_init(&group->job.ended, NULL);
    if (status == STATUS_OK) {
        start_readers(group);
        is_interrupted = wait_for_readers(host, group);
        for (uint32_t i = 0; i < group->started; i++)
            pthread_join(group->readers[i].thread, NULL);
        if (group->started == 0)
            status = fail(err, STATUS_NO_MEMORY, "no thread can be started");
    }
    if (status == STATUS_OK)
        status = join_branches(group, err);
    else
        join_branches(group, &ignored);
    pthread_cond_destroy(&group->job.ended);
    pthread_mutex_destroy(&group->job.lock);
    return is_interrupted ? fail(err, STATUS_INTERRUPTED, "interrupted") : status;
}

/* ----- one snapshot ----- */

/* LOCK takes no snapshot of its own: the one that follows is younger than the lock. */
static enum status lock_table(struct libpq *libpq, const struct table_scan *tables,
                              struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "LOCK TABLE ");
    text_append(&sql, tables->root);
    text_append_string(&sql, " IN ACCESS SHARE MODE");
    status = sql.failed ? fail_no_memory(err) : libpq_execute(libpq, text_string(&sql), err);
    text_deinit(&sql);
    return status;
}

/* The first of them makes the snapshot, where there is none yet. */
static enum status open_reader(struct scan_group *group, const struct libpq *session,
                               struct text *snapshot, struct error *err)
{
    const bool is_first = snapshot->size == 0;
    struct libpq *libpq = &group->readers[group->count++].libpq;

    TRY(libpq_open_again(libpq, session, err));
    libpq->interrupts = session->interrupts; /* until it has a thread of its own */
    TRY(libpq_execute(libpq, "SET max_parallel_workers_per_gather = 0", err));
    TRY(libpq_execute(libpq, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err));
    if (!is_first)
        return libpq_take_snapshot(libpq, text_slice(snapshot), err);
    TRY(lock_table(libpq, &group->job.tables, err));
    return libpq_export_snapshot(libpq, snapshot, err);
}

static const char *open_readers(struct scan_group *group, const struct libpq *session,
                                uint32_t wanted)
{
    struct text snapshot;
    struct error ignored;
    enum status status = STATUS_OK;

    text_init(&snapshot, TEXT_MAXIMUM);
    while (group->count < wanted && status == STATUS_OK)
        status = open_reader(group, session, &snapshot, &ignored);
    text_deinit(&snapshot);
    return status == STATUS_OK ? NULL : "a connection of our own, or its snapshot, is refused";
}

/* A partition may have come while the lock and the snapshot were taken. */
static enum status check_again(struct sql_host *host, struct slice select, struct arena *arena,
                               struct scan_group *group, const char **reason, struct error *err)
{
    struct table_scan again;

    TRY(table_scan_plan(host, select, group->count, arena, &again, reason, err));
    if (!*reason && !table_scan_equal(&again, &group->job.tables))
        *reason = "its partitions are changing";
    return STATUS_OK;
}

/* ----- may it be read so? ----- */

/* Settings of the user's session are not set in ours; the role must be the same in both. */
static enum status check_role(struct sql_host *host, const struct libpq *libpq, struct arena *arena,
                              const char **reason, struct error *err)
{
    struct cell user = cell_string(PQuser(libpq->connection)), same = {.type = CELL_NULL};
    bool found;

    TRY(sql_first(host,
                  "SELECT current_user" EQ "session_user AND session_user" EQ "$1::pg_catalog.name",
                  &user, 1, arena, &same, 1, &found, err));
    if (same.type != CELL_INTEGER || !same.integer)
        *reason = "the session has taken another role";
    return STATUS_OK;
}

static uint32_t most_readers(const struct scan *scan)
{
    return scan->threads < SCAN_READERS_MAX ? scan->threads : SCAN_READERS_MAX;
}

static enum status plan(struct sql_host *host, struct slice select, struct arena *arena,
                        struct scan_group *group, const char **reason, struct error *err)
{
    const struct libpq *libpq = host->database->self;
    const struct scan *scan = group->job.scan;
    struct database_column *columns = NULL;

    if (scan->threads < 2)
        *reason = "there is one processor";
    else if (PQserverVersion(libpq->connection) < TID_SCANS_SINCE)
        *reason = "the server is older than PostgreSQL 14";
    else if (PQtransactionStatus(libpq->connection) != PQTRANS_IDLE)
        *reason = "a transaction is open";
    if (*reason)
        return STATUS_OK;
    TRY(check_role(host, libpq, arena, reason, err));
    if (*reason)
        return STATUS_OK;
    TRY(table_scan_plan(host, select, most_readers(scan), arena, &group->job.tables, reason, err));
    if (*reason)
        return STATUS_OK;
    TRY(host->database->describe(host->database->self, select, arena, &columns,
                                 &group->job.column_count, err));
    group->job.columns = columns;
    for (size_t i = 0; i < scan->count || i < scan->order.counted; i++)
        if ((size_t)scan->columns[i] >= group->job.column_count + scan->vectors.elements ||
            (scan->vectors.count > 0 && scan->vectors.columns != group->job.column_count))
            return fail(err, STATUS_DATABASE, "the query has other columns than before");
    return STATUS_OK;
}

static uint32_t readers_of(const struct scan_group *group)
{
    const uint32_t wanted = most_readers(group->job.scan);

    return group->job.tables.ranges < wanted ? (uint32_t)group->job.tables.ranges : wanted;
}

static enum status scan_in(struct sql_host *host, struct slice select, struct arena *arena,
                           struct scan_group *group, struct scan_outcome *outcome,
                           struct error *err)
{
    TRY(plan(host, select, arena, group, &outcome->reason, err));
    if (!outcome->reason)
        outcome->reason = open_readers(group, host->database->self, readers_of(group));
    if (!outcome->reason)
        TRY(check_again(host, select, arena, group, &outcome->reason, err));
    if (outcome->reason)
        return STATUS_OK;
    outcome->readers = group->count;
    return read_tables(host, group, err);
}

static void free_group(struct scan_group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        libpq_close(&group->readers[i].libpq);
        free(group->readers[i].room);
    }
    free(group);
}

enum status libpq_scan(void *self, struct slice select, const struct scan *scan,
                       struct scan_outcome *outcome, struct error *err)
{
    struct scan_group *group = calloc(1, sizeof *group);
    struct arena arena;
    enum status status;

    *outcome = (struct scan_outcome){.readers = 0};
    if (!group)
        return fail_no_memory(err);
    group->job.scan = scan;
    arena_init(&arena, ARENA_MAXIMUM);
    status = scan_in(self, select, &arena, group, outcome, err);
    arena_deinit(&arena);
    free_group(group);
    return status;
}
