#include "runtime/learn/trees/objective/round_metrics.h"

#include <math.h>
#include <string.h>

#include "base/sums/words.h"
#include "runtime/learn/trees/objective/wide_sums.h"
#include "scoring/metrics/ranked_labels.h"
#include "scoring/numbers/elementary.h"

#define BLOCK_ROWS TREE_LOSS_ROWS

/* The integers of a part: how many rows, groups and events it has, the sums of the means, for R2
 * labels and their squares around the mean of all training rows, and the counts of classes. */
enum { PART_ROWS, PART_GROUPS, PART_EVENTS, PART_SUMS };
enum { SPREAD_LABELS, SPREAD_SQUARES, SPREADS };
enum { COUNT_ACTUAL, COUNT_PREDICTED, COUNT_CORRECT, COUNTS };

static uint32_t place_of_spread(const struct round_metrics *metrics)
{
    return PART_SUMS + metrics->mean_count * WIDE_DIGITS;
}

static uint32_t place_of_counts(const struct round_metrics *metrics)
{
    return place_of_spread(metrics) + (metrics->has_spread ? SPREADS * WIDE_DIGITS : 0);
}

/* ---- what is wanted ---- */

static void want_mean(struct round_metrics *metrics, enum metric metric, double at)
{
    metrics->means[metrics->mean_count++] = (struct measure){metric, at};
}

static bool is_of_group(enum metric metric)
{
    return metric == METRIC_NDCG || metric == METRIC_MAP_RANKS || metric == METRIC_MRR;
}

static void want(struct round_metrics *metrics, struct measure measure)
{
    metrics->measures[metrics->count++] = measure;
    metrics->has_groups |= is_of_group(measure.metric);
    if (metric_task(measure.metric) == TASK_CLASSIFICATION) {
        if (measure.metric == METRIC_LOG_LOSS)
            want_mean(metrics, METRIC_LOG_LOSS, 0);
        else
            metrics->has_counts |= !metric_ranks(measure.metric);
    } else if (measure.metric == METRIC_R2) {
        metrics->has_spread = true;
        want_mean(metrics, METRIC_MSE, 0);
    } else {
        want_mean(metrics, measure.metric, measure.at);
    }
}

static void want_scores(struct round_metrics *metrics)
{
    const uint32_t classes = metrics->dataset->labels.count;
    const uint64_t rows = metrics->dataset->validation.rows;

    if (classes > RANKED_CLASSES_MAX)
        return;
    metrics->score_width = classes > 2 ? classes : 1;
    metrics->options.ranks_classes = classes > 2;
    metrics->scored_rows = ROUND_SCORES_MAX / metrics->score_width;
    if (rows < metrics->scored_rows)
        metrics->scored_rows = (uint32_t)rows;
}

void round_metrics_init(struct round_metrics *metrics, const struct jobspec *spec,
                        const struct tree_objective *objective, const struct dataset *dataset)
{
    *metrics = (struct round_metrics){
        .objective = objective,
        .dataset = dataset,
        .model = {.task = spec->task,
                  .labels = dataset->labels,
                  .positive_is_lesser = dataset->positive_is_lesser,
                  .aim = tree_objective_aim(objective, spec)},
        .options = {.average = spec->average},
    };
    if (spec->has_default_metrics)
        return;
    for (size_t i = 0; i < spec->metric_count; i++) {
        struct measure measure;

        if (!measure_find(spec->metrics[i], &measure))
            continue;
        if (metric_is_of_rounds(measure.metric))
            want(metrics, measure);
        else
            metrics->measures[metrics->count++] = measure; /* it has no value */
        if (metric_ranks(measure.metric))
            want_scores(metrics);
    }
    if (metrics->count > 0)
        metrics->part_integers = place_of_counts(metrics) +
                                 (metrics->has_counts ? COUNTS * (dataset->labels.count + 1) : 0);
}

/* ---- rows ---- */

