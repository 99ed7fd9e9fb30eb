/*
 * follow.h - the processes of a job from a session: start them, wait for them.
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

/* Passes events on until the job has ended; cancels it when the session is interrupted, or when it
 * is not to go on. Returns the job's own error; a supervisor that ended without a report is no
 * failure of a job whose store is done. job_close() remains to be called. staged may be NULL. */
enum status job_follow(const struct host *host, const struct job_folder *folder,
                       struct job_process *process, const struct follow_staged *staged,
                       const struct sink *sink, struct error *err);
