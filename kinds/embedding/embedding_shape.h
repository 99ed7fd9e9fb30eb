/*
 * embedding_shape.h - the arrays of a network over embeddings: which there are, how large they are,
 * and what lies where.
 *
 *     ids of a row ----> rows of the table: | wide (wide_width) | embedding (dimension) |
 *                                                |                       |
 *     dense columns ---------------+-------------|-----------------------|---.
 *                                  |             |                       v   v
 *                                  |             |          inputs: one embedding a field, dense
 *                                  |             |             |             |            |
 *                                  |             |      hidden layers   interaction   (pairs)
 *                                  v             |             v             v            |
 *     top:                    [ dense (wide) |   |       hidden units | interaction ]     |
 *                                  '-------------|-------------+-------------'            |
 *                                                v             v                          v
 *     outputs =                               the sum of  top W + b,  the rows' wide part, pairs
 *
 * The sum of pairs is one number, so it is added where there is one output. With more than two
 * classes the pairs are an interaction of the top instead, one column for each number of the
 * embeddings, and W weighs them for each class.
 *
 * The linear model and the layers may each take inputs of their own (embedding_inputs.h). A field
 * is one input that selects rows: a category, or a text, whose words each have their share
 * (scoring/transform/transform.h). A row of the table has what its word is to each part, so that a
 * step touches, sends and moves it once.
 *
 * Job, learner, stored model and scorer all go by this list of arrays: it is the order of the
 * parameters, of the tensors and of the digest. An array without elements is not in it.
 */
#pragma once

#include "kinds/embedding/embedding_attributes.h"

/* The table, weights and biases of hidden and cross layers, maps of interactions, the top. */
#define EMBEDDING_ARRAYS_MAX (1 + 2 * HIDDEN_LAYERS_MAX + 2 * CROSS_LAYERS_MAX + 2)
_Static_assert(COUNTS_MAX <= 2 * CROSS_LAYERS_MAX, "interactions are crossed or compressed");

#define NO_ARRAY               UINT32_MAX
#define EMBEDDING_PRODUCTS_MAX (1 << 24) /* in compressed interactions, for one row and layer */

/* Floats (rows, width), row major. */
struct embedding_array {
    char name[MODEL_ARRAY_NAME];
    uint64_t rows, width;
    bool is_bias;
};

struct embedding_shape {
    /* ---- given ---- */
    enum activation activation;
    enum interaction interaction;
    enum cross_weights cross_weights;
    bool is_wide;
    uint32_t dimension, cross_layers; /* dimension: the greatest of its embeddings */
    struct counts hidden_units, cin_units;
    uint32_t dense, wide_dense;   /* columns that the hidden layers, that the linear model takes */
    uint32_t fields, wide_fields; /* likewise categories and texts */
    uint32_t embedded;            /* the dimensions of all embeddings */
    uint32_t outputs;
    uint64_t id_rows;
    uint64_t norms; /* parameters of batch normalization, which a job learns beside the arrays */

    /* ---- what follows: embedding_shape_finish ---- */
    uint32_t wide_width; /* width of a row of the table: outputs, or 0 */
    uint32_t row_width;
    uint64_t inputs; /* embeddings, then dense columns */
    uint64_t top;
    /* Where each part begins among the arrays; NO_ARRAY: there is none. Weights and bias of a layer
     * follow one another. */
    uint32_t table, hidden, cross, cin, last;
    struct embedding_array arrays[EMBEDDING_ARRAYS_MAX];
    uint32_t array_count;
    uint64_t parameters;
};

/* The given part from what a statement says; the inputs and outputs are the caller's. */
struct embedding_shape embedding_shape_of(const struct kind_params *params);
/* INVALID where pairs or compressed interactions have no category or embeddings of several
 * dimensions, or hidden layers no inputs. */
enum status embedding_shape_check(const struct embedding_shape *shape, struct error *err);
/* The same, and LIMIT beyond MODEL_PARAMETERS_MAX, with the bytes that training would need, or
 * beyond EMBEDDING_PRODUCTS_MAX. What follows is filled in also then. */
enum status embedding_shape_finish(struct embedding_shape *shape, struct error *err);

/* Columns of the top: where those of a part begin. */
static inline uint32_t embedding_top_hidden(const struct embedding_shape *shape)
{
    return shape->is_wide ? shape->wide_dense : 0;
}
/* How many the last hidden layer gives. */
static inline uint32_t embedding_last_hidden(const struct embedding_shape *shape)
{
    return shape->hidden_units.count ? shape->hidden_units.items[shape->hidden_units.count - 1] : 0;
}
static inline uint32_t embedding_top_interaction(const struct embedding_shape *shape)
{
    return embedding_top_hidden(shape) + embedding_last_hidden(shape);
}
/* How many the pairs have, of several outputs. */
static inline uint32_t embedding_pair_columns(const struct embedding_shape *shape)
{
    return shape->interaction == INTERACTION_PAIRS && shape->outputs > 1 ? shape->dimension : 0;
}
/* The first array behind the first hidden layer, which there is. */
static inline uint32_t embedding_behind_first(const struct embedding_shape *shape)
{
    return shape->hidden + 2;
}
/* Columns that layer `l` of the hidden ones takes. */
static inline uint32_t embedding_hidden_inputs(const struct embedding_shape *shape, uint32_t l)
{
    return l == 0 ? (uint32_t)shape->inputs : shape->hidden_units.items[l - 1];
}
