/*
 * stages.h - what the files of the engine show each other.
 */
#ifndef ENGINE_STAGES_H
#define ENGINE_STAGES_H

#include "codegen/codegen.h"
#include "engine/host.h"
#include "planner/plan.h"

/* train.c */
enum status train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err);

/* spooling.c: the plan's SELECT into train.spool, and validation.select into
 * validation.spool, of the job's folder. */
struct spool_request {
    const struct host *host;
    const struct plan *plan;
    const struct job_folder *folder;
    const struct sink *sink; /* for notices */
    uint32_t cores;
};
enum status spool_inputs(const struct spool_request *request, struct arena *arena, uint64_t *rows,
                         struct error *err);

/* follow.c: pass events on until the job has ended; asks it to end when the
 * session is interrupted. The job's own error otherwise. What is left is
 * job_close(). */
enum status job_follow(const struct host *host, struct job_process *process,
                       const struct sink *sink, struct error *err);

/* score.c */
enum status predict_query(const struct plan *plan, struct text *sql, struct error *err);
enum status predict_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                        struct error *err);
enum status evaluate_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                             size_t *count, struct error *err);
enum status evaluate_run(const struct host *host, const struct plan *plan, struct arena *arena,
                         const struct sink *sink, struct error *err);

/* show.c */
enum status explain_run(const struct plan *plan, struct arena *arena, const struct sink *sink,
                        struct error *err);
enum status show_train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err);
enum status show_jobs_run(const struct host *host, const struct sink *sink, struct error *err);
enum status show_attributes_run(const struct plan *plan, const struct sink *sink,
                                struct error *err);

#endif
