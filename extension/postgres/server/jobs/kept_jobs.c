#include "extension/postgres/server/jobs/kept_jobs.h"

#include <stdio.h>
#include <unistd.h>

#include <access/xact.h>
#include <access/xlog.h>
#include <commands/async.h>
#include <lib/stringinfo.h>
#include <miscadmin.h>
#include <pgstat.h>
#include <postmaster/bgworker.h>
#include <storage/ipc.h>
#include <storage/latch.h>
#include <tcop/tcopprot.h>
#include <utils/json.h>
#include <utils/memutils.h>
#include <utils/resowner.h>
#include <utils/syscache.h>
#include <utils/timestamp.h>

#include "base/process/log.h"
#include "extension/engine/job_collect.h"
#include "extension/engine/job_publish.h"
#include "extension/engine/jobs/cluster_job.h"
#include "extension/engine/jobs/jobs.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/postgres/server/jobs/door_cluster.h"
#include "extension/postgres/server/jobs/jobs.h"
#include "extension/postgres/server/session/background.h"
#include "extension/postgres/server/session/caller.h"
#include "extension/postgres/server/session/failure_command.h"
#include "extension/postgres/server/session/settings.h"
#include "k8s/job/cluster_folder.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"

PGDLLEXPORT void totrain_kept_main(Datum unused);
PGDLLEXPORT void totrain_start_main(Datum unused);

#define RESTART_S     5
#define START_MS      10000 /* so long a session waits for the worker to have the job */
#define START_LOOK_MS 5
#define TRIES_MAX     5 /* to connect: the database or the role may be gone for good */
#define TRIES_FILE    "tries"
#define AGAIN_MS      30000 /* after the cluster did not let us look */
#define LOOK_MS       1000  /* between checks whether the job was given up */
#define LOOK_EVERY_MS 10000
#define RUNS_MAX      3 /* so often a supervisor may end without its job's end, on this machine */
#define PAUSE_MS      50

/* In bgw_extra. */
struct kept {
    Oid database, owner;
    int64_t job;
};
_Static_assert(sizeof(struct kept) <= BGW_EXTRALEN, "it fits into bgw_extra");

/* ----- workers ----- */

static bool start_worker(const struct kept *kept, BackgroundWorkerHandle **handle)
{
    BackgroundWorker worker = {.bgw_flags =
                                   BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
                               .bgw_start_time = BgWorkerStart_RecoveryFinished,
                               .bgw_restart_time = RESTART_S,
                               .bgw_notify_pid = handle ? MyProcPid : 0};

    snprintf(worker.bgw_name, sizeof worker.bgw_name, "totrain job " INT64_FORMAT, kept->job);
    snprintf(worker.bgw_type, sizeof worker.bgw_type, "totrain job");
    snprintf(worker.bgw_library_name, sizeof worker.bgw_library_name, "totrain");
    snprintf(worker.bgw_function_name, sizeof worker.bgw_function_name, "totrain_kept_main");
    memcpy(worker.bgw_extra, kept, sizeof *kept);
    return RegisterDynamicBackgroundWorker(&worker, handle);
}

/* Between two followers a job shows as lost. */
static void wait_until_followed(const struct job_folder *folder, BackgroundWorkerHandle *handle)
{
    const TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), START_MS);
    pid_t pid;

    while (job_is_kept(folder->path) && !job_folder_is_held(folder->path) &&
           GetBackgroundWorkerPid(handle, &pid) != BGWH_STOPPED && GetCurrentTimestamp() < end) {
        (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, START_LOOK_MS,
                        PG_WAIT_EXTENSION);
        ResetLatch(MyLatch);
    }
}

void kept_jobs_take(const struct job_folder *folder)
{
    const struct kept kept = {MyDatabaseId, GetUserId(), folder->id};
    BackgroundWorkerHandle *handle;

    caller_write(folder);
    if (!start_worker(&kept, &handle))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
                        errmsg("there is no background worker left for the job"),
                        errhint("max_worker_processes is the server's limit.")));
    wait_until_followed(folder, handle);
}

