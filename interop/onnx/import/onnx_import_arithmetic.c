/* Readers of arithmetic, activations, comparisons and choices. */
#include "interop/onnx/import/onnx_import_arithmetic.h"

#include <math.h>
#include <string.h>

#include "interop/onnx/import/onnx_import_axes.h"
#include "interop/onnx/import/onnx_import_operands.h"

#define SQRT_HALF 0.70710678118654752

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6;
}

/* ----- calls ----- */

enum status onnx_call_one(struct onnx_import *import, const char *operation, uint32_t of,
                          uint32_t *node)
{
    return onnx_call(import, operation, &of, 1, NULL, 0, node);
}

static enum status call_two(struct onnx_import *import, const char *operation, uint32_t a,
                            uint32_t b, uint32_t *node)
{
    const uint32_t nodes[] = {a, b};

    return onnx_call(import, operation, nodes, 2, NULL, 0, node);
}

static enum status call_constant(struct onnx_import *import, double number, uint32_t *node)
{
    const struct graph_value value = onnx_number_argument("value", number);

    return onnx_call(import, "constant", NULL, 0, &value, 1, node);
}

enum status onnx_call_number(struct onnx_import *import, const char *operation, uint32_t of,
                             double number, uint32_t *node)
{
    uint32_t constant;

    TRY(call_constant(import, number, &constant));
    return call_two(import, operation, of, constant, node);
}

enum status onnx_times(struct onnx_import *import, uint32_t *node, double factor)
{
    return factor == 1 ? STATUS_OK : onnx_call_number(import, "multiply", *node, factor, node);
}

static enum status call_clip(struct onnx_import *import, uint32_t of, double least, double most,
                             uint32_t *node)
{
    const struct graph_value arguments[] = {onnx_number_argument("least", least),
                                            onnx_number_argument("most", most)};

    return onnx_call(import, "clip", &of, 1, arguments, 2, node);
}

/* x where it is above 0, else another value. */
static enum status call_above(struct onnx_import *import, uint32_t x, uint32_t otherwise,
                              uint32_t *node)
{
    const uint32_t nodes[] = {x, x, otherwise};

    return onnx_call(import, "where", nodes, 3, NULL, 0, node);
}

/* ----- shares of a normal distribution, as Erf has them ----- */

static enum status give_share(struct onnx_import *import, const struct onnx_known *like,
                              double first, double second)
{
    struct onnx_known share = *like;

    share.held = ONNX_HOLDS_SHARE;
    share.weights = NULL;
    share.share[0] = first;
    share.share[1] = second;
    return onnx_know(import, import->node->output[0], &share, NULL);
}

/* erf(x / sqrt(2)) is twice the share below x, less 1. */
static enum status read_erf(struct onnx_import *import)
{
    struct onnx_known *x, like;

    TRY(onnx_take_any(import, 0, &x));
    if (!is_near(x->factor, SQRT_HALF))
        return onnx_refuse_node(import, "it is read of x / sqrt(2), as a part of gelu");
    like = *x;
    like.node = x->scaled;
    return give_share(import, &like, -1, 2);
}

/* A number of the share's other operand; false: it is none. */
static bool take_number(const struct onnx_known *operand, double *number)
{
    if (!operand || operand->held != ONNX_HOLDS_ARRAY || operand->array.count != 1 ||
        !operand->array.floats)
        return false;
    *number = (double)operand->array.floats[0];
    return true;
}

/* x times its share is gelu. */
static enum status give_with_share(struct onnx_import *import, const char *operation,
                                   const struct onnx_known *share, const struct onnx_known *other)
{
    const bool multiplies = strcmp(operation, "multiply") == 0;
    double number, factor = 0;
    uint32_t node;

    if (take_number(other, &number)) {
        if (multiplies)
            return give_share(import, share, number * share->share[0], number * share->share[1]);
        if (strcmp(operation, "add") == 0)
            return give_share(import, share, number + share->share[0], share->share[1]);
        if (strcmp(operation, "divide") == 0 && other == onnx_taken(import, 1) && number != 0)
            return give_share(import, share, share->share[0] / number, share->share[1] / number);
    }
    if (multiplies && other && other->held == ONNX_HOLDS_FLOATS && is_near(share->share[0], 0))
        factor = other->node == share->node ? 1 : other->scaled == share->node ? other->factor : 0;
    if (factor == 0)
        return onnx_refuse_node(import, "Erf is read as a part of gelu alone");
    TRY(onnx_call_one(import, "gelu", share->node, &node));
    TRY(onnx_times(import, &node, factor * share->share[1]));
    return onnx_give_like(import, node, share);
}

