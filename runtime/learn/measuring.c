#include "runtime/learn/measuring.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "jobspec/jobspec_sections.h"
#include "runtime/data/dataset/row_lanes.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/baseline.h"
#include "runtime/learn/label_range.h"
#include "scoring/heads.h"
#include "scoring/metric_notices.h"
#include "scoring/tables/model_meta.h"
#include "scoring/tables/model_write.h"

#define MEASURE_WORK     2e8 /* multiplications of a scorer in a call: some ten milliseconds */
#define MEASURE_ROWS_MIN 16  /* fewer together take longer each */

/* ---- room ---- */

static void free_scorers(struct measuring *measuring)
{
    for (uint32_t i = 0; measuring->scorers && i < measuring->scorer_count; i++)
        scorer_deinit(&measuring->scorers[i]);
    free(measuring->scorers);
    free(measuring->probabilities);
    free(measuring->scores);
    free(measuring->rows);
    free(measuring->errors);
    free(measuring->starts);
    measuring->scorers = NULL;
    measuring->probabilities = NULL;
    measuring->scores = NULL;
    measuring->rows = NULL;
    measuring->errors = NULL;
    measuring->starts = NULL;
}

static void release_range(struct measuring *measuring)
{
    if (measuring->is_held)
        row_store_release(measuring->dataset, measuring->part, measuring->starts[measuring->range],
                          measuring->end);
    measuring->is_held = false;
}

void measuring_deinit(struct measuring *measuring)
{
    release_range(measuring);
    free_scorers(measuring);
    final_fit_close(measuring->fit);
    leaks_deinit(&measuring->leaks);
    sample_statistics_deinit(&measuring->statistics);
    metrics_free(measuring->metrics[0]);
    metrics_free(measuring->metrics[1]);
    arena_deinit(&measuring->arena);
    *measuring = (struct measuring){.is_done = false};
}

static uint32_t rows_of_call(double row_work)
{
    const double rows = MEASURE_WORK / (row_work + 1);

    return rows >= SCORER_ROWS       ? SCORER_ROWS
           : rows < MEASURE_ROWS_MIN ? MEASURE_ROWS_MIN
                                     : (uint32_t)rows;
}

static enum status make_scorers(struct measuring *measuring, double row_work, struct error *err)
{
    const size_t count = team_size(measuring->team);
    const uint32_t rows = rows_of_call(row_work);

    measuring->scorers = calloc(count, sizeof *measuring->scorers);
    measuring->errors = calloc(count, sizeof *measuring->errors);
    measuring->probabilities =
        calloc(count * (measuring->dataset->labels.count + 1), sizeof(double));
    measuring->rows = calloc(count * rows, sizeof *measuring->rows);
    if (!measuring->scorers || !measuring->errors || !measuring->probabilities || !measuring->rows)
        return fail_no_memory(err);
    if (measuring->options.ranks_classes) {
        measuring->scores =
            calloc(count * rows * measuring->dataset->labels.count, sizeof *measuring->scores);
        if (!measuring->scores)
            return fail_no_memory(err);
    }
    measuring->rows_each = rows;
    for (; measuring->scorer_count < count; measuring->scorer_count++) {
        struct scorer *scorer = &measuring->scorers[measuring->scorer_count];

        TRY(scorer_init(scorer, &measuring->model, rows, err));
        if (scorer->rows_max < measuring->rows_each)
            measuring->rows_each = scorer->rows_max;
    }
    return STATUS_OK;
}

/* ---- parts ---- */

/* The rows of the range are held, and the next ones to be measured. */
static enum status begin_range(struct measuring *measuring, uint32_t range, struct error *err)
{
    const uint64_t first = measuring->starts[range], end = measuring->starts[range + 1];

    TRY(row_store_hold(measuring->dataset, measuring->part, first, end, measuring->team, err));
    if (range + 1 < measuring->range_count)
        row_store_expect(measuring->dataset, measuring->part, end, measuring->starts[range + 2]);
    measuring->is_held = true;
    measuring->range = range;
    measuring->next = first;
    measuring->end = end;
    return STATUS_OK;
}

