/* Readers of shapes: other shapes of the same numbers, some of them, sums along axes; and of sizes
 * that a file computes from shapes, as of x.view(x.size(0), -1). */
#include "interop/onnx/import/onnx_import_shapes.h"

#include <string.h>

#include "interop/onnx/import/onnx_import_arithmetic.h"
#include "interop/onnx/import/onnx_import_axes.h"

/* ----- shapes ----- */

static enum status read_shape(struct onnx_import *import)
{
    int64_t *integers = ARENA_NEW(import->arena, int64_t, ONNX_AXES_MAX), first, end;
    struct onnx_known known = {.held = ONNX_HOLDS_ARRAY}, *x;

    if (!integers)
        return fail_no_memory(import->err);
    TRY(onnx_take_any(import, 0, &x));
    onnx_file_sizes(x, integers);
    first = onnx_integer_of(import, "start", 0);
    end = onnx_integer_of(import, "end", onnx_file_rank(x));
    first += first < 0 ? onnx_file_rank(x) : 0;
    end += end < 0 ? onnx_file_rank(x) : 0;
    if (first < 0 || end > onnx_file_rank(x) || first > end)
        return onnx_refuse_node(import, "it has no such axes");
    known.array = (struct onnx_array){.rank = 1,
                                      .sizes = {(uint32_t)(end - first)},
                                      .count = (size_t)(end - first),
                                      .integers = integers + first};
    return onnx_know(import, import->node->output[0], &known, NULL);
}

static enum status read_same(struct onnx_import *import)
{
    const struct onnx_known *x = onnx_taken(import, 0);

    if (!x)
        return onnx_refuse_node(import, "it has no input");
    if (x->held == ONNX_HOLDS_CONDITION)
        return onnx_refuse_node(import, "a comparison is read as the condition of Where alone");
    return onnx_give_same(import, x);
}

/* Floats stay floats: an integer would be without what is behind the point. */
static enum status read_cast(struct onnx_import *import)
{
    const struct onnx_known *x = onnx_taken(import, 0);
    const int64_t type = onnx_integer_of(import, "to", 0);

    if (x && x->held == ONNX_HOLDS_FLOATS && type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT &&
        type != ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE &&
        type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16 &&
        type != ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16)
        return onnx_refuse_node(import, "floats of a row become no integers");
    return read_same(import);
}

static enum status read_flatten(struct onnx_import *import)
{
    const int64_t written = onnx_integer_of(import, "axis", 1);
    int64_t sizes[ONNX_AXES_MAX], flat[2] = {1, 1};
    struct onnx_known *x;

    TRY(onnx_take_any(import, 0, &x));
    onnx_file_sizes(x, sizes);
    for (uint32_t i = 0; i < onnx_file_rank(x); i++) {
        const bool is_behind = i >= (written < 0 ? written + onnx_file_rank(x) : written);
        const uint32_t factor = onnx_row_factor(sizes[i]);

        if (factor > 0 || onnx_row_factor(flat[is_behind]) > 0)
            flat[is_behind] = ONNX_ROWS + (factor > 0 ? factor : sizes[i]) *
                                              (onnx_row_factor(flat[is_behind]) > 0
                                                   ? onnx_row_factor(flat[is_behind])
                                                   : flat[is_behind]);
        else
            flat[is_behind] *= sizes[i];
    }
    return onnx_give_sizes(import, x, flat, 2);
}

/* More than GRAPH_FLOATS_MAX: how many do not matter. */
static int64_t per_row(const int64_t *sizes, uint32_t rank)
{
    int64_t size = 1;

    for (uint32_t i = 0; i < rank && size <= GRAPH_FLOATS_MAX; i++)
        size *= onnx_row_factor(sizes[i]) > 0 ? onnx_row_factor(sizes[i]) : sizes[i];
    return size;
}

/* The size that follows from the others; where none of these has the rows, it has. A file of one
 * row at a time has 1 for them. */