/* ----- jobs without a follower ----- */

static void adopt_jobs_of(Oid database, Oid owner)
{
    const char *state = settings_state_of(database, owner);
    struct job_folder folder;
    struct error ignored;
    int64_t *ids = NULL;
    size_t count = 0;

    error_clear(&ignored);
    if (job_folder_list(state, &ids, &count, &ignored) != STATUS_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct kept kept = {database, owner, ids[i]};

        if (job_folder_find(state, ids[i], &folder, &ignored) == STATUS_OK &&
            job_is_kept(folder.path) && caller_is_written(folder.path) &&
            !job_folder_is_held(folder.path) && !start_worker(&kept, NULL))
            ereport(LOG, (errmsg("there is no background worker left to follow job " INT64_FORMAT,
                                 ids[i])));
    }
    free(ids);
}

static void adopt_in(Oid database)
{
    ListCell *cell;

    foreach (cell, jobs_numbered_folders(psprintf("%s/%u", settings_state_root(), database)))
        adopt_jobs_of(database, lfirst_oid(cell));
}

void kept_jobs_adopt(void)
{
    if (!RecoveryInProgress())
        adopt_in(MyDatabaseId);
}

void kept_jobs_look(void)
{
    static TimestampTz looked_at;
    const TimestampTz now = GetCurrentTimestamp();

    if (looked_at != 0 && !TimestampDifferenceExceeds(looked_at, now, LOOK_EVERY_MS))
        return;
    looked_at = now;
    kept_jobs_adopt();
}

void totrain_start_main(Datum unused)
{
    ListCell *cell;

    background_begin("totrain start");
    foreach (cell, jobs_numbered_folders(settings_state_root()))
        adopt_in(lfirst_oid(cell));
    proc_exit(0);
}

void kept_jobs_install(void)
{
    BackgroundWorker worker = {.bgw_flags = BGWORKER_SHMEM_ACCESS,
                               .bgw_start_time = BgWorkerStart_RecoveryFinished,
                               .bgw_restart_time = BGW_NEVER_RESTART};

    if (!process_shared_preload_libraries_in_progress)
        return;
    snprintf(worker.bgw_name, sizeof worker.bgw_name, "totrain start");
    snprintf(worker.bgw_type, sizeof worker.bgw_type, "totrain start");
    snprintf(worker.bgw_library_name, sizeof worker.bgw_library_name, "totrain");
    snprintf(worker.bgw_function_name, sizeof worker.bgw_function_name, "totrain_start_main");
    RegisterBackgroundWorker(&worker);
}

/* ----- following one ----- */

struct following {
    const struct job_folder *folder;
    const char *state;
    bool is_here;   /* else on a cluster */
    int64_t number; /* the number of its tables there */
    const struct caller *caller;
    const char *refusal; /* why nobody may act as the caller any more; NULL: it may be done */
    TimestampTz asked_at;
    struct session session;
    struct error err; /* how the last supervisor ended */
};

static enum job_state state_of(const struct following *following)
{
    struct host host = {.self = NULL};
    struct job_status status;
    struct error ignored;

    error_clear(&ignored);
    jobs_host_init(&host, following->state);
    if (job_status_read(&host, following->folder->id, &status, &ignored) != STATUS_OK)
        return JOB_STATE_WAITING;
    return following->is_here ? status.state : status.row.state;
}

static bool is_unfinished(enum job_state what)
{
    return what == JOB_STATE_WAITING || what == JOB_STATE_RUNNING;
}

/* No transaction is open: one that starts learns of what others have dropped. */
static bool is_refused(struct following *following)
{
    MemoryContext context = CurrentMemoryContext;

    if (following->refusal)
        return true;
    following->asked_at = GetCurrentTimestamp();
    StartTransactionCommand();
    MemoryContextSwitchTo(context);
    following->refusal = caller_refusal(following->caller);
    CommitTransactionCommand();
    MemoryContextSwitchTo(context);
    return following->refusal != NULL;
}

