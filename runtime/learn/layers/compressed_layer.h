/*
 * compressed_layer.h - one layer of compressed interactions (Lian et al., 2018), and back.
 *
 *     next (units) = W of all products of a map before with an embedding
 *
 * number by number of the embeddings: x0 (n * dimension, fields), before (n * dimension, maps),
 * next (n * dimension, units). It is linear: the paper found no activation better.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPRESSED_ROWS 128 /* rows of x0 that are multiplied at a time */

struct compressed_layer {
    uint32_t fields, maps, units;
    uint32_t weights;    /* where W (maps * fields, units) starts in the parameters */
    uint32_t transposed; /* where WT starts among the transposed weights */
};

static inline size_t compressed_room(const struct compressed_layer *op)
{
    return (size_t)COMPRESSED_ROWS * op->maps * op->fields;
}

/* rows: n * dimension. room: compressed_room */
void compressed_layer_forward(const struct compressed_layer *op, const float *parameters,
                              size_t rows, const float *x0, const float *before, float *room,
                              float *next);
/* delta (rows, units): of next. dx0, dbefore += theirs. room: twice compressed_room */
void compressed_layer_backward(const struct compressed_layer *op, const float *transposed,
                               size_t rows, const float *x0, const float *before,
                               const float *delta, bool is_first, float *room, float *dx0,
                               float *dbefore, float *gradient);
