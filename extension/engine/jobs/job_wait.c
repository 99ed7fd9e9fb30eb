/*
 * Waiting for a job of any session of this user, by reading its folder.
 */
#include "extension/engine/jobs/job_wait.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "extension/engine/host/train_rows.h"
#include "extension/engine/jobs/jobs.h"
#include "extension/engine/jobs/trained.h"
#include "runtime/launch/control.h"
#include "runtime/launch/job_detach.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"

#define LOOK_MS           100 /* between two reads of the store */
#define CONTINUATIONS_MAX 3

struct waiting {
    const struct host *host;
    const struct sink *sink;
    struct job_status status;
    int control; /* closes with the supervisor; -1: none */
    uint32_t continuations;
    uint64_t shown_step;
    bool has_shown, has_looked;
};

static void wait_a_moment(struct waiting *waiting)
{
    struct pollfd gone = {.fd = waiting->control, .events = POLLIN};

    if (waiting->control < 0)
        gone.fd = waiting->control = control_connect(waiting->status.folder.path);
    if (poll(&gone, 1, LOOK_MS) > 0) {
        close(waiting->control);
        waiting->control = -1;
    }
}

static void show(struct waiting *waiting)
{
    const struct job_row *row = &waiting->status.row;
    struct job_event event = {.kind = waiting->has_shown ? JOB_PROGRESS : JOB_STARTED,
                              .step = row->step,
                              .steps = row->steps,
                              .epoch = row->epoch,
                              .epochs = row->epochs,
                              .workers = row->workers,
                              .rows_per_second = row->rows_per_second,
                              .loss = row->loss,
                              .validation_loss = row->validation_loss,
                              .validation_score = (double)NAN,
                              .seconds = row->seconds,
                              .seconds_left = (double)NAN};

    if (row->step == 0 || (waiting->has_shown && row->step == waiting->shown_step))
        return;
    if (row->steps >= row->step && row->seconds >= JOB_ESTIMATE_AFTER_S)
        event.seconds_left = row->seconds * (double)(row->steps - row->step) / (double)row->step;
    waiting->has_shown = true;
    waiting->shown_step = row->step;
    sink_progress(waiting->sink, &event);
}

static void show_end(const struct waiting *waiting)
{
    struct job_event end = {.kind = waiting->status.state == JOB_STATE_DONE ? JOB_DONE : JOB_FAILED,
                            .loss = waiting->status.row.loss,
                            .validation_loss = (double)NAN,
                            .validation_score = (double)NAN,
                            .seconds_left = (double)NAN};

    sink_progress(waiting->sink, &end);
}

/* No process runs it, and one should: it was lost, or its model had been refused when the waiting
 * began. */
static bool must_continue(const struct waiting *waiting)
{
    const struct job_status *status = &waiting->status;

    return status->state == JOB_STATE_LOST ||
           (!waiting->has_looked && status->state == JOB_STATE_UNPUBLISHED &&
            status->life->publishes == ACTOR_SUPERVISOR);
}

static enum status fail_with(const struct job_status *status, struct error *err)
{
    bool is_cancelled = status->state == JOB_STATE_CANCELLED;

    fail(err, is_cancelled ? STATUS_INTERRUPTED : STATUS_FAILED, "job %lld: %.480s",
         (long long)status->folder.id, status->error);
    if (status->hint[0])
        error_hint(err, "%.500s", status->hint);
    else if (!is_cancelled)
        error_hint(err, "The job's log is %.400s/log.", status->folder.path);
    return err->status;
}

static enum status continue_job(struct waiting *waiting, struct error *err)
{
    struct job_status *status = &waiting->status;
    struct error why;

    if (++waiting->continuations > CONTINUATIONS_MAX)
        return fail_with(status, err);
    sink_notice(waiting->sink, "job %lld: %s; it is continued", (long long)status->folder.id,
                status->error);
    error_clear(&why);
    if (job_detach(waiting->host->session.program, &status->folder, &why) == STATUS_OK ||
        job_is_running(status->folder.path))
        return STATUS_OK; /* if not by us, by another session that waits */
    *err = why;
    return err->status;
}

static enum status put_rows(const struct waiting *waiting, struct error *err)
{
    const struct job_status *status = &waiting->status;
    struct train_facts facts = {.job = status->folder.id,
                                .version = status->destination.version,
                                .rows = status->destination.rows,
                                .seconds = status->row.seconds,
                                .bad_rows = -1};
    struct jobstore *store;
    char path[PATH_MAX];
    enum status how;

    TRY(job_folder_file(&status->folder, "job.db", path, err));
    TRY(jobstore_open(path, true, &store, err));
    how = train_result_put(store, &facts, waiting->sink, err);
    jobstore_close(store);
    return how;
}

static enum status follow(struct waiting *waiting, int64_t id, struct error *err)
{
    const struct host *host = waiting->host;

    for (;; waiting->has_looked = true) {
        TRY(job_status_read(host, id, &waiting->status, err));
        if (must_continue(waiting)) {
            TRY(continue_job(waiting, err));
            continue;
        }
        if (job_status_is_over(&waiting->status))
            return STATUS_OK;
        show(waiting);
        if (host->session.interrupted(host->self)) {
            fail(err, STATUS_INTERRUPTED, "interrupted: job %lld goes on", (long long)id);
            return error_hint(err, "totrain cancel %lld ends it.", (long long)id);
        }
        wait_a_moment(waiting);
    }
}

enum status job_wait(const struct host *host, int64_t id, const struct sink *sink,
                     struct error *err)
{
    struct waiting waiting = {.host = host, .sink = sink, .control = -1};
    enum status status = follow(&waiting, id, err);

    if (waiting.control >= 0)
        close(waiting.control);
    show_end(&waiting);
    TRY(status);
    if (waiting.status.state != JOB_STATE_DONE)
        return fail_with(&waiting.status, err);
    TRY(sink_columns(sink, train_columns, TRAIN_COLUMNS, err));
    return put_rows(&waiting, err);
}
