#include "k8s/submit/replacement.h"

#include <stdio.h>
#include <string.h>

#include "base/process/log.h"
#include "k8s/client/api_answer.h"

#define GONE_MS      1000 /* a master that leaves makes the next one itself, in this time */
#define PAUSE_MS_MIN 1000
#define PAUSE_MS_MAX 60000

void replacement_init(struct replacement *replacement, struct loop *loop, struct client *client,
                      const struct kube_job *job, struct slice job_uid,
                      const struct replacement_reader *reader)
{
    *replacement = (struct replacement){.loop = loop,
                                        .client = client,
                                        .job = job,
                                        .job_uid = job_uid,
                                        .reader = *reader,
                                        .pause_ms = PAUSE_MS_MIN};
    reach_init(&replacement->reach, client, reader->context, reader->on_lines);
}

void replacement_deinit(struct replacement *replacement)
{
    succession_cancel(replacement->succession);
    reach_deinit(&replacement->reach);
}

/* ----- the pods ----- */

static uint32_t find(const struct replacement *replacement, struct slice uid)
{
    uint32_t i = 0;

    while (i < replacement->active_count && !slice_is(uid, replacement->active[i]))
        i++;
    return i;
}

void replacement_see_gone(struct replacement *replacement, struct slice uid, int64_t now_ms)
{
    const uint32_t i = find(replacement, uid);

    if (i == replacement->active_count)
        return;
    replacement->active_count--;
    memmove(replacement->active[i], replacement->active[replacement->active_count],
            sizeof replacement->active[i]);
    if (slice_is(uid, replacement->uid))
        reach_end(&replacement->reach);
    if (replacement->active_count == 0)
        replacement->gone_ms = now_ms;
}

static void follow(struct replacement *replacement, const cJSON *pod, int64_t now_ms)
{
    const struct slice node = API_TEXT(pod, "spec", "nodeName");
    struct api_target target;

    if (slice_is(API_TEXT(pod, "metadata", "uid"), replacement->uid) &&
        slice_is(node, replacement->node))
        return;
    slice_copy(API_TEXT(pod, "metadata", "name"), replacement->name, sizeof replacement->name);
    slice_copy(API_TEXT(pod, "metadata", "uid"), replacement->uid, sizeof replacement->uid);
    slice_copy(node, replacement->node, sizeof replacement->node);
    target = (struct api_target){.kind = API_PODS,
                                 .kube_namespace = replacement->job->kube_namespace,
                                 .name = slice_of(replacement->name)};
    if (node.size > 0)
        reach_begin(&replacement->reach, &target, now_ms);
    else
        reach_end(&replacement->reach);
}

void replacement_see(struct replacement *replacement, const cJSON *pod, int64_t now_ms)
{
    const struct slice uid = API_TEXT(pod, "metadata", "uid"),
                       phase = API_TEXT(pod, "status", "phase");
    const bool has_ended = slice_is(phase, "Succeeded") || slice_is(phase, "Failed");

    if (uid.size == 0 || uid.size >= POD_UID_MAX)
        return;
    replacement->has_succeeded = replacement->has_succeeded || slice_is(phase, "Succeeded");
    if (has_ended || API_MEMBER(pod, "metadata", "deletionTimestamp")) {
        replacement_see_gone(replacement, uid, now_ms);
        return;
    }
    if (find(replacement, uid) == replacement->active_count) {
        if (replacement->active_count == REPLACEMENT_PODS_MAX)
            return; /* there are enough */
        slice_copy(uid, replacement->active[replacement->active_count++], POD_UID_MAX);
    }
    follow(replacement, pod, now_ms);
}

void replacement_hear(struct replacement *replacement, int64_t now_ms)
{
    reach_hear(&replacement->reach, now_ms);
    replacement->pause_ms = PAUSE_MS_MIN;
}

/* ----- the next one ----- */

static void on_end(void *context, enum status status, const struct error *err)
{
    struct replacement *replacement = context;
    char text[POD_NODE_MAX + 128];

    replacement->succession = NULL;
    if (status != STATUS_OK) {
        log_warning("the next master is left to the Job's controller: %s", err->message);
    } else if (replacement->left_node[0] != '\0') {
        snprintf(text, sizeof text,
                 "the cluster does not reach the master's node %s, another master is started",
                 replacement->left_node);
        replacement->reader.on_notice(replacement->reader.context, text);
    }
}

/* Also where the pod is deleted and the next one has yet to be made, as there is no quota for it.
 */
static void note_node(struct replacement *replacement, enum succession_kind kind)
{
    if (kind == SUCCESSION_UNREACHABLE) {
        slice_copy(slice_of(replacement->node), replacement->left_node,
                   sizeof replacement->left_node);
        slice_copy(slice_of(replacement->uid), replacement->left_uid, sizeof replacement->left_uid);
    } else if (strcmp(replacement->left_uid, replacement->uid) != 0) {
        replacement->left_node[0] = '\0';
    }
}

static void begin_replacement(struct replacement *replacement, enum succession_kind kind,
                              int64_t now_ms)
{
    const struct succession_order order = {.kind = kind,
                                           .job = replacement->job_uid,
                                           .pod_name = slice_of(replacement->name),
                                           .pod_uid = slice_of(replacement->uid),
                                           .avoided = slice_of(replacement->left_node)};
    const struct succession_reader reader = {replacement, on_end};
    struct error err;

    error_clear(&err);
    replacement->due_ms = now_ms + replacement->pause_ms;
    if (replacement->pause_ms < PAUSE_MS_MAX / 2)
        replacement->pause_ms *= 2;
    if (succession_start(replacement->loop, replacement->client, replacement->job, &order, &reader,
                         &replacement->succession, &err) != STATUS_OK)
        log_warning("the next master is left to the Job's controller: %s", err.message);
}

/* A pod that reports nothing is replaced once at most: where no log can be read at all, the
 * nodes may be well. */
static bool is_lost(struct replacement *replacement, int64_t now_ms)
{
    return reach_is_lost(&replacement->reach, now_ms) &&
           (replacement->reach.was_heard || replacement->pause_ms == PAUSE_MS_MIN);
}

void replacement_look(struct replacement *replacement, int64_t now_ms)
{
    enum succession_kind kind;
    bool lost;

    if (replacement->uid[0] == '\0' || replacement->has_succeeded)
        return; /* there was none yet: the Job's controller makes the first */
    lost = is_lost(replacement, now_ms);
    if (replacement->succession || now_ms < replacement->due_ms)
        return;
    if (replacement->active_count == 0 && now_ms >= replacement->gone_ms + GONE_MS)
        kind = SUCCESSION_GONE;
    else if (replacement->active_count == 1 && lost)
        kind = SUCCESSION_UNREACHABLE;
    else
        return;
    note_node(replacement, kind);
    begin_replacement(replacement, kind, now_ms);
}
