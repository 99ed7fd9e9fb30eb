/*
 * Jobs as rows, and their end: totrain.jobs and the other views of jobs, totrain.cancel().
 *
 *     STATE/DATABASE/ROLE/jobs/ID      by OIDs; see settings_state()
 *
 * A role sees and ends the jobs of the roles that it may act as. Members of totrain_monitor see
 * all jobs; those of totrain_admin end them as well, but for those of superusers.
 */
#include "extension/postgres/server/jobs/door.h"

#include <dirent.h>
#include <unistd.h>

#include <catalog/pg_authid.h>
#include <catalog/pg_database.h>
#include <catalog/pg_type.h>
#include <funcapi.h>
#include <utils/acl.h>
#include <utils/syscache.h>
#include <utils/tuplestore.h>

#include "extension/engine/jobs/job_cache.h"
#include "extension/engine/jobs/job_listing.h"
#include "extension/engine/jobs/jobs.h"
#include "extension/postgres/server/jobs/jobs.h"
#include "extension/postgres/server/jobs/kept_jobs.h"
#include "extension/postgres/server/session/settings.h"
#include "runtime/launch/core_reports.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/job_process.h"

SQL_FUNCTION(totrain_sql_job_table);
SQL_FUNCTION(totrain_sql_cancel);
SQL_FUNCTION(totrain_sql_cancel_of);
SQL_FUNCTION(totrain_sql_scale);
SQL_FUNCTION(totrain_sql_scale_servers);

void jobs_host_init(struct host *host, const char *state)
{
    host->session.state = state;
    host->session.program = settings.program;
    host->jobs = &door_jobs;
}

/* ----- the folders ----- */

List *jobs_numbered_folders(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    List *numbers = NIL;

    if (!folder)
        return NIL;
    PG_TRY();
    {
        while ((entry = readdir(folder))) {
            int64_t number;
            if (slice_to_integer(slice_of(entry->d_name), &number) && number > 0 &&
                number <= OID_MAX)
                numbers = lappend_oid(numbers, (Oid)number);
        }
    }
    PG_FINALLY();
    {
        closedir(folder);
    }
    PG_END_TRY();
    return numbers;
}

static char *parent_of(const char *path)
{
    return pnstrdup(path, (size_t)(strrchr(path, '/') - path));
}

static char *database_folder(void)
{
    return parent_of(settings_state(InvalidOid));
}

static void remove_role(const char *state)
{
    struct error ignored;
    int64_t *ids = NULL;
    size_t count = 0;

    if (job_folder_list(state, &ids, &count, &ignored) != STATUS_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        struct job_folder folder;
        if (job_folder_find(state, ids[i], &folder, &ignored) == STATUS_OK &&
            !job_is_running(folder.path))
            job_folder_remove(&folder);
    }
    free(ids);
    (void)unlink(psprintf("%s/jobs/" JOB_CACHE_FILE, state));
    core_reports_sweep(psprintf("%s/jobs", state));
    (void)rmdir(psprintf("%s/jobs", state));
    (void)rmdir(state);
}

void jobs_sweep(void)
{
    const char *here = database_folder(), *all = parent_of(here);
    ListCell *cell;

    foreach (cell, jobs_numbered_folders(all)) {
        const Oid database = lfirst_oid(cell);
        const bool is_there = SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(database));
        const char *path = psprintf("%s/%u", all, database);
        ListCell *inner;

        foreach (inner, jobs_numbered_folders(path))
            if (!is_there || !SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(lfirst_oid(inner))))
                remove_role(psprintf("%s/%u", path, lfirst_oid(inner)));
        if (!is_there)
            (void)rmdir(path);
    }
}

/* ----- what becomes of one ----- */

struct note {
    int64_t id;
    const char *statement;
    enum job_state what;
    const char *why;
    bool is_last; /* overrides the job's record */
};

static enum status put_note(const char *folder, const char *path, const struct note *note,
                            struct error *err)
{
    struct job_row row = {.id = note->id};
    struct jobstore *store;
    struct error unsaid;
    enum status status;

