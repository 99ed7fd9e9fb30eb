/*
 * job_event.h - what a supervisor writes on its standard output: one JSON object a line.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "params/terms.h"

#define LAUNCH_EVENT_BYTES_MAX ((size_t)64 << 10)

struct cJSON; /* base/json.h */

enum job_event_kind {
    JOB_STARTED, /* the first step begins */
    JOB_PROGRESS,
    JOB_NOTICE, /* a line for the user */
    JOB_DONE,   /* job.db holds the model and the result rows */
    JOB_FAILED, /* error filled */
    JOB_STAGED  /* the workers have stored the rows: nobody reads the user's table any more */
};

/* The first moments of a job tell nothing about the rest: none is estimated before. */
#define JOB_ESTIMATE_AFTER_S 2

/* The name of a label's score ends with the label's, which has 63 bytes at most in PostgreSQL. */
#define EVENT_METRIC_BYTES (2 * WORD_BYTES_MAX + 1)

struct event_metric {
    char name[EVENT_METRIC_BYTES]; /* a longer one is cut behind a character */
    double value;
};

struct job_event {
    enum job_event_kind kind;
    uint64_t step, steps; /* steps 0: unknown */
    const char *stage; /* one of several jobs of a statement, as "fold 2 of 5"; NULL: it is alone */
    const char *unit;  /* the name of a step that belongs to no epoch; NULL: a shard */
    uint32_t epoch, epochs, workers;
    double rows_per_second;
    double loss, validation_loss, validation_score; /* NaN: none yet */
    struct event_metric metrics[METRICS_MAX];       /* (metric_count): held-out rows', in a round */
    size_t metric_count;
    double seconds, seconds_left; /* NaN: unknown */
    /* A notice; what a job in progress has of what it could use (crew_stand); the digest of the
     * model when a training job is done; the reason when a job starts again. */
    char message[512];
    struct error error;
};

/* An object of names and values, where there are any. */
void job_event_add_metrics(const struct job_event *event, struct cJSON *json);

/* One line, newline included, and back: what the supervisor writes. */
void job_event_write(const struct job_event *event, struct text *out);
enum status job_event_read(struct slice line, struct job_event *event, struct error *err);
