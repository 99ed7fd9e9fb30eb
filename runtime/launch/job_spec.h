/*
 * job_spec.h - job.json in a job's folder.
 */
#ifndef RUNTIME_LAUNCH_JOB_SPEC_H
#define RUNTIME_LAUNCH_JOB_SPEC_H

#include "jobspec/jobspec.h"

/* And back. The text, born with JOBSPEC_BYTES_MAX, gets the file's bytes. */
enum status job_read_spec(const char *folder, struct arena *arena, struct jobspec *spec,
                          struct text *json, struct error *err);

#endif
