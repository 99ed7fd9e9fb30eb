/*
 * pods_share.h - a master among those of other jobs: what it reports of its own, and how many
 * workers it may have.
 *
 *     pods_share_report --totrain.dev/use of the Job--> whoever holds the Lease (share_seat.h)
 *     pods_share_number <----- the Lease's number ----------------+
 *
 * The user's own number (totrain.dev/workers) wins. Until the Lease is known no worker is made
 * beyond the job's least number, and none is taken away. Where nobody decides the job wants as many
 * as it can use.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "k8s/loop/share_seat.h"
#include "runtime/launch/job_event.h"
#include "runtime/role/outbox.h"

struct pods;

#define PODS_SHARE_WAIT_MS       10000 /* a job that is not named: then it wants what it can use */
#define PODS_SHARE_REPORT_MS     30000 /* between two reports of small changes */
#define PODS_SHARE_SOON_MS       1000  /* and of others */
#define PODS_SHARE_CAP_MS        10000 /* no place for so long: no more are asked for */
#define PODS_SHARE_CAPPED_MS     60000 /* and for so long, and longer each time */
#define PODS_SHARE_CAPPED_MS_MAX 600000

struct pods_share {
    struct share_seat *seat;
    char identity[SHARE_HOLDER_MAX]; /* this process's, in all of its loops */
    struct share_job reported;
    bool has_reported, must_clear;
    int64_t reported_ms;
    struct exchange *reporting;
    int64_t unknown_ms; /* since when there is no number; 0: there is one */
    bool is_decided;    /* `number` is the Lease's */
    uint32_t number;
    uint32_t said; /* the number of the last Event; UINT32_MAX: none */
    uint32_t cap;  /* 0: none */
    int64_t capped_until_ms;
    uint32_t caps;                  /* in a row */
    double seconds_left;            /* on one worker; negative: not known */
    struct useful_workers expected; /* by earlier jobs; workers 0: there were none */
    struct useful_workers useful;   /* measured; workers 0: not yet */
};

void pods_share_init(struct pods *pods);
/* Where it fails the job does not share: a line in the log. */
void pods_share_open(struct pods *pods);
void pods_share_close(struct pods *pods);

/* The number that paid in earlier jobs of the model counts until the master has measured. */
void pods_share_expect(struct pods *pods, const struct spec_history *history);
/* The master has measured how many workers pay: it is reported, and more are not asked for. */
void pods_share_measured(struct pods *pods, const struct useful_workers *useful);

/* Progress: how long the job still takes. */
void pods_share_note(struct pods *pods, const struct job_event *event);

/* Workers that the job may have: 0, where its least number has no room, to its most. */
uint32_t pods_share_number(const struct pods *pods);
/* Nothing is known of the Lease yet. */
bool pods_share_is_unknown(const struct pods *pods);
/* Looks whether there is something to report. *due_ms: when to call again at the latest. */
void pods_share_on_time(struct pods *pods, int64_t now_ms, int64_t *due_ms);
/* The job has ended, or (`ends` false) this master leaves it: somebody else decides. */
void pods_share_leave(struct pods *pods, bool ends);
bool pods_share_has_left(const struct pods *pods);
