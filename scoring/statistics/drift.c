#include "scoring/statistics/drift.h"

#include <stdlib.h>

#include "base/sort_doubles.h"
#include "scoring/numbers/elementary.h"

#define COLUMNS 10 /* columns of the report */

/* One input, or the predictions: what was, and what rows have now. */
struct drift_input {
    const struct transform_input *input; /* NULL: the predictions */
    struct slice name;
    struct input_statistics then;
    uint64_t rows, counts[STATISTICS_BINS_MAX + 1]; /* now; behind the bins missing values */
    double *numbers;                                /* (count) */
    size_t count, capacity;
    double index;
};

struct drift {
    const struct model *model;
    struct drift_input *inputs; /* (count); the predictions are the last */
    uint32_t count;
    uint64_t numbers, numbers_max; /* held, of all inputs */
    bool lost_middles;
    double *probabilities; /* room */
};

/* ---- what was ---- */

static bool is_number(const struct model *model, const struct drift_input *one)
{
    return one->input ? statistics_are_numbers(one->input) : predictions_are_numbers(model);
}

static enum status read_input(struct drift *drift, uint32_t i, struct error *err)
{
    const struct model *model = drift->model;
    struct drift_input *one = &drift->inputs[i];

    if (i + 1 < drift->count)
        one->input = &model->transform.inputs[i];
    one->name = one->input ? one->input->spec.name : SLICE(STATISTICS_PREDICTION);
    TRY(input_statistics_read(model->statistics[i], one->name, &one->then, err));
    return one->then.is_number == is_number(model, one)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "model: statistics of \"%.*s\" belong to another input",
                      SLICE_FORMAT(one->name));
}

static enum status read_inputs(struct drift *drift, struct error *err)
{
    const struct model *model = drift->model;

    drift->inputs = calloc(model->statistics_count, sizeof *drift->inputs);
    drift->probabilities = calloc(model->labels.count + (size_t)1, sizeof(double));
    if (!drift->inputs || !drift->probabilities)
        return fail_no_memory(err);
    drift->count = model->statistics_count;
    for (uint32_t i = 0; i < drift->count; i++)
        TRY(read_input(drift, i, err));
    return STATUS_OK;
}

enum status drift_new(const struct model *model, uint64_t numbers_max, struct drift **drift,
                      struct error *err)
{
    struct drift *made;

    *drift = NULL;
    if (model->statistics_count == 0)
        return fail(err, STATUS_INVALID, "the model keeps no statistics of its training rows");
    made = calloc(1, sizeof *made);
    if (!made)
        return fail_no_memory(err);
    made->model = model;
    made->numbers_max = numbers_max;
    if (read_inputs(made, err) != STATUS_OK) {
        drift_free(made);
        return err->status;
    }
    *drift = made;
    return STATUS_OK;
}

static void free_numbers(struct drift *drift)
{
    for (uint32_t i = 0; i < drift->count; i++) {
        free(drift->inputs[i].numbers);
        drift->inputs[i].numbers = NULL;
        drift->inputs[i].count = drift->inputs[i].capacity = 0;
    }
}

void drift_free(struct drift *drift)
{
    if (!drift)
        return;
    free_numbers(drift);
    free(drift->inputs);
    free(drift->probabilities);
    free(drift);
}

/* ---- what rows have now ---- */

static enum status hold_number(struct drift *drift, struct drift_input *one, double number,
                               struct error *err)
{
    if (drift->lost_middles)
        return STATUS_OK;
    if (drift->numbers == drift->numbers_max) {
        drift->lost_middles = true;
        free_numbers(drift);
        return STATUS_OK;
    }
    if (one->count == one->capacity) {
        const size_t capacity = one->capacity ? 2 * one->capacity : 256;
        double *more = realloc(one->numbers, capacity * sizeof *more);

        if (!more)
            return fail_no_memory(err);
        one->numbers = more;
        one->capacity = capacity;
    }
    one->numbers[one->count++] = number;
    drift->numbers++;
    return STATUS_OK;
}

static enum status take(struct drift *drift, struct drift_input *one,
                        const struct input_value *value, struct error *err)
{
    one->rows++;
    one->counts[input_statistics_bin(&one->then, value)]++;
    return one->then.is_number && !value->is_null ? hold_number(drift, one, value->number, err)
                                                  : STATUS_OK;
}

enum status drift_take_row(struct drift *drift, const struct scorer *scorer, uint32_t place,
                           const struct cell *cells, struct error *err)
{
    const struct transform *transform = &drift->model->transform;
    const float *dense = scorer->dense + (size_t)place * transform->dense_width;
    const int32_t *ids = scorer->ids + (size_t)place * transform->id_count;

    for (uint32_t i = 0; i + 1 < drift->count; i++) {
        struct drift_input *one = &drift->inputs[i];
        const uint32_t column = one->input->column;
        const struct input_value value =
            input_value_of(transform, one->input, dense, ids,
                           column == TRANSFORM_NO_COLUMN ? NULL : &cells[column]);

        TRY(take(drift, one, &value, err));
    }
    return STATUS_OK;
}

