#include "runtime/process/working/working_training.h"

#include "base/process/log.h"
#include "runtime/process/role/build.h"
#include "runtime/process/role/experiment.h"
#include "runtime/train/worker/worker.h"
#include "runtime/train/worker/worker_switch.h"

#define REPORT_MS            100
#define SPEED_MS             100
#define LOOK_US              200  /* time to wake up, and difference between equal workers */
#define SEGMENT_LEAST        1024 /* reals: 8 KB of partial sums, as dear as their message */
#define SNAPSHOT_PIECE_BYTES ((size_t)1 << 20)
#define STATE_PIECE_BYTES    ((size_t)1 << 20)
#define STATE_PIECES         4 /* the giver computes some milliseconds between two looks */
#define MODEL_BYTES          ((size_t)1 << 20) /* a transaction of the store's */

struct training_host {
    struct worker worker;
    struct experiment experiment;
    const struct working *working;
    uint64_t group_epoch; /* the epoch of the group for which the threads were counted */
    uint32_t cores;       /* the job's, for which they were */
};

static struct worker_options options_of(const struct working *working)
{
    const struct working_options *options = &working->options;

    return (struct worker_options){
        .job = options->job->id,
        .index = options->index,
        .incarnation = options->incarnation,
        .build = build_id(),
        .master = options->master,
        .address = working->bound,
        .log_every_steps = options->job->spec.log_every_steps,
        .alive_ms = WORKER_ALIVE_MS,
        .reconnect_ms = WORKER_RECONNECT_MS,
        .progress_ms = REPORT_MS,
        .speed_first_ms = SPEED_MS,
        .search_ms = options->search_ms,
        .grace_ms = WORKER_GRACE_MS,
        .alone_ms = WORKER_LEAVE_ALONE_MS,
        .segment_least = SEGMENT_LEAST,
        .piece_bytes = MESSAGE_PIECE_BYTES,
        .state_piece_bytes = STATE_PIECE_BYTES,
        .state_pieces = STATE_PIECES,
        .snapshot_piece_bytes = SNAPSHOT_PIECE_BYTES,
        .model_bytes = MODEL_BYTES,
    };
}

static enum status join(void *self, struct working *working, struct error *err)
{
    struct training_host *host = self;
    struct worker_options options = options_of(working);
    struct learner *learner = opening_learner(working->opening);

    if (!learner)
        log_error("%s", opening_error(working->opening)->message);
    if (options.build == 0) /* which is no build that others could have */
        return fail(err, STATUS_IO, "cannot read the program's own file to say which build it is");
    host->working = working;
    experiment_open(&host->experiment, options.index, options.incarnation);
    options.lanes_at_once = experiment_is_paced(&host->experiment) ? 1 : 0;
    worker_init(&host->worker, &options, learner, learner ? NULL : opening_error(working->opening));
    host->worker.fault = fault_read();
    return STATUS_OK;
}

static void close_worker(void *self)
{
    struct training_host *host = self;

    worker_deinit(&host->worker);
    experiment_close(&host->experiment);
}

/* The members of a group share the machine: fewer of them have more threads each. */
static void share_cores(struct training_host *host)
{
    const struct working *working = host->working;
    const struct group *group = &host->worker.group;
    struct error err;

    if ((group->epoch == host->group_epoch && working->options.cores == host->cores) ||
        group->count == 0)
        return;
    host->group_epoch = group->epoch;
    host->cores = working->options.cores;
    error_clear(&err);
    if (opening_use_threads(working->opening,
                            job_threads_of(working->options.job, group->count, host->cores),
                            &err) != STATUS_OK)
        loop_stop(working->options.loop, err.status, &err);
}

static void after(void *self, int64_t now_us)
{
    struct training_host *host = self;

    share_cores(host);
    experiment_after(&host->experiment, &host->worker, now_us);
}

WORKING_CALLS(worker)

static int64_t wait_until(void *self, int64_t now_us)
{
    const struct training_host *host = self;

    return experiment_wait_until(&host->experiment, &host->worker, now_us);
}

static void work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct training_host *host = self;

    experiment_before(&host->experiment, &host->worker, loop_now_us());
    call_work(self, now_ms, outbox);
}

static bool expects_soon(const void *self)
{
    return worker_expects_soon(self);
}

static void leave(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct training_host *host = self;

    experiment_asked(&host->experiment, &host->worker, loop_now_us());
    call_leave(self, now_ms, outbox);
}

static bool is_stuck(const void *self)
{
    return worker_is_stuck(self);
}

const struct working_role training_worker = {.state_bytes = sizeof(struct training_host),
                                             .needs_alive_sender = true,
                                             .accepts = true,
                                             .busy_poll_us = LOOK_US,
                                             .opens = OPENING_LEARNER,
                                             .join = join,
                                             .close = close_worker,
                                             WORKING_CALLS_ROW,
                                             .has_work = call_has_work,
                                             .work = work,
                                             .leave = leave,
                                             .expects_soon = expects_soon,
                                             .is_stuck = is_stuck,
                                             .wait_until = wait_until,
                                             .after = after};
