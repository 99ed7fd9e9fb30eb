#include "k8s/submit/follower.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/log.h"
#include "base/sums/hash.h"
#include "k8s/client/api_answer.h"
#include "k8s/controller/pod_view.h"
#include "k8s/loop/watch.h"
#include "k8s/objects/placement.h"
#include "k8s/objects/successor.h"
#include "k8s/share/share_board.h"
#include "k8s/submit/outage.h"
#include "k8s/submit/pod_log.h"
#include "k8s/submit/replacement.h"
#include "runtime/data/store/database_words.h"
#include "runtime/launch/job_event.h"

#define POD_NAME_BYTES 254
#define LAST_LOOKS     2 /* into the journal, when the Job has ended: one may have begun before */
#define LAST_MS        10000 /* they are waited for */
#define LAST_LINES     50    /* are asked of the log of a master that has failed */
#define SEED           1     /* there is one submitter */
#define ACCOUNT_MS     5000  /* a service account may come so much later than the Job */

struct follower {
    struct loop *loop;
    struct client *client;
    const struct kube_job *job;
    struct follower_reader reader;
    char uid[POD_UID_MAX], selector[128], master_selector[128], fields[128];
    struct api_target job_target, pod_target, event_target; /* the watches' targets */
    struct watch *jobs, *pods, *events;

    char pod_name[POD_NAME_BYTES]; /* the last pod that has begun; empty: none yet */
    uint32_t restarts;             /* restarts of its container */
    struct pod_log log;
    uint64_t line;                  /* hash of the last one of its log that is no event */
    struct replacement replacement; /* makes masters that are missing */

    char said[POD_MESSAGE_MAX]; /* the last notice, which is not repeated */
    struct outage outage;       /* the API server's */
    struct error missing;       /* the account without which no pod can be made; OK: it is there */
    int64_t missing_since_ms;
    bool is_said_to_wait;
    bool has_seen_job;
    bool has_ended; /* on_end was called */
    bool job_ended; /* and the rest of the journal is still to be read */
    int64_t job_ended_ms;
    unsigned looks; /* since then */
    enum status outcome;
    struct error why;
};

/* ----- the end ----- */

static void finish(struct follower *follower, enum status status, const struct error *err,
                   bool is_hopeless)
{
    if (follower->has_ended)
        return;
    follower->has_ended = true;
    follower->reader.on_end(follower->reader.context, status, err, is_hopeless);
}

/* The master's own report has more detail. */
static void end_with_journal(struct follower *follower, enum status status, const struct error *err)
{
    if (follower->job_ended)
        return;
    follower->job_ended = true;
    follower->job_ended_ms = loop_now_ms();
    follower->outcome = status;
    follower->why = *err;
}

__attribute__((format(printf, 2, 3))) static void notice(struct follower *follower,
                                                         const char *format, ...)
{
    struct job_event event = {.kind = JOB_NOTICE,
                              .loss = (double)NAN,
                              .validation_loss = (double)NAN,
                              .validation_score = (double)NAN,
                              .seconds_left = (double)NAN};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(event.message, sizeof event.message, format, arguments);
    va_end(arguments);
    follower->reader.on_event(follower->reader.context, &event);
}

/* ----- what the master reports ----- */

static void take_event(struct follower *follower, const struct job_event *event)
{
    if (follower->has_ended)
        return;
    if (event->kind == JOB_DONE)
        finish(follower, STATUS_OK, NULL, false);
    else if (event->kind == JOB_FAILED)
        finish(follower, event->error.status == STATUS_OK ? STATUS_FAILED : event->error.status,
               &event->error, false);
    else
        follower->reader.on_event(follower->reader.context, event);
}

void follower_report(struct follower *follower, struct slice line)
{
    struct job_event event;
    struct error err;

    if (job_event_read(line, &event, &err) != STATUS_OK) {
        log_warning("the job's journal: %s", err.message);
        return;
    }
    replacement_hear(&follower->replacement, loop_now_ms());
    take_event(follower, &event);
}