/* ----- arithmetic ----- */

/* A value that is so many times another one remembers it. */
static void note_factor(struct onnx_import *import, const char *operation)
{
    const struct onnx_known *x = onnx_taken(import, 0), *by = onnx_taken(import, 1);
    struct onnx_known *given = onnx_find(import, import->node->output[0]);
    double number;

    if (x->held == ONNX_HOLDS_ARRAY && strcmp(operation, "multiply") == 0) {
        x = by;
        by = onnx_taken(import, 0);
    }
    if (x->held != ONNX_HOLDS_FLOATS || !take_number(by, &number) || number == 0)
        return;
    if (strcmp(operation, "divide") == 0)
        number = 1 / number;
    else if (strcmp(operation, "multiply") != 0)
        return;
    given->factor = number * (x->factor != 0 ? x->factor : 1);
    given->scaled = x->factor != 0 ? x->scaled : x->node;
}

static enum status give_arithmetic(struct onnx_import *import, const char *operation)
{
    const struct onnx_known *a = onnx_taken(import, 0), *b = onnx_taken(import, 1);
    struct onnx_known like;
    uint32_t nodes[2], node;

    if (a && a->held == ONNX_HOLDS_SHARE)
        return give_with_share(import, operation, a, b);
    if (b && b->held == ONNX_HOLDS_SHARE)
        return give_with_share(import, operation, b, a);
    TRY(onnx_take_operands(import, 2, nodes, &like));
    TRY(call_two(import, operation, nodes[0], nodes[1], &node));
    TRY(onnx_give_like(import, node, &like));
    note_factor(import, operation);
    return STATUS_OK;
}

enum status onnx_give_sum(struct onnx_import *import)
{
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

/* The greater, or the lesser, of two. */
static enum status give_extreme(struct onnx_import *import, bool is_greater)
{
    struct onnx_known like;
    uint32_t nodes[3], node;

    if (import->node->n_input != 2)
        return onnx_refuse_node(import, "it is read of two inputs");
    TRY(onnx_take_operands(import, 2, nodes, &like));
    TRY(call_two(import, "subtract", nodes[0], nodes[1], &node));
    nodes[2] = nodes[is_greater ? 1 : 0];
    nodes[1] = nodes[is_greater ? 0 : 1];
    nodes[0] = node;
    TRY(onnx_call(import, "where", nodes, 3, NULL, 0, &node));
    return onnx_give_like(import, node, &like);
}

static enum status read_max(struct onnx_import *import)
{
    return give_extreme(import, true);
}

static enum status read_min(struct onnx_import *import)
{
    return give_extreme(import, false);
}

static enum status read_pow(struct onnx_import *import)
{
    struct onnx_array power;
    struct onnx_known *x;
    uint32_t node;
    double number;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_take_array(import, 1, &power));
    number = power.count != 1 ? 0
             : power.floats   ? (double)power.floats[0]
                              : (double)power.integers[0];
    if (number != 2 && number != 3 && number != 0.5 && number != 1)
        return onnx_refuse_node(import, "its exponent is to be 0.5, 1, 2 or 3");
    node = x->node;
    if (number == 0.5)
        TRY(onnx_call_one(import, "sqrt", x->node, &node));
    for (double i = 1; i < number; i++)
        TRY(call_two(import, "multiply", node, x->node, &node));
    return onnx_give_like(import, node, x);
}

/* ----- comparisons, choices ----- */

static enum status give_condition(struct onnx_import *import, bool is_greater)
{
    struct onnx_known like;
    uint32_t nodes[2], node;

