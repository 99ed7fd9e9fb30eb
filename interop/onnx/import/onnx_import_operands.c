#include "interop/onnx/import/onnx_import_operands.h"

#include <math.h>
#include <string.h>

#include "interop/onnx/import/onnx_import_axes.h"

#define FAR 1e29f /* infinite numbers are so far away in masks: a definition has none beyond it */

enum status onnx_make_constant(struct onnx_import *import, uint32_t like, const float *numbers,
                               size_t count, uint32_t *node)
{
    const struct graph_value zero = onnx_number_argument("value", 0);
    float *copy = onnx_room(import, count);
    uint32_t nodes[3] = {0, like, 0};

    if (!copy)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        copy[i] = numbers[i] > FAR ? FAR : numbers[i] < -FAR ? -FAR : numbers[i];
    TRY(onnx_call(import, "constant", NULL, 0, &zero, 1, &nodes[0]));
    nodes[2] = nodes[0];
    TRY(onnx_call(import, "where", nodes, 3, NULL, 0, node)); /* zeros of that shape */
    TRY(onnx_call(import, "positions", node, 1, NULL, 0, node));
    return onnx_give_weights(import, *node, 0, copy, count);
}

/* Sizes of an operand by the axes of a node whose value is like `like`; false: it does not go with
 * it. */
static bool sizes_by(const struct onnx_known *like, const struct onnx_known *operand,
                     uint32_t *sizes)
{
    const uint32_t behind = like->rank - like->before;
    const struct onnx_array *array = &operand->array;
    uint32_t at = 0;

    for (uint32_t i = 0; i < like->rank; i++)
        sizes[i] = 1;
    if (operand->held != ONNX_HOLDS_ARRAY) {
        if (operand->rank > like->rank || operand->rank - operand->before != behind ||
            operand->joins_outer != like->joins_outer || operand->joins_inner != like->joins_inner)
            return false;
        memcpy(sizes + like->rank - operand->rank, operand->sizes, operand->rank * sizeof *sizes);
        return true;
    }
    for (uint32_t i = 0; i < array->rank; i++) { /* from the last on */
        const uint32_t size = array->sizes[array->rank - 1 - i];

        if (i == behind - like->joins_inner) { /* the rows */
            if (size != 1)
                return false;
            at += like->joins_inner + like->joins_outer;
            continue;
        }
        sizes[like->rank - 1 - at++] = size;
    }
    return true;
}

/* The operand's node, whose axes of size 1 become as long as those of the value. */
static enum status lengthen(struct onnx_import *import, struct onnx_known *operand,
                            const uint32_t *sizes, const struct onnx_known *like, uint32_t *node)
{
    const struct graph_value shape = onnx_list_argument("shape", sizes, like->rank);

    if (operand->rank < like->rank)
        TRY(onnx_call(import, "reshape", node, 1, &shape, 1, node));
    for (uint32_t axis = 0; axis < like->rank; axis++)
        if (sizes[axis] != like->sizes[axis])
            TRY(onnx_expand(import, node, axis, like->sizes[axis]));
    return STATUS_OK;
}

/* The array in the value's shape. */
static enum status spread(struct onnx_import *import, const struct onnx_array *array,
                          const uint32_t *sizes, const struct onnx_known *like, uint32_t *node)
{
    size_t count = 1;
    float *numbers;

    for (uint32_t axis = 0; axis < like->rank; axis++)
        count *= like->sizes[axis];
    numbers = onnx_room(import, count);
    if (!numbers)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        size_t place = 0, step = 1, left = i;

        for (uint32_t axis = like->rank; axis-- > 0; left /= like->sizes[axis])
            if (sizes[axis] > 1) {
                place += left % like->sizes[axis] * step;
                step *= sizes[axis];
            }
        numbers[i] = array->floats ? array->floats[place] : (float)(array->integers[place] != 0);
    }
    return onnx_make_constant(import, *node, numbers, count, node);
}

static bool is_computed(const struct onnx_known *operand)
{
    return operand->held == ONNX_HOLDS_FLOATS || operand->held == ONNX_HOLDS_CONDITION;
}

/* Arrays may have more axes than what is computed, of size 1 in front of the rows. */
static enum status add_axes(const struct onnx_import *import, uint32_t count,
                            struct onnx_known *like)
{
    uint32_t more = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct onnx_known *operand = onnx_taken(import, i);

