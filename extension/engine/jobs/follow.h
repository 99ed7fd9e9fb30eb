/*
 * follow.h - the processes of a job from a session: start them, wait for them.
 *
 * A job on a cluster reports through its journal, which lies in the session's database:
 *
 *     master --> journal --read_reports--> session --lifeline--> supervisor --events--> session
 *                          Job, pods --watched by the API--> supervisor
 *
 * Its supervisor has no login there, and sees the cluster: so all events are its words, and what
 * it records is whole whoever reads.
 */
#pragma once

#include "base/error.h"
#include "extension/engine/host/host.h"
#include "jobspec/jobspec.h"
#include "runtime/launch/job_process.h"

/* The folder of a job that is about to begin, which the host has admitted. */
enum status job_folder_begin(const struct host *host, struct job_folder *folder, struct error *err);

/* job_launch, within the limits that the host has for its jobs. To be closed by job_close(). */
enum status job_start(const struct host *host, const struct job_folder *folder,
                      const struct jobspec *spec, struct job_process *process, struct error *err);
/* The same of a folder whose job.json is there. */
enum status job_resume(const struct host *host, const struct job_folder *folder,
                       struct job_process *process, struct error *err);

/* Asked when the workers of the job have staged its rows, and the session has let them go: is it
 * to go on? */
struct follow_staged {
    void *self;
    enum status (*goes_on)(void *self, bool *does, struct error *err);
};

/* A job that runs. */
struct followed {
    const struct job_folder *folder;
    struct job_process *process;
    const struct follow_staged *staged; /* NULL: its rows are not staged by workers */
    int64_t number; /* names its tables, whose journal is read for its supervisor; 0: none */
};

/* Passes events on until the job has ended; cancels it when the session is interrupted, or when it
 * is not to go on. Returns the job's own error; a supervisor that ended without a report is no
 * failure of a job whose store is done. job_close() remains to be called. */
enum status job_follow(const struct host *host, const struct followed *job, const struct sink *sink,
                       struct error *err);
