/*
 * leading_scoring.h - the dispatcher (dispatch.h) as the role that leads a job which scores a
 * table.
 */
#ifndef RUNTIME_PROCESS_LEADING_SCORING_H
#define RUNTIME_PROCESS_LEADING_SCORING_H

#include "runtime/process/leading_role.h"

extern const struct leading_role scoring_leader;
/* The leader of the staging of a training job's rows by its workers; the leader of the training
 * follows it. */
extern const struct leading_role staging_leader;

struct job;
struct jobstore;
/* Have leaders before staged all rows? True for a job whose session has. */
bool staging_is_done(const struct job *job, struct jobstore *store);

#endif
