#include "k8s/controller/kube_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COMPONENT "totrain"

void kube_events_init(struct kube_events *events, const struct kube_job *job, struct slice owner,
                      struct slice instance)
{
    memset(events, 0, sizeof *events);
    events->job = job;
    events->owner = owner;
    events->instance = instance;
    events->tokens = KUBE_EVENTS_BURST;
}

/* FNV-1a over everything but numbers. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        if (!(*text >= '0' && *text <= '9'))
            hash = (hash ^ (unsigned char)*text) * 0x100000001b3U;
    return hash;
}

static uint64_t hash_of(const char *reason, const char *message)
{
    return hash_text(hash_text(0xcbf29ce484222325U, reason), message);
}

static struct kube_event *find(struct kube_events *events, uint64_t alike)
{
    for (size_t i = 0; i < events->count; i++)
        if (events->events[i].alike == alike)
            return &events->events[i];
    return NULL;
}

/* In the place of the one that was used least lately, but not of one that is being sent. */
static struct kube_event *make(struct kube_events *events)
{
    struct kube_event *chosen = NULL;

    if (events->count < KUBE_EVENTS_MAX)
        return &events->events[events->count++];
    for (size_t i = 0; i < KUBE_EVENTS_MAX; i++) {
        struct kube_event *event = &events->events[i];

        if (!event->is_asked && (!chosen || event->sequence < chosen->sequence))
            chosen = event;
    }
    return chosen; /* one at most is being sent */
}

/* Names an event as client-go does: the time in nanoseconds makes the name unique. */
static void name_event(const struct kube_events *events, struct kube_event *event, int64_t us)
{
    snprintf(event->name, sizeof event->name, "%.*s.%" PRIx64, SLICE_FORMAT(events->job->name),
             (uint64_t)us * 1000 + events->sequence % 1000);
}

void kube_events_note(struct kube_events *events, const struct kube_moment *now, bool is_warning,
                      const char *reason, const char *format, ...)
{
    char message[KUBE_EVENT_MESSAGE_MAX];
    struct kube_event *event;
    va_list arguments;
    uint64_t alike;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    alike = hash_of(reason, message);
    events->sequence++;
    event = find(events, alike);
    if (!event) {
        event = make(events);
        *event = (struct kube_event){.reason = reason,
                                     .is_warning = is_warning,
                                     .alike = alike,
                                     .first_s = now->us / 1000000,
                                     .due_ms = now->ms};
        name_event(events, event, now->us);
    }
    memcpy(event->message, message, sizeof message);
    event->last_s = now->us / 1000000;
    event->count++;
    event->sequence = events->sequence;
}

void kube_events_flush(struct kube_events *events)
{
    events->is_flushing = true;
}

/* ----- objects ----- */

static void add_time(cJSON *object, const char *name, int64_t seconds)
{
    const time_t time = (time_t)seconds;
    char text[32] = "";
    struct tm parts;

    if (gmtime_r(&time, &parts))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_add_string(object, name, slice_of(text));
}

/* Adds the members that change with each event that is like it. */
static void add_state(cJSON *object, const struct kube_event *event)
{
    json_add_string(object, "message", slice_of(event->message));
    json_add_integer(object, "count", event->count);
    add_time(object, "lastTimestamp", event->last_s);
}

static cJSON *build(const struct kube_events *events, const struct kube_event *event)
{
    cJSON *object = cJSON_CreateObject(), *part;

    json_add_string(object, "apiVersion", SLICE("v1"));
    json_add_string(object, "kind", SLICE("Event"));
    part = json_add_object(object, "metadata");
    json_add_string(part, "name", slice_of(event->name));
    json_add_string(part, "namespace", events->job->kube_namespace);
    part = json_add_object(object, "involvedObject");
    json_add_string(part, "apiVersion", SLICE("batch/v1"));
    json_add_string(part, "kind", SLICE("Job"));
    json_add_string(part, "name", events->job->name);
    json_add_string(part, "namespace", events->job->kube_namespace);
    json_add_string(part, "uid", events->owner);
    json_add_string(object, "type", event->is_warning ? SLICE("Warning") : SLICE("Normal"));
    json_add_string(object, "reason", slice_of(event->reason));
    add_state(object, event);
    add_time(object, "firstTimestamp", event->first_s);
    json_add_string(json_add_object(object, "source"), "component", SLICE(COMPONENT));
    json_add_string(object, "reportingComponent", SLICE(COMPONENT));
    json_add_string(object, "reportingInstance", events->instance);
    return object;
}

