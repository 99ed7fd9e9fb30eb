#include "runtime/learn/layers/hidden_norms.h"

#include <stdlib.h>
#include <string.h>

#include "scoring/numbers/matrix.h"

/* ---- where they lie ---- */

static void place(struct hidden_norms *norms, struct tensor tensors[NORM_TENSORS])
{
    uint32_t units = 0, at = norms->first;

    for (uint32_t l = 0; l < norms->count; l++)
        units += norms->takers[l].rows;
    for (uint32_t p = 0; p < NORM_TENSORS; p++)
        tensors[p] = (struct tensor){.first = norms->first + p * units,
                                     .count = units,
                                     .is_bias = true,
                                     .is_statistic = p >= 2};
    for (uint32_t l = 0; l < norms->count; at += norms->takers[l++].rows)
        norms->layers[l] = (struct batch_norm){.width = norms->takers[l].rows,
                                               .gamma = at,
                                               .beta = at + units,
                                               .mean = at + 2 * units,
                                               .variance = at + 3 * units};
}

enum status hidden_norms_init(struct hidden_norms *norms, const struct dataset *dataset,
                              uint32_t first, struct tensor tensors[NORM_TENSORS],
                              struct error *err)
{
    uint32_t widest = 0;

    if (dataset->old_model)
        return fail(err, STATUS_UNSUPPORTED, "model.batch_norm does not go on from an old model");
    norms->first = first;
    place(norms, tensors);
    for (uint32_t l = 0; l < norms->count; l++)
        widest = norms->takers[l].width > widest ? norms->takers[l].width : widest;
    norms->copy = calloc(first - norms->copied_from, sizeof *norms->copy);
    norms->sums = calloc(widest, sizeof *norms->sums);
    return norms->copy && norms->sums ? STATUS_OK : fail_no_memory(err);
}

void hidden_norms_deinit(struct hidden_norms *norms)
{
    free(norms->copy);
    free(norms->sums);
    norms->copy = NULL;
    norms->sums = NULL;
}

void hidden_norms_start(const struct hidden_norms *norms, float *parameters)
{
    for (uint32_t l = 0; l < norms->count; l++)
        for (uint32_t j = 0; j < norms->layers[l].width; j++)
            parameters[norms->layers[l].gamma + j] = parameters[norms->layers[l].variance + j] = 1;
}

/* ---- into weights ---- */

static void fold(struct hidden_norms *norms, const float *parameters, uint32_t l)
{
    const struct affine *taker = &norms->takers[l];
    float *weights = norms->copy + (taker->weights - norms->copied_from);
    float *bias = norms->copy + (taker->bias - norms->copied_from);
    double *sums = norms->sums;

    for (uint32_t j = 0; j < taker->width; j++)
        sums[j] = (double)bias[j];
    for (uint32_t i = 0; i < taker->rows; i++) {
        double scale, shift;

        batch_norm_line(&norms->layers[l], parameters, i, &scale, &shift);
        for (uint32_t j = 0; j < taker->width; j++) {
            float *weight = weights + (size_t)i * taker->width + j;

            sums[j] += shift * (double)*weight;
            *weight = (float)(scale * (double)*weight);
        }
    }
    for (uint32_t j = 0; j < taker->width; j++)
        bias[j] = (float)sums[j];
}

void hidden_norms_fold(struct hidden_norms *norms, const float *parameters)
{
    if (norms->count)
        memcpy(norms->copy, parameters + norms->copied_from,
               (norms->first - norms->copied_from) * sizeof *parameters);
    for (uint32_t l = 0; l < norms->count; l++)
        fold(norms, parameters, l);
}

const float *hidden_norms_folded(const struct hidden_norms *norms, const float *parameters,
                                 uint32_t at)
{
    const bool is_copied = norms->count && at >= norms->copied_from;

    return is_copied ? norms->copy + (at - norms->copied_from) : parameters + at;
}

/* ---- room, forward, backward ---- */

static bool make_room(struct batch_norm_room *room, uint32_t width)
{
    float *floats = matrix_new(5, width, sizeof *floats);

    if (!floats)
        return false;
    *room = (struct batch_norm_room){.mean = floats,
                                     .variance = floats + width,
                                     .inverse = floats + 2 * (size_t)width,
                                     .sums = floats + 3 * (size_t)width};
    return true;
}

bool hidden_norms_space_init(struct hidden_norms_space *space, const struct hidden_norms *norms)
{
    for (uint32_t l = 0; l < norms->count; l++) {
        space->y[l] = matrix_new(LANE_CHUNK_ROWS, norms->layers[l].width, sizeof *space->y[l]);
        if (!space->y[l] || !make_room(&space->rooms[l], norms->layers[l].width))
            return false;
    }
    return true;
}

void hidden_norms_space_deinit(struct hidden_norms_space *space)
{
    for (uint32_t l = 0; l < HIDDEN_LAYERS_MAX; l++) {
        free(space->y[l]);
        free(space->rooms[l].mean); /* and all behind it */
    }
    *space = (struct hidden_norms_space){0};
}

const float *hidden_norms_forward(const struct hidden_norms *norms, uint32_t l,
                                  const float *parameters, uint32_t n, bool learns, const float *a,
                                  struct hidden_norms_space *space)
{
    if (norms->count)
        batch_norm_forward(&norms->layers[l], parameters, n, learns, a, &space->rooms[l],
                           space->y[l]);
    return hidden_norms_above(space, l, a);
}

void hidden_norms_backward(const struct hidden_norms *norms, uint32_t l, const float *parameters,
                           uint32_t n, double share, const float *a,
                           const struct hidden_norms_space *space, bool is_first, float *delta,
                           float *gradient)
{
    if (norms->count)
        batch_norm_backward(&norms->layers[l], parameters, n, share, a, &space->rooms[l], is_first,
                            delta, gradient);
}
