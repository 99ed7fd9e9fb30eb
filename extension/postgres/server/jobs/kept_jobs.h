/*
 * kept_jobs.h - jobs that no session waits for, and what follows them: the lives "kept by the
 * server" and "detached in a server" (extension/engine/jobs/life.h).
 *
 *     session --kept_jobs_take--> folder: caller.json, detached    returns
 *     background worker, as the caller: follows the job --> writes what it made, ends
 *          |  ends in another way, also with the server
 *          v
 *     no follower --kept_jobs_adopt, or a start of the server--> another worker: the same again
 *
 * A job on this machine stops with its worker, and goes on with the next one; one on a cluster has
 * cluster.json, its Job goes on by itself, and at the end its tables are dropped.
 *
 * A worker for each job, of max_worker_processes. The one that holds the folder's lock follows; a
 * second finds it taken and ends. After an exit with an error, as pg_terminate_backend or a crash
 * of the server cause it, the postmaster starts it again.
 */
#pragma once

#include "extension/postgres/server/jobs/door.h"

/* The folder is a kept job's, and its lock is free: from now on a worker of the current role
 * follows it, which has the lock when this returns (or some seconds have passed). Throws where no
 * background worker is left. */
void kept_jobs_take(const struct job_folder *folder);

/* The same in this process, which has become the caller, is in no transaction, and holds the
 * folder, which may be left. Its caller.json is written. */
void kept_jobs_follow(struct job_folder *folder);

/* Starts workers for jobs of this database without a follower; where none is left, later. */
void kept_jobs_adopt(void);
/* From time to time the same. */
void kept_jobs_look(void);

/* The library is loaded as the server starts: a worker that looks through all databases. */
void kept_jobs_install(void);
