#include <string.h>

#include "arithmetic/kernels.h"
#include "arithmetic/products.h"
#include "graph/graph_columns.h"
#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"
#include "graph/operations/recurrent_cells.h"

/*
 * rnn(x, units), gru(x, units), lstm(x, units): of (steps, width) the state (units) after the last
 * step, or with sequences = 1 that after each. For a step, with s the state before it:
 *
 *     rnn    s' = tanh(x W + b + s U)
 *     gru    r, z = sigmoid(...); n = tanh(x W + b + r (s U + c)); s' = (1 - z) n + z s
 *     lstm   i, f, o = sigmoid(...); g = tanh(...); m' = f m + i g; s' = o tanh(m')
 *
 * each gate with columns of its own of W (width, gates), U (units, gates) and b: PyTorch's
 * formulas, with one bias but for gru's n. A step that a sequence does not have leaves the state as
 * it is.
 *
 * Backward the steps are taken from the last to the first; both ways are two layers with parameters
 * of their own, whose states lie side by side, forward first.
 *
 * What is kept lies step by step: of each the gates, and the state before them, for all rows.
 */

static const char *const directions[] = {"forward", "backward", "both", NULL};
enum direction { FORWARD, BACKWARD, BOTH };

static const struct operation_argument arguments[] = {
    {.name = "units",
     .type = ARGUMENT_SIZE,
     .least = 1,
     .most = 4096,
     .is_needed = true,
     .help = "How many numbers the state has."},
    {.name = "sequences",
     .type = ARGUMENT_WHOLE,
     .most = 1,
     .help = "1: the state after each step, else after the last."},
    {.name = "direction",
     .type = ARGUMENT_WORD,
     .words = directions,
     .help = "backward: from the last step to the first; both: the states of either side by side."},
    {.name = NULL},
};

static const struct cell *cell_of(const struct graph_node *node)
{
    return node->operation == &rnn_operation   ? &rnn_cell
           : node->operation == &gru_operation ? &gru_cell
                                               : &lstm_cell;
}

/* ---- shape ---- */

struct sizes {
    size_t steps, width, units;
    size_t ways;  /* 2: forward and backward */
    size_t gates; /* columns of W and U */
    size_t state; /* floats of the state, with m */
    size_t kept;  /* one row's at one step: gates, what is kept besides, the state before */
};

static struct sizes sizes_of(const struct graph *graph, const struct graph_node *node)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const size_t units = graph_argument_size(graph, node, "units");
    const struct cell *cell = cell_of(node);
    struct sizes sizes = {
        .steps = x->sizes[0],
        .width = x->sizes[1],
        .units = units,
        .ways = graph_argument(node, "direction")->word == BOTH ? 2 : 1,
        .gates = cell->gates * units,
        .state = (1 + (size_t)cell->has_memory) * units,
    };

    sizes.kept = sizes.gates + cell->kept * units + sizes.state;
    return sizes;
}

#define ROWS_TOGETHER 32 /* rows that one product has */

#define WAY_PARAMETERS 4 /* one way's */

static enum status add_parameters(struct graph *graph, struct graph_node *node,
                                  const struct sizes *sizes, const char *const names[],
                                  struct error *err)
{
    struct graph_parameter *made;

