/*
 * kept_jobs.h - jobs on a cluster that no session waits for, and what follows them: the life "kept
 * by the server" (extension/engine/jobs/life.h).
 *
 *     session --kept_jobs_take--> folder: cluster.json, caller.json, detached    returns
 *     background worker, as the caller: follows the Job --> publishes, drops the tables --> lets go
 *          |  ends in whatever way, with the server too
 *          v
 *     nobody --kept_jobs_adopt, or a start of the server--> another worker: the same again
 *
 * A worker for each job, of max_worker_processes. What holds the folder's lock is the one that
 * follows; a second finds it taken and goes. An exit with an error, which is what
 * pg_terminate_backend makes of it and a crash of the server, has the postmaster start it again.
 */
#ifndef EXTENSION_POSTGRES_SERVER_KEPT_JOBS_H
#define EXTENSION_POSTGRES_SERVER_KEPT_JOBS_H

#include "extension/postgres/server/door.h"

/* The folder is kept, and held by nobody: from now on a worker of the current role's follows it,
 * which has it when this returns (or some seconds have passed). Throws where there is none left. */
void kept_jobs_take(const struct job_folder *folder);

/* The same in this process, which has become the caller, is in no transaction, and holds the
 * folder. Its caller.json is written. */
void kept_jobs_follow(const struct job_folder *folder);

/* Workers for those of this database that nobody follows. Where there are no more workers, later.
 */
void kept_jobs_adopt(void);
/* From time to time the same. */
void kept_jobs_look(void);

/* The library is loaded as the server starts: a worker that looks through all databases. */
void kept_jobs_install(void);

#endif
