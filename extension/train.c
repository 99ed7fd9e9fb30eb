/*
 * SELECT ... TO TRAIN: rows into the job's folder, processes over them, and
 * what they leave in job.db into the user's database.
 */
#include <stdio.h>
#include <time.h>

#include "engine/stages.h"

/* Below it, starting and meeting take longer than learning
 * (docs/decisions/0008-one-process.md). */
#define SMALL_JOB_WORK 2e9

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Multiplications a row: a category adds one row of the first layer, whatever
 * its vocabulary. */
static double work_per_row(const struct plan *plan)
{
    double width = (double)plan->input_count, work = 0;

    for (uint32_t i = 0; i < plan->training.hidden_layers; i++) {
        work += width * plan->training.hidden_units[i];
        width = plan->training.hidden_units[i];
    }
    return work + width * (plan->training.n_classes > 1 ? plan->training.n_classes : 1);
}

/* A small job of one worker has its master and its worker in the supervisor: to
 * start them apart takes longer than the job, and with one worker there is
 * nobody who could go on where the other died. */
static void choose_processes(const struct plan *plan, uint64_t rows, struct jobspec *spec)
{
    const double work = work_per_row(plan) * (double)rows * plan->training.epochs;

    spec->in_one_process = spec->max_workers == 1 && work < SMALL_JOB_WORK;
}

/* An end that we did not foresee: say where to look. */
static void point_to_log(const struct job_folder *folder, struct error *err)
{
    if (err->hint[0] || err->status == STATUS_INTERRUPTED || err->status == STATUS_INVALID ||
        err->status == STATUS_LIMIT)
        return;
    error_hint(err, "The job's log is %.400s/log.", folder->path);
}

static enum status publish(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, struct jobstore *store,
                           struct model *model, struct error *err)
{
    struct publication publication = {.model = model, .job = folder->id, .store = store};
    enum status status =
        host->publish(host->self, plan->into_schema, plan->into_name, &publication, err);

    if (status != STATUS_OK && status != STATUS_INTERRUPTED)
        error_hint(err, "Nothing was changed. The trained model stays in %.400s/job.db.",
                   folder->path);
    return status;
}

static enum status put_result(struct jobstore *store, const struct job_folder *folder,
                              const struct model *model, double started, const struct sink *sink,
                              struct error *err)
{
    struct train_facts facts = {.job = folder->id,
                                .version = model->version,
                                .rows = (int64_t)model->rows,
                                .seconds = seconds_now() - started};

    return train_result_put(store, &facts, sink, err);
}

static enum status collect(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, double started, const struct sink *sink,
                           struct error *err)
{
    char path[PATH_MAX];
    struct jobstore *store;
    struct arena arena;
    struct model model;
    enum status status;

    TRY(job_folder_file(folder, "job.db", path, err));
    TRY(jobstore_open(path, true, &store, err));
    arena_init(&arena, MODEL_ARENA_MAX);
    status = trained_model_read(store, &arena, &model, err);
    if (status == STATUS_OK)
        status = publish(host, plan, folder, store, &model, err);
    if (status == STATUS_OK)
        status = put_result(store, folder, &model, started, sink, err);
    arena_deinit(&arena);
    jobstore_close(store);
    return status;
}

/* When the job has said that it is done its model is stored: it is collected
 * while the supervisor gives back its memory and throws the rows away. */
static enum status run_job(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, const struct jobspec *spec,
                           double started, const struct sink *sink, struct error *err)
{
    struct job_process process;
    enum status status;

    TRY(job_launch(host->program, folder, spec, &process, err));
    status = job_follow(host, &process, sink, err);
    if (status == STATUS_OK)
        status = collect(host, plan, folder, started, sink, err);
    else
        point_to_log(folder, err);
    job_close(&process);
    return status;
}

/* Everything before a process is started. */
static enum status prepare(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, const struct sink *sink,
                           struct arena *arena, struct jobspec *spec, struct error *err)
{
    const struct spool_request request = {host, plan, folder, sink, launch_cores()};
    uint64_t rows = 0;

    TRY(spool_inputs(&request, arena, &rows, err));
    TRY(lower_train(plan, arena, spec, err));
    choose_processes(plan, rows, spec);
    return STATUS_OK;
}

enum status train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err)
{
    double started = seconds_now();
    struct job_folder folder;
    struct jobspec spec;
    enum status status;

    TRY(host->check_target(host->self, plan->into_schema, plan->into_name, TARGET_MODEL, err));
    if (plan->training.tensorboard.size > 0)
        TRY(log_folder_make(plan->training.tensorboard, err));
    TRY(job_folder_begin(host, &folder, err));
    status = prepare(host, plan, &folder, sink, arena, &spec, err);
    if (status == STATUS_OK && host->rows_read)
        status = host->rows_read(host->self, err);
    if (status == STATUS_OK && !plan->training.wait) {
        status = job_submit(host, plan, &folder, &spec, sink, err);
        if (status == STATUS_OK)
            return STATUS_OK;
    }
    if (status != STATUS_OK) {
        job_folder_remove(&folder);
        return status;
    }
    status = run_job(host, plan, &folder, &spec, started, sink, err);
    job_folder_clean(&folder);
    return status;
}
