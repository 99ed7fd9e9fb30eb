/*
 * job_collect.h - what a job on a cluster has left in its tables, by a process that is not its
 * session: the model, or the table whose rows lie in the job's folder.
 */
#pragma once

#include "extension/engine/host/host.h"

/* Into the host's database, by host_cluster.collect: once. Rows (name, value, ...), with `rows`
 * among them. */
enum status job_collect_kept(const struct host *host, int64_t number,
                             const struct job_folder *folder, const struct sink *sink,
                             struct error *err);
/* The results of a job whose table is committed, or never will be: they are as large as it. */
void job_drop_results(const struct job_folder *folder);
