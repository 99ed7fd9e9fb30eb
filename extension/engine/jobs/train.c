/*
 * SELECT ... TO TRAIN: rows into the job's folder, processes over them, and
 * what they leave in job.db into the user's database.
 */
#include <stdio.h>
#include <time.h>

#include "extension/engine/jobs/cluster.h"
#include "extension/engine/jobs/stages.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/engine/rows/bad_rows.h"

/* Below it, starting and meeting take longer than learning
 * (docs/decisions/0011-own-products.md). */
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

static void keep_unpublished(const struct host *host, const struct job_folder *folder,
                             struct error *err)
{
    char why[sizeof err->message];

    snprintf(why, sizeof why, "the model could not be written: %.200s", err->message);
    unpublished_note(folder, why);
    unpublished_hint(host, folder, err);
}

static enum status publish(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, struct jobstore *store,
                           struct model *model, struct error *err)
{
    struct publication publication = {.model = model, .job = folder->id, .store = store};
    enum status status =
        host->models->publish(host->self, plan->into_schema, plan->into_name, &publication, err);

    if (status == STATUS_OK)
        return unpublished_written(host, folder, err);
    keep_unpublished(host, folder, err);
    return status;
}

/* What the result says besides what the job left. */
struct course {
    double started;
    int64_t bad_rows; /* -1: the first would have been an error */
};

static enum status put_result(struct jobstore *store, const struct job_folder *folder,
                              const struct model *model, const struct course *course,
                              const struct sink *sink, struct error *err)
{
    struct train_facts facts = {.job = folder->id,
                                .version = model->version,
                                .rows = (int64_t)model->rows,
                                .seconds = seconds_now() - course->started,
                                .bad_rows = course->bad_rows};

    return train_result_put(store, &facts, sink, err);
}

static enum status collect(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, const struct course *course,
                           const struct sink *sink, struct error *err)
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
    if (status == STATUS_OK) {
        metric_notices(plan->metrics, plan->metric_count, model.labels.count, 0, sink);
        status = put_result(store, folder, &model, course, sink, err);
    }
    arena_deinit(&arena);
    jobstore_close(store);
    return status;
}

/* When the job has said that it is done its model is stored: it is collected
 * while the supervisor gives back its memory and throws the rows away. */
static enum status run_job(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, const struct jobspec *spec,
                           const struct course *course, const struct sink *sink, struct error *err)
{
    struct job_process process;
    enum status status;

    TRY(unpublished_begin(host, folder, plan->into_schema, plan->into_name, err));
    TRY(job_start(host, folder, spec, &process, err));
    status = job_follow_stored(host, folder, &process, sink, err);
    if (status == STATUS_OK) {
        status = collect(host, plan, folder, course, sink, err);
    } else {
        unpublished_remove(folder);
        point_to_log(folder, err);
    }
    job_close(&process);
    return status;
}

static enum status spool_and_put_aside(const struct host *host, const struct plan *plan,
                                       const struct job_folder *folder, const struct sink *sink,
                                       struct arena *arena, uint64_t *rows, struct course *course,
                                       struct error *err)
{
    struct spool_request request = {host, plan, folder, sink, launch_cores(), NULL};
    struct bad_rows bad;
    enum status status;

    if (plan->bad_rows == BAD_ROWS_ERROR)
        return spool_inputs(&request, arena, rows, err);
    bad_rows_init(&bad, host, plan);
    request.bad = &bad;
    status = spool_inputs(&request, arena, rows, err);
    if (status == STATUS_OK)
        status = bad_rows_write(&bad, sink, err);
    course->bad_rows = (int64_t)bad.count;
    bad_rows_deinit(&bad);
    return status;
}

/* Everything before a process is started. */
static enum status prepare(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, const struct sink *sink,
                           struct arena *arena, struct jobspec *spec, struct course *course,
                           struct direct_order *order, struct error *err)
{
    uint64_t rows = 0;

    order->count = 0;
    if (plan->cluster.reads_directly)
        TRY(direct_prepare(host, plan, folder, arena, order, err));
    else
        TRY(spool_and_put_aside(host, plan, folder, sink, arena, &rows, course, err));
    TRY(lower_train(plan, arena, spec, err));
    choose_processes(plan, rows, spec);
    return STATUS_OK;
}

static enum status put_bad_rows(const struct course *course, const struct sink *sink,
                                struct error *err)
{
    if (course->bad_rows < 0)
        return STATUS_OK;
    return sink_row(
        sink, (struct cell[]){cell_string("bad_rows"), cell_integer(course->bad_rows), cell_null()},
        3, err);
}

static enum status check_before(const struct host *host, const struct plan *plan, struct error *err)
{
    const struct table_target target = {
        .schema = plan->into_schema, .name = plan->into_name, .kind = TARGET_MODEL};

    if (host->tables->check_target(host->self, &target, err) != STATUS_OK)
        return error_place(err, plan->aim_position);
    TRY(quarantine_check(host, plan, err));
    return plan->training.tensorboard.size > 0 ? log_folder_make(plan->training.tensorboard, err)
                                               : STATUS_OK;
}

enum status train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err)
{
    struct course course = {.started = seconds_now(), .bad_rows = -1};
    struct cluster_wish wish;
    struct job_folder folder;
    struct jobspec spec;
    enum status status;

    TRY(check_before(host, plan, err));
    if (plan->cluster.is_wanted && !host->catalog.limits.is_staged)
        TRY(cluster_check(host, plan, arena, &wish, err));
    TRY(job_folder_begin(host, &folder, err));
    status = prepare(host, plan, &folder, sink, arena, &spec, &course, &wish.order, err);
    if (host->catalog.limits.is_staged) {
        if (status == STATUS_OK)
            status = job_stage(host, plan, &folder, &spec, sink, err);
        job_folder_remove(&folder);
        return status;
    }
    if (status == STATUS_OK && plan->cluster.is_wanted) {
        TRY(cluster_train(host, plan, &folder, &spec, &wish, sink, err));
        return put_bad_rows(&course, sink, err);
    }
    if (status == STATUS_OK)
        status = host_rows_read(host, err);
    if (status == STATUS_OK && !plan->training.wait) {
        status = job_submit(host, plan, &folder, &spec, sink, err);
        if (status == STATUS_OK)
            return put_bad_rows(&course, sink, err);
    }
    if (status != STATUS_OK) {
        job_folder_remove(&folder);
        return status;
    }
    status = run_job(host, plan, &folder, &spec, &course, sink, err);
    job_folder_clean(&folder);
    return status;
}
