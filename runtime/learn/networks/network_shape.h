/*
 * network_shape.h - the shape of a dense network: its layers, where each parameter lies, the values
 * it starts from, and the memory that one lane computes in.
 */
#pragma once

#include "arithmetic/affine.h"
#include "arithmetic/dropout.h"
#include "kinds/network/network_model.h"
#include "runtime/learn/layers/differentiable.h"
#include "runtime/learn/layers/hidden_norms.h"
#include "runtime/learn/layers/id_rows.h"
#include "runtime/learn/layers/loss_head.h"

_Static_assert(2 * NETWORK_LAYERS_MAX + 1 + NORM_TENSORS <= TENSORS_MAX,
               "weights and biases, a table of ids, and what normalizes");

/* The parameters lie layer by layer: W (rows, width), for the first layer the
 * id block (id_rows, width), b (width). Norms follow, if there are any. Tensors in the same order.
 */
struct network {
    enum activation activation;
    uint32_t dense_width; /* features */
    bool has_offset;      /* which is added to the one output */
    uint32_t layer_count;
    struct affine layers[NETWORK_LAYERS_MAX];
    struct id_rows ids; /* a block of the first layer's weights */
    uint32_t id_inputs; /* categories and texts, which select its rows */
    struct loss_head head;
    struct dropout dropout;
    struct hidden_norms norms;
    uint64_t seed;
    const struct dataset *dataset;
    uint32_t tensor_count;
    struct tensor tensors[TENSORS_MAX];
    uint32_t parameter_count, transposed_count;
    struct layer stored[NETWORK_LAYERS_MAX]; /* the layers for scoring: network_fill_model */
    struct network_model content;
};

/* LIMIT beyond MODEL_PARAMETERS_MAX, with the number of bytes. */
enum status network_init(struct network *network, const struct jobspec *spec,
                         const struct dataset *dataset, struct error *err);
void network_deinit(struct network *network);
/* The same as what descent learns. */
enum status network_open(const struct jobspec *spec, const struct dataset *dataset,
                         struct differentiable *model, struct error *err);

/* The optimizer's settings by the statement, for so many training rows. */
struct descent_settings network_settings(const struct jobspec *spec, uint64_t rows);

/* Room to compute one lane in. */
struct network_workspace {
    float *inputs;                          /* (chunk, dense_width) */
    float *offsets;                         /* (chunk), of a network that has some; else NULL */
    int32_t *ids;                           /* (chunk, id_count) */
    float *activations[NETWORK_LAYERS_MAX]; /* (chunk, width) of each layer */
    float *sums[NETWORK_LAYERS_MAX];        /* before they are activated, where that is kept */
    float *masks[NETWORK_LAYERS_MAX];       /* (chunk, width) of each hidden layer */
    struct hidden_norms_space norms;
    float *deltas[2]; /* (chunk, widest) */
    struct loss_labels labels;
    float *gradient; /* (parameter_count); the id block is 0 between calls */
    struct touched_rows touched;
};

enum status network_workspace_init(struct network_workspace *space, const struct network *network,
                                   struct error *err);
void network_workspace_deinit(struct network_workspace *space);

/* ---- what struct differentiable asks; self: a struct network, space: its own ---- */

/*
 * Biases 0; weights uniform in +-limit: He's sqrt(6 / in) before a relu and what is like it,
 * LeCun's sqrt(3 / in) before a selu, Glorot's sqrt(6 / (in + out)) elsewhere; each category counts
 * as one input, since one row of its block is selected, and so does a text, of whose words each
 * counts less the more there are. A network without hidden layers is convex and starts from 0.
 */
void network_start(const void *self, float *parameters);
/* WT of the layers whose inputs have a gradient: all but the first. */
uint32_t network_transpose(const void *self, const float *parameters, float *transposed);
