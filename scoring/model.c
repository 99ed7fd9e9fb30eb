#include "scoring/model.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Wider vectors only take more columns at a time: each output is summed in the
 * same order and without fused operations, so the clones agree to the bit.
 * Sanitizers start after the resolvers that pick a clone would run, and a count
 * of branches would have each three times. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(TOTRAIN_COVERAGE)
#define WIDE_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE_VECTORS
#endif

uint32_t model_outputs(const struct model *model)
{
    return model->task == MODEL_REGRESSION || model->labels.count == 2 ? 1 : model->labels.count;
}

/* z (width) += x (rows) W (rows, width), inputs in ascending order. Four at a
 * time, which saves reading and writing z and keeps the order of additions. */
WIDE_VECTORS
static void add_product(float *restrict z, const float *restrict x, const float *restrict weights,
                        uint32_t rows, uint32_t width)
{
    uint32_t i = 0;

    for (; i + 4 <= rows; i += 4) {
        const float *w0 = weights + (size_t)i * width, *w1 = w0 + width;
        const float *w2 = w1 + width, *w3 = w2 + width;
        const float x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];

        for (uint32_t j = 0; j < width; j++)
            z[j] = (((z[j] + x0 * w0[j]) + x1 * w1[j]) + x2 * w2[j]) + x3 * w3[j];
    }
    for (; i < rows; i++)
        for (uint32_t j = 0; j < width; j++)
            z[j] += x[i] * weights[(size_t)i * width + j];
}

static void add_ids(float *restrict z, const int32_t *ids, uint32_t id_count,
                    const float *restrict weights, uint32_t width)
{
    for (uint32_t i = 0; i < id_count; i++) {
        if (ids[i] < 0)
            continue;
        for (uint32_t j = 0; j < width; j++)
            z[j] += weights[(size_t)ids[i] * width + j];
    }
}

static void activate(float *z, uint32_t width, enum activation activation)
{
    switch (activation) {
    case ACTIVATION_IDENTITY:
        return;
    case ACTIVATION_RELU:
        for (uint32_t j = 0; j < width; j++)
            z[j] = z[j] > 0 ? z[j] : 0;
        return;
    case ACTIVATION_TANH:
        for (uint32_t j = 0; j < width; j++)
            z[j] = tanhf(z[j]);
        return;
    case ACTIVATION_SIGMOID:
        for (uint32_t j = 0; j < width; j++)
            z[j] = 1 / (1 + expf(-z[j]));
        return;
    }
}

static uint32_t widest_hidden(const struct model *model)
{
    uint32_t widest = 1;

    for (uint32_t i = 0; i + 1 < model->layer_count; i++)
        if (model->layers[i].width > widest)
            widest = model->layers[i].width;
    return widest;
}

enum status scorer_init(struct scorer *scorer, const struct model *model, struct error *err)
{
    uint32_t widest = widest_hidden(model);

    assert(model->layer_count > 0);
    assert(model->layers[0].rows == model->transform.dense_width + model->transform.id_rows);
    assert(model->layers[model->layer_count - 1].width == model_outputs(model));
    *scorer = (struct scorer){.model = model};
    scorer->dense = calloc((size_t)model->transform.dense_width + 1, sizeof *scorer->dense);
    scorer->ids = calloc((size_t)model->transform.id_count + 1, sizeof *scorer->ids);
    scorer->front = calloc(widest, sizeof *scorer->front);
    scorer->back = calloc(widest, sizeof *scorer->back);
    scorer->outputs = calloc(model_outputs(model), sizeof *scorer->outputs);
    if (scorer->dense && scorer->ids && scorer->front && scorer->back && scorer->outputs)
        return STATUS_OK;
    scorer_deinit(scorer);
    return fail_no_memory(err);
}

void scorer_deinit(struct scorer *scorer)
{
    free(scorer->dense);
    free(scorer->ids);
    free(scorer->front);
    free(scorer->back);
    free(scorer->outputs);
    *scorer = (struct scorer){0};
}

enum status scorer_score(struct scorer *scorer, const struct cell *cells, struct error *err)
{
    TRY(transform_row(&scorer->model->transform, cells, scorer->dense, scorer->ids, err));
    scorer_score_row(scorer, scorer->dense, scorer->ids);
    return STATUS_OK;
}

void scorer_score_row(struct scorer *scorer, const float *dense, const int32_t *ids)
{
    const struct model *model = scorer->model;
    const struct transform *transform = &model->transform;
    const float *x = dense;

    for (uint32_t i = 0; i < model->layer_count; i++) {
        const struct layer *layer = &model->layers[i];
        const bool is_last = i + 1 == model->layer_count;
        float *z = is_last ? scorer->outputs : i % 2 ? scorer->back : scorer->front;

        memcpy(z, layer->bias, layer->width * sizeof *z);
        if (i == 0) {
            add_product(z, x, layer->weights, transform->dense_width, layer->width);
            add_ids(z, ids, transform->id_count,
                    layer->weights + (size_t)transform->dense_width * layer->width, layer->width);
        } else {
            add_product(z, x, layer->weights, layer->rows, layer->width);
        }
        if (!is_last)
            activate(z, layer->width, model->activation);
        x = z;
    }
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
        probabilities[0] = 1 / (1 + exp((double)z[0]));
        probabilities[1] = 1 / (1 + exp(-(double)z[0]));
        return;
    }
    greatest = (double)z[scorer_class(scorer)];
    for (uint32_t j = 0; j < outputs; j++)
        sum += probabilities[j] = exp((double)z[j] - greatest);
    for (uint32_t j = 0; j < outputs; j++)
        probabilities[j] /= sum;
}

struct cell scorer_prediction(const struct scorer *scorer)
{
    if (scorer->model->task == MODEL_CLASSIFICATION)
        return scorer->model->labels.values[scorer_class(scorer)];
    return (struct cell){.type = CELL_REAL, .real = scorer_value(scorer)};
}
