/*
 * supervise_alone.h - a job of one worker: master and worker share the supervisor's loop.
 */
#pragma once

#include "runtime/role/job.h"

/* Returns the exit code. `sockets`: a folder for the control socket. */
int supervise_alone(const struct job *job, const char *sockets, bool is_detached);
