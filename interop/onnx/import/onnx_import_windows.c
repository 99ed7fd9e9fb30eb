/* Readers of convolutions and pools, whose pictures have the channels in front. */
#include "interop/onnx/import/onnx_import_windows.h"

#include <string.h>

#include "interop/onnx/import/onnx_import_axes.h"

/* A list of sizes, one for each axis of places, or what it is without. */
static enum status take_sizes(const struct onnx_import *import, const char *name, uint32_t count,
                              uint32_t otherwise, uint32_t least, uint32_t *sizes)
{
    const Onnx__AttributeProto *found = onnx_attribute(import, name);

    for (uint32_t i = 0; i < count; i++) {
        sizes[i] = otherwise;
        if (!found)
            continue;
        if (found->n_ints != count || found->ints[i] < least || found->ints[i] > 1024)
            return onnx_refuse_node(import, "%s is to have %u sizes up to 1024", name, count);
        sizes[i] = (uint32_t)found->ints[i];
    }
    return STATUS_OK;
}

enum padding {
    PADDING_NONE,
    PADDING_SAME,
    PADDING_CAUSAL,
    PADDING_OTHER /* the node says how many before and behind */
};

struct windows {
    uint32_t axes, size[2], stride[2], dilation[2], groups;
    enum padding padding;
    uint32_t before[2], behind[2]; /* those of PADDING_OTHER */
};

/* Places that a window reaches over along an axis. */
static uint32_t reach_of(const struct windows *windows, uint32_t axis)
{
    return (windows->size[axis] - 1) * windows->dilation[axis] + 1;
}

static bool says(const Onnx__AttributeProto *attribute, const char *word)
{
    return attribute && attribute->s.len == strlen(word) &&
           memcmp(attribute->s.data, word, attribute->s.len) == 0;
}

/* Zeros around x: none, those of padding = same or causal, or others. */
static enum status take_padding(const struct onnx_import *import, const struct onnx_known *x,
                                struct windows *windows)
{
    const Onnx__AttributeProto *automatic = onnx_attribute(import, "auto_pad");
    uint32_t zeros[4];
    bool has_zeros = false, are_same = true, are_before;

    if (says(automatic, "SAME_UPPER")) {
        windows->padding = PADDING_SAME;
        return STATUS_OK;
    }
    if (automatic && !says(automatic, "NOTSET") && !says(automatic, "VALID"))
        return onnx_refuse_node(import, "its auto_pad is not read");
    TRY(take_sizes(import, "pads", 2 * windows->axes, 0, 0, zeros));
    are_before = windows->axes == 1 && windows->stride[0] == 1 && zeros[1] == 0 &&
                 zeros[0] == reach_of(windows, 0) - 1;
    for (uint32_t i = 0; i < windows->axes; i++) {
        const uint32_t size = x->sizes[i + 1], stride = windows->stride[i];
        const uint32_t places = (size + stride - 1) / stride;
        const uint32_t reached = (places - 1) * stride + reach_of(windows, i);
        const uint32_t needed = reached > size ? reached - size : 0;

        has_zeros |= zeros[i] > 0 || zeros[windows->axes + i] > 0;
        are_same &= zeros[i] == needed / 2 && zeros[windows->axes + i] == needed - needed / 2;
    }
    if (has_zeros)
        windows->padding = are_same ? PADDING_SAME : are_before ? PADDING_CAUSAL : PADDING_OTHER;
    for (uint32_t i = 0; i < windows->axes; i++) {
        windows->before[i] = zeros[i];
        windows->behind[i] = zeros[windows->axes + i];
    }
    return STATUS_OK;
}

static enum status take_windows(const struct onnx_import *import, const struct onnx_known *x,
                                struct windows *windows)
{
    if (x->rank != 2 && x->rank != 3)
        return onnx_refuse_node(import, "it takes (rows, channels, places) of one or two axes");
    windows->axes = x->rank - 1;
    TRY(take_sizes(import, "kernel_shape", windows->axes, 0, 1, windows->size));
    TRY(take_sizes(import, "strides", windows->axes, 1, 1, windows->stride));
    return take_sizes(import, "dilations", windows->axes, 1, 1, windows->dilation);
}

