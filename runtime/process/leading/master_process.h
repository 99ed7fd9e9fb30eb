/*
 * master_process.h - the process of the role that leads a job (leader.h): its network, its
 * launcher, its exit code.
 *
 *     started by           its launcher                    exit code
 *     supervisor           lifeline_launcher.c             of the status (base/error.h)
 *     a cluster            role_options.launcher (Pods)    0: done, 1: the job has failed,
 *                                                          anything else: start another master
 */
#pragma once

#include "runtime/process/role/roles.h"

/* Returns the exit code. */
int run_master(const struct role_options *options);