/* Ranges of some MiB; the sample is one. */
static enum status begin_rows(struct measuring *measuring, const struct dataset_part *part,
                              struct error *err)
{
    const struct dataset *dataset = measuring->dataset;
    const uint64_t bytes = part == &dataset->sample ? 0 : row_store_bytes(dataset, part->rows);

    measuring->part = part;
    measuring->range_count = (uint32_t)(bytes / ROW_LANES_BUCKET_BYTES) + 1;
    free(measuring->starts);
    measuring->starts = calloc(measuring->range_count + 1ull, sizeof *measuring->starts);
    if (!measuring->starts)
        return fail_no_memory(err);
    dataset_share_out(dataset, part, measuring->range_count, measuring->starts);
    return begin_range(measuring, 0, err);
}

static enum status begin_part(struct measuring *measuring, struct error *err)
{
    const struct dataset *dataset = measuring->dataset;
    const bool is_sample = measuring->parts_begun == 0;

    TRY(metrics_new(&measuring->model, &measuring->options,
                    &measuring->metrics[measuring->parts_begun], err));
    if (is_sample && dataset->sample.rows > 0)
        TRY(sample_statistics_init(&measuring->statistics, dataset, &measuring->model, err));
    measuring->parts_begun++;
    return begin_rows(measuring, is_sample ? &dataset->sample : &dataset->validation, err);
}

static enum status end_fit(struct measuring *measuring, struct error *err)
{
    measuring->is_fitting = false;
    if (measuring->spec->fold_scores == FOLD_SCORES_KEPT)
        TRY(final_fit_scores(measuring->fit, &measuring->fold_scores, &measuring->fold_score_count,
                             err));
    else
        TRY(final_fit_finish(measuring->fit, &measuring->model.final, err));
    return begin_part(measuring, err);
}

static enum status begin_fit(struct measuring *measuring, struct error *err)
{
    TRY(final_fit_open(measuring->spec, measuring->dataset, &measuring->fit, err));
    if (!final_fit_reads_rows(measuring->spec))
        return end_fit(measuring, err);
    measuring->is_fitting = true;
    return begin_rows(measuring, &measuring->dataset->validation, err);
}

/* The oldest that has what the inputs and the label have. */
static uint32_t format_of(const struct jobspec *spec, const struct dataset *dataset,
                          enum label_link link)
{
    const struct transform *transform = &dataset->transform;

    if (transform_names_encoders(transform))
        return MODEL_FORMAT_NAMES;
    if (final_fit_is_wanted(spec))
        return MODEL_FORMAT_FINALS;
    if (transform_counts_words(transform))
        return MODEL_FORMAT_COUNTS;
    if (transform->offset_width > 0)
        return MODEL_FORMAT_OFFSETS;
    if (transform->has_rests)
        return MODEL_FORMAT_RESTS;
    if (transform_has_written(transform) || reading_is_written(dataset->labels.reading))
        return MODEL_FORMAT_WRITTEN;
    if (transform->keeps_numbers && (dataset->label_mean != 0 || transform_has_origins(transform)))
        return MODEL_FORMAT_ORIGINS;
    if (transform_has_concats(transform))
        return MODEL_FORMAT_CONCATS;
    if (transform->has_lists)
        return MODEL_FORMAT_LISTS;
    if (transform_has_model_parts(transform))
        return MODEL_FORMAT_SHARES;
    if (transform->has_crosses)
        return MODEL_FORMAT_CROSSES;
    if (link != LABEL_LINK_NONE)
        return MODEL_FORMAT_LINKS;
    if (transform->has_rules)
        return MODEL_FORMAT_RULES;
    if (transform_has_codes(transform))
        return MODEL_FORMAT_CODES;
    if (transform->text_count > 0)
        return MODEL_FORMAT_TEXTS;
    if (transform_is_limited(transform))
        return MODEL_FORMAT_LIMITS;
    return transform->has_parts ? MODEL_FORMAT_PARTS : MODEL_FORMAT_LANES;
}

