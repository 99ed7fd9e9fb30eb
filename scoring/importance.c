#include "scoring/importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define SAMPLE_SEED 0x696d706f7274616eu

/* A row that is held; as long as rows come, a heap with the greatest hash first. */
struct held_row {
    uint64_t hash;
    uint32_t place;
};

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
    uint32_t count, capacity;
    struct held_row *rows;    /* (capacity) */
    float *dense;             /* (capacity, dense_width): by place */
    int32_t *ids;             /* (capacity, id_count): by place */
    struct row_label *labels; /* (capacity): by place */
    struct dealt *dealt;      /* (count) */
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
    free(importance->rows);
    free(importance->dense);
    free(importance->ids);
    free(importance->labels);
    free(importance->dealt);
    free(importance);
}

uint32_t importance_rows(const struct importance *importance)
{
    return importance->count;
}

/* ---- the rows that are held ---- */

static bool grow(void *array, size_t count, size_t size)
{
    void **memory = array;
    void *more = realloc(*memory, count * size + 1);

    if (more)
        *memory = more;
    return more != NULL;
}

static enum status make_room(struct importance *importance, struct error *err)
{
    const struct transform *transform = &importance->model->transform;
    const size_t dense = transform->dense_width * sizeof *importance->dense;
    const size_t ids = transform->id_count * sizeof *importance->ids;
    const size_t bytes = sizeof *importance->rows + dense + ids + sizeof *importance->labels;
    size_t capacity = importance->capacity ? 2 * (size_t)importance->capacity : 256;

    if (capacity > importance->options.rows_max)
        capacity = importance->options.rows_max;
    if (capacity * bytes > IMPORTANCE_BYTES_MAX)
        return fail(err, STATUS_LIMIT,
                    "%zu rows of %zu bytes take more than the %zu MiB that "
                    "there are for rows to be permuted",
                    capacity, bytes, IMPORTANCE_BYTES_MAX >> 20),
               error_hint(err, "Set explain.rows to fewer.");
    if (!grow(&importance->rows, capacity, sizeof *importance->rows) ||
        !grow(&importance->dense, capacity, dense) || !grow(&importance->ids, capacity, ids) ||
        !grow(&importance->labels, capacity, sizeof *importance->labels))
        return fail_no_memory(err);
    importance->capacity = (uint32_t)capacity;
    return STATUS_OK;
}

static void swap_rows(struct held_row *a, struct held_row *b)
{
    const struct held_row row = *a;

    *a = *b;
    *b = row;
}

static void sift_up(struct held_row *rows, uint32_t i)
{
    for (; i > 0 && rows[(i - 1) / 2].hash < rows[i].hash; i = (i - 1) / 2)
        swap_rows(&rows[(i - 1) / 2], &rows[i]);
}

static void sift_down(struct held_row *rows, uint32_t count)
{
    for (uint32_t i = 0, child = 1; child < count; i = child, child = 2 * i + 1) {
        if (child + 1 < count && rows[child + 1].hash > rows[child].hash)
            child++;
        if (rows[child].hash <= rows[i].hash)
            break;
        swap_rows(&rows[child], &rows[i]);
    }
}

static uint64_t hash_row(const struct importance *importance, const struct scorer *scorer,
                         const struct row_label *label)
{
    const struct transform *transform = &importance->model->transform;
    uint64_t parts[3] = {0};

    parts[0] = bytes_hash(scorer->dense, transform->dense_width * sizeof(float), SAMPLE_SEED);
    parts[1] = bytes_hash(scorer->ids, transform->id_count * sizeof(int32_t), SAMPLE_SEED);
    if (task_has_label(importance->model->task))
        memcpy(&parts[2], label, sizeof parts[2]);
    return bytes_hash(parts, sizeof parts, SAMPLE_SEED);
}

static void keep_row(struct importance *importance, uint32_t place, const struct scorer *scorer,
                     const struct row_label *label)
{
    const struct transform *transform = &importance->model->transform;

    memcpy(importance->dense + (size_t)place * transform->dense_width, scorer->dense,
           transform->dense_width * sizeof(float));
    memcpy(importance->ids + (size_t)place * transform->id_count, scorer->ids,
           transform->id_count * sizeof(int32_t));
    importance->labels[place] = *label;
}

