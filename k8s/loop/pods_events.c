#include "k8s/loop/pods_events.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/process/log.h"
#include "k8s/controller/pod_pool_next.h"
#include "k8s/loop/pods_parts.h"

#define EVENT_ASK_MS     5000
#define PROBLEM_AGAIN_MS 60000 /* one that stays is counted again */

void pods_events_init(struct pods *pods)
{
    if (gethostname(pods->pod, sizeof pods->pod - 1) != 0)
        pods->pod[0] = '\0';
    kube_events_init(&pods->events, pods->job, slice_of(pods->owner), slice_of(pods->pod));
}

static struct kube_moment this_moment(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return kube_moment_of(loop_now_ms(), &now);
}

/* ----- sending ----- */

static void settle(struct pods *pods, enum status status, int code, const struct error *err)
{
    if (kube_events_on_answer(&pods->events, status, code))
        log_warning("the cluster takes no Event of the job, which goes on without: %s",
                    err->message);
}

static void on_answer(void *context, enum status status, struct api_answer *answer,
                      const struct error *err)
{
    struct pods *pods = context;

    pods->telling = NULL;
    settle(pods, status, answer->code, err);
    pods_wake(pods);
}

void pods_events_send(struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    const struct exchange_reader reader = {pods, on_answer};
    struct http_request request;
    struct error err;

    http_request_init(&request);
    if (!kube_events_next(&pods->events, now_ms, &request, due_ms)) {
        http_request_deinit(&request);
        return;
    }
    request.timeout_ms = EVENT_ASK_MS;
    if (exchange_start(pods->loop, pods->client, &request, "write an Event", 1, &reader,
                       &pods->telling, &err) != STATUS_OK)
        settle(pods, err.status, 0, &err);
}

void pods_events_cancel(struct pods *pods)
{
    exchange_cancel(pods->telling);
    pods->telling = NULL;
    kube_events_on_cancel(&pods->events);
}

/* ----- worker events ----- */

/* "WorkerLost", "ServerLost". */
#define REASON(loss, what) ((loss)->role == KUBE_SERVER ? "Server" what : "Worker" what)

static void note_deleted(struct pods *pods, const struct kube_moment *now,
                         const struct pod_pool_loss *loss, bool is_by_cluster)
{
    const char *title = kube_role_title(loss->role);

    if (is_by_cluster)
        kube_events_note(&pods->events, now, false, REASON(loss, "Disrupted"),
                         "the pod of %s %u was taken away, another takes its place: %s", title,
                         loss->index, loss->message);
    else
        kube_events_note(&pods->events, now, false, REASON(loss, "Deleted"),
                         "the pod of %s %u was deleted, another takes its place", title,
                         loss->index);
}

static void note_out_of_memory(struct pods *pods, const struct kube_moment *now,
                               const struct pod_pool_loss *loss)
{
    const long long had = (long long)(loss->had >> 20), next = (long long)(loss->memory >> 20);
    const char *title = kube_role_title(loss->role);
    const bool has_ended_itself = loss->exit_code == status_exit_code(STATUS_LIMIT);
    const char *how = has_ended_itself ? "" : " (OOMKilled)";

    if (next > had)
        kube_events_note(&pods->events, now, true, REASON(loss, "OutOfMemory"),
                         "%s %u ran out of its %lld MiB%s, it is started again with %lld MiB",
                         title, loss->index, had, how, next);
    else
        kube_events_note(&pods->events, now, true, REASON(loss, "OutOfMemory"),
                         "%s %u ran out of its %lld MiB%s, and may have no more", title,
                         loss->index, had, how);
}

