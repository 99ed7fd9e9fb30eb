#include "extension/postgres/server/jobs/door.h"

#include <math.h>

#include <access/xact.h>
#include <catalog/pg_type.h>
#include <commands/dbcommands.h>
#include <funcapi.h>
#include <tcop/utility.h>
#include <utils/float.h>
#include <utils/timestamp.h>
#include <utils/tuplestore.h>
#include <utils/wait_event.h>

#include "extension/engine/host/train_rows.h"
#include "extension/engine/job_publish.h"
#include "extension/engine/jobs/progress.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/engine/score/score.h"
#include "extension/postgres/server/jobs/door_cluster.h"
#include "extension/postgres/server/jobs/jobs.h"
#include "extension/postgres/server/jobs/kept_jobs.h"
#include "extension/postgres/server/session/caller.h"
#include "extension/postgres/server/session/parallel_scan.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/server/session/undo.h"
#include "extension/postgres/sql/postgres_host.h"
#include "extension/postgres/sql/query.h"
#include "extension/postgres/sql/row_guess.h"
#include "extension/postgres/sql/tables.h"
#include "params/terms.h"
#include "runtime/launch/job_folder.h"

/* The limit holds when two begin at once: each has its folder when it counts. */
static enum status check_job_count(struct error *err)
{
    char *state = settings_state(GetUserId());
    uint32_t active = 0;

    if (settings.max_jobs_per_role < 0 || superuser())
        return STATUS_OK;
    TRY(job_count_active(state, &active, err));
    if (active <= (uint32_t)settings.max_jobs_per_role)
        return STATUS_OK;
    fail(err, STATUS_LIMIT, "this role has %u jobs already, as many as it may have at a time",
         active - 1);
    return error_hint(err, "totrain.max_jobs_per_role is the limit; SHOW JOBS lists the jobs.");
}

static struct door *door_of(struct sql_host *host)
{
    return (struct door *)((char *)host - offsetof(struct door, host));
}

static void show_notice(void *self, const char *line);

/* The transaction is the user's, and conflicts at its end cannot be foreseen now. */
static void warn_of_isolation(struct door *door)
{
    if (!door->owns_transaction && IsolationUsesXactSnapshot())
        show_notice(door, "the transaction is repeatable read or serializable: should another "
                          "session write the same model or table meanwhile, the statement fails "
                          "at its end; a trained model is kept then for totrain.publish");
}

static enum status admit(void *self, const struct job_folder *folder, struct error *err)
{
    struct door *door = door_of(self);

    if (door->only_reads)
        return fail(err, STATUS_PERMISSION, "permission denied to start the processes of a job"),
               error_hint(err, "Without job.*, and with a model that a session loads, rows are "
                               "scored without them. Membership in totrain_user allows jobs.");
    TRY(check_job_count(err));
    door->job = *folder;
    door->has_begun = true;
    warn_of_isolation(door);
    return STATUS_OK;
}

void door_write_committed(void)
{
    XactIsoLevel = XACT_READ_COMMITTED;
}

static void begin_again(void *call)
{
    CommitTransactionCommand();
    StartTransactionCommand();
    door_write_committed();
}

/* Otherwise, for hours, ALTER and TRUNCATE of the table that was read would wait, and behind them
 * every reader of it. */
static enum status rows_read(void *self, struct error *err)
{
    struct door *door = door_of(self);

    if (!door->owns_transaction)
        return STATUS_OK;
    return session_catch(&door->session, begin_again, NULL, err);
}

/* Not where the model is published with other things, in a part of the transaction. */
static enum status settle(void *self, bool *is_so, struct error *err)
{
    struct door *door = (struct door *)((char *)self - offsetof(struct door, session));

    *is_so = door->owns_transaction && GetCurrentTransactionNestLevel() == 1;
    return *is_so ? session_catch(&door->session, begin_again, NULL, err) : STATUS_OK;
}

