#include <string.h>

#include "arithmetic/kernels.h"
#include "arithmetic/products.h"
#include "graph/graph_columns.h"
#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"
#include "scoring/activation.h"

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
 * What is kept lies step by step: of each the gates, and the state before them, for all rows.
 */

static const struct operation_argument arguments[] = {
    {.name = "units",
     .type = ARGUMENT_WHOLE,
     .least = 1,
     .most = 4096,
     .is_needed = true,
     .help = "How many numbers the state has."},
    {.name = "sequences",
     .type = ARGUMENT_WHOLE,
     .most = 1,
     .help = "1: the state after each step, else after the last."},
    {.name = NULL},
};

/* One row of data at one step. Gates (blocks, units) hold sums, and then what comes of them. */
struct cell {
    uint32_t gates; /* blocks that have columns of W and U */
    uint32_t
        kept; /* blocks that are kept besides: of gru n's part of s U, of lstm m and tanh(m') */
    bool has_memory; /* m, which lies behind the state */
    void (*forward)(size_t units, float *gates, const float *of_state, float *kept, float *state);
    /* dstate: gradient of the state after, which becomes that of the state before but for what goes
     * through U. dgates: of the sums, and dof_state of their part from U. */
    void (*backward)(size_t units, const float *gates, const float *kept, const float *before,
                     float *dstate, float *dgates, float *dof_state);
};

/* ---- rnn ---- */

static void rnn_forward(size_t units, float *gates, const float *of_state, float *kept,
                        float *state)
{
    (void)kept;
    add_to(gates, of_state, units);
    activation_forward(ACTIVATION_TANH, gates, units);
    memcpy(state, gates, units * sizeof *state);
}

static void rnn_backward(size_t units, const float *gates, const float *kept, const float *before,
                         float *dstate, float *dgates, float *dof_state)
{
    (void)kept;
    (void)before;
    for (size_t j = 0; j < units; j++) {
        dgates[j] = dof_state[j] = dstate[j] * (1 - gates[j] * gates[j]);
        dstate[j] = 0;
    }
}

/* ---- gru: gates r, z, n; kept is n's part of s U ---- */

static void gru_forward(size_t units, float *gates, const float *of_state, float *kept,
                        float *state)
{
    float *z = gates + units, *n = gates + 2 * units;

    memcpy(kept, of_state + 2 * units, units * sizeof *kept);
    add_to(gates, of_state, 2 * units);
    activation_forward(ACTIVATION_SIGMOID, gates, 2 * units);
    for (size_t j = 0; j < units; j++)
        n[j] += gates[j] * kept[j];
    activation_forward(ACTIVATION_TANH, n, units);
    for (size_t j = 0; j < units; j++)
        state[j] = (1 - z[j]) * n[j] + z[j] * state[j];
}

static void gru_backward(size_t units, const float *gates, const float *kept, const float *before,
                         float *dstate, float *dgates, float *dof_state)
{
    const float *r = gates, *z = gates + units, *n = gates + 2 * units;

    for (size_t j = 0; j < units; j++) {
        const float dn = dstate[j] * (1 - z[j]) * (1 - n[j] * n[j]);
        const float dz = dstate[j] * (before[j] - n[j]) * z[j] * (1 - z[j]);
        const float dr = dn * kept[j] * r[j] * (1 - r[j]);

        dgates[j] = dof_state[j] = dr;
        dgates[units + j] = dof_state[units + j] = dz;
        dgates[2 * units + j] = dn;
        dof_state[2 * units + j] = dn * r[j];
        dstate[j] *= z[j];
    }
}

/* ---- lstm: gates i, f, o, g; m lies behind the state; kept is tanh(m') ---- */

static void lstm_forward(size_t units, float *gates, const float *of_state, float *kept,
                         float *state)
{
    const float *i = gates, *f = gates + units, *o = gates + 2 * units, *g = gates + 3 * units;
    float *memory = state + units;

    add_to(gates, of_state, 4 * units);
    activation_forward(ACTIVATION_SIGMOID, gates, 3 * units);
    activation_forward(ACTIVATION_TANH, gates + 3 * units, units);
    for (size_t j = 0; j < units; j++)
        kept[j] = memory[j] = f[j] * memory[j] + i[j] * g[j];
    activation_forward(ACTIVATION_TANH, kept, units);
    for (size_t j = 0; j < units; j++)
        state[j] = o[j] * kept[j];
}

