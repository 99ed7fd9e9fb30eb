#include <string.h>

#include "arithmetic/affine.h"
#include "arithmetic/products.h"
#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"
#include "graph/operations/windows.h"

/*
 * conv1d(x, filters, size) of (steps, channels) and conv2d of (height, width, channels): each place
 * of the value is a layer over a window of x, and all have the same weights (size * size *
 * channels, filters). Windows of a row of data are laid side by side, as rows of a matrix, so that
 * the layer is one product. Groups are layers beside each other: each has its channels of x, and
 * its filters.
 */

static const char *const paddings[] = {"valid", "same", "causal", NULL};
enum padding { VALID, SAME, CAUSAL };

static const struct operation_argument arguments[] = {
    {.name = "filters",
     .type = ARGUMENT_SIZE,
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
     .help = "valid: windows lie within x; same: as many places as x has, by zeros around it; "
             "causal: likewise, by zeros before the first step."},
    {.name = "dilation",
     .type = ARGUMENT_LIST,
     .least = 1,
     .most = 1024,
     .help = "Places from one number of a window to the next; 1 by default."},
    {.name = "groups",
     .type = ARGUMENT_WHOLE,
     .least = 1,
     .most = 8192,
     .number = 1,
     .help = "How many runs of channels have filters of their own."},
    {.name = NULL},
};

/* An axis: sizes of x, window and value, and the zeros before x. */
struct axis {
    uint32_t size, window, stride, dilation, places, before;
};

/* conv1d has one place along the first axis. */
struct windows {
    struct axis rows, columns;
    uint32_t channels, groups;
};

static struct axis axis_of(const struct graph_node *node, const struct graph_shape *x, uint32_t i)
{
    struct axis axis = {
        .size = x->sizes[i],
        .window = window_item(graph_argument(node, "size"), i, 1),
        .stride = window_item(graph_argument(node, "stride"), i, 1),
        .dilation = window_item(graph_argument(node, "dilation"), i, 1),
    };
    const uint32_t reach = (axis.window - 1) * axis.dilation + 1; /* a window's */
    const unsigned padding = graph_argument(node, "padding")->word;
    uint32_t reached;

    if (padding == VALID) {
        axis.places = windows_within(axis.size, reach, axis.stride);
        return axis;
    }
    axis.places = (axis.size + axis.stride - 1) / axis.stride;
    reached = (axis.places - 1) * axis.stride + reach;
    axis.before = padding == CAUSAL     ? reach - 1
                  : reached > axis.size ? (reached - axis.size) / 2
                                        : 0;
    return axis;
}

static struct windows windows_of(const struct graph *graph, const struct graph_node *node)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const struct axis one = {1, 1, 1, 1, 1, 0};

    return (struct windows){
        .rows = x->rank == 3 ? axis_of(node, x, 0) : one,
        .columns = axis_of(node, x, x->rank - 2),
        .channels = graph_shape_last(x),
        .groups = (uint32_t)graph_argument(node, "groups")->number,
    };
}

static size_t places_of(const struct windows *windows)
{
    return (size_t)windows->rows.places * windows->columns.places;
}

/* Numbers of a window: those of one group. */
static size_t window_size(const struct windows *windows)
{
    return (size_t)windows->rows.window * windows->columns.window *
           (windows->channels / windows->groups);
}

static enum status check_windows(const struct graph *graph, const struct graph_node *node,
                                 const struct windows *windows, struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const uint32_t filters = graph_argument_size(graph, node, "filters");
    char shape[GRAPH_SHAPE_BYTES];

    graph_shape_text(x, shape);
    if (graph_argument(node, "padding")->word == CAUSAL && x->rank != 2)
        return graph_fail(node, err, "padding is causal along steps alone, not in %s", shape);
    if (windows->channels % windows->groups != 0 || filters % windows->groups != 0)
        return graph_fail(node, err, "%u groups do not share %u channels and %u filters alike",
                          windows->groups, windows->channels, filters);
    if (places_of(windows) == 0)
        return graph_fail(node, err, "the window is larger than %s", shape);
    if (places_of(windows) * window_size(windows) > GRAPH_ROOM_MAX)
        return graph_fail(node, err, "its windows of a row have more than %u numbers",
                          GRAPH_ROOM_MAX);
    return STATUS_OK;
}

