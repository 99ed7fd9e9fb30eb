/*
 * cross_validation.h - train.folds: a job for each fold, before the one that learns from all rows.
 *
 *     rows of the job --fold k held out--> job k --> its metrics, and how long it learned
 *                                                        | mean and deviation over the folds
 *                                                        v
 *     rows of the job -------------------------------> the job, whose store has them
 *
 * The rows are read once, by the job itself. Those of each fold are written anew from its spool
 * (runtime/data/folds.h), train in a job of its own with a number of its own, and are thrown away
 * with its folder. Where training stops early the job learns as long as the folds' best models did
 * in the mean, since it has no rows to stop by.
 */
#ifndef EXTENSION_ENGINE_JOBS_CROSS_VALIDATION_H
#define EXTENSION_ENGINE_JOBS_CROSS_VALIDATION_H

#include "extension/engine/jobs/job_run.h"

/* Of a plan with folds, when rows and spec of the job are there and none of its processes is. What
 * fails leaves no folder but the job's. */
enum status cross_validate(struct job *job, struct error *err);

#endif
