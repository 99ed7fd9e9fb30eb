/* Readers of shapes: other shapes of the same numbers, some of them, sums along axes; and of sizes
 * that a file computes from shapes, as of x.view(x.size(0), -1). */
#include "interop/onnx/onnx_import_shapes.h"

#include <string.h>

#define ROWS INT64_MIN /* the size of the first axis, among the integers of a shape */

/* ----- sizes ----- */

static enum status give_sizes(struct onnx_import *import, const int64_t *integers, size_t count,
                              uint32_t rank)
{
    struct onnx_known known = {
        .held = ONNX_HOLDS_ARRAY,
        .array = {.rank = rank, .sizes = {(uint32_t)count}, .count = count, .integers = integers}};

    if (!integers)
        return onnx_refuse_node(import, "it is read of the integers of a shape");
    return onnx_give_same(import, &known);
}

static enum status read_shape(struct onnx_import *import)
{
    int64_t *integers = ARENA_NEW(import->arena, int64_t, GRAPH_RANK_MAX + 1);
    struct onnx_known *x;

    if (!integers)
        return fail_no_memory(import->err);
    TRY(onnx_take_floats(import, 0, &x));
    if (import->node->n_attribute > 0)
        return onnx_refuse_node(import, "it is read of all axes");
    integers[0] = ROWS;
    for (uint32_t i = 0; i < x->rank; i++)
        integers[i + 1] = x->sizes[i];
    return give_sizes(import, integers, x->rank + 1u, 1);
}

enum status onnx_take_places(struct onnx_import *import, const struct onnx_array *of)
{
    struct onnx_array places;
    int64_t *integers;

    TRY(onnx_take_array(import, 1, &places));
    integers = ARENA_NEW(import->arena, int64_t, places.count + 1);
    if (!integers)
        return fail_no_memory(import->err);
    for (size_t i = 0; i < places.count; i++) {
        const int64_t at = places.integers ? places.integers[i] : -1;
        const int64_t counted = at < 0 ? at + (int64_t)of->count : at;

        if (!places.integers || counted < 0 || counted >= (int64_t)of->count)
            return onnx_refuse_node(import, "it selects what is not there");
        integers[i] = of->integers[counted];
    }
    return give_sizes(import, integers, places.count, places.rank);
}

static enum status join_sizes(struct onnx_import *import)
{
    int64_t *integers = ARENA_NEW(import->arena, int64_t, GRAPH_RANK_MAX + 2);
    size_t count = 0;

    if (!integers)
        return fail_no_memory(import->err);
    for (size_t i = 0; i < import->node->n_input; i++) {
        struct onnx_array part;

        TRY(onnx_take_array(import, i, &part));
        if (!part.integers || part.count > GRAPH_RANK_MAX + 1 - count)
            return onnx_refuse_node(import, "it is read of the integers of a shape");
        memcpy(integers + count, part.integers, part.count * sizeof *integers);
        count += part.count;
    }
    return give_sizes(import, integers, count, 1);
}

/* ----- shapes ----- */

static enum status read_same(struct onnx_import *import)
{
    const struct onnx_known *x = onnx_taken(import, 0);

    if (!x)
        return onnx_refuse_node(import, "it has no input");
    return onnx_give_same(import, x);
}

static uint64_t size_of(const struct onnx_known *x)
{
    uint64_t size = 1;

    for (uint32_t i = 0; i < x->rank; i++)
        size *= x->sizes[i];
    return size;
}

static enum status give_shape(struct onnx_import *import, struct onnx_known *x, uint32_t rank,
                              const uint32_t *sizes)
{
    const struct graph_value shape = onnx_list_argument("shape", sizes, rank);
    uint32_t node;

    if (rank == x->rank && memcmp(sizes, x->sizes, rank * sizeof *sizes) == 0)
        return onnx_give_same(import, x);
    TRY(onnx_in_order(import, x, &node));
    if (rank == 1)
        TRY(onnx_call(import, "flatten", &node, 1, NULL, 0, &node));
    else
        TRY(onnx_call(import, "reshape", &node, 1, &shape, 1, &node));
    return onnx_give(import, node, rank, sizes, false, NULL);
}

