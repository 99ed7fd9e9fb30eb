#include "scoring/explanations/importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"

#define SAMPLE_SEED 0x696d706f7274616eu

/* Which row a row gets the values of: by key. */
struct dealt {
    uint64_t key;
    uint32_t row;
};

struct importance {
    const struct model *model;
    struct importance_options options;
    struct measure measure;
    struct metrics_options metrics;
    struct scorer scorer;
    struct held_rows held;
    struct dealt *dealt; /* (held.count) */
};

enum status importance_new(const struct model *model, const struct importance_options *options,
                           struct importance **importance, struct error *err)
{
    struct measure measure;
    struct importance *made;

    *importance = NULL;
    if (!measure_find(options->metric, &measure))
        return fail(err, STATUS_INVALID, "an unknown metric");
    made = calloc(1, sizeof *made);
    if (!made)
        return fail_no_memory(err);
    made->model = model;
    made->options = *options;
    made->measure = measure;
    made->metrics.names = &made->options.metric;
    made->metrics.name_count = 1;
    made->metrics.ranks_classes = metrics_rank_classes(model, &options->metric, 1);
    made->metrics.as_means = metric_is_of(measure.metric, AIM_MEANS);
    held_rows_init(&made->held, model, options->rows_max);
    if (scorer_init(&made->scorer, model, SCORER_ROWS, err) != STATUS_OK) {
        free(made);
        return err->status;
    }
    *importance = made;
    return STATUS_OK;
}

void importance_free(struct importance *importance)
{
    if (!importance)
        return;
    scorer_deinit(&importance->scorer);
    held_rows_deinit(&importance->held);
    free(importance->dealt);
    free(importance);
}

struct held_rows *importance_held(struct importance *importance)
{
    return &importance->held;
}

/* ---- the values, dealt out anew ---- */

static int compare_dealt(const void *a, const void *b)
{
    const struct dealt *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void deal(struct importance *importance, struct slice column, uint32_t repeat)
{
    const uint64_t name = bytes_hash(column.data, column.size, importance->options.seed);

    for (uint32_t i = 0; i < importance->held.count; i++) {
        const uint64_t parts[] = {importance->options.seed, name, repeat, i};

        importance->dealt[i] = (struct dealt){bytes_hash(parts, sizeof parts, SAMPLE_SEED), i};
    }
    qsort(importance->dealt, importance->held.count, sizeof *importance->dealt, compare_dealt);
}

/* The inputs of a column lie side by side, in the order of the columns. */
static uint32_t first_input(const struct transform *transform, uint32_t column)
{
    uint32_t low = 0, high = transform->input_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (transform->inputs[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Crosses stand behind all other inputs. */
static uint32_t first_cross(const struct transform *transform)
{
    uint32_t first = transform->input_count;

    while (first > 0 && transform->inputs[first - 1].spec.cross)
        first--;
    return first;
}

/* Puts the values of these columns from the row at `from` into row i of the scorer. The cell of a
 * crossed column is not held: its cross is dealt out whole with each of its columns. */
static void put_values(struct importance *importance, uint32_t i, uint32_t from,
                       const uint32_t *columns, size_t count)
{
    const struct transform *transform = &importance->model->transform;
    float *dense = importance->scorer.dense + (size_t)i * transform->dense_width;
    int32_t *ids = importance->scorer.ids + (size_t)i * transform->id_count;
    const float *other = held_rows_dense(&importance->held, from);
    const int32_t *other_ids = held_rows_ids(&importance->held, from);
    const uint32_t crosses = first_cross(transform);

    for (size_t j = 0; j < count; j++) {
        for (uint32_t at = first_input(transform, columns[j]);
             at < transform->input_count && transform->inputs[at].column == columns[j]; at++)
            transform_copy_input(transform, &transform->inputs[at], other, other_ids, dense, ids);
        for (uint32_t at = crosses; at < transform->input_count; at++)
            if (transform_input_takes(&transform->inputs[at], columns[j]))
                transform_copy_input(transform, &transform->inputs[at], other, other_ids, dense,
                                     ids);
    }
}

static void put_row(struct importance *importance, uint32_t i, uint32_t row)
{
    const struct transform *transform = &importance->model->transform;

    memcpy(importance->scorer.dense + (size_t)i * transform->dense_width,
           held_rows_dense(&importance->held, row), transform->dense_width * sizeof(float));
    memcpy(importance->scorer.ids + (size_t)i * transform->id_count,
           held_rows_ids(&importance->held, row), transform->id_count * sizeof(int32_t));
}

/* Rows first to first + count - 1, in the order of their hashes. */
static enum status score_rows(struct importance *importance, struct metrics *metrics,
                              uint32_t first, uint32_t count, const uint32_t *inputs,
                              size_t input_count, struct error *err)
{
    struct scorer *scorer = &importance->scorer;

    for (uint32_t i = 0; i < count; i++) {
        put_row(importance, i, first + i);
        if (input_count > 0)
            put_values(importance, i, importance->dealt[first + i].row, inputs, input_count);
    }
    scorer_score(scorer, count);
    for (uint32_t i = 0; i < count; i++) {
        scorer_select(scorer, i);
        TRY(metrics_add(metrics, scorer, held_rows_label(&importance->held, first + i), err));
    }
    return STATUS_OK;
}

static enum status score_all(struct importance *importance, struct metrics *metrics,
                             const uint32_t *inputs, size_t input_count, struct error *err)
{
    const struct importance_options *options = &importance->options;
    const uint32_t most = importance->scorer.rows_max;

    for (uint32_t first = 0; first < importance->held.count;) {
        const uint32_t left = importance->held.count - first, count = left < most ? left : most;

        if (options->is_interrupted && options->is_interrupted(options->context))
            return fail(err, STATUS_INTERRUPTED, "interrupted");
        TRY(score_rows(importance, metrics, first, count, inputs, input_count, err));
        first += count;
    }
    return STATUS_OK;
}

static enum status measure(struct importance *importance, const uint32_t *inputs,
                           size_t input_count, double *value, struct error *err)
{
    struct metrics *metrics;
    enum status status;

    TRY(metrics_new(importance->model, &importance->metrics, &metrics, err));
    status = score_all(importance, metrics, inputs, input_count, err);
    if (status == STATUS_OK)
        *value = metrics_measured(metrics, importance->measure);
    metrics_free(metrics);
    return status;
}

enum status importance_begin(struct importance *importance, double *value, struct error *err)
{
    TRY(held_rows_sort(&importance->held, err));
    importance->dealt = calloc(importance->held.count, sizeof *importance->dealt);
    if (!importance->dealt)
        return fail_no_memory(err);
    TRY(measure(importance, NULL, 0, value, err));
    if (isfinite(*value))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%.*s is not defined on these rows",
         SLICE_FORMAT(importance->options.metric));
    return error_hint(err, "Take another explain.metric, or rows of more than one label.");
}

enum status importance_measure(struct importance *importance, struct slice column,
                               const uint32_t *inputs, size_t count, uint32_t repeat, double *value,
                               struct error *err)
{
    deal(importance, column, repeat);
    return measure(importance, inputs, count, value, err);
}
