#include "k8s/loop/pods.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "k8s/client/api_answer.h"
#include "k8s/controller/pod_pool_next.h"
#include "k8s/loop/pods_calls.h"
#include "k8s/loop/pods_events.h"
#include "k8s/loop/pods_parts.h"
#include "k8s/loop/pods_wanted.h"
#include "k8s/loop/watch.h"
#include "runtime/loop/loop_source.h"

#define TICK_MS      50
#define PROGRESS_MS  200
#define LAST_LINE_MS 2000
#define TELL_MS      3000
#define FLUSH_MS     2000

void pods_wake(struct pods *pods)
{
    loop_source_wake_in(pods->timer, 0);
}

static bool is_ours(const struct pods *pods, const cJSON *object)
{
    const cJSON *owner, *owners = API_MEMBER(object, "metadata", "ownerReferences");

    cJSON_ArrayForEach(owner,
                       owners) if (slice_is(API_TEXT(owner, "uid"), pods->owner)) return true;
    return false;
}

static struct pod_pool *workers_of(struct pods *pods)
{
    return &pods->pools[KUBE_WORKER];
}

/* NULL: there is no such pod. The master has the servers behind the workers. */
static struct pod_pool *find_pool(struct pods *pods, uint32_t *index)
{
    if (*index < pods->most || pods->pool_count <= KUBE_SERVER)
        return *index < pods->most ? workers_of(pods) : NULL;
    *index -= pods->most;
    return &pods->pools[KUBE_SERVER];
}

const struct pod_pool *pods_worst_pool(const struct pods *pods)
{
    uint32_t role = pods->pool_count - 1;

    while (role > KUBE_WORKER && pod_pool_problem_kind(&pods->pools[role]) == POD_POOL_NO_PROBLEM)
        role--;
    return &pods->pools[role];
}

static void dismiss_servers(struct pods *pods)
{
    if (pods->pool_count > KUBE_SERVER)
        pod_pool_keep(&pods->pools[KUBE_SERVER], 0, 0);
}

/* EMPTY where its place has another's. */
static enum place_state state_of(const struct pod_pool *pool, const struct pod_view *view)
{
    const struct pod_pool_place *place =
        view->index < pool->most ? &pool->places[view->index] : NULL;

    return place && place->incarnation == view->incarnation ? place->state : POD_POOL_EMPTY;
}

/* Logs the news about the pod. The cluster reports a pod that has ended several times more, until
 * its object is deleted; its place is then EMPTY, or its successor's. */
static void log_view(const struct pod_view *view, enum place_state before, enum place_state now)
{
    if (view->phase == POD_ENDED && before != POD_POOL_EMPTY)
        log_info("the pod of %s %u.%u has ended with code %d %s", kube_role_title(view->role),
                 view->index, view->incarnation, view->exit_code, view->message);
    else if (now != before && (now == POD_POOL_RUNNING || view->is_leaving))
        log_info("the pod of %s %u.%u %s", kube_role_title(view->role), view->index,
                 view->incarnation, now == POD_POOL_RUNNING ? "runs" : "is being deleted");
}

static void take_pod(struct pods *pods, struct slice name, const cJSON *object)
{
    enum place_state before;
    struct pod_pool *pool;
    struct pod_view view;
    struct error err;

    if (pod_view_read(object, &view, &err) != STATUS_OK) {
        log_warning("%.*s: %s", SLICE_FORMAT(name), err.message);
        return;
    }
    if (view.role >= pods->pool_count) {
        log_warning("%.*s: a parameter server of a job without any", SLICE_FORMAT(name));
        return;
    }
    pool = &pods->pools[view.role];
    before = state_of(pool, &view);
    pod_pool_on_pod(pool, loop_now_ms(), &view);
    log_view(&view, before, state_of(pool, &view));
    /* A server that goes takes a snapshot, and says nothing to anybody. */
    if (view.role == KUBE_WORKER && view.is_leaving && view.phase == POD_RUNNING && !pods->ends)
        pods->listener.drain(pods->listener.context, view.index, view.incarnation);
}

