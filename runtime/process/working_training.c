#include "runtime/process/working_training.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/progress.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/build.h"
#include "runtime/process/experiment.h"
#include "runtime/process/opening.h"
#include "runtime/process/working_role.h"
#include "runtime/train/worker.h"
#include "runtime/train/worker_switch.h"

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
    bool has_worker; /* its rows are open, or it knows that they cannot be opened */
    struct experiment experiment;
    struct learner_loader *opening;
    struct loop_role *loop_role;
    struct working_options start; /* options that it was started with */
    struct worker_options options;
    uint64_t group_epoch; /* epoch of the group for which the threads were counted */
    char bound[MESSAGE_ADDRESS_MAX + 1];
};

/* The members of a group share the machine: fewer of them have more threads each. */
static void share_cores(struct training_host *host)
{
    const struct group *group = &host->worker.group;
    struct error err;

    if (group->epoch == host->group_epoch || group->count == 0)
        return;
    host->group_epoch = group->epoch;
    error_clear(&err);
    if (opening_use_threads(host->opening, job_threads(host->start.job, group->count), &err) !=
        STATUS_OK)
        loop_stop(host->start.loop, err.status, &err);
}

/* Every call of the worker comes through here. */
static void after_worker(struct training_host *host)
{
    share_cores(host);
    progress_note();
    experiment_after(&host->experiment, &host->worker, loop_now_us());
}

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct training_host *host = self;

    worker_on_message(&host->worker, now_ms, from, message, outbox);
    after_worker(host);
}

static void on_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct training_host *host = self;

    worker_on_disconnect(&host->worker, now_ms, peer, outbox);
    after_worker(host);
}

static void on_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct training_host *host = self;

    worker_on_tick(&host->worker, now_ms, outbox);
    after_worker(host);
}

static bool is_busy(void *self)
{
    struct training_host *host = self;
    int64_t until;

    if (!worker_has_work(&host->worker))
        return false;
    until = experiment_wait_until(&host->experiment, &host->worker, loop_now_us());
    if (until != 0)
        loop_wake_at(host->start.loop, until);
    return until == 0;
}

static bool expects_soon(void *self)
{
    struct training_host *host = self;

    return worker_expects_soon(&host->worker);
}

static void do_work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct training_host *host = self;

    experiment_before(&host->experiment, &host->worker, loop_now_us());
    worker_work(&host->worker, now_ms, outbox);
    after_worker(host);
}

static enum status join(struct training_host *host, struct error *err)
{
    struct role role = {.self = host,
                        .on_message = on_message,
                        .on_disconnect = on_disconnect,
                        .on_tick = on_tick,
                        .has_work = is_busy,
                        .work = do_work,
                        .expects_soon = expects_soon};
    const struct learning *learning = opening_learning(host->opening);

    if (!learning)
        log_error("%s", opening_error(host->opening)->message);
    host->options.address = host->bound;
    host->options.build = build_id();
    if (host->options.build == 0) /* which is no build that others could have */
        return fail(err, STATUS_IO, "cannot read the program's own file to say which build it is");
    experiment_open(&host->experiment, host->options.index, host->options.incarnation);
    host->options.lanes_at_once = experiment_is_paced(&host->experiment) ? 1 : 0;
    worker_init(&host->worker, &host->options, learning,
                learning ? NULL : opening_error(host->opening));
    host->worker.fault = fault_read();
    host->has_worker = true;
    TRY(loop_add_role(host->start.loop, &role, host->start.listen, host->bound, sizeof host->bound,
                      &host->loop_role, err));
    loop_set_busy_poll(host->start.loop, LOOK_US);
    worker_start(&host->worker, loop_now_ms(), loop_outbox(host->loop_role));
    loop_flush(host->loop_role);
    return STATUS_OK;
}

static void on_ready(void *context)
{
    struct training_host *host = context;
    struct error err;

    error_clear(&err);
    if (opening_lacks_database(host->opening))
        err = *opening_error(host->opening);
    else if (join(host, &err) == STATUS_OK)
        return;
    log_error("%s", err.message);
    loop_stop(host->start.loop, err.status, &err);
}

static enum status start_working_training(void *self, const struct working_options *options,
                                          struct error *err)
{
    struct training_host *host = self;

    host->start = *options;
    host->options = (struct worker_options){
        .job = options->job->id,
        .index = options->index,
        .incarnation = options->incarnation,
        .master = options->master,
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
    return opening_start(options->loop, options->job, OPENING_LEARNER, on_ready, host,
                         &host->opening, err);
}

static void leave(void *self)
{
    struct training_host *host = self;

    if (!host->has_worker) { /* it has no work yet */
        loop_stop(host->start.loop, STATUS_OK, NULL);
        return;
    }
    experiment_asked(&host->experiment, &host->worker, loop_now_us());
    worker_leave(&host->worker, loop_now_ms(), loop_outbox(host->loop_role));
    loop_flush(host->loop_role);
}

static bool is_stuck(const void *self)
{
    const struct training_host *host = self;

    return host->has_worker && worker_is_stuck(&host->worker);
}

static bool stop(void *self)
{
    struct training_host *host = self;

    if (host->has_worker) {
        worker_deinit(&host->worker);
        experiment_close(&host->experiment);
    }
    host->has_worker = false;
    if (!host->opening)
        return true;
    if (!opening_is_done(host->opening))
        return false;
    opening_free(host->opening);
    host->opening = NULL;
    return true;
}

const struct working_role training_worker = {.state_bytes = sizeof(struct training_host),
                                             .needs_alive_sender = true,
                                             .start = start_working_training,
                                             .leave = leave,
                                             .is_stuck = is_stuck,
                                             .stop = stop};

static enum status follow(const struct working_options *options, void **state, struct error *err)
{
    *state = calloc(1, training_worker.state_bytes);
    if (!*state)
        return fail_no_memory(err);
    return training_worker.start(*state, options, err);
}

void training_worker_follow(const struct working_options *options, void **state)
{
    struct error err;

    error_clear(&err);
    if (follow(options, state, &err) == STATUS_OK)
        return;
    log_error("%s", err.message);
    loop_stop(options->loop, err.status, &err);
}

bool training_worker_end(void *state)
{
    const bool is_done = training_worker.stop(state);

    if (is_done)
        free(state);
    return is_done;
}
