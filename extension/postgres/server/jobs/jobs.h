/*
 * jobs.h - the folders of this server's jobs.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

#include "runtime/data/store/jobstore.h"

/* Remove what is left of jobs whose database or role was dropped. */
void jobs_sweep(void);

/* Records the state of a job that its master has not recorded. `statement`: for a job without a
 * record yet. `why`: the error; NULL: none. Throws nothing; a failed write is logged. */
void jobs_note(const char *state, int64_t id, const char *statement, enum job_state what,
               const char *why);

/* The same of a job that begins; throws where it cannot be written: the job would be invisible. */
void jobs_begin(const char *state, int64_t id, const char *statement);

/* The same of a job that has failed, whatever its record contains. */
void jobs_fail(const char *state, int64_t id, const char *why);

/* The host of statements about jobs in the folders of one role, which knows what became of their
 * models. `state` is borrowed. */
struct host;
void jobs_host_init(struct host *host, const char *state);

/* May the caller see this role's jobs? Of a role that he may act as; a member of totrain_monitor or
 * totrain_admin of all. */
bool jobs_may_see(Oid owner);

/* May the caller end and publish this role's jobs? Of a role that he may act as; a member of
 * totrain_admin of all but superusers. */
bool jobs_may_manage(Oid owner);

/* Folders that are named by a number, in CurrentMemoryContext: databases in the state folder, roles
 * in one of those. */
List *jobs_numbered_folders(const char *path);
