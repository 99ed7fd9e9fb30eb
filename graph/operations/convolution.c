#include <string.h>

#include "arithmetic/affine.h"
#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"
#include "graph/operations/windows.h"

/*
 * conv1d(x, filters, size) of (steps, channels) and conv2d of (height, width, channels): each place
 * of the value is a layer over a window of x, and all have the same weights (size * size *
 * channels, filters). Windows of a row of data are laid side by side, as rows of a matrix, so that
 * the layer is one product.
 */

static const char *const paddings[] = {"valid", "same", NULL};
enum padding { VALID, SAME };

static const struct operation_argument arguments[] = {
    {.name = "filters",
     .type = ARGUMENT_WHOLE,
     .least = 1,
     .most = 8192,
     .is_needed = true,
     .help = "How many numbers each place has."},
    {.name = "size",
     .type = ARGUMENT_LIST,
     .least = 1,
     .most = 1024,
     .is_needed = true,
     .help = "Size of the window, such as 3 or [3, 3]."},
    {.name = "stride",
     .type = ARGUMENT_LIST,
     .least = 1,
     .most = 1024,
     .number = 1,
     .help = "Steps from one window to the next."},
    {.name = "padding",
     .type = ARGUMENT_WORD,
     .words = paddings,
     .help = "valid: windows lie within x; same: as many places as x has, by zeros around it."},
    {.name = NULL},
};

/* An axis: sizes of x, window and value, and the zeros before x. */
struct axis {
    uint32_t size, window, stride, places, before;
};

/* conv1d has one place along the first axis. */
struct windows {
    struct axis rows, columns;
    uint32_t channels;
};

static struct axis axis_of(const struct graph_node *node, const struct graph_shape *x, uint32_t i)
{
    struct axis axis = {
        .size = x->sizes[i],
        .window = window_item(graph_argument(node, "size"), i, 1),
        .stride = window_item(graph_argument(node, "stride"), i, 1),
    };
    uint32_t reached;

    if (graph_argument(node, "padding")->word == VALID) {
        axis.places = windows_within(axis.size, axis.window, axis.stride);
        return axis;
    }
    axis.places = (axis.size + axis.stride - 1) / axis.stride;
    reached = (axis.places - 1) * axis.stride + axis.window;
    axis.before = reached > axis.size ? (reached - axis.size) / 2 : 0;
    return axis;
}

static struct windows windows_of(const struct graph *graph, const struct graph_node *node)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const struct axis one = {1, 1, 1, 1, 0};

    return (struct windows){
        .rows = x->rank == 3 ? axis_of(node, x, 0) : one,
        .columns = axis_of(node, x, x->rank - 2),
        .channels = graph_shape_last(x),
    };
}

static size_t places_of(const struct windows *windows)
{
    return (size_t)windows->rows.places * windows->columns.places;
}

static size_t window_size(const struct windows *windows)
{
    return (size_t)windows->rows.window * windows->columns.window * windows->channels;
}

static enum status make(struct graph *graph, struct graph_node *node, uint32_t rank,
                        struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const uint32_t filters = (uint32_t)graph_argument(node, "filters")->number;
    struct graph_parameter *made;
    struct windows windows;
    char shape[GRAPH_SHAPE_BYTES];

    if (x->rank != rank) {
        graph_fail(node, err, "it takes %s, not %s",
                   rank == 3 ? "(height, width, channels)" : "(steps, channels)",
                   graph_shape_text(x, shape));
        return error_hint(err, "reshape(x, %s) gives it such a shape.",
                          rank == 3 ? "[8, 8, 1]" : "[24, 1]");
    }
    windows = windows_of(graph, node);
    if (places_of(&windows) == 0)
        return graph_fail(node, err, "the window is larger than %s", graph_shape_text(x, shape));
    node->shape = *x;
    node->shape.sizes[rank - 1] = filters;
    node->shape.sizes[rank - 2] = windows.columns.places;
    if (rank == 3)
        node->shape.sizes[0] = windows.rows.places;
    if (places_of(&windows) * window_size(&windows) > GRAPH_ROOM_MAX)
        return graph_fail(node, err, "its windows of a row have more than %u numbers",
                          GRAPH_ROOM_MAX);
    node->is_sequence = false;
    node->scratch = (uint32_t)(places_of(&windows) * window_size(&windows));
    TRY(graph_parameter_add(graph, node, "weights", window_size(&windows), filters, &made, err));
    made->start = (struct graph_start){.rule = GRAPH_START_FAN,
                                       .fan_in = (double)window_size(&windows),
                                       .fan_out = (double)filters * windows.rows.window *
                                                  windows.columns.window};
    made->is_transposed = graph_input(graph, node, 0)->is_learned && filters > 1;
    TRY(graph_parameter_add(graph, node, "bias", 1, filters, &made, err));
    made->is_bias = true;
    return STATUS_OK;
}