static void add_classes(const struct round_metrics *metrics, const int32_t *classes, uint32_t n,
                        const float *z, int64_t *part)
{
    const uint32_t known = metrics->dataset->labels.count, outputs = metrics->objective->outputs;
    int64_t *counts = part + place_of_counts(metrics);

    for (uint32_t i = 0; i < n; i++, z += outputs) {
        const uint32_t label = classes[i] < 0 ? known : (uint32_t)classes[i];
        uint32_t predicted = outputs == 1 && *z > 0;

        for (uint32_t j = 1; j < outputs; j++)
            predicted = z[j] > z[predicted] ? j : predicted;
        counts[COUNT_ACTUAL * (known + 1) + label]++;
        counts[COUNT_PREDICTED * (known + 1) + predicted]++;
        counts[COUNT_CORRECT * (known + 1) + predicted] += predicted == label;
    }
}

static void add_log_losses(const struct round_metrics *metrics, const int32_t *classes, uint32_t n,
                           const float *z, int64_t *digits)
{
    double losses[BLOCK_ROWS];

    tree_objective_class_losses(metrics->objective, n, classes, z, losses);
    for (uint32_t i = 0; i < n; i++)
        wide_sum_add(digits, losses[i]);
}

static void add_hazards(const struct round_metrics *metrics, const struct tree_labels *labels,
                        uint32_t first, uint32_t n, const float *z, int64_t *part, int64_t *digits)
{
    double losses[BLOCK_ROWS];

    part[PART_EVENTS] += tree_risks_losses(&metrics->objective->risks, labels->are_held_out, n,
                                           labels->values + first, z, losses);
    for (uint32_t i = 0; i < n; i++)
        wide_sum_add(digits, losses[i]);
}

static void add_numbers(const struct round_metrics *metrics, struct measure measure,
                        const struct tree_labels *labels, uint32_t first, uint32_t n,
                        const float *z, int64_t *digits)
{
    const uint32_t outputs = metrics->objective->outputs;
    const enum trees_link link = tree_objective_link(metrics->objective);
    double predicted[QUANTILES_MAX];

    for (uint32_t i = 0; i < n; i++, z += outputs) {
        const double origin = metrics->objective->origin;
        const double label = (double)labels->values[first + i] + origin;
        const struct number_row row = {predicted, label,
                                       labels->uppers ? (double)labels->uppers[first + i] : label};

        for (uint32_t j = 0; j < outputs; j++)
            predicted[j] = tree_objective_prediction(link, z[j]) + origin;
        wide_sum_add(digits, number_loss(measure, &metrics->model.aim, &row));
    }
}

static void add_spread(const struct round_metrics *metrics, const float *y, uint32_t n,
                       int64_t *digits)
{
    const double mean = metrics->dataset->label_average - metrics->objective->origin;

    for (uint32_t i = 0; i < n; i++) {
        const double from_mean = (double)y[i] - mean;

        wide_sum_add(digits + SPREAD_LABELS * WIDE_DIGITS, from_mean);
        wide_sum_add(digits + SPREAD_SQUARES * WIDE_DIGITS, from_mean * from_mean);
    }
}

static void add_block(const struct round_metrics *metrics, const struct tree_labels *labels,
                      uint32_t first, uint32_t n, const float *z, int64_t *part)
{
    for (uint32_t i = 0; i < metrics->mean_count; i++) {
        const struct measure measure = metrics->means[i];
        int64_t *digits = part + PART_SUMS + i * WIDE_DIGITS;

        if (is_of_group(measure.metric))
            continue;
        if (labels->classes)
            add_log_losses(metrics, labels->classes + first, n, z, digits);
        else if (measure.metric == METRIC_COX)
            add_hazards(metrics, labels, first, n, z, part, digits);
        else
            add_numbers(metrics, measure, labels, first, n, z, digits);
    }
    if (metrics->has_spread)
        add_spread(metrics, labels->values + first, n, part + place_of_spread(metrics));
    if (metrics->has_counts)
        add_classes(metrics, labels->classes + first, n, z, part);
}

