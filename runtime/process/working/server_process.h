/*
 * server_process.h - the process of a parameter server (runtime/ps/server/server_role.h): its rows'
 * shape from the data set, its snapshots (server_snapshots.h), its network, its lifeline.
 *
 *     OPENING --the data set is open--> RESTORING --its last snapshot is read--> SERVING
 *         '--------'---what no other try mends: the master is told---> SERVING, without rows
 *
 * SIGTERM: it says that it leaves, takes a last snapshot where it takes any, and ends. What was
 * pushed meanwhile is pushed again to its successor.
 */
#pragma once

#include "runtime/process/role/roles.h"

/* Returns the exit code. */
int run_server(const struct role_options *options);
