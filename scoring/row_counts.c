#include "scoring/row_counts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"
#include "scoring/metrics/number_losses.h"

#define LANES         8     /* sums side by side */
#define SQUARES_LEAST 1e-14 /* part of the squares about the first label: less is rounding */

/* Rows in a row with the same label and prediction. */
struct run {
    uint32_t label, predicted; /* a label that the model does not know is its number of classes */
    size_t end;                /* behind the last one */
};

/* A row's place in the order of scores. */
struct ranked_row {
    float score;
    uint32_t row : 31;
    uint32_t is_positive : 1;
};

/* Sums that a row adds to: a class its loss alone, a number those of the other errors, too. */
enum { SUM_LOSS, SUM_ABSOLUTE, SUM_RELATIVE, SUM_FROM_MEAN, SUM_SQUARE, SUMS_OF_ERRORS };

struct row_counts {
    const struct model *model;
    const struct metrics_options *options;
    const struct measure *measures; /* (count) */
    size_t count, rows, room;
    struct metrics *metrics;
    double **sums; /* (sum_count): each (room) */
    size_t sum_count;
    struct run *runs; /* (run_count) */
    size_t run_count, run_room;
    struct ranked_row *ranked; /* (ranked_count), or NULL */
    size_t ranked_count;
    bool is_ranked;                        /* they are in order */
    double origin;                         /* the first label, near which the others are */
    int64_t *actual, *predicted, *correct; /* (classes + 1) */
};

static bool ranks_two(const struct model *model, const struct measure *measure)
{
    return model->task == TASK_CLASSIFICATION && model->labels.count == 2 &&
           metric_ranks(measure->metric);
}

static bool is_of_losses(const struct model *model, const struct measure *measure)
{
    return model->task == TASK_REGRESSION && number_metrics_have(measure->metric);
}

bool row_counts_have(const struct model *model, const struct metrics_options *options,
                     const struct measure *measures, size_t count)
{
    if (model->task == TASK_CLASSIFICATION && options->ranks_classes)
        return false;
    for (size_t i = 0; i < count; i++)
        if (is_of_losses(model, &measures[i]) && !number_loss_is_of(measures[i].metric))
            return false;
    return model->task == TASK_CLASSIFICATION || model->task == TASK_REGRESSION;
}

/* ---- life ---- */

void row_counts_free(struct row_counts *counts)
{
    if (!counts)
        return;
    for (size_t i = 0; counts->sums && i < counts->sum_count; i++)
        free(counts->sums[i]);
    free(counts->sums);
    free(counts->runs);
    free(counts->ranked);
    free(counts->actual);
    free(counts->predicted);
    free(counts->correct);
    metrics_free(counts->metrics);
    free(counts);
}

static bool make_room(struct row_counts *counts)
{
    const struct model *model = counts->model;
    const size_t classes = model->labels.count + (size_t)1;
    bool is_made = true;

    counts->sum_count = model->task == TASK_CLASSIFICATION ? 1 : SUMS_OF_ERRORS + counts->count;
    counts->sums = calloc(counts->sum_count, sizeof *counts->sums);
    for (size_t i = 0; counts->sums && i < counts->sum_count; i++) {
        const bool is_used =
            i < SUMS_OF_ERRORS || is_of_losses(model, &counts->measures[i - SUMS_OF_ERRORS]);

        counts->sums[i] = malloc((is_used ? counts->room : 0) * sizeof(double) + 1);
        is_made = is_made && counts->sums[i];
    }
    for (size_t i = 0; i < counts->count; i++)
        if (!counts->ranked && ranks_two(model, &counts->measures[i])) {
            counts->ranked = malloc(counts->room * sizeof *counts->ranked + 1);
            is_made = is_made && counts->ranked;
        }
    counts->actual = calloc(classes, sizeof *counts->actual);
    counts->predicted = calloc(classes, sizeof *counts->predicted);
    counts->correct = calloc(classes, sizeof *counts->correct);
    return is_made && counts->sums && counts->actual && counts->predicted && counts->correct;
}

enum status row_counts_new(const struct model *model, const struct metrics_options *options,
                           const struct measure *measures, size_t count, size_t rows,
                           struct row_counts **counts, struct error *err)
{
    struct row_counts *made = calloc(1, sizeof *made);

    *counts = made;
    if (!made)
        return fail_no_memory(err);
    made->model = model;
    made->options = options;
    made->measures = measures;
    made->count = count;
    made->room = rows;
    if (make_room(made) && metrics_new(model, options, &made->metrics, err) == STATUS_OK)
        return STATUS_OK;
    row_counts_free(made);
    *counts = NULL;
    return fail_no_memory(err);
}

/* ---- rows ---- */

