/*
 * launcher.h - the seam between the process of the role that leads a job and what starts its
 * workers: a supervisor, or a cluster.
 *
 *     master_process.c --replace, note_worker, on_event, ...--> struct launcher
 *                      <--want, want_servers, drain, cancel, ...- struct launcher_owner
 *
 *     lifeline_launcher.c   the supervisor of this machine: lines on the lifeline, its parent
 *                           starts processes
 *     k8s/loop/pods.c       a cluster: Pods, started from the loop of this process
 *
 * The role itself knows of neither. All calls come from the thread of the loop, and nothing blocks
 * but `flush` and `end`, which are called when the loop has ended.
 */
#pragma once

#include "runtime/launch/job_event.h"
#include "runtime/loop/loop.h"
#include "runtime/loop/store_call.h"
#include "runtime/record/outbox_executor.h"
#include "runtime/role/job.h"

/* Functions of the process that a launcher calls. All of them are there. */
struct launcher_owner {
    void *context;
    /* While a call of the store is in flight the loop stands still, and the process lives. */
    const struct store_call *store_call;
    void (*notice)(void *context, const char *text); /* a line for the user */
    /* From now on so many workers; versions only grow, and an older one does not count. */
    void (*want)(void *context, uint64_t version, uint32_t workers);
    /* A line on the part of the cluster that the job has, and why; empty: it has all. */
    void (*stand)(void *context, const char *text);
    /* The same as `want` for parameter servers, by versions of their own. */
    void (*want_servers)(void *context, uint64_t version, uint32_t servers);
    /* This worker is asked to end, perhaps before its own process knows. Called more than once. */
    void (*drain)(void *context, uint32_t index, uint32_t incarnation);
    void (*cancel)(void *context);
    /* The job was deleted, and perhaps its tables: it is cancelled, workers first. */
    void (*cancel_deleted)(void *context);
    void (*fail)(void *context, const struct error *why); /* the job cannot go on */
    /* This process goes, the job stays: the answer to launcher.leave. */
    void (*leave)(void *context);
};

struct launcher {
    void *self;
    /* The parent of this process reads its exit code, knows how the job ended, and ends what is
     * left of it: `flush` and `end` are not there. */
    bool is_supervised;

    /* ----- life ----- */

    /* Before the role that leads. As many workers as the job may have are wanted from now on. */
    enum status (*start)(void *self, struct loop *loop, const struct job *job,
                         const struct launcher_owner *owner, struct error *err);
    void (*on_tick)(void *self, int64_t now_ms); /* NULL: needs none */
    void (*stop)(void *self); /* before loop_free, also without `start`; the workers stay */
    /* Sends what is still to be sent of events, for 2 s at most. After `stop`, where the job goes
     * on without this process. */
    void (*flush)(void *self);
    /* The job has ended, perhaps under an earlier master: nothing is to be left of its workers, and
     * no other master is to be started for a job that failed. Takes at most some seconds more than
     * a drain of the workers. CONNECTION: not done, to be tried again. */
    enum status (*end)(void *self, bool has_failed, struct error *err);

    /* ----- what it does for the job ----- */

    struct worker_actions workers; /* with the same `self` */
    /* Each event of the job, and its line, newline included. Progress of a later step: the
     * workers that are connected work. DONE or FAILED: workers are not started again. Before
     * `start` only why the job cannot begin. */
    void (*on_event)(void *self, const struct job_event *event, struct slice line);
    /* SIGTERM came. Is it this process alone, or the whole job? Where it is alone the next master
     * is started. leave or cancel_deleted of its owner says so, once and within three seconds. */
    void (*leave)(void *self);
};
