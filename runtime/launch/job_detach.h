/*
 * job_detach.h - a job without a session: its supervisor outlives the process that starts it.
 */
#pragma once

#include "base/error.h"
#include "runtime/launch/job_folder.h"

/* Spawn a supervisor that outlives this process, on a folder with a job.json: a
 * new job, or one that no process runs any more. Returns when it answers requests
 * (control.h), with its own error when it cannot begin. */
enum status job_detach(const char *program, const struct job_folder *folder, struct error *err);
