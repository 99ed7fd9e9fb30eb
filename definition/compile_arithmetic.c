#include "definition/compiler.h"

#include <math.h>

const char *const held_kinds[] = {
    [HELD_NUMBER] = "a number", [HELD_OUTPUTS] = "the number of outputs", [HELD_TEXT] = "a text",
    [HELD_LIST] = "a list",     [HELD_NODE] = "a value of the graph",
};

static enum status compute(struct compiler *compiler, char sign, int place, double left,
                           double right, struct held *held)
{
    const double number = sign == '+'   ? left + right
                          : sign == '-' ? left - right
                          : sign == '*' ? left * right
                                        : left / right;

    if (!isfinite(number))
        return fail_at(compiler->err, STATUS_INVALID, place, "%.15g %c %.15g is no number", left,
                       sign, right);
    *held = (struct held){.kind = HELD_NUMBER, .number = number};
    return STATUS_OK;
}

static enum status join(struct compiler *compiler, int place, const struct held *left,
                        const struct held *right, struct held *held)
{
    const size_t count = left->count + right->count;

    if (count > COMPILE_ITEMS_MAX)
        return fail_at(compiler->err, STATUS_LIMIT, place, "a list of more than %d items",
                       COMPILE_ITEMS_MAX);
    *held = (struct held){.kind = HELD_LIST, .count = count};
    held->items = ARENA_NEW(compiler->arena, struct held, count);
    if (!held->items)
        return fail_no_memory(compiler->err);
    for (size_t i = 0; i < count; i++)
        held->items[i] = i < left->count ? left->items[i] : right->items[i - left->count];
    return STATUS_OK;
}

static struct graph_value value_of(const struct held *held, int place)
{
    return held->kind == HELD_NODE
               ? (struct graph_value){.type = GRAPH_NODE, .place = place, .node = held->node}
               : (struct graph_value){
                     .type = GRAPH_NUMBER, .place = place, .number = held->number};
}

/* At least one of them is a node. */
static enum status call_arithmetic(struct compiler *compiler, char sign, int place,
                                   const struct held *left, const struct held *right,
                                   struct held *held)
{
    const char *operation = sign == '+'   ? "add"
                            : sign == '-' ? "subtract"
                            : sign == '*' ? "multiply"
                                          : "divide";
    const struct held minus_one = {.kind = HELD_NUMBER, .number = -1};
    struct graph_value values[2];
    struct held negative;

    if (left->kind == HELD_NODE || sign == '+' || sign == '*') {
        const bool is_first = left->kind == HELD_NODE;

        values[0] = value_of(is_first ? left : right, place);
        values[1] = value_of(is_first ? right : left, place);
        return compile_operation(compiler, operation, values, 2, place, held);
    }
    if (sign == '/')
        return fail_at(compiler->err, STATUS_INVALID, place,
                       "a number is not divided by a value of the graph");
    TRY(call_arithmetic(compiler, '*', place, right, &minus_one, &negative));
    return call_arithmetic(compiler, '+', place, &negative, left, held);
}

enum status compile_apply(struct compiler *compiler, char sign, int place, const struct held *left,
                         const struct held *right, struct held *held)
{
    const bool is_left = left->kind == HELD_NUMBER || left->kind == HELD_NODE;
    const bool is_right = right->kind == HELD_NUMBER || right->kind == HELD_NODE;

    if (left->kind == HELD_NUMBER && right->kind == HELD_NUMBER)
        return compute(compiler, sign, place, left->number, right->number, held);
    if (is_left && is_right)
        return call_arithmetic(compiler, sign, place, left, right, held);
    if (sign == '+' && left->kind == HELD_LIST && right->kind == HELD_LIST)
        return join(compiler, place, left, right, held);
    return fail_at(compiler->err, STATUS_INVALID, place, "%s %c %s has no meaning",
                   held_kinds[left->kind], sign, held_kinds[right->kind]);
}

