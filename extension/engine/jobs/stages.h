/*
 * stages.h - what the files of the engine show each other.
 */
#ifndef EXTENSION_ENGINE_JOBS_STAGES_H
#define EXTENSION_ENGINE_JOBS_STAGES_H

#include "codegen/codegen.h"
#include "extension/engine/host/host.h"
#include "extension/engine/jobs/jobs.h"
#include "extension/engine/rows/direct.h"
#include "planner/plan.h"

/* train.c */
enum status train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err);

/* trained.c: the model in a job's store, checked as any stored model is. */
enum status job_model_read(struct jobstore *store, struct arena *arena, struct model *model,
                           struct error *err);
/* The same of a job that has trained it, and with it the rows that TRAIN ends with, which SHOW
 * TRAIN finds in any copy. */
enum status trained_model_read(struct jobstore *store, struct arena *arena, struct model *model,
                               struct error *err);
struct train_facts {
    int64_t job, version, rows; /* 0: not known, and not shown */
    double seconds;
    int64_t bad_rows; /* -1: nobody counted them, and they are not shown */
};
enum status train_result_put(struct jobstore *store, const struct train_facts *facts,
                             const struct sink *sink, struct error *err);

/* submit.c: a detached job over the spools of the folder; its id is the result, of
 * a job that scores with its table. On an error nothing runs, and the folder is still
 * the caller's. */
enum status job_submit(const struct host *host, const struct plan *plan, struct job_folder *folder,
                       const struct jobspec *spec, const struct sink *sink, struct error *err);
enum status score_job_submit(const struct host *host, const struct plan *plan,
                             struct job_folder *folder, const struct jobspec *spec,
                             const struct sink *sink, struct error *err);

/* staged.c: the rows and the spec of the folder into tables, whose number is the result. The folder
 * stays the caller's. */
enum status job_stage(const struct host *host, const struct plan *plan,
                      const struct job_folder *folder, struct jobspec *spec,
                      const struct sink *sink, struct error *err);

/* spooling.c: the plan's SELECT into train.spool, and validation.select into
 * validation.spool, of the job's folder. */
struct spool_request {
    const struct host *host;
    const struct plan *plan;
    const struct job_folder *folder;
    const struct sink *sink; /* for notices */
    uint32_t cores;
    struct bad_rows *bad; /* what takes them; NULL: the first is an error */
};
enum status spool_inputs(const struct spool_request *request, struct arena *arena, uint64_t *rows,
                         struct error *err);

/* What the spools hold of the plan's SELECT, and of validation.select where there is one
 * (*count 2): for whoever reads the rows instead. */
struct spool_cells {
    struct slice select;
    struct query query;           /* what it returns */
    struct spool_column *spooled; /* (count) */
    int *columns;                 /* (count): of the query, or behind them of its vectors */
    size_t count;
};
enum status spool_list_cells(const struct host *host, const struct plan *plan, struct arena *arena,
                             struct spool_cells cells[2], size_t *count, struct error *err);

/* direct.c: which tables the workers of a job with job.read = 'direct' are to read, and how; also
 * as a file of the folder. UNSUPPORTED, PERMISSION with the reason why not. */
enum status direct_prepare(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, struct arena *arena,
                           struct direct_order *order, struct error *err);

/* follow.c: the folder of a job that is about to begin, which the host has admitted. */
enum status job_folder_begin(const struct host *host, struct job_folder *folder, struct error *err);

/* follow.c: job_launch, within the limits that the host has for its jobs. */
enum status job_start(const struct host *host, const struct job_folder *folder,
                      const struct jobspec *spec, struct job_process *process, struct error *err);
/* The same of a folder whose job.json is there. */
enum status job_resume(const struct host *host, const struct job_folder *folder,
                       struct job_process *process, struct error *err);

/* follow.c: pass events on until the job has ended; asks it to end when the
 * session is interrupted. The job's own error otherwise. What is left is
 * job_close(). */
enum status job_follow(const struct host *host, struct job_process *process,
                       const struct sink *sink, struct error *err);
/* The same; a supervisor that ended without a word is no failure of a job whose store says that
 * it is done. */
enum status job_follow_stored(const struct host *host, const struct job_folder *folder,
                              struct job_process *process, const struct sink *sink,
                              struct error *err);

/* score.c */
enum status predict_query(const struct plan *plan, struct text *sql, struct error *err);
enum status predict_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                        struct error *err);
enum status evaluate_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                             size_t *count, struct error *err);
enum status evaluate_run(const struct host *host, const struct plan *plan, struct arena *arena,
                         const struct sink *sink, struct error *err);

/* show.c */
enum status explain_run(const struct host *host, const struct plan *plan, struct arena *arena,
                        const struct sink *sink, struct error *err);
enum status show_train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err);
enum status show_jobs_run(const struct host *host, const struct sink *sink, struct error *err);
enum status show_attributes_run(const struct plan *plan, const struct sink *sink,
                                struct error *err);

/* What both ways to score a table end with (score.c). */
double score_seconds_now(void);
enum status score_check_targets(const struct host *host, const struct plan *plan,
                                struct error *err);
/* The table that the plan's statement writes. */
struct table_target score_target(const struct plan *plan);
enum status score_target_row(struct slice table, uint64_t rows, double started,
                             const struct sink *sink, struct error *err);
/* What a metric does not say by itself. */
void metric_notices(const struct slice *names, size_t count, uint32_t classes,
                    uint64_t unknown_rows, const struct sink *sink);
/* cells: the loss, then the plan's metrics. */
enum status evaluation_put(const struct host *host, const struct plan *plan,
                           const struct cell *cells, double started, struct arena *arena,
                           const struct sink *sink, struct error *err);
/* The statements that make PREDICT's tables. */
struct predict_tables {
    struct text create, quarantine_create; /* the latter empty without such a table */
};
void predict_tables_init(struct predict_tables *tables);
void predict_tables_deinit(struct predict_tables *tables);
enum status predict_tables_lower(const struct plan *plan, struct predict_tables *tables,
                                 struct error *err);

/* A metric as a result has it: NULL where it is no number, or none that a double
 * holds, as in what TRAIN returns. */
struct cell metric_cell(double value);

#endif
