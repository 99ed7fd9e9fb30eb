#include "scoring/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort_doubles.h"
#include "inputs/cells/cells.h"
#include "scoring/label_names.h"
#include "scoring/metrics.h"
#include "scoring/metrics/ranking.h"
#include "scoring/numbers/elementary.h"

#define BINS    10 /* bins of a calibration */
#define BARS    20 /* bars of a histogram */
#define TENTHS  10
#define ROWS(c) (sizeof(c) / sizeof *(c))

struct report {
    enum report_kind kind;
    const struct model *model;
    struct report_costs costs;
    uint32_t labels;
    uint64_t *counts;       /* (labels + 1, labels): of actual and predicted; last the unknown */
    uint64_t *actual;       /* (labels + 1) */
    uint64_t *predicted;    /* (labels) */
    struct ranking ranking; /* scores of two classes */
    double *residuals;
    size_t residual_count, residual_capacity;
};

static const struct {
    const char *columns[REPORT_COLUMNS + 1];
    enum task task;
    bool needs_two_classes;
} reports[] = {
    [REPORT_METRICS] = {{NULL}, TASK_CLASSIFICATION, false},
    [REPORT_CONFUSION] = {{"actual", "predicted", "rows", NULL}, TASK_CLASSIFICATION, false},
    [REPORT_CLASSES] = {{"class", "precision", "recall", "f1", "rows", NULL},
                        TASK_CLASSIFICATION,
                        false},
    [REPORT_ROC] = {{"threshold", "false_positive_rate", "true_positive_rate", NULL},
                    TASK_CLASSIFICATION,
                    true},
    [REPORT_PR] = {{"threshold", "precision", "recall", NULL}, TASK_CLASSIFICATION, true},
    [REPORT_THRESHOLDS] = {{"threshold", "precision", "recall", "f1", "predicted_share", "cost",
                            NULL},
                           TASK_CLASSIFICATION,
                           true},
    [REPORT_GAIN] = {{"decile", "threshold", "rows", "positives", "lift", "gain", NULL},
                     TASK_CLASSIFICATION,
                     true},
    [REPORT_CALIBRATION] = {{"bin", "upto", "rows", "mean_predicted", "actual", NULL},
                            TASK_CLASSIFICATION,
                            true},
    [REPORT_RESIDUALS] = {{"part", "share", "low", "high", "rows", NULL}, TASK_REGRESSION, false},
    [REPORT_DRIFT] = {{"input", "psi", "verdict", "unseen", "nulls_then", "nulls_now", "mean_then",
                       "mean_now", "median_then", "median_now", NULL},
                      TASK_CLASSIFICATION,
                      false},
};

const char *const *report_columns(enum report_kind kind)
{
    return kind == REPORT_METRICS ? NULL : reports[kind].columns;
}

bool report_is_of(enum report_kind kind, enum task task)
{
    return kind == REPORT_METRICS || kind == REPORT_DRIFT || reports[kind].task == task;
}

bool report_needs_probabilities(enum report_kind kind)
{
    return kind == REPORT_CALIBRATION;
}

bool report_needs_two_classes(enum report_kind kind)
{
    return reports[kind].needs_two_classes;
}

/* ---- the rows, as they come ---- */

static enum status make_counts(struct report *report, struct error *err)
{
    const size_t labels = report->labels;

    report->actual = calloc(labels + 1, sizeof *report->actual);
    report->predicted = calloc(labels + 1, sizeof *report->predicted);
    if (report->kind == REPORT_CONFUSION || report->kind == REPORT_CLASSES)
        report->counts = calloc(report->kind == REPORT_CONFUSION ? (labels + 1) * labels : labels,
                                sizeof *report->counts);
    return report->actual && report->predicted ? STATUS_OK : fail_no_memory(err);
}