struct ranking_task {
    const struct round_metrics *metrics;
    int64_t *part;
};

static void add_group(void *context, const float *labels, const float *best, uint32_t n)
{
    const struct ranking_task *task = context;
    const struct round_metrics *metrics = task->metrics;

    task->part[PART_GROUPS]++;
    for (uint32_t i = 0; i < metrics->mean_count; i++)
        if (is_of_group(metrics->means[i].metric))
            wide_sum_add(task->part + PART_SUMS + i * WIDE_DIGITS,
                         ranked_value(metrics->means[i], metrics->model.aim.has_linear_gains,
                                      labels, best, n));
}

void round_metrics_rows(const struct round_metrics *metrics, const struct tree_labels *labels,
                        uint32_t rows, const float *scores, int64_t *integers)
{
    int64_t *part = integers + (labels->are_held_out ? metrics->part_integers : 0);
    struct ranking_task task = {metrics, part};

    part[PART_ROWS] += rows;
    for (uint32_t first = 0; first < rows; first += BLOCK_ROWS)
        add_block(metrics, labels, first, rows - first < BLOCK_ROWS ? rows - first : BLOCK_ROWS,
                  scores + (size_t)first * metrics->objective->outputs, part);
    if (metrics->has_groups)
        tree_rankings_each(labels->groups, labels->values, scores, add_group, &task);
}

/* ---- scores ---- */

/* 1 + the class and the float's bits: what is 0 is of a row without a class. */
static int64_t packed_score(int32_t class, float score)
{
    return 1 + (int64_t)((uint64_t) class << 32 | bits_of(score));
}

static void odds_of_classes(const float *z, uint32_t classes, float *odds)
{
    double sum = 0, most = (double)z[0];

    for (uint32_t j = 1; j < classes; j++)
        most = (double)z[j] > most ? (double)z[j] : most;
    for (uint32_t j = 0; j < classes; j++)
        sum += exponential_double((double)z[j] - most);
    for (uint32_t j = 0; j < classes; j++)
        odds[j] = metrics_log_odds(exponential_double((double)z[j] - most) / sum);
}

uint64_t round_metrics_scores(const struct round_metrics *metrics, const struct tree_labels *labels,
                              uint64_t first, uint32_t rows, const float *scores, int64_t *sums)
{
    const uint32_t width = metrics->score_width;
    const float sign = model_positive(&metrics->model) == 1 ? 1 : -1;
    float odds[RANKED_CLASSES_MAX];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < rows && first + i < metrics->scored_rows; i++) {
        const float *z = scores + (size_t)i * width;
        int64_t *place = sums + (first + i) * width;

        if (labels->classes[i] < 0)
            continue;
        if (width == 1)
            odds[0] = sign * *z;
        else
            odds_of_classes(z, width, odds);
        for (uint32_t j = 0; j < width; j++) {
            const int64_t score = packed_score(labels->classes[i], odds[j]);

            place[j] = words_add(place[j], score);
            sum += (uint64_t)score;
        }
    }
    return sum;
}

/* ---- values ---- */

static enum status rank_scores(const struct round_metrics *metrics, const int64_t *sums,
                               struct metrics *measured, struct error *err)
{
    const uint32_t width = metrics->score_width;
    float odds[RANKED_CLASSES_MAX];

    for (uint32_t row = 0; row < metrics->scored_rows; row++, sums += width) {
        const uint64_t packed = (uint64_t)sums[0] - 1;
        const uint32_t class = (uint32_t)(packed >> 32);

        if (sums[0] == 0)
            continue;
        if (class >= metrics->dataset->labels.count)
            return fail(err, STATUS_CORRUPT, "a score of class %u of %u", class,
                        metrics->dataset->labels.count);
        for (uint32_t j = 0; j < width; j++)
            odds[j] = float_of((uint32_t)((uint64_t)sums[j] - 1));
        TRY(metrics_add_scores(measured, class, odds, err));
    }
    return STATUS_OK;
}

