/*
 * score_job.h - PREDICT and EVALUATE by a job of workers, as the engine sees it.
 *
 *     SELECT --rows.spool--> job --shards of job.db--> target, metrics, or rows
 */
#pragma once

#include "extension/engine/score/evaluation.h"
#include "extension/engine/score/score_results.h"
#include "planner/plan/plan.h"

/* *has_begun: its rows and its model are in its folder. Before that the session
 * could score them as well. */
enum status score_job_run(const struct host *host, const struct plan *plan, struct arena *arena,
                          const struct sink *sink, bool *has_begun, struct error *err);

/* A table that the job's results go to: 0 the rows, 1 the bad ones. */
enum status score_job_target(struct jobstore *store, const struct jobspec *spec, int position,
                             struct arena *arena, struct fill *fill, struct error *err);
/* The metrics that the spec asks EVALUATE for. `bad` as scored_measure takes it. `sink` is for
 * notices; NULL: none. */
enum status score_job_metrics(const struct scored *scored, struct jobstore *store,
                              struct arena *arena, struct bad_rows *bad, const struct stop *stop,
                              const struct sink *sink, struct evaluation_rows *rows,
                              struct error *err);
