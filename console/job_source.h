/*
 * job_source.h - jobs as the console shows them, whichever database they belong to.
 *
 *     SQLite       the folders of this user's jobs, read without a database
 *     PostgreSQL   the views totrain.jobs and so on, with the rights of the login
 *
 * `owner` is the role whose job it is, where that is not the caller; "" else. All of it is for one
 * thread at a time.
 */
#pragma once

#include "extension/engine/jobs/job_listing.h"

/* Columns of source_jobs: owner, then those of totrain_jobs (job_listing.h) without database and
 * metrics. The owner is NULL for the caller's own. */
#define SOURCE_JOB_COLUMNS (1 + JOB_TABLE_COLUMNS_MAX - 2)
void source_job_columns(const char *names[SOURCE_JOB_COLUMNS]);

struct source_job {
    const char *owner;
    int64_t id;
};

enum status source_jobs(const struct host *host, const struct sink *sink, struct error *err);
/* role, index, state, lanes, rows_per_second */
enum status source_workers(const struct host *host, const struct source_job *job,
                           const struct sink *sink, struct error *err);
/* at, role, index, event, detail; in the order of time */
enum status source_events(const struct host *host, const struct source_job *job,
                          const struct sink *sink, struct error *err);
/* epoch, step, metric, part, value; in the order of steps */
enum status source_metrics(const struct host *host, const struct source_job *job,
                           const struct sink *sink, struct error *err);

/* Appends lines of the log from byte `from` on, `most` bytes or fewer; *next: the byte behind them.
 * NOT_FOUND for a job without a log, as those of a cluster are. */
enum status source_log(const struct host *host, const struct source_job *job, uint64_t from,
                       size_t most, struct text *out, uint64_t *next, struct error *err);

enum status source_cancel(const struct host *host, const struct source_job *job, struct error *err);
/* workers, servers: 0: as they are. */
enum status source_scale(const struct host *host, const struct source_job *job, int64_t workers,
                         int64_t servers, struct error *err);