/* ----- the log of a master that reports nothing ----- */

static void say_once(struct follower *follower, const char *format, const char *text)
{
    if (strcmp(follower->said, text) == 0)
        return;
    snprintf(follower->said, sizeof follower->said, "%s", text);
    notice(follower, format, text);
}

/* A master that waits for its database says so in its log alone. */
static void look_for_database(struct follower *follower, struct slice line)
{
    char text[POD_MESSAGE_MAX], *why, *end;

    slice_copy(line, text, sizeof text);
    why = strstr(text, DATABASE_OF_JOB);
    end = why ? strstr(why, DATABASE_TRYING_AGAIN) : NULL;
    if (!end)
        return;
    *end = '\0';
    say_once(follower, "the master does not reach the database and tries again: %s",
             why + sizeof DATABASE_OF_JOB - 1);
}

/* The error of a master that could write into no journal ends the job. All other events come from
 * there. */
static void take_line(struct follower *follower, struct slice line)
{
    struct job_event event;
    struct error err;

    if (line.size == 0)
        return;
    if (line.data[0] != '{' || job_event_read(line, &event, &err) != STATUS_OK) {
        const uint64_t hash = bytes_hash(line.data, line.size, 0);

        if (hash != follower->line) /* it is read again and again */
            log_info("master: %.*s", SLICE_FORMAT(line));
        follower->line = hash;
        look_for_database(follower, line);
    } else if (event.kind == JOB_FAILED) {
        take_event(follower, &event);
    }
}

static void on_lines(void *context, struct slice lines)
{
    while (lines.size > 0) {
        const char *end = memchr(lines.data, '\n', lines.size);
        const size_t size = end ? (size_t)(end - lines.data) : lines.size;

        take_line(context, (struct slice){lines.data, size});
        lines.data += size + (end ? 1 : 0);
        lines.size -= size + (end ? 1 : 0);
    }
}

static void on_last_lines(void *context, enum status status, int code, struct slice lines,
                          const struct error *err)
{
    struct follower *follower = context;

    if (status != STATUS_OK)
        log_info("the log of the master's pod: %s", err->message);
    else if (code != 200)
        log_info("the log of the master's pod: code %d", code);
    on_lines(follower, lines);
    finish(follower, follower->outcome, &follower->why, false);
}

/* The Job has ended, and the journal has no more. */
static void conclude(struct follower *follower)
{
    const struct api_target pod = {.kind = API_PODS,
                                   .kube_namespace = follower->job->kube_namespace,
                                   .name = slice_of(follower->pod_name)};
    struct error err;

    if (follower->has_ended || follower->log.call)
        return;
    if (follower->outcome == STATUS_OK || pod.name.size == 0 ||
        pod_log_ask(&follower->log, &pod, LAST_LINES, LAST_MS, &err) != STATUS_OK)
        finish(follower, follower->outcome, &follower->why, false);
}

void follower_looked(struct follower *follower)
{
    if (follower->job_ended && ++follower->looks >= LAST_LOOKS)
        conclude(follower);
}

/* ----- the master's pod ----- */

static void refuse_pod(struct follower *follower, const struct pod_view *view)
{
    struct error err;

    error_clear(&err);
    fail(&err, STATUS_FAILED, "the master's pod cannot start: %s", view->message);
    if (view->obstacle == POD_NO_IMAGE || strstr(view->message, "Image"))
        error_hint(&err, "Can the cluster's nodes pull the image %.*s?",
                   SLICE_FORMAT(follower->job->image));
    finish(follower, STATUS_FAILED, &err, true);
}

static void say_obstacle(struct follower *follower, const struct pod_view *view)
{
    if (strcmp(follower->said, view->message) == 0)
        return;
    snprintf(follower->said, sizeof follower->said, "%s", view->message);
    notice(follower,
           view->obstacle == POD_UNSCHEDULABLE ? "no node has room for the master yet: %s"
                                               : "the master's pod does not start: %s",
           view->message);
}