static void on_change(void *context, enum watcher_change change, struct slice name,
                      struct slice uid, const cJSON *object)
{
    struct pods *pods = context;
    char text[POD_UID_MAX];

    if (change == WATCHER_DELETED) {
        snprintf(text, sizeof text, "%.*s", SLICE_FORMAT(uid));
        for (uint32_t role = 0; role < pods->pool_count; role++)
            pod_pool_on_gone(&pods->pools[role], loop_now_ms(), text);
    } else if (is_ours(pods, object)) {
        take_pod(pods, name, object);
    }
    pods_wake(pods);
}

static void on_synced(void *context)
{
    struct pods *pods = context;

    for (uint32_t role = 0; role < pods->pool_count; role++)
        pod_pool_on_synced(&pods->pools[role]);
    pods_want_useful(pods); /* those that are there stay */
    pods_wake(pods);
}

static void on_problem(void *context)
{
    pods_wake(context);
}

/* ----- the Job ----- */

/* The cluster deletes all that the Job owns: the pods of the workers receive SIGTERM, this one,
 * too. */
static void note_deletion(struct pods *pods)
{
    if (pods->is_deleted || pods->is_over)
        return;
    pods->is_deleted = true;
    pods->listener.cancel_deleted(pods->listener.context);
}

/* Deleted in the foreground, it stays until all that it owns has gone. */
static bool is_leaving(const cJSON *object)
{
    return API_MEMBER(object, "metadata", "deletionTimestamp") != NULL;
}

static void on_job(void *context, enum watcher_change change, struct slice name, struct slice uid,
                   const cJSON *object)
{
    struct pods *pods = context;
    (void)name;

    if (!slice_is(uid, pods->owner))
        return;
    pods->has_seen_job = true;
    if (change == WATCHER_DELETED || is_leaving(object))
        note_deletion(pods);
    else
        pods_wanted_on_job(pods, object);
}

/* It may have gone before this master looked for it. */
static void on_job_synced(void *context)
{
    struct pods *pods = context;

    if (!pods->has_seen_job)
        note_deletion(pods);
}

/* Goes on without an answer: the job need not end, the pod alone may be asked to go, and another
 * master comes. */
static void on_succession(void *context, enum status status, const struct error *err)
{
    struct pods *pods = context;

    pods->succession = NULL;
    if (status == STATUS_NOT_FOUND) {
        note_deletion(pods);
        return;
    }
    if (status != STATUS_OK)
        log_warning("the next master is left to the Job's controller: %s", err->message);
    if (!pods->is_over)
        pods->listener.leave(pods->listener.context);
}

static enum status begin_succession(struct pods *pods, struct error *err)
{
    const struct succession_order order = {.kind = SUCCESSION_IF_LEAVING,
                                           .job = slice_of(pods->owner),
                                           .pod_name = slice_of(pods->pod)};
    const struct succession_reader reader = {pods, on_succession};

    return succession_start(pods->loop, pods->client, pods->job, &order, &reader, &pods->succession,
                            err);
}

/* SIGTERM may come before the watch has reported the Job's deletion. */
static void leave(void *self)
{
    struct pods *pods = self;
    struct error err;

    if (pods->is_asked_to_leave || pods->is_over)
        return;
    pods->is_asked_to_leave = true;
    error_clear(&err);
    if (begin_succession(pods, &err) == STATUS_OK)
        return;
    log_warning("the next master is left to the Job's controller: %s", err.message);
    pods->listener.leave(pods->listener.context);
}

/* ----- reports ----- */

/* The first that applies: what ends the job, a cluster that does not answer, workers that are
 * not there. */