static void lstm_backward(size_t units, const float *gates, const float *kept, const float *before,
                          float *dstate, float *dgates, float *dof_state)
{
    const float *i = gates, *f = gates + units, *o = gates + 2 * units, *g = gates + 3 * units;
    const float *memory = before + units;
    float *dmemory = dstate + units;

    for (size_t j = 0; j < units; j++) {
        const float dm = dmemory[j] + dstate[j] * o[j] * (1 - kept[j] * kept[j]);

        dgates[j] = dm * g[j] * i[j] * (1 - i[j]);
        dgates[units + j] = dm * memory[j] * f[j] * (1 - f[j]);
        dgates[2 * units + j] = dstate[j] * kept[j] * o[j] * (1 - o[j]);
        dgates[3 * units + j] = dm * i[j] * (1 - g[j] * g[j]);
        dmemory[j] = dm * f[j];
        dstate[j] = 0;
    }
    memcpy(dof_state, dgates, 4 * units * sizeof *dof_state);
}

static const struct cell rnn_cell = {1, 0, false, rnn_forward, rnn_backward};
static const struct cell gru_cell = {3, 1, false, gru_forward, gru_backward};
static const struct cell lstm_cell = {4, 1, true, lstm_forward, lstm_backward};

static const struct cell *cell_of(const struct graph_node *node)
{
    return node->operation == &rnn_operation   ? &rnn_cell
           : node->operation == &gru_operation ? &gru_cell
                                               : &lstm_cell;
}

/* ---- shape ---- */

struct sizes {
    size_t steps, width, units;
    size_t gates; /* columns of W and U */
    size_t state; /* floats of the state, with m */
    size_t kept;  /* one row's at one step: gates, what is kept besides, the state before */
};

static struct sizes sizes_of(const struct graph *graph, const struct graph_node *node)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const size_t units = (size_t)graph_argument(node, "units")->number;
    const struct cell *cell = cell_of(node);
    struct sizes sizes = {
        .steps = x->sizes[0],
        .width = x->sizes[1],
        .units = units,
        .gates = cell->gates * units,
        .state = (1 + (size_t)cell->has_memory) * units,
    };

    sizes.kept = sizes.gates + cell->kept * units + sizes.state;
    return sizes;
}

#define ROWS_TOGETHER 32 /* rows that one product has */

static enum status add_parameters(struct graph *graph, struct graph_node *node,
                                  const struct sizes *sizes, struct error *err)
{
    struct graph_parameter *made;

    TRY(graph_parameter_add(graph, node, "weights", sizes->width, sizes->gates, &made, err));
    made->start = (struct graph_start){
        .rule = GRAPH_START_FAN, .fan_in = (double)sizes->width, .fan_out = (double)sizes->units};
    made->is_transposed = graph_input(graph, node, 0)->is_learned && sizes->gates > 1;
    TRY(graph_parameter_add(graph, node, "bias", 1, sizes->gates, &made, err));
    made->is_bias = true;
    TRY(graph_parameter_add(graph, node, "state_weights", sizes->units, sizes->gates, &made, err));
    made->start = (struct graph_start){
        .rule = GRAPH_START_FAN, .fan_in = (double)sizes->units, .fan_out = (double)sizes->units};
    made->is_transposed = sizes->gates > 1;
    TRY(graph_parameter_add(graph, node, "state_bias", 1, sizes->gates, &made, err));
    made->is_bias = true;
    return STATUS_OK;
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const bool has_steps = graph_argument(node, "sequences")->number > 0;
    struct sizes sizes;
    char text[GRAPH_SHAPE_BYTES];

    if (x->rank != 2)
        return graph_fail(node, err, "it takes (steps, width), not %s", graph_shape_text(x, text));
    sizes = sizes_of(graph, node);
    if (sizes.steps * (sizes.kept + sizes.gates) > GRAPH_ROOM_MAX)
        return graph_fail(node, err, "%s with %zu units is more than %u numbers of a row",
                          graph_shape_text(x, text), sizes.units, GRAPH_ROOM_MAX);
    node->shape =
        (struct graph_shape){.type = GRAPH_FLOATS, .rank = 1, .sizes = {(uint32_t)sizes.units}};
    if (has_steps)
        node->shape = (struct graph_shape){
            .type = GRAPH_FLOATS, .rank = 2, .sizes = {x->sizes[0], (uint32_t)sizes.units}};
    node->is_sequence &= has_steps;
    node->kept = (uint32_t)(sizes.steps * sizes.kept);
    node->scratch = (uint32_t)(ROWS_TOGETHER * (sizes.kept + 2 * sizes.gates + sizes.state));
    return add_parameters(graph, node, &sizes, err);
}