static uint32_t restarts_of(const cJSON *pod)
{
    const cJSON *container = cJSON_GetArrayItem(API_MEMBER(pod, "status", "containerStatuses"), 0);
    const cJSON *count = API_MEMBER(container, "restartCount");

    return cJSON_IsNumber(count) && count->valueint > 0 ? (uint32_t)count->valueint : 0;
}

/* The kubelet starts it again in place. */
static void say_restart(struct follower *follower, const cJSON *pod)
{
    const uint32_t restarts = restarts_of(pod);
    const cJSON *container = cJSON_GetArrayItem(API_MEMBER(pod, "status", "containerStatuses"), 0);
    const cJSON *last = API_MEMBER(container, "lastState", "terminated");
    const cJSON *code = API_MEMBER(last, "exitCode");

    if (restarts > follower->restarts)
        notice(follower, "the master ended (%.*s, code %d) and is started again",
               SLICE_FORMAT(API_TEXT(last, "reason")), cJSON_IsNumber(code) ? code->valueint : -1);
    follower->restarts = restarts;
}

static void look_at_pod(struct follower *follower, struct slice name, const cJSON *pod)
{
    const bool is_followed = slice_is(name, follower->pod_name);
    struct pod_view view;
    struct error err;

    if (pod_view_read_master(pod, &view, &err) != STATUS_OK || (view.is_leaving && !is_followed))
        return;
    error_clear(&follower->missing);
    if (!is_followed)
        follower->restarts = 0;
    say_restart(follower, pod);
    if (view.phase != POD_PENDING || follower->restarts > 0)
        slice_copy(name, follower->pod_name, sizeof follower->pod_name);
    else if (view.obstacle != POD_NO_OBSTACLE && pod_view_needs_user(&view))
        refuse_pod(follower, &view);
    else if (view.obstacle != POD_NO_OBSTACLE)
        say_obstacle(follower, &view);
}

static void on_pod(void *context, enum watcher_change change, struct slice name, struct slice uid,
                   const cJSON *object)
{
    struct follower *follower = context;

    if (change == WATCHER_DELETED) {
        replacement_see_gone(&follower->replacement, uid, loop_now_ms());
    } else if (!follower->has_ended) {
        replacement_see(&follower->replacement, object, loop_now_ms());
        look_at_pod(follower, name, object);
    }
}

/* ----- the Job ----- */

/* Kueue, or the quota's sharer, lets it go on. */
static void say_why_it_waits(struct follower *follower, const cJSON *job)
{
    const struct slice queue = API_TEXT(job, "metadata", "labels", PLACEMENT_QUEUE);
    const bool rests = API_TEXT(job, "metadata", "annotations", SHARE_BOARD_RESTS).size > 0;
    const bool waits =
        cJSON_IsTrue(API_MEMBER(job, "spec", "suspend")) && (rests || queue.size > 0);

    if (!waits) {
        follower->is_said_to_wait = false;
        return;
    }
    if (!follower->is_said_to_wait && rests)
        notice(follower, "the job waits: the namespace's quota has no room for its master and its "
                         "least workers");
    else if (!follower->is_said_to_wait)
        notice(follower, "the job waits in the queue %.*s of Kueue", SLICE_FORMAT(queue));
    follower->is_said_to_wait = true;
}

/* A Job of which a pod is on a dead node has what counts for its end, and not the end itself, for
 * as long as that node stays dead. */
