/*
 * embedding_layout.h - a network over embeddings as its learner has it: its operations, where each
 * parameter lies, the values it starts from, and the memory that one lane computes in.
 */
#pragma once

#include "arithmetic/affine.h"
#include "arithmetic/dropout.h"
#include "kinds/embedding/embedding_model.h"
#include "runtime/learn/layers/compressed_layer.h"
#include "runtime/learn/layers/cross_layer.h"
#include "runtime/learn/layers/differentiable.h"
#include "runtime/learn/layers/embedded_fields.h"
#include "runtime/learn/layers/hidden_norms.h"
#include "runtime/learn/layers/id_places.h"
#include "runtime/learn/layers/loss_head.h"
#include "runtime/learn/layers/pairs_sum.h"

_Static_assert(EMBEDDING_ARRAYS_MAX + NORM_TENSORS <= TENSORS_MAX,
               "each array is a tensor, and what normalizes");

/* Tensors and parameters are the arrays of the shape, in its order, and behind them norms, if there
 * are any. */
struct embedding_network {
    struct embedding_shape shape;
    struct embedded_fields fields;
    struct affine hidden[HIDDEN_LAYERS_MAX], last;
    struct cross_layer cross[CROSS_LAYERS_MAX];
    struct compressed_layer compressed[COUNTS_MAX];
    struct pairs_sum pairs;
    struct loss_head head;
    struct dropout dropout;
    struct hidden_norms norms;
    uint64_t seed;
    const struct dataset *dataset;
    uint32_t tensor_count, parameter_count;
    struct tensor tensors[EMBEDDING_ARRAYS_MAX + NORM_TENSORS];
    uint32_t transposed_count;
    struct embedding_inputs columns; /* the columns that each part takes */
    struct embedding_model content;
    /* The places of the data set's ids in a table that has the rows of one batch alone. NULL: ids
     * are rows of the table. */
    const struct id_places *places;
};

/* Room to compute one lane in. Rows are a chunk. */
struct embedding_space {
    float *dense;                     /* (chunk, dense) */
    float *offsets;                   /* (chunk), of a transform that has one; else NULL */
    int32_t *ids;                     /* (chunk, ids of a row) */
    float *inputs, *dinputs;          /* (chunk, inputs) */
    float *hidden[HIDDEN_LAYERS_MAX]; /* (chunk, units): activations */
    float *masks[HIDDEN_LAYERS_MAX];  /* the same, with dropout */
    float *kept[HIDDEN_LAYERS_MAX];   /* before the activation, where it keeps sums (kernels.h) */
    struct hidden_norms_space norms;
    float *deltas[2];                 /* (chunk, widest) */
    float *crossed[CROSS_LAYERS_MAX]; /* (chunk, inputs): outputs of each layer */
    float *inner[CROSS_LAYERS_MAX];   /* (chunk, inputs) */
    float *cross_room;                /* (3 chunk, inputs) */
    float *numbers, *dnumbers;        /* (chunk * dimension, fields): the embeddings */
    float *maps[COUNTS_MAX],
        *dmaps[COUNTS_MAX + 1]; /* (chunk * dimension, units); the last fields */
    float *products;            /* (2, room): products of compressed layers, and gradients */
    float *sums;                /* (chunk, dimension): sums of embeddings, for pairs */
    float *top, *dtop;          /* (chunk, top) */
    float *wide;                /* (chunk, outputs) */
    float *outputs;             /* (chunk, outputs) */
    struct loss_labels labels;
    float *gradient; /* (parameters); the table is 0 between calls */
    struct touched_rows touched;
};

/* How all but the linear part of one with an optimizer of its own is learned from so many rows. */
struct descent_settings embedding_network_settings(const struct jobspec *spec, uint64_t rows);

/* LIMIT and INVALID as embedding_shape_finish. */
enum status embedding_network_init(struct embedding_network *network, const struct jobspec *spec,
                                   const struct dataset *dataset, struct error *err);
void embedding_network_deinit(struct embedding_network *network);
enum status embedding_space_init(struct embedding_space *space,
                                 const struct embedding_network *network, struct error *err);
void embedding_space_deinit(struct embedding_space *space);

/* The same as what descent learns. */
enum status embedding_network_open(const struct jobspec *spec, const struct dataset *dataset,
                                   struct differentiable *model, struct error *err);

/* ---- what struct differentiable asks; self: a struct embedding_network ---- */

/* How an array starts: uniform in +-limit, but for the first `zeros` numbers of each row, and the
 * first rows, which are 0. */
struct array_start {
    double limit;
    uint32_t zeros;
    uint64_t zero_rows;
};
struct array_start embedding_array_start(const struct embedding_shape *shape, uint32_t number);

/*
 * Biases and the linear part 0; embeddings uniform in +-0.2; hidden layers as
 * those of a network (network_shape.h); all other weights Glorot's.
 */
void embedding_network_start(const void *self, float *parameters);
uint32_t embedding_network_transpose(const void *self, const float *parameters, float *transposed);
