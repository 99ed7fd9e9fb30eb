/*
 * The results that a job leaves in its job.db: the model, and the rows that TRAIN ends with.
 */
#include "extension/engine/jobs/trained.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "extension/engine/host/stored.h"
#include "extension/engine/host/train_rows.h"
#include "kinds/kinds.h"
#include "planner/training/requirement.h"
#include "runtime/data/store/fold_results.h"
#include "runtime/data/store/trial_results.h"
#include "scoring/tables/model_meta.h"

enum status job_model_read(struct jobstore *store, struct arena *arena, struct model *model,
                           struct error *err)
{
    struct model_reader *reader;
    enum status status;

    TRY(model_reader_new(kinds, arena, &reader, err));
    status = jobstore_each_model_row(store, model_reader_take, reader, err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    return status;
}

/* The result as an array of objects, and the metrics that the first round has. */
struct result_list {
    struct jobstore *store;
    cJSON *metrics;
    char names[METRICS_MAX][WORD_BYTES_MAX + 1];
    size_t count;
    uint32_t epoch;
    bool has_epoch;
};

static bool is_of_rounds(const struct result_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

static enum status note_round(void *context, uint32_t epoch, uint64_t step, const char *metric,
                              const char *part, double value, struct error *err)
{
    struct result_list *list = context;
    struct measure measure;
    (void)step;
    (void)part;
    (void)value;

    if (list->has_epoch && epoch != list->epoch)
        return fail(err, STATUS_STALE, "the rest is not read");
    list->has_epoch = true;
    list->epoch = epoch;
    if (strcmp(metric, "loss") ==
        0) /* each epoch has its rows; the metric Loss is that of the end */
        return STATUS_OK;
    if (measure_find(slice_of(metric), &measure) && !is_of_rounds(list, metric) &&
        list->count < METRICS_MAX)
        slice_copy(slice_of(metric), list->names[list->count++], sizeof list->names[0]);
    return STATUS_OK;
}

/* An object that found no memory is noticed when the array is printed. */
static enum status add_metric(void *context, const char *name, double train, double validation,
                              struct error *err)
{
    const struct result_list *list = context;
    struct fold_result folds;
    cJSON *metric;
    bool has_folds;

    TRY(fold_result_find(list->store, name, &folds, &has_folds, err));
    metric = cJSON_CreateObject();
    json_add_string(metric, "name", slice_of(name));
    json_add_real(metric, "train", train);
    json_add_real(metric, "validation", validation);
    if (has_folds) {
        json_add_real(metric, "folds", folds.mean);
        json_add_real(metric, "deviation", folds.deviation);
    }
    if (is_of_rounds(list, name))
        json_add_boolean(metric, "each_round", true);
    json_append(list->metrics, metric);
    return STATUS_OK;
}

static enum status add_trial(void *context, const struct trial_result *result, struct error *err)
{
    cJSON *trial = cJSON_CreateObject();

    (void)err;
    json_add_integer(trial, "trial", result->number);
    json_add_string(trial, "state", slice_of(result->state));
    json_add_string(trial, "metric", slice_of(result->metric));
    json_add_real(trial, "value", result->value);
    if (isfinite(result->deviation))
        json_add_real(trial, "deviation", result->deviation);
    json_add_integer(trial, "epochs", result->epochs);
    json_add_string(trial, "settings", slice_of(result->settings));
    if (result->error[0])
        json_add_string(trial, "error", slice_of(result->error));
    json_append(context, trial);
    return STATUS_OK;
}

static enum status keep_trials(struct jobstore *store, struct arena *arena, struct model *model,
                               struct error *err)
{
    cJSON *trials = cJSON_CreateArray();
    enum status status = trial_results_each(store, add_trial, trials, err);

    if (status == STATUS_OK && cJSON_GetArraySize(trials) > 0)
        status = model_keep_trials(trials, arena, model, err);
    cJSON_Delete(trials);
    return status;
}

/* The metrics of several labels, which the workers have put into the model. */
static enum status add_heads(const struct model *model, cJSON *metrics, struct error *err)
{
    cJSON *heads;

    if (model->metrics_json.size == 0)
        return STATUS_OK;
    TRY(json_parse(model->metrics_json, METRICS_JSON_BYTES_MAX, &heads, err));
    while (cJSON_GetArraySize(heads) > 0)
        json_append(metrics, cJSON_DetachItemFromArray(heads, 0));
    cJSON_Delete(heads);
    return STATUS_OK;
}

/* The result rows travel with the model: SHOW TRAIN finds them in any copy. */
static enum status keep_result(struct jobstore *store, struct arena *arena, struct model *model,
                               struct error *err)
{
    struct result_list list = {.store = store, .metrics = cJSON_CreateArray()};
    enum status status = jobstore_each_metric(store, note_round, &list, err);

    if (status == STATUS_OK || status == STATUS_STALE) {
        error_clear(err);
        status = jobstore_each_result(store, add_metric, &list, err);
    }
    if (status == STATUS_OK)
        status = add_heads(model, list.metrics, err);
    if (status == STATUS_OK)
        status = model_keep_metrics(list.metrics, arena, model, err);
    cJSON_Delete(list.metrics);
    return status;
}

/* The facts of the model in the store, whose other rows are left alone. */
struct meta_search {
    struct arena *arena;
    struct model model;
    bool is_found;
};

static enum status take_meta(void *context, const struct model_row *row, struct error *err)
{
    struct meta_search *search = context;

    if (!slice_is(row->part, "meta"))
        return STATUS_OK;
    TRY(model_read_meta(row->data, kinds, search->arena, &search->model, err));
    search->is_found = true;
    return fail(err, STATUS_STALE, "the rest is not read");
}

static enum status find_meta(struct jobstore *store, struct meta_search *search, struct error *err)
{
    const enum status status = jobstore_each_model_row(store, take_meta, search, err);

    if (!search->is_found)
        return status;
    error_clear(err);
    return STATUS_OK;
}

/* How many clusters there are the meta row does not tell without the content, nor which classes
 * each of several labels has. */
enum status job_model_measured(struct jobstore *store, struct arena *arena, struct model *model,
                               struct error *err)
{
    struct meta_search search = {.arena = arena};

    TRY(find_meta(store, &search, err));
    if (!search.is_found || search.model.task == TASK_CLUSTERING || search.model.head_count > 0)
        return job_model_read(store, arena, model, err);
    *model = search.model;
    return STATUS_OK;
}

/* ----- train.require ----- */

#define REQUIRE "train.require"
#define REFUSED "the model is not published: "

bool trained_is_refused(const struct error *err)
{
    return err->status == STATUS_FAILED && strncmp(err->message, REFUSED, sizeof REFUSED - 1) == 0;
}

struct found_metric {
    const struct requirement *requirement;
    struct jobstore *store;
    const char *rows; /* rows that gave the value; NULL: it was not measured */
    double value;
};

static enum status take_required(void *context, const char *name, double train, double validation,
                                 struct error *err)
{
    struct found_metric *found = context;
    struct fold_result folds;
    bool has_folds;

    if (!requirement_is_of(found->requirement, slice_of(name)))
        return STATUS_OK;
    TRY(fold_result_find(found->store, name, &folds, &has_folds, err));
    found->rows = isfinite(validation) ? "the held-out rows"
                  : has_folds          ? "the folds"
                                       : "the training rows";
    found->value = isfinite(validation) ? validation : has_folds ? folds.mean : train;
    return STATUS_OK;
}

static enum status check_required(struct jobstore *store, struct slice text, struct error *err)
{
    struct requirement requirement;
    struct found_metric found = {.requirement = &requirement, .store = store, .value = (double)NAN};

    if (!requirement_read(text, &requirement))
        return fail(err, STATUS_CORRUPT, REQUIRE " of the job spec cannot be read");
    TRY(jobstore_each_result(store, take_required, &found, err));
    if (requirement_is_met(&requirement, found.value))
        return STATUS_OK;
    if (!found.rows)
        fail(err, STATUS_FAILED, REFUSED "the metric of " REQUIRE " = '%.*s' was not measured",
             SLICE_FORMAT(text));
    else
        fail(err, STATUS_FAILED, REFUSED "of %s it is %.6g, and " REQUIRE " asks for %.*s",
             found.rows, found.value, SLICE_FORMAT(text));
    return error_hint(err, "A model of this name that was there before stays as it is.");
}

enum status trained_model_read(struct jobstore *store, struct slice require, struct arena *arena,
                               struct model *model, struct error *err)
{
    TRY(job_model_read(store, arena, model, err));
    if (require.size > 0)
        TRY(check_required(store, require, err));
    TRY(keep_trials(store, arena, model, err));
    return keep_result(store, arena, model, err);
}

struct gaps {
    struct text names; /* metrics without a value */
    bool has_loss;     /* each model has one, unless its labels are too large; a table has none */
};

static enum status note_gap(void *context, const char *name, double train, double validation,
                            struct error *err)
{
    struct gaps *gaps = context;

    (void)err;
    if (isfinite(train))
        gaps->has_loss |= strcmp(name, "loss") == 0;
    else if (!isfinite(validation)) /* a forecast is measured by the past alone */
        text_printf(&gaps->names, "%s%s", gaps->names.size > 0 ? ", " : "", name);
    return STATUS_OK;
}

/* Labels of 1e200 can be learned, since they are scaled; their squares are no
 * numbers any more. */
static enum status warn_of_gaps(struct jobstore *store, const struct sink *sink, struct error *err)
{
    struct gaps gaps = {.has_loss = false};
    enum status status;

    text_init(&gaps.names, 200);
    status = jobstore_each_result(store, note_gap, &gaps, err);
    if (status == STATUS_OK && !gaps.has_loss && gaps.names.size > 0)
        sink_notice(sink, "%s: NULL, since the labels are too large to measure errors by",
                    text_string(&gaps.names));
    text_deinit(&gaps.names);
    return status;
}

struct measured {
    struct jobstore *store;
    const struct sink *sink;
    bool has_training, has_validation; /* any metric has a value of that part */
};

static enum status look_for_validation(void *context, const char *name, double train,
                                       double validation, struct error *err)
{
    struct measured *measured = context;

    (void)name;
    (void)err;
    measured->has_training |= isfinite(train);
    measured->has_validation |= isfinite(validation);
    return STATUS_OK;
}

static enum status put_metric(void *context, const char *name, double train, double validation,
                              struct error *err)
{
    const struct measured *measured = context;

    struct fold_result folds;
    bool has_folds;

    if (measured->has_training || !measured->has_validation)
        TRY(train_row_value(measured->sink, name, train, PART_TRAINING, err));
    if (measured->has_validation)
        TRY(train_row_value(measured->sink, name, validation, PART_VALIDATION, err));
    TRY(fold_result_find(measured->store, name, &folds, &has_folds, err));
    if (!has_folds)
        return STATUS_OK;
    TRY(train_row_value(measured->sink, name, folds.mean, PART_FOLDS, err));
    return train_row_value(measured->sink, name, folds.deviation, PART_DEVIATION, err);
}

static enum status put_trial(void *context, const struct trial_result *result, struct error *err)
{
    const struct sink *sink = context;
    struct text name, detail;
    enum status status;

    text_init(&name, 64);
    text_init(&detail, TEXT_MAXIMUM);
    text_printf(&name, "trial %u", result->number);
    text_append_string(&detail, result->settings);
    if (strcmp(result->state, "done") != 0)
        text_printf(&detail, " (%s%s%s)", result->state, result->error[0] ? ": " : "",
                    result->error);
    status = name.failed || detail.failed
                 ? fail_no_memory(err)
                 : train_row_detail(sink, text_string(&name), result->value, result->metric,
                                    text_string(&detail), err);
    text_deinit(&name);
    text_deinit(&detail);
    return status;
}

/* A metric of one of several labels, which is the row's detail. */
static enum status put_head_metric(void *context, struct slice name, struct slice label,
                                   const char *part, double value, struct error *err)
{
    const struct sink *sink = context;

    return sink_row(
        sink,
        (struct cell[]){cell_text(name), cell_real(value), cell_string(part), cell_text(label)},
        TRAIN_COLUMNS, err);
}

/* `meta`: the model's facts, as far as they were found. */
static enum status put_result(struct jobstore *store, const struct model *meta,
                              const struct train_facts *facts, const struct sink *sink,
                              struct error *err)
{
    struct measured measured = {.store = store, .sink = sink};

    TRY(warn_of_gaps(store, sink, err));
    TRY(jobstore_each_result(store, look_for_validation, &measured, err));
    TRY(jobstore_each_result(store, put_metric, &measured, err));
    TRY(stored_metrics(meta, put_head_metric, (void *)(uintptr_t)sink, err));
    TRY(trial_results_each(store, put_trial, (void *)(uintptr_t)sink, err));
    TRY(train_row_value(sink, "seconds", round(facts->seconds * 1000) / 1000, NULL, err));
    if (facts->rows > 0)
        TRY(train_row_number(sink, "rows", facts->rows, err));
    if (facts->bad_rows >= 0)
        TRY(train_row_number(sink, "bad_rows", facts->bad_rows, err));
    TRY(train_row_number(sink, "job", facts->job, err));
    if (facts->version > 0)
        TRY(train_row_number(sink, "version", facts->version, err));
    return train_row_notices(sink, meta->notices, err);
}

enum status train_result_put(struct jobstore *store, const struct train_facts *facts,
                             const struct sink *sink, struct error *err)
{
    struct arena arena;
    struct meta_search search = {.arena = &arena};
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = find_meta(store, &search, err);
    if (status == STATUS_OK)
        status = put_result(store, &search.model, facts, sink, err);
    arena_deinit(&arena);
    return status;
}