void pods_on_loss(void *context, const struct pod_pool_loss *loss)
{
    struct pods *pods = context;
    const struct kube_moment now = this_moment();
    const char *title = kube_role_title(loss->role);

    if (pods->is_over || pods->ends)
        return;
    switch (loss->kind) {
    case POD_POOL_LOSS_DELETED:
    case POD_POOL_LOSS_DISRUPTED:
        note_deleted(pods, &now, loss, loss->kind == POD_POOL_LOSS_DISRUPTED);
        break;
    case POD_POOL_LOSS_MEMORY:
        note_out_of_memory(pods, &now, loss);
        break;
    case POD_POOL_LOSS_CRASH:
        kube_events_note(&pods->events, &now, true, REASON(loss, "Crashed"),
                         "%s %u ended with code %d%s%s; %u in a row, %d fail the job", title,
                         loss->index, loss->exit_code, *loss->message ? ": " : "", loss->message,
                         loss->crashes, POD_POOL_CRASHES_MAX);
        break;
    case POD_POOL_LOSS_SILENT:
        kube_events_note(&pods->events, &now, true, REASON(loss, "Lost"),
                         "%s %u on %s no longer answers: its node is dead, or it is frozen; "
                         "another takes its place",
                         title, loss->index, *loss->node ? loss->node : "no node");
        break;
    }
}

void pods_on_avoided(void *context, const char *node, const char *why)
{
    struct pods *pods = context;
    const struct kube_moment now = this_moment();
    char text[POD_NODE_MAX + POD_POOL_WHY_MAX + 80];

    snprintf(text, sizeof text,
             "node %s is avoided for %d minutes where there is room elsewhere: %s", node,
             POD_POOL_AVOIDED_MS / 60000, why);
    kube_events_note(&pods->events, &now, true, "NodeAvoided", "%s", text);
    if (pods->listener.notice)
        pods->listener.notice(pods->listener.context, text);
}

void pods_on_unjoined(void *context, enum kube_role role, uint32_t index, uint32_t incarnation,
                      const char *node)
{
    struct pods *pods = context;
    const struct kube_moment now = this_moment();
    char text[POD_NODE_MAX + 256];

    if (pods->is_over || pods->ends)
        return;
    snprintf(text, sizeof text,
             "%s %u has been running on %s for %d s and does not reach the master: the network "
             "may drop its packets to the database or to the master's port %d; its pod's log says "
             "more",
             kube_role_title(role), index, *node ? node : "its node", POD_POOL_UNJOINED_MS / 1000,
             MANIFEST_MASTER_PORT);
    log_warning("%s, incarnation %u", text, incarnation);
    kube_events_note(&pods->events, &now, true,
                     role == KUBE_SERVER ? "ServerNotJoined" : "WorkerNotJoined", "%s", text);
    if (pods->listener.notice)
        pods->listener.notice(pods->listener.context, text);
}

void pods_events_scaled(struct pods *pods, enum kube_role role, uint32_t before, uint32_t now)
{
    const struct kube_moment moment = this_moment();

    kube_events_note(&pods->events, &moment, false, "Scaled", "from %u to %u %ss, as %s says",
                     before, now, kube_role_title(role),
                     role == KUBE_SERVER ? MANIFEST_SERVERS : MANIFEST_WORKERS);
}

void pods_events_shared(struct pods *pods, uint32_t workers, uint32_t most)
{
    const struct kube_moment moment = this_moment();

    if (workers == 0)
        kube_events_note(&pods->events, &moment, false, "Shared",
                         "waits: there is no room for its %u workers beside other jobs",
                         pods->least);
    else
        kube_events_note(&pods->events, &moment, false, "Shared",
                         "%u of %u workers are its part of the cluster%s", workers, most,
                         workers < most ? ", other jobs have the rest" : "");
}

void pods_events_moved(struct pods *pods, uint32_t before, uint32_t serving)
{
    const struct kube_moment moment = this_moment();

    kube_events_note(&pods->events, &moment, false, "ServersMoved",
                     "%u servers have the rows, before there were %u", serving, before);
}

void pods_events_measured(struct pods *pods, const struct useful_workers *useful)
{
    const struct kube_moment moment = this_moment();
    const uint32_t most = pods->most;

    kube_events_note(&pods->events, &moment, false, "Measured",
                     "%u of %u workers pay: they are %.2f times as fast as one, and %u %.2f times",
                     useful->workers, most, share_curve_speed(&useful->curve, useful->workers),
                     most, share_curve_speed(&useful->curve, most));
}

