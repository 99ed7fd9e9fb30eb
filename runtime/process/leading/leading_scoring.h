/*
 * leading_scoring.h - the dispatcher (dispatch.h) as the role that leads a job which scores a
 * table.
 */
#pragma once

#include "runtime/process/leading/leading_role.h"

extern const struct leading_role scoring_leader;
/* The dispatcher of a job that trains and whose workers stage its rows; the one that trains follows
 * it. */
extern const struct leading_role staging_leader;
