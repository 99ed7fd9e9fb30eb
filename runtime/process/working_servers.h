/*
 * working_servers.h - the role that works for a job whose weights lie on parameter servers: first
 * one that pushes to them (push_worker.h), then the one that trains, for which nothing is left but
 * to measure and to publish the model.
 */
#ifndef RUNTIME_PROCESS_WORKING_SERVERS_H
#define RUNTIME_PROCESS_WORKING_SERVERS_H

#include "runtime/process/working_role.h"

extern const struct working_role pushing_worker;

#endif
