#include "definition/compiler.h"

#include <math.h>

const char *const held_kinds[] = {
    [HELD_NUMBER] = "a number",
    [HELD_OUTPUTS] = "the number of outputs",
    [HELD_WIDTH] = "the width of a value",
    [HELD_TEXT] = "a text",
    [HELD_LIST] = "a list",
    [HELD_NODE] = "a value of the graph",
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

struct graph_value compile_graph_value(const struct held *held, int place)
{
    return held->kind == HELD_NODE
               ? (struct graph_value){.type = GRAPH_NODE, .place = place, .node = held->node}
               : (struct graph_value){.type = GRAPH_NUMBER, .place = place, .number = held->number};
}

/* A number beside a node is a node of its own. */
static enum status as_node(struct compiler *compiler, int place, const struct held *held,
                           struct graph_value *value)
{
    struct graph_value number = compile_graph_value(held, place);
    struct held constant;

    *value = number;
    if (held->kind == HELD_NODE)
        return STATUS_OK;
    TRY(compile_operation(compiler, "constant", &number, 1, place, &constant));
    *value = compile_graph_value(&constant, place);
    return STATUS_OK;
}

static enum status call_arithmetic(struct compiler *compiler, char sign, int place,
                                   const struct held *left, const struct held *right,
                                   struct held *held)
{
    const char *operation = sign == '+'   ? "add"
                            : sign == '-' ? "subtract"
                            : sign == '*' ? "multiply"
                                          : "divide";
    struct graph_value values[2];

    TRY(as_node(compiler, place, left, &values[0]));
    TRY(as_node(compiler, place, right, &values[1]));
    return compile_operation(compiler, operation, values, 2, place, held);
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
