/*
 * kube_events.h - a job's history as Kubernetes Events: `kubectl describe job` shows them.
 *
 *     kube_events_note --> one entry for all that are alike --kube_events_next--> create, patch
 *                                      ^---------kube_events_on_answer------------/
 *
 * Aggregated as by client-go's EventCorrelator, so that a cluster's store is not filled by one job:
 * alike are those of one reason whose messages differ in numbers alone ("worker 3", "worker 5").
 * They are one Event, of which the count, the last time and the last message change, every
 * KUBE_EVENTS_EVERY_MS at most; and all Events of a job together change as often as a bucket of
 * tokens allows. Events that have to wait are counted meanwhile. None waits once
 * kube_events_flush is called, at the end of a job.
 *
 * What the API server refuses is dropped: Events are for people, and nothing depends on one.
 *
 * Events of the core group, v1: the one that kubectl asks for. Without an owner, so that they
 * outlive a job that was deleted, until the cluster forgets them (after an hour, as usual).
 *
 * Pure: the caller passes the time. https://kubernetes.io/docs/reference/kubernetes-api/ has Event.
 */
#pragma once

#include <time.h>

#include "k8s/client/api.h"
#include "k8s/job/kube_job.h"

#define KUBE_EVENTS_MAX        24 /* different ones; the oldest is then forgotten */
#define KUBE_EVENTS_BURST      10
#define KUBE_EVENTS_REFILL_MS  20000 /* for one more: three a minute */
#define KUBE_EVENTS_EVERY_MS   5000  /* the same one */
#define KUBE_EVENT_MESSAGE_MAX 768   /* the API server takes 1024 */

struct kube_event {
    const char *reason;
    bool is_warning;
    char message[KUBE_EVENT_MESSAGE_MAX];
    char name[160];
    uint64_t alike; /* hash of what makes it different from others */
    uint32_t count;
    uint32_t said;            /* how many of them were sent, or given up */
    int64_t first_s, last_s;  /* seconds by the calendar */
    int64_t due_ms;           /* not before */
    bool is_there, is_asked;  /* the API server has it; a request about it is under way */
    uint32_t asked, sequence; /* its count in that request; the order of their last use */
};

struct kube_events {
    const struct kube_job *job;
    struct slice owner, instance;
    struct kube_event events[KUBE_EVENTS_MAX];
    size_t count;
    uint32_t sequence;
    int64_t tokens, refilled_ms;
    bool is_flushing, has_complained;
};

/* Borrowed for its life: `owner`, the uid of the Job, and `instance`, the reporting pod's name. */
void kube_events_init(struct kube_events *events, const struct kube_job *job, struct slice owner,
                      struct slice instance);

struct kube_moment {
    int64_t ms; /* milliseconds by the loop's clock */
    int64_t us; /* since 1970 */
};

static inline struct kube_moment kube_moment_of(int64_t loop_ms, const struct timespec *clock)
{
    return (struct kube_moment){loop_ms, (int64_t)clock->tv_sec * 1000000 + clock->tv_nsec / 1000};
}

/* `reason` is static, in CamelCase; the message a sentence, cut where it is too long. */
void kube_events_note(struct kube_events *events, const struct kube_moment *now, bool is_warning,
                      const char *reason, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void kube_events_flush(struct kube_events *events);

/* True: send this request, and report its answer; one at a time. Otherwise *due_ms is not later
 * than the time at which there is something to send. */
bool kube_events_next(struct kube_events *events, int64_t now_ms, struct http_request *request,
                      int64_t *due_ms);
/* With the answer's HTTP code. True for the first of all that were refused: to be logged. */
bool kube_events_on_answer(struct kube_events *events, enum status status, int code);
/* The request was given up: it may have been received, and is made again. */
void kube_events_on_cancel(struct kube_events *events);

/* All that was noted has been sent or given up. */
bool kube_events_are_drained(const struct kube_events *events);
