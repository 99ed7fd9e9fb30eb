/*
 * The state of a job, from its folder, its lock and its store; and its end.
 */
#include "extension/engine/jobs/jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "extension/engine/jobs/unpublished.h"
#include "runtime/data/store/checkpoint.h"
#include "runtime/data/store/shardstore.h"
#include "runtime/launch/core_reports.h"
#include "runtime/launch/job_detach.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/job_process.h"

bool job_status_is_over(const struct job_status *status)
{
    return status->state == JOB_STATE_DONE || status->state == JOB_STATE_FAILED ||
           status->state == JOB_STATE_CANCELLED || status->state == JOB_STATE_UNPUBLISHED;
}

static enum status open_store(const struct job_folder *folder, bool read_only,
                              struct jobstore **store, struct error *err)
{
    char path[PATH_MAX];

    TRY(job_folder_file(folder, "job.db", path, err));
    return read_only ? jobstore_open(path, true, store, err)
                     : jobstore_open_durable(path, store, err);
}

/* Says that a job that scores keeps each row that was settled. False: none was. */
static bool explain_lost_shards(struct jobstore *store, struct job_status *status)
{
    const uint64_t rows = shardstore_rows_settled(store);

    if (rows == 0)
        return false;
    snprintf(status->error, sizeof status->error,
             "its processes are gone; %" PRIu64 " rows are scored, and none of them again", rows);
    return true;
}

static void explain_lost_steps(struct jobstore *store, struct job_status *status)
{
    struct checkpoint checkpoint = {.phase = 0};
    uint64_t kept_rows = 0, kept_step = 0;

    if (checkpoint_peek(store, &checkpoint, NULL) == STATUS_OK) {
        kept_rows = checkpoint.rows_done;
        kept_step = checkpoint.step;
    }
    snprintf(status->error, sizeof status->error,
             "its processes are gone, at step %" PRIu64 "; its last checkpoint is at step %" PRIu64
             ", and %" PRIu64 " rows would be learned again",
             status->row.step, kept_step,
             status->row.rows_done > kept_rows ? status->row.rows_done - kept_rows : 0);
}

/* A server starts the next follower itself. */
static void hint_follower(struct job_status *status, const char *wait, const char *cancel)
{
    const long long id = status->folder.id;

    if (status->life->waits == ACTOR_SERVER)
        snprintf(status->hint, sizeof status->hint,
                 "The next statement of ToTrain in this database follows it again.");
    else
        snprintf(status->hint, sizeof status->hint, "totrain wait %lld %s, CANCEL JOB %lld %s.", id,
                 wait, id, cancel);
}

/* On a cluster it goes on by itself. */
static void explain_absence(struct job_status *status)
{
    snprintf(status->error, sizeof status->error,
             "no process follows it at the moment; its pods on the cluster go on");
    hint_follower(status, "follows it again", "ends it");
}

/* Says what would be computed again, so that the user can decide whether to continue. */
static void explain_loss(struct jobstore *store, struct job_status *status)
{
    if (!explain_lost_shards(store, status))
        explain_lost_steps(store, status);
    hint_follower(status, "continues it", "gives it up");
}

/* Fewer processors than it could use: others have the rest. */
static void explain_standing(struct job_status *status)
{
    struct core_standing standing;

    if (status->life->runs != PLACE_MACHINE || status->error[0] ||
        !core_reports_standing(status->folder.path, &standing) || standing.others == 0 ||
        standing.has >= standing.wanted)
        return;
    snprintf(status->error, sizeof status->error,
             "has %" PRIu32 " of the %" PRIu32 " processors that it can use: %" PRIu32
             " other job%s here, too",
             standing.has, standing.wanted, standing.others,
             standing.others == 1 ? " runs" : "s run");
}

/* A job that the session waited for has ended with the session; any other can be continued. */
static void judge_unfinished(struct jobstore *store, struct job_status *status)
{
    if (status->is_running) {
        explain_standing(status);
        return;
    }
    if (status->life->waits == ACTOR_SESSION) {
        status->state = JOB_STATE_FAILED;
        if (!status->error[0])
            snprintf(status->error, sizeof status->error, "its processes are gone");
        return;
    }
    status->state = JOB_STATE_LOST;
    if (status->life->runs == PLACE_CLUSTER)
        explain_absence(status);
    else
        explain_loss(store, status);
}

static void explain_unfinished(struct job_status *status)
{
    status->state = JOB_STATE_LOST;
    snprintf(status->error, sizeof status->error,
             "its processes are gone, and its model or table is not written yet");
    hint_follower(status, "writes it", "gives it up");
}

