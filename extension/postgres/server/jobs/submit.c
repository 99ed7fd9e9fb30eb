/*
 * totrain.submit('...'): a statement in the background, once the transaction is committed.
 *
 *     session    checks the statement, makes the job's folder, hands the submission over in
 *                shared memory to a background worker, and returns the job's id
 *     worker     connects as the same user, with the same settings and role, and waits
 *                for the end of the session's transaction; rolled back: nothing was
 *                submitted. Then it runs the statement as totrain.run() would, in a
 *                transaction of its own.
 *
 * The worker is the job's session: should it end, so does the job. One on a cluster goes on, and
 * is followed by another worker (kept_jobs.h).
 */
#include "extension/postgres/server/jobs/door.h"

#include <access/transam.h>
#include <access/xact.h>
#include <pgstat.h>
#include <port/atomics.h>
#include <postmaster/bgworker.h>
#include <storage/dsm.h>
#include <storage/ipc.h>
#include <storage/latch.h>
#include <storage/lmgr.h>
#include <storage/lock.h>
#include <storage/proc.h>
#include <storage/procarray.h>
#include <tcop/tcopprot.h>
#include <tcop/utility.h>
#include <utils/backend_status.h>
#include <utils/guc.h>
#include <utils/memutils.h>
#include <utils/resowner.h>
#include <utils/snapmgr.h>

#include "extension/postgres/server/jobs/door_cluster.h"
#include "extension/postgres/server/jobs/jobs.h"
#include "extension/postgres/server/jobs/kept_jobs.h"
#include "extension/postgres/server/session/background.h"
#include "extension/postgres/server/session/settings.h"
#include "planner/plan/plan.h"
#include "planner/plan_statement.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"

#define WORKER_TYPE "totrain job"

SQL_FUNCTION(totrain_sql_submit);
PGDLLEXPORT void totrain_worker_main(Datum segment);

/* In shared memory; the statement and the settings lie behind it. */
struct submission {
    Oid database, session_user, role, user;
    int security;
    bool is_superuser;
    TransactionId transaction;
    int64_t job;
    bool is_training;
    PGPROC *session;
    pg_atomic_uint32 is_taken;
    Size statement_size, settings_size;
    char data[FLEXIBLE_ARRAY_MEMBER];
};

static void note_state(const struct submission *submission, enum job_state state, const char *why)
{
    jobs_note(settings_state(submission->user), submission->job, submission->data, state, why);
}

/* ----- the session ----- */

static void check_kind(const struct statement *statement)
{
    const bool has_target =
        statement->kind == STATEMENT_TRAIN || statement_predicts_into_table(statement) ||
        ((statement->kind == STATEMENT_EVALUATE || statement->kind == STATEMENT_FORECAST) &&
         statement->into.count > 0);

    if (statement->explain_plan || !has_target)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("totrain.submit is for statements that write INTO a table"),
                        errhint("Use totrain.rows($$ ... $$), which returns rows.")));
}

/* Throws the error that planning the statement in the background would return. */
static void check_statement(struct door *door, struct slice text, bool *is_training)
{
    struct arena *arena = palloc0(sizeof *arena);
    struct statement statement = {0};
    struct plan plan;
    struct error err;
    enum status status;

    arena_init(arena, ARENA_MAXIMUM);
    error_clear(&err);
    door->owns_transaction = true; /* the worker's door does so, too */
    door_cluster_background(door);
    door_cluster_limits(door, &door->host.host.catalog.limits);
    door_detach_limits(door, &door->host.host.catalog.limits);
    status = parse_statement(text, arena, &statement, &err);
    if (status == STATUS_OK)
        status = plan_statement(&statement, text, &door->host.host.catalog, arena, &plan, &err);
    arena_deinit(arena);
    if (status != STATUS_OK)
        session_raise(&door->session, &err, text, false);
    *is_training = statement.kind == STATEMENT_TRAIN;
    check_kind(&statement);
}

static void make_folder(struct door *door, struct job_folder *folder)
{
    struct error err;

    error_clear(&err);
    if (job_folder_create(door->host.host.session.state, folder, &err) != STATUS_OK)
        session_raise(&door->session, &err, SLICE(""), false);
    if (door->host.host.jobs->admit(door->host.host.self, folder, &err) != STATUS_OK) {
        job_folder_remove(folder);
        session_raise(&door->session, &err, SLICE(""), false);
    }
    job_folder_leave(folder); /* the worker takes it */
}

