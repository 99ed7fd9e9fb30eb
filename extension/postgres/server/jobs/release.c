#include "extension/postgres/server/jobs/release.h"

#include <stdio.h>

#include <access/xact.h>
#include <pgstat.h>
#include <postmaster/bgworker.h>
#include <storage/ipc.h>
#include <storage/latch.h>
#include <tcop/tcopprot.h>
#include <utils/guc.h>
#include <utils/memutils.h>
#include <utils/resowner.h>
#include <utils/timestamp.h>

#include "extension/engine/host/host.h"
#include "extension/engine/jobs/jobs.h"
#include "extension/postgres/server/jobs/jobs.h"
#include "extension/postgres/server/session/background.h"
#include "extension/postgres/server/session/caller.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/sql/job_tables.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"

SQL_FUNCTION(totrain_sql_discard);
PGDLLEXPORT void totrain_release_main(Datum unused);

#define LOCK_TIMEOUT "100ms"
#define PAUSE_MS     250 /* doubled after each try */
#define PAUSE_MS_MAX 30000
#define TRIES_MAX    11 /* in two minutes */
#define TRIES_DEAD   30 /* in twelve: a supervisor may ask for so long that the Job is deleted */

/* In bgw_extra: the tables, and the role as which they are dropped. */
struct release {
    Oid database, session_user, role, user;
    int security;
    int64_t number;
    int64_t folder; /* the job's, whose session has died; 0: the tables are over */
};
_Static_assert(sizeof(struct release) <= BGW_EXTRALEN, "it fits into bgw_extra");

static struct job_tables tables_of(struct door *door, int64_t number)
{
    return (struct job_tables){.host = &door->host,
                               .schema = settings.job_schema,
                               .login = settings.job_login,
                               .number = number};
}

/* BUSY: one of them is in use. */
static enum status try_to_drop(struct door *door, const struct job_tables *tables,
                               struct error *err)
{
    const struct database *database = &door->session.database;
    const int level = NewGUCNestLevel();
    struct database_transaction transaction;
    enum status status;

    (void)set_config_option("lock_timeout", LOCK_TIMEOUT, PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    status = database->begin(database->self, &transaction, err);
    if (status == STATUS_OK)
        status = database->end(database->self, &transaction, job_tables_drop(tables, err), err);
    AtEOXact_GUC(true, level);
    return status;
}

/* ----- the background worker ----- */

static bool start_worker(int64_t number, int64_t folder)
{
    struct release release = {.database = MyDatabaseId,
                              .session_user = GetSessionUserId(),
                              .role = GetCurrentRoleId(),
                              .number = number,
                              .folder = folder};
    BackgroundWorker worker = {.bgw_flags =
                                   BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
                               .bgw_start_time = BgWorkerStart_RecoveryFinished,
                               .bgw_restart_time = BGW_NEVER_RESTART};

    GetUserIdAndSecContext(&release.user, &release.security);
    snprintf(worker.bgw_name, sizeof worker.bgw_name, "totrain tables of job " INT64_FORMAT,
             number);
    snprintf(worker.bgw_type, sizeof worker.bgw_type, "totrain tables");
    snprintf(worker.bgw_library_name, sizeof worker.bgw_library_name, "totrain");
    snprintf(worker.bgw_function_name, sizeof worker.bgw_function_name, "totrain_release_main");
    memcpy(worker.bgw_extra, &release, sizeof release);
    return RegisterDynamicBackgroundWorker(&worker, NULL);
}

enum status release_tables(struct door *door, int64_t number, struct error *err)
{
    const struct job_tables tables = tables_of(door, number);
    const enum status status = try_to_drop(door, &tables, err);

    if (status != STATUS_BUSY)
        return status;
    error_clear(err);
    TRY(job_tables_end_again(&tables, err));
    ereport(LOG,
            (errmsg("the tables of job " INT64_FORMAT " are in use, and are dropped %s", number,
                    start_worker(number, 0) ? "in the background" : "with the next submission")));
    return STATUS_OK;
}

/* ----- a session that dies ----- */

static struct {
    int64_t number, folder;
    bool is_registered;
} watched;

/* Where the server ends, too, no worker is started: totrain.sweep_jobs finds the tables. */
static void on_exit_of_session(int code, Datum unused)
{
    (void)code;
    (void)unused;
    if (watched.folder != 0)
        (void)start_worker(watched.number, watched.folder);
    watched.folder = 0;
}

void release_when_session_dies(int64_t number, int64_t folder)
{
    if (!watched.is_registered)
        before_shmem_exit(on_exit_of_session, 0);
    watched.is_registered = true;
    watched.number = number;
    watched.folder = folder;
}

/* The tables are dropped as the role that submitted the job, by all who may manage its jobs: a
 * trigger or a rule that the role has put on them runs as that role alone. The worker that drops
 * them later does the same. */
static enum status release_as_owner(struct door *door, int64_t number, struct error *err)
{
    const struct job_tables tables = tables_of(door, number);
    enum status status;
    int64_t owner;
    Oid user;
    int security;

