#include "kinds/network/network_score.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/network/network_model.h"
#include "scoring/numbers/activation.h"
#include "scoring/numbers/layer_sums.h"
#include "scoring/numbers/matrix.h"

struct workspace {
    const struct model *model;
    const struct sums_kernel *kernel; /* for this processor */
    struct layer_sums *sums;          /* (layers) */
    float *front, *back;              /* (rows_max, widest): activations of two layers */
    float *features; /* (rows_max, transform_features), of a model with an offset; else NULL */
};

static uint32_t widest_hidden(const struct network_model *network)
{
    uint32_t widest = 1;

    for (uint32_t i = 0; i + 1 < network->layer_count; i++)
        if (network->layers[i].width > widest)
            widest = network->layers[i].width;
    return widest;
}

/* Inputs of a layer that are multiplied: the first layer's ids select rows. */
static uint32_t inputs_of(const struct model *model, uint32_t layer)
{
    return layer == 0 ? transform_features(&model->transform)
                      : network_of(model)->layers[layer].rows;
}

size_t network_row_bytes(const struct model *model)
{
    return 2 * widest_hidden(network_of(model)) * sizeof(float);
}

static enum status init_sums(struct workspace *workspace, struct error *err)
{
    const struct network_model *network = network_of(workspace->model);

    workspace->sums = calloc(network->layer_count, sizeof *workspace->sums);
    if (!workspace->sums)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < network->layer_count; i++)
        TRY(layer_sums_init(&workspace->sums[i], network->layers[i].weights,
                            network->layers[i].bias, inputs_of(workspace->model, i),
                            network->layers[i].width, err));
    return STATUS_OK;
}

enum status network_scorer_open(const struct model *model, uint32_t rows_max, void **opened,
                                struct error *err)
{
    const struct network_model *network = network_of(model);
    const size_t widest = widest_hidden(network);
    struct workspace *workspace = calloc(1, sizeof *workspace);
    enum status status;

    assert(network->layer_count > 0);
    assert(network->layers[0].rows == inputs_of(model, 0) + model->transform.id_rows);
    *opened = NULL;
    if (!workspace)
        return fail_no_memory(err);
    workspace->model = model;
    workspace->kernel = sums_kernel_best();
    TRY_OR(failed, status, init_sums(workspace, err));
    workspace->front = matrix_new(rows_max, widest, sizeof(float));
    workspace->back = matrix_new(rows_max, widest, sizeof(float));
    if (model->transform.offset_width > 0)
        workspace->features = matrix_new(rows_max, inputs_of(model, 0), sizeof(float));
    if (workspace->front && workspace->back &&
        (workspace->features || model->transform.offset_width == 0)) {
        *opened = workspace;
        return STATUS_OK;
    }
    status = fail_no_memory(err);
failed:
    network_scorer_close(workspace);
    return status;
}

void network_scorer_close(void *closed)
{
    struct workspace *workspace = closed;

    if (!workspace)
        return;
    for (uint32_t i = 0; workspace->sums && i < network_of(workspace->model)->layer_count; i++)
        layer_sums_deinit(&workspace->sums[i]);
    free(workspace->sums);
    free(workspace->front);
    free(workspace->back);
    free(workspace->features);
    free(workspace);
}

/* z (width) += the rows of the block that these ids select */
static void add_categories(const float *block, uint32_t width, const int32_t *ids, uint32_t count,
                           float *restrict z)
{
    for (uint32_t i = 0; i < count; i++) {
        const float *weights;

        if (ids[i] < 0)
            continue;
        weights = block + (size_t)ids[i] * width;
        for (uint32_t j = 0; j < width; j++)
            z[j] += weights[j];
    }
}

/* z (width) += those that the words of a text select, each with its share */
static void add_text(const float *block, uint32_t width, const int32_t *ids,
                     const struct text_ids *text, float *restrict z)
{
    const uint32_t used = text_ids_used(ids + text->first, text->count);
    const struct text_shares shares = text_shares_of(text, ids, used);

    for (uint32_t i = 0; i < used; i++) {
        const float *weights = block + (size_t)ids[text->first + i] * width;
        const float share = text_share(&shares, i);

        for (uint32_t j = 0; j < width; j++)
            z[j] += share * weights[j];
    }
}

/* z (count, width) += for each row the rows of the first layer that it selects */
static void add_ids(const struct model *model, const int32_t *ids, uint32_t count, float *z)
{
    const struct transform *transform = &model->transform;
    const struct layer *layer = &network_of(model)->layers[0];
    const float *block = layer->weights + (size_t)transform_features(transform) * layer->width;

    for (uint32_t row = 0; row < count; row++, ids += transform->id_count, z += layer->width) {
        uint32_t done = 0;

        for (uint32_t i = 0; i < transform->text_count; i++) {
            const struct text_ids *text = &transform->texts[i];

            add_categories(block, layer->width, ids + done, text->first - done, z);
            add_text(block, layer->width, ids, text, z);
            done = text_ids_end(text);
        }
        add_categories(block, layer->width, ids + done, transform->id_count - done, z);
    }
}

/* Rows without their offsets. */
static const float *features_of(const struct workspace *workspace, const float *dense,
                                uint32_t count)
{
    const struct transform *transform = &workspace->model->transform;
    const size_t features = transform_features(transform);

    for (uint32_t row = 0; row < count; row++)
        memcpy(workspace->features + row * features, dense + (size_t)row * transform->dense_width,
               features * sizeof *dense);
    return workspace->features;
}

/* Adds the offsets of a model of one output. */
static void add_offsets(const struct transform *transform, const float *dense, uint32_t count,
                        float *outputs)
{
    for (uint32_t row = 0; row < count; row++, dense += transform->dense_width)
        outputs[row] += (float)transform_offset(transform, dense);
}

void network_score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                   float *outputs)
{
    const struct workspace *workspace = opened;
    const struct network_model *network = network_of(workspace->model);
    const bool has_offset = workspace->model->transform.offset_width > 0;
    const float *x = has_offset ? features_of(workspace, dense, count) : dense;

    for (uint32_t i = 0; i < network->layer_count; i++) {
        const bool is_last = i + 1 == network->layer_count;
        float *z = is_last ? outputs : i % 2 ? workspace->back : workspace->front;

        layer_sums_compute(&workspace->sums[i], workspace->kernel, x, count, z);
        if (i == 0)
            add_ids(workspace->model, ids, count, z);
        if (!is_last)
            activation_forward(network->activation, z, (size_t)count * network->layers[i].width);
        x = z;
    }
    if (has_offset)
        add_offsets(&workspace->model->transform, dense, count, outputs);
}
