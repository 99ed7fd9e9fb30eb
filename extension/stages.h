/*
 * stages.h - what the files of the engine show each other.
 */
#ifndef ENGINE_STAGES_H
#define ENGINE_STAGES_H

#include "codegen/codegen.h"
#include "engine/host.h"
#include "engine/jobs.h"
#include "planner/plan.h"

/* train.c */
enum status train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err);

/* trained.c: the model that the job left, checked as any stored model is, and
 * with it the rows that TRAIN ends with, which SHOW TRAIN finds in any copy. */
enum status trained_model_read(struct jobstore *store, struct arena *arena, struct model *model,
                               struct error *err);
struct train_facts {
    int64_t job, version, rows; /* version 0: not known, and not shown, nor are the rows */
    double seconds;
};
enum status train_result_put(struct jobstore *store, const struct train_facts *facts,
                             const struct sink *sink, struct error *err);

/* submit.c: a detached job over the spools of the folder; its id is the result.
 * On an error nothing runs, and the folder is still the caller's. */
enum status job_submit(const struct host *host, const struct plan *plan, struct job_folder *folder,
                       const struct jobspec *spec, const struct sink *sink, struct error *err);

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