/* ---- rows together ---- */

/* Some rows, and the room that they are computed in: forward has sums from U, and what is kept of
 * the step where nothing is kept of all; backward gradients of sums. */
struct block {
    const struct operation_call *call;
    const struct cell *cell;
    struct sizes sizes;
    size_t first, n; /* rows of the chunk */
    float *state;    /* (n, state), or its gradient */
    float *gates;    /* (n, gates): of_state, or dgates */
    float *of_state; /* (n, gates): dof_state */
    float *step;     /* (n, kept) */
};

static struct block block_at(const struct operation_call *call, size_t first)
{
    const size_t left = call->n - first;
    struct block block = {.call = call,
                          .cell = cell_of(call->node),
                          .sizes = sizes_of(call->graph, call->node),
                          .first = first,
                          .n = left < ROWS_TOGETHER ? left : ROWS_TOGETHER,
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
    const size_t all = block->sizes.steps * block->sizes.kept;

    *row = block->call->kept ? all : block->sizes.kept;
    return block->call->kept ? block->call->kept + block->first * all + t * block->sizes.kept
                             : block->step;
}

static const float *x_at(const struct block *block, size_t t)
{
    return block->call->inputs[0] + (block->first * block->sizes.steps + t) * block->sizes.width;
}

static const struct graph_parameter *parameter_at(const struct operation_call *call, uint32_t i)
{
    return &call->graph->parameters[call->node->parameter + i];
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
    const struct graph_parameter *weights = parameter_at(block->call, parameter);
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
        if (graph_columns_has_step(block->call, block->first + i, t))
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

    for (size_t first = 0; first < call->n; first += ROWS_TOGETHER) {
        const struct block block = block_at(call, first);
        float *value = call->value + first * size;

        for (size_t t = 0; t < block.sizes.steps; t++) {
            step_forward(&block, t);
            if (gives_steps(call))
                put_states(&block, value + t * block.sizes.units, size);
        }
        if (!gives_steps(call))
            put_states(&block, value, size);
    }
}

/* ---- backward ---- */

/* The gradient of a parameter += aT delta, and of the bias behind it += delta. */
static void give_up(const struct block *block, uint32_t parameter, const float *a, size_t a_row,
                    const float *delta)
{
    const struct graph_parameter *weights = parameter_at(block->call, parameter);
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
    const struct graph_parameter *weights = parameter_at(block->call, parameter);
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
    const float *delta = block->call->delta + block->first * size;

    if (!gives_steps(block->call) && t + 1 < block->sizes.steps)
        return;
    for (size_t i = 0; i < block->n; i++)
        add_to(block->state + i * block->sizes.state,
               delta + i * size + (gives_steps(block->call) ? t * units : 0), units);
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
        if (graph_columns_has_step(block->call, block->first + i, t))
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
    for (size_t first = 0; first < call->n; first += ROWS_TOGETHER) {
        const struct block block = block_at(call, first);

        for (size_t t = block.sizes.steps; t-- > 0;)
            step_backward(&block, t);
    }
}

static double cost(const struct graph *graph, const struct graph_node *node)
{
    const struct sizes sizes = sizes_of(graph, node);

    return (double)sizes.steps * (double)(sizes.width + sizes.units) * (double)sizes.gates;
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
