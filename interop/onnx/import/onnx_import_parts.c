/* Readers of parts of a value along an axis. */
#include "interop/onnx/import/onnx_import_parts.h"

#include <string.h>

#include "interop/onnx/import/onnx_import_axes.h"

enum status onnx_call_slice(struct onnx_import *import, uint32_t of, uint32_t axis, int64_t from,
                            int64_t to, uint32_t *node)
{
    const struct graph_value arguments[] = {onnx_number_argument("from", (double)from),
                                            onnx_number_argument("to", (double)to),
                                            onnx_number_argument("axis", (double)axis)};

    return onnx_call(import, "slice", &of, 1, arguments, 3, node);
}

/* Some places along an axis, in an order of their own. */
static enum status give_list(struct onnx_import *import, struct onnx_known *x, uint32_t axis,
                             const int64_t *places, size_t count)
{
    struct graph_value arguments[2] = {{.type = GRAPH_LIST, .name = SLICE("places"), .place = -1},
                                       onnx_number_argument("axis", axis)};
    struct onnx_known like;
    uint32_t node;

    if (count < 1 || count > GRAPH_LIST_MAX)
        return onnx_refuse_node(import, "it takes %zu places, where 1 to %d are read", count,
                                GRAPH_LIST_MAX);
    for (size_t i = 0; i < count; i++) {
        const int64_t place = places[i] < 0 ? places[i] + x->sizes[axis] : places[i];

        if (place < 0 || place >= x->sizes[axis])
            return onnx_refuse_node(import, "it selects what is not there");
        arguments[0].list[i] = (double)place;
    }
    arguments[0].list_count = (uint32_t)count;
    TRY(onnx_in_order(import, x, &node));
    TRY(onnx_call(import, "gather", &node, 1, arguments, 2, &node));
    like = *x;
    like.sizes[axis] = (uint32_t)count;
    return onnx_give_like(import, node, &like);
}

enum status onnx_give_places(struct onnx_import *import)
{
    struct onnx_known *x, like;
    struct onnx_array places;
    uint32_t axis, node;
    struct graph_value shape;
    int64_t place;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_take_array(import, 1, &places));
    TRY(onnx_axis(import, x, onnx_integer_of(import, "axis", 0), &axis));
    if (!places.integers || places.rank > 1 || places.count < 1)
        return onnx_refuse_node(import, "its places are to be integers");
    if (places.rank == 1)
        return give_list(import, x, axis, places.integers, places.count);
    place = places.integers[0] < 0 ? places.integers[0] + x->sizes[axis] : places.integers[0];
    if (place < 0 || place >= x->sizes[axis])
        return onnx_refuse_node(import, "it selects what is not there");
    TRY(onnx_in_order(import, x, &node));
    if (x->sizes[axis] > 1)
        TRY(onnx_call_slice(import, node, axis, place, place + 1, &node));
    like = *x; /* the axis goes away */
    like.before -= axis < x->before;
    like.rank--;
    for (uint32_t i = axis; i < like.rank; i++)
        like.sizes[i] = like.sizes[i + 1];
    shape = onnx_list_argument("shape", like.sizes, like.rank);
    if (like.rank == 0)
        return onnx_refuse_node(import, "one number is left of a row: keep its axis");
    TRY(onnx_call(import, "reshape", &node, 1, &shape, 1, &node));
    return onnx_give_like(import, node, &like);
}

/* The integer of input i. */
static enum status take_one(const struct onnx_import *import, size_t i, int64_t *integer)
{
    struct onnx_array array;

    TRY(onnx_take_array(import, i, &array));
    if (array.count != 1 || !array.integers)
        return onnx_refuse_node(import, "it is read along one axis");
    *integer = array.integers[0];
    return STATUS_OK;
}

/* The last place first: torch.flip. */
static enum status give_turned(struct onnx_import *import, struct onnx_known *x, uint32_t axis,
                               int64_t from, int64_t to)
{
    int64_t places[GRAPH_LIST_MAX];
    const uint32_t size = x->sizes[axis];

    if ((from != -1 && from < (int64_t)size - 1) || to >= -(int64_t)size || size > GRAPH_LIST_MAX)
        return onnx_refuse_node(import, "with a step of -1 it takes all of at most %d places",
                                GRAPH_LIST_MAX);
    for (uint32_t i = 0; i < size; i++)
        places[i] = size - 1 - i;
    return give_list(import, x, axis, places, size);
}

static enum status read_slice(struct onnx_import *import)
{
    int64_t from = 0, to = 0, written = 0, step = 1;
    struct onnx_known *x, like;
    uint32_t node, axis, size;

    TRY(onnx_take_any(import, 0, &x));
    TRY(take_one(import, 1, &from));
    TRY(take_one(import, 2, &to));
    if (onnx_taken(import, 3))
        TRY(take_one(import, 3, &written));
    if (onnx_taken(import, 4))
        TRY(take_one(import, 4, &step));
    TRY(onnx_axis(import, x, written, &axis));
    size = x->sizes[axis];
    if (step == -1)
        return give_turned(import, x, axis, from, to);
    if (step != 1)
        return onnx_refuse_node(import, "its step is to be 1 or -1");
    from += from < 0 ? size : 0;
    from = from < 0 ? 0 : from;
    to = to < 0 ? to + size : to > size ? size : to;
    if (from >= to)
        return onnx_refuse_node(import, "nothing is left of its input");
    TRY(onnx_in_order(import, x, &node));
    if (from > 0 || to < size)
        TRY(onnx_call_slice(import, node, axis, from, to, &node));
    like = *x;
    like.sizes[axis] = (uint32_t)(to - from);
    return onnx_give_like(import, node, &like);
}

static enum status read_split(struct onnx_import *import)
{
    const size_t count = import->node->n_output;
    struct onnx_known *x, part;
    struct onnx_array sizes = {0};
    uint32_t axis, node;
    int64_t from = 0, even;

    TRY(onnx_take_any(import, 0, &x));
    TRY(onnx_axis(import, x, onnx_integer_of(import, "axis", 0), &axis));
    if (onnx_taken(import, 1))
        TRY(onnx_take_array(import, 1, &sizes));
    if (sizes.count > 0 && (sizes.count != count || !sizes.integers))
        return onnx_refuse_node(import, "it has other outputs than sizes");
    TRY(onnx_in_order(import, x, &node));
    part = *x;
    part.weights = NULL;
    part.factor = 0;
    even = (x->sizes[axis] + (int64_t)count - 1) / (int64_t)count;
    for (size_t i = 0; i < count; i++) {
        int64_t size = sizes.count > 0 ? sizes.integers[i] : even;

        if (sizes.count == 0 && size > x->sizes[axis] - from)
            size = x->sizes[axis] - from;
        if (size < 1 || size > x->sizes[axis] - from)
            return onnx_refuse_node(import, "its sizes are not those of its input");
        TRY(onnx_call_slice(import, node, axis, from, from + size, &part.node));
        part.sizes[axis] = (uint32_t)size;
        from += size;
        if (import->node->output[i][0])
            TRY(onnx_know(import, import->node->output[i], &part, NULL));
    }
    return STATUS_OK;
}

const struct onnx_operator onnx_part_readers[] = {
    {"Slice", read_slice},
    {"Split", read_split},
    {.name = NULL},
};
