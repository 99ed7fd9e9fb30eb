#include "extension/engine/jobs/cross_validation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extension/engine/jobs/side_job.h"
#include "extension/engine/rows/spooling_close.h"
#include "planner/attributes.h"
#include "planner/plan.h"
#include "runtime/data/dataset.h"
#include "runtime/data/fold_results.h"
#include "runtime/data/folds.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/processor.h"

#define METRICS_MEASURED_MAX 64

/* Of one metric, over the folds. */
struct measured {
    char name[WORD_BYTES_MAX + 1];
    double values[FOLDS_MAX];
};

struct crossing {
    struct job *job;
    struct folds *folds;
    uint32_t count, fold;
    struct measured metrics[METRICS_MEASURED_MAX];
    size_t metric_count;
    double epochs; /* of the best models, summed */
    char stage[32];
};

/* ----- rows ----- */

static bool is_stopped(void *context)
{
    const struct host *host = context;

    return host->session.interrupted(host->self);
}

static enum status open_writer(const struct crossing *crossing, const struct job_folder *folder,
                               bool is_validation, struct spool_writer **writer, struct error *err)
{
    const struct job *job = crossing->job;
    const uint32_t threads = job->host->jobs ? 1 : launch_cores();
    const struct spool_order order = dataset_order(&job->spec, is_validation, threads);
    const uint32_t count = folds_columns(crossing->folds);
    struct spool_column *columns = calloc(count, sizeof *columns);
    char path[PATH_MAX];
    enum status status;

    if (!columns)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        columns[i] =
            (struct spool_column){.name = SLICE(""), .type = folds_column_type(crossing->folds, i)};
    status = job_folder_file(folder, is_validation ? "validation.spool" : "train.spool", path, err);
    if (status == STATUS_OK)
        status = spool_writer_open(path, columns, count, 0, writer, err);
    free(columns);
    if (status != STATUS_OK)
        return status;
    status = spool_writer_sort(*writer, &order, err);
    if (status != STATUS_OK)
        spool_writer_abandon(*writer);
    return status;
}

/* As if a SELECT of the other rows had been read, and validation.select of those of the fold. */
static enum status write_rows(void *context, const struct job_folder *folder, struct error *err)
{
    const struct crossing *crossing = context;
    const struct host *host = crossing->job->host;
    struct fold_writers writers = {.is_stopped = is_stopped, .context = (void *)host};
    enum status status;

    TRY(open_writer(crossing, folder, false, &writers.others, err));
    status = open_writer(crossing, folder, true, &writers.fold, err);
    if (status != STATUS_OK) {
        spool_writer_abandon(writers.others);
        return status;
    }
    status = folds_put(crossing->folds, crossing->fold, &writers, err);
    if (status != STATUS_OK) {
        spool_writer_abandon(writers.others);
        spool_writer_abandon(writers.fold);
        return status;
    }
    status = spooling_close(host, writers.others, err);
    if (status != STATUS_OK)
        spool_writer_abandon(writers.fold);
    else
        status = spooling_close(host, writers.fold, err);
    return status;
}

/* ----- what a fold's job measured ----- */

static struct measured *measured_of(struct crossing *crossing, const char *name)
{
    struct measured *metric;

    for (size_t i = 0; i < crossing->metric_count; i++)
        if (strcmp(crossing->metrics[i].name, name) == 0)
            return &crossing->metrics[i];
    if (crossing->metric_count == METRICS_MEASURED_MAX)
        return NULL;
    metric = &crossing->metrics[crossing->metric_count++];
    snprintf(metric->name, sizeof metric->name, "%s", name);
    for (uint32_t i = 0; i < FOLDS_MAX; i++)
        metric->values[i] = (double)NAN;
    return metric;
}

static enum status take_result(void *context, const char *name, double train, double validation,
                               struct error *err)
{
    struct crossing *crossing = context;
    struct measured *metric = measured_of(crossing, name);

    (void)train;
    if (!metric)
        return fail(err, STATUS_LIMIT, "more than %d metrics", METRICS_MEASURED_MAX);
    metric->values[crossing->fold] = validation;
    return STATUS_OK;
}

static enum status take_results(void *context, struct jobstore *store, struct error *err)
{
    struct crossing *crossing = context;
    struct side_length length;

