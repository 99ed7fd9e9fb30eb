/*
 * job_spec.h - job.json in a job's folder.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/launch/job_folder.h"

/* Write job.json, with its checksum. job_launch does so itself. */
enum status job_write_spec(const struct job_folder *folder, const struct jobspec *spec,
                           struct error *err);

/* And back. The text, born with JOBSPEC_BYTES_MAX, gets the file's bytes. CORRUPT: it is not what
 * was written. A file without a checksum, of an older version, is read. */
enum status job_read_spec(const char *folder, struct arena *arena, struct jobspec *spec,
                          struct text *json, struct error *err);
/* The same, for callers that do not need the text. */
enum status job_load_spec(const char *folder, struct arena *arena, struct jobspec *spec,
                          struct error *err);
