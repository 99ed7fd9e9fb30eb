#include "definition/compiler.h"

#include <math.h>

enum status compiler_count(struct compiler *compiler, int place)
{
    return ++compiler->steps <= COMPILE_STEPS_MAX
               ? STATUS_OK
               : fail_at(compiler->err, STATUS_LIMIT, place,
                         "a definition computes more than %d values, loops and functions unrolled",
                         COMPILE_STEPS_MAX);
}

static enum status evaluate_list(struct compiler *compiler, struct scope *scope,
                                 const struct expression *expression, struct held *held)
{
    *held = (struct held){.kind = HELD_LIST};
    if (expression->count > COMPILE_ITEMS_MAX)
        return fail_at(compiler->err, STATUS_LIMIT, expression->place,
                       "a list of more than %d items", COMPILE_ITEMS_MAX);
    held->items = ARENA_NEW(compiler->arena, struct held, expression->count);
    if (!held->items)
        return fail_no_memory(compiler->err);
    for (const struct argument *item = expression->items; item; item = item->next)
        TRY(compile_value(compiler, scope, item->value, &held->items[held->count++]));
    return STATUS_OK;
}

/* hidden[0] is the first item, hidden[-1] the last. */
static enum status evaluate_element(struct compiler *compiler, struct scope *scope,
                                    const struct expression *expression, struct held *held)
{
    struct held list, number;
    double at;

    TRY(compile_value(compiler, scope, expression->left, &list));
    TRY(compile_value(compiler, scope, expression->right, &number));
    if (list.kind != HELD_LIST || number.kind != HELD_NUMBER)
        return fail_at(compiler->err, STATUS_INVALID, expression->place,
                       "an item is taken of a list by its number, not of %s by %s",
                       held_kinds[list.kind], held_kinds[number.kind]);
    at = number.number < 0 ? number.number + (double)list.count : number.number;
    if (at != floor(at) || at < 0 || at >= (double)list.count)
        return fail_at(compiler->err, STATUS_INVALID, expression->right->place,
                       "a list of %zu item%s has no item %.15g", list.count,
                       list.count == 1 ? "" : "s", number.number);
    *held = list.items[(size_t)at];
    return STATUS_OK;
}

static enum status evaluate_arithmetic(struct compiler *compiler, struct scope *scope,
                                       const struct expression *expression, struct held *held)
{
    const bool is_negation = expression->kind == EXPRESSION_NEGATE;
    struct held left, right = {.kind = HELD_NUMBER, .number = -1};

    TRY(compile_value(compiler, scope, expression->left, &left));
    if (!is_negation)
        TRY(compile_value(compiler, scope, expression->right, &right));
    return compile_apply(compiler, is_negation ? '*' : expression->sign, expression->place, &left,
                         &right, held);
}

enum status compile_value(struct compiler *compiler, struct scope *scope,
                          const struct expression *expression, struct held *held)
{
    TRY(compiler_count(compiler, expression->place));
    switch (expression->kind) {
    case EXPRESSION_NUMBER:
        *held = (struct held){.kind = HELD_NUMBER, .number = expression->number};
        return STATUS_OK;
    case EXPRESSION_TEXT:
        *held = (struct held){.kind = HELD_TEXT, .text = expression->name};
        return STATUS_OK;
    case EXPRESSION_NAME:
        return compile_name(compiler, scope, expression, held);
    case EXPRESSION_LIST:
        return evaluate_list(compiler, scope, expression, held);
    case EXPRESSION_CALL:
        return compile_call(compiler, scope, expression, held);
    case EXPRESSION_ELEMENT:
        return evaluate_element(compiler, scope, expression, held);
    default:
        return evaluate_arithmetic(compiler, scope, expression, held);
    }
}