/* NaN: it is not summed up. */
static double sum_of(const struct round_metrics *metrics, const int64_t *part,
                     struct measure measure)
{
    for (uint32_t i = 0; i < metrics->mean_count; i++)
        if (metrics->means[i].metric == measure.metric && metrics->means[i].at == measure.at)
            return wide_sum_value(part + PART_SUMS + i * WIDE_DIGITS);
    return (double)NAN;
}

static struct metrics_sums sums_of(const struct round_metrics *metrics, const int64_t *part)
{
    const bool is_class = metrics->model.task == TASK_CLASSIFICATION;
    const uint32_t known = metrics->dataset->labels.count;
    const int64_t *counts = part + place_of_counts(metrics);
    const int64_t *spread = part + place_of_spread(metrics);
    struct metrics_sums sums = {.rows = (uint64_t)part[PART_ROWS]};

    sums.loss =
        sum_of(metrics, part, (struct measure){.metric = is_class ? METRIC_LOG_LOSS : METRIC_MSE});
    if (!is_class && isnan(sums.loss))
        sums.loss = sum_of(metrics, part, (struct measure){.metric = METRIC_RMSE});
    sums.absolute = sum_of(metrics, part, (struct measure){.metric = METRIC_MAE});
    sums.relative = sum_of(metrics, part, (struct measure){.metric = METRIC_MAPE});
    if (metrics->has_counts) {
        sums.actual = counts + COUNT_ACTUAL * (known + 1);
        sums.predicted = counts + COUNT_PREDICTED * (known + 1);
        sums.correct = counts + COUNT_CORRECT * (known + 1);
    }
    if (metrics->has_spread && sums.rows > 0) {
        const double labels = wide_sum_value(spread + SPREAD_LABELS * WIDE_DIGITS);

        sums.label_squares = wide_sum_value(spread + SPREAD_SQUARES * WIDE_DIGITS) -
                             labels * labels / (double)sums.rows;
    }
    return sums;
}

/* A metric that is a mean, or the root of one, by what it is the mean over. */
static double mean_of(const struct round_metrics *metrics, const int64_t *part,
                      struct measure measure)
{
    const double count = (double)(is_of_group(measure.metric)    ? part[PART_GROUPS]
                                  : measure.metric == METRIC_COX ? part[PART_EVENTS]
                                                                 : part[PART_ROWS]);

    return count > 0 ? number_metric(measure.metric, sum_of(metrics, part, measure) / count)
                     : (double)NAN;
}

static enum status part_values(const struct round_metrics *metrics, const int64_t *part,
                               const int64_t *scores, double *values, struct error *err)
{
    const struct metrics_sums sums = sums_of(metrics, part);
    struct metrics *measured;
    enum status status = STATUS_OK;

    TRY(metrics_new(&metrics->model, &metrics->options, &measured, err));
    metrics_set_sums(measured, &sums);
    if (scores)
        status = rank_scores(metrics, scores, measured, err);
    for (uint32_t i = 0; i < metrics->count && status == STATUS_OK; i++) {
        const struct measure measure = metrics->measures[i];

        values[i] = number_metrics_have(measure.metric) ? mean_of(metrics, part, measure)
                                                        : metrics_value(measured, measure.metric);
        if (metric_ranks(measure.metric) && !scores)
            values[i] = (double)NAN;
    }
    metrics_free(measured);
    return status;
}

enum status round_metrics_values(const struct round_metrics *metrics, const int64_t *integers,
                                 const int64_t *sums, double *train, double *validation,
                                 struct error *err)
{
    TRY(part_values(metrics, integers, NULL, train, err));
    return part_values(metrics, integers + metrics->part_integers,
                       metrics->scored_rows > 0 ? sums : NULL, validation, err);
}
