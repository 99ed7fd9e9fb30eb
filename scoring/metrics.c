#include "scoring/metrics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "scoring/elementary.h"
#include "scoring/silhouette.h"

#define PROBABILITY_LEAST 1e-15
#define SCORES_MAX        ((size_t)1 << 31) /* rows of one class that AUC can rank */

struct scores {
    float *values;
    size_t count, capacity;
};

/* How often a class was the label, was predicted, and was both. The class that
 * the model does not know is counted behind the known ones. */
struct tally {
    uint64_t actual, predicted, correct;
};

struct metrics {
    enum task task;
    uint32_t class_count;   /* classification */
    uint32_t cluster_count; /* clustering */
    uint64_t rows;
    double loss_sum;

    struct tally *tallies;   /* (class_count + 1) */
    double *probabilities;   /* (class_count), of the row being added */
    struct scores scores[2]; /* two classes: logits of the negatives, of the positives */

    double absolute_sum, relative_sum;
    double label_mean, label_squares; /* running mean, and squares around it (Welford) */
    struct silhouette silhouette;     /* clustering */
};

enum status metrics_new(const struct model *model, struct metrics **metrics, struct error *err)
{
    struct metrics *made = calloc(1, sizeof *made);

    *metrics = made;
    if (!made)
        return fail_no_memory(err);
    made->task = model->task;
    if (model->task == TASK_CLUSTERING) {
        made->cluster_count = model_outputs(model);
        if (silhouette_init(&made->silhouette, model->transform.dense_width, err) == STATUS_OK)
            return STATUS_OK;
        metrics_free(made);
        *metrics = NULL;
        return err->status;
    }
    if (model->task != TASK_CLASSIFICATION)
        return STATUS_OK;
    made->class_count = model->labels.count;
    made->tallies = calloc((size_t)made->class_count + 1, sizeof *made->tallies);
    made->probabilities = calloc((size_t)made->class_count + 1, sizeof *made->probabilities);
    if (made->tallies && made->probabilities)
        return STATUS_OK;
    metrics_free(made);
    *metrics = NULL;
    return fail_no_memory(err);
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    free(metrics->tallies);
    free(metrics->probabilities);
    free(metrics->scores[0].values);
    free(metrics->scores[1].values);
    silhouette_deinit(&metrics->silhouette);
    free(metrics);
}

static enum status scores_add(struct scores *scores, float value, struct error *err)
{
    if (scores->count == scores->capacity) {
        size_t capacity = scores->capacity ? 2 * scores->capacity : 1024;
        float *values;

        if (capacity > SCORES_MAX)
            return fail(err, STATUS_LIMIT, "AUC ranks at most %zu rows of one class", SCORES_MAX);
        values = realloc(scores->values, capacity * sizeof *values);
        if (!values)
            return fail_no_memory(err);
        scores->values = values;
        scores->capacity = capacity;
    }
    scores->values[scores->count++] = value;
    return STATUS_OK;
}

/* What is not a number ranks below every number, so that scores have an order. */
static float rankable(float score)
{
    return isnan(score) ? -INFINITY : score;
}

static void measure_class(const struct scorer *scorer, int64_t label, double *probabilities,
                          struct metrics_row *row)
{
    const uint32_t classes = scorer->model->labels.count;
    const bool is_known = label >= 0 && label < (int64_t)classes;
    double probability = 0;

    *row = (struct metrics_row){.label = is_known ? (uint32_t)label : METRICS_UNKNOWN,
                                .predicted = scorer_class(scorer),
                                .score = classes == 2 ? rankable(scorer->outputs[0]) : 0};
    if (is_known) {
        scorer_probabilities(scorer, probabilities);
        probability = probabilities[label];
    }
    /* Written so that a probability that is not a number counts as the least. */
    if (!(probability > PROBABILITY_LEAST))
        probability = PROBABILITY_LEAST;
    row->loss = logarithm_double(probability);
}