static dsm_segment *write_submission(const char *statement, bool is_training, int64_t job)
{
    const Size statement_size = strlen(statement) + 1, settings_size = EstimateGUCStateSpace();
    dsm_segment *segment =
        dsm_create(offsetof(struct submission, data) + statement_size + settings_size, 0);
    struct submission *submission = dsm_segment_address(segment);

    memset(submission, 0, sizeof *submission);
    submission->database = MyDatabaseId;
    submission->session_user = GetSessionUserId();
    submission->role = GetCurrentRoleId();
    submission->is_superuser =
        superuser_arg(OidIsValid(submission->role) ? submission->role : submission->session_user);
    GetUserIdAndSecContext(&submission->user, &submission->security);
    submission->transaction = GetCurrentTransactionId();
    submission->job = job;
    submission->is_training = is_training;
    submission->session = MyProc;
    pg_atomic_init_u32(&submission->is_taken, 0);
    submission->statement_size = statement_size;
    submission->settings_size = settings_size;
    memcpy(submission->data, statement, statement_size);
    SerializeGUCState(settings_size, submission->data + statement_size);
    return segment;
}

/* ----- room for others: these processes are PostgreSQL's own, of which it has few ----- */

/* One submission is counted and started at a time. No catalog has this class. */
#define ROOM_LOCK_CLASS ((Oid)0x746f7472) /* "totr" */

static void lock_room(LOCKTAG *tag)
{
    SET_LOCKTAG_OBJECT(*tag, InvalidOid, ROOM_LOCK_CLASS, 1, 0);
    (void)LockAcquire(tag, ExclusiveLock, false, false);
}

static bool is_job(const PgBackendStatus *status)
{
    const char *type = status->st_backendType == B_BG_WORKER
                           ? GetBackgroundWorkerTypeByPid(status->st_procpid)
                           : NULL;

    return type && strcmp(type, WORKER_TYPE) == 0;
}

/* Counts the jobs of all roles and databases, and the caller's among them. */
static void count_jobs(int *all, int *own)
{
    *all = *own = 0;
    pgstat_clear_backend_activity_snapshot();
    for (int i = 1; i <= pgstat_fetch_stat_numbackends(); i++) {
        const PgBackendStatus *status = &COMPAT_LOCAL_BACKEND(i)->backendStatus;

        if (!is_job(status))
            continue;
        ++*all;
        *own += status->st_userid == GetSessionUserId();
    }
}

static void check_room(void)
{
    const int limit = settings.max_background_jobs >= 0 ? settings.max_background_jobs
                                                        : (max_worker_processes + 1) / 2;
    const int most = limit > 1 && !superuser() ? limit - 1 : limit;
    int all, own;

    count_jobs(&all, &own);
    if (all < limit && own < most)
        return;
    ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
                    errmsg("%d jobs run in the background already, %d of them yours", all, own),
                    errhint("totrain.max_background_jobs allows %d, and %d of one role; SHOW JOBS "
                            "lists yours.",
                            limit, most)));
}

static BackgroundWorkerHandle *start_worker(dsm_segment *segment)
{
    BackgroundWorkerHandle *handle = NULL;
    BackgroundWorker worker = {.bgw_flags =
                                   BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
                               .bgw_start_time = BgWorkerStart_ConsistentState,
                               .bgw_restart_time = BGW_NEVER_RESTART,
                               .bgw_main_arg = UInt32GetDatum(dsm_segment_handle(segment)),
                               .bgw_notify_pid = MyProcPid};

    snprintf(worker.bgw_name, sizeof worker.bgw_name, "totrain job");
    snprintf(worker.bgw_type, sizeof worker.bgw_type, WORKER_TYPE);
    snprintf(worker.bgw_library_name, sizeof worker.bgw_library_name, "totrain");
    snprintf(worker.bgw_function_name, sizeof worker.bgw_function_name, "totrain_worker_main");
    if (!RegisterDynamicBackgroundWorker(&worker, &handle))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
                        errmsg("there is no background worker left for the job"),
                        errhint("max_worker_processes is the server's limit.")));
    return handle;
}

static void wait_until_taken(const struct submission *submission, BackgroundWorkerHandle *handle)
{
    while (pg_atomic_read_u32((pg_atomic_uint32 *)(uintptr_t)&submission->is_taken) == 0) {
        pid_t pid;

        if (GetBackgroundWorkerPid(handle, &pid) == BGWH_STOPPED &&
            pg_atomic_read_u32((pg_atomic_uint32 *)(uintptr_t)&submission->is_taken) == 0)
            ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
                            errmsg("the background worker of the job did not start"),
                            errhint("The server's log says why.")));
        (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1, PG_WAIT_EXTENSION);
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
    }
}

Datum totrain_sql_submit(PG_FUNCTION_ARGS)
{
    const char *statement = text_to_cstring(PG_GETARG_TEXT_PP(0));
    struct door *door = door_open();
    struct job_folder folder;
    bool is_training = false;
    LOCKTAG room;

    PreventCommandDuringRecovery("totrain.submit()");
    PreventCommandIfReadOnly("totrain.submit()");
    check_statement(door, session_to_utf8(statement, strlen(statement)), &is_training);
    make_folder(door, &folder);
    PG_TRY();
    {
        dsm_segment *segment = write_submission(statement, is_training, folder.id);
        const struct submission *submission = dsm_segment_address(segment);

        lock_room(&room);
        check_room();
        jobs_begin(settings_state(submission->user), submission->job, submission->data);
        wait_until_taken(submission, start_worker(segment));
        LockRelease(&room, ExclusiveLock, false);
        dsm_detach(segment);
    }
    PG_CATCH();
    {
        job_folder_remove(&folder);
        PG_RE_THROW();
    }
    PG_END_TRY();
    PG_RETURN_INT64(folder.id);
}

