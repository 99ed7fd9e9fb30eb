/* Convolutions and pools. Graphs have channels last, and ONNX has them behind the rows. */
#include "interop/onnx/onnx_windows.h"

#include "graph/graph_shape.h"
#include "graph/operation.h"

/* Axes of a picture or of steps in a tensor: the rows, the places, the channels. */
static onnx_value channels_first(struct onnx_graph *graph, onnx_value x, uint32_t places)
{
    static const int64_t orders[][4] = {{0, 2, 1}, {0, 3, 1, 2}};

    return onnx_turned(graph, x, orders[places - 1], places + 2);
}

static onnx_value channels_last(struct onnx_graph *graph, onnx_value x, uint32_t places)
{
    static const int64_t orders[][4] = {{0, 2, 1}, {0, 2, 3, 1}};

    return onnx_turned(graph, x, orders[places - 1], places + 2);
}

/* Sizes along the axes of places. */
static void set_sizes(struct onnx_graph *graph, struct onnx_node *node, const char *name,
                      const struct graph_argument *list, const struct graph_argument *otherwise,
                      uint32_t places)
{
    int64_t *sizes = ONNX_NEW(graph->walk, int64_t, places);

    if (list->list_count == 0)
        list = otherwise;
    for (uint32_t i = 0; sizes && i < places; i++)
        sizes[i] = !list || list->list_count == 0
                       ? 1
                       : (int64_t)list->list[i < list->list_count ? i : list->list_count - 1];
    if (sizes)
        onnx_set_integers(graph->walk->file, node, name, sizes, places);
}

/* The last item of a list is for all axes behind it; 1 of an empty one. */
static uint32_t item(const struct graph_argument *list, uint32_t axis)
{
    if (list->list_count == 0)
        return 1;
    return (uint32_t)list->list[axis < list->list_count ? axis : list->list_count - 1];
}

/* Weights (window, channels, filters) as (filters, channels, window); of a group's channels. */
static onnx_value turned_weights(struct onnx_graph *graph, const struct graph_node *node,
                                 const uint32_t *sizes, uint32_t rank)
{
    const float *weights = onnx_parameter(graph, node, 0);
    const uint32_t filters = sizes[0], channels = sizes[1];
    size_t window = 1, at = 0;
    float *turned;

    for (uint32_t i = 2; i < rank; i++)
        window *= sizes[i];
    turned = ONNX_NEW(graph->walk, float, window *channels *filters);
    if (!turned)
        return "";
    for (size_t i = 0; i < filters; i++)
        for (size_t k = 0; k < channels; k++)
            for (size_t j = 0; j < window; j++)
                turned[at++] = weights[(j * channels + k) * filters + i];
    return onnx_floats(graph->walk->file, turned, sizes, rank);
}

/* The zeros around x: none, as auto_pad counts them, or, for windows with gaps, which programs do
 * not combine with auto_pad, and for windows that reach back alone, as sizes. */
static void set_zeros(struct onnx_graph *graph, struct onnx_node *made,
                      const struct graph_node *node, uint32_t places)
{
    const struct graph_shape *x = &graph_input(graph->graph, node, 0)->shape;
    const struct graph_argument *stride = graph_argument(node, "stride");
    const struct graph_argument *dilation = graph_argument(node, "dilation");
    const struct graph_argument *size = graph_argument(node, "size");
    const struct slice padding = graph_argument(node, "padding")->text;
    int64_t *zeros;

    if (slice_is(padding, "valid"))
        return;
    if (slice_is(padding, "same") && dilation->list_count == 0) {
        onnx_set_string(graph->walk->file, made, "auto_pad", SLICE("SAME_UPPER"));
        return;
    }
    zeros = ONNX_NEW(graph->walk, int64_t, 2 * places);
    for (uint32_t i = 0; zeros && i < places; i++) {
        const uint32_t reach = (item(size, i) - 1) * item(dilation, i) + 1;
        const uint32_t reached = (node->shape.sizes[i] - 1) * item(stride, i) + reach;
        const uint32_t needed = reached > x->sizes[i] ? reached - x->sizes[i] : 0;

        zeros[i] = slice_is(padding, "causal") ? reach - 1 : needed / 2;
        zeros[places + i] = needed > zeros[i] ? needed - zeros[i] : 0;
    }
    if (zeros)
        onnx_set_integers(graph->walk->file, made, "pads", zeros, 2 * places);
}

static onnx_value write_convolution(struct onnx_graph *graph, const struct graph_node *node)
{
    const struct graph_shape *x = &graph_input(graph->graph, node, 0)->shape;
    const struct graph_argument *size = graph_argument(node, "size");
    const uint32_t places = x->rank - 1, filters = graph_shape_last(&node->shape);
    const uint32_t groups = (uint32_t)graph_argument(node, "groups")->number;
    uint32_t sizes[4] = {filters, graph_shape_last(x) / groups, 1, 1};
    onnx_value values[3];
    struct onnx_node *made;

    for (uint32_t i = 0; i < places; i++)
        sizes[i + 2] = item(size, i);
    values[0] = channels_first(graph, onnx_input_of(graph, node, 0), places);
    values[1] = turned_weights(graph, node, sizes, places + 2);
    values[2] = onnx_floats(graph->walk->file, onnx_parameter(graph, node, 1), &filters, 1);
    made = onnx_node_new(graph->walk->file, "", "Conv", values, 3);
    set_sizes(graph, made, "strides", graph_argument(node, "stride"), NULL, places);
    if (graph_argument(node, "dilation")->list_count > 0)
        set_sizes(graph, made, "dilations", graph_argument(node, "dilation"), NULL, places);
    if (groups > 1)
        onnx_set_integer(graph->walk->file, made, "group", groups);
    set_zeros(graph, made, node, places);
    return channels_last(graph, onnx_node_value(made), places);
}

static onnx_value pooled(struct onnx_graph *graph, const struct graph_node *node,
                         const char *operator)
{
    const uint32_t places = node->shape.rank - 1;
    const struct graph_argument *size = graph_argument(node, "size");
    const onnx_value x = channels_first(graph, onnx_input_of(graph, node, 0), places);
    struct onnx_node *made = onnx_node_new(graph->walk->file, "", operator, & x, 1);

    set_sizes(graph, made, "kernel_shape", size, NULL, places);
    set_sizes(graph, made, "strides", graph_argument(node, "stride"), size, places);
    return channels_last(graph, onnx_node_value(made), places);
}

static onnx_value write_max_pool(struct onnx_graph *graph, const struct graph_node *node)
{
    return pooled(graph, node, "MaxPool");
}

static onnx_value write_mean_pool(struct onnx_graph *graph, const struct graph_node *node)
{
    return pooled(graph, node, "AveragePool");
}

const struct onnx_operation onnx_windows[] = {
    {"conv1d", "filters size stride padding dilation groups", write_convolution},
    {"conv2d", "filters size stride padding dilation groups", write_convolution},
    {"max_pool", "size stride", write_max_pool},
    {"mean_pool", "size stride", write_mean_pool},
    {.name = NULL},
};