static enum status measure_value(const struct scorer *scorer, double label, struct metrics_row *row,
                                 struct error *err)
{
    if (!isfinite(label))
        return fail(err, STATUS_INVALID, "a label of %g, where a finite number was expected",
                    label);
    *row = (struct metrics_row){.loss = scorer_value(scorer) - label, .value = label};
    return STATUS_OK;
}

static void measure_cluster(const struct scorer *scorer, struct metrics_row *row)
{
    *row = (struct metrics_row){
        .predicted = scorer_cluster(scorer),
        .loss = scorer_distance(scorer),
        .inputs = {(const char *)scorer->selected,
                   scorer->model->transform.dense_width * sizeof(float)},
    };
}

enum status metrics_measure(const struct scorer *scorer, const union row_label *label,
                            double *probabilities, struct metrics_row *row, struct error *err)
{
    switch (scorer->model->task) {
    case TASK_CLASSIFICATION:
        measure_class(scorer, label->class, probabilities, row);
        return STATUS_OK;
    case TASK_REGRESSION:
        return measure_value(scorer, label->value, row, err);
    case TASK_CLUSTERING:
        measure_cluster(scorer, row);
        return STATUS_OK;
    }
    return fail(err, STATUS_INVALID, "a model of no task");
}

static enum status add_class(struct metrics *metrics, const struct metrics_row *row,
                             struct error *err)
{
    const bool is_known = row->label != METRICS_UNKNOWN;

    if ((is_known && row->label >= metrics->class_count) || row->predicted > metrics->class_count ||
        !isfinite(row->loss) || isnan(row->score))
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    if (is_known && metrics->class_count == 2)
        TRY(scores_add(&metrics->scores[row->label], row->score, err));
    metrics->rows++;
    metrics->loss_sum -= row->loss;
    metrics->tallies[is_known ? row->label : metrics->class_count].actual++;
    metrics->tallies[row->predicted].predicted++;
    if (is_known && row->predicted == row->label)
        metrics->tallies[row->predicted].correct++;
    return STATUS_OK;
}

static void add_value(struct metrics *metrics, const struct metrics_row *row)
{
    const double from_mean = row->value - metrics->label_mean;

    metrics->rows++;
    metrics->loss_sum += row->loss * row->loss;
    metrics->absolute_sum += fabs(row->loss);
    metrics->relative_sum += fabs(row->loss) / fmax(fabs(row->value), DBL_EPSILON);
    metrics->label_mean += from_mean / (double)metrics->rows;
    metrics->label_squares += from_mean * (row->value - metrics->label_mean);
}

static enum status add_cluster(struct metrics *metrics, const struct metrics_row *row,
                               struct error *err)
{
    const size_t bytes = metrics->silhouette.width * sizeof(float);

    if (!(row->loss >= 0) || isinf(row->loss) || row->predicted >= metrics->cluster_count ||
        (row->inputs.size > 0 && row->inputs.size != bytes))
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    metrics->rows++;
    metrics->loss_sum += row->loss * row->loss;
    if (row->inputs.size > 0)
        silhouette_add(&metrics->silhouette, row->inputs.data, row->predicted);
    return STATUS_OK;
}

enum status metrics_add_row(struct metrics *metrics, const struct metrics_row *row,
                            struct error *err)
{
    if (metrics->task == TASK_CLASSIFICATION)
        return add_class(metrics, row, err);
    if (metrics->task == TASK_CLUSTERING)
        return add_cluster(metrics, row, err);
    if (!isfinite(row->value))
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    add_value(metrics, row);
    return STATUS_OK;
}

enum status metrics_add(struct metrics *metrics, const struct scorer *scorer,
                        const union row_label *label, struct error *err)
{
    struct metrics_row row = {0};

    TRY(metrics_measure(scorer, label, metrics->probabilities, &row, err));
    return metrics_add_row(metrics, &row, err);
}

uint64_t metrics_rows(const struct metrics *metrics)
{
    return metrics->rows;
}

double metrics_loss(const struct metrics *metrics)
{
    return metrics->rows ? metrics->loss_sum / (double)metrics->rows : NAN;
}