static enum status put_run(struct row_counts *counts, const struct metrics_row *row,
                           struct error *err)
{
    const uint32_t classes = counts->model->labels.count;
    const uint32_t label = row->label == METRICS_UNKNOWN ? classes : row->label;
    struct run *last = counts->run_count > 0 ? &counts->runs[counts->run_count - 1] : NULL;

    if (last && last->label == label && last->predicted == row->predicted) {
        last->end++;
        return STATUS_OK;
    }
    if (counts->run_count == counts->run_room) {
        const size_t room = counts->run_room ? 2 * counts->run_room : 64;
        struct run *runs = realloc(counts->runs, room * sizeof *runs);

        if (!runs)
            return fail_no_memory(err);
        counts->runs = runs;
        counts->run_room = room;
    }
    counts->runs[counts->run_count++] = (struct run){label, row->predicted, counts->rows + 1};
    return STATUS_OK;
}

static enum status put_class(struct row_counts *counts, const struct metrics_row *row,
                             struct error *err)
{
    const size_t i = counts->rows;

    counts->sums[SUM_LOSS][i] = -row->loss;
    if (counts->ranked && row->label != METRICS_UNKNOWN)
        counts->ranked[counts->ranked_count++] = (struct ranked_row){
            row->score, (uint32_t)i & INT32_MAX, row->label == model_positive(counts->model)};
    return put_run(counts, row, err);
}

static void put_value(struct row_counts *counts, const struct metrics_row *row)
{
    static const struct aim_facts means;
    const struct aim_facts *aim = counts->options->as_means ? &means : &counts->model->aim;
    const size_t i = counts->rows;
    const double predicted = row->value + row->loss;
    const bool has_numbers =
        row->number_count == 1 || (row->number_count > 1 && aim->aim != AIM_MEANS);
    const struct number_row measured = {has_numbers ? row->numbers : &predicted, row->value,
                                        row->upper};

    if (i == 0)
        counts->origin = row->value;
    counts->sums[SUM_LOSS][i] = row->loss * row->loss;
    counts->sums[SUM_ABSOLUTE][i] = fabs(row->loss);
    counts->sums[SUM_RELATIVE][i] = fabs(row->loss) / fmax(fabs(row->value), DBL_EPSILON);
    counts->sums[SUM_FROM_MEAN][i] = row->value - counts->origin;
    counts->sums[SUM_SQUARE][i] = (row->value - counts->origin) * (row->value - counts->origin);
    for (size_t j = 0; j < counts->count; j++)
        if (is_of_losses(counts->model, &counts->measures[j]))
            counts->sums[SUMS_OF_ERRORS + j][i] = number_loss(counts->measures[j], aim, &measured);
}

enum status row_counts_put(struct row_counts *counts, const struct metrics_row *row,
                           struct error *err)
{
    /* It knows which rows are none of the model's. */
    TRY(metrics_add_row(counts->metrics, row, err));
    if (counts->model->task == TASK_CLASSIFICATION)
        TRY(put_class(counts, row, err));
    else
        put_value(counts, row);
    counts->rows++;
    counts->is_ranked = false;
    return STATUS_OK;
}

/* ---- sums ---- */

WIDE_VECTORS
static double sum_of(size_t rows, const uint32_t *restrict times, const double *restrict values)
{
    double lanes[LANES] = {0}, sum = 0;
    size_t i = 0;

    for (; i + LANES <= rows; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lanes[j] += (double)(int32_t)times[i + j] * values[i + j];
    for (; i < rows; i++)
        lanes[i % LANES] += (double)(int32_t)times[i] * values[i];
    for (size_t j = 0; j < LANES; j++)
        sum += lanes[j];
    return sum;
}

WIDE_VECTORS
static uint64_t count_of(size_t rows, const uint32_t *restrict times)
{
    uint64_t count = 0;

    for (size_t i = 0; i < rows; i++)
        count += times[i];
    return count;
}

/* Returns how many rows there are. */
static uint64_t count_classes(struct row_counts *counts, const uint32_t *times)
{
    const size_t bytes = (counts->model->labels.count + (size_t)1) * sizeof *counts->actual;
    const uint32_t classes = counts->model->labels.count;
    uint64_t rows = 0;
    size_t first = 0;

    memset(counts->actual, 0, bytes);
    memset(counts->predicted, 0, bytes);
    memset(counts->correct, 0, bytes);
    for (size_t i = 0; i < counts->run_count; first = counts->runs[i++].end) {
        const struct run *run = &counts->runs[i];
        const uint64_t of_run = count_of(run->end - first, times + first);

        rows += of_run;
        counts->actual[run->label] += (int64_t)of_run;
        counts->predicted[run->predicted] += (int64_t)of_run;
        if (run->label == run->predicted && run->label < classes)
            counts->correct[run->label] += (int64_t)of_run;
    }
    return rows;
}

static struct metrics_sums sums_of(struct row_counts *counts, const uint32_t *times)
{
    struct metrics_sums sums = {.loss = sum_of(counts->rows, times, counts->sums[SUM_LOSS])};
    double from_origin, squares;

    if (counts->model->task == TASK_CLASSIFICATION) {
        sums.rows = count_classes(counts, times);
        sums.actual = counts->actual;
        sums.predicted = counts->predicted;
        sums.correct = counts->correct;
        return sums;
    }
    sums.rows = count_of(counts->rows, times);
    sums.absolute = sum_of(counts->rows, times, counts->sums[SUM_ABSOLUTE]);
    sums.relative = sum_of(counts->rows, times, counts->sums[SUM_RELATIVE]);
    from_origin = sum_of(counts->rows, times, counts->sums[SUM_FROM_MEAN]);
    squares = sum_of(counts->rows, times, counts->sums[SUM_SQUARE]);
    sums.label_squares = squares - from_origin * from_origin / fmax((double)sums.rows, 1);
    if (sums.label_squares < SQUARES_LEAST * squares)
        sums.label_squares = 0;
    return sums;
}

/* ---- ranks ---- */

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked_row *x = a, *y = b;

    return (x->score > y->score) - (x->score < y->score);
}