static void note_written(void *folder)
{
    undo_note_written(folder);
}

static enum status written(void *self, const struct job_folder *folder, enum target_kind kind,
                           struct error *err)
{
    struct door *door = door_of(self);
    struct job_folder copy = *folder;

    if (door->has_published && door->owns_transaction) {
        unpublished_remove(folder);
        return STATUS_OK;
    }
    door->job.id = 0; /* it is noted as one that has written something */
    if (kind == TARGET_MODEL)
        door->written_job = folder->id;
    return session_catch(&door->session, note_written, &copy, err);
}

/* ----- jobs that outlive their session ----- */

static void take(void *folder)
{
    kept_jobs_take(folder);
}

static void write_caller(void *folder)
{
    caller_write(folder);
}

static enum status keep(void *self, const struct job_folder *folder, struct error *err)
{
    struct door *door = door_of(self);
    struct job_folder copy = *folder;

    TRY(session_catch(&door->session, door->follows_itself ? write_caller : take, &copy, err));
    door->has_kept = true;
    door->job.id = 0; /* no rollback takes it back */
    return STATUS_OK;
}

/* A temporary table is gone when its session is. */
static bool is_temporary(struct door *door, struct slice schema)
{
    static const char temporary[] = "pg_temp";
    const size_t size = sizeof temporary - 1;
    struct error ignored;
    char buffer[SQL_NAME_BYTES];

    if (postgres_target_schema(&door->host, &schema, buffer, &ignored) != STATUS_OK)
        return false; /* the target's check reports it */
    return schema.size >= size && memcmp(schema.data, temporary, size) == 0;
}

/* This database, which the job's follower connects to. */
static struct slice find_database(void *self, struct slice schema)
{
    struct door *door = door_of(self);

    if (door->host.host.catalog.limits.no_detach || is_temporary(door, schema))
        return SLICE("");
    return slice_of(door->database);
}

static void name_database(void *self, struct text *name)
{
    text_append_string(name, door_of(self)->database);
}

void door_detach_limits(const struct door *door, struct catalog_limits *limits)
{
    limits->no_detach = limits->no_detach_hint = NULL;
    if (door->follows_itself) {
        limits->no_detach = "job.wait = false is not for totrain.submit, which does not wait";
        limits->no_detach_hint = "Leave job.wait out.";
    } else if (!door->owns_transaction) {
        limits->no_detach = "a job with job.wait = false cannot be a part of a transaction: its "
                            "processes would outlive a rollback";
        limits->no_detach_hint = "SELECT totrain.submit($$ ... $$), without job.wait, runs in the "
                                 "background once the transaction is committed.";
    }
}

static struct catalog_limits limits_now(void)
{
    return (struct catalog_limits){.workers = (uint32_t)settings.max_workers,
                                   .workers_decision = "totrain.max_workers",
                                   .is_closed = !superuser(),
                                   .seed = (uint64_t)settings.seed};
}

static const struct host_rows rows = {
    .query = postgres_query,
    .scan = parallel_scan,
    .guess = postgres_guess_rows,
    .check_functions = postgres_check_functions,
};

const struct host_jobs door_jobs = {
    .admit = admit,
    .rows_read = rows_read,
    .written = written,
    .keep = keep,
    .transaction_state = undo_transaction_state,
};

/* pg_stat_activity's wait event. Those of extensions have no names of their own before 17. */
static uint32 wait_for_job(void)
{
#if PG_VERSION_NUM >= 170000
    static uint32 event;

    if (event == 0)
        event = WaitEventExtensionNew("TotrainJob");
    return event;
#else
    return PG_WAIT_EXTENSION;
#endif
}

static void show_wait(void *self, bool waits)
{
    if (waits)
        pgstat_report_wait_start(wait_for_job());
    else
        pgstat_report_wait_end();
}

struct door *door_open(void)
{
    struct door *door = palloc0(sizeof *door);