static void throw_refusal(struct following *following)
{
    if (is_refused(following))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg_internal("%s", following->refusal)));
}

/* Asked while the job runs, which nobody could publish that is refused. One that is ended for this
 * is not asked about again. */
static bool is_interrupted(void *self)
{
    struct following *following = self;

    if (session_interrupted(&following->session))
        return true;
    return !following->refusal &&
           TimestampDifferenceExceeds(following->asked_at, GetCurrentTimestamp(), LOOK_MS) &&
           is_refused(following);
}

static const char *refusal_of(void *self)
{
    const struct following *following = self;
    return following->refusal;
}

static struct door *open_door(MemoryContext context)
{
    struct door *door;

    StartTransactionCommand();
    door_write_committed();
    MemoryContextSwitchTo(context);
    door = door_open();
    door->owns_transaction = true;
    return door;
}

/* In a transaction of its own, and memory that goes with it. */
static enum status read_reports(void *self, int64_t number, int64_t *after,
                                const struct report_reader *reader, struct error *err)
{
    MemoryContext before = CurrentMemoryContext;
    MemoryContext context = AllocSetContextCreate(before, "totrain look", ALLOCSET_SMALL_SIZES);
    struct door *door = open_door(context);
    const enum status status =
        postgres_cluster_read_reports(&door->cluster, number, after, reader, err);
    const bool was_interrupted = door->session.interrupt;
    (void)self;

    CommitTransactionCommand();
    if (was_interrupted) /* following->session is to find it, and not the commit */
        InterruptPending = QueryCancelPending = true;
    MemoryContextSwitchTo(before);
    MemoryContextDelete(context);
    return status;
}

/* One at a time, and for as long as the job takes. No transaction is open. The journal is read
 * where there is one, and whoever sent the job may act. */
static void supervise(struct following *following)
{
    const struct host_cluster cluster = {.self = following, .read_reports = read_reports};
    const struct host host = {.self = following,
                              .cluster = following->is_here ? NULL : &cluster,
                              .session = {.program = settings.program,
                                          .memory_max = (uint64_t)settings.max_memory * 1024,
                                          .interrupted = is_interrupted,
                                          .failure = refusal_of}};
    const struct sink sink = {.self = NULL};

    error_clear(&following->err);
    if (cluster_follow(&host, following->folder,
                       following->is_here || following->refusal ? 0 : following->number, &sink,
                       &following->err) != STATUS_OK)
        ereport(LOG, (errmsg("job " INT64_FORMAT ": %s", following->folder->id,
                             session_from_utf8(slice_of(following->err.message)))));
}

/* A while, unless it is given up. */
static void wait_a_while(const struct following *following)
{
    for (int waited = 0; waited < AGAIN_MS && !job_is_given_up(following->folder->path);
         waited += LOOK_MS) {
        (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, LOOK_MS,
                        PG_WAIT_EXTENSION);
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
    }
}

/* ----- its end, in a transaction ----- */

/* Nobody waits for the rows of TRAIN; notices go to who looks at the server, or at the job. */
struct outcome {
    struct result result;
    const struct following *following;
    struct door *door;
    const char *line;
};

static void log_line(void *call)
{
    const struct outcome *outcome = call;

    ereport(LOG, (errmsg("job " INT64_FORMAT ": %s", outcome->following->folder->id,
                         session_from_utf8(slice_of(outcome->line)))));
}

static void log_notice(void *self, const char *line)
{
    struct outcome *outcome = self;
    char path[MAXPGPATH];

    snprintf(path, sizeof path, "%s/log", outcome->following->folder->path);
    log_append(path, "publisher", line);
    outcome->line = line;
    session_try(&outcome->door->session, log_line, outcome);
}

static struct sink outcome_sink(struct outcome *outcome)
{
    struct sink sink = result_sink(&outcome->result);

    sink.self = outcome; /* its first member is the result */
    sink.notice = log_notice;
    return sink;
}

static enum status publish(struct following *following, struct error *err)
{
    MemoryContext context = CurrentMemoryContext;
    struct outcome outcome = {.following = following};
    struct sink sink;
    enum status status;