static bool find_rest(int64_t *sizes, uint32_t rank, uint32_t rest, int64_t whole)
{
    bool has_rows = false;
    int64_t known;

    if (rest < rank)
        sizes[rest] = 1;
    known = per_row(sizes, rank);
    for (uint32_t i = 0; i < rank; i++)
        has_rows |= onnx_row_factor(sizes[i]) > 0;
    if (known < 1 || whole % known != 0)
        return false;
    if (rest < rank)
        sizes[rest] = whole / known + (has_rows ? 0 : ONNX_ROWS);
    else if (!has_rows && rank > 0 && sizes[0] == 1)
        sizes[0] = ONNX_ROWS + 1;
    return true;
}

static enum status read_reshape(struct onnx_import *import)
{
    int64_t from[ONNX_AXES_MAX], sizes[ONNX_AXES_MAX];
    uint32_t rest = UINT32_MAX;
    struct onnx_array shape;
    struct onnx_known *x;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_take_array(import, 1, &shape));
    if (!shape.integers || shape.rank != 1 || shape.count < 1 || shape.count > ONNX_AXES_MAX)
        return onnx_refuse_node(import, "its shape is to have one to five sizes");
    onnx_file_sizes(x, from);
    for (uint32_t i = 0; i < shape.count; i++) {
        sizes[i] = shape.integers[i] == 0 && i < onnx_file_rank(x) ? from[i] : shape.integers[i];
        if (sizes[i] == -1 && rest == UINT32_MAX)
            rest = i;
        else if (onnx_row_factor(sizes[i]) == 0 && (sizes[i] < 1 || sizes[i] > GRAPH_FLOATS_MAX))
            return onnx_refuse_node(import, "size %lld does not follow", (long long)sizes[i]);
        if (i < rest && per_row(sizes, i + 1) > GRAPH_FLOATS_MAX)
            return onnx_refuse_node(import, "its shape is too large");
    }
    if (!find_rest(sizes, (uint32_t)shape.count, rest, per_row(from, onnx_file_rank(x))))
        return onnx_refuse_node(import, "its input has another number of numbers");
    return onnx_give_sizes(import, x, sizes, (uint32_t)shape.count);
}

static enum status read_transpose(struct onnx_import *import)
{
    const Onnx__AttributeProto *order = onnx_attribute(import, "perm");
    uint32_t axes[ONNX_AXES_MAX], rank;
    struct onnx_known *x;
    unsigned bits = 0;

    TRY(onnx_take_any(import, 0, &x));
    rank = onnx_file_rank(x);
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t axis = !order                  ? rank - 1 - (int64_t)i
                             : order->n_ints == rank ? order->ints[i]
                                                     : -1;

        if (axis < 0 || axis >= rank || bits >> axis & 1)
            return onnx_refuse_node(import, "its axes are not those of its input");
        bits |= 1u << axis;
        axes[i] = (uint32_t)axis;
    }
    return onnx_give_order(import, x, axes);
}

static enum status read_expand(struct onnx_import *import)
{
    struct onnx_known *x, like;
    struct onnx_array shape;
    int64_t sizes[ONNX_AXES_MAX];
    uint32_t node, shift, axis;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_take_array(import, 1, &shape));
    if (!shape.integers || shape.count > onnx_file_rank(x))
        return onnx_refuse_node(import, "it is read where no axis is added");
    onnx_file_sizes(x, sizes);
    shift = onnx_file_rank(x) - (uint32_t)shape.count;
    TRY(onnx_in_order(import, x, &node));
    like = *x;
    for (uint32_t i = 0; i < shape.count; i++) {
        const int64_t size = shape.integers[i];

        if (size == 1 || size == sizes[i + shift])
            continue;
        if (sizes[i + shift] != 1 || size < 1 || size > GRAPH_FLOATS_MAX)
            return onnx_refuse_node(import, "its shape does not go with that of its input");
        TRY(onnx_axis(import, x, i + shift, &axis));
        TRY(onnx_expand(import, &node, axis, (uint32_t)size));
        like.sizes[axis] = (uint32_t)size;
    }
    return onnx_give_like(import, node, &like);
}

static enum status read_concat(struct onnx_import *import)
{
    uint32_t nodes[GRAPH_INPUTS_MAX], node, axis;
    struct onnx_known *x, *first, like;
    struct graph_value argument;