/* It has learned; the model is on its way. */
static void judge_publication(struct job_status *status)
{
    const struct destination *destination = &status->destination;

    if (destination->state == DESTINATION_PUBLISHED)
        return;
    if (status->is_running) {
        status->state = JOB_STATE_PUBLISHING;
    } else if (destination->state == DESTINATION_REFUSED) {
        status->state = JOB_STATE_UNPUBLISHED;
        snprintf(status->error, sizeof status->error, "%s", destination->error);
        snprintf(status->hint, sizeof status->hint, "%s", destination->hint);
    } else {
        explain_unfinished(status);
    }
}

/* A session has the folder, and writes the model. */
static bool is_collected(const struct job_status *status)
{
    return job_folder_is_held(status->folder.path);
}

/* One that failed, or was cancelled, is so when its tables are gone. */
static void judge_collection(struct job_status *status)
{
    status->state = status->state == JOB_STATE_DONE ? JOB_STATE_PUBLISHING : JOB_STATE_RUNNING;
    status->error[0] = '\0';
    if (!status->is_running)
        judge_unfinished(NULL, status);
}

/* Its rows were the session's: only a statement like it can write the table. */
static void explain_unwritten(const struct unpublished *unpublished, struct job_status *status)
{
    status->state = JOB_STATE_FAILED;
    snprintf(status->error, sizeof status->error, "%s",
             unpublished->error[0]         ? unpublished->error
             : unpublished->transaction[0] ? "the transaction that wrote the table was rolled back"
                                           : "its session ended before the table was written");
    snprintf(status->hint, sizeof status->hint,
             "The rows are scored anew when the statement is run again.");
}

static void explain_unpublished(const struct host *host, const struct unpublished *unpublished,
                                struct job_status *status)
{
    struct error how;

    status->state = JOB_STATE_UNPUBLISHED;
    error_clear(&how);
    unpublished_hint(host, &status->folder, &how);
    snprintf(status->hint, sizeof status->hint, "%s", how.hint);
    snprintf(status->error, sizeof status->error, "%s",
             unpublished->error[0]   ? unpublished->error
             : unpublished->is_table ? "its session ended before the table was written"
                                     : "its session ended before the model was written");
}

/* An attached job that has ended well and of which unpublished.json or unwritten.json is left. */
static void judge_unpublished(const struct host *host, const struct unpublished *unpublished,
                              struct job_status *status)
{
    enum transaction_state transaction;
    char who[200];

    status->state = JOB_STATE_PUBLISHING;
    if (status->is_running)
        return;
    transaction = unpublished_transaction(host, unpublished, who, sizeof who);
    if (transaction == TRANSACTION_COMMITTED) {
        status->state = JOB_STATE_DONE;
        unpublished_remove(&status->folder);
    } else if (transaction == TRANSACTION_ABORTED) {
        if (unpublished->is_lost)
            explain_unwritten(unpublished, status);
        else
            explain_unpublished(host, unpublished, status);
    } else {
        snprintf(status->error, sizeof status->error, "the %s is written in %s",
                 unpublished->is_table ? "table" : "model", who);
    }
}

static void judge_attached(const struct host *host, struct job_status *status)
{
    struct unpublished unpublished;
    struct error why;

    error_clear(&why);
    switch (unpublished_read(&status->folder, &unpublished, &why)) {
    case STATUS_OK:
        judge_unpublished(host, &unpublished, status);
        break;
    case STATUS_NOT_FOUND:
        if (is_collected(status))
            judge_collection(status);
        break;
    default:
        status->state = JOB_STATE_UNPUBLISHED;
        snprintf(status->error, sizeof status->error, "%s", why.message);
    }
}

/* A background worker writes what it has made, and the next one what that has not. */
static void judge_served(const struct host *host, struct job_status *status)
{
    struct unpublished unpublished;
    struct error ignored;
    char who[200];

    if (unpublished_read(&status->folder, &unpublished, &ignored) != STATUS_OK ||
        unpublished_transaction(host, &unpublished, who, sizeof who) == TRANSACTION_COMMITTED)
        return;
    status->state = JOB_STATE_PUBLISHING;
    if (!status->is_running)
        explain_unfinished(status);
}

/* The state of a job on a cluster is DONE once its journal was replayed, when its model
 * is written. */
static bool has_learned(const struct job_status *status)
{
    return status->state == JOB_STATE_DONE ||
           (status->state == JOB_STATE_PUBLISHING && status->life->runs == PLACE_CLUSTER &&
            job_is_unpublished(status->folder.path));
}

static enum status read_store(const struct host *host, struct jobstore *store,
                              struct job_status *status, struct error *err)
{
    bool has_destination;
    struct error why;