    TRY(onnx_take_operands(import, 2, nodes, &like));
    TRY(call_two(import, "subtract", nodes[!is_greater], nodes[is_greater], &node));
    TRY(onnx_give_like(import, node, &like));
    onnx_find(import, import->node->output[0])->held = ONNX_HOLDS_CONDITION;
    return STATUS_OK;
}

static enum status read_greater(struct onnx_import *import)
{
    return give_condition(import, true);
}

static enum status read_less(struct onnx_import *import)
{
    return give_condition(import, false);
}

static enum status read_where(struct onnx_import *import)
{
    const struct onnx_known *condition = onnx_taken(import, 0);
    struct onnx_known like;
    uint32_t nodes[3], node;

    if (!condition || (condition->held != ONNX_HOLDS_CONDITION &&
                       (condition->held != ONNX_HOLDS_ARRAY || !condition->array.integers)))
        return onnx_refuse_node(import, "its condition is neither a comparison nor a constant");
    TRY(onnx_take_operands(import, 3, nodes, &like));
    TRY(onnx_call(import, "where", nodes, 3, NULL, 0, &node));
    return onnx_give_like(import, node, &like);
}

/* ----- functions of one number ----- */

typedef enum status of_node(struct onnx_import *import, uint32_t x, uint32_t *node);

static enum status give_function(struct onnx_import *import, of_node *function)
{
    struct onnx_known *x;
    uint32_t node;

    TRY(onnx_take_any(import, 0, &x));
    TRY(function(import, x->node, &node));
    return onnx_give_like(import, node, x);
}

static enum status call_neg(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    *node = x;
    return onnx_times(import, node, -1);
}

static enum status call_abs(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    TRY(call_neg(import, x, node));
    return call_above(import, x, *node, node);
}

static enum status call_reciprocal(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    uint32_t one;

    TRY(call_constant(import, 1, &one));
    return call_two(import, "divide", one, x, node);
}

static enum status call_elu(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    const double alpha = onnx_real_of(import, "alpha", 1);

    TRY(onnx_call_one(import, "elu", x, node));
    if (is_near(alpha, 1))
        return STATUS_OK;
    TRY(onnx_times(import, node, alpha));
    return call_above(import, x, *node, node);
}

static enum status call_leaky_relu(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    const double alpha = onnx_real_of(import, "alpha", 0.01);

    if (is_near(alpha, 0.01))
        return onnx_call_one(import, "leaky_relu", x, node);
    TRY(onnx_call_number(import, "multiply", x, alpha, node));
    return call_above(import, x, *node, node);
}

static enum status call_hard_sigmoid(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    TRY(onnx_call_number(import, "multiply", x, onnx_real_of(import, "alpha", 0.2), node));
    TRY(onnx_call_number(import, "add", *node, onnx_real_of(import, "beta", 0.5), node));
    return call_clip(import, *node, 0, 1, node);
}

static enum status call_hard_swish(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    TRY(onnx_call_number(import, "multiply", x, 1.0 / 6, node));
    TRY(onnx_call_number(import, "add", *node, 0.5, node));
    TRY(call_clip(import, *node, 0, 1, node));
    return call_two(import, "multiply", x, *node, node);
}

static enum status call_mish(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    TRY(onnx_call_one(import, "softplus", x, node));
    TRY(onnx_call_one(import, "tanh", *node, node));
    return call_two(import, "multiply", x, *node, node);
}

/* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, where it is not the exact one. */
static enum status call_gelu(struct onnx_import *import, uint32_t x, uint32_t *node)
{
    const Onnx__AttributeProto *kind = onnx_attribute(import, "approximate");

    if (!kind || kind->s.len != 4 || memcmp(kind->s.data, "tanh", 4) != 0)
        return onnx_call_one(import, "gelu", x, node);
    TRY(call_two(import, "multiply", x, x, node));
    TRY(onnx_call_number(import, "multiply", *node, 0.044715, node));
    TRY(onnx_call_number(import, "add", *node, 1, node));
    TRY(call_two(import, "multiply", *node, x, node));
    TRY(onnx_call_number(import, "multiply", *node, 0.79788456080286536, node));
    TRY(onnx_call_one(import, "tanh", *node, node));
    TRY(onnx_call_number(import, "add", *node, 1, node));
    TRY(call_two(import, "multiply", *node, x, node));
    return onnx_call_number(import, "multiply", *node, 0.5, node);
}