static enum status read_flatten(struct onnx_import *import)
{
    struct onnx_known *x;
    uint32_t size;

    TRY(onnx_take_floats(import, 0, &x));
    if (onnx_integer_of(import, "axis", 1) != 1 || size_of(x) > GRAPH_FLOATS_MAX)
        return onnx_refuse_node(import, "its axis is to be 1");
    size = (uint32_t)size_of(x);
    return give_shape(import, x, 1, &size);
}

/* Sizes behind that of the rows, of which one may follow from the others. */
static enum status read_reshape(struct onnx_import *import)
{
    uint32_t sizes[GRAPH_RANK_MAX], rest = UINT32_MAX;
    struct onnx_array shape;
    uint64_t known = 1;
    struct onnx_known *x;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(onnx_take_array(import, 1, &shape));
    if (!shape.integers || shape.rank != 1 || shape.count < 2 || shape.count > GRAPH_RANK_MAX + 1)
        return onnx_refuse_node(import, "its shape is to have two to five sizes");
    if (shape.integers[0] != ROWS && (shape.integers[0] > 1 || shape.integers[0] < -1))
        return onnx_refuse_node(import, "the first size is to be that of the rows");
    for (uint32_t i = 1; i < shape.count; i++) {
        const int64_t size =
            shape.integers[i] == 0 && i <= x->rank ? x->sizes[i - 1] : shape.integers[i];

        if (size == -1 && rest == UINT32_MAX && shape.integers[0] != -1) {
            rest = i - 1;
            continue;
        }
        if (size < 1 || size > GRAPH_FLOATS_MAX || (known *= (uint64_t)size) > GRAPH_FLOATS_MAX)
            return onnx_refuse_node(import, "size %lld does not follow", (long long)size);
        sizes[i - 1] = (uint32_t)size;
    }
    if (rest != UINT32_MAX)
        sizes[rest] = (uint32_t)(size_of(x) / known);
    if (size_of(x) != known * (rest == UINT32_MAX ? 1 : sizes[rest]))
        return onnx_refuse_node(import, "its input has another number of numbers");
    return give_shape(import, x, (uint32_t)shape.count - 1, sizes);
}

static enum status read_transpose(struct onnx_import *import)
{
    const Onnx__AttributeProto *order = onnx_attribute(import, "perm");
    uint32_t axes[GRAPH_RANK_MAX], sizes[GRAPH_RANK_MAX], node;
    struct graph_value list;
    struct onnx_known *x;
    unsigned bits = 0;

    TRY(onnx_take_floats(import, 0, &x));
    if (!order || order->n_ints != x->rank + 1u || order->ints[0] != 0)
        return onnx_refuse_node(import, "the rows are to stay in front");
    for (uint32_t i = 0; i < x->rank; i++) {
        if (order->ints[i + 1] < 1 || order->ints[i + 1] > x->rank ||
            bits >> order->ints[i + 1] & 1)
            return onnx_refuse_node(import, "its axes are not those of its input");
        bits |= 1u << order->ints[i + 1];
        axes[i] = (uint32_t)order->ints[i + 1] - 1;
        sizes[i] = x->sizes[axes[i]];
    }
    list = onnx_list_argument("axes", axes, x->rank);
    TRY(onnx_in_order(import, x, &node));
    TRY(onnx_call(import, "transpose", &node, 1, &list, 1, &node));
    return onnx_give(import, node, x->rank, sizes, false, NULL);
}

static enum status read_concat(struct onnx_import *import)
{
    const int64_t written = onnx_integer_of(import, "axis", 0);
    uint32_t nodes[GRAPH_INPUTS_MAX], sizes[GRAPH_RANK_MAX], node;
    struct onnx_known *x, *first;
    struct graph_value argument;
    int64_t axis;