static enum status check_model(enum report_kind kind, const struct model *model, struct error *err)
{
    if (kind == REPORT_DRIFT)
        return fail(err, STATUS_INVALID, "the report 'drift' is not made of measured rows");
    if (!report_is_of(kind, model->task))
        return fail(err, STATUS_INVALID, "a %s has no report '%s'", task_models[model->task],
                    report_words[kind]);
    if (report_needs_two_classes(kind) && model->labels.count != 2)
        return fail(err, STATUS_INVALID, "the report '%s' needs two classes, and the model has %u",
                    report_words[kind], model->labels.count);
    if (report_needs_probabilities(kind) && model->link == LABEL_LINK_MARGIN)
        return fail(err, STATUS_INVALID,
                    "the report '%s' needs probabilities, and the model has none",
                    report_words[kind]);
    if (kind == REPORT_CONFUSION && model->labels.count > REPORT_LABELS_MAX)
        return fail(err, STATUS_LIMIT, "the report '%s' has at most %d labels", report_words[kind],
                    REPORT_LABELS_MAX);
    return STATUS_OK;
}

enum status report_new(const struct model *model, enum report_kind kind, struct report **report,
                       struct error *err)
{
    struct report *made;

    *report = NULL;
    TRY(check_model(kind, model, err));
    made = calloc(1, sizeof *made);
    if (!made)
        return fail_no_memory(err);
    made->kind = kind;
    made->model = model;
    made->costs = (struct report_costs){1, 1};
    made->labels = model->labels.count;
    if (made->labels > 0 && make_counts(made, err) != STATUS_OK) {
        report_free(made);
        return err->status;
    }
    if (made->labels > 0 && (kind == REPORT_CONFUSION || kind == REPORT_CLASSES) && !made->counts) {
        report_free(made);
        return fail_no_memory(err);
    }
    *report = made;
    return STATUS_OK;
}

void report_set_costs(struct report *report, const struct report_costs *costs)
{
    report->costs = *costs;
}

void report_free(struct report *report)
{
    if (!report)
        return;
    free(report->counts);
    free(report->actual);
    free(report->predicted);
    free(report->residuals);
    ranking_deinit(&report->ranking);
    free(report);
}

static enum status add_residual(struct report *report, double residual, struct error *err)
{
    if (report->residual_count == report->residual_capacity) {
        const size_t capacity = report->residual_capacity ? 2 * report->residual_capacity : 1024;
        double *more;

        if (capacity > REPORT_ROWS_MAX)
            return fail(err, STATUS_LIMIT, "a report of residuals has at most %zu rows",
                        REPORT_ROWS_MAX);
        more = realloc(report->residuals, capacity * sizeof *more);
        if (!more)
            return fail_no_memory(err);
        report->residuals = more;
        report->residual_capacity = capacity;
    }
    report->residuals[report->residual_count++] = residual;
    return STATUS_OK;
}

static void count_classes(struct report *report, const struct metrics_row *row)
{
    const uint32_t actual = row->label == METRICS_UNKNOWN ? report->labels : row->label;

    report->actual[actual]++;
    report->predicted[row->predicted]++;
    if (report->kind == REPORT_CONFUSION)
        report->counts[(size_t)actual * report->labels + row->predicted]++;
    else if (report->kind == REPORT_CLASSES && actual == row->predicted)
        report->counts[actual]++;
}

enum status report_add(struct report *report, const struct metrics_row *row, struct error *err)
{
    if (report->kind == REPORT_RESIDUALS)
        return add_residual(report, -row->loss, err);
    if (row->predicted >= report->labels)
        return fail(err, STATUS_CORRUPT, "a measured row of another model");
    count_classes(report, row);
    if (!report_needs_two_classes(report->kind) || row->label == METRICS_UNKNOWN)
        return STATUS_OK;
    return ranking_add(&report->ranking, row->label == model_positive(report->model), row->score,
                       err);
}

/* ---- what they make ---- */

/* Where the next row of the result goes. */
struct writing {
    struct arena *arena;
    struct cell *cells;
    size_t columns, rows, room;
};

static struct cell integer(uint64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = (int64_t)value};
}

static struct cell real(double value)
{
    return isfinite(value) ? (struct cell){.type = CELL_REAL, .real = value}
                           : (struct cell){.type = CELL_NULL};
}

static struct cell word(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = slice_of(text)};
}

/* The label as it is where it is a plain number or a text; spelled in the writing's arena
 * otherwise. NULL for the label that the model does not know. */