static void hear_problems(struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    const struct error *away = watcher_problem(watch_watcher(pods->watch));
    struct error problem;
    char text[sizeof problem.message + 64];
    bool is_any = pod_pool_problem(pods_worst_pool(pods), &problem);

    for (uint32_t role = 0; role < pods->pool_count; role++) {
        if (pods->pools[role].failure.status == STATUS_OK)
            continue;
        if (!pods->has_given_up)
            pods->listener.fail(pods->listener.context, &pods->pools[role].failure);
        pods->has_given_up = true;
        return;
    }
    if (away)
        snprintf(text, sizeof text, "the cluster does not answer: %s", away->message);
    else if (is_any)
        snprintf(text, sizeof text, "%s", problem.message);
    if (notices_hear(&pods->notices, now_ms, away || is_any ? text : NULL, due_ms))
        pods->listener.notice(pods->listener.context, text);
}

/* Whether the events of the job's end are sent. It does not wait for long, since nothing depends on
 * them. */
static bool has_told(const struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    if (kube_events_are_drained(&pods->events) || now_ms >= pods->told_at)
        return true;
    if (pods->told_at < *due_ms)
        *due_ms = pods->told_at;
    return false;
}

/* Somebody else decides what jobs share. As with events it does not wait for long: a dead holder is
 * followed, too. */
static bool has_left(const struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    if (pods_share_has_left(pods) || now_ms >= pods->told_at)
        return true;
    if (pods->told_at < *due_ms)
        *due_ms = pods->told_at;
    return false;
}

static bool are_all_gone(const struct pods *pods)
{
    for (uint32_t role = 0; role < pods->pool_count; role++)
        if (!pod_pool_is_empty(&pods->pools[role]))
            return false;
    return true;
}

static void end_if_empty(struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    const struct error *away = watcher_problem(watch_watcher(pods->watch));
    struct error why;

    if (pods->must_patch && now_ms >= pods->patch_at)
        pods_call_patch(pods);
    if (!pods->must_patch && are_all_gone(pods) && has_told(pods, now_ms, due_ms) &&
        has_left(pods, now_ms, due_ms)) {
        loop_stop(pods->loop, STATUS_OK, NULL);
    } else if (now_ms >= pods->end_at) {
        error_clear(&why);
        fail(&why, STATUS_CONNECTION, "%s", away ? away->message : "pods are still there");
        loop_stop(pods->loop, STATUS_CONNECTION, &why);
    }
    if (pods->end_at < *due_ms)
        *due_ms = pods->end_at;
    if (pods->must_patch && pods->patch_at < *due_ms)
        *due_ms = pods->patch_at;
}

/* When something is to be done next. */
static int64_t do_next(struct pods *pods, struct pod_pool *pool, int64_t now_ms)
{
    struct pod_pool_step step;
    int64_t due_ms;

    while ((step = pod_pool_next(pool, now_ms, &due_ms)).action != POD_POOL_NOTHING)
        pods_call_step(pods, &step);
    return due_ms;
}

static void on_time(void *context)
{
    struct pods *pods = context;
    const int64_t now_ms = loop_now_ms();
    int64_t due_ms = INT64_MAX;

    pods_share_on_time(pods, now_ms, &due_ms);
    for (uint32_t role = pods->pool_count; role-- > 0;) { /* servers first */
        const int64_t next_ms = do_next(pods, &pods->pools[role], now_ms);

        due_ms = next_ms < due_ms ? next_ms : due_ms;
    }
    pods_ask_for_servers(pods, now_ms, &due_ms);
    if (pods->ends)
        end_if_empty(pods, now_ms, &due_ms);
    else
        hear_problems(pods, now_ms, &due_ms);
    pods_events_problem(pods, now_ms, &due_ms);
    pods_events_send(pods, now_ms, &due_ms);
    if (due_ms != INT64_MAX)
        loop_source_wake_in(pods->timer, due_ms > now_ms ? due_ms - now_ms : 0);
}

static void close_all(struct pods *pods)
{
    if (pods->client)
        pods_calls_cancel(pods);
    pods_share_close(pods);
    pods_events_cancel(pods);
    watch_close(pods->watch);
    pods->watch = NULL;
    watch_close(pods->job_watch);
    pods->job_watch = NULL;
    succession_cancel(pods->succession);
    pods->succession = NULL;
    exchange_cancel(pods->asking);
    pods->asking = NULL;
    client_close(pods->client);
    pods->client = NULL;
    if (pods->timer)
        loop_remove_source(pods->timer);
    pods->timer = NULL;
    while (pods->pool_count > 0)
        pod_pool_deinit(&pods->pools[--pods->pool_count]);
}

