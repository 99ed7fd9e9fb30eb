/* Readers of layers, arithmetic, activations, norms and shapes. */
#include "interop/onnx/onnx_import_layers.h"

#include <math.h>
#include <string.h>

#include "interop/onnx/onnx_import_shapes.h"

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
    uint32_t sizes[GRAPH_RANK_MAX], node;
    float *weights, *bias;

    if (matrix->rank != 2 || !matrix->floats || matrix->count == 0)
        return onnx_refuse_node(import, "its weights are no matrix of floats");
    if (x->rank == 0 || x->sizes[x->rank - 1] != rows)
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
    memcpy(sizes, x->sizes, sizeof sizes);
    sizes[x->rank - 1] = width;
    TRY(onnx_give(import, node, x->rank, sizes, false, given));
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

    TRY(onnx_take_floats(import, 0, &x));
    TRY(onnx_take_array(import, 1, &matrix));
    if (onnx_integer_of(import, "transA", 0) != 0 || x->rank != 1)
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

static enum status read_matmul(struct onnx_import *import)
{
    struct onnx_known *x, *given;
    struct onnx_array matrix;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(onnx_take_array(import, 1, &matrix));
    return give_dense(import, x, &matrix, false, 1, &given);
}

/* Rows of a table, by the ids of a column. */
static enum status read_gather(struct onnx_import *import)
{
    const struct onnx_known *of = onnx_taken(import, 0), *ids = onnx_taken(import, 1);
    struct transform_input *input;
    struct onnx_array table;
    struct graph_value size;
    uint32_t sizes[2], node;

    if (of && of->held == ONNX_HOLDS_ARRAY && of->array.integers)
        return onnx_take_places(import, &of->array);
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

static enum status constant_of(struct onnx_import *import, const struct onnx_array *array,
                               uint32_t *node)
{
    const struct graph_value value =
        onnx_number_argument("value", (double)(array->floats ? array->floats[0] : 0));

    return onnx_call(import, "constant", NULL, 0, &value, 1, node);
}

/* Both operands as nodes in one order of axes; *like is the one whose shape the value has. */
static enum status take_operands(struct onnx_import *import, uint32_t nodes[2],
                                 struct onnx_known **like)
{
    struct onnx_known *operands[2] = {onnx_taken(import, 0), onnx_taken(import, 1)};
    bool are_last = true;

    *like = NULL;
    for (unsigned i = 0; i < 2; i++) {
        if (!operands[i] || operands[i]->held == ONNX_HOLDS_IDS)
            return onnx_refuse_node(import, "input %u is not computed from floats", i);
        if (operands[i]->held != ONNX_HOLDS_FLOATS) {
            if (operands[i]->array.count != 1 || !operands[i]->array.floats)
                return onnx_refuse_node(import, "input %u is an array that no layer has", i);
            TRY(constant_of(import, &operands[i]->array, &nodes[i]));
            continue;
        }
        if (*like && ((*like)->rank != operands[i]->rank ||
                      memcmp((*like)->sizes, operands[i]->sizes,
                             (*like)->rank * sizeof *(*like)->sizes) != 0))
            return onnx_refuse_node(import, "its inputs have different shapes");
        *like = operands[i];
        are_last = are_last && operands[i]->is_last;
    }
    if (!*like)
        return onnx_refuse_node(import, "it has no input that is computed");
    for (unsigned i = 0; i < 2; i++)
        if (operands[i]->held == ONNX_HOLDS_FLOATS) {
            if (!are_last)
                TRY(onnx_in_order(import, operands[i], &nodes[i]));
            nodes[i] = operands[i]->node;
        }
    return STATUS_OK;
}

static enum status give_arithmetic(struct onnx_import *import, const char *operation)
{
    struct onnx_known *like;
    uint32_t nodes[2], node;

    TRY(take_operands(import, nodes, &like));
    TRY(onnx_call(import, operation, nodes, 2, NULL, 0, &node));
    return onnx_give(import, node, like->rank, like->sizes, like->is_last, NULL);
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
    return give_arithmetic(import, "add");
}

#define ARITHMETIC(name, operation)                                                                \
    static enum status read_##name(struct onnx_import *import)                                     \
    {                                                                                              \
        return give_arithmetic(import, operation);                                                 \
    }

ARITHMETIC(sub, "subtract")
ARITHMETIC(mul, "multiply")
ARITHMETIC(div, "divide")

/* ----- activations ----- */

static enum status give_activation(struct onnx_import *import, const char *operation)
{
    struct onnx_known *x;
    uint32_t node;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(onnx_call(import, operation, &x->node, 1, NULL, 0, &node));
    return onnx_give(import, node, x->rank, x->sizes, x->is_last, NULL);
}

#define ACTIVATION(name)                                                                           \
    static enum status read_##name(struct onnx_import *import)                                     \
    {                                                                                              \
        return give_activation(import, #name);                                                     \
    }

ACTIVATION(relu)
ACTIVATION(tanh)
ACTIVATION(sigmoid)
ACTIVATION(selu)
ACTIVATION(softplus)
ACTIVATION(softsign)

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6;
}

static enum status read_elu(struct onnx_import *import)
{
    if (!is_near(onnx_real_of(import, "alpha", 1), 1))
        return onnx_refuse_node(import, "its alpha is to be 1");
    return give_activation(import, "elu");
}

static enum status read_leaky_relu(struct onnx_import *import)
{
    if (!is_near(onnx_real_of(import, "alpha", 0.01), 0.01))
        return onnx_refuse_node(import, "its alpha is to be 0.01");
    return give_activation(import, "leaky_relu");
}

static enum status read_gelu(struct onnx_import *import)
{
    const Onnx__AttributeProto *kind = onnx_attribute(import, "approximate");

