#include <string.h>

#include "base/vectors.h"
#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"
#include "graph/operations/windows.h"

/*
 * max_pool(x, size) and mean_pool(x, size): of (steps, channels) or (height, width, channels), the
 * greatest number or the mean of each window, channel by channel. Windows lie within x.
 */

#define WINDOW_MOST 1024 /* size of a window along an axis */

static const struct operation_argument arguments[] = {
    {.name = "size",
     .type = ARGUMENT_LIST,
     .least = 1,
     .most = WINDOW_MOST,
     .is_needed = true,
     .help = "Size of the window, such as 2 or [2, 2]."},
    {.name = "stride",
     .type = ARGUMENT_LIST,
     .least = 1,
     .most = 1024,
     .help = "Steps from one window to the next; as long as the window by default."},
    {.name = NULL},
};

struct pooling {
    uint32_t rows, columns, channels; /* x has: steps are columns of one row */
    uint32_t window_rows, window_columns, stride_rows, stride_columns;
    uint32_t places_rows, places_columns;
};

static struct pooling pooling_of(const struct graph *graph, const struct graph_node *node)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const struct graph_argument *size = graph_argument(node, "size");
    const struct graph_argument *stride = graph_argument(node, "stride");
    const uint32_t last = x->rank - 2;
    struct pooling pooling = {
        .rows = x->rank == 3 ? x->sizes[0] : 1,
        .columns = x->sizes[last],
        .channels = graph_shape_last(x),
        .window_rows = x->rank == 3 ? window_item(size, 0, 1) : 1,
        .window_columns = window_item(size, last, 1),
    };

    pooling.stride_rows = x->rank == 3 ? window_item(stride, 0, pooling.window_rows) : 1;
    pooling.stride_columns = window_item(stride, last, pooling.window_columns);
    pooling.places_rows = windows_within(pooling.rows, pooling.window_rows, pooling.stride_rows);
    pooling.places_columns =
        windows_within(pooling.columns, pooling.window_columns, pooling.stride_columns);
    return pooling;
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    struct pooling pooling;
    char text[GRAPH_SHAPE_BYTES];

    if (x->rank != 2 && x->rank != 3)
        return graph_fail(node, err,
                          "it takes (steps, channels) or (height, width, channels), not %s",
                          graph_shape_text(x, text));
    pooling = pooling_of(graph, node);
    if (pooling.places_rows == 0 || pooling.places_columns == 0)
        return graph_fail(node, err, "the window is larger than %s", graph_shape_text(x, text));
    node->shape = *x;
    node->shape.sizes[0] = pooling.places_rows;
    node->shape.sizes[x->rank - 2] = pooling.places_columns;
    node->is_sequence = false;
    node->scratch = 2 * pooling.channels;
    return STATUS_OK;
}

/* Where the window of a place begins in a row of x. */
static size_t window_at(const struct pooling *pooling, uint32_t r, uint32_t c)
{
    return ((size_t)r * pooling->stride_rows * pooling->columns + c * pooling->stride_columns) *
           pooling->channels;
}

/* A number of the window, counted from its beginning. */
static size_t number_at(const struct pooling *pooling, uint32_t i, uint32_t j)
{
    return ((size_t)i * pooling->columns + j) * pooling->channels;
}

/* All channels of one window: x, y and their gradients begin with the first. scratch: of two floats
 * a channel. */
typedef void window_step(const struct pooling *pooling, const float *x, float *y, const float *dy,
                         float *dx, float *scratch);

static void each_window(const struct operation_call *call, window_step *step)
{
    const struct pooling pooling = pooling_of(call->graph, call->node);
    const size_t size = graph_input(call->graph, call->node, 0)->size;
    const bool is_back = call->deltas[0] != NULL;
    size_t at = 0;

    for (size_t n = 0; n < call->n; n++)
        for (uint32_t r = 0; r < pooling.places_rows; r++)
            for (uint32_t c = 0; c < pooling.places_columns; c++, at += pooling.channels) {
                const size_t from = n * size + window_at(&pooling, r, c);

                step(&pooling, call->inputs[0] ? call->inputs[0] + from : NULL,
                     call->value ? call->value + at : NULL, is_back ? call->delta + at : NULL,
                     is_back ? call->deltas[0] + from : NULL, call->scratch);
            }
}

