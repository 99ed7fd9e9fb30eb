#include "scoring/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/affine.h"
#include "scoring/elementary.h"

#define CACHE_LINE 64 /* bytes */

uint32_t model_outputs(const struct model *model)
{
    return model->task == TASK_REGRESSION || model->labels.count == 2 ? 1 : model->labels.count;
}

static uint32_t widest_hidden(const struct model *model)
{
    uint32_t widest = 1;

    for (uint32_t i = 0; i + 1 < model->layer_count; i++)
        if (model->layers[i].width > widest)
            widest = model->layers[i].width;
    return widest;
}

/* Inputs of a layer that are multiplied: the first layer's ids select rows. */
static uint32_t inputs_of(const struct model *model, uint32_t layer)
{
    return layer == 0 ? model->transform.dense_width : model->layers[layer].rows;
}

static void *new_array(size_t rows, size_t columns, size_t size)
{
    const size_t bytes = rows * columns * size;
    void *array = aligned_alloc(CACHE_LINE, (bytes / CACHE_LINE + 1) * CACHE_LINE);

    if (array)
        memset(array, 0, bytes);
    return array;
}

static uint32_t rows_with_room(const struct model *model, uint32_t rows)
{
    const size_t columns = model->transform.dense_width + model->transform.id_count +
                           2 * (size_t)widest_hidden(model) + model_outputs(model);
    const size_t most = SCORER_BYTES / (columns * sizeof(float));

    if (most == 0)
        return 1;
    return rows < most ? rows : (uint32_t)most;
}

static enum status init_affines(struct scorer *scorer, struct error *err)
{
    const struct model *model = scorer->model;

    scorer->affines = calloc(model->layer_count, sizeof *scorer->affines);
    if (!scorer->affines)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < model->layer_count; i++)
        TRY(affine_init(&scorer->affines[i], model->layers[i].weights, model->layers[i].bias,
                        inputs_of(model, i), model->layers[i].width, err));
    return STATUS_OK;
}

static enum status init_rows(struct scorer *scorer, struct error *err)
{
    const struct model *model = scorer->model;
    const size_t rows = scorer->rows_max, widest = widest_hidden(model);

    scorer->dense = new_array(rows, model->transform.dense_width, sizeof *scorer->dense);
    scorer->ids = new_array(rows, model->transform.id_count, sizeof *scorer->ids);
    scorer->front = new_array(rows, widest, sizeof *scorer->front);
    scorer->back = new_array(rows, widest, sizeof *scorer->back);
    scorer->logits = new_array(rows, model_outputs(model), sizeof *scorer->logits);
    scorer->outputs = scorer->logits;
    if (scorer->dense && scorer->ids && scorer->front && scorer->back && scorer->logits)
        return STATUS_OK;
    return fail_no_memory(err);
}

enum status scorer_init(struct scorer *scorer, const struct model *model, uint32_t rows,
                        struct error *err)
{
    enum status status;

    assert(rows > 0);
    assert(model->layer_count > 0);
    assert(model->layers[0].rows == model->transform.dense_width + model->transform.id_rows);
    assert(model->layers[model->layer_count - 1].width == model_outputs(model));
    *scorer = (struct scorer){
        .model = model, .kernel = affine_kernel_best(), .rows_max = rows_with_room(model, rows)};
    status = init_affines(scorer, err);
    if (status == STATUS_OK)
        status = init_rows(scorer, err);
    if (status != STATUS_OK)
        scorer_deinit(scorer);
    return status;
}

void scorer_deinit(struct scorer *scorer)
{
    for (uint32_t i = 0; scorer->affines && i < scorer->model->layer_count; i++)
        affine_deinit(&scorer->affines[i]);
    free(scorer->affines);
    free(scorer->dense);
    free(scorer->ids);
    free(scorer->front);
    free(scorer->back);
    free(scorer->logits);
    *scorer = (struct scorer){0};
}

