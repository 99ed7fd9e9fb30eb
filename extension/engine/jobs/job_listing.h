/*
 * job_listing.h - jobs as tables: one row a job, and what each job's store lists.
 */
#pragma once

#include "extension/engine/host/host.h"

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