    /* It could begin no subtransaction, and would be thrown through the engine. */
    PreventCommandIfParallelMode("a statement of ToTrain");
    session_init(&door->session, false);
    door->session.database.settle = settle;
    postgres_host_init(&door->host, &door->session.database, settings.program,
                       settings_state(GetUserId()));
    door->host.job_login = settings.job_login;
    door->host.host.rows = &rows;
    slice_copy(session_shown(get_database_name(MyDatabaseId)), door->database,
               sizeof door->database);
    door->host.host.catalog.find_file = find_database;
    door->host.host.session.database = name_database;
    door->host.host.session.show_wait = show_wait;
    jobs_host_init(&door->host.host, door->host.host.session.state);
    door->host.host.catalog.limits = limits_now();
    settings_limit_memory(&door->host.host);
    door_cluster_init(door);
    kept_jobs_look();
    return door;
}

/* ----- what the user sees while it runs ----- */

static void notice(void *line)
{
    ereport(NOTICE,
            (errmsg_internal("%s", settings_hide_state(session_from_utf8(slice_of(line))))));
}

static void show_notice(void *self, const char *line)
{
    struct door *door = self;

    session_try(&door->session, notice, (void *)(uintptr_t)line);
}

static bool is_time(struct door *door)
{
    const TimestampTz now = GetCurrentTimestamp();

    if (settings.progress_interval < 0 ||
        !TimestampDifferenceExceeds(door->progress_at, now, settings.progress_interval))
        return false;
    door->progress_at = now;
    return true;
}

static void show_progress(void *self, const struct job_event *event)
{
    struct door *door = self;
    struct text line;

    if (event->kind != JOB_PROGRESS || !is_time(door))
        return;
    text_init(&line, 512);
    progress_line(event, &line);
    show_notice(door, text_string(&line));
    text_deinit(&line);
}

enum status door_put_notices(struct door *door, const struct plan *plan, size_t first,
                             struct error *err)
{
    const struct sink sink = {.self = door, .notice = show_notice};

    return score_put_notices(plan, first, &sink, err);
}

/* ----- running ----- */

struct kept {
    struct door *door;
    struct sink keep;
};

static enum status kept_columns(void *self, const struct slice *names, size_t count,
                                struct error *err)
{
    return sink_columns(&((struct kept *)self)->keep, names, count, err);
}

static enum status kept_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    return sink_row(&((struct kept *)self)->keep, cells, count, err);
}

static enum status kept_query(void *self, struct slice sql, struct error *err)
{
    struct door *door = ((struct kept *)self)->door;

    return door->show(door, sql, err);
}

static void kept_notice(void *self, const char *line)
{
    show_notice(((struct kept *)self)->door, line);
}

static void kept_progress(void *self, const struct job_event *event)
{
    show_progress(((struct kept *)self)->door, event);
}

enum status door_run(struct door *door, struct slice text, const struct piece *piece,
                     struct result *result, struct error *err)
{
    struct kept kept = {door, result_sink(result)};
    const struct sink sink = {.self = &kept,
                              .columns = kept_columns,
                              .row = kept_row,
                              .query = door->show ? kept_query : NULL,
                              .notice = kept_notice,
                              .progress = kept_progress};
    enum status status;

    door_cluster_limits(door, &door->host.host.catalog.limits);
    door_detach_limits(door, &door->host.host.catalog.limits);
    status = engine_run(&door->host.host, text, piece, &sink, err);

    /* The user asked while the engine was on its way out. */
    if (status == STATUS_OK && !door->has_published && session_interrupted(&door->session))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    if (status == STATUS_OK && door->job.id > 0 && !door->has_published)
        undo_note(&door->job);
    if (status == STATUS_OK && door->has_begun)
        jobs_sweep();
    return status;
}

enum status door_publish(struct door *door, int64_t id, struct result *result, struct error *err)
{
    struct kept kept = {door, result_sink(result)};
    const struct sink sink = {
        .self = &kept, .columns = kept_columns, .row = kept_row, .notice = kept_notice};
    struct unpublished_job job;

