/*
 * jobs.h - jobs of this user, whoever started them: what state they are in,
 * waiting for one, ending one, and the publisher's part of a detached one.
 *
 *     running --done, failed, cancelled
 *        |  ^
 *        v  |  job_wait(), which starts a supervisor on the folder
 *       lost   a detached job of which only the folder is left
 *
 *     unpublished   it has learned, and its model is not where it was to go; of an attached job
 *                   unpublished.h writes it, of a detached one job_wait()
 *
 * Everything is read from the job's folder: these calls work while the database
 * that the job belongs to is busy, and from any session of the same user.
 */
#ifndef EXTENSION_ENGINE_JOBS_JOBS_H
#define EXTENSION_ENGINE_JOBS_JOBS_H

#include "extension/engine/host/host.h"
#include "runtime/data/destination.h"

struct job_status {
    struct job_folder folder;
    struct job_row row;             /* zeros before the first group of workers */
    struct destination destination; /* of a detached job */
    bool is_detached, is_running;
    bool is_kept; /* on a cluster, by itself; whoever follows it publishes its model */
    /* The row's, with what it cannot know: LOST where nobody runs a detached job,
     * FAILED where nobody runs an attached one, PUBLISHING until the model is where
     * it is to go, UNPUBLISHED where nobody is about to write it. */
    enum job_state state;
    char error[700]; /* of a state that is none to be glad of */
    char hint[700];
};

/* The host brings its session's `state` and, inside of a server, its jobs. NOT_FOUND
 * also for a folder without a job. */
enum status job_status_read(const struct host *host, int64_t id, struct job_status *status,
                            struct error *err);
bool job_status_is_over(const struct job_status *status);

/*
 * Follow the job until it has ended: its result rows, or its error. One that was
 * lost is continued from its checkpoint first; one whose model could not be
 * written has it written. The host brings program, state and interrupted; an
 * interrupt ends the waiting, not the job.
 */
enum status job_wait(const struct host *host, int64_t id, const struct sink *sink,
                     struct error *err);

/* End a job: one that runs, or one that was lost or whose model is not published, of which then
 * nothing is kept but its books. The host's program ends one that was lost and runs on a cluster.
 */
enum status job_end(const struct host *host, int64_t id, struct error *err);

/*
 * The publisher's part: the model of the job in this folder into the database that
 * was named when it was submitted. What became of it goes into the job's store, so
 * that it can be tried again. Publishing twice changes nothing.
 */
struct publisher {
    void *context;
    /* Opens the database, whose main schema gets the model. */
    enum status (*open)(void *context, const char *database, const struct host **host,
                        struct error *err);
    /* It is in the database, and nobody was told. NULL: nobody asks. */
    void (*delivered)(void *context, int64_t tries);
};
enum status job_publish(const char *folder, const struct publisher *publisher, struct error *err);

/*
 * Jobs as tables, for SQL: totrain_jobs has a row a job, the others those of each
 * job's store behind the id of the job. `only`: the one job that is asked for; 0 all.
 */
#define JOB_TABLE_COLUMNS_MAX 22
enum job_table {
    JOB_TABLE_JOBS,
    JOB_TABLE_WORKERS,
    JOB_TABLE_EVENTS,
    JOB_TABLE_METRICS,
    JOB_TABLE_SHARDS
};
const char *job_table_name(enum job_table table);
/* Their number; the names are static. */
size_t job_table_columns(enum job_table table, const char *names[JOB_TABLE_COLUMNS_MAX]);
enum status job_table_rows(const struct host *host, enum job_table table, int64_t only,
                           const struct sink *sink, struct error *err);

#endif
