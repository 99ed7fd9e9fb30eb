/*
 * life.h - the lives that a job can have: where it runs, which process reads its rows, waits for
 * it, and publishes its result.
 *
 *     life                 runs on        reads the rows     waits               publishes
 *     attached             this machine   session            session             session
 *     detached             this machine   session            its supervisor      the supervisor
 *     detached in a server this machine   session            background worker   the worker
 *     staged               by hand        session, workers   none                totrain.collect
 *     on a cluster         Pods           session, workers   session             session
 *     kept by the program  Pods           session            a supervisor        the supervisor
 *     kept by the server   Pods           session            background worker   the worker
 *
 * TRAIN can have all of them, PREDICT and EVALUATE all but the staged one. job_run.h runs every job
 * through the same steps, and asks this table where they differ; a process that finds the folder
 * later reads in it which life the job has.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

enum job_place {
    PLACE_MACHINE, /* processes over the job's folder */
    PLACE_TABLES,  /* processes that are started elsewhere, over tables of the database */
    PLACE_CLUSTER  /* Pods, over such tables */
};

enum job_actor {
    ACTOR_NOBODY,
    ACTOR_SESSION,    /* the one that runs the statement */
    ACTOR_SUPERVISOR, /* `totrain supervise`, which outlives the session, and what it starts */
    ACTOR_SERVER,     /* a background worker of PostgreSQL, and the next one after it */
    ACTOR_COLLECTOR   /* a session that calls totrain.collect */
};

struct job_life {
    const char *name;
    enum job_place runs;
    bool workers_may_read; /* the user's table, as well as the session: job.read = 'direct' */
    enum job_actor waits, publishes;
};

enum job_life_index {
    LIFE_ATTACHED,
    LIFE_DETACHED,
    LIFE_SERVED,
    LIFE_STAGED,
    LIFE_ON_CLUSTER,
    LIFE_KEPT_BY_PROGRAM,
    LIFE_KEPT_BY_SERVER,
    LIFE_COUNT
};
extern const struct job_life job_lives[LIFE_COUNT];

/* The life of the job that the plan's statement makes in this host. */
const struct job_life *job_life_of(const struct host *host, const struct plan *plan);

/* The life of the job in this folder. has_destination: its store has one
 * (runtime/data/store/destination.h). */
const struct job_life *job_life_of_folder(const char *folder, bool has_destination);
