/*
 * worker_process.h - the process of a worker: the role that works for its job (working.h), its
 * network, its lifeline.
 */
#pragma once

#include "runtime/process/role/roles.h"

/* Returns the exit code. */
int run_worker(const struct role_options *options);
