#include "kinds/regression/regression_score.h"

#include <stdlib.h>

#include "kinds/network/network_score.h"
#include "kinds/regression/regression_model.h"

struct workspace {
    const struct model *model;
    void *network;   /* the scorer of a model without rests; else NULL */
    double *weights; /* (equations, columns): for standardised inputs and labels */
};

size_t regression_row_bytes(const struct model *model)
{
    return model->transform.has_rests ? 0 : network_row_bytes(model);
}

void regression_standardise(const struct model *model, uint32_t equation, double *weights)
{
    const struct regression_coefficient *own =
        regression_of(model)->coefficients + (size_t)equation * regression_of(model)->columns;
    const struct transform *transform = &model->transform;
    const double scale = model->task == TASK_REGRESSION ? model->label_scale : 1;

    weights[0] = own[0].value - (model->task == TASK_REGRESSION ? model->label_mean : 0);
    for (uint32_t i = 1; i < regression_of(model)->columns; i++)
        weights[i] = own[i].value / scale;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const uint32_t column = 1 + input->dense_offset;

        if (!transform_is_number(input))
            continue;
        weights[0] += own[column].value * input->mean;
        weights[column] = own[column].value * input->scale / scale;
    }
    weights[0] /= scale;
}

enum status regression_scorer_open(const struct model *model, uint32_t rows_max, void **opened,
                                   struct error *err)
{
    const struct regression_model *regression = regression_of(model);
    const size_t count = (size_t)regression->equations * regression->columns;
    struct workspace *workspace = calloc(1, sizeof *workspace);
    enum status status;

    *opened = NULL;
    if (!workspace)
        return fail_no_memory(err);
    workspace->model = model;
    if (!model->transform.has_rests) {
        TRY_OR(failed, status, network_scorer_open(model, rows_max, &workspace->network, err));
    } else {
        workspace->weights = calloc(count, sizeof *workspace->weights);
        if (!workspace->weights) {
            status = fail_no_memory(err);
            goto failed;
        }
        for (uint32_t k = 0; k < regression->equations; k++)
            regression_standardise(model, k, workspace->weights + (size_t)k * regression->columns);
    }
    *opened = workspace;
    return STATUS_OK;
failed:
    regression_scorer_close(workspace);
    return status;
}

void regression_scorer_close(void *closed)
{
    struct workspace *workspace = closed;

    if (!workspace)
        return;
    network_scorer_close(workspace->network);
    free(workspace->weights);
    free(workspace);
}

static double sum_row(const struct transform *transform, const double *weights, const float *dense,
                      const int32_t *ids)
{
    const double *of_ids = weights + 1 + transform_features(transform);
    double sum = weights[0] + transform_offset(transform, dense);

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.offset)
            continue;
        if (input->spec.type == INPUT_NUMERIC) {
            const double *own = weights + 1 + input->dense_offset;
            const float *at = dense + input->dense_offset;

            sum += own[0] * ((double)at[0] + (double)dense[input->rest_offset]);
            if (input->dense_count == 2)
                sum += own[1] * (double)at[1];
        } else if (ids[input->id_offset] >= 0) {
            sum += of_ids[ids[input->id_offset]];
        }
    }
    return sum;
}

/* Scores with rests. With more than two classes the first has an output, too, which is always 0. */
static void score_exactly(const struct workspace *workspace, const float *dense, const int32_t *ids,
                          uint32_t count, float *outputs)
{
    const struct transform *transform = &workspace->model->transform;
    const struct regression_model *regression = regression_of(workspace->model);
    const uint32_t width = model_outputs(workspace->model);
    const uint32_t first = width - regression->equations;

    for (uint32_t row = 0; row < count; row++) {
        for (uint32_t k = 0; k < first; k++)
            outputs[k] = 0;
        for (uint32_t k = 0; k < regression->equations; k++)
            outputs[first + k] = (float)sum_row(
                transform, workspace->weights + (size_t)k * regression->columns, dense, ids);
        dense += transform->dense_width;
        ids += transform->id_count;
        outputs += width;
    }
}

void regression_score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                      float *outputs)
{
    const struct workspace *workspace = opened;

    if (workspace->network)
        network_score(workspace->network, dense, ids, count, outputs);
    else
        score_exactly(workspace, dense, ids, count, outputs);
}
