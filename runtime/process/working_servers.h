/*
 * working_servers.h - the worker that pushes (push_worker.h) as the role that works for a job over
 * parameter servers; the one that trains follows it.
 */
#ifndef RUNTIME_PROCESS_WORKING_SERVERS_H
#define RUNTIME_PROCESS_WORKING_SERVERS_H

#include "runtime/process/working_role.h"

extern const struct working_role pushing_worker;

#endif