enum status importance_add(struct importance *importance, const struct scorer *scorer,
                           const struct row_label *label, struct error *err)
{
    const uint64_t hash = hash_row(importance, scorer, label);
    const bool is_full = importance->count == importance->options.rows_max;

    if (is_full) {
        if (hash >= importance->rows[0].hash)
            return STATUS_OK;
        importance->rows[0].hash = hash;
        keep_row(importance, importance->rows[0].place, scorer, label);
        sift_down(importance->rows, importance->count);
        return STATUS_OK;
    }
    if (importance->count == importance->capacity)
        TRY(make_room(importance, err));
    importance->rows[importance->count] = (struct held_row){hash, importance->count};
    keep_row(importance, importance->count, scorer, label);
    sift_up(importance->rows, importance->count++);
    return STATUS_OK;
}

/* ---- the values, dealt out anew ---- */

static int compare_held(const void *a, const void *b)
{
    const struct held_row *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

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

    for (uint32_t i = 0; i < importance->count; i++) {
        const uint64_t parts[] = {importance->options.seed, name, repeat, i};

        importance->dealt[i] = (struct dealt){bytes_hash(parts, sizeof parts, SAMPLE_SEED), i};
    }
    qsort(importance->dealt, importance->count, sizeof *importance->dealt, compare_dealt);
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

    while (first > 0 && transform->inputs[first - 1].cross)
        first--;
    return first;
}

static void put_value(const struct transform_input *input, const float *other,
                      const int32_t *other_ids, float *dense, int32_t *ids)
{
    if (input->type == INPUT_NUMERIC)
        memcpy(dense + input->dense_offset, other + input->dense_offset,
               input->dense_count * sizeof *dense);
    else
        memcpy(ids + input->id_offset, other_ids + input->id_offset,
               (input->type == INPUT_TEXT ? input->words_max : 1) * sizeof *ids);
}

/* Of the row at `from` the values of these columns into row i of the scorer. The cell of a crossed
 * column is not held: its cross is dealt out whole with each of its columns. */
static void put_values(struct importance *importance, uint32_t i, uint32_t from,
                       const uint32_t *columns, size_t count)
{
    const struct transform *transform = &importance->model->transform;
    float *dense = importance->scorer.dense + (size_t)i * transform->dense_width;
    int32_t *ids = importance->scorer.ids + (size_t)i * transform->id_count;
    const float *other = importance->dense + (size_t)from * transform->dense_width;
    const int32_t *other_ids = importance->ids + (size_t)from * transform->id_count;
    const uint32_t crosses = first_cross(transform);

    for (size_t j = 0; j < count; j++) {
        for (uint32_t at = first_input(transform, columns[j]);
             at < transform->input_count && transform->inputs[at].column == columns[j]; at++)
            put_value(&transform->inputs[at], other, other_ids, dense, ids);
        for (uint32_t at = crosses; at < transform->input_count; at++)
            if (transform_input_takes(&transform->inputs[at], columns[j]))
                put_value(&transform->inputs[at], other, other_ids, dense, ids);
    }
}

static void put_row(struct importance *importance, uint32_t i, uint32_t row)
{
    const struct transform *transform = &importance->model->transform;
    const uint32_t place = importance->rows[row].place;

    memcpy(importance->scorer.dense + (size_t)i * transform->dense_width,
           importance->dense + (size_t)place * transform->dense_width,
           transform->dense_width * sizeof(float));
    memcpy(importance->scorer.ids + (size_t)i * transform->id_count,
           importance->ids + (size_t)place * transform->id_count,
           transform->id_count * sizeof(int32_t));
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
            put_values(importance, i, importance->rows[importance->dealt[first + i].row].place,
                       inputs, input_count);
    }
    scorer_score(scorer, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = importance->rows[first + i].place;

        scorer_select(scorer, i);
        TRY(metrics_add(metrics, scorer, &importance->labels[place], err));
    }
    return STATUS_OK;
}

static enum status score_all(struct importance *importance, struct metrics *metrics,
                             const uint32_t *inputs, size_t input_count, struct error *err)
{
    const struct importance_options *options = &importance->options;
    const uint32_t most = importance->scorer.rows_max;

    for (uint32_t first = 0; first < importance->count;) {
        const uint32_t left = importance->count - first, count = left < most ? left : most;

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
    if (importance->count == 0)
        return fail(err, STATUS_INVALID, "the query returns no rows to explain the model with");
    importance->dealt = calloc(importance->count, sizeof *importance->dealt);
    if (!importance->dealt)
        return fail_no_memory(err);
    qsort(importance->rows, importance->count, sizeof *importance->rows, compare_held);
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
