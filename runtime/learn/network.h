/*
 * network.h - loss and gradient of one lane's rows.
 *
 *     a0 = x                                   dense columns of the row
 *     z1 = a0 W1 + sum of the rows of W1 that the row's ids select + b1
 *     a1 = dropout(f(z1))
 *     z2 = a1 W2 + b2
 *     ...                                      the last z are the logits
 *
 * Rows are taken a chunk of NETWORK_CHUNK_ROWS at a time, in their order, so
 * that memory does not grow with the batch and the matrices stay in the cache.
 * What a lane gives is a pure function of parameters, rows, step and network:
 * the space that it is computed in carries nothing from one call to the next.
 */
#ifndef RUNTIME_LEARN_NETWORK_H
#define RUNTIME_LEARN_NETWORK_H

#include "jobspec/jobspec.h"
#include "runtime/data/dataset.h"
#include "scoring/model.h"

#define NETWORK_CHUNK_ROWS  128
#define NETWORK_TENSORS_MAX (2 * MODEL_LAYERS_MAX + 1)

/* A run of the parameters with one fixed-point exponent. */
struct tensor {
    uint32_t first, count; /* elements [first, first + count) of the parameters */
    bool is_bias;
    bool is_transposed; /* network_transpose makes a copy of it */
};

struct network_layer {
    uint32_t rows, width;   /* rows: dense inputs; the first layer's ids come behind them */
    uint32_t weights, bias; /* where they start in the parameters */
    uint32_t transposed;    /* where WT (width, rows) starts among the transposed weights */
};

/* The parameters lie layer by layer: W (rows, width), for the first layer the
 * id block (id_rows, width), b (width). Tensors in the same order. */
struct network {
    enum task task;
    enum activation activation;
    uint32_t dense_width, id_count, id_rows;
    uint32_t outputs;
    uint32_t layer_count;
    struct network_layer layers[MODEL_LAYERS_MAX];
    uint32_t ids; /* where the id block starts */
    uint32_t tensor_count, ids_tensor;
    struct tensor tensors[NETWORK_TENSORS_MAX];
    uint32_t parameter_count, transposed_count;
    double dropout;
    uint64_t seed;
};

/* LIMIT beyond MODEL_PARAMETERS_MAX, with the number of bytes. */
enum status network_init(struct network *network, const struct jobspec *spec,
                         const struct dataset *dataset, struct error *err);

/*
 * Biases 0; weights uniform in +-limit, He's sqrt(6 / in) before a relu and
 * Glorot's sqrt(6 / (in + out)) elsewhere; each category counts as one input,
 * since one row of its block is selected. A network without hidden layers is
 * convex and starts from 0. Each number is a function of (seed, tensor,
 * element) alone.
 */
void network_start(const struct network *network, float *parameters);

/* The layers as scoring sees them; they point into `parameters`. */
void network_layers(const struct network *network, const float *parameters, struct layer *layers);

/* transposed (transposed_count) = WT of the layers whose inputs have a
 * gradient: all but the first, and those of one output, which lie the same
 * either way. Returns the sum of the words (base/words.h) that it wrote over. */
uint32_t network_transpose(const struct network *network, const float *parameters,
                           float *transposed);

/* Room to compute one lane in. */
struct network_space {
    float *inputs;                        /* (chunk, dense_width) */
    int32_t *ids;                         /* (chunk, id_count) */
    float *activations[MODEL_LAYERS_MAX]; /* (chunk, width) of each layer */
    float *masks[MODEL_LAYERS_MAX];       /* (chunk, width) of each hidden layer */
    float *deltas[2];                     /* (chunk, widest) */
    float *targets, *weights;             /* (chunk) */
    int32_t *classes;                     /* (chunk) */
    double *losses;                       /* (chunk) */
    float *gradient;                      /* (parameter_count); the id block is 0 between calls */
    uint32_t *touched, touched_count;     /* rows of the id block with a gradient */
    uint8_t *is_touched;                  /* (id_rows) */
};

enum status network_space_init(struct network_space *space, const struct network *network,
                               struct error *err);
void network_space_deinit(struct network_space *space);

/* Rows [first, first + count) of an order; order NULL: as they lie in the part. */
struct network_rows {
    const struct dataset *dataset;
    const struct dataset_part *part; /* of it */
    const float *class_weights;      /* NULL: all 1 */
    const uint32_t *order;
    uint32_t first, count;
    uint32_t position; /* of the first row in its batch, for dropout */
    uint32_t ahead;    /* after how many rows those come that are probably taken next */
};

/*
 * `transposed` is network_transpose's, of the same parameters.
 * The gradient of 1/divisor times the weighted loss of the rows goes to
 * space->gradient; of the id block only the rows in space->touched hold
 * anything, until network_space_clear. Returns the weighted loss, summed.
 */
double network_gradient(const struct network *network, const float *parameters,
                        const float *transposed, const struct network_rows *rows, double divisor,
                        uint64_t step, struct network_space *space);
void network_space_clear(const struct network *network, struct network_space *space);

/* The loss of the rows, unweighted and without dropout, and how many are
 * classified correctly. A class that training did not see costs
 * NETWORK_LOSS_MOST, what other probabilities are cut to, too. */
#define NETWORK_LOSS_MOST 34.538776394910684 /* -log(1e-15) */
double network_evaluate(const struct network *network, const float *parameters,
                        const struct network_rows *rows, struct network_space *space,
                        uint64_t *correct);

#endif
