/*
 * working.h - the process side of a role that works for a job, whatever the job does: its rows,
 * opened beside the loop, its place in the loop, and the role that follows it. What differs between
 * jobs is a row of functions (working_role.h).
 *
 *     working_start --> OPENING --rows are open, or cannot be--> JOINED --the loop ends--> stop
 *                                                                  |
 *                                       its part is done: its rows go, and the next role starts
 *
 * All calls come from the thread of the loop.
 */
#pragma once

#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

struct working_role;

#define WORKER_ALIVE_MS     1000
#define WORKER_RECONNECT_MS 50
#define WORKER_GRACE_MS     25000 /* Kubernetes kills after 30 s */
/* A job on a cluster that was deleted while it had no master, and that no session follows. */
#define WORKER_LEAVE_ALONE_MS 3000

/* The role borrows all that the pointers point to. */
struct working_options {
    struct loop *loop;
    const struct job *job;
    uint32_t index, incarnation;
    const char *master; /* address of the role that leads */
    const char *listen; /* address for other workers; NULL: none connect to this one */
    int64_t search_ms;  /* without its master it ends after that, CONNECTION; 0: never */
    uint32_t cores;     /* processors of the machine that the job has; 0: all */
};

struct working {
    struct working_options options;
    const struct working_role *role;
    void *self;                     /* state of the role */
    struct learner_loader *opening; /* NULL: the role opens none, or has let it go */
    struct loop_role *loop_role;
    bool has_joined;
    char bound[MESSAGE_ADDRESS_MAX + 1]; /* where it accepts other workers */
    struct working *successor;           /* NULL before */
};

/* A thread is to report to the master that the process is alive (alive_sender.h). */
bool working_needs_alive_sender(const struct job *job);

/* The role that the job asks for opens its rows, joins the loop and sends HELLO to the role that
 * leads (leading_role.h). *working is zeroed by the caller; working_stop follows also after an
 * error. */
enum status working_start(struct working *working, const struct working_options *options,
                          struct error *err);
/* The job has so many of the machine's processors from now on. */
void working_use_cores(struct working *working, uint32_t cores);
/* SIGTERM: it hands its work back, then the loop ends. */
void working_leave(struct working *working);
/* It is being drained, and no master is connected that could take its work. */
bool working_is_stuck(const struct working *working);
/* After the loop. False: a thread of its own still runs, and the process can only _exit. */
bool working_stop(struct working *working);
