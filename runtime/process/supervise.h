/*
 * supervise.h - what the two ways of hosting a job share.
 */
#ifndef RUNTIME_PROCESS_SUPERVISE_H
#define RUNTIME_PROCESS_SUPERVISE_H

#include "runtime/launch/job_event.h"
#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

#define SUPERVISE_LIFELINE 0 /* from the door */
#define SUPERVISE_EVENTS   1 /* to the door */

/* To the session. Progress is dropped when the session does not read; the final event waits for
 * it. */
void supervise_say(const struct job_event *event, struct slice line);

/* The whole job in this process, or in children. `listen` NULL: children talk
 * over Unix sockets in the folder `sockets`; otherwise over TLS at this TCP
 * address, and the folder keeps their credentials. Return the exit code. */
int supervise_alone(const struct job *job, const char *sockets, bool is_detached);
int supervise_children(const struct job *job, const char *sockets, const char *listen,
                       bool is_detached);

/* supervise_publish.c: the model of a detached job that has learned is not where it
 * is to go yet; bring it there. */
bool supervise_must_publish(const struct job *job);
/* `is_elsewhere`: the model is in the tables of a job that ran somewhere else, which the publisher
 * drops, also where there is no model. */
int supervise_publish(const struct job *job, const char *sockets, bool is_detached,
                      bool is_elsewhere);

/*
 * Attached: lifeline, SIGINT and SIGTERM mean cancel. Detached: there is no
 * lifeline; SIGTERM, which a machine that is shut down sends to all, stops the
 * loop, and the job can be continued. Only its first event goes to the session.
 * Kept: there is a lifeline, whose end, or SIGTERM, stops the loop in the same way; only the line
 * `cancel`, and SIGINT, cancel.
 * The control socket takes `cancel` and `scale N`, which it answers
 * (runtime/launch/control.h).
 */
struct supervise_watch {
    void (*cancel)(void *context);
    enum status (*scale)(void *context, int64_t workers, struct error *err);
    void *context;
    bool is_detached, is_kept;
    bool is_stopped;   /* and the job can be continued */
    struct loop *loop; /* filled by supervise_watch */
};
enum status supervise_watch(struct loop *loop, const char *sockets, struct supervise_watch *watch,
                            struct error *err); /* watch must outlive the loop */

#endif
