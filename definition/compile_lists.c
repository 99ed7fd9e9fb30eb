#include "definition/compiler.h"

#include <math.h>

#define SPLIT_MAX 64 /* parts, as an operation takes as many values */

static enum status one_argument(struct compiler *compiler, struct scope *scope,
                                const struct expression *call, enum held_kind kind,
                                struct held *held)
{
    if (call->count != 1 || call->items->name.size > 0)
        return fail_at(compiler->err, STATUS_INVALID, call->place, "%.*s takes one argument",
                       SLICE_FORMAT(call->name));
    TRY(compile_value(compiler, scope, call->items->value, held));
    return held->kind == kind
               ? STATUS_OK
               : fail_at(compiler->err, STATUS_INVALID, call->items->place, "%.*s takes %s, not %s",
                         SLICE_FORMAT(call->name), held_kinds[kind], held_kinds[held->kind]);
}

static enum status call_length(struct compiler *compiler, struct scope *scope,
                               const struct expression *call, struct held *held)
{
    TRY(one_argument(compiler, scope, call, HELD_LIST, held));
    *held = (struct held){.kind = HELD_NUMBER, .number = (double)held->count};
    return STATUS_OK;
}

static enum status call_range(struct compiler *compiler, struct scope *scope,
                              const struct expression *call, struct held *held)
{
    double count;

    TRY(one_argument(compiler, scope, call, HELD_NUMBER, held));
    count = held->number;
    if (count < 0 || count > COMPILE_ITEMS_MAX || count != floor(count))
        return fail_at(compiler->err, STATUS_INVALID, call->items->place,
                       "range takes a whole number from 0 to %d, not %.15g", COMPILE_ITEMS_MAX,
                       count);
    *held = (struct held){.kind = HELD_LIST, .count = (size_t)count};
    held->items = ARENA_NEW(compiler->arena, struct held, held->count);
    if (!held->items)
        return fail_no_memory(compiler->err);
    for (size_t i = 0; i < held->count; i++)
        held->items[i] = (struct held){.kind = HELD_NUMBER, .number = (double)i};
    return STATUS_OK;
}

static enum status call_reverse(struct compiler *compiler, struct scope *scope,
                                const struct expression *call, struct held *held)
{
    struct held list;

    TRY(one_argument(compiler, scope, call, HELD_LIST, &list));
    *held = (struct held){.kind = HELD_LIST, .count = list.count};
    held->items = ARENA_NEW(compiler->arena, struct held, list.count);
    if (!held->items)
        return fail_no_memory(compiler->err);
    for (size_t i = 0; i < list.count; i++)
        held->items[i] = list.items[list.count - 1 - i];
    return STATUS_OK;
}

/* apply('gru', x, 8): the call of what the text names. */
static enum status call_apply(struct compiler *compiler, struct scope *scope,
                              const struct expression *call, struct held *held)
{
    struct expression named = *call;

    if (call->count == 0 || call->items->name.size > 0)
        return fail_at(compiler->err, STATUS_INVALID, call->place,
                       "apply takes the name of an operation first");
    TRY(compile_value(compiler, scope, call->items->value, held));
    if (held->kind != HELD_TEXT)
        return fail_at(compiler->err, STATUS_INVALID, call->items->place,
                       "apply takes the name of an operation as a text, not %s",
                       held_kinds[held->kind]);
    named.name = held->text;
    named.items = call->items->next;
    named.count--;
    return compile_call(compiler, scope, &named, held);
}

/* image(c, 8, 8, 1): the bytes of a picture in their shape. */
static enum status call_image(struct compiler *compiler, struct scope *scope,
                              const struct expression *call, struct held *held)
{
    struct graph_value values[2] = {{.type = GRAPH_NODE, .place = call->place},
                                    {.type = GRAPH_LIST, .place = call->place}};
    const struct argument *item = call->items;
    struct held size;

    if (call->count < 3 || call->count > 4 || item->value->kind != EXPRESSION_NAME)
        return fail_at(compiler->err, STATUS_INVALID, call->place,
                       "image takes a column, a height, a width and perhaps a number of channels");
    TRY(compile_column(compiler, scope, item->value, held));
    values[0].node = held->node;
    while ((item = item->next)) {
        TRY(compile_value(compiler, scope, item->value, &size));
        if (size.kind != HELD_NUMBER)
            return fail_at(compiler->err, STATUS_INVALID, item->value->place,
                           "image takes numbers behind the column, not %s", held_kinds[size.kind]);
        values[1].list[values[1].list_count++] = size.number;
    }
    if (values[1].list_count == 2)
        values[1].list[values[1].list_count++] = 1;
    return compile_operation(compiler, "reshape", values, 2, call->place, held);
}