    TRY(job_tables_owner(&tables, &owner, err));
    GetUserIdAndSecContext(&user, &security);
    if (owner == 0 || (Oid)owner == user || !jobs_may_manage((Oid)owner))
        return release_tables(door, number, err);
    SetUserIdAndSecContext((Oid)owner,
                           security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
    status = release_tables(door, number, err);
    SetUserIdAndSecContext(user, security);
    return status;
}

Datum totrain_sql_discard(PG_FUNCTION_ARGS)
{
    struct door *door = door_open();
    struct error err;

    error_clear(&err);
    if (release_as_owner(door, PG_GETARG_INT64(0), &err) != STATUS_OK)
        session_raise(&door->session, &err, SLICE(""), false);
    PG_RETURN_VOID();
}

/* ----- the worker ----- */

/* A model that was learned, and that the session could not write any more, waits in the tables for
 * totrain.publish. A job without a record has learned nothing. */
static enum status judge_model(const struct job_folder *folder, struct error *err)
{
    struct host host = {.self = NULL};
    struct job_status status;
    struct error why;

    error_clear(&why);
    if (!job_is_unpublished(folder->path))
        return STATUS_OK;
    jobs_host_init(&host, settings_state(GetUserId()));
    if (job_status_read(&host, folder->id, &status, &why) != STATUS_OK)
        return why.status == STATUS_NOT_FOUND ? STATUS_OK : (*err = why, why.status);
    if (status.state == JOB_STATE_PUBLISHING)
        return fail(err, STATUS_BUSY, "its model is being written");
    return status.state == JOB_STATE_UNPUBLISHED
               ? fail(err, STATUS_INVALID, "its model is not published")
               : STATUS_OK;
}

/* Do the tables of a dead session go? BUSY: its supervisor has not ended; INVALID: the Job may go
 * on without it, or they have its model. */
static enum status judge_dead(int64_t id, struct error *err)
{
    struct job_folder folder;

    TRY(job_folder_find(settings_state(GetUserId()), id, &folder, err));
    if (job_is_running(folder.path))
        return fail(err, STATUS_BUSY, "its supervisor has not ended");
    if (job_is_left_behind(folder.path))
        return fail(err, STATUS_INVALID, "its Job may go on");
    return judge_model(&folder, err);
}

/* OK also where they are gone. BUSY, too, while it is not committed that they are over. */
static enum status drop(struct door *door, const struct release *release, struct error *err)
{
    const struct job_tables tables = tables_of(door, release->number);
    bool is_true;

    TRY(job_tables_are_there(&tables, &is_true, err));
    if (!is_true)
        return STATUS_OK;
    if (release->folder != 0)
        TRY(judge_dead(release->folder, err));
    else
        TRY(job_tables_are_over(&tables, &is_true, err));
    return is_true ? try_to_drop(door, &tables, err) : STATUS_BUSY;
}

static enum status try_once(const struct release *release, struct error *err)
{
    MemoryContext context = CurrentMemoryContext;
    enum status status;

    StartTransactionCommand();
    error_clear(err);
    status = drop(door_open(), release, err);
    if (status == STATUS_OK)
        CommitTransactionCommand();
    else
        AbortCurrentTransaction();
    MemoryContextSwitchTo(context);
    return status;
}

/* Whatever sets the latch meanwhile, as the end of a lock_timeout does. */
static void pause_for(long ms)
{
    const TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);
    long left;

    while ((left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end)) > 0) {
        (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, left,
                        PG_WAIT_EXTENSION);
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
    }
}

static void try_until_dropped(const struct release *release)
{
    const int most = release->folder != 0 ? TRIES_DEAD : TRIES_MAX;
    enum status status = STATUS_BUSY;
    struct error err;
    long pause_ms = PAUSE_MS;

    for (int tries = 0; status == STATUS_BUSY && tries < most; tries++) {
        pause_for(pause_ms);
        status = try_once(release, &err);
        pause_ms = pause_ms * 2 < PAUSE_MS_MAX ? pause_ms * 2 : PAUSE_MS_MAX;
    }
    if (status == STATUS_INVALID)
        ereport(LOG, (errmsg("the tables of job " INT64_FORMAT " stay: %s", release->number,
                             session_from_utf8(slice_of(err.message)))));
    else if (status != STATUS_OK)
        ereport(LOG, (errmsg("the tables of job " INT64_FORMAT " are dropped with the next "
                             "submission: %s",
                             release->number,
                             status == STATUS_BUSY ? "they are in use"
                                                   : session_from_utf8(slice_of(err.message)))));
}

void totrain_release_main(Datum unused)
{
    struct caller caller = {.settings = NULL};
    struct release release;

    background_begin("totrain tables");
    memcpy(&release, MyBgworkerEntry->bgw_extra, sizeof release);
    BackgroundWorkerInitializeConnectionByOid(release.database, release.session_user, 0);
    caller.session_user = release.session_user;
    caller.role = release.role;
    caller.user = release.user;
    caller.security = release.security;
    caller_become(&caller);
    debug_query_string = MyBgworkerEntry->bgw_name;
    pgstat_report_activity(STATE_RUNNING, debug_query_string);
    try_until_dropped(&release);
    proc_exit(0);
}