    if (kind && kind->s.len == 4 && memcmp(kind->s.data, "tanh", 4) == 0)
        return onnx_refuse_node(import, "it is to be the exact one");
    return give_activation(import, "gelu");
}

/* ----- norms ----- */

static enum status check_last_axis(const struct onnx_import *import, const struct onnx_known *x)
{
    const int64_t axis = onnx_integer_of(import, "axis", -1);

    return axis == -1 || axis == x->rank ? STATUS_OK
                                         : onnx_refuse_node(import, "its axis is not the last");
}

static enum status read_softmax(struct onnx_import *import)
{
    struct onnx_known *x;
    uint32_t node;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(check_last_axis(import, x));
    TRY(onnx_in_order(import, x, &node));
    TRY(onnx_call(import, "softmax", &node, 1, NULL, 0, &node));
    return onnx_give(import, node, x->rank, x->sizes, false, NULL);
}

static enum status read_layer_norm(struct onnx_import *import)
{
    struct onnx_array scale, bias = {0};
    struct onnx_known *x;
    uint32_t node;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(check_last_axis(import, x));
    TRY(onnx_take_array(import, 1, &scale));
    if (onnx_taken(import, 2))
        TRY(onnx_take_array(import, 2, &bias));
    if (!is_near(onnx_real_of(import, "epsilon", EPSILON_OF_NORM) * 1e5, EPSILON_OF_NORM * 1e5))
        return onnx_refuse_node(import, "its epsilon is to be 1e-5");
    if (x->rank == 0 || !scale.floats || scale.count != x->sizes[x->rank - 1] ||
        (bias.rank > 0 && (!bias.floats || bias.count != scale.count)))
        return onnx_refuse_node(import, "its scale has another size than the last axis");
    TRY(onnx_in_order(import, x, &node));
    TRY(onnx_call(import, "layer_norm", &node, 1, NULL, 0, &node));
    TRY(onnx_give_weights(import, node, 0, scale.floats, scale.count));
    if (bias.floats)
        TRY(onnx_give_weights(import, node, 1, bias.floats, bias.count));
    return onnx_give(import, node, x->rank, x->sizes, false, NULL);
}

/* A batch norm that predicts is a line for each channel: the layer before it takes it in. */
static enum status read_batch_norm(struct onnx_import *import)
{
    const double epsilon = onnx_real_of(import, "epsilon", 1e-5);
    struct onnx_known *layer = onnx_taken(import, 0);
    struct onnx_array of[4]; /* scale, bias, mean, variance */

    for (size_t i = 0; i < 4; i++)
        TRY(onnx_take_array(import, i + 1, &of[i]));
    if (!is_open(layer) || (layer->rank > 1 && !layer->is_last))
        return onnx_refuse_node(import, "it is read right behind a layer (Gemm, MatMul, Conv)");
    for (size_t i = 0; i < 4; i++)
        if (!of[i].floats || of[i].count != layer->width)
            return onnx_refuse_node(import, "it has other numbers of channels than the layer");
    for (uint32_t j = 0; j < layer->width; j++) {
        const double factor = (double)of[0].floats[j] / sqrt((double)of[3].floats[j] + epsilon);

        if (!isfinite(factor))
            return onnx_refuse_node(import, "a variance is not above 0");
        for (uint32_t i = 0; i < layer->rows; i++)
            layer->weights[(size_t)i * layer->width + j] *= (float)factor;
        layer->bias[j] = (float)(((double)layer->bias[j] - (double)of[2].floats[j]) * factor +
                                 (double)of[1].floats[j]);
    }
    return onnx_give_same(import, layer);
}

const struct onnx_operator onnx_layer_readers[] = {
    {"Add", read_add},
    {"BatchNormalization", read_batch_norm},
    {"Div", read_div},
    {"Elu", read_elu},
    {"Gather", read_gather},
    {"Gelu", read_gelu},
    {"Gemm", read_gemm},
    {"LayerNormalization", read_layer_norm},
    {"LeakyRelu", read_leaky_relu},
    {"MatMul", read_matmul},
    {"Mul", read_mul},
    {"Relu", read_relu},
    {"Selu", read_selu},
    {"Sigmoid", read_sigmoid},
    {"Softmax", read_softmax},
    {"Softplus", read_softplus},
    {"Softsign", read_softsign},
    {"Sub", read_sub},
    {"Tanh", read_tanh},
    {.name = NULL},
};
