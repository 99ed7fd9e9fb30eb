/*
 * job_database.h - of which database a job is, so that SHOW JOBS lists those of the session's own.
 *
 * Jobs of a user have one folder for all databases. Each job's folder has the file `database` with
 * what host_session.database said when the job began; of a database without a name, as in memory,
 * there is none.
 */
#pragma once

#include "extension/engine/host/host.h"

/* Into the folder of a job that begins. */
enum status job_database_note(const struct host *host, const struct job_folder *folder,
                              struct error *err);
/* Is the job one of the session's database? A session whose database has no name has all. */
bool job_database_is_ours(const struct host *host, int64_t id);