    TRY(graph_parameter_add(graph, node, names[0], sizes->width, sizes->gates, &made, err));
    made->start = (struct graph_start){
        .rule = GRAPH_START_FAN, .fan_in = (double)sizes->width, .fan_out = (double)sizes->units};
    made->is_transposed = graph_input(graph, node, 0)->is_learned && sizes->gates > 1;
    TRY(graph_parameter_add(graph, node, names[1], 1, sizes->gates, &made, err));
    made->is_bias = true;
    if (node->operation == &lstm_operation)
        made->start.rule = GRAPH_START_FORGET;
    TRY(graph_parameter_add(graph, node, names[2], sizes->units, sizes->gates, &made, err));
    made->start = (struct graph_start){
        .rule = GRAPH_START_FAN, .fan_in = (double)sizes->units, .fan_out = (double)sizes->units};
    made->is_transposed = sizes->gates > 1;
    TRY(graph_parameter_add(graph, node, names[3], 1, sizes->gates, &made, err));
    made->is_bias = true;
    return STATUS_OK;
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const bool has_steps = graph_argument(node, "sequences")->number > 0;
    static const char *const names[][WAY_PARAMETERS] = {
        {"weights", "bias", "state_weights", "state_bias"},
        {"back_weights", "back_bias", "back_state_weights", "back_state_bias"},
    };
    struct sizes sizes;
    uint32_t units;
    char text[GRAPH_SHAPE_BYTES];

    if (x->rank != 2)
        return graph_fail(node, err, "it takes (steps, width), not %s", graph_shape_text(x, text));
    sizes = sizes_of(graph, node);
    if (sizes.ways * sizes.steps * (sizes.kept + sizes.gates) > GRAPH_ROOM_MAX)
        return graph_fail(node, err, "%s with %zu units is more than %u numbers of a row",
                          graph_shape_text(x, text), sizes.units, GRAPH_ROOM_MAX);
    units = (uint32_t)(sizes.ways * sizes.units);
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 1, .sizes = {units}};
    if (has_steps)
        node->shape =
            (struct graph_shape){.type = GRAPH_FLOATS, .rank = 2, .sizes = {x->sizes[0], units}};
    node->is_sequence &= has_steps;
    node->kept = (uint32_t)(sizes.ways * sizes.steps * sizes.kept);
    node->scratch = (uint32_t)(ROWS_TOGETHER * (sizes.kept + 2 * sizes.gates + sizes.state));
    for (size_t way = 0; way < sizes.ways; way++)
        TRY(add_parameters(graph, node, &sizes, names[way], err));
    return STATUS_OK;
}

/* ---- rows together ---- */

/* Some rows on one way, and the room that they are computed in: forward has sums from U, and what
 * is kept of the step where nothing is kept of all; backward gradients of sums. */
struct block {
    const struct operation_call *call;
    const struct cell *cell;
    struct sizes sizes;
    size_t first, n; /* rows of the chunk */
    size_t way;      /* 0, or 1 of both: which parameters, and which half of value and kept */
    bool goes_back;  /* from the last step to the first */
    float *state;    /* (n, state), or its gradient */
    float *gates;    /* (n, gates): of_state, or dgates */
    float *of_state; /* (n, gates): dof_state */
    float *step;     /* (n, kept) */
};

static struct block block_at(const struct operation_call *call, size_t first, size_t way)
{
    const size_t left = call->n - first;
    struct block block = {.call = call,
                          .cell = cell_of(call->node),
                          .sizes = sizes_of(call->graph, call->node),
                          .first = first,
                          .n = left < ROWS_TOGETHER ? left : ROWS_TOGETHER,
                          .way = way,
                          .goes_back =
                              way > 0 || graph_argument(call->node, "direction")->word == BACKWARD,
                          .state = call->scratch};

    block.gates = block.state + ROWS_TOGETHER * block.sizes.state;
    block.of_state = block.gates + ROWS_TOGETHER * block.sizes.gates;
    block.step = block.of_state + ROWS_TOGETHER * block.sizes.gates;
    memset(block.state, 0, block.n * block.sizes.state * sizeof *block.state);
    return block;
}

/* Where the gates of the first row lie at a step, and from one row to the next. */
static float *kept_at(const struct block *block, size_t t, size_t *row)
{
    const size_t all = block->sizes.steps * block->sizes.kept, ways = block->sizes.ways;

    *row = block->call->kept ? ways * all : block->sizes.kept;
    return block->call->kept ? block->call->kept + (block->first * ways + block->way) * all +
                                   t * block->sizes.kept
                             : block->step;
}

