/*
 * working_scoring.h - the scorer (scorer_role.h) as the role that works for a job which scores a
 * table.
 */
#ifndef RUNTIME_PROCESS_WORKING_SCORING_H
#define RUNTIME_PROCESS_WORKING_SCORING_H

#include "runtime/process/working_role.h"

extern const struct working_role scoring_worker;

#endif
