#include "scoring/metrics.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"
#include "scoring/bootstrap.h"
#include "scoring/heads.h"
#include "scoring/metrics/ranking.h"
#include "scoring/metrics/silhouette.h"
#include "scoring/numbers/elementary.h"
#include "scoring/transform/spread.h"

#define PROBABILITY_LEAST 1e-15

/* How often a class was the label, was predicted, and was both. The class that
 * the model does not know is counted behind the known ones. */
struct tally {
    uint64_t actual, predicted, correct;
};

/* Rows of more than two classes: the class of each, and its scores. */
struct ranked_rows {
    uint32_t *labels;
    float *scores; /* (count, classes) */
    size_t count, capacity;
    bool are_too_many; /* then there are none */
};

struct metrics {
    enum task task;
    uint32_t class_count;   /* classification */
    uint32_t cluster_count; /* clustering */
    uint64_t rows;
    bool has_losses; /* a projection's distances are losses, and added up as they are */
    double loss_sum;

    enum average average;
    uint32_t positive;      /* the positive one of two classes */
    struct tally *tallies;  /* (class_count + 1) */
    double *probabilities;  /* (class_count), of the row being added */
    float *scores;          /* likewise; NULL: they are not wanted */
    struct ranking ranking; /* scores of two classes, or of one of more against the rest */
    struct ranked_rows ranked;
    struct report *report;       /* or NULL */
    struct bootstrap *bootstrap; /* likewise */
    struct head_metrics *heads;  /* likewise */

    double absolute_sum, relative_sum;
    double label_mean, label_squares; /* running mean, and squares around it (Welford) */
    struct number_metrics numbers;
    struct silhouette silhouette; /* clustering */
    double square_sum;            /* projection: about the means of training */
    uint64_t outliers;            /* detection */
};

static enum status init_clusters(struct metrics *metrics, const struct model *model,
                                 struct error *err)
{
    metrics->cluster_count = model_outputs(model);
    return silhouette_init(&metrics->silhouette, (uint32_t)spread_width(&model->transform), err);
}

static enum status init_classes(struct metrics *metrics, const struct model *model,
                                bool ranks_classes, struct error *err)
{
    const size_t room = (size_t)model->labels.count + 1;

    metrics->class_count = model->labels.count;
    metrics->positive = model_positive(model);
    metrics->tallies = calloc(room, sizeof *metrics->tallies);
    metrics->probabilities = calloc(room, sizeof *metrics->probabilities);
    if (ranks_classes)
        metrics->scores = calloc(room, sizeof *metrics->scores);
    return metrics->tallies && metrics->probabilities && (metrics->scores || !ranks_classes)
               ? STATUS_OK
               : fail_no_memory(err);
}

static enum status init(struct metrics *metrics, const struct model *model,
                        const struct metrics_options *options, struct error *err)
{
    static const struct aim_facts means;

    metrics->task = model->task;
    metrics->has_losses = model->aim.aim == AIM_LOSSES;
    metrics->average = options->average;
    if (model->task == TASK_CLUSTERING)
        TRY(init_clusters(metrics, model, err));
    if (model->task == TASK_REGRESSION)
        number_metrics_init(&metrics->numbers, options->as_means ? &means : &model->aim,
                            options->names, options->name_count);
    if (model->task == TASK_CLASSIFICATION)
        TRY(init_classes(metrics, model, options->ranks_classes, err));
    if (options->by_head && model->head_count > 0)
        TRY(head_metrics_new(model, &metrics->heads, err));
    if (options->keeps_rows)
        TRY(bootstrap_new(model, options, &metrics->bootstrap, err));
    if (options->report == REPORT_METRICS)
        return STATUS_OK;
    TRY(report_new(model, options->report, &metrics->report, err));
    if (options->costs)
        report_set_costs(metrics->report, options->costs);
    return STATUS_OK;
}

enum status metrics_new(const struct model *model, const struct metrics_options *options,
                        struct metrics **metrics, struct error *err)
{
    static const struct metrics_options none;