        if (operand->held == ONNX_HOLDS_ARRAY && operand->array.rank > onnx_file_rank(like) + more)
            more = operand->array.rank - onnx_file_rank(like);
    }
    if (like->rank + more > GRAPH_RANK_MAX)
        return onnx_refuse_node(import, "a value has at most %d axes beside the rows",
                                GRAPH_RANK_MAX);
    memmove(like->sizes + more, like->sizes, like->rank * sizeof *like->sizes);
    for (uint32_t axis = 0; axis < more; axis++)
        like->sizes[axis] = 1;
    like->rank += more;
    like->before += more;
    return STATUS_OK;
}

/* The shape of the operand of most axes, each as long as the longest. */
static enum status find_shape(struct onnx_import *import, uint32_t count, uint32_t *nodes,
                              struct onnx_known *like, uint32_t sizes[][GRAPH_RANK_MAX])
{
    const struct onnx_known *largest = NULL;

    for (uint32_t i = 0; i < count; i++) {
        struct onnx_known *operand = onnx_taken(import, i);

        if (!operand || (!is_computed(operand) && operand->held != ONNX_HOLDS_ARRAY))
            return onnx_refuse_node(import,
                                    operand && operand->held == ONNX_HOLDS_SHARE
                                        ? "Erf is read as a part of gelu alone"
                                        : "input %u is not computed from floats",
                                    i);
        if (!is_computed(operand))
            continue;
        TRY(onnx_in_order(import, operand, &nodes[i]));
        if (!largest || operand->rank > largest->rank)
            largest = operand;
    }
    if (!largest)
        return onnx_refuse_node(import, "it has no input that is computed");
    *like = *largest;
    TRY(add_axes(import, count, like));
    for (uint32_t i = 0; i < count; i++) {
        const struct onnx_known *operand = onnx_taken(import, i);

        if (!sizes_by(like, operand, sizes[i]))
            return onnx_refuse_node(import, "its inputs have different shapes");
        for (uint32_t axis = 0; axis < like->rank; axis++) {
            const uint32_t size = sizes[i][axis];

            if (size == 0 || (size != like->sizes[axis] && size != 1 && like->sizes[axis] != 1))
                return onnx_refuse_node(import, "its inputs have different shapes");
            like->sizes[axis] = size > 1 ? size : like->sizes[axis];
        }
    }
    if (onnx_is_too_large(like))
        return onnx_refuse_node(import, "a row of it has more than %u numbers", GRAPH_FLOATS_MAX);
    return STATUS_OK;
}

/* Convolutions and what follows them number by number stay with the channels last. */
static bool are_last(const struct onnx_import *import, uint32_t count)
{
    const struct onnx_known *first = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct onnx_known *operand = onnx_taken(import, i);

        if (!operand)
            return false;
        if (operand->held == ONNX_HOLDS_ARRAY && operand->array.count == 1 &&
            operand->array.rank < 3)
            continue;
        if (!is_computed(operand) || !operand->is_last ||
            (first &&
             (first->rank != operand->rank ||
              memcmp(first->sizes, operand->sizes, first->rank * sizeof *first->sizes) != 0)))
            return false;
        first = operand;
    }
    return first != NULL;
}

static enum status take_scalar(struct onnx_import *import, const struct onnx_array *array,
                               uint32_t *node)
{
    const double number = array->floats ? (double)array->floats[0] : (double)array->integers[0];
    const struct graph_value value =
        onnx_number_argument("value", fmax(fmin(number, (double)FAR), -(double)FAR));

    return onnx_call(import, "constant", NULL, 0, &value, 1, node);
}

enum status onnx_take_operands(struct onnx_import *import, uint32_t count, uint32_t *nodes,
                               struct onnx_known *like)
{
    uint32_t sizes[ONNX_OPERANDS_MAX][GRAPH_RANK_MAX], reference = GRAPH_NONE;
    const bool stays = are_last(import, count);

    for (uint32_t i = 0; stays && i < count; i++)
        if (onnx_taken(import, i)->held != ONNX_HOLDS_ARRAY) {
            nodes[i] = onnx_taken(import, i)->node;
            *like = *onnx_taken(import, i);
        }
    if (!stays)
        TRY(find_shape(import, count, nodes, like, sizes));
    for (uint32_t i = 0; i < count; i++)
        if (is_computed(onnx_taken(import, i))) {
            if (!stays)
                TRY(lengthen(import, onnx_taken(import, i), sizes[i], like, &nodes[i]));
            reference = nodes[i];
        }
    for (uint32_t i = 0; i < count; i++) {
        const struct onnx_known *operand = onnx_taken(import, i);

        if (is_computed(operand))
            continue;
        nodes[i] = reference;
        if (operand->array.count == 1)
            TRY(take_scalar(import, &operand->array, &nodes[i]));
        else
            TRY(spread(import, &operand->array, sizes[i], like, &nodes[i]));
    }
    return STATUS_OK;
}