/* Opens the pools. Servers start once the Job or the master says how many, and stop only when the
 * job ends.
 */
static enum status open_pools(struct pods *pods, uint32_t workers, uint32_t kept, struct error *err)
{
    const struct kube_job *job = pods->job;
    struct pod_pool *pools = pods->pools;

    TRY(pod_pool_init(&pools[KUBE_WORKER], job->workers_max, workers, job->memory, job->memory_max,
                      err));
    pods->pool_count = 1;
    if (job->servers > 0) {
        TRY(pod_pool_init(&pools[KUBE_SERVER], job->servers_max, 0, job->server_memory,
                          job->server_memory_max, err));
        pod_pool_of_servers(&pools[KUBE_SERVER]);
        pod_pool_keep(&pools[KUBE_SERVER], 0, kept);
        pod_pool_on_serving(&pools[KUBE_SERVER], job->servers);
        pods->pool_count = 2;
    }
    for (uint32_t role = 0; role < pods->pool_count; role++)
        pools[role].listener =
            (struct pod_pool_listener){pods, pods_on_loss, pods_on_avoided, pods_on_unjoined};
    return STATUS_OK;
}

static enum status open_all(struct pods *pods, struct loop *loop, uint32_t workers, uint32_t kept,
                            struct error *err)
{
    struct watcher_reader reader = {pods, on_change, on_synced, on_problem};
    struct loop_source_calls calls = {pods, NULL, on_time};

    pods->loop = loop;
    TRY(open_pools(pods, workers, kept, err));
    TRY(loop_add_source(loop, &calls, &pods->timer, err));
    TRY(client_open(loop, pods->access, &pods->client, err));
    pods_share_open(pods);
    return watch_open(loop, pods->client, &pods->all, text_slice(&pods->selector),
                      (uint64_t)loop_now_us(), &reader, &pods->watch, err);
}

static enum status start_pods(void *self, struct loop *loop, const struct job *job,
                              const struct launcher_owner *owner, struct error *err)
{
    struct pods *pods = self;
    const struct watcher_reader of_job = {pods, on_job, on_job_synced, NULL};
    uint32_t wanted = job->spec.max_workers;

    if (wanted > pods->job->workers_max)
        return fail(err, STATUS_INVALID, "the job may have %u workers, its objects are made for %u",
                    wanted, pods->job->workers_max);
    if (job->spec.servers != pods->job->servers)
        return fail(err, STATUS_INVALID,
                    "the job has %u parameter servers, its objects are made for %u",
                    job->spec.servers, pods->job->servers);
    pods->listener = *owner;
    pods->most = wanted;
    pods->least = job->spec.min_workers;
    pods->wanted = wanted;
    pods->scores = job->spec.kind != SPEC_TRAIN;
    pods_share_expect(pods, &job->spec.history);
    TRY(open_all(pods, loop, pods->least, pods->job->servers_max, err));
    TRY(watch_open(loop, pods->client, &pods->jobs, SLICE(""), (uint64_t)loop_now_us(), &of_job,
                   &pods->job_watch, err));
    pods_wake(pods); /* a cluster that never answers is a problem, too */
    return STATUS_OK;
}

/* ----- what the launcher is told ----- */

static void replace(void *self, uint32_t index, uint32_t incarnation)
{
    struct pods *pods = self;
    struct pod_pool *pool = find_pool(pods, &index);

    if (pool)
        pod_pool_on_lost(pool, loop_now_ms(), index, incarnation);
    pods_wake(pods);
}

static void note_worker(void *self, uint32_t index, uint32_t incarnation, bool is_here)
{
    struct pods *pods = self;
    struct pod_pool *pool = find_pool(pods, &index);

    if (pool)
        pod_pool_on_worker(pool, loop_now_ms(), index, incarnation, is_here);
    if (!is_here)
        pods_wake(pods);
}

