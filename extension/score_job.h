/*
 * score_job.h - PREDICT and EVALUATE by a job of workers, as the engine sees it.
 *
 *     SELECT --rows.spool--> job --shards of job.db--> target, or metrics
 */
#ifndef ENGINE_SCORE_JOB_H
#define ENGINE_SCORE_JOB_H

#include "data/shardstore.h"
#include "engine/stages.h"
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
/* On so many processors, that much faster than in the session. Public for its test. */
bool score_pays(bool is_predict, uint64_t rows, double work_per_row, uint32_t cores);
/* job.max_workers where the statement does not say it (wanted 0): the cores,
 * within what the host allows (0: anything). Public for its test. */
uint32_t score_most_workers(uint32_t wanted, uint32_t least, uint32_t cores, uint32_t limit);

/* score_job.c */

/* *has_begun: its rows and its model are in its folder. Before that the session
 * could score them as well. */
enum status score_job_run(const struct host *host, const struct plan *plan, struct arena *arena,
                          const struct sink *sink, bool *has_begun, struct error *err);
/* For the publisher of a detached job: from its folder into the host's tables. */
struct delivered {
    uint64_t rows; /* of the table */
};
enum status score_job_deliver(const struct host *host, const char *folder,
                              const struct jobspec *spec, struct jobstore *store,
                              struct delivered *delivered, struct error *err);

/* score_results.c: a job's rows, mapped: they can be unlinked then. */
struct scored {
    const struct jobspec *spec;
    struct arena arena;
    struct spool rows;
};
enum status scored_open(struct scored *scored, const char *folder, const struct jobspec *spec,
                        struct error *err);
void scored_close(struct scored *scored);
/* fills: the target, then the table of bad rows where the job keeps some. */
enum status scored_fill(const struct scored *scored, const struct host *host,
                        struct jobstore *store, struct fill *fills, size_t count,
                        struct error *err);
enum status scored_measure(const struct scored *scored, struct jobstore *store,
                           struct metrics *metrics, struct error *err);

#endif
