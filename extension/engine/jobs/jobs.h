/*
 * jobs.h - jobs of this user, started by any session: their states, and how to end one.
 *
 *     running --done, failed, cancelled
 *        |  ^
 *        v  |  job_wait(), which starts a supervisor on the folder
 *       lost   a detached job of which only the folder is left
 *
 *     unpublished   it has learned, and its model is not in its database; of an attached job
 *                   unpublished.h writes it, of a detached one job_wait()
 *
 * Everything is read from the job's folder: these calls work while the database
 * that the job belongs to is busy, and from any session of the same user.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/engine/jobs/life.h"
#include "runtime/data/store/destination.h"

struct job_status {
    struct job_folder folder;
    struct job_row row;             /* zeros before the first group of workers */
    struct destination destination; /* set for a detached job */
    const struct job_life *life;    /* NULL where job_cache.h has it of an ended one */
    bool is_running;
    /* The row's, with what it cannot know: LOST where no process runs a detached job, FAILED where
     * none runs an attached one, PUBLISHING until the model is in its database, UNPUBLISHED where
     * no process is about to write it. */
    enum job_state state;
    char error[700]; /* why, of a state that needs it: failed, lost, unpublished, waiting; of one
                        that runs, what others leave to it */
    char hint[700];
};

/* The host brings its session's `state` and, inside of a server, its jobs. NOT_FOUND
 * also for a folder without a job. */
enum status job_status_read(const struct host *host, int64_t id, struct job_status *status,
                            struct error *err);
bool job_status_is_over(const struct job_status *status);

/* Ends a job: one that runs, or one that was lost or whose model is not published; of those only
 * the record stays. The host's program ends one that was lost and runs on a cluster. */
enum status job_end(const struct host *host, int64_t id, struct error *err);