    TRY(onnx_take_any(import, 0, &first));
    if (import->node->n_input > GRAPH_INPUTS_MAX)
        return onnx_refuse_node(import, "it has more than %d inputs", GRAPH_INPUTS_MAX);
    TRY(onnx_axis(import, first, onnx_integer_of(import, "axis", 0), &axis));
    like = *first;
    like.sizes[axis] = 0;
    for (uint32_t i = 0; i < import->node->n_input; i++) {
        TRY(onnx_take_any(import, i, &x));
        TRY(onnx_in_order(import, x, &nodes[i]));
        if (x->rank != like.rank || x->before != like.before ||
            x->joins_outer != like.joins_outer || x->joins_inner != like.joins_inner ||
            x->sizes[axis] > GRAPH_FLOATS_MAX - like.sizes[axis])
            return onnx_refuse_node(import, "its inputs have different shapes");
        like.sizes[axis] += x->sizes[axis];
    }
    argument = onnx_number_argument("axis", (double)axis);
    TRY(onnx_call(import, "concat", nodes, (uint32_t)import->node->n_input, &argument, 1, &node));
    like.is_last = false;
    return onnx_give_like(import, node, &like);
}

/* Zeros, or another number, around axes. */
static enum status read_pad(struct onnx_import *import)
{
    const Onnx__AttributeProto *mode = onnx_attribute(import, "mode");
    struct onnx_array pads, number = {0};
    struct onnx_known *x, like;
    uint32_t node, rank, axis;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_take_array(import, 1, &pads));
    if (onnx_taken(import, 2))
        TRY(onnx_take_array(import, 2, &number));
    rank = onnx_file_rank(x);
    if ((mode && (mode->s.len != 8 || memcmp(mode->s.data, "constant", 8) != 0)) ||
        !pads.integers || pads.count != 2u * rank || onnx_taken(import, 3))
        return onnx_refuse_node(import, "it is read of one number around all axes");
    TRY(onnx_in_order(import, x, &node));
    like = *x;
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t before = pads.integers[i], behind = pads.integers[rank + i];

        if (before == 0 && behind == 0)
            continue;
        TRY(onnx_axis(import, x, i, &axis));
        if (before < 0 || behind < 0 || before > x->sizes[axis] || behind > x->sizes[axis])
            return onnx_refuse_node(import, "its places are to be at most as many as there are");
        TRY(onnx_surround(import, &node, axis, x->sizes[axis], (uint32_t)before, (uint32_t)behind,
                          number.count == 1 && number.floats ? (double)number.floats[0] : 0));
        like.sizes[axis] += (uint32_t)(before + behind);
    }
    return onnx_give_like(import, node, &like);
}

/* ----- axes ----- */

/* The axes of an attribute or of input `place`, among `rank` of a file, as bits. */
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
        const int64_t axis = axes.integers ? axes.integers[i] : -1 - (int64_t)rank;
        const int64_t counted = axis < 0 ? axis + rank : axis;

        if (counted < 0 || counted >= rank)
            return onnx_refuse_node(import, "it has no axis %lld", (long long)axis);
        *bits |= 1u << counted;
    }
    return STATUS_OK;
}

/* The sum, the mean or the greatest along some axes, of the node of x or of another one like it. */
static enum status reduce(struct onnx_import *import, struct onnx_known *x, uint32_t of,
                          const char *operation, const char *then)
{
    const bool keeps = onnx_integer_of(import, "keepdims", 1) != 0;
    uint32_t axes[GRAPH_RANK_MAX], count = 0, node;
    struct onnx_known like = *x;
    struct graph_value list;
    unsigned bits, gone = 0;

    TRY(take_axes(import, 1, onnx_file_rank(x), &bits));
    for (uint32_t i = 0; i < onnx_file_rank(x); i++)
        if (bits >> i & 1) {
            TRY(onnx_axis(import, x, i, &axes[count]));
            gone |= 1u << axes[count++];
        }
    if (count == 0 || (count == x->rank && !keeps))
        return onnx_refuse_node(import,
                                "some axes beside the rows are to go away, and some to stay");
    list = onnx_list_argument("axes", axes, count);
    TRY(onnx_call(import, operation, &of, 1, &list, 1, &node));
    if (then)
        TRY(onnx_call_one(import, then, node, &node));
    like.rank = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (gone >> i & 1 && !keeps)
            like.before -= i < x->before;
        else
            like.sizes[like.rank++] = gone >> i & 1 ? 1 : x->sizes[i];
    }
    list = onnx_list_argument("shape", like.sizes, like.rank);
    if (keeps)
        TRY(onnx_call(import, "reshape", &node, 1, &list, 1, &node));
    like.is_last = false;
    return onnx_give_like(import, node, &like);
}