    error_clear(err);
    TRY(unpublished_take(&door->host.host, id, &job, err));
    return unpublished_publish(&door->host.host, &job, job_publish_table, &sink, err);
}

/* ----- its rows, for PostgreSQL ----- */

/* Metrics are reals, also those that the rows do not define. */
static Oid type_without_values(struct slice name)
{
    static const char *const reals[] = {"value", "seconds", "loss"};
    enum metric metric;

    if (metric_find(name, &metric))
        return FLOAT8OID;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (slice_is(name, reals[i]))
            return FLOAT8OID;
    return TEXTOID;
}

static Oid type_of_column(const struct result *result, size_t column)
{
    Oid type = InvalidOid;

    for (const struct result_row *row = result->first; row; row = row->next) {
        switch (row->cells[column].type) {
        case CELL_NULL:
            break;
        case CELL_INTEGER:
            type = type == InvalidOid ? INT8OID : type;
            break;
        case CELL_REAL:
            type = FLOAT8OID;
            break;
        default:
            return TEXTOID;
        }
    }
    return type == InvalidOid ? type_without_values(result->names[column]) : type;
}

TupleDesc door_describe_result(const struct result *result)
{
    TupleDesc descriptor = CreateTemplateTupleDesc((int)result->column_count);

    for (size_t i = 0; i < result->column_count; i++)
        TupleDescInitEntry(descriptor, (AttrNumber)(i + 1), session_from_utf8(result->names[i]),
                           type_of_column(result, i), -1, 0);
    return descriptor;
}

static Datum number_as(Oid type, const struct cell *cell)
{
    if (type == INT8OID && cell->type == CELL_INTEGER)
        return Int64GetDatum(cell->integer);
    if (type == FLOAT8OID && cell->type == CELL_INTEGER)
        return Float8GetDatum((double)cell->integer);
    if (type == FLOAT8OID && cell->type == CELL_REAL)
        return Float8GetDatum(cell->real);
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("a value does not fit into a column of type %s", format_type_be(type))));
}

/* A number among texts. */
static char *number_text(const struct cell *cell)
{
    if (cell->type == CELL_INTEGER)
        return psprintf(INT64_FORMAT, cell->integer);
    return float8out_internal(cell->real);
}

Datum door_cell_as(Oid type, const struct cell *cell)
{
    if (type != TEXTOID)
        return number_as(type, cell);
    if (cell->type == CELL_INTEGER || cell->type == CELL_REAL)
        return CStringGetTextDatum(number_text(cell));
    return CStringGetTextDatum(session_from_utf8(cell->text));
}

void door_read_row(const struct result *result, TupleDesc descriptor, const struct result_row *row,
                   Datum *values, bool *nulls)
{
    for (size_t i = 0; i < result->column_count; i++) {
        nulls[i] = row->cells[i].type == CELL_NULL;
        values[i] = nulls[i]
                        ? (Datum)0
                        : door_cell_as(TupleDescAttr(descriptor, (int)i)->atttypid, &row->cells[i]);
    }
}

void door_put_training(FunctionCallInfo fcinfo, const struct result *result)
{
    static const Oid types[TRAIN_COLUMNS] = {TEXTOID, FLOAT8OID, TEXTOID, TEXTOID};
    ReturnSetInfo *info = (ReturnSetInfo *)fcinfo->resultinfo;

    for (const struct result_row *row = result->first; row; row = row->next) {
        Datum values[TRAIN_COLUMNS] = {0};
        bool nulls[TRAIN_COLUMNS];

        for (int i = 0; i < TRAIN_COLUMNS; i++) {
            nulls[i] = row->cells[i].type == CELL_NULL;
            if (!nulls[i])
                values[i] = door_cell_as(types[i], &row->cells[i]);
        }
        tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
    }
}