/* Sizes of the value: channels, places. */
static enum status find_sizes(const struct onnx_import *import, const struct onnx_known *x,
                              const struct windows *windows, uint32_t channels, uint32_t *sizes)
{
    sizes[0] = channels;
    for (uint32_t i = 0; i < windows->axes; i++) {
        const bool has_more = windows->padding == PADDING_OTHER;
        const uint32_t size =
            x->sizes[i + 1] + (has_more ? windows->before[i] + windows->behind[i] : 0);
        const uint32_t stride = windows->stride[i];

        if ((windows->padding == PADDING_NONE || has_more) && size < reach_of(windows, i))
            return onnx_refuse_node(import, "its window is larger than the picture");
        sizes[i + 1] = windows->padding == PADDING_SAME || windows->padding == PADDING_CAUSAL
                           ? (size + stride - 1) / stride
                           : (size - reach_of(windows, i)) / stride + 1;
    }
    return STATUS_OK;
}

/* The picture, channels last, with places of one number around it. */
static enum status surround(struct onnx_import *import, const struct onnx_known *x,
                            const struct windows *windows, double number, uint32_t *node)
{
    for (uint32_t i = 0; windows->padding == PADDING_OTHER && i < windows->axes; i++)
        TRY(onnx_surround(import, node, i, x->sizes[i + 1], windows->before[i], windows->behind[i],
                          number));
    return STATUS_OK;
}

/* (filters, channels, window) as (window, channels, filters). */
static float *turned(struct onnx_import *import, const struct onnx_array *weights)
{
    const size_t filters = weights->sizes[0], channels = weights->sizes[1];
    const size_t window = weights->count / (filters * channels);
    float *to = onnx_room(import, weights->count);

    for (size_t i = 0; to && i < filters; i++)
        for (size_t k = 0; k < channels; k++)
            for (size_t j = 0; j < window; j++)
                to[(j * channels + k) * filters + i] =
                    weights->floats[(i * channels + k) * window + j];
    return to;
}

static enum status check_weights(const struct onnx_import *import, const struct onnx_known *x,
                                 const struct onnx_array *weights, struct windows *windows)
{
    const int64_t groups = onnx_integer_of(import, "group", 1);

    if (!weights->floats || weights->rank != x->rank + 1 || weights->count == 0)
        return onnx_refuse_node(import, "its weights have other axes than its input");
    if (groups < 1 || groups > x->sizes[0] || x->sizes[0] % groups != 0 ||
        weights->sizes[1] != x->sizes[0] / groups || weights->sizes[0] % groups != 0)
        return onnx_refuse_node(import, "its groups do not share channels and filters alike");
    windows->groups = (uint32_t)groups;
    for (uint32_t i = 0; i < windows->axes; i++) {
        if (windows->size[i] != 0 && windows->size[i] != weights->sizes[i + 2])
            return onnx_refuse_node(import, "its kernel_shape is not that of its weights");
        windows->size[i] = weights->sizes[i + 2];
    }
    return STATUS_OK;
}

static enum status call_convolution(struct onnx_import *import, const struct windows *windows,
                                    uint32_t filters, uint32_t *node)
{
    struct graph_value arguments[6] = {
        onnx_number_argument("filters", filters),
        onnx_list_argument("size", windows->size, windows->axes),
        onnx_list_argument("stride", windows->stride, windows->axes)};
    uint32_t count = 3;

    if (windows->padding == PADDING_SAME || windows->padding == PADDING_CAUSAL)
        arguments[count++] = (struct graph_value){
            .type = GRAPH_TEXT,
            .name = SLICE("padding"),
            .place = -1,
            .text = windows->padding == PADDING_SAME ? SLICE("same") : SLICE("causal")};
    if (windows->dilation[0] != 1 || windows->dilation[windows->axes - 1] != 1)
        arguments[count++] = onnx_list_argument("dilation", windows->dilation, windows->axes);
    if (windows->groups > 1)
        arguments[count++] = onnx_number_argument("groups", windows->groups);
    return onnx_call(import, windows->axes == 2 ? "conv2d" : "conv1d", node, 1, arguments, count,
                     node);
}

