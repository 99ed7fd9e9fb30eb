/* Readers of layers, arithmetic, activations, norms and shapes. */
#include "interop/onnx/import/onnx_import_layers.h"

#include <math.h>
#include <string.h>

#include "arithmetic/batch_norm.h"
#include "interop/onnx/import/onnx_import_arithmetic.h"
#include "interop/onnx/import/onnx_import_axes.h"
#include "interop/onnx/import/onnx_import_operands.h"
#include "interop/onnx/import/onnx_import_parts.h"

#define EPSILON_OF_NORM 1e-5 /* layer_norm's */

/* ----- layers ----- */

/* (rows, width) of a matrix that may lie the other way round. */
static enum status copy_matrix(struct onnx_import *import, const struct onnx_array *array,
                               bool is_turned, double scale, float **copy)
{
    const uint32_t rows = array->sizes[is_turned], width = array->sizes[!is_turned];

    *copy = onnx_room(import, array->count);
    if (!*copy)
        return STATUS_NO_MEMORY;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < width; j++)
            (*copy)[(size_t)i * width + j] =
                (float)scale *
                array->floats[is_turned ? (size_t)j * rows + i : (size_t)i * width + j];
    return STATUS_OK;
}

/* Adds (width), (1, width) or one number. */
static bool add_bias(struct onnx_known *layer, const struct onnx_array *bias, double scale)
{
    if (!bias->floats || (bias->count != layer->width && bias->count != 1) ||
        (bias->rank > 0 && bias->count != 1 && bias->sizes[bias->rank - 1] != layer->width))
        return false;
    for (uint32_t j = 0; j < layer->width; j++)
        layer->bias[j] += (float)scale * bias->floats[bias->count > 1 ? j : 0];
    return true;
}

static enum status give_dense(struct onnx_import *import, struct onnx_known *x,
                              const struct onnx_array *matrix, bool is_turned, double scale,
                              struct onnx_known **given)
{
    const uint32_t rows = matrix->sizes[is_turned], width = matrix->sizes[!is_turned];
    const struct graph_value units = onnx_number_argument("units", width);
    struct onnx_known like = *x;
    uint32_t last, node;
    float *weights, *bias;

    if (matrix->rank != 2 || !matrix->floats || matrix->count == 0)
        return onnx_refuse_node(import, "its weights are no matrix of floats");
    TRY(onnx_axis(import, x, -1, &last));
    if (x->sizes[last] != rows)
        return onnx_refuse_node(import, "its weights have %u rows, and its input other sizes",
                                rows);
    TRY(onnx_in_order(import, x, &node));
    TRY(onnx_call(import, "dense", &node, 1, &units, 1, &node));
    TRY(copy_matrix(import, matrix, is_turned, scale, &weights));
    bias = onnx_room(import, width);
    if (!bias)
        return STATUS_NO_MEMORY;
    TRY(onnx_give_weights(import, node, 0, weights, matrix->count));
    TRY(onnx_give_weights(import, node, 1, bias, width));
    like.sizes[last] = width;
    like.is_last = false;
    TRY(onnx_give_like(import, node, &like));
    *given = onnx_find(import, import->node->output[0]);
    (*given)->weights = weights;
    (*given)->bias = bias;
    (*given)->rows = rows;
    (*given)->width = width;
    return STATUS_OK;
}

static enum status read_gemm(struct onnx_import *import)
{
    struct onnx_array matrix, bias;
    struct onnx_known *x, *given;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_take_array(import, 1, &matrix));
    if (onnx_integer_of(import, "transA", 0) != 0 || onnx_file_rank(x) != 2)
        return onnx_refuse_node(import, "it takes (rows, numbers)");
    TRY(give_dense(import, x, &matrix, onnx_integer_of(import, "transB", 0) != 0,
                   onnx_real_of(import, "alpha", 1), &given));
    if (!onnx_taken(import, 2))
        return STATUS_OK;
    TRY(onnx_take_array(import, 2, &bias));
    return add_bias(given, &bias, onnx_real_of(import, "beta", 1))
               ? STATUS_OK
               : onnx_refuse_node(import, "its bias has another shape than its outputs");
}

