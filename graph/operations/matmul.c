#include <string.h>

#include "graph/graph_shape.h"
#include "graph/operations/matrices.h"
#include "graph/operations/operations.h"

/*
 * matmul(a, b): products (n, m) of matrices (n, k) and (k, m), which are the last two axes; others
 * are alike. With transpose = 1, b is (m, k), as in scores of a query by keys.
 */

static const struct operation_argument arguments[] = {
    {.name = "transpose",
     .type = ARGUMENT_WHOLE,
     .most = 1,
     .help = "1: the last two axes of b the other way round."},
    {.name = NULL},
};

static bool is_turned(const struct graph_node *node)
{
    return graph_argument(node, "transpose")->number > 0;
}

static bool go_together(const struct graph_shape *a, const struct graph_shape *b, bool turned)
{
    if (a->rank < 2 || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i + 2 < a->rank; i++)
        if (a->sizes[i] != b->sizes[i])
            return false;
    return a->sizes[a->rank - 1] == b->sizes[turned ? b->rank - 1 : b->rank - 2];
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *a = &graph_input(graph, node, 0)->shape;
    const struct graph_shape *b = &graph_input(graph, node, 1)->shape;
    char of_a[GRAPH_SHAPE_BYTES], of_b[GRAPH_SHAPE_BYTES];

    if (!go_together(a, b, is_turned(node))) {
        graph_fail(node, err, "no product of %s and %s%s", graph_shape_text(a, of_a),
                   graph_shape_text(b, of_b), is_turned(node) ? ", transposed" : "");
        return error_hint(err,
                          "A product multiplies (n, k) by (k, m), with transpose = 1 (n, k) by "
                          "(m, k); the axes before these are equal in both.");
    }
    node->shape = *a;
    node->shape.sizes[a->rank - 1] = b->sizes[is_turned(node) ? b->rank - 2 : b->rank - 1];
    node->is_sequence &= graph_input(graph, node, 0)->is_sequence && a->rank == 2;
    node->scratch = b->sizes[b->rank - 1] * b->sizes[b->rank - 2];
    return STATUS_OK;
}

/* Sizes of one product, and how many there are in the rows. */
struct sizes {
    size_t n, k, m, count;
};

static struct sizes sizes_of(const struct operation_call *call)
{
    const struct graph_shape *a = &graph_input(call->graph, call->node, 0)->shape;
    struct sizes sizes = {
        .n = a->sizes[a->rank - 2],
        .k = a->sizes[a->rank - 1],
        .m = graph_shape_last(&call->node->shape),
    };

    sizes.count = call->n * (call->node->size / (sizes.n * sizes.m));
    return sizes;
}

static struct matrix b_at(const struct operation_call *call, const struct sizes *sizes, size_t i)
{
    const float *at = call->inputs[1] + i * sizes->k * sizes->m;

    return is_turned(call->node) ? (struct matrix){at, sizes->m, sizes->k, sizes->k}
                                 : (struct matrix){at, sizes->k, sizes->m, sizes->m};
}

static void forward(const struct operation_call *call)
{
    const struct sizes sizes = sizes_of(call);

    memset(call->value, 0, sizes.count * sizes.n * sizes.m * sizeof *call->value);
    for (size_t i = 0; i < sizes.count; i++) {
        const struct matrix a = {call->inputs[0] + i * sizes.n * sizes.k, sizes.n, sizes.k,
                                 sizes.k};
        const struct matrix b = b_at(call, &sizes, i);
        const struct matrix by = is_turned(call->node) ? matrix_turn(&b, call->scratch) : b;

        matrix_add_product(&a, &by, call->value + i * sizes.n * sizes.m, sizes.m);
    }
}

static void backward(const struct operation_call *call)
{
    const struct sizes sizes = sizes_of(call);

    for (size_t i = 0; i < sizes.count; i++) {
        const struct matrix a = {call->inputs[0] + i * sizes.n * sizes.k, sizes.n, sizes.k,
                                 sizes.k};
        const struct matrix dc = {call->delta + i * sizes.n * sizes.m, sizes.n, sizes.m, sizes.m};
        const struct matrix b = b_at(call, &sizes, i);

        if (call->deltas[0]) {
            const struct matrix by = is_turned(call->node) ? b : matrix_turn(&b, call->scratch);

            matrix_add_product(&dc, &by, call->deltas[0] + i * sizes.n * sizes.k, sizes.k);
        }
        if (call->deltas[1] && is_turned(call->node))
            matrix_add_turned_product(&dc, &a, call->deltas[1] + i * sizes.k * sizes.m, sizes.k);
        else if (call->deltas[1])
            matrix_add_turned_product(&a, &dc, call->deltas[1] + i * sizes.k * sizes.m, sizes.m);
    }
}

static double cost(const struct graph *graph, const struct graph_node *node)
{
    return (double)node->size * graph_shape_last(&graph_input(graph, node, 0)->shape);
}

const struct operation matmul_operation = {
    .name = "matmul",
    .help = "Products of matrices, which are the last two axes.",
    .arguments = arguments,
    .inputs_least = 2,
    .inputs_most = 2,
    .keeps_inputs = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .cost = cost,
};