#define OWN_FUNCTION(name)                                                                         \
    static enum status read_##name(struct onnx_import *import)                                     \
    {                                                                                              \
        return give_function(import, call_##name);                                                 \
    }
#define FUNCTION(name)                                                                             \
    static enum status call_##name(struct onnx_import *import, uint32_t x, uint32_t *node)         \
    {                                                                                              \
        return onnx_call_one(import, #name, x, node);                                              \
    }                                                                                              \
    OWN_FUNCTION(name)

FUNCTION(relu)
FUNCTION(tanh)
FUNCTION(sigmoid)
FUNCTION(selu)
FUNCTION(softplus)
FUNCTION(softsign)
FUNCTION(exp)
FUNCTION(log)
FUNCTION(sqrt)
OWN_FUNCTION(neg)
OWN_FUNCTION(abs)
OWN_FUNCTION(reciprocal)
OWN_FUNCTION(elu)
OWN_FUNCTION(leaky_relu)
OWN_FUNCTION(hard_sigmoid)
OWN_FUNCTION(hard_swish)
OWN_FUNCTION(mish)
OWN_FUNCTION(gelu)

/* A bound, far away where the node has none. */
static enum status take_bound(const struct onnx_import *import, size_t i, double otherwise,
                              double *bound)
{
    struct onnx_array array;

    *bound = otherwise;
    if (!onnx_taken(import, i))
        return STATUS_OK;
    TRY(onnx_take_array(import, i, &array));
    if (array.count != 1)
        return onnx_refuse_node(import, "its bounds are to be numbers");
    *bound = array.floats ? (double)array.floats[0] : (double)array.integers[0];
    *bound = fmax(fmin(*bound, 1e30), -1e30);
    return STATUS_OK;
}

static enum status read_clip(struct onnx_import *import)
{
    double least, most;
    struct onnx_known *x;
    uint32_t node;

    TRY(onnx_take_any(import, 0, &x));
    TRY(take_bound(import, 1, -1e30, &least));
    TRY(take_bound(import, 2, 1e30, &most));
    TRY(call_clip(import, x->node, least, most, &node));
    return onnx_give_like(import, node, x);
}

static enum status read_prelu(struct onnx_import *import)
{
    struct onnx_known like;
    uint32_t nodes[2], node;

    TRY(onnx_take_operands(import, 2, nodes, &like));
    TRY(call_two(import, "multiply", nodes[0], nodes[1], &node));
    TRY(call_above(import, nodes[0], node, &node));
    return onnx_give_like(import, node, &like);
}

const struct onnx_operator onnx_arithmetic_readers[] = {
    {"Abs", read_abs},
    {"Clip", read_clip},
    {"Div", read_div},
    {"Elu", read_elu},
    {"Erf", read_erf},
    {"Exp", read_exp},
    {"Gelu", read_gelu},
    {"Greater", read_greater},
    {"HardSigmoid", read_hard_sigmoid},
    {"HardSwish", read_hard_swish},
    {"LeakyRelu", read_leaky_relu},
    {"Less", read_less},
    {"Log", read_log},
    {"Max", read_max},
    {"Min", read_min},
    {"Mish", read_mish},
    {"Mul", read_mul},
    {"Neg", read_neg},
    {"PRelu", read_prelu},
    {"Pow", read_pow},
    {"Reciprocal", read_reciprocal},
    {"Relu", read_relu},
    {"Selu", read_selu},
    {"Sigmoid", read_sigmoid},
    {"Softplus", read_softplus},
    {"Softsign", read_softsign},
    {"Sqrt", read_sqrt},
    {"Sub", read_sub},
    {"Tanh", read_tanh},
    {"Where", read_where},
    {.name = NULL},
};