    if (onnx_taken(import, 0) && onnx_taken(import, 0)->held == ONNX_HOLDS_ARRAY)
        return join_sizes(import);
    TRY(onnx_take_floats(import, 0, &first));
    axis = written < 0 ? written + first->rank : written - 1;
    if (axis < 0 || axis >= first->rank || import->node->n_input > GRAPH_INPUTS_MAX)
        return onnx_refuse_node(import, "axis %lld is that of the rows, or none",
                                (long long)written);
    memcpy(sizes, first->sizes, sizeof sizes);
    sizes[axis] = 0;
    for (uint32_t i = 0; i < import->node->n_input; i++) {
        TRY(onnx_take_floats(import, i, &x));
        TRY(onnx_in_order(import, x, &nodes[i]));
        if (x->rank != first->rank || x->sizes[axis] > GRAPH_FLOATS_MAX - sizes[axis])
            return onnx_refuse_node(import, "its inputs have different shapes");
        sizes[axis] += x->sizes[axis];
    }
    argument = onnx_number_argument("axis", (double)axis);
    TRY(onnx_call(import, "concat", nodes, (uint32_t)import->node->n_input, &argument, 1, &node));
    return onnx_give(import, node, first->rank, sizes, false, NULL);
}

/* ----- axes ----- */

/* The axes of an attribute or of input `place`, as bits, that of the rows being none. */
static enum status take_axes(const struct onnx_import *import, size_t place, uint32_t rank,
                             unsigned *bits)
{
    const Onnx__AttributeProto *attribute = onnx_attribute(import, "axes");
    struct onnx_array axes = {0};

    *bits = 0;
    if (attribute) {
        axes.count = attribute->n_ints;
        axes.integers = attribute->ints;
    } else {
        TRY(onnx_take_array(import, place, &axes));
    }
    for (size_t i = 0; i < axes.count; i++) {
        const int64_t axis = axes.integers ? axes.integers[i] : 0;
        const int64_t counted = axis < 0 ? axis + rank + 1 : axis;

        if (counted < 1 || counted > rank)
            return onnx_refuse_node(import, "axis %lld is that of the rows, or none",
                                    (long long)axis);
        *bits |= 1u << (counted - 1);
    }
    return STATUS_OK;
}

static enum status give_reduced(struct onnx_import *import, const char *operation)
{
    uint32_t axes[GRAPH_RANK_MAX], left[GRAPH_RANK_MAX], count = 0, rank = 0, node;
    const bool keeps = onnx_integer_of(import, "keepdims", 1) != 0;
    struct graph_value list;
    struct onnx_known *x;
    unsigned bits;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(take_axes(import, 1, x->rank, &bits));
    for (uint32_t i = 0; i < x->rank; i++) {
        if (bits >> i & 1)
            axes[count++] = i;
        if (!(bits >> i & 1) || keeps)
            left[rank++] = bits >> i & 1 ? 1 : x->sizes[i];
    }
    if (count == 0 || rank == 0)
        return onnx_refuse_node(import,
                                "some axes behind the rows are to go away, and some to stay");
    list = onnx_list_argument("axes", axes, count);
    TRY(onnx_in_order(import, x, &node));
    TRY(onnx_call(import, operation, &node, 1, &list, 1, &node));
    list = onnx_list_argument("shape", left, rank);
    if (keeps)
        TRY(onnx_call(import, "reshape", &node, 1, &list, 1, &node));
    return onnx_give(import, node, rank, left, false, NULL);
}

static enum status read_reduce_mean(struct onnx_import *import)
{
    return give_reduced(import, "mean");
}

static enum status read_reduce_sum(struct onnx_import *import)
{
    return give_reduced(import, "sum");
}

/* Axes of size 1 come or go. */
static enum status read_squeeze(struct onnx_import *import)
{
    const struct onnx_known *taken = onnx_taken(import, 0);
    uint32_t sizes[GRAPH_RANK_MAX], rank = 0;
    struct onnx_known *x;
    unsigned bits;

    if (taken && taken->held == ONNX_HOLDS_ARRAY)
        return give_sizes(import, taken->array.integers, taken->array.count, 0);
    TRY(onnx_take_floats(import, 0, &x));
    TRY(take_axes(import, 1, x->rank, &bits));
    for (uint32_t i = 0; i < x->rank; i++) {
        if (!(bits >> i & 1))
            sizes[rank++] = x->sizes[i];
        else if (x->sizes[i] != 1)
            return onnx_refuse_node(import, "an axis that goes away is not of size 1");
    }
    return rank > 0 ? give_shape(import, x, rank, sizes)
                    : onnx_refuse_node(import, "no axis is left behind the rows");
}

