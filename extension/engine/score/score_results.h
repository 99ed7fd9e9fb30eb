/*
 * score_results.h - what workers have scored, from the job's store: into the target's tables row by
 * row in the order of the SELECT, or added up to metrics.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/engine/rows/bad_rows.h"
#include "jobspec/jobspec.h"
#include "scoring/metrics.h"

/* A job's rows, mapped: they can be unlinked then. */
struct scored {
    const struct jobspec *spec; /* NULL: closed */
    struct arena arena;
    struct spool rows;
    struct slice faults; /* rows that the session knows to be bad, in order: u64 number, sized
                            reason, which stands for what a worker says */
};
enum status scored_open(struct scored *scored, const char *folder, const struct jobspec *spec,
                        struct error *err);
void scored_close(struct scored *scored);

/* fills: the target, then the table of bad rows where the job keeps some. */
enum status scored_fill(const struct scored *scored, const struct host *host,
                        struct jobstore *store, struct fill *fills, size_t count,
                        struct error *err);
/* PREDICT whose rows are the result: to the sink, which has its columns unless the host keeps the
 * rows. `query` is what gives them then (lower_predict.h), and is not looked at otherwise. */
enum status scored_show(const struct scored *scored, const struct host *host,
                        struct jobstore *store, struct slice query, const struct sink *sink,
                        struct error *err);
/* How many rows each of the two tables gets. */
enum status scored_count(const struct scored *scored, struct jobstore *store, uint64_t rows[2],
                         struct error *err);
/* `bad` gets the rows that are left out; NULL: nobody asks which, and INVALID where all are. */
enum status scored_measure(const struct scored *scored, struct jobstore *store,
                           struct metrics *metrics, struct bad_rows *bad, struct error *err);