enum status scorer_transform(struct scorer *scorer, uint32_t i, const struct cell *cells,
                             struct error *err)
{
    const struct transform *transform = &scorer->model->transform;

    assert(i < scorer->rows_max);
    return transform_row(transform, cells, scorer->dense + (size_t)i * transform->dense_width,
                         scorer->ids + (size_t)i * transform->id_count, err);
}

/* z (count, width) += for each row the rows of the first layer that it selects */
static void add_ids(const struct model *model, const int32_t *ids, uint32_t count,
                    float *restrict z)
{
    const struct layer *layer = &model->layers[0];
    const float *block = layer->weights + (size_t)model->transform.dense_width * layer->width;

    for (uint32_t row = 0; row < count; row++, z += layer->width) {
        for (uint32_t i = 0; i < model->transform.id_count; i++, ids++) {
            const float *weights = block + (size_t)*ids * layer->width;

            if (*ids < 0)
                continue;
            for (uint32_t j = 0; j < layer->width; j++)
                z[j] += weights[j];
        }
    }
}

static void score_rows(struct scorer *scorer, const float *dense, const int32_t *ids,
                       uint32_t count)
{
    const struct model *model = scorer->model;
    const float *x = dense;

    for (uint32_t i = 0; i < model->layer_count; i++) {
        const bool is_last = i + 1 == model->layer_count;
        float *z = is_last ? scorer->logits : i % 2 ? scorer->back : scorer->front;

        affine_rows(&scorer->affines[i], scorer->kernel, x, count, z);
        if (i == 0)
            add_ids(model, ids, count, z);
        if (!is_last)
            activation_forward(model->activation, z, (size_t)count * model->layers[i].width);
        x = z;
    }
}

void scorer_score(struct scorer *scorer, uint32_t count)
{
    assert(count <= scorer->rows_max);
    score_rows(scorer, scorer->dense, scorer->ids, count);
    scorer_select(scorer, 0);
}

void scorer_select(struct scorer *scorer, uint32_t i)
{
    assert(i < scorer->rows_max);
    scorer->outputs = scorer->logits + (size_t)i * model_outputs(scorer->model);
}

void scorer_score_row(struct scorer *scorer, const float *dense, const int32_t *ids)
{
    score_rows(scorer, dense, ids, 1);
    scorer_select(scorer, 0);
}

uint32_t scorer_class(const struct scorer *scorer)
{
    const uint32_t outputs = model_outputs(scorer->model);
    uint32_t best = 0;

    if (outputs == 1)
        return scorer->outputs[0] > 0;
    for (uint32_t j = 1; j < outputs; j++)
        if (scorer->outputs[j] > scorer->outputs[best])
            best = j;
    return best;
}

double scorer_value(const struct scorer *scorer)
{
    return (double)scorer->outputs[0] * scorer->model->label_scale + scorer->model->label_mean;
}

void scorer_probabilities(const struct scorer *scorer, double *probabilities)
{
    const uint32_t outputs = model_outputs(scorer->model);
    const float *z = scorer->outputs;
    double greatest, sum = 0;

    if (outputs == 1) {
        probabilities[0] = 1 / (1 + exponential_double((double)z[0]));
        probabilities[1] = 1 / (1 + exponential_double(-(double)z[0]));
        return;
    }
    greatest = (double)z[scorer_class(scorer)];
    for (uint32_t j = 0; j < outputs; j++)
        sum += probabilities[j] = exponential_double((double)z[j] - greatest);
    for (uint32_t j = 0; j < outputs; j++)
        probabilities[j] /= sum;
}

struct cell scorer_prediction(const struct scorer *scorer)
{
    if (scorer->model->task == TASK_CLASSIFICATION)
        return scorer->model->labels.values[scorer_class(scorer)];
    return (struct cell){.type = CELL_REAL, .real = scorer_value(scorer)};
}
