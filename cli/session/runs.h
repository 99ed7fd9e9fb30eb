/*
 * runs.h - removes what interrupted runs of a schedule have left.
 *
 *     pod of a run --submits--> Job of the training, owned by the pod, its tables in the database
 *      |  SIGTERM: the Job is deleted, the tables are dropped
 *      |  deleted: the cluster deletes the Job
 *      +- killed: the next run of the same schedule does both, before its own
 *
 * Only Jobs whose pod has failed or is gone are touched: a run that was started by hand beside
 * another does not disturb it.
 */
#pragma once

#include "cli/session/session.h"

/* For the run that the options name (run_of). Errors of the API server and of the database. */
enum status runs_clean(struct session *session, const struct cluster_options *options,
                       struct error *err);

/* The run has failed in a way that would be the same another time: its Job makes no other pod. */
void runs_give_up(const struct cluster_options *options);

/* "POD/UID/JOB". INVALID. Borrows. */
struct run_owner {
    struct slice pod, uid, job;
};
enum status run_owner_read(const struct cluster_options *options, struct run_owner *owner,
                           struct error *err);
