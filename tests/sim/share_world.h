/*
 * share_world.h - a simulated cluster, whose jobs and services come and go by a plan, and whose
 * jobs' workers are those that a rule gives them: share_jobs() or fixed sizes, first come, first
 * served.
 *
 * New pods go where the least is left, as they come; what finds no place is not there. Time goes in
 * seconds. A worker that a job gets works after the time that a pod needs; one that it
 * gives is gone at once.
 */
#pragma once

#include "runtime/share/share.h"
#include "runtime/share/share_measure.h"

#define SHARE_WORLD_JOBS     32
#define SHARE_WORLD_NODES    160
#define SHARE_WORLD_SERVICES 704
#define SHARE_WORLD_PODS     80 /* a job's */

struct share_world_job {
    struct share_job job;  /* share_jobs() is told of it so */
    struct share_curve is; /* how fast it is */
    double work;           /* seconds with one worker */
    double comes;          /* at that second */
    double report_error;   /* how far its reports of the time that is left are off: 0.1 is 10 % */
    /* filled by the run */
    double begun, ended; /* negative: not yet */
    double left, moved;
    uint32_t working; /* workers that have started */
    double working_at;
    struct share_measure measure;     /* where the world measures */
    double rows;                      /* seconds of work, as it is measured */
    uint32_t half, wanted;            /* so many work on for a moment; so many pay; 0: all do */
    uint32_t decisions;               /* times that it was found out how many pay */
    uint32_t nodes[SHARE_WORLD_PODS]; /* each pod's, the rest first */
};

/* Takes processors of a node for a while. */
struct share_world_service {
    size_t node;
    int64_t millis;
    double from, to;
};

struct share_world {
    uint64_t seed;
    struct share_size nodes[SHARE_WORLD_NODES];
    size_t node_count;
    struct share_world_job jobs[SHARE_WORLD_JOBS];
    size_t count;
    struct share_world_service services[SHARE_WORLD_SERVICES];
    size_t service_count;
    enum share_rule rule;
    bool measures;  /* how fast a job is has to be measured, with errors; else `curve` is told */
    bool is_fixed;  /* each job has `most` workers or waits; share_jobs() is not asked */
    double start_s; /* a pod's start */
    double every_s; /* between two decisions without a change */
    double stop_s;  /* it ends then, whoever has not ended; 0: when all have */
    double until_s; /* the run fails where a job has not ended by then */
    uint32_t sample_every; /* decisions between two looks at the best use; 0: none */
    /* filled by the run */
    double used, best; /* sums over the looks, in millis */
    double busy;       /* part of the processors in use, services' included: its mean */
    double fits;       /* and what whole pods of these jobs could make of it, where it stops */
    double jain;       /* mean of Jain's index over the time in which jobs share */
    uint64_t decisions, moves; /* moves: without a change from outside */
    uint64_t early_moves;      /* moves within a minute of the one before */
    uint64_t waits, passed;    /* jobs that waited; minimums that were taken from running jobs */
    uint64_t given, pending;   /* times that a job gave workers, or found no place for some */
};

/* FAILED where something is broken that must hold; the message says what. */
enum status share_world_run(struct share_world *world, struct error *err);
double share_world_mean_wait(const struct share_world *world);
double share_world_mean_completion(const struct share_world *world); /* since it came */