/* Products of matrices of a row, each of which the file computes. */
static enum status multiply(struct onnx_import *import)
{
    struct onnx_known *a, *b, like;
    uint32_t nodes[2], node;

    TRY(onnx_take_any(import, 0, &a));
    TRY(onnx_take_any(import, 1, &b));
    if (a->rank != b->rank || a->rank < 2 || a->before + 2 > a->rank + a->joins_outer ||
        a->before + a->joins_inner + 2 > a->rank || a->before != b->before ||
        a->joins_outer != b->joins_outer || a->joins_inner != b->joins_inner ||
        memcmp(a->sizes, b->sizes, (a->rank - 2) * sizeof *a->sizes) != 0)
        return onnx_refuse_node(import, "its inputs are no matrices of the same axes before them");
    TRY(onnx_in_order(import, a, &nodes[0]));
    TRY(onnx_in_order(import, b, &nodes[1]));
    TRY(onnx_call(import, "matmul", nodes, 2, NULL, 0, &node));
    like = *a;
    like.sizes[a->rank - 1] = b->sizes[b->rank - 1];
    return onnx_give_like(import, node, &like);
}

static enum status read_matmul(struct onnx_import *import)
{
    struct onnx_known *x, *given;
    struct onnx_array matrix;

    if (onnx_taken(import, 1) && onnx_taken(import, 1)->held == ONNX_HOLDS_FLOATS)
        return multiply(import);
    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_take_array(import, 1, &matrix));
    return give_dense(import, x, &matrix, false, 1, &given);
}

/* Rows of a table, by the ids of a column. */
static enum status read_gather(struct onnx_import *import)
{
    const struct onnx_known *ids = onnx_taken(import, 1);
    struct transform_input *input;
    struct onnx_array table;
    struct graph_value size;
    uint32_t sizes[2], node;

    if (onnx_taken(import, 0) && onnx_taken(import, 0)->held == ONNX_HOLDS_FLOATS)
        return onnx_give_places(import);
    if (!ids || ids->held != ONNX_HOLDS_IDS || onnx_integer_of(import, "axis", 0) != 0)
        return onnx_refuse_node(import, "it is read where an input of integers selects rows");
    TRY(onnx_take_array(import, 0, &table));
    if (table.rank != 2 || !table.floats || table.count == 0)
        return onnx_refuse_node(import, "its table is no matrix of floats");
    input = &import->inputs[ids->input];
    if (input->hash_buckets > 0 && input->hash_buckets != table.sizes[0])
        return onnx_refuse_node(import, "two tables of an input have other numbers of rows");
    input->hash_buckets = input->spec.vocabulary_max = table.sizes[0];
    size = onnx_number_argument("size", table.sizes[1]);
    TRY(onnx_call(import, "embedding", &ids->node, 1, &size, 1, &node));
    TRY(onnx_give_weights(import, node, ONNX_TABLE, table.floats, table.count));
    sizes[0] = ids->rank > 0 ? 1 : table.sizes[1];
    sizes[1] = table.sizes[1];
    if (ids->rank > 0) {
        const struct graph_value shape = onnx_list_argument("shape", sizes, 2);

        TRY(onnx_call(import, "reshape", &node, 1, &shape, 1, &node));
    }
    return onnx_give(import, node, ids->rank + 1, sizes, false, NULL);
}

/* ----- arithmetic ----- */

/* A layer whose value nothing else takes may take in what follows it. */
static bool is_open(const struct onnx_known *layer)
{
    return layer && layer->held == ONNX_HOLDS_FLOATS && layer->weights && layer->uses == 1;
}

/* A layer and what is added to it are one layer. */
static enum status read_add(struct onnx_import *import)
{
    for (size_t i = 0; i < 2; i++) {
        struct onnx_known *layer = onnx_taken(import, i);
        const struct onnx_known *bias = onnx_taken(import, 1 - i);

        if (is_open(layer) && !layer->is_last && bias && bias->held == ONNX_HOLDS_ARRAY &&
            bias->array.rank <= 1 && add_bias(layer, &bias->array, 1))
            return onnx_give_same(import, layer);
    }
    return onnx_give_sum(import);
}