void pods_events_asked(struct pods *pods, uint32_t serving, uint32_t asked)
{
    const struct kube_moment moment = this_moment();

    log_info("%u servers are asked for", asked);
    kube_events_note(
        &pods->events, &moment, true, "ServersFull",
        "%u servers are asked for where %u have the rows: one of these has no room, and "
        "may have no more memory",
        asked, serving);
}

/* When it has been in the way for a while, and as long as it is. */
void pods_events_problem(struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    static const char *const reasons[PODS_POOLS][POD_POOL_REFUSED + 1] = {
        [KUBE_WORKER] = {[POD_POOL_UNSCHEDULABLE] = "WorkersPending",
                         [POD_POOL_NO_IMAGE] = "ImageUnavailable",
                         [POD_POOL_NO_START] = "WorkerNotStarted",
                         [POD_POOL_REFUSED] = "WorkerRefused"},
        [KUBE_SERVER] = {[POD_POOL_UNSCHEDULABLE] = "ServersPending",
                         [POD_POOL_NO_IMAGE] = "ImageUnavailable",
                         [POD_POOL_NO_START] = "ServerNotStarted",
                         [POD_POOL_REFUSED] = "ServerRefused"}};
    const struct pod_pool *pool = pods_worst_pool(pods);
    const enum pod_pool_problem_kind kind = pod_pool_problem_kind(pool);
    const struct kube_moment moment = this_moment();
    struct error problem;

    if (pods->is_over || pods->ends || kind == POD_POOL_NO_PROBLEM || kind == POD_POOL_HAS_FAILED) {
        pods->problem = POD_POOL_NO_PROBLEM;
        return;
    }
    if (kind != pods->problem)
        pods->problem_at_ms = now_ms + NOTICES_AFTER_MS;
    pods->problem = kind;
    if (now_ms >= pods->problem_at_ms && pod_pool_problem(pool, &problem)) {
        kube_events_note(&pods->events, &moment, true, reasons[pool->role][kind], "%s",
                         problem.message);
        pods->problem_at_ms = now_ms + PROBLEM_AGAIN_MS;
    }
    if (pods->problem_at_ms < *due_ms)
        *due_ms = pods->problem_at_ms;
}

/* ----- the job itself ----- */

static void note_done(struct pods *pods, const struct kube_moment *now, const char *message)
{
    if (pods->scores)
        kube_events_note(&pods->events, now, false, "RowsScored",
                         "all rows are scored, and the results stored");
    else
        kube_events_note(&pods->events, now, false, "ModelReady",
                         "the model is trained and stored, to be published: %s", message);
}

static uint32_t useful_workers(const struct pods *pods)
{
    return pods->lanes > 0 && pods->lanes < pods->wanted ? pods->lanes : pods->wanted;
}

static void note_started(struct pods *pods, const struct kube_moment *now,
                         const struct job_event *event)
{
    if (pods->scores)
        kube_events_note(&pods->events, now, false, "ScoringStarted",
                         "%u of %u workers score the rows", event->workers, useful_workers(pods));
    else if (!event->message[0])
        kube_events_note(&pods->events, now, false, "TrainingStarted",
                         "training has started with %u of %u workers", event->workers,
                         useful_workers(pods));
    else
        kube_events_note(&pods->events, now, false, "TrainingResumed",
                         "%.100s: training goes on after step %llu with %u of %u workers",
                         event->message, (unsigned long long)event->step, event->workers,
                         useful_workers(pods));
}

void pods_events_note(struct pods *pods, const struct job_event *event)
{
    const struct kube_moment now = this_moment();
    const struct error *error = &event->error;

    if (event->kind == JOB_STARTED)
        note_started(pods, &now, event);
    else if (event->kind == JOB_DONE)
        note_done(pods, &now, event->message);
    else if (event->kind == JOB_FAILED && error->status == STATUS_INTERRUPTED)
        kube_events_note(&pods->events, &now, false, "Cancelled", "%s", error->message);
    else if (event->kind == JOB_FAILED)
        kube_events_note(&pods->events, &now, true,
                         pods->scores ? "ScoringFailed" : "TrainingFailed", "%s%s%s",
                         error->message, error->hint[0] ? ". " : "", error->hint);
    if (pods->timer)
        pods_wake(pods);
}
