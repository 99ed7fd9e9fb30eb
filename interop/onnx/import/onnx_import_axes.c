#include "interop/onnx/import/onnx_import_axes.h"

#include <string.h>

#include "interop/onnx/import/onnx_import_parts.h"

uint32_t onnx_file_rank(const struct onnx_known *x)
{
    return x->rank + 1 - x->joins_outer - x->joins_inner;
}

/* The axes of the node that are one axis of the file: from `first`, `count`, with the rows or
 * without. */
struct file_axis {
    uint32_t first, count;
    bool has_rows;
};

/* All axes of the file. */
static void find_axes(const struct onnx_known *x, struct file_axis *axes)
{
    const uint32_t count = x->joins_outer + x->joins_inner;
    uint32_t at = 0, i = 0;

    while (at < x->before - x->joins_outer)
        axes[i++] = (struct file_axis){at++, 1, false};
    axes[i++] = (struct file_axis){at, count, true};
    for (at += count; at < x->rank;)
        axes[i++] = (struct file_axis){at++, 1, false};
}

void onnx_file_sizes(const struct onnx_known *x, int64_t *sizes)
{
    struct file_axis axes[ONNX_AXES_MAX];

    find_axes(x, axes);
    for (uint32_t i = 0; i < onnx_file_rank(x); i++) {
        int64_t size = 1;

        for (uint32_t j = 0; j < axes[i].count; j++)
            size *= x->sizes[axes[i].first + j];
        sizes[i] = axes[i].has_rows ? ONNX_ROWS + size : size;
    }
}

enum status onnx_axis(const struct onnx_import *import, const struct onnx_known *x, int64_t written,
                      uint32_t *axis)
{
    const int64_t rank = onnx_file_rank(x), counted = written < 0 ? written + rank : written;
    struct file_axis axes[ONNX_AXES_MAX];

    find_axes(x, axes);
    if (counted < 0 || counted >= rank || axes[counted].has_rows)
        return onnx_refuse_node(import, "axis %lld is that of the rows, or none",
                                (long long)written);
    *axis = axes[counted].first;
    return STATUS_OK;
}

/* ----- other shapes ----- */

/* Puts the value's axes down as those of a shape in the file whose rows are at axis `at`, `outer`
 * numbers being in front of them. */
static enum status place_rows(const struct onnx_import *import, const int64_t *sizes, uint32_t rank,
                              uint32_t at, uint64_t outer, struct onnx_known *value)
{
    uint64_t before = 1, factor = onnx_row_factor(sizes[at]), joined;

    value->rank = 0;
    for (uint32_t i = 0; i < at; i++)
        before *= (uint64_t)sizes[i];
    joined = before > 0 ? outer / before : 0; /* numbers in front that are in the rows' axis */
    if (joined == 0 || joined * before != outer || factor % joined != 0)
        return onnx_refuse_node(import, "rows and other numbers change their places");
    value->joins_outer = joined > 1;
    value->joins_inner = factor / joined > 1;
    if (rank - 1 + value->joins_outer + value->joins_inner > GRAPH_RANK_MAX)
        return onnx_refuse_node(import, "a value has at most %d axes beside the rows",
                                GRAPH_RANK_MAX);
    for (uint32_t i = 0; i < rank; i++) {
        if (i != at) {
            value->sizes[value->rank++] = (uint32_t)sizes[i];
            continue;
        }
        if (joined > 1)
            value->sizes[value->rank++] = (uint32_t)joined;
        value->before = value->rank;
        if (factor / joined > 1)
            value->sizes[value->rank++] = (uint32_t)(factor / joined);
    }
    return STATUS_OK;
}

static uint64_t size_of(const struct onnx_known *x, uint32_t first, uint32_t end)
{
    uint64_t size = 1;

    for (uint32_t i = first; i < end; i++)
        size *= x->sizes[i];
    return size;
}

enum status onnx_give_sizes(struct onnx_import *import, struct onnx_known *x, const int64_t *sizes,
                            uint32_t rank)
{
    struct onnx_known value = {.held = ONNX_HOLDS_FLOATS};
    uint32_t at = rank;
    struct graph_value shape;
    uint64_t size = 1;

    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t factor = onnx_row_factor(sizes[i]);

        if (factor > 0 && at < rank)
            return onnx_refuse_node(import, "its shape has the rows twice");
        at = factor > 0 ? i : at;
        if (factor == 0 && (sizes[i] < 1 || sizes[i] > GRAPH_FLOATS_MAX))
            return onnx_refuse_node(import, "size %lld does not follow", (long long)sizes[i]);
        size *= factor > 0 ? factor : (uint64_t)sizes[i];
        if (size > GRAPH_FLOATS_MAX)
            return onnx_refuse_node(import, "its shape is too large");
    }
    if (at == rank || size != size_of(x, 0, x->rank))
        return onnx_refuse_node(import, "its input has another number of numbers");
    TRY(place_rows(import, sizes, rank, at, size_of(x, 0, x->before), &value));
    if (value.rank == x->rank && memcmp(value.sizes, x->sizes, x->rank * sizeof *x->sizes) == 0) {
        struct onnx_known same = *x;

        same.before = value.before;
        same.joins_outer = value.joins_outer;
        same.joins_inner = value.joins_inner;
        return onnx_give_same(import, &same);
    }
    TRY(onnx_in_order(import, x, &value.node));
    shape = onnx_list_argument("shape", value.sizes, value.rank);
    if (value.rank == 1)
        TRY(onnx_call(import, "flatten", &value.node, 1, NULL, 0, &value.node));
    else
        TRY(onnx_call(import, "reshape", &value.node, 1, &shape, 1, &value.node));
    return onnx_know(import, import->node->output[0], &value, NULL);
}

