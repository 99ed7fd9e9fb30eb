#include "scoring/explanations/dependence.h"

#include <stdlib.h>
#include <string.h>

#include "scoring/statistics/input_statistics.h"

struct dependence {
    const struct model *model;
    const struct held_rows *held;
    struct scorer scorer;
    double *probabilities; /* (classes): room */
};

const struct transform_input *dependence_input(const struct transform *transform, uint32_t column)
{
    const struct transform_input *found = NULL;
    uint32_t takers = 0;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        if (!transform_input_takes(&transform->inputs[i], column))
            continue;
        found = &transform->inputs[i];
        takers++;
    }
    if (takers != 1 || found->spec.part || found->spec.list.form != LIST_NONE ||
        found->spec.offset || found->spec.cross)
        return NULL;
    return found->spec.type == INPUT_NUMERIC ||
                   (found->spec.type == INPUT_CATEGORY && found->spec.rule == RULE_WORDS)
               ? found
               : NULL;
}

enum status dependence_new(const struct held_rows *held, struct dependence **dependence,
                           struct error *err)
{
    struct dependence *made = calloc(1, sizeof *made);

    *dependence = NULL;
    if (!made)
        return fail_no_memory(err);
    made->model = held->model;
    made->held = held;
    made->probabilities = calloc(held->model->labels.count + (size_t)1, sizeof(double));
    if (!made->probabilities) {
        free(made);
        return fail_no_memory(err);
    }
    if (scorer_init(&made->scorer, held->model, SCORER_ROWS, err) != STATUS_OK) {
        free(made->probabilities);
        free(made);
        return err->status;
    }
    *dependence = made;
    return STATUS_OK;
}

void dependence_free(struct dependence *dependence)
{
    if (!dependence)
        return;
    scorer_deinit(&dependence->scorer);
    free(dependence->probabilities);
    free(dependence);
}

uint32_t dependence_outputs(const struct model *model)
{
    return model->task == TASK_CLASSIFICATION && model->labels.count > 2 ? model->labels.count : 1;
}

/* ---- points ---- */

static int compare_numbers(const void *a, const void *b)
{
    const struct dependence_point *x = a, *y = b;

    if (x->dense != y->dense)
        return x->dense < y->dense ? -1 : 1;
    return (x->rest > y->rest) - (x->rest < y->rest);
}

static struct dependence_point number_of(const struct transform *transform,
                                         const struct transform_input *input, const float *dense)
{
    struct dependence_point point = {.dense = dense[input->dense_offset]};
    double number = (double)point.dense;

    if (transform->has_rests) {
        point.rest = dense[input->rest_offset];
        number += (double)point.rest;
    }
    point.number = statistics_cell(transform, input, number);
    return point;
}

/* The different ones among points (count) that ascend; their number. */
static uint32_t keep_different(struct dependence_point *points, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || compare_numbers(&points[i], &points[kept - 1]) != 0)
            points[kept++] = points[i];
    return kept;
}

static uint32_t count_different(const struct dependence_point *points, uint32_t count)
{
    uint32_t different = count > 0;

    for (uint32_t i = 1; i < count; i++)
        different += compare_numbers(&points[i], &points[i - 1]) != 0;
    return different;
}

/* points (count) ascend, one for each row; behind them is room for `most`. */
static uint32_t choose_numbers(struct dependence_point *points, uint32_t count, uint32_t most)
{
    if (count_different(points, count) <= most)
        return keep_different(points, count);
    for (uint32_t i = 0; i < most; i++) {
        const double share = DEPENDENCE_LEAST + (1 - 2 * DEPENDENCE_LEAST) * i / (double)(most - 1);

        points[count + i] = points[(uint32_t)(share * (count - 1) + 0.5)];
    }
    memmove(points, points + count, most * sizeof *points);
    return keep_different(points, most);
}

static enum status find_numbers(const struct dependence *dependence,
                                const struct transform_input *input, uint32_t points_max,
                                struct dependence_point *points, uint32_t *count)
{
    const struct transform *transform = &dependence->model->transform;

    *count = 0;
    for (uint32_t i = 0; i < dependence->held->count; i++) {
        const float *dense = held_rows_dense(dependence->held, i);

        if (!transform_was_null(input, dense + input->dense_offset))
            points[(*count)++] = number_of(transform, input, dense);
    }
    qsort(points, *count, sizeof *points, compare_numbers);
    *count = choose_numbers(points, *count, points_max);
    return STATUS_OK;
}

struct counted_word {
    uint32_t id, rows;
};