static const float *x_at(const struct block *block, size_t t)
{
    return block->call->inputs[0] + (block->first * block->sizes.steps + t) * block->sizes.width;
}

static const struct graph_parameter *parameter_at(const struct block *block, uint32_t i)
{
    const struct operation_call *call = block->call;

    return &call->graph->parameters[call->node->parameter + block->way * WAY_PARAMETERS + i];
}

/* The step that is taken as number i, from 0. */
static size_t step_at(const struct block *block, size_t i)
{
    return block->goes_back ? block->sizes.steps - 1 - i : i;
}

/* Where the state after step t lies in a row's value. */
static size_t state_place(const struct block *block, size_t t)
{
    const size_t units = block->sizes.units;
    const bool has_steps = block->call->node->shape.rank == 2;

    return (has_steps ? t * block->sizes.ways * units : 0) + block->way * units;
}

static bool gives_steps(const struct operation_call *call)
{
    return call->node->shape.rank == 2;
}

/* ---- forward ---- */

/* c (n, gates) = a (n, rows) by a parameter, and the bias behind it. */
static void add_up(const struct block *block, uint32_t parameter, const float *a, size_t a_row,
                   float *c, size_t c_row)
{
    const struct graph_parameter *weights = parameter_at(block, parameter);
    const struct product product = {
        .n = block->n,
        .k = weights->rows,
        .m = weights->width,
        .a = a,
        .a_row = a_row,
        .a_column = 1,
        .b = block->call->parameters + weights->first,
        .b_row = weights->width,
        .start = block->call->parameters + weights[1].first,
        .c = c,
        .c_row = c_row,
    };

    product_compute(&product);
}

static void step_forward(const struct block *block, size_t t)
{
    const struct sizes *sizes = &block->sizes;
    size_t row;
    float *gates = kept_at(block, t, &row);

    add_up(block, 0, x_at(block, t), sizes->steps * sizes->width, gates, row);
    add_up(block, 2, block->state, sizes->state, block->of_state, sizes->gates);
    for (size_t i = 0; i < block->n; i++, gates += row) {
        float *state = block->state + i * sizes->state, *kept = gates + sizes->gates;

        memcpy(gates + sizes->kept - sizes->state, state, sizes->state * sizeof *state);
        if (graph_columns_has_step(block->call, 0, block->first + i, t))
            block->cell->forward(sizes->units, gates, block->of_state + i * sizes->gates, kept,
                                 state);
    }
}

/* The states of the rows become places of the value, `row` floats apart. */
static void put_states(const struct block *block, float *value, size_t row)
{
    for (size_t i = 0; i < block->n; i++)
        memcpy(value + i * row, block->state + i * block->sizes.state,
               block->sizes.units * sizeof *value);
}

static void forward(const struct operation_call *call)
{
    const size_t size = call->node->size;

    for (size_t first = 0; first < call->n; first += ROWS_TOGETHER)
        for (size_t way = 0; way < sizes_of(call->graph, call->node).ways; way++) {
            const struct block block = block_at(call, first, way);

            for (size_t i = 0; i < block.sizes.steps; i++) {
                const size_t t = step_at(&block, i);

                step_forward(&block, t);
                if (gives_steps(call) || i + 1 == block.sizes.steps)
                    put_states(&block, call->value + first * size + state_place(&block, t), size);
            }
        }
}

/* ---- backward ---- */

/* The gradient of a parameter += aT delta, and of the bias behind it += delta. */
static void give_up(const struct block *block, uint32_t parameter, const float *a, size_t a_row,
                    const float *delta)
{
    const struct graph_parameter *weights = parameter_at(block, parameter);
    float *gradient = block->call->gradient + weights->first;
    const struct product product = {
        .n = weights->rows,
        .k = block->n,
        .m = weights->width,
        .a = a,
        .a_row = 1,
        .a_column = a_row,
        .b = delta,
        .b_row = weights->width,
        .start = gradient,
        .start_row = weights->width,
        .c = gradient,
        .c_row = weights->width,
    };

    product_compute(&product);
    rows_sum(delta, block->n, weights->width, block->call->gradient + weights[1].first);
}