/* ----- another order ----- */

enum status onnx_give_order(struct onnx_import *import, struct onnx_known *x, const uint32_t *order)
{
    struct file_axis axes[ONNX_AXES_MAX];
    struct onnx_known value = *x;
    uint32_t list[GRAPH_RANK_MAX], count = 0;
    struct graph_value argument;
    bool is_same = true;

    find_axes(x, axes);
    for (uint32_t i = 0; i < onnx_file_rank(x); i++) {
        const struct file_axis *axis = &axes[order[i]];

        if (axis->has_rows)
            value.before = count + x->joins_outer;
        for (uint32_t j = 0; j < axis->count; j++, count++) {
            list[count] = axis->first + j;
            is_same &= list[count] == count;
            value.sizes[count] = x->sizes[list[count]];
        }
    }
    value.is_last = false;
    TRY(onnx_in_order(import, x, &value.node));
    argument = onnx_list_argument("axes", list, count);
    if (!is_same)
        TRY(onnx_call(import, "transpose", &value.node, 1, &argument, 1, &value.node));
    return onnx_give_like(import, value.node, &value);
}

/* ----- expanded axes ----- */

enum status onnx_expand(struct onnx_import *import, uint32_t *node, uint32_t axis, uint32_t size)
{
    const struct graph_value argument = onnx_number_argument("axis", axis);
    uint32_t nodes[GRAPH_INPUTS_MAX], whole = *node, made = 1, count = 1;

    if (size > GRAPH_INPUTS_MAX * GRAPH_INPUTS_MAX)
        return onnx_refuse_node(import, "an axis of 1 becomes %u long", size);
    if (size > GRAPH_INPUTS_MAX) { /* blocks as long as there may be inputs */
        for (uint32_t i = 0; i < GRAPH_INPUTS_MAX; i++)
            nodes[i] = *node;
        TRY(onnx_call(import, "concat", nodes, GRAPH_INPUTS_MAX, &argument, 1, &whole));
        made = GRAPH_INPUTS_MAX;
    }
    if (size <= 1)
        return STATUS_OK;
    if (size % made != 0 && size / made + size % made > GRAPH_INPUTS_MAX)
        return onnx_refuse_node(import, "an axis of 1 becomes %u long", size);
    for (count = 0; count < size / made; count++)
        nodes[count] = whole;
    for (uint32_t i = 0; i < size % made; i++)
        nodes[count++] = *node;
    return onnx_call(import, "concat", nodes, count, &argument, 1, node);
}

/* ----- surrounded axes ----- */

/* So many places of the number, as long as x is along other axes. */
static enum status make_border(struct onnx_import *import, uint32_t x, uint32_t axis, uint32_t size,
                               uint32_t count, double number, uint32_t *node)
{
    const struct graph_value value = onnx_number_argument("value", number);
    uint32_t nodes[3];

    if (count > size)
        return onnx_refuse_node(import, "more places are put around an axis than it has");
    TRY(onnx_call_slice(import, x, axis, 0, count, &nodes[1]));
    TRY(onnx_call(import, "constant", NULL, 0, &value, 1, &nodes[0]));
    nodes[2] = nodes[0];
    if (number > 0) /* the slice is what `where` does not take */
        TRY(onnx_call(
            import, "constant", NULL, 0,
            &(struct graph_value){.type = GRAPH_NUMBER, .name = SLICE("value"), .place = -1}, 1,
            &nodes[0]));
    return onnx_call(import, "where", nodes, 3, NULL, 0, node);
}

enum status onnx_surround(struct onnx_import *import, uint32_t *node, uint32_t axis, uint32_t size,
                          uint32_t before, uint32_t behind, double number)
{
    const struct graph_value argument = onnx_number_argument("axis", axis);
    uint32_t nodes[3], count = 0;

    if (before > 0)
        TRY(make_border(import, *node, axis, size, before, number, &nodes[count++]));
    nodes[count++] = *node;
    if (behind > 0)
        TRY(make_border(import, *node, axis, size, behind, number, &nodes[count++]));
    return count == 1 ? STATUS_OK : onnx_call(import, "concat", nodes, count, &argument, 1, node);
}