    error_clear(&why);
    has_destination = destination_get(store, &status->destination, &why) == STATUS_OK;
    if (!has_destination && why.status != STATUS_NOT_FOUND)
        return *err = why, why.status;
    error_clear(&why);
    if (jobstore_get_job(store, &status->row, &why) != STATUS_OK) {
        if (why.status != STATUS_NOT_FOUND || !has_destination)
            return *err = why, why.status;
        status->row = (struct job_row){.id = status->folder.id, .state = JOB_STATE_WAITING};
        snprintf(status->row.model, sizeof status->row.model, "%s", status->destination.table);
    }
    status->life = job_life_of_folder(status->folder.path, has_destination);
    status->state = status->row.state;
    snprintf(status->error, sizeof status->error, "%s", status->row.error);
    if (status->life->publishes == ACTOR_SUPERVISOR && status->state == JOB_STATE_DONE)
        judge_publication(status);
    else if (status->life->publishes == ACTOR_SESSION && has_learned(status))
        judge_attached(host, status);
    else if (status->state < JOB_STATE_DONE)
        judge_unfinished(store, status);
    else if (status->life->publishes == ACTOR_SERVER && status->life->runs == PLACE_CLUSTER)
        judge_collection(status);
    else if (status->life->publishes == ACTOR_SERVER && status->state == JOB_STATE_DONE)
        judge_served(host, status);
    return STATUS_OK;
}

enum status job_status_read(const struct host *host, int64_t id, struct job_status *status,
                            struct error *err)
{
    struct jobstore *store;
    enum status how;

    memset(status, 0, sizeof *status);
    TRY(job_folder_find(host->session.state, id, &status->folder, err));
    /* Before the store: a job that ends meanwhile is then seen as one that runs. */
    status->is_running =
        job_is_running(status->folder.path) || job_folder_is_held(status->folder.path);
    TRY(open_store(&status->folder, true, &store, err));
    how = read_store(host, store, status, err);
    jobstore_close(store);
    return how;
}

static enum status give_up(struct job_status *status, struct error *err)
{
    struct jobstore *store;
    enum status how;
    int lock;

    TRY(job_lock(status->folder.path, &lock, err));
    how = open_store(&status->folder, false, &store, err);
    if (how == STATUS_OK) {
        status->row.state = JOB_STATE_CANCELLED;
        snprintf(status->row.error, sizeof status->row.error, "the job was cancelled");
        how = jobstore_put_job(store, &status->row, err);
        (void)checkpoint_drop(store, NULL);
        (void)shardstore_drop_results(store, NULL);
        jobstore_close(store);
    }
    if (how == STATUS_OK) {
        job_let_go(status->folder.path);
        job_release_rows(status->folder.path);
        unpublished_remove(&status->folder);
        job_folder_clean(&status->folder);
    }
    job_unlock(lock);
    return how;
}

/* The follower may not be reading events just now: it will see the mark. */
static enum status give_up_kept(const char *state, const struct job_status *status,
                                struct error *err)
{
    struct error ignored;

    error_clear(&ignored);
    if (job_status_is_over(status))
        return fail(err, STATUS_INVALID, "job %lld has ended already",
                    (long long)status->folder.id);
    if (status->state == JOB_STATE_PUBLISHING && status->life->runs == PLACE_MACHINE)
        return fail(err, STATUS_BUSY, "job %lld has ended, and its result is being written",
                    (long long)status->folder.id);
    TRY(job_give_up(status->folder.path, err));
    (void)job_cancel_by_id(state, status->folder.id, &ignored);
    return STATUS_OK;
}

/* A follower has to delete the Job on the cluster, and to drop the tables. */
static enum status give_up_elsewhere(const char *program, const struct job_status *status,
                                     struct error *err)
{
    TRY(job_give_up(status->folder.path, err));
    return job_detach(program, &status->folder, err);
}

enum status job_end(const struct host *host, int64_t id, struct error *err)
{
    struct job_status status;
    struct error ignored;

    error_clear(&ignored);
    if (job_status_read(host, id, &status, &ignored) == STATUS_OK) {
        if (status.life->waits == ACTOR_SERVER &&
            (status.life->runs == PLACE_CLUSTER || status.state != JOB_STATE_LOST))
            return give_up_kept(host->session.state, &status, err);
        if (status.state == JOB_STATE_LOST && status.life->runs == PLACE_CLUSTER)
            return give_up_elsewhere(host->session.program, &status, err);
        if (status.state == JOB_STATE_LOST || status.state == JOB_STATE_UNPUBLISHED)
            return give_up(&status, err);
    }
    return job_cancel_by_id(host->session.state, id, err);
}
