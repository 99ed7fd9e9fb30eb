/*
 * supervise.h - the supervisor of a job: runs it in its own process
 * (supervise_alone.h) or in children (supervise_children.h), publishes the model where no session
 * does (supervise_publish.h), and offers them what they share.
 */
#pragma once

#include "runtime/launch/job_event.h"
#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

#define SUPERVISE_LIFELINE 0 /* from the door */
#define SUPERVISE_EVENTS   1 /* to the door */

/* To the session. Progress is dropped when the session does not read; the final event waits for
 * it. */
void supervise_say(const struct job_event *event, struct slice line);

/*
 * Attached: lifeline, SIGINT and SIGTERM mean cancel. Detached: there is no
 * lifeline; SIGTERM, which a machine that is shut down sends to all, stops the
 * loop, and the job can be continued. Only its first event goes to the session.
 * Kept: there is a lifeline, whose end, or SIGTERM, stops the loop in the same way; only the line
 * `cancel`, and SIGINT, cancel. The line `fail TEXT` ends the job as failed, for that reason.
 * `report JSON` and `looked` come from whoever reads the journal of a job that runs elsewhere
 * (job_report, job_looked of job_process.h).
 * The control socket takes `cancel`, `scale N` and `servers N`, which it answers
 * (runtime/launch/control.h).
 */
struct supervise_watch {
    void (*cancel)(void *context);
    void (*fail)(void *context, const struct error *why); /* NULL: as cancel */
    enum status (*scale)(void *context, int64_t workers, struct error *err);
    /* NULL: not where this job runs. */
    enum status (*scale_servers)(void *context, int64_t servers, struct error *err);
    /* Both NULL where the job's processes report to the supervisor. */
    void (*report)(void *context, struct slice line);
    void (*looked)(void *context);
    void *context;
    bool is_detached, is_kept;
    bool is_stopped;   /* and the job can be continued */
    struct loop *loop; /* filled by supervise_watch */
};
/* A line of whoever reads the journal; false: it is none. */
bool supervise_hear(const struct supervise_watch *watch, struct slice line);
enum status supervise_watch(struct loop *loop, const char *sockets, struct supervise_watch *watch,
                            struct error *err); /* watch must outlive the loop */
