/*
 * score_deliver.h - the publisher's side of a detached job that scored: its table into the
 * database, once.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "jobspec/jobspec.h"

/* From the job's folder into the host's tables, where a publisher before has not done so and been
 * killed before it could say it. */
struct delivery_order {
    const struct job_folder *folder;
    const struct jobspec *spec;
    struct jobstore *store;
    struct slice schema; /* the tables' schema; size 0: where the host makes tables */
    struct slice mark;   /* the tables' mark: host_marks */
    bool is_first;       /* no publisher has tried before */
};
enum status score_job_deliver(const struct host *host, const struct delivery_order *order,
                              uint64_t *rows, struct error *err);
/* Has a publisher before this one written it? */
bool score_job_is_delivered(const struct host *host, const struct delivery_order *order);
/* The mark of a job's tables: no other job has this number and began at this time. */
enum status score_job_mark(const struct job_row *row, struct arena *arena, struct slice *mark,
                           struct error *err);

/* The same of a job on a cluster, from the tables of that number, by host_cluster.collect. The
 * folder has its store, its rows, and where the table is to go (unpublished.h). */
enum status score_job_collect(const struct host *host, int64_t number,
                              const struct job_folder *folder, const struct jobspec *spec,
                              uint64_t *rows, const struct sink *sink, struct error *err);