    error_clear(&unsaid);
    if (access(path, F_OK) == 0)
        TRY(jobstore_open_durable(path, &store, err));
    else
        TRY(jobstore_create(path, &store, err));
    if (jobstore_get_job(store, &row, &unsaid) != STATUS_OK && note->statement)
        slice_copy(session_shown(note->statement), row.statement, sizeof row.statement);
    /* It has learned, and unpublished.json has the reason why its model is not written. */
    if (note->what == JOB_STATE_FAILED && !note->is_last && row.state == JOB_STATE_DONE &&
        job_is_unpublished(folder)) {
        jobstore_close(store);
        return STATUS_OK;
    }
    if (note->is_last || (row.state != JOB_STATE_FAILED && row.state != JOB_STATE_CANCELLED))
        row.state = note->what;
    if (note->why && (note->is_last || !row.error[0]))
        slice_copy(session_shown(note->why), row.error, sizeof row.error);
    status = jobstore_put_job(store, &row, err);
    jobstore_close(store);
    return status;
}

static enum status write_note(const char *state, const struct note *note, struct error *err)
{
    struct job_folder folder;
    char path[PATH_MAX];

    error_clear(err);
    TRY(job_folder_find(state, note->id, &folder, err));
    TRY(job_folder_file(&folder, "job.db", path, err));
    return put_note(folder.path, path, note, err);
}

static void write_or_log(const char *state, const struct note *note)
{
    struct error err;

    if (write_note(state, note, &err) != STATUS_OK)
        ereport(LOG, (errmsg("job " INT64_FORMAT ": %s", note->id, err.message)));
}

void jobs_begin(const char *state, int64_t id, const char *statement)
{
    const struct note note = {id, statement, JOB_STATE_WAITING, NULL, false};
    struct error err;

    if (write_note(state, &note, &err) != STATUS_OK)
        ereport(ERROR, (errcode(ERRCODE_IO_ERROR),
                        errmsg("the job cannot be begun: %s",
                               settings_hide_state(session_from_utf8(slice_of(err.message))))));
}

void jobs_note(const char *state, int64_t id, const char *statement, enum job_state what,
               const char *why)
{
    write_or_log(state, &(struct note){id, statement, what, why, false});
}

void jobs_fail(const char *state, int64_t id, const char *why)
{
    write_or_log(state, &(struct note){id, NULL, JOB_STATE_FAILED, why, true});
}

/* ----- rows ----- */

static enum job_table table_named(const char *name)
{
    static const char *const names[] = {"jobs", "workers", "events", "job_metrics", "shards"};
    static const enum job_table tables[] = {JOB_TABLE_JOBS, JOB_TABLE_WORKERS, JOB_TABLE_EVENTS,
                                            JOB_TABLE_METRICS, JOB_TABLE_SHARDS};

    for (size_t i = 0; i < lengthof(names); i++)
        if (strcmp(name, names[i]) == 0)
            return tables[i];
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("there is no table of jobs named \"%s\"", name)));
}

/* The caller's SQL gives the list of columns. */
static void check_columns(TupleDesc descriptor, size_t count)
{
    bool fits =
        (size_t)descriptor->natts == count + 1 && TupleDescAttr(descriptor, 0)->atttypid == OIDOID;

    for (int i = 1; i < descriptor->natts && fits; i++) {
        const Oid type = TupleDescAttr(descriptor, i)->atttypid;
        fits = type == INT8OID || type == FLOAT8OID || type == TEXTOID;
    }
    if (!fits)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("the columns are not those of the table of jobs")));
}

static void put_rows(ReturnSetInfo *info, Oid owner, const struct result *result)
{
    const int count = info->setDesc->natts;
    Datum *values = palloc0(sizeof *values * count);
    bool *nulls = palloc0(count);

    for (const struct result_row *row = result->first; row; row = row->next) {
        values[0] = ObjectIdGetDatum(owner);
        for (int i = 1; i < count; i++) {
            const struct cell *cell = &row->cells[i - 1];
            nulls[i] = cell->type == CELL_NULL;
            if (!nulls[i])
                values[i] = door_cell_as(TupleDescAttr(info->setDesc, i)->atttypid, cell);
        }
        tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
    }
}

