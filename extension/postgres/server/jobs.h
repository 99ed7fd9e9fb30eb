/*
 * jobs.h - the folders of this server's jobs.
 */
#ifndef EXTENSION_POSTGRES_SERVER_JOBS_H
#define EXTENSION_POSTGRES_SERVER_JOBS_H

#include "extension/postgres/server/compat.h"

#include "runtime/data/jobstore.h"

/* Remove what is left of jobs whose database or role was dropped. */
void jobs_sweep(void);

/* What becomes of a job, where its master has not said it. `statement` where it has no books yet,
 * `why` NULL: nothing is to be said. Throws nothing; what cannot be written is logged. */
void jobs_note(const char *state, int64_t id, const char *statement, enum job_state what,
               const char *why);

/* The same of one that begins; throws where it cannot be written: nobody would hear of the job. */
void jobs_begin(const char *state, int64_t id, const char *statement);

/* The same of one that has failed, whatever its books say. */
void jobs_fail(const char *state, int64_t id, const char *why);

/* The host of statements about jobs in the folders of one role: who knows what became of their
 * models. `state` is borrowed. */
struct host;
void jobs_host_init(struct host *host, const char *state);

/* Folders that are named by a number, in CurrentMemoryContext: databases in the state folder, roles
 * in one of those. */
List *jobs_numbered_folders(const char *path);

#endif