/* da (n, rows) += delta by the transposed parameter. */
static void give_inputs(const struct block *block, uint32_t parameter, const float *delta,
                        float *da, size_t da_row)
{
    const struct graph_parameter *weights = parameter_at(block, parameter);
    const struct product product = {
        .n = block->n,
        .k = weights->width,
        .m = weights->rows,
        .a = delta,
        .a_row = weights->width,
        .a_column = 1,
        .b = weights->is_transposed ? block->call->transposed + weights->transposed
                                    : block->call->parameters + weights->first,
        .b_row = weights->rows,
        .start = da,
        .start_row = da_row,
        .c = da,
        .c_row = da_row,
    };

    product_compute(&product);
}

/* The gradient of the value after step t reaches the states. */
static void take_delta(const struct block *block, size_t t)
{
    const size_t size = block->call->node->size, units = block->sizes.units;
    const float *delta = block->call->delta + block->first * size + state_place(block, t);

    if (!gives_steps(block->call) && t != step_at(block, block->sizes.steps - 1))
        return;
    for (size_t i = 0; i < block->n; i++)
        add_to(block->state + i * block->sizes.state, delta + i * size, units);
}

static void step_backward(const struct block *block, size_t t)
{
    const struct sizes *sizes = &block->sizes;
    size_t row;
    const float *first = kept_at(block, t, &row), *gates = first;

    take_delta(block, t);
    for (size_t i = 0; i < block->n; i++, gates += row) {
        float *dgates = block->gates + i * sizes->gates;
        float *dof_state = block->of_state + i * sizes->gates;

        memset(dgates, 0, sizes->gates * sizeof *dgates);
        memset(dof_state, 0, sizes->gates * sizeof *dof_state);
        if (graph_columns_has_step(block->call, 0, block->first + i, t))
            block->cell->backward(sizes->units, gates, gates + sizes->gates,
                                  gates + sizes->kept - sizes->state,
                                  block->state + i * sizes->state, dgates, dof_state);
    }
    give_up(block, 0, x_at(block, t), sizes->steps * sizes->width, block->gates);
    give_up(block, 2, first + sizes->kept - sizes->state, row, block->of_state);
    give_inputs(block, 2, block->of_state, block->state, sizes->state);
    if (block->call->deltas[0])
        give_inputs(block, 0, block->gates,
                    block->call->deltas[0] + (block->first * sizes->steps + t) * sizes->width,
                    sizes->steps * sizes->width);
}

static void backward(const struct operation_call *call)
{
    for (size_t first = 0; first < call->n; first += ROWS_TOGETHER)
        for (size_t way = 0; way < sizes_of(call->graph, call->node).ways; way++) {
            const struct block block = block_at(call, first, way);

            for (size_t i = block.sizes.steps; i-- > 0;)
                step_backward(&block, step_at(&block, i));
        }
}

static double cost(const struct graph *graph, const struct graph_node *node)
{
    const struct sizes sizes = sizes_of(graph, node);

    return (double)(sizes.ways * sizes.steps) * (double)(sizes.width + sizes.units) *
           (double)sizes.gates;
}

#define RECURRENT(its_name, its_help)                                                              \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .arguments = arguments,                                                                    \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .keeps_inputs = true,                                                                      \
        .shape = shape,                                                                            \
        .forward = forward,                                                                        \
        .backward = backward,                                                                      \
        .cost = cost,                                                                              \
    };

RECURRENT(rnn, "A state that each step changes by a layer.")
RECURRENT(gru, "A state that each step changes through gates (Cho et al., 2014).")
RECURRENT(lstm, "A state and a memory, each changed through gates (Hochreiter, 1997).")