static struct cell label_of(const struct report *report, const struct writing *writing,
                            uint32_t label)
{
    const struct labels *labels = &report->model->labels;
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice name;

    if (label >= report->labels)
        return (struct cell){.type = CELL_NULL};
    if (labels->spelling == LABEL_AS_NUMBER)
        return labels->values[label];
    name = arena_copy(writing->arena, label_name(labels, label, buffer));
    return (struct cell){.type = name.data ? CELL_TEXT : CELL_NULL, .text = name};
}

static enum status make_room(struct writing *writing, size_t rows, struct error *err)
{
    writing->cells = ARENA_NEW(writing->arena, struct cell, rows * writing->columns);
    writing->room = rows;
    return writing->cells ? STATUS_OK : fail_no_memory(err);
}

static void put(struct writing *writing, const struct cell *cells)
{
    if (writing->rows == writing->room)
        return;
    for (size_t i = 0; i < writing->columns; i++)
        writing->cells[writing->rows * writing->columns + i] = cells[i];
    writing->rows++;
}

static bool has_pair(const struct report *report, uint32_t actual, uint32_t predicted)
{
    if (report->counts[(size_t)actual * report->labels + predicted] > 0)
        return true;
    return actual < report->labels && report->labels <= REPORT_ALL_PAIRS;
}

static enum status write_confusion(const struct report *report, struct writing *writing,
                                   struct error *err)
{
    size_t pairs = 0;

    for (uint32_t i = 0; i <= report->labels; i++)
        for (uint32_t j = 0; j < report->labels; j++)
            pairs += has_pair(report, i, j);
    TRY(make_room(writing, pairs, err));
    for (uint32_t i = 0; i <= report->labels; i++)
        for (uint32_t j = 0; j < report->labels; j++)
            if (has_pair(report, i, j))
                put(writing,
                    (struct cell[]){label_of(report, writing, i), label_of(report, writing, j),
                                    integer(report->counts[(size_t)i * report->labels + j])});
    return STATUS_OK;
}

