#include "runtime/process/working/working.h"

#include <stdlib.h>

#include "base/process/log.h"
#include "base/process/progress.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/working/working_scoring.h"
#include "runtime/process/working/working_servers.h"
#include "runtime/process/working/working_training.h"

static const struct working_role *const roles[] = {[SPEC_TRAIN] = &training_worker,
                                                   [SPEC_PREDICT] = &scoring_worker,
                                                   [SPEC_EVALUATE] = &scoring_worker};

static const struct working_role *first_role(const struct job *job)
{
    if (job->spec.servers > 0)
        return &pushing_worker;
    return job->spec.staged_shards > 0 ? &staging_worker : roles[job->spec.kind];
}

bool working_needs_alive_sender(const struct job *job)
{
    return first_role(job)->needs_alive_sender;
}

static void end_loop(const struct working *working, const struct error *err)
{
    log_error("%s", err->message);
    loop_stop(working->options.loop, err->status, err);
}

static bool drop_rows(struct working *working)
{
    if (working->role->drop && !working->role->drop(working->self))
        return false;
    if (!working->opening)
        return true;
    if (!opening_is_done(working->opening))
        return false;
    opening_free(working->opening);
    working->opening = NULL;
    return true;
}

/* ----- in the loop ----- */

static enum status begin(struct working *working, const struct working_role *role,
                         const struct working_options *options, struct error *err);

/* The rows are opened anew, by the role that follows. */
static void follow(struct working *working)
{
    struct error err;

    error_clear(&err);
    (void)drop_rows(working);
    working->successor = calloc(1, sizeof *working->successor);
    if (!working->successor)
        (void)fail_no_memory(&err);
    else if (begin(working->successor, working->role->next, &working->options, &err) == STATUS_OK)
        return;
    end_loop(working, &err);
}

/* Every call of the role comes through here. */
static void after_role(struct working *working)
{
    const struct working_role *role = working->role;

    progress_note();
    if (role->after)
        role->after(working->self, loop_now_us());
    if (!working->successor && role->is_over && role->is_over(working->self))
        follow(working);
}

static void on_message(void *context, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct working *working = context;

    working->role->on_message(working->self, now_ms, from, message, outbox);
    after_role(working);
}

static void on_disconnect(void *context, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct working *working = context;

    working->role->on_disconnect(working->self, now_ms, peer, outbox);
    after_role(working);
}

static void on_tick(void *context, int64_t now_ms, struct outbox *outbox)
{
    struct working *working = context;

    working->role->on_tick(working->self, now_ms, outbox);
    after_role(working);
}

static bool has_work(void *context)
{
    struct working *working = context;
    const struct working_role *role = working->role;
    int64_t until;

    if (!role->has_work(working->self))
        return false;
    until = role->wait_until ? role->wait_until(working->self, loop_now_us()) : 0;
    if (until != 0)
        loop_wake_at(working->options.loop, until);
    return until == 0;
}

static void work(void *context, int64_t now_ms, struct outbox *outbox)
{
    struct working *working = context;

    working->role->work(working->self, now_ms, outbox);
    after_role(working);
}

static bool expects_soon(void *context)
{
    const struct working *working = context;

    return working->role->expects_soon && working->role->expects_soon(working->self);
}

/* ----- life ----- */

static enum status join(struct working *working, struct error *err)
{
    const struct working_role *role = working->role;
    const struct role in_loop = {.self = working,
                                 .on_message = on_message,
                                 .on_disconnect = on_disconnect,
                                 .on_tick = on_tick,
                                 .has_work = has_work,
                                 .work = work,
                                 .expects_soon = expects_soon};
    struct loop *loop = working->options.loop;

    TRY(role->join(working->self, working, err));
    working->has_joined = true;
    TRY(loop_add_role(loop, &in_loop, role->accepts ? working->options.listen : NULL,
                      working->bound, sizeof working->bound, &working->loop_role, err));
    if (role->busy_poll_us > 0)
        loop_set_busy_poll(loop, role->busy_poll_us);
    role->start(working->self, loop_now_ms(), loop_outbox(working->loop_role));
    loop_flush(working->loop_role);
    return STATUS_OK;
}

static void on_ready(void *context)
{
    struct working *working = context;
    struct error err;

    error_clear(&err);
    if (opening_lacks_database(working->opening))
        err = *opening_error(working->opening);
    else if (join(working, &err) == STATUS_OK)
        return;
    end_loop(working, &err);
}

static enum status begin(struct working *working, const struct working_role *role,
                         const struct working_options *options, struct error *err)
{
    working->options = *options;
    working->role = role;
    working->self = calloc(1, role->state_bytes);
    if (!working->self)
        return fail_no_memory(err);
    if (role->opens == OPENING_NOTHING)
        return join(working, err);
    return opening_start(options->loop, options->job, role->opens, on_ready, working,
                         &working->opening, err);
}

enum status working_start(struct working *working, const struct working_options *options,
                          struct error *err)
{
    return begin(working, first_role(options->job), options, err);
}

void working_use_cores(struct working *working, uint32_t cores)
{
    for (; working; working = working->successor)
        working->options.cores = cores;
}

void working_leave(struct working *working)
{
    while (working->successor)
        working = working->successor;
    if (!working->has_joined) { /* it has no work yet */
        loop_stop(working->options.loop, STATUS_OK, NULL);
        return;
    }
    working->role->leave(working->self, loop_now_ms(), loop_outbox(working->loop_role));
    loop_flush(working->loop_role);
}

bool working_is_stuck(const struct working *working)
{
    while (working->successor)
        working = working->successor;
    return working->has_joined && working->role->is_stuck && working->role->is_stuck(working->self);
}

bool working_stop(struct working *working)
{
    if (!working->self)
        return true;
    if (working->has_joined && working->role->close)
        working->role->close(working->self);
    if (working->successor ? !working_stop(working->successor) : !drop_rows(working))
        return false;
    free(working->successor);
    free(working->self);
    return true;
}
