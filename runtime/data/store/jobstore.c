#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "runtime/data/store/jobstore_parts.h"
#include "runtime/data/store/journal_record.h"

#define BUSY_MILLISECONDS 5000
#define SCHEMA_VERSION    4

/* Progress rows need not survive a power cut, and what was handed to the
 * operating system survives our death: no waiting for the disk. Nor are zeros written over what is
 * deleted, as some systems build SQLite: for a checkpoint that is as much as writing one, and
 * nobody else may read the folder. */
static const char settings[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
                               "PRAGMA secure_delete = FAST;";

static const char schema[] =
    "BEGIN;"
    "CREATE TABLE job(id INTEGER PRIMARY KEY, state TEXT NOT NULL, statement TEXT, model TEXT,"
    " workers INTEGER, step INTEGER, rows_done INTEGER, rows_redone INTEGER, loss REAL,"
    " goodput REAL, seconds_waiting REAL, seconds REAL, error TEXT, started_at TEXT,"
    " supervisor INTEGER, steps INTEGER, epoch INTEGER, epochs INTEGER, rows_per_second REAL,"
    " validation_loss REAL, slot_seconds REAL, metrics TEXT);"
    "CREATE TABLE workers(role TEXT NOT NULL, \"index\" INTEGER NOT NULL, state TEXT NOT NULL,"
    " lanes INTEGER, rows_per_second REAL, memory INTEGER, PRIMARY KEY(role, \"index\"));"
    "CREATE TABLE events(at REAL NOT NULL, role TEXT, \"index\" INTEGER, event TEXT NOT NULL,"
    " detail TEXT);"
    "CREATE TABLE metrics(epoch INTEGER NOT NULL, step INTEGER NOT NULL, metric TEXT NOT NULL,"
    " part TEXT NOT NULL, value REAL, PRIMARY KEY(epoch, step, metric, part)) WITHOUT ROWID;"
    "CREATE TABLE result(name TEXT NOT NULL UNIQUE, train REAL, validation REAL);"
    "CREATE TABLE model(part TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL,"
    " value REAL, data);"
    "CREATE TABLE destination(id INTEGER PRIMARY KEY CHECK(id = 1), state TEXT NOT NULL,"
    " database TEXT NOT NULL, \"table\" TEXT NOT NULL, version INTEGER, rows INTEGER,"
    " error TEXT, hint TEXT, tries INTEGER);"
    "CREATE TABLE claim(incarnation INTEGER NOT NULL);"
    "CREATE TABLE checkpoint(id INTEGER PRIMARY KEY, version INTEGER, job INTEGER,"
    " identity INTEGER, phase INTEGER, step INTEGER, rows_done INTEGER, bytes INTEGER,"
    " piece_bytes INTEGER, hash INTEGER);"
    "CREATE TABLE checkpoint_pieces(checkpoint INTEGER NOT NULL, position INTEGER NOT NULL,"
    " hash INTEGER, bytes BLOB, PRIMARY KEY(checkpoint, position));"
    "CREATE TABLE shards(lease INTEGER PRIMARY KEY, first INTEGER NOT NULL, count INTEGER NOT NULL,"
    " state TEXT NOT NULL, worker INTEGER NOT NULL, result BLOB);"
    "CREATE INDEX shards_first ON shards(first);"
    "CREATE UNIQUE INDEX shards_settled ON shards(first) WHERE state IN ('done', 'bad');"
    "CREATE TABLE targets(position INTEGER PRIMARY KEY, schema TEXT NOT NULL, name TEXT NOT NULL,"
    " definition TEXT NOT NULL);"
    "PRAGMA user_version = 4;"
    "COMMIT;";

/* Prepared when first used, kept until the store is closed. */
#define QUERY_MAP(X)                                                                               \
    X(PUT_JOB, "INSERT OR REPLACE INTO job VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")   \
    X(GET_JOB, "SELECT id, state, statement, model, workers, step, rows_done, rows_redone, loss,"  \
               " goodput, seconds_waiting, seconds, error, started_at, supervisor, steps,"         \
               " epoch, epochs, rows_per_second, validation_loss, slot_seconds, metrics FROM job") \
    X(PUT_WORKER, "INSERT OR REPLACE INTO workers VALUES('worker', ?, ?, ?, ?, NULL)")             \
    X(PUT_EVENT, "INSERT INTO events VALUES(?, ?, ?, ?, ?)")                                       \
    X(PUT_METRIC, "INSERT OR REPLACE INTO metrics VALUES(?, ?, ?, ?, ?)")                          \
    X(PUT_RESULT, "INSERT INTO result VALUES(?, ?, ?) ON CONFLICT(name) DO UPDATE"                 \
                  " SET train = excluded.train, validation = excluded.validation")                 \
    X(PUT_MODEL, "INSERT INTO model VALUES(?, ?, ?, ?, ?)")                                        \
    X(CLEAR_MODEL, "DELETE FROM model")                                                            \
    X(STAGE_MODEL, "INSERT INTO staged_model VALUES(?, ?, ?, ?, ?)")                               \
    X(HAS_STAGED, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'staged_model'")    \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(GET_CLAIM, "SELECT incarnation FROM claim")                                                  \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(EACH_RESULT, "SELECT name, train, validation FROM result ORDER BY rowid")                    \
    X(EACH_MODEL, "SELECT part, name, position, value, data FROM model ORDER BY rowid")            \
    X(EACH_WORKER, "SELECT role, \"index\", state, lanes, rows_per_second FROM workers"            \
                   " ORDER BY role, \"index\"")                                                    \
    X(EACH_EVENT, "SELECT at, role, \"index\", event, detail FROM events ORDER BY rowid")          \
    X(EACH_SHARD, "SELECT 'rows', first, count, state, lease, (SELECT count(*) FROM shards AS b"   \
                  " WHERE b.first = a.first AND b.lease <= a.lease) FROM shards AS a ORDER BY"     \
                  " first, lease")                                                                 \
    X(EACH_METRIC, "SELECT epoch, step, metric, part, value FROM metrics"                          \
                   " ORDER BY epoch, step, metric, part")

enum query {
#define X(name, sql) QUERY_##name,
    QUERY_MAP(X)
#undef X
        QUERY_COUNT
};

static const char *const queries[] = {
#define X(name, sql) sql,
    QUERY_MAP(X)
#undef X
};

static const char *const state_names[] = {
#define X(name, text) text,
    JOB_STATE_MAP(X)
#undef X
};

struct jobstore {
    sqlite3 *database;
    sqlite3_stmt *statements[QUERY_COUNT];
    struct recording *recording; /* NULL: the file is all there is */
    bool leaves_sync;
};

struct recording *jobstore_recording(const struct jobstore *store)
{
    return store->recording;
}

enum status jobstore_attach(struct jobstore *store, const struct journal *journal,
                            struct error *err)
{
    return recording_new(journal, &store->recording, err);
}

enum status jobstore_check_journal(struct jobstore *store, struct error *err)
{
    return store->recording ? recording_check(store->recording, err) : STATUS_OK;
}

enum status jobstore_has_table(struct jobstore *store, const char *name, bool *has,
                               struct error *err)
{
    sqlite3_stmt *statement;
    int stepped;

    TRY(jobstore_prepare(store, "SELECT 1 FROM sqlite_schema WHERE name = ?", &statement, err));
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    stepped = sqlite3_step(statement);
    sqlite3_finalize(statement);
    *has = stepped == SQLITE_ROW;
    return stepped == SQLITE_ROW || stepped == SQLITE_DONE ? STATUS_OK
                                                           : jobstore_failed(store, err);
}

bool jobstore_has_room(const struct jobstore *store, uint64_t bytes)
{
    const char *path = sqlite3_db_filename(store->database, "main");
    struct rlimit limit;
    struct statvfs disk;
    struct stat file;

    if (!path || statvfs(path, &disk) != 0 || stat(path, &file) != 0 ||
        getrlimit(RLIMIT_FSIZE, &limit) != 0)
        return false;
    return (uint64_t)disk.f_bavail * disk.f_frsize > bytes &&
           (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (uint64_t)file.st_size + bytes);
}

const char *job_state_name(enum job_state state)
{
    return state_names[state];
}

bool job_state_has_ended(enum job_state state)
{
    return state == JOB_STATE_DONE || state == JOB_STATE_FAILED || state == JOB_STATE_CANCELLED;
}

enum status jobstore_failed(struct jobstore *store, struct error *err)
{
    enum status status = STATUS_DATABASE;

    switch (sqlite3_errcode(store->database) & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        status = STATUS_BUSY;
        break;
    case SQLITE_NOMEM:
        status = STATUS_NO_MEMORY;
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        status = STATUS_CORRUPT;
        break;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        status = STATUS_IO;
        break;
    }
    return fail(err, status, "the job's store: %s", sqlite3_errmsg(store->database));
}

enum status jobstore_run(struct jobstore *store, const char *sql, struct error *err)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK
               ? STATUS_OK
               : jobstore_failed(store, err);
}

