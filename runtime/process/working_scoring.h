/*
 * working_scoring.h - the scorer (scorer_role.h) as the role that works for a job which scores a
 * table, or which stages the rows that it trains on.
 */
#ifndef RUNTIME_PROCESS_WORKING_SCORING_H
#define RUNTIME_PROCESS_WORKING_SCORING_H

#include "runtime/process/working_role.h"

extern const struct working_role scoring_worker;
/* The one that trains follows it. */
extern const struct working_role staging_worker;

#endif