static void put_jobs_of(ReturnSetInfo *info, Oid owner, enum job_table table, const char *state)
{
    struct host host = {.self = NULL};
    struct result result;
    struct sink sink;
    struct error err;

    error_clear(&err);
    jobs_host_init(&host, state);
    result_init(&result);
    sink = result_sink(&result);
    PG_TRY();
    {
        if (job_table_rows(&host, table, 0, &sink, &err) != STATUS_OK)
            ereport(ERROR, (errcode(ERRCODE_IO_ERROR), errmsg_internal("%s", err.message)));
        put_rows(info, owner, &result);
    }
    PG_FINALLY();
    {
        result_deinit(&result);
    }
    PG_END_TRY();
}

static bool has_rights_of(const char *name)
{
    const Oid role = get_role_oid(name, true);

    return OidIsValid(role) && has_privs_of_role(GetUserId(), role);
}

static bool sees_all(void)
{
    return has_rights_of("totrain_monitor") || has_rights_of("totrain_admin");
}

bool jobs_may_see(Oid owner)
{
    return has_privs_of_role(GetUserId(), owner) || sees_all();
}

bool jobs_may_manage(Oid owner)
{
    return has_privs_of_role(GetUserId(), owner) ||
           (has_rights_of("totrain_admin") && !superuser_arg(owner));
}

/* (name of the table): the owner's OID, then the columns of extension/engine/jobs/job_listing.h. */
Datum totrain_sql_job_table(PG_FUNCTION_ARGS)
{
    const enum job_table table = table_named(text_to_cstring(PG_GETARG_TEXT_PP(0)));
    const char *folder = database_folder();
    const bool all = sees_all();
    const char *names[JOB_TABLE_COLUMNS_MAX];
    ReturnSetInfo *info = (ReturnSetInfo *)fcinfo->resultinfo;
    ListCell *cell;

    kept_jobs_look();
    InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
    check_columns(info->setDesc, job_table_columns(table, names));
    foreach (cell, jobs_numbered_folders(folder)) {
        const Oid owner = lfirst_oid(cell);
        if (all || has_privs_of_role(GetUserId(), owner))
            put_jobs_of(info, owner, table, psprintf("%s/%u", folder, owner));
    }
    return (Datum)0;
}

/* ----- their end ----- */

static Datum cancel(Oid owner, int64_t id)
{
    struct session nobody = {.memory = CurrentMemoryContext};
    struct host host = {.self = NULL};
    struct error err;

    error_clear(&err);
    jobs_host_init(&host, settings_state(owner));
    if (job_end(&host, id, &err) != STATUS_OK)
        session_raise(&nobody, &err, SLICE(""), false);
    kept_jobs_adopt(); /* a job without a follower gets one, which ends it */
    return CStringGetTextDatum("cancelled");
}

/* (id): one of the caller's own. */
Datum totrain_sql_cancel(PG_FUNCTION_ARGS)
{
    return cancel(GetUserId(), PG_GETARG_INT64(0));
}

/* (id, owner): of a role whose jobs the caller may manage. */
Datum totrain_sql_cancel_of(PG_FUNCTION_ARGS)
{
    const Oid owner = PG_GETARG_OID(1);
    const char *name = GetUserNameFromId(owner, true);

    if (!jobs_may_manage(owner))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied to end jobs of role \"%s\"",
                               name ? name : psprintf("%u", owner))));
    return cancel(owner, PG_GETARG_INT64(0));
}

typedef enum status scale_call(const char *state, int64_t id, int64_t number, struct error *err);

/* (id, number): one of the caller's own jobs. */
static Datum scale(PG_FUNCTION_ARGS, scale_call *call)
{
    struct session nobody = {.memory = CurrentMemoryContext};
    struct error err;

    error_clear(&err);
    if (call(settings_state(GetUserId()), PG_GETARG_INT64(0), PG_GETARG_INT64(1), &err) !=
        STATUS_OK)
        session_raise(&nobody, &err, SLICE(""), false);
    PG_RETURN_INT64(PG_GETARG_INT64(1));
}

Datum totrain_sql_scale(PG_FUNCTION_ARGS)
{
    return scale(fcinfo, job_scale_by_id);
}

Datum totrain_sql_scale_servers(PG_FUNCTION_ARGS)
{
    return scale(fcinfo, job_scale_servers_by_id);
}