static enum status give_reduced(struct onnx_import *import, const char *operation)
{
    struct onnx_known *x;
    uint32_t node;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_in_order(import, x, &node));
    return reduce(import, x, node, operation, NULL);
}

static enum status read_reduce_mean(struct onnx_import *import)
{
    return give_reduced(import, "mean");
}

static enum status read_reduce_sum(struct onnx_import *import)
{
    return give_reduced(import, "sum");
}

static enum status read_reduce_max(struct onnx_import *import)
{
    return give_reduced(import, "max");
}

static enum status read_reduce_l2(struct onnx_import *import)
{
    struct onnx_known *x;
    uint32_t nodes[2], node;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_in_order(import, x, &nodes[0]));
    nodes[1] = nodes[0];
    TRY(onnx_call(import, "multiply", nodes, 2, NULL, 0, &node));
    return reduce(import, x, node, "sum", "sqrt");
}

/* Axes of size 1 come or go. */
static enum status read_squeeze(struct onnx_import *import)
{
    int64_t from[ONNX_AXES_MAX], sizes[ONNX_AXES_MAX];
    struct onnx_known *x;
    uint32_t rank = 0;
    unsigned bits = 0;
    const bool says = onnx_taken(import, 1) || onnx_attribute(import, "axes");

    TRY(onnx_take_any(import, 0, &x));
    onnx_file_sizes(x, from);
    if (says)
        TRY(take_axes(import, 1, onnx_file_rank(x), &bits));
    for (uint32_t i = 0; i < onnx_file_rank(x); i++) {
        if (says ? bits >> i & 1 : from[i] == 1) {
            if (from[i] != 1)
                return onnx_refuse_node(import, "an axis that goes away is not of size 1");
            continue;
        }
        sizes[rank++] = from[i];
    }
    return onnx_give_sizes(import, x, sizes, rank);
}

static enum status read_unsqueeze(struct onnx_import *import)
{
    int64_t from[ONNX_AXES_MAX], sizes[ONNX_AXES_MAX];
    const Onnx__AttributeProto *attribute = onnx_attribute(import, "axes");
    struct onnx_array axes = {.count = attribute ? attribute->n_ints : 0};
    uint32_t rank = 0, at = 0, all;
    struct onnx_known *x;
    unsigned bits;

    TRY(onnx_take_any(import, 0, &x));
    if (!attribute)
        TRY(onnx_take_array(import, 1, &axes));
    if (onnx_file_rank(x) + axes.count > ONNX_AXES_MAX)
        return onnx_refuse_node(import, "a value has at most %d axes beside the rows",
                                GRAPH_RANK_MAX);
    all = onnx_file_rank(x) + (uint32_t)axes.count;
    onnx_file_sizes(x, from);
    TRY(take_axes(import, 1, all, &bits));
    while (rank < all) {
        const bool is_new = bits >> rank & 1 || at == onnx_file_rank(x);

        sizes[rank++] = is_new ? 1 : from[at++];
    }
    return onnx_give_sizes(import, x, sizes, rank);
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
    {"Cast", read_cast},
    {"Concat", read_concat},
    {"Constant", read_constant},
    {"Dropout", read_same},
    {"Expand", read_expand},
    {"Flatten", read_flatten},
    {"Identity", read_same},
    {"Pad", read_pad},
    {"ReduceL2", read_reduce_l2},
    {"ReduceMax", read_reduce_max},
    {"ReduceMean", read_reduce_mean},
    {"ReduceSum", read_reduce_sum},
    {"Reshape", read_reshape},
    {"Shape", read_shape},
    {"Squeeze", read_squeeze},
    {"Transpose", read_transpose},
    {"Unsqueeze", read_unsqueeze},
    {.name = NULL},
};