    TRY(jobstore_each_result(store, take_result, crossing, err));
    TRY(side_length_read(store, &length, err));
    crossing->epochs += length.best > 0 ? length.best : length.last;
    return STATUS_OK;
}

/* ----- a fold's job ----- */

static enum status measure_fold(struct crossing *crossing, struct error *err)
{
    struct jobspec spec = crossing->job->spec;
    const struct side_job side = {.job = crossing->job,
                                  .spec = &spec,
                                  .stage = crossing->stage,
                                  .context = crossing,
                                  .put_rows = write_rows,
                                  .take = take_results};
    enum status status;

    spec.has_validation = true;
    snprintf(crossing->stage, sizeof crossing->stage, "fold %u of %u", crossing->fold + 1,
             crossing->count);
    status = side_job_run(&side, err);
    if (status != STATUS_OK)
        side_job_name(&side, crossing->job->plan->folds_position, err);
    return status;
}

/* ----- what they say of the job ----- */

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Added in the order of the values: which fold has which number does not matter. */
static struct fold_result result_of(const struct crossing *crossing, struct measured *metric)
{
    const uint32_t count = crossing->count;
    struct fold_result result = {.name = metric->name};
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(metric->values[i]))
            return (struct fold_result){metric->name, (double)NAN, (double)NAN};
    qsort(metric->values, count, sizeof *metric->values, compare_values);
    for (uint32_t i = 0; i < count; i++)
        sum += metric->values[i];
    result.mean = sum / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (metric->values[i] - result.mean) * (metric->values[i] - result.mean);
    result.deviation = sqrt(squares / (count - 1));
    return result;
}

static enum status keep_results(struct crossing *crossing, struct error *err)
{
    struct jobstore *store;
    enum status status = STATUS_OK;

    TRY(side_store_open(crossing->job, &store, err));
    for (size_t i = 0; i < crossing->metric_count && status == STATUS_OK; i++) {
        const struct fold_result result = result_of(crossing, &crossing->metrics[i]);

        status = fold_result_put(store, &result, err);
    }
    jobstore_close(store);
    return status;
}

/* Epochs, or of trees rounds. */
static void settle_length(const struct crossing *crossing)
{
    struct job *job = crossing->job;
    const struct kind *kind = job->plan->estimator->kind;
    const struct attribute *rounds =
        attribute_of_kind(attribute_find(SLICE("train.num_boost_round")), kind);
    const uint32_t mean = (uint32_t)lround(crossing->epochs / crossing->count);
    const uint32_t length = mean > 0 ? mean : 1;

    if (job->spec.early_stopping == 0)
        return;
    job->spec.early_stopping = 0;
    if (attribute_is_of_kind(rounds, kind))
        attribute_set_integer(rounds, job->spec.params.bytes, length);
    else
        job->spec.epochs = length;
    sink_notice(job->sink, "the model learns for %u %s, the mean of the folds' best", length,
                attribute_is_of_kind(rounds, kind) ? "rounds" : "epochs");
}

static enum status deal(struct crossing *crossing, struct error *err)
{
    const struct job *job = crossing->job;
    const struct spool_held_out columns = dataset_held_out(&job->spec);
    const bool by_group = columns.group_column > 0;
    const struct fold_rule rule = {.folds = crossing->count,
                                   .seed = job->spec.seed,
                                   .by_class = job->spec.task == TASK_CLASSIFICATION && !by_group,
                                   .class_column = columns.class_column,
                                   .by_group = by_group};
    char path[PATH_MAX];

    TRY(job_folder_file(&job->folder, "train.spool", path, err));
    if (folds_open(path, &rule, &crossing->folds, err) != STATUS_OK)
        return error_place(err, job->plan->folds_position);
    return STATUS_OK;
}

enum status cross_validate(struct job *job, struct error *err)
{
    struct crossing *crossing = ARENA_NEW(job->arena, struct crossing, 1);
    enum status status = STATUS_OK;

    if (!crossing)
        return fail_no_memory(err);
    crossing->job = job;
    crossing->count = job->plan->folds;
    TRY(deal(crossing, err));
    for (; crossing->fold < crossing->count && status == STATUS_OK; crossing->fold++)
        status = measure_fold(crossing, err);
    folds_close(crossing->folds);
    TRY(status);
    settle_length(crossing);
    return keep_results(crossing, err);
}