static enum status make(struct graph *graph, struct graph_node *node, uint32_t rank,
                        struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const uint32_t filters = graph_argument_size(graph, node, "filters");
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
    TRY(check_windows(graph, node, &windows, err));
    node->shape = *x;
    node->shape.sizes[rank - 1] = filters;
    node->shape.sizes[rank - 2] = windows.columns.places;
    if (rank == 3)
        node->shape.sizes[0] = windows.rows.places;
    node->is_sequence = false;
    node->scratch = (uint32_t)(places_of(&windows) * window_size(&windows));
    TRY(graph_parameter_add(graph, node, "weights", window_size(&windows), filters, &made, err));
    made->start = (struct graph_start){.rule = GRAPH_START_FAN,
                                       .fan_in = (double)window_size(&windows),
                                       .fan_out = (double)(filters / windows.groups) *
                                                  windows.rows.window * windows.columns.window};
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
    const uint32_t step = axis->dilation, end = axis->size + axis->before;

    *from = first < axis->before ? (axis->before - first + step - 1) / step : 0;
    *from = *from < axis->window ? *from : axis->window;
    *to = end > first ? (end - first + step - 1) / step : 0;
    *to = *to < axis->window ? *to : axis->window;
    *to = *to < *from ? *from : *to;
    return *to > *from ? first + *from * step - axis->before : 0;
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

/* A run of numbers [left, right) of a window's line. */
static void line_part(const struct windows *windows, float *x, float *window, uint32_t count,
                      window_part *part)
{
    const size_t channels = windows->channels, taken = channels / windows->groups;

    if (windows->groups == 1 && windows->columns.dilation == 1) {
        part(x, window, count * channels);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        part(x + i * windows->columns.dilation * channels, window + i * taken, taken);
}

/* Each run of numbers that lie side by side in x and in a window. x begins with the group's
 * channels. */
static void each_part(const struct windows *windows, float *x, float *matrix, window_part *part)
{
    const size_t channels = windows->channels, line = windows->columns.size * channels;
    const size_t taken = channels / windows->groups;
    const size_t window_line = windows->columns.window * taken;

    for (uint32_t r = 0; r < windows->rows.places; r++)
        for (uint32_t c = 0; c < windows->columns.places; c++, matrix += window_size(windows)) {
            uint32_t top, bottom, left, right;
            const uint32_t y = inside(&windows->rows, r, &top, &bottom);
            const uint32_t start = inside(&windows->columns, c, &left, &right);

            for (uint32_t k = top; right > left && k < bottom; k++)
                line_part(windows,
                          x + (y + (k - top) * windows->rows.dilation) * line + start * channels,
                          matrix + k * window_line + left * taken, right - left, part);
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

/* Where the group's channels of a row begin in x. */
static size_t group_at(const struct operation_call *call, const struct windows *windows, size_t row,
                       uint32_t group)
{
    return row * graph_input(call->graph, call->node, 0)->size +
           group * (windows->channels / windows->groups);
}

static void lay_windows(const struct operation_call *call, const struct windows *windows,
                        size_t row, uint32_t group)
{
    memset(call->scratch, 0, call->node->scratch * sizeof *call->scratch);
    each_part(windows, (float *)(uintptr_t)(call->inputs[0] + group_at(call, windows, row, group)),
              call->scratch, take_part);
}

/* ---- groups: each has its columns of weights and value ---- */

/* The columns of a group. */
struct group {
    struct windows windows;
    struct affine affine; /* all groups' */
    uint32_t number;
    size_t first, width; /* columns */
};

static void group_forward(const struct operation_call *call, const struct group *group, size_t row)
{
    const struct affine *affine = &group->affine;
    const struct product product = {
        .n = places_of(&group->windows),
        .k = affine->rows,
        .m = group->width,
        .a = call->scratch,
        .a_row = affine->rows,
        .a_column = 1,
        .b = call->parameters + affine->weights + group->first,
        .b_row = affine->width,
        .start = call->parameters + affine->bias + group->first,
        .c = call->value + row * call->node->size + group->first,
        .c_row = affine->width,
    };

    product_compute(&product);
}

/* The gradient of weights and bias += that of a row. */
static void group_backward(const struct operation_call *call, const struct group *group,
                           const float *delta)
{
    const struct affine *affine = &group->affine;
    float *weights = call->gradient + affine->weights + group->first;
    const struct product product = {
        .n = affine->rows,
        .k = places_of(&group->windows),
        .m = group->width,
        .a = call->scratch,
        .a_row = 1,
        .a_column = affine->rows,
        .b = delta + group->first,
        .b_row = affine->width,
        .start = weights,
        .start_row = affine->width,
        .c = weights,
        .c_row = affine->width,
    };

    product_compute(&product);
    for (size_t i = 0; i < places_of(&group->windows); i++)
        add_to(call->gradient + affine->bias + group->first,
               delta + i * affine->width + group->first, group->width);
}

/* The gradient of the windows. */
static void group_backward_windows(const struct operation_call *call, const struct group *group,
                                   const float *delta)
{
    const struct affine *affine = &group->affine;
    const float *turned = affine_has_transposed(affine) ? call->transposed + affine->transposed
                                                        : call->parameters + affine->weights;
    const struct product product = {
        .n = places_of(&group->windows),
        .k = group->width,
        .m = affine->rows,
        .a = delta + group->first,
        .a_row = affine->width,
        .a_column = 1,
        .b = turned + group->first * affine->rows,
        .b_row = affine->rows,
        .c = call->scratch,
        .c_row = affine->rows,
    };

    product_compute(&product);
}

static struct group group_of(const struct operation_call *call, uint32_t number)
{
    struct group group = {windows_of(call->graph, call->node), affine_of(call), number, 0, 0};

    group.width = group.affine.width / group.windows.groups;
    group.first = number * group.width;
    return group;
}

/* One group is a layer of all channels: affine.h has its products. */
static void forward(const struct operation_call *call)
{
    for (uint32_t g = 0; g < windows_of(call->graph, call->node).groups; g++) {
        const struct group group = group_of(call, g);

        for (size_t row = 0; row < call->n; row++) {
            lay_windows(call, &group.windows, row, g);
            if (group.windows.groups > 1)
                group_forward(call, &group, row);
            else
                affine_forward(&group.affine, call->parameters, places_of(&group.windows),
                               call->scratch, call->value + row * call->node->size);
        }
    }
}

static void row_backward(const struct operation_call *call, const struct group *group, size_t row)
{
    const struct windows *windows = &group->windows;
    const float *delta = call->delta + row * call->node->size;
    const bool is_one = windows->groups == 1;

    lay_windows(call, windows, row, group->number);
    if (is_one)
        affine_backward(&group->affine, places_of(windows), call->scratch, delta, false,
                        call->gradient);
    else
        group_backward(call, group, delta);
    if (!call->deltas[0])
        return;
    if (is_one)
        affine_backward_inputs(&group->affine, call->parameters, call->transposed,
                               places_of(windows), delta, false, call->scratch);
    else
        group_backward_windows(call, group, delta);
    each_part(windows, call->deltas[0] + group_at(call, windows, row, group->number), call->scratch,
              give_part);
}

static void backward(const struct operation_call *call)
{
    for (uint32_t g = 0; g < windows_of(call->graph, call->node).groups; g++) {
        const struct group group = group_of(call, g);

        for (size_t row = 0; row < call->n; row++)
            row_backward(call, &group, row);
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