struct model measuring_model(const struct jobspec *spec, const struct dataset *dataset)
{
    const struct kind *kind = kind_of(spec);
    const enum label_link link = kind->link ? kind->link(&spec->params) : LABEL_LINK_NONE;

    return (struct model){
        .format = format_of(spec, dataset, link),
        .estimator = spec->estimator,
        .kind = kind,
        .task = spec->task,
        .label = spec->label,
        .label_declared = spec->label_declared,
        .definition = spec->definition,
        .statement = spec->statement,
        .rows = dataset->train.rows,
        .transform = dataset->transform,
        .labels = dataset->labels,
        .positive_is_lesser = dataset->positive_is_lesser,
        .label_mean = dataset->label_mean,
        .label_scale = dataset->label_scale,
        .link = link,
        .aim.aim = link == LABEL_LINK_MARGIN ? AIM_MARGINS : AIM_MEANS,
    };
}

enum status measuring_begin(struct measuring *measuring, const struct model *model,
                            const struct jobspec *spec, const struct dataset *dataset,
                            struct team *team, double row_work, struct error *err)
{
    measuring_deinit(measuring);
    *measuring =
        (struct measuring){.spec = spec, .dataset = dataset, .team = team, .model = *model};
    arena_init(&measuring->arena, ARENA_MAXIMUM);
    measuring->options.average = spec->average;
    measuring->options.names = spec->metrics;
    measuring->options.name_count = spec->has_default_metrics ? 0 : spec->metric_count;
    measuring->options.by_head = true;
    measuring->options.ranks_classes =
        !spec->has_default_metrics &&
        metrics_rank_classes(model, spec->metrics, spec->metric_count);
    notice_list_join(&measuring->notices, spec->notices);
    notice_list_join(&measuring->notices, dataset->notices);
    TRY(leaks_init(&measuring->leaks, dataset, spec->label, err));
    TRY(make_scorers(measuring, row_work, err));
    return final_fit_is_wanted(spec) || spec->fold_scores == FOLD_SCORES_KEPT
               ? begin_fit(measuring, err)
               : begin_part(measuring, err);
}

/* ---- rows ---- */

static uint32_t rows_of_task(const struct measuring *measuring, uint32_t task)
{
    const uint64_t first = measuring->next + (uint64_t)task * measuring->rows_each;
    const uint64_t left = first < measuring->end ? measuring->end - first : 0;

    return left < measuring->rows_each ? (uint32_t)left : measuring->rows_each;
}

static struct row_label label_of_number(const struct dataset *dataset,
                                        const struct dataset_part *part, uint64_t row)
{
    const double value = (double)part->values[row] * dataset->label_scale + dataset->label_mean;
    const float *uppers = part->roles[ROLE_LABEL_UPPER];

    return (struct row_label){.value = value,
                              .upper = uppers ? (double)uppers[row] : value,
                              .group = dataset->has_groups ? part->hashes[row].high : 0,
                              .place = row + 1};
}

static enum status measure_row(const struct measuring *measuring, uint32_t task, uint32_t i,
                               uint64_t row, struct error *err)
{
    const struct dataset *dataset = measuring->dataset;
    const struct dataset_part *part = measuring->part;
    struct scorer *scorer = &measuring->scorers[task];
    const size_t place = (size_t)task * measuring->rows_each + i;
    struct metrics_row *measured = &measuring->rows[place];
    float *scores = measuring->scores ? measuring->scores + place * dataset->labels.count : NULL;
    struct row_label label = {.class = 0};

    scorer_select(scorer, i);
    if (part->classes)
        label.class = part->classes[row];
    else if (part->values)
        label = label_of_number(dataset, part, row);
    return metrics_measure(scorer, &label,
                           measuring->probabilities + (size_t)task * dataset->labels.count, scores,
                           measured, err);
}

