/*
 * working_staging.h - the role that works for a job which trains and whose workers stage its rows:
 * first a scorer (scorer_role.h) whose shards are staged, then the one that trains.
 */
#ifndef RUNTIME_PROCESS_WORKING_STAGING_H
#define RUNTIME_PROCESS_WORKING_STAGING_H

#include "runtime/process/working_role.h"

extern const struct working_role staging_worker;

#endif