/* ----- functions over values of the graph ----- */

static enum status call_width(struct compiler *compiler, struct scope *scope,
                              const struct expression *call, struct held *held)
{
    TRY(one_argument(compiler, scope, call, HELD_NODE, held));
    held->kind = HELD_WIDTH;
    return STATUS_OK;
}

/* The argument at that place, or of that name; NULL: the call does not have it. */
static const struct argument *argument_of(const struct expression *call, size_t place,
                                          const char *name)
{
    for (const struct argument *item = call->items; item; item = item->next, place--)
        if (item->name.size > 0 ? slice_is(item->name, name) : place == 0)
            return item;
    return NULL;
}

static enum status check_split(const struct compiler *compiler, const struct expression *call)
{
    size_t known = 0;

    known += argument_of(call, 0, "x") != NULL;
    known += argument_of(call, 1, "parts") != NULL;
    known += argument_of(call, 2, "axis") != NULL;
    if (known == call->count && argument_of(call, 0, "x") && argument_of(call, 1, "parts"))
        return STATUS_OK;
    fail_at(compiler->err, STATUS_INVALID, call->place, "split takes x, parts and perhaps an axis");
    return error_hint(compiler->err, "split(x, 2) is a list of two values.");
}

/* Parts of a value as a list: part(x, 0, parts), part(x, 1, parts), ... */
static enum status call_split(struct compiler *compiler, struct scope *scope,
                              const struct expression *call, struct held *held)
{
    const struct argument *axis = argument_of(call, 2, "axis");
    struct graph_value values[4];
    struct held x, parts, along = {.kind = HELD_NUMBER, .number = -1};

    TRY(check_split(compiler, call));
    TRY(compile_value(compiler, scope, argument_of(call, 0, "x")->value, &x));
    TRY(compile_value(compiler, scope, argument_of(call, 1, "parts")->value, &parts));
    if (axis)
        TRY(compile_value(compiler, scope, axis->value, &along));
    if (x.kind != HELD_NODE || parts.kind != HELD_NUMBER || along.kind != HELD_NUMBER ||
        !(parts.number >= 1 && parts.number <= SPLIT_MAX) || parts.number != floor(parts.number))
        return fail_at(compiler->err, STATUS_INVALID, call->place,
                       "split takes a value of the graph, a whole number of parts from 1 to %d and "
                       "perhaps an axis",
                       SPLIT_MAX);
    *held = (struct held){.kind = HELD_LIST, .count = (size_t)parts.number};
    held->items = ARENA_NEW(compiler->arena, struct held, held->count);
    if (!held->items)
        return fail_no_memory(compiler->err);
    for (size_t i = 0; i < held->count; i++) {
        const struct held number = {.kind = HELD_NUMBER, .number = (double)i};
        const struct held *given[] = {&x, &number, &parts, &along};

        for (size_t j = 0; j < 4; j++)
            values[j] = compile_graph_value(given[j], call->place);
        TRY(compile_operation(compiler, "part", values, 4, call->place, &held->items[i]));
    }
    return STATUS_OK;
}

static const struct {
    const char *name;
    enum status (*call)(struct compiler *compiler, struct scope *scope,
                        const struct expression *call, struct held *held);
} list_functions[] = {{"apply", call_apply},   {"image", call_image},
                      {"length", call_length}, {"outputs", compile_outputs},
                      {"range", call_range},   {"reverse", call_reverse},
                      {"split", call_split},   {"width", call_width}};

#define LIST_FUNCTIONS (sizeof list_functions / sizeof *list_functions)

static int find(struct slice name)
{
    for (int i = 0; i < (int)LIST_FUNCTIONS; i++)
        if (slice_is(name, list_functions[i].name))
            return i;
    return -1;
}

bool compile_is_list_function(struct slice name)
{
    return find(name) >= 0;
}

enum status compile_list_function(struct compiler *compiler, struct scope *scope,
                                  const struct expression *call, struct held *held)
{
    return list_functions[find(call->name)].call(compiler, scope, call, held);
}

void compile_list_functions(struct names *names)
{
    for (size_t i = 0; i < LIST_FUNCTIONS; i++)
        names_add(names, slice_of(list_functions[i].name));
}