    result_init(&outcome.result);
    sink = outcome_sink(&outcome);
    error_clear(err);
    outcome.door = open_door(context);
    status = job_collect_kept(&outcome.door->host.host, following->number, following->folder, &sink,
                              err);
    result_deinit(&outcome.result);
    if (status == STATUS_OK) {
        CommitTransactionCommand();
        unpublished_remove(following->folder);
    } else {
        AbortCurrentTransaction();
    }
    MemoryContextSwitchTo(context);
    return status;
}

static void drop_tables(struct following *following)
{
    MemoryContext context = CurrentMemoryContext;
    const struct host_cluster *cluster = open_door(context)->host.host.cluster;
    const struct sink sink = {.self = NULL};

    cluster->discard(cluster->self, following->number, &sink);
    CommitTransactionCommand();
    MemoryContextSwitchTo(context);
}

/* The last of a job. Rows that are not needed any more go. */
static void let_go(const struct following *following)
{
    struct job_folder folder = *following->folder;

    job_let_go(folder.path);
    folder.lock = 0; /* the follower goes on to hold it */
    job_folder_clean(&folder);
    if (!job_is_unpublished(folder.path))
        job_drop_results(&folder);
}

/* collect has made the record anew: the end is recorded again. */
static void end_failed(struct following *following, enum job_state what, const char *why)
{
    unpublished_remove(following->folder);
    jobs_note(following->state, following->folder->id, NULL, what, why);
    if (!job_is_left_behind(following->folder->path))
        drop_tables(following);
    let_go(following);
}

static char *words_of(const struct error *err)
{
    return session_from_utf8(slice_of(err->message));
}

/* totrain.publish(job) writes it from the job's tables. */
static void keep_unpublished(const struct following *following, const struct error *why)
{
    const bool has_rows = job_keeps_rows(following->folder->path);

    unpublished_note(following->folder, psprintf("the %s could not be written: %s",
                                                 has_rows ? "table" : "model", why->message));
}

/* The job has learned. An earlier worker may have died after its commit, and has then left a record
 * that is done, and tables that are over, or none. */
static void end_well(struct following *following)
{
    const bool was_done = state_of(following) == JOB_STATE_DONE;
    struct error err;
    enum status status = publish(following, &err);

    if (status != STATUS_OK && !(was_done && status == STATUS_NOT_FOUND)) {
        throw_refusal(following);
        keep_unpublished(following, &err);
    } else {
        unpublished_remove(following->folder);
        if (status != STATUS_OK)
            drop_tables(following);
    }
    let_go(following);
}

/* The Job was deleted after its end was written: what the tables contain counts. */
static void end_without_word(struct following *following, enum job_state what)
{
    const bool is_given_up = job_is_given_up(following->folder->path);
    struct error why = following->err, ignored;

    if (!is_given_up && why.status != STATUS_OK && publish(following, &ignored) == STATUS_OK)
        let_go(following);
    else
        end_failed(following, what, why.status != STATUS_OK ? words_of(&why) : NULL);
}

static void read_number(struct following *following)
{
    struct arena arena;
    struct kube_job job = {.job = 0};
    struct cluster_access access;
    struct error err;
    enum status status;

    error_clear(&err);
    arena_init(&arena, ARENA_MAXIMUM);
    status = cluster_folder_read(following->folder->path, &arena, &job, &access, &err);
    arena_deinit(&arena);
    if (status != STATUS_OK)
        ereport(ERROR, (errmsg_internal("%s", err.message)));
    following->number = job.job;
}

static void follow_on_cluster(struct following *following)
{
    enum job_state what = state_of(following);

    read_number(following);

    while (is_unfinished(what)) {
        supervise(following);
        throw_refusal(following);
        what = state_of(following);
        if (is_unfinished(what))
            wait_a_while(following);
    }
    if (what == JOB_STATE_PUBLISHING || what == JOB_STATE_DONE)
        end_well(following);
    else
        end_without_word(following, what);
}