/* Rows of one score, which are counted together. */
struct tie {
    uint64_t negatives, positives;
    size_t next; /* the place behind them */
};

static inline struct tie next_tie(const struct row_counts *counts, const uint32_t *times,
                                  size_t place)
{
    const float score = counts->ranked[place].score;
    uint64_t all = 0, positives = 0;

    for (; place < counts->ranked_count && counts->ranked[place].score == score; place++) {
        const uint64_t count = times[counts->ranked[place].row];

        all += count;
        positives += count & (0 - (uint64_t)counts->ranked[place].is_positive);
    }
    return (struct tie){all - positives, positives, place};
}

/* Mann-Whitney, as ranking_auc. */
static double auc_of(const struct row_counts *counts, const uint32_t *times)
{
    uint64_t half_wins = 0, negatives = 0, positives = 0;

    for (size_t i = 0; i < counts->ranked_count;) {
        const struct tie tie = next_tie(counts, times, i);

        half_wins += tie.positives * (2 * negatives + tie.negatives);
        negatives += tie.negatives;
        positives += tie.positives;
        i = tie.next;
    }
    return negatives > 0 && positives > 0
               ? (double)half_wins / 2 / ((double)negatives * (double)positives)
               : NAN;
}

/* The same as ranking_average_precision, from the least score on: rows of at least a score are
 * those that are not below. */
static double precision_of(const struct row_counts *counts, const uint32_t *times, uint64_t all,
                           uint64_t all_positives)
{
    uint64_t rest = all, positives = all_positives;
    double sum = 0;

    for (size_t i = 0; i < counts->ranked_count;) {
        const struct tie tie = next_tie(counts, times, i);

        if (tie.positives > 0)
            sum += (double)tie.positives * ((double)positives / (double)rest);
        rest -= tie.negatives + tie.positives;
        positives -= tie.positives;
        i = tie.next;
    }
    return all_positives > 0 ? sum / (double)all_positives : NAN;
}

/* ---- values ---- */

static double value_of(struct row_counts *counts, const uint32_t *times,
                       const struct metrics_sums *sums, size_t i)
{
    const struct measure measure = counts->measures[i];
    const uint32_t positive = model_positive(counts->model), classes = counts->model->labels.count;

    if (sums->rows == 0)
        return NAN;
    if (is_of_losses(counts->model, &measure))
        return number_metric(measure.metric,
                             sum_of(counts->rows, times, counts->sums[SUMS_OF_ERRORS + i]) /
                                 (double)sums->rows);
    if (!ranks_two(counts->model, &measure))
        return metrics_measured(counts->metrics, measure);
    return measure.metric == METRIC_AUC
               ? auc_of(counts, times)
               : precision_of(counts, times, sums->rows - (uint64_t)counts->actual[classes],
                              (uint64_t)counts->actual[positive]);
}

void row_counts_measure(struct row_counts *counts, const uint32_t *times, double *values)
{
    struct metrics_sums sums;

    if (counts->ranked && !counts->is_ranked)
        qsort(counts->ranked, counts->ranked_count, sizeof *counts->ranked, compare_ranked);
    counts->is_ranked = true;
    sums = sums_of(counts, times);
    metrics_set_sums(counts->metrics, &sums);
    for (size_t i = 0; i < counts->count; i++)
        values[i] = value_of(counts, times, &sums, i);
}
