/*
 * trials.h - tune.trials: a job for each trial, before the one that learns with the best values.
 *
 *     rows of the job --the same files--> trial k --> its metric
 *                                           | the best of them
 *                                           v
 *     rows of the job ----------------> the job, whose store has all trials
 *
 * The rows are read once, by the job itself: a trial's folder has links to its files. Trials run
 * one after the other, each as a job as any other, with as many workers and threads as the
 * statement says; the job itself learns what the best of them has learned, to the bit. One whose
 * values cannot be learned with has failed, and the search goes on. By halving trials run in
 * several stages (planner/training/search.h).
 *
 * With train.folds a trial is as many jobs as there are folds, of the same folds for all trials,
 * and its value is their mean (cross_validation.h). The means and deviations of the best trial are
 * those of the job.
 */
#pragma once

#include "extension/engine/jobs/job_run.h"
#include "extension/engine/rows/column_verdict.h"

struct trials_request {
    struct job *job; /* with the plan of a search */
    const struct statement *statement;
    const struct column_verdict *verdict; /* the verdict about the job's rows */
    uint64_t rows;                        /* count of those that were read */
};

/* When rows and spec of the job are there and none of its processes is. Plan and spec of the job
 * are those of the best trial then. INTERRUPTED, and what no trial is to blame for, end the search;
 * where all trials failed the first one's error is returned. What fails leaves no folder but the
 * job's. */
enum status trials_run(const struct trials_request *request, struct error *err);