static void measure_rows(void *context, uint32_t member, uint32_t task)
{
    const struct measuring *measuring = context;
    const struct transform *transform = &measuring->dataset->transform;
    const uint64_t first = measuring->next + (uint64_t)task * measuring->rows_each;
    const uint32_t count = rows_of_task(measuring, task);
    struct scorer *scorer = &measuring->scorers[task];
    struct error *err = &measuring->errors[task];
    (void)member;

    error_clear(err);
    for (uint32_t i = 0; i < count; i++) {
        dataset_take_row(measuring->dataset, measuring->part, first + i,
                         scorer->dense + (size_t)i * transform->dense_width);
        for (uint32_t j = 0; j < transform->id_count; j++)
            scorer->ids[(size_t)i * transform->id_count + j] =
                measuring->part->ids[(first + i) * transform->id_count + j];
    }
    scorer_score(scorer, count);
    for (uint32_t i = 0; i < count && err->status == STATUS_OK && !measuring->is_fitting; i++)
        measure_row(measuring, task, i, first + i, err);
}

static enum status add_to_fit(struct measuring *measuring, uint32_t task, uint32_t i,
                              struct error *err)
{
    const uint64_t row = measuring->next + (uint64_t)task * measuring->rows_each + i;

    scorer_select(&measuring->scorers[task], i);
    return final_fit_add(measuring->fit, &measuring->scorers[task],
                         (int64_t)measuring->part->classes[row], err);
}

static enum status add_to_metrics(struct measuring *measuring, uint32_t task, uint32_t i,
                                  struct error *err)
{
    const uint32_t place = task * measuring->rows_each + i;
    struct metrics *metrics = measuring->metrics[measuring->parts_begun - 1];
    struct scorer *scorer = &measuring->scorers[task];

    scorer_select(scorer, i);
    if (measuring->part == &measuring->dataset->sample)
        sample_statistics_predict(&measuring->statistics, measuring->next + place, scorer);
    if (metrics_heads(metrics))
        TRY(head_metrics_add(metrics_heads(metrics), scorer, err));
    return metrics_add_row(metrics, &measuring->rows[place], err);
}

/* In the order of the rows, whichever thread scored them. */
static enum status add_rows(struct measuring *measuring, uint32_t tasks, struct error *err)
{
    for (uint32_t task = 0; task < tasks; task++) {
        const uint32_t count = rows_of_task(measuring, task);

        if (measuring->errors[task].status != STATUS_OK) {
            *err = measuring->errors[task];
            return err->status;
        }
        for (uint32_t i = 0; i < count; i++)
            TRY(measuring->is_fitting ? add_to_fit(measuring, task, i, err)
                                      : add_to_metrics(measuring, task, i, err));
    }
    return STATUS_OK;
}

static enum status measure_some(struct measuring *measuring, struct error *err)
{
    uint32_t tasks = 0, rows = 0;

    while (tasks < measuring->scorer_count && rows_of_task(measuring, tasks) > 0)
        rows += rows_of_task(measuring, tasks++);
    team_run(measuring->team, tasks, measure_rows, measuring);
    TRY(add_rows(measuring, tasks, err));
    measuring->next += rows;
    return STATUS_OK;
}

/* ---- results ---- */

static double value_of(struct measuring *measuring, uint32_t part, struct measure measure)
{
    static const char *const of[] = {" of the training rows", " of the validation rows"};
    struct metrics *metrics = measuring->metrics[part];
    const double value = metrics_measured(metrics, measure);

    if (metrics_rows(metrics) > 0 && !isfinite(value))
        metric_null_notice(metrics, measure.metric, of[part], &measuring->notices);
    return value;
}

/* All that can be said of hazards, beside their loss, where the statement names no metrics. */
static void list_concordance(struct measuring *measuring)
{
    const struct measure measure = {.metric = METRIC_CONCORDANCE};
    struct result_metric *row = &measuring->results[measuring->result_count++];

    snprintf(row->name, sizeof row->name, "%s", metric_name(measure.metric));
    row->train = value_of(measuring, 0, measure);
    row->validation = value_of(measuring, 1, measure);
}