/* ----- norms ----- */

static enum status check_last_axis(const struct onnx_import *import, const struct onnx_known *x)
{
    uint32_t axis;

    TRY(onnx_axis(import, x, onnx_integer_of(import, "axis", -1), &axis));
    return axis == x->rank - 1 ? STATUS_OK : onnx_refuse_node(import, "its axis is not the last");
}

static enum status read_softmax(struct onnx_import *import)
{
    struct onnx_known *x;
    uint32_t node;

    TRY(onnx_take_any(import, 0, &x));
    TRY(check_last_axis(import, x));
    TRY(onnx_in_order(import, x, &node));
    TRY(onnx_call(import, "softmax", &node, 1, NULL, 0, &node));
    return onnx_give_like(import, node, x);
}

/* The input of layer_norm: (c x - c m) / sqrt(c^2 v + 1e-5) has another epsilon. */
static enum status take_epsilon(struct onnx_import *import, uint32_t *node)
{
    const double epsilon = onnx_real_of(import, "epsilon", EPSILON_OF_NORM);

    if (!(epsilon > 1e-12))
        return onnx_refuse_node(import, "its epsilon is to be above 0");
    if (fabs(epsilon / EPSILON_OF_NORM - 1) < 1e-6) /* the nearest float */
        return STATUS_OK;
    return onnx_times(import, node, sqrt(EPSILON_OF_NORM / epsilon));
}

static enum status read_layer_norm(struct onnx_import *import)
{
    struct onnx_array scale, bias = {0};
    struct onnx_known *x;
    uint32_t node;

    TRY(onnx_take_any(import, 0, &x));
    TRY(check_last_axis(import, x));
    TRY(onnx_take_array(import, 1, &scale));
    if (onnx_taken(import, 2))
        TRY(onnx_take_array(import, 2, &bias));
    if (!scale.floats || scale.count != x->sizes[x->rank - 1] ||
        (bias.rank > 0 && (!bias.floats || bias.count != scale.count)))
        return onnx_refuse_node(import, "its scale has another size than the last axis");
    TRY(onnx_in_order(import, x, &node));
    TRY(take_epsilon(import, &node));
    TRY(onnx_call(import, "layer_norm", &node, 1, NULL, 0, &node));
    TRY(onnx_give_weights(import, node, 0, scale.floats, scale.count));
    if (bias.floats)
        TRY(onnx_give_weights(import, node, 1, bias.floats, bias.count));
    return onnx_give_like(import, node, x);
}

/* A batch norm that predicts is a line for each channel: the layer before it takes it in. */
static void take_in(struct onnx_known *layer, const struct onnx_array *of, const double *factors)
{
    for (uint32_t j = 0; j < layer->width; j++) {
        for (uint32_t i = 0; i < layer->rows; i++)
            layer->weights[(size_t)i * layer->width + j] *= (float)factors[j];
        layer->bias[j] = (float)(((double)layer->bias[j] - (double)of[2].floats[j]) * factors[j] +
                                 (double)of[1].floats[j]);
    }
}

/* Else it is one: by our own epsilon, which is in the factors. */
static enum status give_batch_norm(struct onnx_import *import, struct onnx_known *x,
                                   const struct onnx_array *of, const double *factors)
{
    const size_t count = of[0].count;
    float *gamma = onnx_room(import, count);
    uint32_t node;

    if (!gamma)
        return STATUS_NO_MEMORY;
    for (size_t j = 0; j < count; j++)
        gamma[j] = (float)(factors[j] * sqrt((double)of[3].floats[j] + BATCH_NORM_EPSILON));
    TRY(onnx_with_last(import, x, &node));
    TRY(onnx_call(import, "batch_norm", &node, 1, NULL, 0, &node));
    TRY(onnx_give_weights(import, node, 0, gamma, count));
    for (uint32_t part = 1; part < 4; part++)
        TRY(onnx_give_weights(import, node, part, of[part].floats, count));
    return onnx_give_like(import, node, x);
}