static void look_at_job(struct follower *follower, const cJSON *job)
{
    const cJSON *failed = job_condition(job, "Failed");
    struct error err;

    error_clear(&err);
    if (!failed)
        failed = job_condition(job, "FailureTarget");
    if (job_condition(job, "Complete") || job_condition(job, "SuccessCriteriaMet")) {
        end_with_journal(follower, STATUS_OK, &err);
    } else if (failed) {
        fail(&err, STATUS_FAILED, "the Job %.*s failed: %.*s", SLICE_FORMAT(follower->job->name),
             SLICE_FORMAT(API_TEXT(failed, "message")));
        error_hint(&err, "kubectl logs --namespace %.*s job/%.*s may show more.",
                   SLICE_FORMAT(follower->job->kube_namespace), SLICE_FORMAT(follower->job->name));
        end_with_journal(follower, STATUS_FAILED, &err);
    }
}

static void end_deleted(struct follower *follower)
{
    struct error err;

    error_clear(&err);
    fail(&err, STATUS_INTERRUPTED, "the Job %.*s was deleted", SLICE_FORMAT(follower->job->name));
    end_with_journal(follower, STATUS_INTERRUPTED, &err);
}

static void on_job(void *context, enum watcher_change change, struct slice name, struct slice uid,
                   const cJSON *object)
{
    struct follower *follower = context;
    (void)name;

    if (!slice_is(uid, follower->uid) || follower->has_ended)
        return;
    if (change != WATCHER_DELETED) {
        follower->has_seen_job = true;
        say_why_it_waits(follower, object);
        look_at_job(follower, object);
        return;
    }
    end_deleted(follower);
}

/* It may have gone before it was looked for. */
static void on_jobs_synced(void *context)
{
    struct follower *follower = context;

    follower->outage.has_worked = true;
    if (!follower->has_seen_job)
        end_deleted(follower);
}

/* ----- a master's pod that the Job's controller could not make ----- */

static bool has_text(struct slice message, const char *text)
{
    return message.size > 0 && memmem(message.data, message.size, text, strlen(text));
}

/* Everything else, such as a webhook that is away, passes: the controller tries again. */
static bool is_refusal(struct slice message)
{
    return has_text(message, " is forbidden") || has_text(message, " is invalid") ||
           has_text(message, " denied the request");
}

static void explain_refusal(const char *text, struct error *err)
{
    error_clear(err);
    fail(err, STATUS_PERMISSION, "the cluster refuses the master's pod: %s", text);
    error_hint(err, "totrain k8s check and totrain k8s rbac show what a namespace needs.");
}

static void wait_for_account(struct follower *follower, const char *text)
{
    if (follower->missing.status == STATUS_OK)
        follower->missing_since_ms = loop_now_ms();
    explain_refusal(text, &follower->missing);
    say_once(follower, "the master waits for its service account: %s", text);
}

static void on_happening(void *context, enum watcher_change change, struct slice name,
                         struct slice uid, const cJSON *object)
{
    struct follower *follower = context;
    struct slice message = API_TEXT(object, "message");
    char text[POD_MESSAGE_MAX];
    struct error err;
    (void)name;
    (void)uid;

    if (change == WATCHER_DELETED || follower->has_ended || follower->pod_name[0] ||
        !slice_is(API_TEXT(object, "reason"), "FailedCreate"))
        return;
    snprintf(text, sizeof text, "%.*s", SLICE_FORMAT(message));
    if (api_is_of_quota(message)) {
        say_once(follower, "the master waits for the namespace's quota: %s", text);
    } else if (!is_refusal(message)) {
        say_once(follower, "the master's pod could not be made yet: %s", text);
    } else if (has_text(message, "error looking up service account")) {
        wait_for_account(follower, text);
    } else {
        explain_refusal(text, &err);
        finish(follower, STATUS_PERMISSION, &err, true);
    }
}

static void on_synced(void *context)
{
    (void)context;
}

static void on_replacement(void *context, const char *text)
{
    notice(context, "%s", text);
}

/* ----- its life ----- */

static enum status open_watches(struct follower *follower, struct error *err)
{
    const struct slice space = follower->job->kube_namespace;
    struct watcher_reader jobs = {follower, on_job, on_jobs_synced, NULL},
                          pods = {follower, on_pod, on_synced, NULL},
                          events = {follower, on_happening, on_synced, NULL};

