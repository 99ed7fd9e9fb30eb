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
 *
 * Of a search (trials.h) the rows are dealt once, and each trial is crossed over the same folds.
 */
#pragma once

#include "extension/engine/jobs/job_run.h"
#include "runtime/data/crossed.h"
#include "runtime/data/folds.h"

/* A job's rows, dealt into the folds of its plan. */
struct crossing {
    struct job *job;
    struct folds *folds;
    uint32_t count;
};

/* Opens the folds of a plan that has some, when the job's rows and spec are there and none of its
 * processes is. */
enum status crossing_open(struct job *job, struct crossing *crossing, struct error *err);
void crossing_close(struct crossing *crossing); /* also after crossing_open has failed */

/* Trains and measures a job of each fold by the spec, whose rows are the job's. said: of progress,
 * before "fold 1 of 5"; "" or "trial 1 of 4, ". An error begins with its fold. What fails leaves no
 * folder but the job's. */
enum status crossing_measure(const struct crossing *crossing, const struct jobspec *spec,
                             const char *said, struct crossed *crossed, struct error *err);

/* The scores of the folds that were measured last are those of the job: of what it learns a
 * calibration or a threshold from. */
enum status crossing_prefer(const struct crossing *crossing, struct error *err);

/* Into the job's store; and its spec gets the length that the folds have found. */
enum status crossing_keep(const struct crossing *crossing, const struct crossed *crossed,
                          struct error *err);

/* All of it for one spec: the job's. */
enum status cross_validate(struct job *job, struct error *err);