static double share_of(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

static enum status write_classes(const struct report *report, struct writing *writing,
                                 struct error *err)
{
    TRY(make_room(writing, (size_t)report->labels + 1, err));
    for (uint32_t i = 0; i < report->labels; i++) {
        const uint64_t correct = report->counts[i], actual = report->actual[i];

        put(writing, (struct cell[]){label_of(report, writing, i),
                                     real(share_of(correct, report->predicted[i])),
                                     real(share_of(correct, actual)),
                                     real(share_of(2 * correct, actual + report->predicted[i])),
                                     integer(actual)});
    }
    if (report->actual[report->labels] > 0)
        put(writing, (struct cell[]){label_of(report, writing, report->labels), real(0), real(0),
                                     real(0), integer(report->actual[report->labels])});
    return STATUS_OK;
}

static double probability_of(float score)
{
    return 1 / (1 + exponential_double(-(double)score));
}

/* Where there are no probabilities the score itself is what a row is compared by. */
static double threshold_of(const struct report *report, float score)
{
    return report->model->link == LABEL_LINK_MARGIN ? (double)score : probability_of(score);
}

/* The next threshold: scores of which the same is made are one. */
static bool next_threshold(struct report *report, struct ranking_point *point)
{
    struct ranking_point next;

    if (!ranking_next(&report->ranking, point))
        return false;
    for (next = *point; ranking_next(&report->ranking, &next) &&
                        threshold_of(report, next.score) == threshold_of(report, point->score);)
        *point = next;
    return true;
}

/* The cost of the mistakes where the rows of the point are predicted to be positive. */
static double cost_of(const struct report *report, const struct ranking_point *point)
{
    const uint64_t missed = report->ranking.scores[1].count - point->positives;

    return report->costs.false_positive * (double)point->negatives +
           report->costs.false_negative * (double)missed;
}

static double f1_of(const struct report *report, const struct ranking_point *point)
{
    return share_of(2 * point->positives,
                    point->positives + point->negatives + report->ranking.scores[1].count);
}

static void put_threshold(const struct report *report, const struct ranking_point *point,
                          struct writing *writing)
{
    const struct ranked_scores *scores = report->ranking.scores;
    const uint64_t rows = point->positives + point->negatives;

    put(writing,
        (struct cell[]){
            real(threshold_of(report, point->score)), real(share_of(point->positives, rows)),
            real((double)point->positives / (double)scores[1].count), real(f1_of(report, point)),
            real(share_of(rows, scores[0].count + scores[1].count)), real(cost_of(report, point))});
}

static void put_point(const struct report *report, const struct ranking_point *point,
                      struct writing *writing)
{
    const double negatives = (double)report->ranking.scores[0].count;
    const double positives = (double)report->ranking.scores[1].count;
    const double recall = (double)point->positives / positives;
    const double threshold = threshold_of(report, point->score);

    if (report->kind == REPORT_THRESHOLDS)
        put_threshold(report, point, writing);
    else if (report->kind == REPORT_ROC)
        put(writing, (struct cell[]){real(threshold), real((double)point->negatives / negatives),
                                     real(recall)});
    else
        put(writing,
            (struct cell[]){real(threshold),
                            real(share_of(point->positives, point->positives + point->negatives)),
                            real(recall)});
}

/* How many thresholds there are, and which of them people look for: of equal ones the greatest. */
struct thresholds {
    size_t count, of_greatest_f1, of_least_cost;
};

static struct thresholds look_at_thresholds(struct report *report)
{
    struct ranking_point point = {0};
    struct thresholds found = {0};
    double f1 = -1, cost = INFINITY;

    for (; next_threshold(report, &point); found.count++) {
        if (f1_of(report, &point) > f1) {
            f1 = f1_of(report, &point);
            found.of_greatest_f1 = found.count;
        }
        if (cost_of(report, &point) < cost) {
            cost = cost_of(report, &point);
            found.of_least_cost = found.count;
        }
    }
    return found;
}

/* Is it one of the thresholds that REPORT_THRESHOLDS always keeps? */
static bool is_looked_for(const struct report *report, const struct thresholds *found, size_t i)
{
    return report->kind == REPORT_THRESHOLDS &&
           (i == found->of_greatest_f1 || i == found->of_least_cost);
}

static enum status write_curve(struct report *report, struct writing *writing, struct error *err)
{
    struct ranking *ranking = &report->ranking;
    const uint64_t all = ranking->scores[0].count + ranking->scores[1].count;
    const struct thresholds found = look_at_thresholds(report);
    const size_t thresholds = found.count;
    struct ranking_point point = {0};
    uint64_t written = 0;

    TRY(make_room(writing, REPORT_POINTS + 4, err));
    if (report->kind == REPORT_ROC)
        put(writing, (struct cell[]){{.type = CELL_NULL}, real(0), real(0)});
    point = (struct ranking_point){0};
    for (size_t i = 0; next_threshold(report, &point); i++) {
        const uint64_t rows = point.negatives + point.positives;

        if (thresholds > REPORT_POINTS && i > 0 && i + 1 < thresholds &&
            (double)(rows - written) * REPORT_POINTS < (double)all &&
            !is_looked_for(report, &found, i))
            continue;
        put_point(report, &point, writing);
        written = rows;
    }
    return STATUS_OK;
}

/* The tenths of the rows, cut at whole rows; a score that lies in two of them gives each its share
 * of the positives. */
static enum status write_gain(struct report *report, struct writing *writing, struct error *err)
{
    const uint64_t positives = report->ranking.scores[1].count;
    const uint64_t all = report->ranking.scores[0].count + positives;
    struct ranking_point point = {0}, before = {0};
    uint64_t begin = 0;
    double gained = 0;

    TRY(make_room(writing, TENTHS, err));
    for (uint64_t tenth = 1; tenth <= TENTHS; tenth++) {
        const uint64_t end = all * tenth / TENTHS;
        double until = gained;

        if (end == begin)
            continue;
        while (point.negatives + point.positives < end) {
            before = point;
            if (!next_threshold(report, &point))
                return fail(err, STATUS_CORRUPT, "a ranking of fewer rows than it counts");
        }
        until = (double)before.positives + (double)(point.positives - before.positives) *
                                               (double)(end - before.positives - before.negatives) /
                                               (double)(point.positives + point.negatives -
                                                        before.positives - before.negatives);
        put(writing, (struct cell[]){integer(tenth), real(threshold_of(report, point.score)),
                                     integer(end - begin), real(until - gained),
                                     real((until - gained) / (double)(end - begin) /
                                          ((double)positives / (double)all)),
                                     real(until / (double)positives)});
        gained = until;
        begin = end;
    }
    return STATUS_OK;
}

/* Bin i ends with (i + 1) / BINS, which belongs to it. */
static size_t bin_of(double probability)
{
    size_t bin = 0;

    while (bin + 1 < BINS && probability > (double)(bin + 1) / BINS)
        bin++;
    return bin;
}

/* Added up from the greatest score down. */
static enum status write_calibration(struct report *report, struct writing *writing,
                                     struct error *err)
{
    struct ranking_point point = {0}, before = {0};
    uint64_t rows[BINS] = {0}, positives[BINS] = {0};
    double sums[BINS] = {0};

    TRY(make_room(writing, BINS, err));
    for (; ranking_next(&report->ranking, &point); before = point) {
        const double probability = probability_of(point.score);
        const uint64_t more = point.positives - before.positives;
        const uint64_t all = more + point.negatives - before.negatives;
        const size_t bin = bin_of(probability);

        rows[bin] += all;
        positives[bin] += more;
        sums[bin] += probability * (double)all;
    }
    for (size_t i = 0; i < BINS; i++)
        put(writing, (struct cell[]){integer(i + 1), real((double)(i + 1) / BINS), integer(rows[i]),
                                     real(sums[i] / (double)rows[i]),
                                     real((double)positives[i] / (double)rows[i])});
    return STATUS_OK;
}

/* Between two residuals by their distance, as numpy's quantile. */
static double quantile(const double *sorted, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (at - (double)below);
}

static void write_quantiles(const struct report *report, struct writing *writing)
{
    static const double shares[] = {0, .01, .05, .1, .25, .5, .75, .9, .95, .99, 1};

    for (size_t i = 0; i < ROWS(shares); i++) {
        const double value = quantile(report->residuals, report->residual_count, shares[i]);

        put(writing,
            (struct cell[]){
                word("quantile"), real(shares[i]), real(value), real(value), {.type = CELL_NULL}});
    }
}

static void write_histogram(const struct report *report, struct writing *writing)
{
    const double *sorted = report->residuals;
    const size_t count = report->residual_count;
    const double least = sorted[0], most = sorted[count - 1];
    const int bars = least < most ? BARS : 1;
    size_t next = 0;

    for (int i = 0; i < bars; i++) {
        const double low = least + (most - least) * i / bars;
        const double high = i + 1 == bars ? most : least + (most - least) * (i + 1) / bars;
        const size_t first = next;

        while (next < count && (sorted[next] < high || i + 1 == bars))
            next++;
        put(writing, (struct cell[]){word("histogram"), real(share_of(next - first, count)),
                                     real(low), real(high), integer(next - first)});
    }
}

static enum status write_residuals(struct report *report, struct writing *writing,
                                   struct error *err)
{
    TRY(make_room(writing, 64, err));
    if (report->residual_count == 0)
        return STATUS_OK;
    sort_doubles(report->residuals, report->residual_count);
    write_quantiles(report, writing);
    write_histogram(report, writing);
    return STATUS_OK;
}

static enum status write_report(struct report *report, struct writing *writing, struct error *err)
{
    switch (report->kind) {
    case REPORT_CONFUSION:
        return write_confusion(report, writing, err);
    case REPORT_CLASSES:
        return write_classes(report, writing, err);
    case REPORT_ROC:
    case REPORT_PR:
    case REPORT_THRESHOLDS:
        return write_curve(report, writing, err);
    case REPORT_GAIN:
        return write_gain(report, writing, err);
    case REPORT_CALIBRATION:
        return write_calibration(report, writing, err);
    case REPORT_RESIDUALS:
        return write_residuals(report, writing, err);
    case REPORT_METRICS:
    case REPORT_DRIFT:
        break;
    }
    return fail(err, STATUS_INVALID, "%s are no report of measured rows",
                report_words[report->kind]);
}

enum status report_make(struct report *report, struct arena *arena, struct report_rows *rows,
                        struct error *err)
{
    struct writing writing = {.arena = arena};

    while (reports[report->kind].columns[writing.columns])
        writing.columns++;
    TRY(write_report(report, &writing, err));
    *rows = (struct report_rows){writing.cells, writing.rows, writing.columns};
    return STATUS_OK;
}