/* ----- on this machine ----- */

/* A supervisor whose lifeline has just ended is on its way out. */
static void wait_until_free(const struct following *following)
{
    for (int waited = 0; waited < AGAIN_MS && job_is_running(following->folder->path);
         waited += PAUSE_MS) {
        (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, PAUSE_MS,
                        PG_WAIT_EXTENSION);
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
    }
}

/* Publishes what the job has made into its table, in a transaction of its own, whose number is
 * noted before the commit. A failure is noted with the job, which stays unpublished. */
static enum status publish_here(struct following *following)
{
    MemoryContext context = CurrentMemoryContext;
    struct unpublished_job job = {.folder = *following->folder};
    struct outcome outcome = {.following = following};
    struct sink sink;
    struct error err;
    enum status status;

    job.folder.lock = 0; /* the follower goes on to hold it */
    error_clear(&err);
    result_init(&outcome.result);
    sink = outcome_sink(&outcome);
    outcome.door = open_door(context);
    status = unpublished_read(&job.folder, &job.unpublished, &err);
    if (status == STATUS_OK)
        status =
            unpublished_publish(&outcome.door->host.host, &job, job_publish_table, &sink, &err);
    result_deinit(&outcome.result);
    if (status == STATUS_OK)
        CommitTransactionCommand();
    else
        AbortCurrentTransaction();
    MemoryContextSwitchTo(context);
    return status;
}

/* Nothing of it is written, and nothing will be. */
static void end_here(const struct following *following, enum job_state what, const char *why)
{
    unpublished_remove(following->folder);
    jobs_note(following->state, following->folder->id, NULL, what, why);
}

static void end_by_state(struct following *following, enum job_state what)
{
    if (is_unfinished(what) && job_is_given_up(following->folder->path))
        end_here(following, JOB_STATE_CANCELLED, "the job was cancelled");
    else if (is_unfinished(what))
        end_here(following, JOB_STATE_FAILED, words_of(&following->err));
    else
        unpublished_remove(following->folder); /* it has said how it ended */
}

static void follow_here(struct following *following)
{
    enum job_state what = state_of(following);

    for (int runs = 0; is_unfinished(what) && runs < RUNS_MAX; runs++) {
        if (job_is_given_up(following->folder->path))
            break;
        wait_until_free(following);
        supervise(following);
        throw_refusal(following);
        what = state_of(following);
    }
    if (what != JOB_STATE_PUBLISHING)
        end_by_state(following, what);
    else if (publish_here(following) != STATUS_OK)
        throw_refusal(following);
    let_go(following);
}

/* ----- what is thrown ----- */

/* Its tables are not ours to drop. */
static void end_on_cluster(struct following *following)
{
    struct error err;

    error_clear(&err);
    if (job_give_up(following->folder->path, &err) == STATUS_OK)
        supervise(following);
    else
        ereport(LOG, (errmsg_internal("%s", err.message)));
}

/* An error is the job's end: the worker would only throw it again. A model that was learned waits
 * for somebody who may publish it, if there is one. */
static void note_thrown(struct following *following, MemoryContext context)
{
    const char *message = background_catch(context);

    if (following->is_here && following->refusal) {
        jobs_fail(following->state, following->folder->id,
                  message); /* first: it never shows as done */
        unpublished_remove(following->folder);
    } else if (following->is_here && state_of(following) == JOB_STATE_PUBLISHING) {
        unpublished_note(following->folder, message);
    } else if (following->is_here) {
        end_here(following, JOB_STATE_FAILED, message);
    } else {
        if (following->refusal)
            end_on_cluster(following);
        jobs_fail(following->state, following->folder->id, message);
    }
    let_go(following);
}

/* ----- who listens ----- */

#define CHANNEL     "totrain_jobs" /* every role may listen: no name of a model, no reason */
#define UNPUBLISHED "unpublished"

/* The last of a job that nobody waits for: a scheduler, or who is on call, hears how it ended. Its
 * owner's command of the administrator's list hears of failures, once the folder is left: while a
 * follower holds it, totrain.jobs has neither the end nor the reason. */