static int compare_counts(const void *a, const void *b)
{
    const struct counted_word *x = a, *y = b;

    if (x->rows != y->rows)
        return x->rows > y->rows ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static enum status find_words(const struct dependence *dependence,
                              const struct transform_input *input, uint32_t points_max,
                              struct dependence_point *points, uint32_t *count, struct error *err)
{
    struct counted_word *words = calloc(input->word_count + (size_t)1, sizeof *words);

    *count = 0;
    if (!words)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++)
        words[i].id = i;
    for (uint32_t i = 0; i < dependence->held->count; i++) {
        const int32_t id = held_rows_ids(dependence->held, i)[input->id_offset];

        if (id >= 0 && (uint32_t)id - input->first_id < input->word_count)
            words[(uint32_t)id - input->first_id].rows++;
    }
    qsort(words, input->word_count, sizeof *words, compare_counts);
    for (uint32_t i = 0; i < input->word_count && words[i].rows > 0 && *count < points_max; i++)
        points[(*count)++] =
            (struct dependence_point){.is_word = true,
                                      .word = input->words[words[i].id],
                                      .id = (int32_t)(words[i].id + input->first_id)};
    free(words);
    return STATUS_OK;
}

enum status dependence_points(const struct dependence *dependence,
                              const struct transform_input *input, uint32_t points_max,
                              struct arena *arena, struct dependence_point **points,
                              uint32_t *count, struct error *err)
{
    const size_t room = dependence->held->count + (size_t)points_max;

    *points = ARENA_NEW(arena, struct dependence_point, room);
    if (!*points)
        return fail_no_memory(err);
    return input->spec.type == INPUT_NUMERIC
               ? find_numbers(dependence, input, points_max, *points, count)
               : find_words(dependence, input, points_max, *points, count, err);
}

/* ---- predictions ---- */

static void put_point(const struct transform *transform, const struct transform_input *input,
                      const struct dependence_point *point, float *dense, int32_t *ids)
{
    if (point->is_word) {
        ids[input->id_offset] = point->id;
        return;
    }
    dense[input->dense_offset] = point->dense;
    if (input->dense_count == 2)
        dense[input->dense_offset + 1] = 0;
    if (transform->has_rests)
        dense[input->rest_offset] = point->rest;
}

static void fill_rows(struct dependence *dependence, const struct transform_input *input,
                      const struct dependence_point *point, uint32_t first, uint32_t count)
{
    const struct transform *transform = &dependence->model->transform;

    for (uint32_t i = 0; i < count; i++) {
        float *dense = dependence->scorer.dense + (size_t)i * transform->dense_width;
        int32_t *ids = dependence->scorer.ids + (size_t)i * transform->id_count;

        memcpy(dense, held_rows_dense(dependence->held, first + i),
               transform->dense_width * sizeof *dense);
        memcpy(ids, held_rows_ids(dependence->held, first + i), transform->id_count * sizeof *ids);
        put_point(transform, input, point, dense, ids);
    }
}

/* numbers (outputs): of the row that is selected. */
static void predict(struct dependence *dependence, double *numbers)
{
    const struct model *model = dependence->model;

    if (dependence_outputs(model) > 1)
        scorer_probabilities(&dependence->scorer, numbers);
    else
        numbers[0] = prediction_value_of(&dependence->scorer, dependence->probabilities).number;
}

enum status dependence_measure(struct dependence *dependence, const struct transform_input *input,
                               const struct dependence_point *point, const struct stop *stop,
                               double *means, double *each, struct error *err)
{
    const uint32_t rows = dependence->held->count, outputs = dependence_outputs(dependence->model);
    double *numbers = calloc(outputs, sizeof *numbers);
    enum status status = numbers ? STATUS_OK : fail_no_memory(err);

    memset(means, 0, outputs * sizeof *means);
    for (uint32_t first = 0, count; status == STATUS_OK && first < rows; first += count) {
        count =
            rows - first < dependence->scorer.rows_max ? rows - first : dependence->scorer.rows_max;
        status = stop_ask(stop, err);
        fill_rows(dependence, input, point, first, count);
        scorer_score(&dependence->scorer, count);
        for (uint32_t i = 0; i < count; i++) {
            scorer_select(&dependence->scorer, i);
            predict(dependence, numbers);
            for (uint32_t j = 0; j < outputs; j++)
                means[j] += numbers[j] / rows;
            if (each)
                memcpy(each + (size_t)(first + i) * outputs, numbers, outputs * sizeof *each);
        }
    }
    free(numbers);
    return status;
}