static enum status read_batch_norm(struct onnx_import *import)
{
    const double epsilon = onnx_real_of(import, "epsilon", 1e-5);
    struct onnx_array of[4]; /* scale, bias, mean, variance */
    struct onnx_known *x;
    double *factors;

    TRY(onnx_take_floats(import, 0, &x));
    for (size_t i = 0; i < 4; i++) {
        TRY(onnx_take_array(import, i + 1, &of[i]));
        if (!of[i].floats || x->rank == 0 || of[i].count != x->sizes[0])
            return onnx_refuse_node(import, "it has other numbers of channels than its input");
    }
    factors = ARENA_NEW(import->arena, double, of[0].count + 1);
    if (!factors)
        return fail_no_memory(import->err);
    for (size_t j = 0; j < of[0].count; j++) {
        factors[j] = (double)of[0].floats[j] / sqrt((double)of[3].floats[j] + epsilon);
        if (!isfinite(factors[j]) || of[3].floats[j] < 0)
            return onnx_refuse_node(import, "a variance is not above 0");
    }
    if (!is_open(x) || (x->rank > 1 && !x->is_last) || x->width != of[0].count)
        return give_batch_norm(import, x, of, factors);
    take_in(x, of, factors);
    return onnx_give_same(import, x);
}

/* A number for each channel, which is the first axis of x, as a node like it. */
static enum status make_channels(struct onnx_import *import, uint32_t like, uint32_t channels,
                                 uint32_t places, const struct onnx_array *of, uint32_t *node)
{
    float *all = onnx_room(import, (size_t)channels * places);

    if (!all)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < (size_t)channels * places; i++)
        all[i] = of->floats[i / places];
    return onnx_make_constant(import, like, all, (size_t)channels * places, node);
}

/* A layer norm of each channel, with a line for each. */
static enum status read_instance_norm(struct onnx_import *import)
{
    static const char *const operations[] = {"multiply", "add"};
    uint32_t sizes[2], nodes[2];
    struct onnx_array of[2];
    struct onnx_known *x;
    float *ones;
    struct graph_value shape;

    TRY(onnx_take_floats(import, 0, &x));
    sizes[0] = x->sizes[0];
    sizes[1] = 1;
    for (uint32_t i = 1; i < x->rank; i++)
        sizes[1] *= x->sizes[i];
    for (size_t i = 0; i < 2; i++) {
        TRY(onnx_take_array(import, i + 1, &of[i]));
        if (!of[i].floats || x->rank < 2 || of[i].count != sizes[0])
            return onnx_refuse_node(import, "it has other numbers of channels than its input");
    }
    ones = onnx_room(import, sizes[1]);
    if (!ones)
        return STATUS_NO_MEMORY;
    for (uint32_t i = 0; i < sizes[1]; i++)
        ones[i] = 1;
    shape = onnx_list_argument("shape", sizes, 2);
    TRY(onnx_in_order(import, x, &nodes[0]));
    TRY(onnx_call(import, "reshape", nodes, 1, &shape, 1, nodes));
    TRY(take_epsilon(import, nodes));
    TRY(onnx_call(import, "layer_norm", nodes, 1, NULL, 0, nodes));
    TRY(onnx_give_weights(import, nodes[0], 0, ones, sizes[1]));
    for (size_t i = 0; i < 2; i++) {
        TRY(make_channels(import, nodes[0], sizes[0], sizes[1], &of[i], &nodes[1]));
        TRY(onnx_call(import, operations[i], nodes, 2, NULL, 0, nodes));
    }
    shape = onnx_list_argument("shape", x->sizes, x->rank);
    if (x->rank > 2)
        TRY(onnx_call(import, "reshape", nodes, 1, &shape, 1, nodes));
    return onnx_give_like(import, nodes[0], x);
}

const struct onnx_operator onnx_layer_readers[] = {
    {"Add", read_add},
    {"BatchNormalization", read_batch_norm},
    {"Gather", read_gather},
    {"Gemm", read_gemm},
    {"InstanceNormalization", read_instance_norm},
    {"LayerNormalization", read_layer_norm},
    {"MatMul", read_matmul},
    {"Softmax", read_softmax},
    {.name = NULL},
};