static void killed_by_rows(void *self, uint32_t index)
{
    struct pods *pods = self;

    pod_pool_on_killed_by_rows(workers_of(pods), index);
}

/* Those that received END are not started again. */
static void servers_done(void *self)
{
    struct pods *pods = self;

    dismiss_servers(pods);
    pods_wake(pods);
}

static void run_servers(void *self, uint32_t least, uint32_t most, uint32_t serving)
{
    pods_run_servers(self, least, most, serving);
}

/* The number that the user wants is stored unchanged, for when the lanes become known anew. */
static void limit_lanes(void *self, uint32_t lanes)
{
    struct pods *pods = self;

    pods->lanes = lanes > pods->least ? lanes : pods->least;
    pods_want_useful(pods);
}

static void note_slow(void *self, const struct slow_worker *slow)
{
    pod_pool_on_slow(workers_of(self), loop_now_ms(), slow->index, slow->incarnation, slow->times);
}

static void limit_useful(void *self, const struct useful_workers *useful)
{
    struct pods *pods = self;

    pods_share_measured(pods, useful);
    pods_want_useful(pods);
    pods_wake(pods);
}

/* Standard output is the log of the pod. Its reader may be away: only the last line waits for it,
 * and of progress there is a line from time to time. */
static void write_log(struct pods *pods, const struct job_event *event, struct slice line)
{
    const bool is_last = event->kind == JOB_DONE || event->kind == JOB_FAILED;
    struct pollfd log = {.fd = STDOUT_FILENO, .events = POLLOUT};
    const int64_t now_ms = loop_now_ms();

    if (event->kind == JOB_PROGRESS && now_ms - pods->progress_at < PROGRESS_MS)
        return;
    if (event->kind == JOB_PROGRESS)
        pods->progress_at = now_ms;
    if (poll(&log, 1, is_last ? LAST_LINE_MS : 0) <= 0 ||
        write(STDOUT_FILENO, line.data, line.size) < 0)
        log_warning("the lines of the log are not read");
}

static void on_event(void *self, const struct job_event *event, struct slice line)
{
    struct pods *pods = self;
    const bool is_last = event->kind == JOB_DONE || event->kind == JOB_FAILED;

    if (is_last && pods->timer && !pods->is_over) {
        pods->is_over = true; /* before workers are told to end: none is started again */
        pod_pool_want(workers_of(pods), 0);
        dismiss_servers(pods);
        pods_share_leave(pods, true);
        pods_wake(pods);
    }
    if (event->kind != JOB_PROGRESS) {
        pods_events_note(pods, event);
    } else {
        if (event->step > pods->step && pods->timer)
            for (uint32_t role = 0; role < pods->pool_count; role++)
                pod_pool_on_step(&pods->pools[role]);
        pods->step = event->step;
        pods_share_note(pods, event);
    }
    write_log(pods, event, line);
}

static void stop(void *self)
{
    close_all(self);
}

static enum status run_to_end(struct pods *pods, struct loop *loop, struct error *err)
{
    TRY(open_all(pods, loop, 0, 0, err));
    pods->ends = true;
    pods->end_at = loop_now_ms() + PODS_END_MS;
    pods->told_at = loop_now_ms() + TELL_MS;
    kube_events_flush(&pods->events);
    pods_share_leave(pods, true);
    pods->patch_at = 0;
    pods_wake(pods);
    return loop_run(loop, err);
}

static enum status end(void *self, bool has_failed, struct error *err)
{
    struct pods *pods = self;
    struct loop *loop;
    enum status status;

    TRY(loop_new(TICK_MS, &loop, err));
    pods->must_patch = has_failed && !pods->is_deleted;
    status = run_to_end(pods, loop, err);
    close_all(pods);
    loop_free(loop);
    return status;
}

/* ----- the Events of a master that leaves ----- */