static enum status open_database(const char *path, int flags, struct jobstore **store,
                                 struct error *err)
{
    struct jobstore *made = calloc(1, sizeof *made);
    enum status status = STATUS_OK;

    *store = NULL;
    if (!made)
        return fail_no_memory(err);
    if (sqlite3_open_v2(path, &made->database, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        status = made->database ? jobstore_failed(made, err) : fail_no_memory(err);
    if (status != STATUS_OK) {
        jobstore_close(made);
        return status;
    }
    sqlite3_busy_timeout(made->database, BUSY_MILLISECONDS);
    *store = made;
    return STATUS_OK;
}

enum status jobstore_create(const char *path, struct jobstore **store, struct error *err)
{
    /* Ours alone from the first byte on. */
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum status status;

    *store = NULL;
    if (descriptor < 0)
        return fail_errno(err, errno == EEXIST ? STATUS_INVALID : STATUS_IO, "cannot create %s",
                          path);
    close(descriptor);
    TRY(open_database(path, SQLITE_OPEN_READWRITE, store, err));
    status = jobstore_run(*store, settings, err);
    if (status == STATUS_OK)
        status = jobstore_run(*store, schema, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    jobstore_close(*store);
    *store = NULL;
    return status;
}

static enum status read_number(struct jobstore *store, const char *sql, int *number,
                               struct error *err)
{
    sqlite3_stmt *statement = NULL;
    enum status status = STATUS_OK;

    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        status = jobstore_failed(store, err);
    else
        *number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

/* The process that created the store was killed before its tables existed: all do, or none. */
static enum status complete(struct jobstore *store, struct error *err)
{
    int tables = 0;

    TRY(read_number(store, "SELECT count(*) FROM sqlite_master", &tables, err));
    return tables == 0 ? jobstore_run(store, schema, err) : STATUS_OK;
}

/* A database, and one of ours. */
static enum status check_version(struct jobstore *store, bool read_only, struct error *err)
{
    int version = 0;

    TRY(read_number(store, "PRAGMA user_version", &version, err));
    if (version == 0 && !read_only) {
        TRY(complete(store, err));
        TRY(read_number(store, "PRAGMA user_version", &version, err));
    }
    if (version != SCHEMA_VERSION)
        return fail(err, STATUS_CORRUPT,
                    "the job's store has version %d, and this program reads %d", version,
                    SCHEMA_VERSION);
    return STATUS_OK;
}

enum status jobstore_open(const char *path, bool read_only, struct jobstore **store,
                          struct error *err)
{
    enum status status;

    TRY(open_database(path, read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, store, err));
    status = check_version(*store, read_only, err);
    if (status == STATUS_OK && !read_only)
        status = jobstore_run(*store, settings, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    jobstore_close(*store);
    *store = NULL;
    return status;
}

enum status jobstore_set_durable(struct jobstore *store, struct error *err)
{
    return jobstore_run(store, "PRAGMA synchronous = NORMAL", err);
}

enum status jobstore_open_durable(const char *path, struct jobstore **store, struct error *err)
{
    TRY(jobstore_open(path, false, store, err));
    if (jobstore_set_durable(*store, err) == STATUS_OK)
        return STATUS_OK;
    jobstore_close(*store);
    *store = NULL;
    return err->status;
}

enum status jobstore_sync(const char *path, struct error *err)
{
    struct jobstore *store;
    enum status status;

    TRY(jobstore_open(path, false, &store, err));
    status = jobstore_run(store, "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE)", err);
    jobstore_close(store);
    return status;
}

enum status jobstore_leave_sync(struct jobstore *store, struct error *err)
{
    store->leaves_sync = true;
    return jobstore_run(store, "PRAGMA wal_autocheckpoint = 0", err);
}

bool jobstore_leaves_sync(const struct jobstore *store)
{
    return store->leaves_sync;
}

enum status jobstore_end_log(struct jobstore *store, struct error *err)
{
    return jobstore_run(store, "PRAGMA wal_checkpoint(PASSIVE)", err);
}

void jobstore_close(struct jobstore *store)
{
    if (!store)
        return;
    for (int i = 0; i < QUERY_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->database);
    recording_free(store->recording);
    free(store);
}

static enum status prepare(struct jobstore *store, enum query query, sqlite3_stmt **statement,
                           struct error *err)
{
    *statement = NULL;
    if (!store->statements[query] &&
        sqlite3_prepare_v3(store->database, queries[query], -1, SQLITE_PREPARE_PERSISTENT,
                           &store->statements[query], NULL) != SQLITE_OK)
        return jobstore_failed(store, err);
    *statement = store->statements[query];
    return STATUS_OK;
}

enum status jobstore_prepare(struct jobstore *store, const char *sql, sqlite3_stmt **statement,
                             struct error *err)
{
    return sqlite3_prepare_v2(store->database, sql, -1, statement, NULL) == SQLITE_OK
               ? STATUS_OK
               : jobstore_failed(store, err);
}

/* Step a statement that gives no rows. */
static enum status finish(struct jobstore *store, sqlite3_stmt *statement, struct error *err)
{
    enum status status =
        sqlite3_step(statement) == SQLITE_DONE ? STATUS_OK : jobstore_failed(store, err);

    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
}

static enum status run_query(struct jobstore *store, enum query query, struct error *err)
{
    sqlite3_stmt *statement;

    TRY(prepare(store, query, &statement, err));
    return finish(store, statement, err);
}

static void bind_string(sqlite3_stmt *statement, int column, const char *string)
{
    sqlite3_bind_text(statement, column, string, -1, SQLITE_STATIC);
}

/* SQLite itself turns NaN into NULL; infinities would come back as they are, and have no form in
 * JSON. */
static void bind_real(sqlite3_stmt *statement, int column, double value)
{
    sqlite3_bind_double(statement, column, isfinite(value) ? value : NAN);
}

enum status jobstore_put_job(struct jobstore *store, const struct job_row *row, struct error *err)
{
    sqlite3_stmt *statement;

    TRY(prepare(store, QUERY_PUT_JOB, &statement, err));
    sqlite3_bind_int64(statement, 1, row->id);
    bind_string(statement, 2, job_state_name(row->state));
    bind_string(statement, 3, row->statement);
    bind_string(statement, 4, row->model);
    sqlite3_bind_int64(statement, 5, row->workers);
    sqlite3_bind_int64(statement, 6, (int64_t)row->step);
    sqlite3_bind_int64(statement, 7, (int64_t)row->rows_done);
    sqlite3_bind_int64(statement, 8, (int64_t)row->rows_redone);
    bind_real(statement, 9, row->loss);
    bind_real(statement, 10, row->goodput);
    bind_real(statement, 11, row->seconds_waiting);
    bind_real(statement, 12, row->seconds);
    bind_string(statement, 13, row->error);
    bind_string(statement, 14, row->started_at);
    sqlite3_bind_int64(statement, 15, row->supervisor);
    sqlite3_bind_int64(statement, 16, (int64_t)row->steps);
    sqlite3_bind_int64(statement, 17, row->epoch);
    sqlite3_bind_int64(statement, 18, row->epochs);
    bind_real(statement, 19, row->rows_per_second);
    bind_real(statement, 20, row->validation_loss);
    bind_real(statement, 21, row->slot_seconds);
    bind_string(statement, 22, row->metrics);
    TRY(finish(store, statement, err));
    return record_job(store->recording, row, err);
}

static struct slice column_slice(sqlite3_stmt *statement, int column)
{
    const char *data = sqlite3_column_blob(statement, column);

    return (struct slice){data ? data : "", (size_t)sqlite3_column_bytes(statement, column)};
}

static double column_real(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
}

/* Copies what fits, cut between characters. */
static void copy_string(sqlite3_stmt *statement, int column, char *to, size_t capacity)
{
    slice_copy(column_slice(statement, column), to, capacity);
}

static enum status read_job(sqlite3_stmt *statement, struct job_row *row, struct error *err)
{
    struct slice state = column_slice(statement, 1);
    bool is_known = false;

    *row = (struct job_row){.id = sqlite3_column_int64(statement, 0)};
    for (size_t i = 0; i < sizeof state_names / sizeof *state_names; i++) {
        if (slice_is(state, state_names[i])) {
            row->state = (enum job_state)i;
            is_known = true;
        }
    }
    if (!is_known)
        return fail(err, STATUS_CORRUPT, "the job's store: state \"%.*s\"", SLICE_FORMAT(state));
    copy_string(statement, 2, row->statement, sizeof row->statement);
    copy_string(statement, 3, row->model, sizeof row->model);
    row->workers = (uint32_t)sqlite3_column_int64(statement, 4);
    row->step = (uint64_t)sqlite3_column_int64(statement, 5);
    row->rows_done = (uint64_t)sqlite3_column_int64(statement, 6);
    row->rows_redone = (uint64_t)sqlite3_column_int64(statement, 7);
    row->loss = column_real(statement, 8);
    row->goodput = column_real(statement, 9);
    row->seconds_waiting = column_real(statement, 10);
    row->seconds = column_real(statement, 11);
    copy_string(statement, 12, row->error, sizeof row->error);
    copy_string(statement, 13, row->started_at, sizeof row->started_at);
    row->supervisor = sqlite3_column_int64(statement, 14);
    row->steps = (uint64_t)sqlite3_column_int64(statement, 15);
    row->epoch = (uint32_t)sqlite3_column_int64(statement, 16);
    row->epochs = (uint32_t)sqlite3_column_int64(statement, 17);
    row->rows_per_second = column_real(statement, 18);
    row->validation_loss = column_real(statement, 19);
    row->slot_seconds = column_real(statement, 20);
    copy_string(statement, 21, row->metrics, sizeof row->metrics);
    return STATUS_OK;
}

enum status jobstore_get_job(struct jobstore *store, struct job_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    int stepped;

    TRY(prepare(store, QUERY_GET_JOB, &statement, err));
    stepped = sqlite3_step(statement);
    if (stepped == SQLITE_ROW)
        status = read_job(statement, row, err);
    else if (stepped == SQLITE_DONE)
        status = fail(err, STATUS_NOT_FOUND, "the job's store has no job yet");
    else
        status = jobstore_failed(store, err);
    sqlite3_reset(statement);
    return status;
}

enum status jobstore_put_worker(struct jobstore *store, uint32_t index, const char *state,
                                uint32_t lanes, double rows_per_second, struct error *err)
{
    sqlite3_stmt *statement;

    TRY(prepare(store, QUERY_PUT_WORKER, &statement, err));
    sqlite3_bind_int64(statement, 1, index);
    bind_string(statement, 2, state);
    sqlite3_bind_int64(statement, 3, lanes);
    bind_real(statement, 4, rows_per_second);
    TRY(finish(store, statement, err));
    return record_entry(store->recording, JOURNAL_WORKER,
                        &(struct journal_worker){index, state, lanes, rows_per_second}, err);
}

enum status jobstore_put_event(struct jobstore *store, double at_seconds, const char *role,
                               int64_t index, const char *event, const char *detail,
                               struct error *err)
{
    sqlite3_stmt *statement;

    TRY(prepare(store, QUERY_PUT_EVENT, &statement, err));
    sqlite3_bind_double(statement, 1, at_seconds);
    bind_string(statement, 2, role);
    sqlite3_bind_int64(statement, 3, index);
    bind_string(statement, 4, event);
    bind_string(statement, 5, detail);
    TRY(finish(store, statement, err));
    return record_entry(store->recording, JOURNAL_EVENT,
                        &(struct journal_event){at_seconds, role, index, event, detail}, err);
}

enum status jobstore_put_metric(struct jobstore *store, uint32_t epoch, uint64_t step,
                                const char *metric, const char *part, double value,
                                struct error *err)
{
    sqlite3_stmt *statement;

    TRY(prepare(store, QUERY_PUT_METRIC, &statement, err));
    sqlite3_bind_int64(statement, 1, epoch);
    sqlite3_bind_int64(statement, 2, (int64_t)step);
    bind_string(statement, 3, metric);
    bind_string(statement, 4, part);
    bind_real(statement, 5, value);
    TRY(finish(store, statement, err));
    return record_entry(store->recording, JOURNAL_METRIC,
                        &(struct journal_metric){epoch, step, metric, part, value}, err);
}

enum status jobstore_put_result(struct jobstore *store, const char *name, double train,
                                double validation, struct error *err)
{
    sqlite3_stmt *statement;

    TRY(prepare(store, QUERY_PUT_RESULT, &statement, err));
    bind_string(statement, 1, name);
    bind_real(statement, 2, train);
    bind_real(statement, 3, validation);
    TRY(finish(store, statement, err));
    return record_entry(store->recording, JOURNAL_RESULT,
                        &(struct journal_result){name, train, validation}, err);
}

enum status jobstore_put_report(struct jobstore *store, struct slice json, enum report_haste haste,
                                struct error *err)
{
    return record_report(store->recording, json, haste, err);
}

static void bind_slice(sqlite3_stmt *statement, int column, struct slice text)
{
    sqlite3_bind_text64(statement, column, text.data ? text.data : "", text.size, SQLITE_STATIC,
                        SQLITE_UTF8);
}

static enum status insert_model_row(struct jobstore *store, enum query query,
                                    const struct model_row *row, struct error *err)
{
    sqlite3_stmt *statement;

    TRY(prepare(store, query, &statement, err));
    bind_slice(statement, 1, row->part);
    bind_slice(statement, 2, row->name);
    sqlite3_bind_int64(statement, 3, row->position);
    if (row->has_value)
        sqlite3_bind_double(statement, 4, row->value);
    if (row->has_data && row->data_is_text)
        bind_slice(statement, 5, row->data);
    else if (row->has_data)
        sqlite3_bind_blob64(statement, 5, row->data.data ? row->data.data : "", row->data.size,
                            SQLITE_STATIC);
    return finish(store, statement, err);
}

enum status jobstore_put_model_row(struct jobstore *store, const struct model_row *row,
                                   struct error *err)
{
    if (slice_is(row->part, "meta"))
        TRY(run_query(store, QUERY_CLEAR_MODEL, err));
    TRY(insert_model_row(store, QUERY_PUT_MODEL, row, err));
    return record_model_row(store->recording, row, err);
}

/* ---- the model that is put aside: a table that takes the place of `model` as a whole ---- */

static enum status has_staged_model(struct jobstore *store, bool *has, struct error *err)
{
    sqlite3_stmt *statement;
    int stepped;

    TRY(prepare(store, QUERY_HAS_STAGED, &statement, err));
    stepped = sqlite3_step(statement);
    *has = stepped == SQLITE_ROW;
    sqlite3_reset(statement);
    return stepped == SQLITE_ROW || stepped == SQLITE_DONE ? STATUS_OK
                                                           : jobstore_failed(store, err);
}

static enum status make_staged_model(struct jobstore *store, struct error *err)
{
    return jobstore_run(store,
                        "CREATE TABLE staged_model(part TEXT NOT NULL, name TEXT NOT NULL,"
                        " position INTEGER NOT NULL, value REAL, data)",
                        err);
}

/* A model that does not begin with its meta row is refused when it is read. */
static enum status insert_staged(struct jobstore *store, const struct model_row *row,
                                 struct error *err)
{
    const enum status status = insert_model_row(store, QUERY_STAGE_MODEL, row, err);
    bool has = true;

    if (status == STATUS_OK || has_staged_model(store, &has, NULL) != STATUS_OK || has)
        return status;
    TRY(make_staged_model(store, err));
    return insert_model_row(store, QUERY_STAGE_MODEL, row, err);
}

enum status jobstore_stage_model_row(struct jobstore *store, const struct model_row *row,
                                     struct error *err)
{
    if (slice_is(row->part, "meta")) {
        TRY(jobstore_forget_staged_model(store, err));
        TRY(make_staged_model(store, err));
    }
    TRY(insert_staged(store, row, err));
    return record_model_row(store->recording, row, err);
}

enum status jobstore_take_staged_model(struct jobstore *store, struct error *err)
{
    bool has = false;

    TRY(has_staged_model(store, &has, err));
    return has ? jobstore_run(store, "DROP TABLE model; ALTER TABLE staged_model RENAME TO model",
                              err)
               : STATUS_OK;
}

enum status jobstore_forget_staged_model(struct jobstore *store, struct error *err)
{
    return jobstore_run(store, "DROP TABLE IF EXISTS staged_model", err);
}

enum status jobstore_begin(struct jobstore *store, struct error *err)
{
    return run_query(store, QUERY_BEGIN, err);
}

enum status jobstore_commit(struct jobstore *store, struct error *err)
{
    enum status status = recording_flush(store->recording, err);

    if (status == STATUS_OK)
        status = run_query(store, QUERY_COMMIT, err);
    if (status != STATUS_OK)
        jobstore_rollback(store);
    return status;
}

void jobstore_rollback(struct jobstore *store)
{
    recording_discard(store->recording);
    if (!sqlite3_get_autocommit(store->database))
        run_query(store, QUERY_ROLLBACK, NULL);
}

/* -1: no master has claimed the store yet. */
static enum status get_claim(struct jobstore *store, int64_t *incarnation, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status = STATUS_OK;
    int stepped;

    *incarnation = -1;
    TRY(prepare(store, QUERY_GET_CLAIM, &statement, err));
    stepped = sqlite3_step(statement);
    if (stepped == SQLITE_ROW)
        *incarnation = sqlite3_column_int64(statement, 0);
    else if (stepped != SQLITE_DONE)
        status = jobstore_failed(store, err);
    sqlite3_reset(statement);
    return status;
}

static enum status put_claim(struct jobstore *store, uint32_t incarnation, struct error *err)
{
    char sql[96];

    snprintf(sql, sizeof sql, "DELETE FROM claim; INSERT INTO claim VALUES(%" PRIu32 ")",
             incarnation);
    return jobstore_run(store, sql, err);
}

static enum status refuse_ended(struct jobstore *store, struct error *err)
{
    struct job_row row;
    struct error why;

    error_clear(&why);
    if (jobstore_get_job(store, &row, &why) == STATUS_OK)
        return job_state_has_ended(row.state)
                   ? fail(err, STATUS_INVALID, "the job has ended already: it is %s",
                          job_state_name(row.state))
                   : STATUS_OK;
    if (why.status == STATUS_NOT_FOUND) /* no master has written a row yet */
        return STATUS_OK;
    return fail(err, why.status, "%s", why.message);
}

static enum status claim_file(struct jobstore *store, uint32_t least, uint32_t *incarnation,
                              struct error *err)
{
    enum status status;
    int64_t last = -1;

    *incarnation = least;
    TRY(jobstore_begin(store, err));
    TRY_OR(failed, status, refuse_ended(store, err));
    TRY_OR(failed, status, get_claim(store, &last, err));
    if (last < -1 || last >= UINT32_MAX) {
        status = fail(err, STATUS_CORRUPT, "the job's store: master %" PRId64, last);
        goto failed;
    }
    *incarnation = last + 1 > least ? (uint32_t)(last + 1) : least;
    TRY_OR(failed, status, put_claim(store, *incarnation, err));
    return jobstore_commit(store, err);
failed:
    jobstore_rollback(store);
    return status;
}

enum status jobstore_claim(struct jobstore *store, uint32_t least, uint32_t *incarnation,
                           struct error *err)
{
    if (store->recording)
        TRY(recording_claim(store->recording, store, least, &least, err));
    return claim_file(store, least, incarnation, err);
}

enum status jobstore_check_claim(struct jobstore *store, uint32_t incarnation, struct error *err)
{
    int64_t last;

    TRY(get_claim(store, &last, err));
    if (last > incarnation)
        return fail(err, STATUS_STALE, "master %" PRId64 " leads the job now", last);
    return STATUS_OK;
}

/* One row of a query, given to the caller's function. */
typedef enum status row_reader(sqlite3_stmt *statement, void *context, struct error *err);

static enum status each_row(struct jobstore *store, enum query query, row_reader *read,
                            void *context, struct error *err)
{
    enum status status = STATUS_OK;
    sqlite3_stmt *statement;
    int stepped = SQLITE_ROW;

    TRY(prepare(store, query, &statement, err));
    while (status == STATUS_OK && (stepped = sqlite3_step(statement)) == SQLITE_ROW)
        status = read(statement, context, err);
    if (status == STATUS_OK && stepped != SQLITE_DONE)
        status = jobstore_failed(store, err);
    sqlite3_reset(statement);
    return status;
}

static const struct {
    const char *const *columns;
    enum query query;
} listings[] = {
    [LISTING_WORKERS] = {(const char *const[]){"role", "index", "state", "lanes", "rows_per_second",
                                               NULL},
                         QUERY_EACH_WORKER},
    [LISTING_EVENTS] = {(const char *const[]){"at", "role", "index", "event", "detail", NULL},
                        QUERY_EACH_EVENT},
    [LISTING_METRICS] = {(const char *const[]){"epoch", "step", "metric", "part", "value", NULL},
                         QUERY_EACH_METRIC},
    [LISTING_SHARDS] = {(const char *const[]){"input", "first", "count", "state", "lease", "tries",
                                              NULL},
                        QUERY_EACH_SHARD},
};

const char *const *jobstore_listing_columns(enum jobstore_listing listing)
{
    return listings[listing].columns;
}

static struct cell cell_at(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return (struct cell){.type = CELL_INTEGER,
                             .integer = sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
        return (struct cell){.type = CELL_REAL, .real = sqlite3_column_double(statement, column)};
    case SQLITE_NULL:
        return (struct cell){.type = CELL_NULL};
    default:
        return (struct cell){.type = CELL_TEXT, .text = column_slice(statement, column)};
    }
}

struct listing_call {
    enum status (*each)(void *context, const struct cell *cells, struct error *err);
    void *context;
};

static enum status call_listing(sqlite3_stmt *statement, void *context, struct error *err)
{
    const struct listing_call *call = context;
    struct cell cells[LISTING_COLUMNS_MAX];

    for (int i = 0; i < sqlite3_column_count(statement); i++)
        cells[i] = cell_at(statement, i);
    return call->each(call->context, cells, err);
}

enum status jobstore_each_of(struct jobstore *store, enum jobstore_listing listing,
                             enum status (*each)(void *context, const struct cell *cells,
                                                 struct error *err),
                             void *context, struct error *err)
{
    struct listing_call call = {each, context};

    return each_row(store, listings[listing].query, call_listing, &call, err);
}

struct result_call {
    enum status (*each)(void *context, const char *name, double train, double validation,
                        struct error *err);
    void *context;
};

static enum status call_result(sqlite3_stmt *statement, void *context, struct error *err)
{
    const struct result_call *call = context;

    return call->each(call->context, (const char *)sqlite3_column_text(statement, 0),
                      column_real(statement, 1), column_real(statement, 2), err);
}

enum status jobstore_each_result(struct jobstore *store,
                                 enum status (*each)(void *context, const char *name, double train,
                                                     double validation, struct error *err),
                                 void *context, struct error *err)
{
    struct result_call call = {each, context};

    return each_row(store, QUERY_EACH_RESULT, call_result, &call, err);
}

struct model_call {
    model_row_sink *each;
    void *context;
};

static enum status call_model(sqlite3_stmt *statement, void *context, struct error *err)
{
    const struct model_call *call = context;
    struct model_row row = {.part = column_slice(statement, 0), .name = column_slice(statement, 1)};

    row.position = sqlite3_column_int64(statement, 2);
    row.has_value = sqlite3_column_type(statement, 3) != SQLITE_NULL;
    row.value = sqlite3_column_double(statement, 3);
    row.has_data = sqlite3_column_type(statement, 4) != SQLITE_NULL;
    row.data_is_text = sqlite3_column_type(statement, 4) == SQLITE_TEXT;
    row.data = column_slice(statement, 4);
    return call->each(call->context, &row, err);
}

enum status jobstore_each_model_row(struct jobstore *store, model_row_sink *each, void *context,
                                    struct error *err)
{
    struct model_call call = {each, context};

    return each_row(store, QUERY_EACH_MODEL, call_model, &call, err);
}

struct metric_call {
    enum status (*each)(void *context, uint32_t epoch, uint64_t step, const char *metric,
                        const char *part, double value, struct error *err);
    void *context;
};

static enum status call_metric(sqlite3_stmt *statement, void *context, struct error *err)
{
    const struct metric_call *call = context;

    return call->each(call->context, (uint32_t)sqlite3_column_int64(statement, 0),
                      (uint64_t)sqlite3_column_int64(statement, 1),
                      (const char *)sqlite3_column_text(statement, 2),
                      (const char *)sqlite3_column_text(statement, 3), column_real(statement, 4),
                      err);
}

enum status jobstore_each_metric(struct jobstore *store,
                                 enum status (*each)(void *context, uint32_t epoch, uint64_t step,
                                                     const char *metric, const char *part,
                                                     double value, struct error *err),
                                 void *context, struct error *err)
{
    struct metric_call call = {each, context};

    return each_row(store, QUERY_EACH_METRIC, call_metric, &call, err);
}