/* ----- the worker ----- */

/* Its own copy: the segment goes with the session's statement. */
static struct submission *take(dsm_handle handle)
{
    dsm_segment *segment = dsm_attach(handle);
    struct submission *shared, *submission;
    Size size;

    if (!segment)
        ereport(ERROR, (errmsg("the session that submitted the job is gone")));
    shared = dsm_segment_address(segment);
    size = offsetof(struct submission, data) + shared->statement_size + shared->settings_size;
    submission = MemoryContextAlloc(TopMemoryContext, size);
    memcpy(submission, shared, size);
    dsm_pin_mapping(segment);
    return submission;
}

static void become_submitter(struct submission *submission)
{
    BackgroundWorkerInitializeConnectionByOid(submission->database, submission->session_user, 0);
    StartTransactionCommand();
    RestoreGUCState(submission->data + submission->statement_size);
    CommitTransactionCommand();
    SetCurrentRoleId(submission->role, submission->is_superuser);
    SetUserIdAndSecContext(submission->user, submission->security);
}

static void tell_session(dsm_handle handle)
{
    dsm_segment *segment = dsm_find_mapping(handle);
    struct submission *shared = dsm_segment_address(segment);
    PGPROC *session = shared->session;

    pg_atomic_write_u32(&shared->is_taken, 1);
    SetLatch(&session->procLatch);
    dsm_detach(segment);
}

static bool is_committed(TransactionId transaction)
{
    StartTransactionCommand();
    XactLockTableWait(transaction, NULL, NULL, XLTW_None);
    CommitTransactionCommand();
    return TransactionIdDidCommit(transaction);
}

static void lock_folder(const struct submission *submission, struct job_folder *folder)
{
    struct error err;

    error_clear(&err);
    if (job_folder_adopt(settings_state(submission->user), submission->job, folder, &err) !=
        STATUS_OK)
        ereport(ERROR, (errmsg_internal("%s", err.message)));
}

static bool run_in_door(const struct submission *submission, const struct job_folder *folder,
                        struct result *result)
{
    const struct slice text = session_to_utf8(submission->data, strlen(submission->data));
    struct door *door = door_open();
    struct error err;

    door->owns_transaction = true;
    door_cluster_background(door);
    if (submission->is_training) {
        door->host.host.session.job = submission->job;
        door->host.host.session.job_lock = folder->lock;
    }
    if (door_run(door, text, NULL, result, &err) != STATUS_OK)
        session_raise(&door->session, &err, text, false);
    return door->has_kept;
}

/* Is there a job that goes on? */
static bool run_statement(const struct submission *submission, const struct job_folder *folder)
{
    MemoryContext context = CurrentMemoryContext;
    volatile bool has_kept = false;
    struct result result;

    result_init(&result);
    StartTransactionCommand();
    MemoryContextSwitchTo(context);
    PG_TRY();
    {
        has_kept = run_in_door(submission, folder, &result);
    }
    PG_FINALLY();
    {
        result_deinit(&result);
    }
    PG_END_TRY();
    CommitTransactionCommand();
    MemoryContextSwitchTo(context);
    return has_kept;
}

/* An error that is thrown here is the job's end, not only the worker's. */
static void run_and_note(const struct submission *submission, struct job_folder *folder)
{
    MemoryContext context = CurrentMemoryContext;
    volatile bool has_kept = false;

    PG_TRY();
    {
        has_kept = run_statement(submission, folder);
    }
    PG_CATCH();
    {
        note_state(submission, JOB_STATE_FAILED, background_catch(context));
        return;
    }
    PG_END_TRY();
    if (has_kept)
        kept_jobs_follow(folder);
    else
        note_state(submission, JOB_STATE_DONE, NULL);
}

void totrain_worker_main(Datum segment)
{
    struct submission *submission;
    struct job_folder folder;

    background_begin("totrain job");
    submission = take(DatumGetUInt32(segment));
    become_submitter(submission);
    CurrentMemoryContext =
        AllocSetContextCreate(TopMemoryContext, "totrain job", ALLOCSET_DEFAULT_SIZES);
    lock_folder(submission, &folder);
    tell_session(DatumGetUInt32(segment));
    debug_query_string = submission->data;
    pgstat_report_activity(STATE_RUNNING, submission->data);
    if (!is_committed(submission->transaction)) {
        job_folder_remove(&folder);
        proc_exit(0);
    }
    run_and_note(submission, &folder);
    job_folder_leave(&folder);
    proc_exit(0);
}