static enum status shape_1d(struct graph *graph, struct graph_node *node, struct error *err)
{
    return make(graph, node, 2, err);
}

static enum status shape_2d(struct graph *graph, struct graph_node *node, struct error *err)
{
    return make(graph, node, 3, err);
}

/* ---- windows as rows of a matrix ---- */

/* The part of the window of place `at` that lies in x, [*from, *to), and where that begins in x. */
static uint32_t inside(const struct axis *axis, uint32_t at, uint32_t *from, uint32_t *to)
{
    const uint32_t first = at * axis->stride; /* in x with the zeros before it */

    *from = first < axis->before ? axis->before - first : 0;
    *from = *from < axis->window ? *from : axis->window;
    *to = axis->size + axis->before > first ? axis->size + axis->before - first : 0;
    *to = *to < axis->window ? *to : axis->window;
    *to = *to < *from ? *from : *to;
    return *to > *from ? first + *from - axis->before : 0;
}

typedef void window_part(float *x, float *window, size_t count);

static void take_part(float *x, float *window, size_t count)
{
    memcpy(window, x, count * sizeof *x);
}

static void give_part(float *x, float *window, size_t count)
{
    add_to(x, window, count);
}

/* Each run of numbers that lie side by side in x and in a window. */
static void each_part(const struct windows *windows, float *x, float *matrix, window_part *part)
{
    const size_t channels = windows->channels, line = windows->columns.size * channels;
    const size_t window_line = windows->columns.window * channels;

    for (uint32_t r = 0; r < windows->rows.places; r++)
        for (uint32_t c = 0; c < windows->columns.places; c++, matrix += window_size(windows)) {
            uint32_t top, bottom, left, right;
            const uint32_t y = inside(&windows->rows, r, &top, &bottom);
            const uint32_t start = inside(&windows->columns, c, &left, &right);

            for (uint32_t k = top; right > left && k < bottom; k++)
                part(x + (y + k - top) * line + start * channels,
                     matrix + k * window_line + left * channels, (right - left) * channels);
        }
}

static struct affine affine_of(const struct operation_call *call)
{
    const struct graph_parameter *weights = &call->graph->parameters[call->node->parameter];

    return (struct affine){.rows = weights->rows,
                           .width = weights->width,
                           .weights = weights->first,
                           .bias = weights[1].first,
                           .transposed = weights->transposed};
}

static void lay_windows(const struct operation_call *call, const struct windows *windows,
                        size_t row)
{
    const size_t size = graph_input(call->graph, call->node, 0)->size;

    memset(call->scratch, 0, call->node->scratch * sizeof *call->scratch);
    each_part(windows, (float *)(uintptr_t)(call->inputs[0] + row * size), call->scratch,
              take_part);
}

static void forward(const struct operation_call *call)
{
    const struct windows windows = windows_of(call->graph, call->node);
    const struct affine affine = affine_of(call);

    for (size_t row = 0; row < call->n; row++) {
        lay_windows(call, &windows, row);
        affine_forward(&affine, call->parameters, places_of(&windows), call->scratch,
                       call->value + row * call->node->size);
    }
}

static void backward(const struct operation_call *call)
{
    const struct windows windows = windows_of(call->graph, call->node);
    const struct affine affine = affine_of(call);
    const size_t size = graph_input(call->graph, call->node, 0)->size;

    for (size_t row = 0; row < call->n; row++) {
        const float *delta = call->delta + row * call->node->size;

        lay_windows(call, &windows, row);
        affine_backward(&affine, places_of(&windows), call->scratch, delta, false, call->gradient);
        if (!call->deltas[0])
            continue;
        affine_backward_inputs(&affine, call->parameters, call->transposed, places_of(&windows),
                               delta, false, call->scratch);
        each_part(&windows, call->deltas[0] + row * size, call->scratch, give_part);
    }
}

static double cost(const struct graph *graph, const struct graph_node *node)
{
    const struct windows windows = windows_of(graph, node);

    return (double)places_of(&windows) * (double)window_size(&windows) *
           graph_shape_last(&node->shape);
}

#define CONVOLUTION(its_name, its_shape, its_help)                                                 \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .arguments = arguments,                                                                    \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .keeps_inputs = true,                                                                      \
        .shape = its_shape,                                                                        \
        .forward = forward,                                                                        \
        .backward = backward,                                                                      \
        .cost = cost,                                                                              \
    };

CONVOLUTION(conv1d, shape_1d, "A layer over each window of steps.")
CONVOLUTION(conv2d, shape_2d, "A layer over each window of a picture.")