static enum status fill(const struct kube_events *events, const struct kube_event *event,
                        struct http_request *request)
{
    struct api_target target = {.kind = API_EVENTS, .kube_namespace = events->job->kube_namespace};
    cJSON *object = event->is_there ? cJSON_CreateObject() : build(events, event);
    enum status status;
    struct error err;

    error_clear(&err);
    if (event->is_there) {
        target.name = slice_of(event->name);
        add_state(object, event);
        status = api_patch(request, &target, API_PATCH_MERGE, object, &err);
    } else {
        status = api_create(request, &target, object, &err);
    }
    cJSON_Delete(object);
    return status;
}

/* ----- when ----- */

static void refill(struct kube_events *events, int64_t now_ms)
{
    const int64_t more = (now_ms - events->refilled_ms) / KUBE_EVENTS_REFILL_MS;

    if (events->tokens >= KUBE_EVENTS_BURST) {
        events->refilled_ms = now_ms;
    } else if (more > 0) {
        events->refilled_ms += more * KUBE_EVENTS_REFILL_MS;
        events->tokens =
            events->tokens + more < KUBE_EVENTS_BURST ? events->tokens + more : KUBE_EVENTS_BURST;
    }
}

static struct kube_event *find_asked(struct kube_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        if (events->events[i].is_asked)
            return &events->events[i];
    return NULL;
}

static bool is_due(const struct kube_events *events, const struct kube_event *event, int64_t now_ms,
                   int64_t *due_ms)
{
    int64_t at_ms = event->due_ms;

    if (event->said == event->count)
        return false;
    if (events->tokens == 0 && events->refilled_ms + KUBE_EVENTS_REFILL_MS > at_ms)
        at_ms = events->refilled_ms + KUBE_EVENTS_REFILL_MS;
    if (events->is_flushing || at_ms <= now_ms)
        return true;
    if (at_ms < *due_ms)
        *due_ms = at_ms;
    return false;
}

bool kube_events_next(struct kube_events *events, int64_t now_ms, struct http_request *request,
                      int64_t *due_ms)
{
    struct kube_event *next = NULL;

    refill(events, now_ms);
    if (find_asked(events))
        return false;
    for (size_t i = 0; i < events->count; i++) {
        struct kube_event *event = &events->events[i];

        if (is_due(events, event, now_ms, due_ms) && (!next || event->last_s < next->last_s))
            next = event;
    }
    if (!next)
        return false;
    next->asked = next->count;
    next->due_ms = now_ms + KUBE_EVENTS_EVERY_MS;
    if (events->tokens > 0)
        events->tokens--;
    next->is_asked = true;
    if (fill(events, next, request) == STATUS_OK)
        return true;
    next->is_asked = false;
    next->said = next->asked; /* no memory for it */
    return false;
}

bool kube_events_on_answer(struct kube_events *events, enum status status, int code)
{
    struct kube_event *event = find_asked(events);
    const bool was_there = event->is_there;
    bool is_first;

    event->is_asked = false;
    if (status == STATUS_NOT_FOUND && was_there) { /* it was forgotten: another begins */
        event->is_there = false;
        event->count -= event->said;
        event->said = 0;
        event->first_s = event->last_s;
        name_event(events, event, event->last_s * 1000000);
        return false;
    }
    /* Its name was taken by itself, whose answer never came: the cluster has a count of then. */
    if (code == 409 && !was_there) {
        event->is_there = true;
        return false;
    }
    event->said = event->asked;
    if (status == STATUS_OK) {
        event->is_there = true;
        return false;
    }
    is_first = !events->has_complained;
    events->has_complained = true;
    return is_first;
}

void kube_events_on_cancel(struct kube_events *events)
{
    struct kube_event *event = find_asked(events);

    if (event)
        event->is_asked = false;
}

bool kube_events_are_drained(const struct kube_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        if (events->events[i].is_asked || events->events[i].said != events->events[i].count)
            return false;
    return true;
}