static enum status read_conv(struct onnx_import *import)
{
    struct windows windows = {0};
    struct onnx_array weights, bias = {0};
    struct onnx_known *x, *given;
    uint32_t sizes[3], node;
    float *turned_weights, *own_bias;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(onnx_take_array(import, 1, &weights));
    if (onnx_taken(import, 2))
        TRY(onnx_take_array(import, 2, &bias));
    TRY(take_windows(import, x, &windows));
    TRY(check_weights(import, x, &weights, &windows));
    TRY(take_padding(import, x, &windows));
    TRY(find_sizes(import, x, &windows, weights.sizes[0], sizes));
    if (bias.rank > 0 && (!bias.floats || bias.count != weights.sizes[0]))
        return onnx_refuse_node(import, "its bias has another size than its filters");
    TRY(onnx_with_last(import, x, &node));
    TRY(surround(import, x, &windows, 0, &node));
    TRY(call_convolution(import, &windows, weights.sizes[0], &node));
    turned_weights = turned(import, &weights);
    own_bias = onnx_room(import, weights.sizes[0]);
    if (!turned_weights || !own_bias)
        return STATUS_NO_MEMORY;
    if (bias.floats)
        memcpy(own_bias, bias.floats, bias.count * sizeof *own_bias);
    TRY(onnx_give_weights(import, node, 0, turned_weights, weights.count));
    TRY(onnx_give_weights(import, node, 1, own_bias, weights.sizes[0]));
    TRY(onnx_give(import, node, x->rank, sizes, true, &given));
    given->weights = turned_weights;
    given->bias = own_bias;
    given->rows = (uint32_t)(weights.count / weights.sizes[0]);
    given->width = weights.sizes[0];
    return STATUS_OK;
}

/* Outside of the picture a pool has `border`; padding = same or causal say where that is, too. */
static enum status give_pool(struct onnx_import *import, const char *operation, double border)
{
    struct graph_value arguments[2];
    struct windows windows = {0};
    uint32_t sizes[3], node;
    struct onnx_known *x;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(take_windows(import, x, &windows));
    if (windows.size[0] == 0)
        return onnx_refuse_node(import, "it has no kernel_shape");
    TRY(take_padding(import, x, &windows));
    if (windows.padding != PADDING_NONE && onnx_attribute(import, "pads"))
        windows.padding = PADDING_OTHER;
    if ((windows.padding != PADDING_NONE && windows.padding != PADDING_OTHER) ||
        (windows.padding == PADDING_OTHER && border == 0 &&
         onnx_integer_of(import, "count_include_pad", 0) == 0) ||
        windows.dilation[0] != 1 || windows.dilation[windows.axes - 1] != 1 ||
        onnx_integer_of(import, "ceil_mode", 0) != 0 || import->node->n_output > 1)
        return onnx_refuse_node(import,
                                "its windows are to have no gaps, and its means no places outside");
    TRY(find_sizes(import, x, &windows, x->sizes[0], sizes));
    arguments[0] = onnx_list_argument("size", windows.size, windows.axes);
    arguments[1] = onnx_list_argument("stride", windows.stride, windows.axes);
    TRY(onnx_with_last(import, x, &node));
    TRY(surround(import, x, &windows, border, &node));
    TRY(onnx_call(import, operation, &node, 1, arguments, 2, &node));
    return onnx_give(import, node, x->rank, sizes, true, NULL);
}

static enum status read_max_pool(struct onnx_import *import)
{
    return give_pool(import, "max_pool", -1e30);
}

static enum status read_average_pool(struct onnx_import *import)
{
    return give_pool(import, "mean_pool", 0);
}

/* (channels, 1, 1) of all places. */
static enum status read_global_average_pool(struct onnx_import *import)
{
    static const uint32_t places[] = {0, 1};
    uint32_t sizes[GRAPH_RANK_MAX] = {1, 1, 1, 1}, node;
    struct graph_value axes, shape;
    struct onnx_known *x;

    TRY(onnx_take_floats(import, 0, &x));
    if (x->rank != 2 && x->rank != 3)
        return onnx_refuse_node(import, "it takes (rows, channels, places) of one or two axes");
    sizes[0] = x->sizes[0];
    axes = onnx_list_argument("axes", places, x->rank - 1);
    shape = onnx_list_argument("shape", sizes, x->rank);
    TRY(onnx_with_last(import, x, &node));
    TRY(onnx_call(import, "mean", &node, 1, &axes, 1, &node));
    TRY(onnx_call(import, "reshape", &node, 1, &shape, 1, &node));
    return onnx_give(import, node, x->rank, sizes, false, NULL);
}

const struct onnx_operator onnx_window_readers[] = {
    {"AveragePool", read_average_pool},
    {"Conv", read_conv},
    {"GlobalAveragePool", read_global_average_pool},
    {"MaxPool", read_max_pool},
    {.name = NULL},
};
