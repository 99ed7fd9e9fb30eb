/*
 * score_job.h - PREDICT and EVALUATE by a job of workers, as the engine sees it.
 *
 *     SELECT --rows.spool--> job --shards of job.db--> target, or metrics
 */
#ifndef EXTENSION_ENGINE_SCORE_SCORE_JOB_H
#define EXTENSION_ENGINE_SCORE_SCORE_JOB_H

#include "extension/engine/jobs/stages.h"
#include "runtime/data/shardstore.h"
#include "scoring/metrics.h"

/* score_choice.c: PREDICT and EVALUATE, by workers where job.* asks for them, and by
 * itself where it pays: then it says so, and goes on in the session where no job can be
 * made. */
enum status score_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err);
/* Who would score, and why: EXPLAIN's line. */
struct score_choice {
    bool by_workers;
    char why[200];
};
void score_choose(const struct host *host, const struct plan *plan, struct score_choice *choice);
double score_work_per_row(const struct model *model); /* multiplications, about */
/* What a row costs that goes to workers and comes back, in multiplications of a model in the
 * session: score_choice.c. */
#define SCORE_TRAVEL_PREDICT  20000.0
#define SCORE_TRAVEL_KEPT     200000.0 /* where the host keeps the rows (host.h) */
#define SCORE_TRAVEL_EVALUATE 150000.0
/* On so many processors, that much faster than in the session. Public for its test. */
bool score_pays(double travel, uint64_t rows, double work_per_row, uint32_t cores);
/* job.max_workers where the statement does not say it (wanted 0): the cores,
 * within what the host allows (0: anything). Public for its test. */
uint32_t score_most_workers(uint32_t wanted, uint32_t least, uint32_t cores, uint32_t limit);

/* score_job.c */

/* *has_begun: its rows and its model are in its folder. Before that the session
 * could score them as well. */
enum status score_job_run(const struct host *host, const struct plan *plan, struct arena *arena,
                          const struct sink *sink, bool *has_begun, struct error *err);
/* A table that the job's results go to: 0 the rows, 1 the bad ones. */
enum status score_job_target(struct jobstore *store, const struct jobspec *spec, int position,
                             struct arena *arena, struct fill *fill, struct error *err);
struct scored;
/* The loss, then the metrics of the spec: so many cells. `sink` is for notices; NULL: none. */
enum status score_job_metrics(const struct scored *scored, struct jobstore *store,
                              struct arena *arena, const struct sink *sink, struct cell *cells,
                              struct error *err);

/* score_deliver.c */

/* For the publisher of a detached job: from its folder into the host's tables, where a
 * publisher before has not done so and been killed before it could say it. */
struct delivery_order {
    const char *folder;
    const struct jobspec *spec;
    struct jobstore *store;
    struct slice mark; /* of the tables; see has_mark in host.h */
    bool is_first;     /* nobody has tried before */
};
enum status score_job_deliver(const struct host *host, const struct delivery_order *order,
                              uint64_t *rows, struct error *err);

/* score_results.c: a job's rows, mapped: they can be unlinked then. */
struct scored {
    const struct jobspec *spec;
    struct arena arena;
    struct spool rows;
    struct slice faults; /* of rows that the session knows to be bad, in order: u64 number, sized
                            reason, which stands for what a worker says */
};
enum status scored_open(struct scored *scored, const char *folder, const struct jobspec *spec,
                        struct error *err);
void scored_close(struct scored *scored);
/* fills: the target, then the table of bad rows where the job keeps some. */
enum status scored_fill(const struct scored *scored, const struct host *host,
                        struct jobstore *store, struct fill *fills, size_t count,
                        struct error *err);
/* How many rows each of the two tables gets. */
enum status scored_count(const struct scored *scored, struct jobstore *store, uint64_t rows[2],
                         struct error *err);
enum status scored_measure(const struct scored *scored, struct jobstore *store,
                           struct metrics *metrics, struct error *err);

#endif