static void tell_end(const struct following *following, struct job_folder *folder)
{
    MemoryContext context = CurrentMemoryContext;
    const enum job_state what = state_of(following);
    const char *owner, *state;
    StringInfoData payload;

    initStringInfo(&payload);
    if (job_is_unpublished(following->folder->path))
        state = UNPUBLISHED;
    else /* the record says no more of one that somebody else has published */
        state = job_state_name(what == JOB_STATE_PUBLISHING ? JOB_STATE_DONE : what);

    StartTransactionCommand();
    owner = GetUserNameFromId(GetUserId(), true);
    appendStringInfo(&payload, "{\"id\": " INT64_FORMAT ", \"state\": \"%s\", \"owner\": ",
                     following->folder->id, state);
    escape_json(&payload, owner ? owner : "");
    appendStringInfoChar(&payload, '}');
    Async_Notify(CHANNEL, payload.data);
    CommitTransactionCommand();
    MemoryContextSwitchTo(context);
    if (strcmp(state, job_state_name(JOB_STATE_FAILED)) == 0 || strcmp(state, UNPUBLISHED) == 0) {
        job_folder_leave(folder);
        failure_command_run(folder->id, state, payload.data);
    }
}

static void follow(struct job_folder *folder, const struct caller *caller, bool must_become,
                   const char *state)
{
    MemoryContext context = CurrentMemoryContext;
    struct following *following = palloc0(sizeof *following);

    following->folder = folder;
    following->state = state;
    following->caller = caller;
    following->is_here = !cluster_folder_is(folder->path);
    session_init(&following->session, false);
    PG_TRY();
    {
        throw_refusal(following);
        if (must_become)
            caller_become(caller);
        if (following->is_here)
            follow_here(following);
        else
            follow_on_cluster(following);
    }
    PG_CATCH();
    {
        note_thrown(following, context);
    }
    PG_END_TRY();
    tell_end(following, folder);
}

/* ----- the worker ----- */

static char *tries_path(const struct job_folder *folder)
{
    return psprintf("%s/" TRIES_FILE, folder->path);
}

/* A database or a role that is gone ends the process as it connects, and the postmaster starts it
 * again. */
static bool may_try(const struct job_folder *folder)
{
    FILE *file = fopen(tries_path(folder), "a+e");
    long tries;

    if (!file)
        return false;
    fputc('.', file);
    tries = ftell(file);
    fclose(file);
    return tries <= TRIES_MAX;
}

static void read_caller(const struct job_folder *folder, struct caller *caller)
{
    struct error err;

    error_clear(&err);
    if (caller_read(folder, caller, &err) == STATUS_OK)
        return;
    ereport(LOG, (errmsg("job " INT64_FORMAT ": %s", folder->id, err.message)));
    proc_exit(0);
}

void kept_jobs_follow(struct job_folder *folder)
{
    struct caller caller;

    read_caller(folder, &caller);
    follow(folder, &caller, false, settings_state(GetUserId()));
}

static void run(const struct kept *kept)
{
    const char *state = settings_state_of(kept->database, kept->owner);
    struct job_folder folder;
    struct caller caller;
    struct error ignored;

    error_clear(&ignored);
    if (job_folder_adopt(state, kept->job, &folder, &ignored) != STATUS_OK ||
        !job_is_kept(folder.path) || !may_try(&folder))
        return;
    read_caller(&folder, &caller);
    BackgroundWorkerInitializeConnectionByOid(kept->database, caller.session_user, 0);
    (void)unlink(tries_path(&folder));
    debug_query_string = MyBgworkerEntry->bgw_name;
    pgstat_report_activity(STATE_RUNNING, debug_query_string);
    follow(&folder, &caller, true, state);
    job_folder_leave(&folder);
}

void totrain_kept_main(Datum unused)
{
    struct kept kept;

    background_begin("totrain job");
    memcpy(&kept, MyBgworkerEntry->bgw_extra, sizeof kept);
    run(&kept);
    proc_exit(0);
}
