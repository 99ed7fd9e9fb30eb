/*
 * leading_scoring.h - the dispatcher (dispatch.h) as the role that leads a job which scores a
 * table.
 */
#ifndef RUNTIME_PROCESS_LEADING_SCORING_H
#define RUNTIME_PROCESS_LEADING_SCORING_H

#include "runtime/process/leading_role.h"

extern const struct leading_role scoring_leader;
/* The dispatcher of a job that trains and whose workers stage its rows; the one that trains follows
 * it. */
extern const struct leading_role staging_leader;

#endif