static double ratio(double numerator, double denominator)
{
    return denominator > 0 ? numerator / denominator : 0;
}

static double tally_value(const struct tally *tally, enum metric metric)
{
    if (metric == METRIC_PRECISION)
        return ratio((double)tally->correct, (double)tally->predicted);
    if (metric == METRIC_RECALL)
        return ratio((double)tally->correct, (double)tally->actual);
    return ratio(2 * (double)tally->correct, (double)(tally->predicted + tally->actual));
}

uint64_t metrics_unknown_rows(const struct metrics *metrics)
{
    return metrics->class_count > 0 ? metrics->tallies[metrics->class_count].actual : 0;
}

uint32_t metrics_classes(const struct metrics *metrics)
{
    return metrics->class_count;
}

/* Precision, recall or F1: of the positive class, or the mean over the classes
 * that are true or predicted somewhere. */
static double per_class_value(const struct metrics *metrics, enum metric metric)
{
    uint32_t classes = 0;
    double sum = 0;

    if (metrics->class_count == 2)
        return tally_value(&metrics->tallies[1], metric);
    for (uint32_t i = 0; i <= metrics->class_count; i++) {
        if (metrics->tallies[i].actual + metrics->tallies[i].predicted == 0)
            continue;
        sum += tally_value(&metrics->tallies[i], metric);
        classes++;
    }
    return sum / classes;
}

static double accuracy(const struct metrics *metrics)
{
    uint64_t correct = 0;

    for (uint32_t i = 0; i < metrics->class_count; i++)
        correct += metrics->tallies[i].correct;
    return (double)correct / (double)metrics->rows;
}

static int compare_scores(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* The share of pairs (positive, negative) in which the positive has the
 * greater score; equal scores count half (Mann-Whitney). */
static double auc(struct metrics *metrics)
{
    struct scores *negatives = &metrics->scores[0], *positives = &metrics->scores[1];
    double wins = 0; /* halves add up exactly below 2^52 */
    size_t below = 0, upto = 0;

    if (negatives->count == 0 || positives->count == 0)
        return NAN;
    qsort(negatives->values, negatives->count, sizeof(float), compare_scores);
    qsort(positives->values, positives->count, sizeof(float), compare_scores);
    for (size_t i = 0; i < positives->count; i++) {
        const float score = positives->values[i];

        while (below < negatives->count && negatives->values[below] < score)
            below++;
        upto = upto < below ? below : upto;
        while (upto < negatives->count && negatives->values[upto] == score)
            upto++;
        wins += (double)below + 0.5 * (double)(upto - below);
    }
    return wins / ((double)negatives->count * (double)positives->count);
}

static double r_squared(const struct metrics *metrics)
{
    if (metrics->rows < 2)
        return NAN;
    if (metrics->label_squares == 0)
        return metrics->loss_sum == 0 ? 1 : 0;
    return 1 - metrics->loss_sum / metrics->label_squares;
}

double metrics_value(struct metrics *metrics, enum metric metric)
{
    if (metrics->rows == 0 || metric_task(metric) != metrics->task)
        return NAN;
    switch (metric) {
    case METRIC_ACCURACY:
        return accuracy(metrics);
    case METRIC_LOG_LOSS:
    case METRIC_MSE:
        return metrics_loss(metrics);
    case METRIC_AUC:
        return metrics->class_count == 2 ? auc(metrics) : NAN;
    case METRIC_PRECISION:
    case METRIC_RECALL:
    case METRIC_F1:
        return per_class_value(metrics, metric);
    case METRIC_RMSE:
        return sqrt(metrics_loss(metrics));
    case METRIC_MAE:
        return metrics->absolute_sum / (double)metrics->rows;
    case METRIC_R2:
        return r_squared(metrics);
    case METRIC_MAPE:
        return metrics->relative_sum / (double)metrics->rows;
    case METRIC_INERTIA:
        return metrics->loss_sum;
    case METRIC_SILHOUETTE:
        return silhouette_value(&metrics->silhouette);
    case METRIC_COUNT:
        break;
    }
    return NAN;
}