enum status drift_take_prediction(struct drift *drift, const struct scorer *scorer,
                                  struct error *err)
{
    const struct input_value value = prediction_value_of(scorer, drift->probabilities);

    return take(drift, &drift->inputs[drift->count - 1], &value, err);
}

bool drift_lost_middles(const struct drift *drift)
{
    return drift->lost_middles;
}

/* ---- the report ---- */

static double share_of(uint64_t part, uint64_t rows)
{
    return (double)part / (double)rows;
}

static double share_at_least(uint64_t part, uint64_t rows)
{
    return fmax(share_of(part, rows), DRIFT_SHARE_LEAST);
}

static double stability_index(const struct drift_input *one)
{
    const struct input_statistics *then = &one->then;
    double index = 0;

    for (uint32_t i = 0; i <= then->bins; i++) {
        const uint64_t count = i < then->bins ? then->counts[i] : then->nulls;
        const double before = share_at_least(count, then->rows);
        const double now = share_at_least(one->counts[i], one->rows);

        index += (now - before) * logarithm_double(now / before);
    }
    return index;
}

/* The predictions first; NULL comes before everything. */
static int compare_inputs(const void *a, const void *b)
{
    const struct drift_input *x = *(const struct drift_input *const *)a;
    const struct drift_input *y = *(const struct drift_input *const *)b;

    if (!x->input || !y->input)
        return !y->input - !x->input;
    if (x->index != y->index)
        return x->index > y->index ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

static const char *verdict_of(double index)
{
    return index < DRIFT_MODERATE ? "stable" : index < DRIFT_SHIFTED ? "moderate" : "shifted";
}

static struct cell real(double value)
{
    return isfinite(value) ? (struct cell){.type = CELL_REAL, .real = value}
                           : (struct cell){.type = CELL_NULL};
}

/* Mean and median of now, in the units of the column. */
static struct middle middle_now(const struct drift *drift, struct drift_input *one)
{
    struct middle middle = {NAN, NAN};

    if (drift->lost_middles || one->count == 0)
        return middle;
    sort_doubles(one->numbers, one->count);
    middle = middle_of(one->numbers, one->count);
    if (one->input) {
        middle.mean = statistics_number(one->input, middle.mean);
        middle.median = statistics_cell(&drift->model->transform, one->input, middle.median);
    }
    return middle;
}

/* Is it a category of words, of which some may be unknown? */
static bool has_unseen(const struct drift_input *one)
{
    return !one->then.is_number && one->input && one->input->spec.rule == RULE_WORDS;
}

static void put_input(const struct drift *drift, struct drift_input *one, struct cell *cells)
{
    const struct input_statistics *then = &one->then;
    const bool had_numbers = then->is_number && then->nulls < then->rows;
    const struct middle now = middle_now(drift, one);
    const char *verdict = verdict_of(one->index);

    cells[0] = (struct cell){.type = CELL_TEXT, .text = one->name};
    cells[1] = real(one->index);
    cells[2] = (struct cell){.type = CELL_TEXT, .text = slice_of(verdict)};
    cells[3] = real(has_unseen(one) ? share_of(one->counts[then->bins - 1], one->rows) : NAN);
    cells[4] = real(share_of(then->nulls, then->rows));
    cells[5] = real(share_of(one->counts[then->bins], one->rows));
    cells[6] = real(had_numbers ? then->mean : NAN);
    cells[7] = real(now.mean);
    cells[8] = real(had_numbers ? then->median : NAN);
    cells[9] = real(now.median);
}

/* One of several labels, which the query need not return? */
static bool is_left_out(const struct drift_input *one)
{
    return one->input && one->input->spec.label && one->counts[one->then.bins] == one->rows;
}

enum status drift_make(struct drift *drift, struct arena *arena, struct report_rows *rows,
                       struct error *err)
{
    struct cell *cells = ARENA_NEW(arena, struct cell, (size_t)drift->count * COLUMNS);
    struct drift_input **sorted = ARENA_NEW(arena, struct drift_input *, drift->count);
    uint32_t count = 0;

    if (!cells || !sorted)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < drift->count; i++) {
        struct drift_input *one = &drift->inputs[i];

        if (one->rows == 0)
            return fail(err, STATUS_INVALID, "the query returns no rows to evaluate");
        if (is_left_out(one))
            continue;
        one->index = stability_index(one);
        sorted[count++] = one;
    }
    qsort(sorted, count, sizeof *sorted, compare_inputs);
    for (uint32_t i = 0; i < count; i++)
        put_input(drift, sorted[i], cells + (size_t)i * COLUMNS);
    *rows = (struct report_rows){cells, count, COLUMNS};
    return STATUS_OK;
}
