/*
 * job_process.h - from a job's folder to its processes, as a session sees them.
 *
 *     session --posix_spawn--> totrain supervise FOLDER --> master, workers
 *             <---- events: JSON lines on a pipe ------
 *             ---- lifeline: closed, or "cancel" ------>
 *             ---- reports of a job elsewhere --------->
 *
 * The supervisor holds the other end of the lifeline: when the session's process ends in any way,
 * the kernel closes it and the whole job ends within 5 s. A detached job has no lifeline and a
 * session of its own; its starter waits for the first event only (job_detach.h). Everything stays
 * in the terminal's process group, so Ctrl-C reaches the supervisor too, which takes it as cancel.
 *
 * No libevent, BLAS or OpenSSL in this room: it is linked into the databases.
 */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "jobspec/jobspec.h"
#include "runtime/launch/job_event.h"
#include "runtime/launch/job_folder.h"

struct job_process {
    pid_t pid;
    int lifeline, events; /* -1 once closed */
    struct text pending;  /* bytes of an incomplete line */
    bool ended;           /* its last event was given */
    char log[PATH_MAX];   /* for messages */
};

/* Write job.json, spawn `program supervise FOLDER`. */
enum status job_launch(const char *program, const struct job_folder *folder,
                       const struct jobspec *spec, struct job_process *process, struct error *err);

/* The same of a folder that has its job.json. */
enum status job_relaunch(const char *program, const struct job_folder *folder,
                         struct job_process *process, struct error *err);

/* The most memory of its own, in bytes, that each process of the job may have: what it asks
 * for beyond fails there. Before the job has roles: right after job_launch. */
enum status job_limit_memory(const struct job_process *process, uint64_t bytes, struct error *err);

/* Wait for the next event, at most timeout_ms; *has_event false when none came.
 * FAILED when the supervisor ended without saying DONE or FAILED. */
enum status job_next_event(struct job_process *process, int timeout_ms, struct job_event *event,
                           bool *has_event, struct error *err);
/* Hands a report of the job's journal, a line, to the supervisor of a job that runs elsewhere,
 * which makes an event of it. false: it takes none now. */
bool job_report(struct job_process *process, struct slice line);
/* The journal was read as far as it goes. */
void job_looked(struct job_process *process);
/* Ask the job to end; its last event is then JOB_FAILED with INTERRUPTED. */
void job_cancel(struct job_process *process);
/* Ask the job to end as one that has failed, for this reason: a line. */
void job_fail(struct job_process *process, const char *why);
/* Close the lifeline and reap the supervisor (killed if it does not end
 * within 5 s). Safe to call twice. */
void job_close(struct job_process *process);

/* Ask a job of another session to end, through its control socket.
 * NOT_FOUND; INVALID when it has ended already; PERMISSION. */
enum status job_cancel_by_id(const char *state, int64_t id, struct error *err);

/* Ask for another number of workers of a running job, of which it then has as
 * many as there is room for. NOT_FOUND; INVALID when it has ended or cannot have
 * so many; PERMISSION. */
enum status job_scale_by_id(const char *state, int64_t id, int64_t workers, struct error *err);
/* Likewise of parameter servers: 1 to JOBSPEC_SERVERS_MAX, of a job that has some. */
enum status job_scale_servers_by_id(const char *state, int64_t id, int64_t servers,
                                    struct error *err);
