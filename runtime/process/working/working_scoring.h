/*
 * working_scoring.h - the scorer (scorer_role.h) as the role that works for a job which scores a
 * table, or which stages the rows that it trains on.
 */
#pragma once

#include "runtime/process/working/working_role.h"

extern const struct working_role scoring_worker;
/* The one that trains follows it. */
extern const struct working_role staging_worker;
