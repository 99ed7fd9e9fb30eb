#include <math.h>
#include <string.h>

#include "graph/graph_columns.h"
#include "graph/graph_shape.h"
#include "graph/operations/matrices.h"
#include "graph/operations/operations.h"
#include "scoring/numbers/elementary.h"

/*
 * attention(query, key, value, heads, causal): of (steps, width), (others, width) and (others,
 * depth) for each step the mean of the values, weighted by softmax(query . key / sqrt(width of a
 * head)) (Vaswani et al., 2017). Each head has its columns of all three. Steps that a sequence of
 * keys does not have count nothing, with causal = 1 nor do those behind the query's own; where none
 * is left the result is 0.
 *
 * Shares (heads, steps, others) are kept for backward.
 */

static const struct operation_argument arguments[] = {
    {.name = "heads",
     .type = ARGUMENT_WHOLE,
     .least = 1,
     .most = 1024,
     .number = 1,
     .help = "How many of them share the width."},
    {.name = "causal",
     .type = ARGUMENT_WHOLE,
     .most = 1,
     .help = "1: a step looks at itself and those before it."},
    {.name = NULL},
};

struct sizes {
    size_t heads, steps, others;
    size_t width, depth;           /* all heads' */
    size_t head_width, head_depth; /* one's */
    bool is_causal;
    float scale;
};

static struct sizes sizes_of(const struct graph *graph, const struct graph_node *node)
{
    const struct graph_shape *query = &graph_input(graph, node, 0)->shape;
    const struct graph_shape *value = &graph_input(graph, node, 2)->shape;
    struct sizes sizes = {
        .heads = (size_t)graph_argument(node, "heads")->number,
        .steps = query->sizes[0],
        .others = value->sizes[0],
        .width = query->sizes[1],
        .depth = value->sizes[1],
        .is_causal = graph_argument(node, "causal")->number > 0,
    };

    sizes.head_width = sizes.width / sizes.heads;
    sizes.head_depth = sizes.depth / sizes.heads;
    sizes.scale = sizes.head_width > 0 ? 1 / sqrtf((float)sizes.head_width) : 0;
    return sizes;
}

static enum status check_shapes(const struct graph *graph, const struct graph_node *node,
                                struct error *err)
{
    const struct graph_shape *query = &graph_input(graph, node, 0)->shape;
    const struct graph_shape *key = &graph_input(graph, node, 1)->shape;
    const struct graph_shape *value = &graph_input(graph, node, 2)->shape;
    const uint32_t heads = (uint32_t)graph_argument(node, "heads")->number;
    char a[GRAPH_SHAPE_BYTES], b[GRAPH_SHAPE_BYTES], c[GRAPH_SHAPE_BYTES];

    graph_shape_text(query, a);
    graph_shape_text(key, b);
    graph_shape_text(value, c);
    if (query->rank != 2 || key->rank != 2 || value->rank != 2 ||
        key->sizes[1] != query->sizes[1] || key->sizes[0] != value->sizes[0])
        return graph_fail(node, err,
                          "it takes (steps, width), (others, width) and (others, depth), not %s, "
                          "%s and %s",
                          a, b, c);
    if (query->sizes[1] % heads != 0 || value->sizes[1] % heads != 0)
        return graph_fail(node, err, "%u heads do not share the widths of %s and %s alike", heads,
                          a, c);
    if (graph_argument(node, "causal")->number > 0 && query->sizes[0] != key->sizes[0])
        return graph_fail(node, err, "causal wants as many keys as queries, here are %s and %s", b,
                          a);
    return STATUS_OK;
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_node *query = graph_input(graph, node, 0);
    struct sizes sizes;
    size_t head;

    TRY(check_shapes(graph, node, err));
    sizes = sizes_of(graph, node);
    head = sizes.head_width > sizes.head_depth ? sizes.head_width : sizes.head_depth;
    if (sizes.heads * sizes.steps * sizes.others > GRAPH_ROOM_MAX)
        return graph_fail(node, err, "its shares of a row are more than %u numbers",
                          GRAPH_ROOM_MAX);
    node->shape = query->shape;
    node->shape.sizes[1] = (uint32_t)sizes.depth;
    node->is_sequence = query->is_sequence;
    node->mask = query->mask;
    node->kept = (uint32_t)(sizes.heads * sizes.steps * sizes.others);
    node->scratch = (uint32_t)(sizes.others * head + sizes.steps * sizes.others);
    return STATUS_OK;
}

/* ---- shares ---- */

/* Scores become shares of those that count; 0 for the others. */
static void share_line(const struct operation_call *call, const struct sizes *sizes, size_t row,
                       size_t step, float *scores)
{
    const size_t end = sizes->is_causal ? step + 1 : sizes->others;
    float greatest = -INFINITY, sum = 0;

    for (size_t j = 0; j < sizes->others; j++) {
        const bool counts = j < end && graph_columns_has_step(call, 1, row, j);

        scores[j] = counts ? scores[j] * sizes->scale : -INFINITY;
        greatest = scores[j] > greatest ? scores[j] : greatest;
    }
    for (size_t j = 0; j < sizes->others; j++)
        sum += scores[j] = scores[j] == -INFINITY ? 0 : exponential(scores[j] - greatest);
    for (size_t j = 0; sum > 0 && j < sizes->others; j++)
        scores[j] /= sum;
}

