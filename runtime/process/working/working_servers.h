/*
 * working_servers.h - the worker that pushes (push_worker.h) as the role that works for a job over
 * parameter servers; the one that trains follows it.
 */
#pragma once

#include "runtime/process/working/working_role.h"

extern const struct working_role pushing_worker;
