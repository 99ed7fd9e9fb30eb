#include "extension/engine/jobs/cross_validation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extension/engine/jobs/side_job.h"
#include "extension/engine/rows/spooling_close.h"
#include "jobspec/job_size.h"
#include "planner/attributes/attributes.h"
#include "planner/plan/plan.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/data/dataset/fold_scores.h"
#include "runtime/data/dataset/model_file.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/processor.h"

/* The folds of one spec. */
struct crossing_run {
    const struct crossing *crossing;
    const struct jobspec *spec;
    struct crossed *crossed;
    struct model_file *scores; /* scores of held-out rows; NULL: nobody asks for them */
    uint32_t fold;
    char stage[208];
};

#define NEW_SCORES_FILE FOLD_SCORES_FILE ".new"

/* ----- rows ----- */

static bool is_stopped(void *context)
{
    const struct host *host = context;

    return host->session.interrupted(host->self);
}

static enum status open_writer(const struct crossing_run *run, const struct job_folder *folder,
                               bool is_validation, struct spool_writer **writer, struct error *err)
{
    const struct crossing *crossing = run->crossing;
    const struct job *job = crossing->job;
    const uint32_t threads = job->host->jobs ? 1 : launch_cores();
    const struct spool_order order = dataset_order(run->spec, is_validation, threads);
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

/* Writes the spools of a fold's job: as if its SELECT had returned the other rows, and
 * validation.select those of the fold. */
static enum status write_rows(void *context, const struct job_folder *folder, struct error *err)
{
    const struct crossing_run *run = context;
    const struct crossing *crossing = run->crossing;
    const struct host *host = crossing->job->host;
    struct fold_writers writers = {.is_stopped = is_stopped, .context = (void *)host};
    enum status status;

    TRY(open_writer(run, folder, false, &writers.others, err));
    status = open_writer(run, folder, true, &writers.fold, err);
    if (status != STATUS_OK) {
        spool_writer_abandon(writers.others);
        return status;
    }
    status = folds_put(crossing->folds, run->fold, &writers, err);
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

static enum status take_result(void *context, const char *name, double train, double validation,
                               struct error *err)
{
    const struct crossing_run *run = context;

    (void)train;
    return crossed_put(run->crossed, run->fold, name, validation, err);
}

static enum status take_scores(void *context, const struct model_row *row, struct error *err)
{
    return fold_scores_is_row(row) ? model_file_put(context, row, err) : STATUS_OK;
}

static enum status take_results(void *context, struct jobstore *store, struct error *err)
{
    struct crossing_run *run = context;
    struct side_length length;

    TRY(jobstore_each_result(store, take_result, run, err));
    TRY(side_length_read(store, &length, err));
    run->crossed->best += length.best > 0 ? length.best : length.last;
    run->crossed->last += length.last;
    return run->scores ? jobstore_each_model_row(store, take_scores, run->scores, err) : STATUS_OK;
}

/* ----- a fold's job ----- */

static enum status measure_fold(struct crossing_run *run, const char *said, struct error *err)
{
    const struct crossing *crossing = run->crossing;
    struct jobspec spec = *run->spec;
    struct side_job side = {.job = crossing->job,
                            .spec = &spec,
                            .stage = run->stage,
                            .context = run,
                            .put_rows = write_rows,
                            .take = take_results};
    enum status status;

    spec.has_validation = true;
    if (run->scores)
        spec.fold_scores = FOLD_SCORES_KEPT;
    spec.threshold = (struct slice){NULL, 0};
    spec.calibration = CALIBRATION_NONE;
    snprintf(run->stage, sizeof run->stage, "%sfold %u of %u", said, run->fold + 1,
             crossing->count);
    status = side_job_run(&side, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    side.stage += strlen(said);
    side_job_name(&side, crossing->job->plan->folds_position, err);
    return status;
}

enum status crossing_measure(const struct crossing *crossing, const struct jobspec *spec,
                             const char *said, struct crossed *crossed, struct error *err)
{
    struct crossing_run run = {.crossing = crossing, .spec = spec, .crossed = crossed};
    enum status status = STATUS_OK;
    char path[PATH_MAX];

    *crossed = (struct crossed){.folds = crossing->count};
    if (job_fits_final_step(spec)) {
        TRY(job_folder_file(&crossing->job->folder, NEW_SCORES_FILE, path, err));
        TRY(model_file_create(path, &run.scores, err));
    }
    for (; status == STATUS_OK && run.fold < crossing->count; run.fold++)
        status = measure_fold(&run, said, err);
    return run.scores ? model_file_close(run.scores, status, err) : status;
}

enum status crossing_prefer(const struct crossing *crossing, struct error *err)
{
    char new[PATH_MAX], path[PATH_MAX];

    TRY(job_folder_file(&crossing->job->folder, NEW_SCORES_FILE, new, err));
    TRY(job_folder_file(&crossing->job->folder, FOLD_SCORES_FILE, path, err));
    return rename(new, path) == 0 || errno == ENOENT
               ? STATUS_OK
               : fail_errno(err, STATUS_IO, "cannot rename %s", new);
}

/* ----- what they say of the job ----- */

static enum status keep_results(const struct crossing *crossing, const struct crossed *crossed,
                                struct error *err)
{
    struct jobstore *store;
    enum status status = STATUS_OK;

    TRY(side_store_open(crossing->job, &store, err));
    for (size_t i = 0; i < crossed->count && status == STATUS_OK; i++) {
        const struct fold_result result = crossed_result_at(crossed, i);

        status = fold_result_put(store, &result, err);
    }
    jobstore_close(store);
    return status;
}

/* Epochs, or of trees rounds. */
static void settle_length(const struct crossing *crossing, const struct crossed *crossed)
{
    struct job *job = crossing->job;
    const struct kind *kind = job->plan->estimator->kind;
    const struct attribute *rounds =
        attribute_of_kind(attribute_find(SLICE("train.num_boost_round")), kind);
    const uint32_t mean = (uint32_t)lround(crossed->best / crossed->folds);
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

/* The metrics of the folds are those of their models, without the step that follows from them. */
static void settle_final_step(const struct crossing *crossing)
{
    struct job *job = crossing->job;

    if (!job_fits_final_step(&job->spec))
        return;
    job->spec.fold_scores = FOLD_SCORES_GIVEN;
    sink_notice(job->sink,
                "%s is learned from the scores of all rows, each by the model of the other folds; "
                "the metrics of the folds are those before it",
                job->spec.calibration == CALIBRATION_NONE ? "train.threshold"
                                                          : "train.calibration");
}

/* Metrics that have no mean, since some folds have none. */
static void note_missing(const struct crossing *crossing, const struct crossed *crossed)
{
    struct notice_list *notices = crossing->job->plan->notices;

    for (size_t i = 0; i < crossed->count; i++) {
        const struct crossed_metric *metric = &crossed->metrics[i];
        uint32_t missing = 0;
        struct measure measure;

        for (uint32_t fold = 0; fold < crossed->folds; fold++)
            missing += !isfinite(metric->values[fold]);
        if (missing == 0 || !measure_find(slice_of(metric->name), &measure))
            continue;
        notice_add(notices, NOTICE_METRIC, "%s of the folds is NULL: %u of %u folds have none%s",
                   metric->name, missing, crossed->folds,
                   metric_ranks(measure.metric)  ? ", where all rows have the same class"
                   : measure.metric == METRIC_R2 ? ", where it takes two rows: write fewer folds"
                                                 : ", where it is greater than a number can be");
        if (metric_ranks(measure.metric))
            notice_hint(notices,
                        "Each fold needs rows of two classes: write fewer folds, or groups "
                        "that have both.");
    }
}

enum status crossing_keep(const struct crossing *crossing, const struct crossed *crossed,
                          struct error *err)
{
    note_missing(crossing, crossed);
    settle_length(crossing, crossed);
    settle_final_step(crossing);
    return keep_results(crossing, crossed, err);
}

/* ----- the whole ----- */

enum status crossing_open(struct job *job, struct crossing *crossing, struct error *err)
{
    const struct spool_held_out columns = dataset_held_out(&job->spec);
    const bool by_group = columns.by_group;
    const struct fold_rule rule = {.folds = job->plan->folds,
                                   .seed = job->spec.seed,
                                   .by_class = job->spec.task == TASK_CLASSIFICATION && !by_group,
                                   .class_column = columns.class_column,
                                   .by_group = by_group};
    char path[PATH_MAX];

    *crossing = (struct crossing){.job = job, .count = job->plan->folds};
    TRY(job_folder_file(&job->folder, "train.spool", path, err));
    if (folds_open(path, &rule, &crossing->folds, err) != STATUS_OK)
        return error_place(err, job->plan->folds_position);
    return STATUS_OK;
}

void crossing_close(struct crossing *crossing)
{
    folds_close(crossing->folds);
    crossing->folds = NULL;
}

enum status cross_validate(struct job *job, struct error *err)
{
    struct crossed *crossed = ARENA_NEW(job->arena, struct crossed, 1);
    struct crossing crossing;
    enum status status;

    if (!crossed)
        return fail_no_memory(err);
    TRY(crossing_open(job, &crossing, err));
    status = crossing_measure(&crossing, &job->spec, "", crossed, err);
    if (status == STATUS_OK)
        status = crossing_prefer(&crossing, err);
    crossing_close(&crossing);
    return status == STATUS_OK ? crossing_keep(&crossing, crossed, err) : status;
}