/* A number takes the place of what is none, too. */
WIDE_VECTORS
static void take_greater(float *restrict y, const float *restrict x, size_t count)
{
    for (size_t k = 0; k < count; k++)
        y[k] = x[k] <= y[k] ? y[k] : x[k];
}

/* The same, and which number of the window each is of: the first of the greatest. */
WIDE_VECTORS
static void note_greater(float *restrict y, float *restrict places, const float *restrict x,
                         float place, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        places[k] = x[k] <= y[k] ? places[k] : place;
        y[k] = x[k] <= y[k] ? y[k] : x[k];
    }
}

WIDE_VECTORS
static void give_at(float *restrict dx, const float *restrict dy, const float *restrict places,
                    float place, size_t count)
{
    for (size_t k = 0; k < count; k++)
        dx[k] = places[k] == place ? dx[k] + dy[k] : dx[k];
}

static void take_greatest(const struct pooling *pooling, const float *x, float *y, const float *dy,
                          float *dx, float *scratch)
{
    (void)dy;
    (void)dx;
    (void)scratch;
    memcpy(y, x, pooling->channels * sizeof *y);
    for (uint32_t i = 0; i < pooling->window_rows; i++)
        for (uint32_t j = i == 0; j < pooling->window_columns; j++)
            take_greater(y, x + number_at(pooling, i, j), pooling->channels);
}

/* Numbers of a window are counted in floats, which know them all. */
static void give_greatest(const struct pooling *pooling, const float *x, float *y, const float *dy,
                          float *dx, float *scratch)
{
    const uint32_t channels = pooling->channels;
    float *greatest = scratch, *places = scratch + channels;

    (void)y;
    memcpy(greatest, x, channels * sizeof *greatest);
    memset(places, 0, channels * sizeof *places);
    for (uint32_t i = 0; i < pooling->window_rows; i++)
        for (uint32_t j = i == 0; j < pooling->window_columns; j++)
            note_greater(greatest, places, x + number_at(pooling, i, j),
                         (float)(i * pooling->window_columns + j), channels);
    for (uint32_t i = 0; i < pooling->window_rows; i++)
        for (uint32_t j = 0; j < pooling->window_columns; j++)
            give_at(dx + number_at(pooling, i, j), dy, places,
                    (float)(i * pooling->window_columns + j), channels);
}
_Static_assert(WINDOW_MOST *WINDOW_MOST <= 1 << 24, "a float counts the numbers of a window");

static float share_of(const struct pooling *pooling)
{
    return 1 / (float)(pooling->window_rows * pooling->window_columns);
}

static void take_mean(const struct pooling *pooling, const float *x, float *y, const float *dy,
                      float *dx, float *scratch)
{
    (void)dy;
    (void)dx;
    (void)scratch;
    memset(y, 0, pooling->channels * sizeof *y);
    for (uint32_t i = 0; i < pooling->window_rows; i++)
        for (uint32_t j = 0; j < pooling->window_columns; j++)
            add_to(y, x + number_at(pooling, i, j), pooling->channels);
    scale_by(y, share_of(pooling), pooling->channels);
}

static void give_mean(const struct pooling *pooling, const float *x, float *y, const float *dy,
                      float *dx, float *scratch)
{
    (void)x;
    (void)y;
    (void)scratch;
    for (uint32_t i = 0; i < pooling->window_rows; i++)
        for (uint32_t j = 0; j < pooling->window_columns; j++)
            add_scaled(dx + number_at(pooling, i, j), dy, share_of(pooling), pooling->channels);
}

#define POOLING(its_name, take, give, looks_back, its_help)                                        \
    static void its_name##_forward(const struct operation_call *call)                              \
    {                                                                                              \
        each_window(call, take);                                                                   \
    }                                                                                              \
    static void its_name##_backward(const struct operation_call *call)                             \
    {                                                                                              \
        if (call->deltas[0])                                                                       \
            each_window(call, give);                                                               \
    }                                                                                              \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .arguments = arguments,                                                                    \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .keeps_inputs = looks_back,                                                                \
        .shape = shape,                                                                            \
        .forward = its_name##_forward,                                                             \
        .backward = its_name##_backward,                                                           \
    };

POOLING(max_pool, take_greatest, give_greatest, true, "The greatest number of each window.")
POOLING(mean_pool, take_mean, give_mean, false, "The mean of each window.")