    follower->job_target = (struct api_target){.kind = API_JOBS, .kube_namespace = space};
    follower->pod_target = (struct api_target){.kind = API_PODS, .kube_namespace = space};
    follower->event_target = (struct api_target){
        .kind = API_EVENTS, .kube_namespace = space, .fields = slice_of(follower->fields)};
    TRY(watch_open(follower->loop, follower->client, &follower->pod_target,
                   slice_of(follower->master_selector), SEED, &pods, &follower->pods, err));
    TRY(watch_open(follower->loop, follower->client, &follower->job_target,
                   slice_of(follower->selector), SEED, &jobs, &follower->jobs, err));
    return watch_open(follower->loop, follower->client, &follower->event_target, SLICE(""), SEED,
                      &events, &follower->events, err);
}

enum status follower_open(struct loop *loop, struct client *client, const struct kube_job *job,
                          struct slice uid, const struct follower_reader *reader,
                          struct follower **out, struct error *err)
{
    struct follower *follower = calloc(1, sizeof *follower);
    enum status status;

    if (!follower)
        return fail_no_memory(err);
    follower->loop = loop;
    follower->client = client;
    follower->job = job;
    follower->reader = *reader;
    error_clear(&follower->missing);
    follower->log =
        (struct pod_log){.client = client, .context = follower, .on_answer = on_last_lines};
    snprintf(follower->uid, sizeof follower->uid, "%.*s", SLICE_FORMAT(uid));
    replacement_init(&follower->replacement, loop, client, job, slice_of(follower->uid),
                     &(struct replacement_reader){follower, on_replacement, on_lines});
    snprintf(follower->selector, sizeof follower->selector, "totrain.dev/job=%.*s",
             SLICE_FORMAT(job->name));
    snprintf(follower->master_selector, sizeof follower->master_selector,
             "totrain.dev/job=%.*s,totrain.dev/role=master", SLICE_FORMAT(job->name));
    snprintf(follower->fields, sizeof follower->fields, "involvedObject.uid=%s", follower->uid);
    status = open_watches(follower, err);
    if (status != STATUS_OK) {
        follower_close(follower);
        return status;
    }
    *out = follower;
    return STATUS_OK;
}

void follower_close(struct follower *follower)
{
    if (!follower)
        return;
    replacement_deinit(&follower->replacement);
    pod_log_cancel(&follower->log);
    watch_close(follower->jobs);
    watch_close(follower->pods);
    watch_close(follower->events);
    free(follower);
}

/* Refusals and silence of the API server: whether there is nothing to complain of. */
static bool is_well(struct follower *follower)
{
    const struct watcher *watcher = watch_watcher(follower->jobs);
    const struct error *problem = watcher_problem(watcher);

    switch (outage_judge(&follower->outage, problem, watcher->failures, loop_now_ms())) {
    case OUTAGE_BEGINS:
        notice(follower,
               problem->status == STATUS_PERMISSION
                   ? "the API server refuses us for now, the job goes on: %s"
                   : "the API server does not answer, the job goes on: %s",
               problem->message);
        break;
    case OUTAGE_OVER:
        finish(follower, STATUS_PERMISSION, problem, true);
        break;
    case OUTAGE_NOTHING:
        break;
    }
    return !problem;
}

void follower_look(struct follower *follower)
{
    if (follower->job_ended && loop_now_ms() - follower->job_ended_ms >= LAST_MS)
        conclude(follower);
    if (follower->has_ended || !is_well(follower) || follower->has_ended || follower->job_ended)
        return;
    if (follower->missing.status != STATUS_OK &&
        loop_now_ms() - follower->missing_since_ms >= ACCOUNT_MS)
        finish(follower, STATUS_PERMISSION, &follower->missing, true);
    else
        replacement_look(&follower->replacement, loop_now_ms());
}