static enum status read_unsqueeze(struct onnx_import *import)
{
    const struct onnx_known *taken = onnx_taken(import, 0);
    uint32_t sizes[GRAPH_RANK_MAX], rank = 0, at = 0;
    struct onnx_array axes;
    struct onnx_known *x;
    unsigned bits;

    if (taken && taken->held == ONNX_HOLDS_ARRAY)
        return give_sizes(import, taken->array.integers, taken->array.count, 1);
    TRY(onnx_take_floats(import, 0, &x));
    TRY(onnx_take_array(import, 1, &axes));
    if (x->rank + axes.count > GRAPH_RANK_MAX)
        return onnx_refuse_node(import, "a value has at most %d axes behind the rows",
                                GRAPH_RANK_MAX);
    TRY(take_axes(import, 1, x->rank + (uint32_t)axes.count, &bits));
    while (rank < x->rank + axes.count) {
        const bool is_new = bits >> rank & 1 || at == x->rank;

        sizes[rank++] = is_new ? 1 : x->sizes[at++];
    }
    return give_shape(import, x, rank, sizes);
}

static enum status read_slice(struct onnx_import *import)
{
    struct onnx_array from, to, axes, steps = {0};
    struct graph_value arguments[3];
    uint32_t sizes[GRAPH_RANK_MAX], node;
    int64_t first, last, axis;
    struct onnx_known *x;

    TRY(onnx_take_floats(import, 0, &x));
    TRY(onnx_take_array(import, 1, &from));
    TRY(onnx_take_array(import, 2, &to));
    TRY(onnx_take_array(import, 3, &axes));
    if (onnx_taken(import, 4))
        TRY(onnx_take_array(import, 4, &steps));
    if (from.count != 1 || to.count != 1 || axes.count != 1 || !from.integers || !to.integers ||
        !axes.integers || (steps.integers && (steps.count != 1 || steps.integers[0] != 1)))
        return onnx_refuse_node(import, "it is read along one axis, with steps of 1");
    axis = axes.integers[0] < 0 ? axes.integers[0] + x->rank : axes.integers[0] - 1;
    if (axis < 0 || axis >= x->rank)
        return onnx_refuse_node(import, "its axis is that of the rows, or none");
    memcpy(sizes, x->sizes, sizeof sizes);
    first = from.integers[0] < 0 ? from.integers[0] + sizes[axis] : from.integers[0];
    last = to.integers[0] < 0             ? to.integers[0] + sizes[axis]
           : to.integers[0] > sizes[axis] ? sizes[axis]
                                          : to.integers[0];
    if (first < 0 || first >= last)
        return onnx_refuse_node(import, "nothing is left of its input");
    sizes[axis] = (uint32_t)(last - first);
    arguments[0] = onnx_number_argument("from", (double)first);
    arguments[1] = onnx_number_argument("to", (double)last);
    arguments[2] = onnx_number_argument("axis", (double)axis);
    TRY(onnx_in_order(import, x, &node));
    TRY(onnx_call(import, "slice", &node, 1, arguments, 3, &node));
    return onnx_give(import, node, x->rank, sizes, false, NULL);
}

static enum status read_constant(struct onnx_import *import)
{
    const Onnx__AttributeProto *value = onnx_attribute(import, "value");
    struct onnx_known known = {.held = ONNX_HOLDS_ARRAY};

    if (!value || !value->t)
        return onnx_refuse_node(import, "it is to be a tensor");
    TRY(onnx_read_array(value->t, import->arena, &known.array, import->err));
    return onnx_give_same(import, &known);
}

const struct onnx_operator onnx_shape_readers[] = {
    {"Cast", read_same},
    {"Concat", read_concat},
    {"Constant", read_constant},
    {"Dropout", read_same},
    {"Flatten", read_flatten},
    {"Identity", read_same},
    {"ReduceMean", read_reduce_mean},
    {"ReduceSum", read_reduce_sum},
    {"Reshape", read_reshape},
    {"Shape", read_shape},
    {"Slice", read_slice},
    {"Squeeze", read_squeeze},
    {"Transpose", read_transpose},
    {"Unsqueeze", read_unsqueeze},
    {.name = NULL},
};