/* A sum over a sample is less than that over all rows, which others print. */
static void note_sample(struct measuring *measuring, struct measure measure)
{
    const struct dataset *dataset = measuring->dataset;

    if (measure.metric != METRIC_INERTIA || dataset->sample.rows >= dataset->train.rows)
        return;
    notice_add(&measuring->notices, NOTICE_METRIC,
               "Inertia is the sum over a sample of %llu of %llu training rows",
               (unsigned long long)dataset->sample.rows, (unsigned long long)dataset->train.rows);
    notice_hint(&measuring->notices, "TO EVALUATE measures all rows of its SELECT.");
}

/* Loss, then each metric of the spec; of the default ones those that the classes have. */
static enum status list_results(struct measuring *measuring, struct error *err)
{
    const struct jobspec *spec = measuring->spec;
    struct metrics **metrics = measuring->metrics;
    size_t *count = &measuring->result_count;

    *count = 0;
    measuring->results[(*count)++] =
        (struct result_metric){"loss", metrics_loss(metrics[0]), metrics_loss(metrics[1])};
    if (measuring->predicts_no_label && spec->has_default_metrics) {
        list_concordance(measuring);
        return STATUS_OK;
    }
    for (size_t i = 0; i < spec->metric_count && *count < LEARNER_METRICS_MAX; i++) {
        struct result_metric *row = &measuring->results[*count];
        struct measure measure;

        if (!measure_find(spec->metrics[i], &measure))
            return fail(err, STATUS_INVALID, "there is no metric \"%.*s\"",
                        SLICE_FORMAT(spec->metrics[i]));
        if (spec->has_default_metrics &&
            !metric_is_default(measure.metric, aim_measured(measuring->model.aim.aim),
                               measuring->dataset->labels.count))
            continue;
        if (measure.at > 0)
            slice_copy(spec->metrics[i], row->name, sizeof row->name);
        else
            snprintf(row->name, sizeof row->name, "%s", metric_name(measure.metric));
        row->train = value_of(measuring, 0, measure);
        row->validation = value_of(measuring, 1, measure);
        note_sample(measuring, measure);
        ++*count;
    }
    return STATUS_OK;
}

static void add_measured(cJSON *metric, const char *name, double value)
{
    if (isfinite(value))
        json_add_real(metric, name, value);
}

/* The metrics of each of several labels lie in the model, and are not sent by themselves. */
static enum status keep_heads(struct measuring *measuring, struct error *err)
{
    struct head_metrics *train = metrics_heads(measuring->metrics[0]);
    struct head_metrics *validation = metrics_heads(measuring->metrics[1]);
    cJSON *list;
    enum status status;
    struct slice label;
    const char *name;
    double value;

    if (!train)
        return STATUS_OK;
    list = cJSON_CreateArray();
    for (uint32_t i = 0; head_metrics_value(train, i, &label, &name, &value); i++) {
        cJSON *metric = cJSON_CreateObject();

        json_add_string(metric, "name", slice_of(name));
        json_add_string(metric, "label", label);
        add_measured(metric, "train", value);
        if (head_metrics_value(validation, i, &label, &name, &value))
            add_measured(metric, "validation", value);
        json_append(list, metric);
    }
    status = model_keep_metrics(list, &measuring->arena, &measuring->model, err);
    cJSON_Delete(list);
    return status;
}

/* The explained share of the label's spread: R2, or for classes the share of the mistakes of
 * "always the most frequent class" that the model does not make. */
static double explained_by(const struct measuring *measuring, struct metrics *metrics)
{
    const double rows = (double)metrics_rows(metrics);
    double most = 0;

    if (measuring->spec->task == TASK_REGRESSION)
        return metrics_value(metrics, METRIC_R2);
    for (uint32_t i = 0; i < measuring->dataset->labels.count; i++)
        most = fmax(most, (double)metrics_class_rows(metrics, i));
    return rows > most ? 1 - (1 - metrics_value(metrics, METRIC_ACCURACY)) * rows / (rows - most)
                       : 1;
}

