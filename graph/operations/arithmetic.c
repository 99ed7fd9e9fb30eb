#include "base/vectors.h"
#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"

/*
 * add(a, b) and its kin, number by number. Shapes are alike, or one of them is the end of the
 * other, whose other axes repeat it: (8, 16) and (16). One number goes with any.
 */

/* Is the shape the end of the other? */
static bool is_end(const struct graph_shape *end, const struct graph_shape *whole)
{
    if (graph_shape_size(end) == 1)
        return true;
    for (uint32_t i = 0; i < end->rank && i < whole->rank; i++)
        if (end->sizes[end->rank - 1 - i] != whole->sizes[whole->rank - 1 - i])
            return false;
    return end->rank <= whole->rank;
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *a = &graph_input(graph, node, 0)->shape;
    const struct graph_shape *b = &graph_input(graph, node, 1)->shape;
    char of_a[GRAPH_SHAPE_BYTES], of_b[GRAPH_SHAPE_BYTES];

    if (!is_end(a, b) && !is_end(b, a))
        return graph_fail(node, err, "the shapes %s and %s do not go together",
                          graph_shape_text(a, of_a), graph_shape_text(b, of_b));
    node->shape = is_end(b, a) ? *a : *b;
    return STATUS_OK;
}

/* ---- forward, backward ---- */

/* A row of the value is blocks of as many numbers as the lesser operand has, which is in each of
 * them. */
struct blocks {
    size_t block, count; /* numbers of one; how many the rows have */
    bool repeats[2];     /* whether an operand is in each block of its row */
};

static struct blocks blocks_of(const struct operation_call *call)
{
    const size_t size = call->node->size;
    const size_t a = graph_input(call->graph, call->node, 0)->size;
    const size_t b = graph_input(call->graph, call->node, 1)->size;
    const size_t block = a < b ? a : b;

    return (struct blocks){block, call->n * (size / block), {a < size, b < size}};
}

/* Where an operand's numbers of block k begin, of that many blocks in a row. */
static size_t at_block(const struct blocks *blocks, uint32_t operand, size_t k, size_t in_a_row)
{
    return blocks->repeats[operand] ? k / in_a_row * blocks->block : k * blocks->block;
}

enum arithmetic { ADD, SUBTRACT, MULTIPLY, DIVIDE };

#define COMPUTE(expression)                                                                        \
    for (size_t j = 0; j < count; j++)                                                             \
        to[j] = expression;                                                                        \
    break

WIDE_VECTORS
static void compute(enum arithmetic arithmetic, const float *a, const float *b, size_t count,
                    float *restrict to)
{
    switch (arithmetic) {
    case ADD:
        COMPUTE(a[j] + b[j]);
    case SUBTRACT:
        COMPUTE(a[j] - b[j]);
    case MULTIPLY:
        COMPUTE(a[j] * b[j]);
    case DIVIDE:
        COMPUTE(a[j] / b[j]);
    }
}

static void go_forward(const struct operation_call *call, enum arithmetic arithmetic)
{
    const struct blocks blocks = blocks_of(call);
    const size_t in_a_row = call->node->size / blocks.block;

    for (size_t k = 0; k < blocks.count; k++)
        compute(arithmetic, call->inputs[0] + at_block(&blocks, 0, k, in_a_row),
                call->inputs[1] + at_block(&blocks, 1, k, in_a_row), blocks.block,
                call->value + k * blocks.block);
}

WIDE_VECTORS
static void give_quotient(const float *restrict delta, const float *a, const float *b, size_t count,
                          float *da, float *db)
{
    for (size_t j = 0; da && j < count; j++)
        da[j] += delta[j] / b[j];
    for (size_t j = 0; db && j < count; j++)
        db[j] -= delta[j] * (a[j] / b[j]) / b[j];
}

static void give(enum arithmetic arithmetic, const float *delta, const float *a, const float *b,
                 size_t count, float *da, float *db)
{
    switch (arithmetic) {
    case ADD:
    case SUBTRACT:
        if (da)
            add_to(da, delta, count);
        if (db)
            (arithmetic == ADD ? add_to : subtract_from)(db, delta, count);
        return;
    case MULTIPLY:
        if (da)
            add_products(da, delta, b, count);
        if (db)
            add_products(db, delta, a, count);
        return;
    case DIVIDE:
        give_quotient(delta, a, b, count, da, db);
        return;
    }
}

static void go_back(const struct operation_call *call, enum arithmetic arithmetic)
{
    const struct blocks blocks = blocks_of(call);
    const size_t in_a_row = call->node->size / blocks.block;

    for (size_t k = 0; k < blocks.count; k++) {
        const size_t a = at_block(&blocks, 0, k, in_a_row), b = at_block(&blocks, 1, k, in_a_row);

        give(arithmetic, call->delta + k * blocks.block,
             call->inputs[0] ? call->inputs[0] + a : NULL,
             call->inputs[1] ? call->inputs[1] + b : NULL, blocks.block,
             call->deltas[0] ? call->deltas[0] + a : NULL,
             call->deltas[1] ? call->deltas[1] + b : NULL);
    }
}

#define ARITHMETIC(its_name, arithmetic, looks_back, its_help)                                     \
    static void its_name##_forward(const struct operation_call *call)                              \
    {                                                                                              \
        go_forward(call, arithmetic);                                                              \
    }                                                                                              \
    static void its_name##_backward(const struct operation_call *call)                             \
    {                                                                                              \
        go_back(call, arithmetic);                                                                 \
    }                                                                                              \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .inputs_least = 2,                                                                         \
        .inputs_most = 2,                                                                          \
        .keeps_inputs = looks_back,                                                                \
        .shape = shape,                                                                            \
        .forward = its_name##_forward,                                                             \
        .backward = its_name##_backward,                                                           \
    };

ARITHMETIC(add, ADD, false, "a + b, number by number.")
ARITHMETIC(subtract, SUBTRACT, false, "a - b, number by number.")
ARITHMETIC(multiply, MULTIPLY, true, "a b, number by number.")
ARITHMETIC(divide, DIVIDE, true, "a / b, number by number.")