    *metrics = calloc(1, sizeof **metrics);
    if (!*metrics)
        return fail_no_memory(err);
    if (init(*metrics, model, options ? options : &none, err) == STATUS_OK)
        return STATUS_OK;
    metrics_free(*metrics);
    *metrics = NULL;
    return err->status;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    free(metrics->tallies);
    free(metrics->probabilities);
    free(metrics->scores);
    free(metrics->ranked.labels);
    free(metrics->ranked.scores);
    ranking_deinit(&metrics->ranking);
    silhouette_deinit(&metrics->silhouette);
    number_metrics_deinit(&metrics->numbers);
    report_free(metrics->report);
    bootstrap_free(metrics->bootstrap);
    head_metrics_free(metrics->heads);
    free(metrics);
}

bool metrics_rank_classes(const struct model *model, const struct slice *names, size_t count)
{
    enum metric metric;

    if (model->task != TASK_CLASSIFICATION || model->labels.count == 2 ||
        model->labels.count > RANKED_CLASSES_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        if (metric_find(names[i], &metric) && metric_ranks(metric))
            return true;
    return false;
}

struct bootstrap *metrics_bootstrap(struct metrics *metrics)
{
    return metrics->bootstrap;
}

struct head_metrics *metrics_heads(struct metrics *metrics)
{
    return metrics->heads;
}

struct report *metrics_report(struct metrics *metrics)
{
    return metrics->report;
}

bool metrics_rank_too_many(const struct metrics *metrics)
{
    return metrics->ranked.are_too_many;
}

static enum status ranked_grow(struct ranked_rows *ranked, uint32_t classes, struct error *err)
{
    const size_t capacity = ranked->capacity ? 2 * ranked->capacity : 256;
    uint32_t *labels = realloc(ranked->labels, capacity * sizeof *labels);
    float *scores;

    if (!labels)
        return fail_no_memory(err);
    ranked->labels = labels;
    scores = realloc(ranked->scores, capacity * classes * sizeof *scores);
    if (!scores)
        return fail_no_memory(err);
    ranked->scores = scores;
    ranked->capacity = capacity;
    return STATUS_OK;
}

static enum status ranked_add(struct ranked_rows *ranked, const struct metrics_row *row,
                              uint32_t classes, struct error *err)
{
    if (ranked->are_too_many)
        return STATUS_OK;
    if ((ranked->count + 1) * classes > RANKED_SCORES_MAX) {
        free(ranked->labels);
        free(ranked->scores);
        *ranked = (struct ranked_rows){.are_too_many = true};
        return STATUS_OK;
    }
    if (ranked->count == ranked->capacity)
        TRY(ranked_grow(ranked, classes, err));
    ranked->labels[ranked->count] = row->label;
    memcpy(ranked->scores + ranked->count * classes, row->scores.data, row->scores.size);
    ranked->count++;
    return STATUS_OK;
}

/* With room for the rows in the ranking of each class, so that metrics_value needs no memory. */
static enum status add_ranked(struct metrics *metrics, const struct metrics_row *row,
                              struct error *err)
{
    TRY(ranked_add(&metrics->ranked, row, metrics->class_count, err));
    return ranking_reserve(&metrics->ranking, metrics->ranked.capacity, err);
}

/* A NaN ranks below every number, so that scores have an order. */
static float rankable(float score)
{
    return isnan(score) ? -INFINITY : score;
}

float metrics_log_odds(double probability)
{
    if (!(probability > DBL_MIN))
        return -INFINITY;
    if (probability >= 1)
        return INFINITY;
    return (float)(logarithm_double(probability) - logarithm_double(1 - probability));
}

/* The positive class's score; with calibration one that gives the probability again. */
static float positive_score(const struct scorer *scorer)
{
    const uint32_t positive = model_positive(scorer->model);
    const float score = scorer->outputs[0];
    double probabilities[2];

    if (scorer->model->final.calibration != CALIBRATION_NONE) {
        scorer_probabilities(scorer, probabilities);
        return metrics_log_odds(probabilities[positive]);
    }
    return rankable(positive == 1 ? score : -score);
}

/* The logarithm of the label's probability. */
static double class_loss(double probability)
{
    /* Written so that a probability that is not a number counts as the least. */
    if (!(probability > PROBABILITY_LEAST))
        probability = PROBABILITY_LEAST;
    return logarithm_double(probability);
}

/* Where there are no probabilities: by how much the label's margin falls short of 1, with a minus
 * sign as of a logarithm. */
static double margin_loss(const struct scorer *scorer, int64_t label)
{
    const double z = (double)scorer->outputs[0], short_of = 1 - (label == 1 ? z : -z);

    if (isnan(short_of))
        return class_loss(0);
    return short_of > 0 ? -short_of : 0;
}

static void measure_class(const struct scorer *scorer, int64_t label, double *probabilities,
                          float *scores, struct metrics_row *row)
{
    const uint32_t classes = scorer->model->labels.count;
    const bool is_known = label >= 0 && label < (int64_t)classes;
    double probability = 0;

    *row = (struct metrics_row){.label = is_known ? (uint32_t)label : METRICS_UNKNOWN,
                                .predicted = scorer_class(scorer),
                                .score = classes == 2 ? positive_score(scorer) : 0};
    if (is_known) {
        scorer_probabilities(scorer, probabilities);
        probability = probabilities[label];
    }
    if (is_known && scores && classes > 2) {
        for (uint32_t i = 0; i < classes; i++)
            scores[i] = metrics_log_odds(probabilities[i]);
        row->scores = (struct slice){(const char *)scores, classes * sizeof *scores};
    }
    row->loss = is_known && scorer->model->link == LABEL_LINK_MARGIN ? margin_loss(scorer, label)
                                                                     : class_loss(probability);
}

/* The same for the same row, wherever it is. */
static uint64_t key_of(const struct scorer *scorer, double label)
{
    const struct transform *transform = &scorer->model->transform;
    const uint64_t numbers =
        bytes_hash(scorer->selected, transform->dense_width * sizeof(float), double_bits(label));

    return bytes_hash(scorer->selected_ids, transform->id_count * sizeof(int32_t), numbers);
}

static void measure_aim(const struct scorer *scorer, const struct row_label *label,
                        struct metrics_row *row)
{
    const struct model *model = scorer->model;

    row->number_count = model->aim.aim == AIM_QUANTILES ? model->aim.quantile_count : 1;
    for (uint32_t i = 0; i < row->number_count; i++)
        row->numbers[i] = scorer_number(scorer, i);
    row->upper = label->upper;
    row->group = label->group;
    if (model->aim.aim == AIM_RANKS)
        row->key = label->place > 0 ? label->place : key_of(scorer, label->value);
}

static enum status measure_value(const struct scorer *scorer, const struct row_label *label,
                                 struct metrics_row *row, struct error *err)
{
    if (!isfinite(label->value))
        return fail(err, STATUS_INVALID, "a label of %g, where a finite number was expected",
                    label->value);
    *row = (struct metrics_row){.loss = scorer_value(scorer) - label->value, .value = label->value};
    if (scorer->model->aim.aim != AIM_MEANS)
        measure_aim(scorer, label, row);
    return STATUS_OK;
}

/* The inputs that distances are of, which stay until the scorer has other rows. */
static struct slice spread_inputs(const struct scorer *scorer)
{
    const struct transform *transform = &scorer->model->transform;
    const size_t width = spread_width(transform);
    const float *inputs = scorer->selected;

    if (scorer->spread) {
        const size_t place =
            (size_t)(scorer->outputs - scorer->results) / model_outputs(scorer->model);
        float *row = scorer->spread + place * width;

        spread_row(transform, scorer->selected, scorer->selected_ids, row);
        inputs = row;
    }
    return (struct slice){(const char *)inputs, width * sizeof *inputs};
}

static void measure_cluster(const struct scorer *scorer, struct metrics_row *row)
{
    *row = (struct metrics_row){
        .predicted = scorer_cluster(scorer),
        .loss = scorer_distance(scorer),
        .inputs = spread_inputs(scorer),
    };
}

static void measure_projection(const struct scorer *scorer, struct metrics_row *row)
{
    const double distance = scorer_distance(scorer);
    double square = distance * distance;

    if (scorer->model->aim.aim == AIM_LOSSES) {
        *row = (struct metrics_row){.loss = distance};
        return;
    }
    for (uint32_t i = 0; i < scorer->model->components; i++)
        square += scorer_component(scorer, i) * scorer_component(scorer, i);
    *row = (struct metrics_row){.loss = distance, .value = square};
}

static void measure_detection(const struct scorer *scorer, struct metrics_row *row)
{
    const double distance = scorer_distance(scorer);

    *row = (struct metrics_row){.predicted = !(distance > 0), .loss = distance < 0 ? -distance : 0};
}

enum status metrics_measure(const struct scorer *scorer, const struct row_label *label,
                            double *probabilities, float *scores, struct metrics_row *row,
                            struct error *err)
{
    switch (scorer->model->task) {
    case TASK_CLASSIFICATION:
        measure_class(scorer, label->class, probabilities, scores, row);
        return STATUS_OK;
    case TASK_REGRESSION:
        return measure_value(scorer, label, row, err);
    case TASK_CLUSTERING:
        measure_cluster(scorer, row);
        return STATUS_OK;
    case TASK_PROJECTION:
        measure_projection(scorer, row);
        return STATUS_OK;
    case TASK_DETECTION:
        measure_detection(scorer, row);
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
        TRY(ranking_add(&metrics->ranking, row->label == metrics->positive, row->score, err));
    if (is_known && metrics->scores &&
        row->scores.size != metrics->class_count * sizeof *metrics->scores)
        return fail(err, STATUS_CORRUPT, "a measured row without the scores of its classes");
    if (is_known && metrics->scores)
        TRY(add_ranked(metrics, row, err));
    metrics->rows++;
    metrics->loss_sum -= row->loss;
    metrics->tallies[is_known ? row->label : metrics->class_count].actual++;
    metrics->tallies[row->predicted].predicted++;
    if (is_known && row->predicted == row->label)
        metrics->tallies[row->predicted].correct++;
    return STATUS_OK;
}

static enum status add_value(struct metrics *metrics, const struct metrics_row *row,
                             struct error *err)
{
    const double from_mean = row->value - metrics->label_mean, predicted = row->value + row->loss;
    /* Several quantiles are measured by the predicted one alone where no aim is looked at. */
    const bool is_one = row->number_count > 1 && metrics->numbers.aim.aim == AIM_MEANS;
    const struct number_measures measures = {
        {row->number_count > 0 && !is_one ? row->numbers : &predicted, row->value, row->upper},
        row->group,
        row->key};

    metrics->rows++;
    metrics->loss_sum += row->loss * row->loss;
    metrics->absolute_sum += fabs(row->loss);
    metrics->relative_sum += fabs(row->loss) / fmax(fabs(row->value), DBL_EPSILON);
    metrics->label_mean += from_mean / (double)metrics->rows;
    metrics->label_squares += from_mean * (row->value - metrics->label_mean);
    return number_metrics_add(&metrics->numbers, &measures, err);
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

static enum status add_loss(struct metrics *metrics, const struct metrics_row *row,
                            struct error *err)
{
    if (!isfinite(row->loss))
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    metrics->rows++;
    metrics->loss_sum += row->loss;
    return STATUS_OK;
}

static enum status add_projection(struct metrics *metrics, const struct metrics_row *row,
                                  struct error *err)
{
    if (metrics->has_losses)
        return add_loss(metrics, row, err);
    if (!(row->loss >= 0) || isinf(row->loss) || !(row->value >= 0) || isinf(row->value))
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    metrics->rows++;
    metrics->loss_sum += row->loss * row->loss;
    metrics->square_sum += row->value;
    return STATUS_OK;
}

static enum status add_detection(struct metrics *metrics, const struct metrics_row *row,
                                 struct error *err)
{
    if (!(row->loss >= 0) || isinf(row->loss) || row->predicted > 1)
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    metrics->rows++;
    metrics->loss_sum += row->loss;
    metrics->outliers += row->predicted;
    return STATUS_OK;
}

static enum status add_row(struct metrics *metrics, const struct metrics_row *row,
                           struct error *err)
{
    if (metrics->task == TASK_CLASSIFICATION)
        return add_class(metrics, row, err);
    if (metrics->task == TASK_CLUSTERING)
        return add_cluster(metrics, row, err);
    if (metrics->task == TASK_PROJECTION)
        return add_projection(metrics, row, err);
    if (metrics->task == TASK_DETECTION)
        return add_detection(metrics, row, err);
    if (!isfinite(row->value) || !number_metrics_take(&metrics->numbers, row->number_count))
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    return add_value(metrics, row, err);
}

enum status metrics_add_row(struct metrics *metrics, const struct metrics_row *row,
                            struct error *err)
{
    TRY(add_row(metrics, row, err));
    if (metrics->bootstrap)
        TRY(bootstrap_add(metrics->bootstrap, row, err));
    return metrics->report ? report_add(metrics->report, row, err) : STATUS_OK;
}

enum status metrics_add(struct metrics *metrics, const struct scorer *scorer,
                        const struct row_label *label, struct error *err)
{
    struct metrics_row row = {0};

    TRY(metrics_measure(scorer, label, metrics->probabilities, metrics->scores, &row, err));
    if (metrics->heads)
        TRY(head_metrics_add(metrics->heads, scorer, err));
    return metrics_add_row(metrics, &row, err);
}

uint64_t metrics_rows(const struct metrics *metrics)
{
    return metrics->rows;
}

static double mean_loss(const struct metrics *metrics)
{
    return metrics->rows ? metrics->loss_sum / (double)metrics->rows : NAN;
}

double metrics_loss(struct metrics *metrics)
{
    const struct aim_facts *aim = &metrics->numbers.aim;
    const enum metric metric = aim_metric(aim);
    double value;

    if (aim->aim == AIM_MEANS)
        return mean_loss(metrics);
    value = number_metrics_value(&metrics->numbers, (struct measure){.metric = metric});
    return metric_is_loss(metric) ? value : 1 - value;
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

uint64_t metrics_class_rows(const struct metrics *metrics, uint32_t class)
{
    return metrics->tallies[class].actual;
}

uint64_t metrics_class_predicted(const struct metrics *metrics, uint32_t class)
{
    return metrics->tallies[class].predicted;
}

uint32_t metrics_classes(const struct metrics *metrics)
{
    return metrics->class_count;
}

/* Over the classes that are true or predicted somewhere; with weights by how often they are
 * true. */
static double averaged_value(const struct metrics *metrics, enum metric metric)
{
    const bool is_weighted = metrics->average == AVERAGE_WEIGHTED;
    double sum = 0, weights = 0;

    for (uint32_t i = 0; i <= metrics->class_count; i++) {
        const struct tally *tally = &metrics->tallies[i];
        const double weight = is_weighted ? (double)tally->actual : 1;

        if (tally->actual + tally->predicted == 0)
            continue;
        sum += weight * tally_value(tally, metric);
        weights += weight;
    }
    return sum / weights;
}

static double accuracy(const struct metrics *metrics)
{
    uint64_t correct = 0;

    for (uint32_t i = 0; i < metrics->class_count; i++)
        correct += metrics->tallies[i].correct;
    return (double)correct / (double)metrics->rows;
}

/* Precision, recall or F1. Added up over all classes each of them is the accuracy. */
static double per_class_value(const struct metrics *metrics, enum metric metric)
{
    if (metrics->class_count == 2)
        return tally_value(&metrics->tallies[metrics->positive], metric);
    return metrics->average == AVERAGE_MICRO ? accuracy(metrics) : averaged_value(metrics, metric);
}

/* The mean recall of the classes that occur. */
static double balanced_accuracy(const struct metrics *metrics)
{
    uint32_t classes = 0;
    double sum = 0;

    for (uint32_t i = 0; i <= metrics->class_count; i++) {
        if (metrics->tallies[i].actual == 0)
            continue;
        sum += tally_value(&metrics->tallies[i], METRIC_RECALL);
        classes++;
    }
    return sum / classes;
}

/* Matthews' correlation of label and prediction, of any number of classes; 0 where either is
 * always the same. */
static double correlation(const struct metrics *metrics)
{
    const double rows = (double)metrics->rows;
    double correct = 0, both = 0, actual = 0, predicted = 0, spread;

    for (uint32_t i = 0; i <= metrics->class_count; i++) {
        const struct tally *tally = &metrics->tallies[i];

        correct += (double)tally->correct;
        both += (double)tally->actual * (double)tally->predicted;
        actual += (double)tally->actual * (double)tally->actual;
        predicted += (double)tally->predicted * (double)tally->predicted;
    }
    spread = sqrt(rows * rows - predicted) * sqrt(rows * rows - actual);
    return spread > 0 ? (correct * rows - both) / spread : 0;
}

static double ranked_value(struct ranking *ranking, enum metric metric)
{
    return metric == METRIC_AUC ? ranking_auc(ranking) : ranking_average_precision(ranking);
}

/* One class against the rest; add_ranked has made the room. */
static void rank_class(struct metrics *metrics, uint32_t class)
{
    const struct ranked_rows *ranked = &metrics->ranked;
    struct error err;
    enum status status = STATUS_OK;

    ranking_clear(&metrics->ranking);
    for (size_t i = 0; i < ranked->count; i++)
        status |= ranking_add(&metrics->ranking, ranked->labels[i] == class,
                              ranked->scores[i * metrics->class_count + class], &err);
    assert(status == STATUS_OK);
    (void)status;
}

/* AUC and PRAUC: of the positive class of two; of more the mean over the classes, each against the
 * rest, where it is defined: there are rows of it, and others. */
static double ranking_value(struct metrics *metrics, enum metric metric)
{
    double sum = 0;
    uint32_t classes = 0;

    if (metrics->class_count == 2)
        return ranked_value(&metrics->ranking, metric);
    for (uint32_t i = 0; metrics->scores && i < metrics->class_count; i++) {
        double value;

        rank_class(metrics, i);
        value = ranked_value(&metrics->ranking, metric);
        sum += isnan(value) ? 0 : value;
        classes += !isnan(value);
    }
    return classes > 0 ? sum / classes : NAN;
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
    case METRIC_LOSS:
        return mean_loss(metrics);
    case METRIC_AUC:
    case METRIC_PR_AUC:
        return ranking_value(metrics, metric);
    case METRIC_BALANCED_ACCURACY:
        return balanced_accuracy(metrics);
    case METRIC_MCC:
        return correlation(metrics);
    case METRIC_PRECISION:
    case METRIC_RECALL:
    case METRIC_F1:
        return per_class_value(metrics, metric);
    case METRIC_RMSE:
        return sqrt(mean_loss(metrics));
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
    case METRIC_RECONSTRUCTION:
        return mean_loss(metrics);
    case METRIC_OUTLIERS:
        return (double)metrics->outliers / (double)metrics->rows;
    case METRIC_EXPLAINED:
        return metrics->square_sum > 0 ? 1 - metrics->loss_sum / metrics->square_sum : NAN;
    default:
        return metrics_measured(metrics, (struct measure){.metric = metric});
    }
}

double metrics_measured(struct metrics *metrics, struct measure measure)
{
    return number_metrics_have(measure.metric) ? number_metrics_value(&metrics->numbers, measure)
                                               : metrics_value(metrics, measure.metric);
}

void metrics_set_sums(struct metrics *metrics, const struct metrics_sums *sums)
{
    metrics->rows = sums->rows;
    metrics->loss_sum = sums->loss;
    metrics->absolute_sum = sums->absolute;
    metrics->relative_sum = sums->relative;
    metrics->label_squares = sums->label_squares;
    for (uint32_t i = 0; sums->actual && i <= metrics->class_count; i++)
        metrics->tallies[i] = (struct tally){
            (uint64_t)sums->actual[i], (uint64_t)sums->predicted[i], (uint64_t)sums->correct[i]};
}

enum status metrics_add_scores(struct metrics *metrics, uint32_t label, const float *scores,
                               struct error *err)
{
    const struct metrics_row row = {
        .label = label, .scores = {(const char *)scores, metrics->class_count * sizeof *scores}};

    return metrics->class_count == 2
               ? ranking_add(&metrics->ranking, label == metrics->positive, *scores, err)
               : add_ranked(metrics, &row, err);
}