static void on_flush_time(void *context)
{
    struct pods *pods = context;
    const int64_t now_ms = loop_now_ms();
    int64_t due_ms = INT64_MAX;

    if (has_told(pods, now_ms, &due_ms) && has_left(pods, now_ms, &due_ms)) {
        loop_stop(pods->loop, STATUS_OK, NULL);
        return;
    }
    pods_events_send(pods, now_ms, &due_ms);
    loop_source_wake_in(pods->timer, due_ms > now_ms ? due_ms - now_ms : 0);
}

static enum status run_flush(struct pods *pods, struct loop *loop, struct error *err)
{
    struct loop_source_calls calls = {pods, NULL, on_flush_time};

    pods->loop = loop;
    TRY(loop_add_source(loop, &calls, &pods->timer, err));
    TRY(client_open(loop, pods->access, &pods->client, err));
    pods->told_at = loop_now_ms() + FLUSH_MS;
    pods_share_open(pods);
    pods_share_leave(pods, false);
    kube_events_flush(&pods->events);
    pods_wake(pods);
    return loop_run(loop, err);
}

static void flush(void *self)
{
    struct pods *pods = self;
    struct loop *loop;
    struct error err;

    error_clear(&err);
    if ((kube_events_are_drained(&pods->events) && !pods->share.is_decided) ||
        loop_new(TICK_MS, &loop, &err) != STATUS_OK)
        return;
    if (run_flush(pods, loop, &err) != STATUS_OK)
        log_warning("Events of the job are not sent: %s", err.message);
    close_all(pods);
    loop_free(loop);
}

enum status pods_new(const struct kube_access *access, const struct kube_job *job,
                     struct slice owner, struct slice controller, struct pods **out,
                     struct error *err)
{
    struct pods *pods = calloc(1, sizeof *pods);

    if (!pods)
        return fail_no_memory(err);
    *out = pods;
    arena_init(&pods->arena, 1 << 12);
    pods->launcher = (struct launcher){.self = pods,
                                       .start = start_pods,
                                       .workers = {.self = pods,
                                                   .replace = replace,
                                                   .note_worker = note_worker,
                                                   .killed_by_rows = killed_by_rows,
                                                   .limit_lanes = limit_lanes,
                                                   .limit_useful = limit_useful,
                                                   .note_slow = note_slow,
                                                   .servers_done = servers_done,
                                                   .run_servers = run_servers},
                                       .on_event = on_event,
                                       .leave = leave,
                                       .stop = stop,
                                       .flush = flush,
                                       .end = end};
    pods->access = access;
    pods->job = job;
    pods->all = (struct api_target){.kind = API_PODS, .kube_namespace = job->kube_namespace};
    pods->jobs = (struct api_target){.kind = API_JOBS, .kube_namespace = job->kube_namespace};
    text_init(&pods->selector, API_PATH_BYTES_MAX);
    manifest_member_selector(job, &pods->selector);
    text_init(&pods->job_field, API_PATH_BYTES_MAX);
    text_printf(&pods->job_field, "metadata.name=%.*s", SLICE_FORMAT(job->name));
    pods->jobs.fields = text_slice(&pods->job_field);
    pods->master = manifest_master_address(job, &pods->arena);
    if (owner.size == 0 || owner.size >= sizeof pods->owner)
        return fail(err, STATUS_INVALID, "the uid of the job's Job is missing or too long");
    slice_copy(owner, pods->owner, sizeof pods->owner);
    slice_copy(controller, pods->controller, sizeof pods->controller);
    pods_events_init(pods);
    pods_share_init(pods);
    return pods->master.data && !pods->selector.failed && !pods->job_field.failed
               ? STATUS_OK
               : fail_no_memory(err);
}

void pods_free(struct pods *pods)
{
    if (!pods)
        return;
    text_deinit(&pods->selector);
    text_deinit(&pods->job_field);
    arena_deinit(&pods->arena);
    free(pods);
}

const struct launcher *pods_launcher(const struct pods *pods)
{
    return &pods->launcher;
}