/* Nothing is to be learned of it but itself. */
static bool has_one_label(const struct measuring *measuring)
{
    const struct jobspec *spec = measuring->spec;
    struct label_range range;

    if (spec->task != TASK_REGRESSION)
        return false;
    range = label_range_of(spec, measuring->dataset);
    return range.least == range.greatest;
}

/* By the rows that were held out, where there are any. */
static void compare_with_constant(struct measuring *measuring)
{
    const bool has_validation = metrics_rows(measuring->metrics[1]) > 0;
    struct metrics *metrics = measuring->metrics[has_validation];

    if (measuring->predicts_no_mean || measuring->model.aim.aim == AIM_MARGINS ||
        measuring->dataset->weightless_classes > 0 || /* a notice says why rows are wrong */
        has_one_label(measuring))
        return;
    if (measuring->leaks.rule && metrics_rows(metrics) >= BASELINE_ROWS_MIN &&
        leaks_explain(&measuring->leaks, explained_by(measuring, metrics), &measuring->notices))
        return;
    baseline_notice(measuring->dataset, measuring->metrics[has_validation],
                    has_validation ? "validation" : "training", &measuring->notices);
}

enum status measuring_run(struct measuring *measuring, bool *is_done, struct error *err)
{
    *is_done = measuring->is_done;
    if (measuring->is_done)
        return STATUS_OK;
    if (measuring->next < measuring->end)
        return measure_some(measuring, err);
    if (measuring->parts_begun == 1 && !leaks_are_done(&measuring->leaks))
        return leaks_some(&measuring->leaks, &measuring->notices, err);
    if (measuring->parts_begun == 1 && !sample_statistics_are_done(&measuring->statistics))
        return sample_statistics_some(&measuring->statistics, err);
    release_range(measuring);
    if (measuring->range + 1 < measuring->range_count)
        return begin_range(measuring, measuring->range + 1, err);
    if (measuring->is_fitting)
        return end_fit(measuring, err);
    if (measuring->parts_begun == 1)
        return begin_part(measuring, err);
    free_scorers(measuring);
    TRY(list_results(measuring, err));
    TRY(keep_heads(measuring, err));
    compare_with_constant(measuring);
    *is_done = measuring->is_done = true;
    return STATUS_OK;
}

enum status measuring_list(const struct measuring *measuring,
                           struct result_metric rows[LEARNER_METRICS_MAX], size_t *count,
                           struct error *err)
{
    if (!measuring->is_done)
        return fail(err, STATUS_INVALID, "the model is not measured yet");
    memcpy(rows, measuring->results, measuring->result_count * sizeof *rows);
    *count = measuring->result_count;
    return STATUS_OK;
}

void measuring_finish(const struct measuring *measuring, struct model *model)
{
    model->final = measuring->model.final;
}

enum status measuring_result(const struct measuring *measuring, const struct model *model,
                             char digest[DIGEST_BYTES], uint64_t *rows,
                             struct result_metric metrics[LEARNER_METRICS_MAX],
                             size_t *metric_count, struct error *err)
{
    struct model finished = *model;

    TRY(measuring_list(measuring, metrics, metric_count, err));
    *rows = model->rows;
    measuring_finish(measuring, &finished);
    return model_digest(&finished, digest, err);
}

enum status measuring_publish(const struct measuring *measuring, struct model model,
                              const char *digest, uint64_t *next, size_t bytes_max, bool *is_at_end,
                              model_row_sink *sink, void *context, struct error *err)
{
    model.digest = slice_of(digest);
    model.notices = &measuring->notices;
    model.metrics_json = measuring->model.metrics_json;
    sample_statistics_give(&measuring->statistics, &model);
    measuring_finish(measuring, &model);
    model.fold_scores = measuring->fold_scores;
    model.fold_score_count = measuring->fold_score_count;
    return model_write_some(&model, next, bytes_max, is_at_end, sink, context, err);
}
