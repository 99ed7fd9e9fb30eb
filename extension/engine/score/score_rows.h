/*
 * score_rows.h - the rows that a host keeps (host_kept_rows) while a job scores them without its
 * session: in the job's folder, from where another session takes them.
 *
 *     kept.spool      the rows
 *     faults.spool    why some of them are bad, which only the first session knew; may be missing
 */
#pragma once

#include "extension/engine/host/host.h"

/* The host no longer keeps them. `faults` as in struct scored. */
enum status score_rows_save(const struct host *host, const struct job_folder *folder,
                            struct slice faults, struct error *err);
/* Into the session of `host`, and what was `faults` into an initialised text. */
enum status score_rows_restore(const struct host *host, const struct job_folder *folder,
                               struct text *faults, struct error *err);
