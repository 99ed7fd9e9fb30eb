/*
 * launcher.h - who starts the workers of a master that has no supervisor.
 *
 *     master --replace, blamed, lanes, stepped, over--> launcher --> pods of a cluster
 *            <- leaving, notice, give_up, want, leave, cancel -
 *
 * On one machine the supervisor starts all roles and is asked on the lifeline
 * (roles.h). On a cluster nobody is there but the master, whose process then has a
 * launcher in its own loop. The master itself knows of neither.
 *
 * Nothing here blocks but `end` and `flush`, which are called when the loop has ended.
 */
#ifndef RUNTIME_PROCESS_LAUNCHER_H
#define RUNTIME_PROCESS_LAUNCHER_H

#include "runtime/launch/job_event.h"
#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

struct launcher_owner {
    void *context;
    void (*notice)(void *context, const char *text);             /* for the user */
    void (*give_up)(void *context, const struct error *verdict); /* the job cannot go on */
    /* Somebody has its process end, perhaps before it hears of it itself. Told more than once. */
    void (*leaving)(void *context, uint32_t index, uint32_t incarnation);
    void (*want)(void *context, uint32_t workers); /* from now on; somebody has said so */
    void (*leave)(
        void *context); /* this master goes, the job stays: the answer to launcher.leave */
    void (*cancel)(void *context); /* somebody has deleted the job */
};

struct launcher {
    void *self;
    /* As many workers as the job may have, from now on. */
    enum status (*start)(void *self, struct loop *loop, const struct job *job,
                         const struct launcher_owner *owner, struct error *err);
    /* It is silent: counted as dead. */
    void (*replace)(void *self, uint32_t index, uint32_t incarnation);
    /* It joined, or is not here any more. */
    void (*worker)(void *self, uint32_t index, uint32_t incarnation, bool is_here);
    void (*blamed)(void *self, uint32_t index); /* rows killed it, it did not fail */
    void (*lanes)(void *self, uint32_t lanes);  /* more workers than that have no work */
    void (*stepped)(void *self);                /* the job has got further */
    /* To the door; but no progress. Before `start`: why the job cannot begin. */
    void (*said)(void *self, const struct job_event *event);
    void (*over)(void *self); /* its last word is said: workers go */
    /* This process is asked to go. Is it alone, or the whole job? Where it is alone the next master
     * is started. leave or cancel of its owner says so, once and within three seconds. */
    void (*leave)(void *self);
    void (*stop)(void *self); /* before loop_free; the workers stay */
    /* Sends what was said and is still to be sent, for 2 s at most. After `stop`, where the job
     * goes on without this process. */
    void (*flush)(void *self);
    /* The job has ended, perhaps under a master before: nothing is to be left of its workers, and
     * whoever starts masters is not to start another for a job that failed. At most some
     * seconds more than workers have for their leave. CONNECTION: not done, to be tried again. */
    enum status (*end)(void *self, bool has_failed, struct error *err);
};

#endif
