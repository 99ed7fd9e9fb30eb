/*
 * working_role.h - the seam between a role that works for a job and the process that runs it.
 *
 *     process (worker_process.c, supervise_alone.c)
 *        |  struct working_role
 *        +--> training_worker   worker.h, of a job that trains        working_training.c
 *        +--> pushing_worker    push_worker.h, then worker.h, of a job over parameter
 *        |                      servers                               working_servers.c
 *        +--> scoring_worker    scorer_role.h, of a job that scores   working_scoring.c
 *        +--> staging_worker    scorer_role.h, then worker.h, of a job that trains and whose
 *                               workers stage its rows                working_staging.c
 *
 * `self` is the row's own state, zeroed before `start`. A role opens its rows, then joins the loop
 * and sends HELLO to the role that leads (leading_role.h).
 */
#ifndef RUNTIME_PROCESS_WORKING_ROLE_H
#define RUNTIME_PROCESS_WORKING_ROLE_H

#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

#define WORKER_ALIVE_MS     1000
#define WORKER_RECONNECT_MS 50
#define WORKER_GRACE_MS     25000 /* Kubernetes kills after 30 s */
/* A job on a cluster that was deleted while it had no master, and that no session follows. */
#define WORKER_LEAVE_ALONE_MS 3000

/* A working role's surroundings. The objects pointed to must outlive the role. */
struct working_options {
    struct loop *loop;
    const struct job *job;
    uint32_t index, incarnation;
    const char *master; /* address of the role that leads */
    const char *listen; /* address for other workers; NULL: none connect to this one */
    int64_t search_ms;  /* without its master it ends after that, CONNECTION; 0: never */
};

struct working_role {
    size_t state_bytes;
    /* Its loop is silent for long while it computes: a thread reports to the master that the
     * process is alive (alive_sender.h). */
    bool needs_alive_sender;
    /* Rows that cannot be opened are no error here: the role reports them to its master
     * (UNABLE). */
    enum status (*start)(void *self, const struct working_options *options, struct error *err);
    /* SIGTERM: hands its work back, then the loop ends. */
    void (*leave)(void *self);
    /* It is being drained, and no master is connected that could take its work. NULL: it ends
     * without one. */
    bool (*is_stuck)(const void *self);
    /* After the loop. False: a thread of its own still runs, and the process can only _exit. */
    bool (*stop)(void *self);
};

/* By the kind of the job, and who stages its rows. */
const struct working_role *working_role_of(const struct job *job);

#endif
