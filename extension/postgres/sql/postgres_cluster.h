/*
 * postgres_cluster.h - jobs on Kubernetes whose tables are in this database
 * (extension/engine/jobs/cluster_job.h).
 *
 * The transactions are the door's: in the server all of it happens in the one that runs, which
 * host_jobs.rows_read ends and begins again; over libpq each call has one of its own.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/sql/sql_host.h"

struct postgres_cluster {
    struct sql_host *host;
    const char *schema, *login; /* for the jobs' tables: settings totrain.job_schema, job_login */
    struct host_cluster seam;
};

/* All but describe and hold, which are the door's. host.cluster is set. */
void postgres_cluster_init(struct postgres_cluster *cluster, struct sql_host *host,
                           const char *schema, const char *login);
/* The transaction that it reads in, where one runs, stays the caller's. */
enum status postgres_cluster_read_reports(void *self, int64_t number, int64_t *after,
                                          const struct report_reader *reader, struct error *err);
enum status postgres_cluster_collect(void *self, int64_t number,
                                     const struct collection *collection, const struct sink *sink,
                                     struct error *err);
void postgres_cluster_discard(void *self, int64_t number, const struct sink *sink);