/* Columns of a head in a row of an input. */
static struct matrix head_of(const float *input, size_t row, size_t steps, size_t width,
                             size_t head, size_t head_width)
{
    return (struct matrix){input + row * steps * width + head * head_width, steps, head_width,
                           width};
}

/* The matrices of one head in one row. */
struct head {
    struct matrix query, key, value;
};

static struct head head_at(const struct operation_call *call, const struct sizes *sizes, size_t row,
                           size_t h)
{
    return (struct head){
        head_of(call->inputs[0], row, sizes->steps, sizes->width, h, sizes->head_width),
        head_of(call->inputs[1], row, sizes->others, sizes->width, h, sizes->head_width),
        head_of(call->inputs[2], row, sizes->others, sizes->depth, h, sizes->head_depth),
    };
}

static float *shares_at(const struct operation_call *call, const struct sizes *sizes, size_t row,
                        size_t h)
{
    return call->kept + (row * sizes->heads + h) * sizes->steps * sizes->others;
}

static void head_forward(const struct operation_call *call, const struct sizes *sizes, size_t row,
                         size_t h)
{
    const struct head head = head_at(call, sizes, row, h);
    const struct matrix turned = matrix_turn(&head.key, call->scratch);
    float *shares = call->kept ? shares_at(call, sizes, row, h)
                               : call->scratch + sizes->others * sizes->head_width;
    const struct matrix by = {shares, sizes->steps, sizes->others, sizes->others};
    float *to = call->value + row * call->node->size + h * sizes->head_depth;

    memset(shares, 0, sizes->steps * sizes->others * sizeof *shares);
    matrix_add_product(&head.query, &turned, shares, sizes->others);
    for (size_t i = 0; i < sizes->steps; i++)
        share_line(call, sizes, row, i, shares + i * sizes->others);
    matrix_add_product(&by, &head.value, to, sizes->depth);
}

static void forward(const struct operation_call *call)
{
    const struct sizes sizes = sizes_of(call->graph, call->node);

    memset(call->value, 0, (size_t)call->n * call->node->size * sizeof *call->value);
    for (size_t row = 0; row < call->n; row++)
        for (size_t h = 0; h < sizes.heads; h++)
            head_forward(call, &sizes, row, h);
}

/* ---- backward ---- */

/* The gradient of shares becomes that of scores: p (dp - sum(p dp)). */
static void line_backward(const struct sizes *sizes, const float *shares, float *delta)
{
    double mean = 0;

    for (size_t j = 0; j < sizes->others; j++)
        mean += (double)shares[j] * (double)delta[j];
    for (size_t j = 0; j < sizes->others; j++)
        delta[j] = shares[j] * (delta[j] - (float)mean) * sizes->scale;
}

static void head_backward(const struct operation_call *call, const struct sizes *sizes, size_t row,
                          size_t h)
{
    const struct head head = head_at(call, sizes, row, h);
    const struct matrix turned = matrix_turn(&head.value, call->scratch);
    const float *shares = shares_at(call, sizes, row, h);
    float *dscores = call->scratch + sizes->others * sizes->head_depth;
    const struct matrix by = {shares, sizes->steps, sizes->others, sizes->others};
    const struct matrix dby = {dscores, sizes->steps, sizes->others, sizes->others};
    const struct matrix delta =
        head_of(call->delta, row, sizes->steps, sizes->depth, h, sizes->head_depth);
    const size_t in_width = h * sizes->head_width;

    if (call->deltas[2])
        matrix_add_turned_product(&by, &delta,
                                  call->deltas[2] + row * sizes->others * sizes->depth +
                                      h * sizes->head_depth,
                                  sizes->depth);
    memset(dscores, 0, sizes->steps * sizes->others * sizeof *dscores);
    matrix_add_product(&delta, &turned, dscores, sizes->others);
    for (size_t i = 0; i < sizes->steps; i++)
        line_backward(sizes, shares + i * sizes->others, dscores + i * sizes->others);
    if (call->deltas[0])
        matrix_add_product(&dby, &head.key,
                           call->deltas[0] + row * sizes->steps * sizes->width + in_width,
                           sizes->width);
    if (call->deltas[1])
        matrix_add_turned_product(&dby, &head.query,
                                  call->deltas[1] + row * sizes->others * sizes->width + in_width,
                                  sizes->width);
}

static void backward(const struct operation_call *call)
{
    const struct sizes sizes = sizes_of(call->graph, call->node);

    for (size_t row = 0; row < call->n; row++)
        for (size_t h = 0; h < sizes.heads; h++)
            head_backward(call, &sizes, row, h);
}

static double cost(const struct graph *graph, const struct graph_node *node)
{
    const struct sizes sizes = sizes_of(graph, node);

    return (double)sizes.steps * (double)sizes.others * (double)(sizes.width + sizes.depth);
}

const struct operation attention_operation = {
    .name = "attention",
    .help = "Means of values, weighted by how alike queries and keys are.",
    .arguments = arguments,
    .inputs_least = 3,
    .inputs_most = 3,
    .keeps_inputs = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .cost = cost,
};
