#include "definition/compiler.h"

enum status compile_operation(struct compiler *compiler, const char *operation,
                              const struct graph_value *values, uint32_t count, int place,
                              struct held *held)
{
    *held = (struct held){.kind = HELD_NODE};
    return graph_call(compiler->graph, slice_of(operation), values, count, place, &held->node,
                      compiler->err);
}

/* ----- calls of operations ----- */

/* The argument that a bare name in this place of a call would be for; NULL: none. `place`: the
 * number of values before it that are no nodes. */
static const struct operation_argument *argument_at(const struct operation *operation,
                                                    const struct argument *item, size_t place)
{
    const struct operation_argument *arguments = operation ? operation->arguments : NULL;

    for (size_t i = 0; arguments && arguments[i].name; i++)
        if (item->name.size > 0 ? slice_is(item->name, arguments[i].name) : i == place)
            return &arguments[i];
    return NULL;
}

/* column(user_id), padding = same: a name that is meant as it stands. */
static bool is_word(const struct compiler *compiler, const struct scope *scope,
                    const struct operation_argument *argument, const struct expression *value)
{
    if (!argument || value->kind != EXPRESSION_NAME)
        return false;
    if (compile_find_value(compiler, scope, value->name) && !value->is_quoted)
        return false;
    return argument->type == ARGUMENT_COLUMN || argument->type == ARGUMENT_WORD;
}

static enum status evaluate_argument(struct compiler *compiler, struct scope *scope,
                                     const struct operation_argument *wanted,
                                     const struct argument *item, struct held *held)
{
    if (is_word(compiler, scope, wanted, item->value))
        *held = (struct held){.kind = HELD_TEXT, .text = item->value->name};
    else
        TRY(compile_value(compiler, scope, item->value, held));
    return wanted && wanted->type == ARGUMENT_COLUMN && held->kind == HELD_TEXT
               ? compile_column_name(compiler, item->value->place, held)
               : STATUS_OK;
}

/* The values and arguments of a call of the graph, as they come. */
struct call {
    struct graph_value values[GRAPH_INPUTS_MAX + GRAPH_ARGUMENTS_MAX];
    uint32_t count;
    size_t arguments; /* values that are no nodes */
};

static enum status add_value(const struct compiler *compiler, struct call *call,
                             const struct graph_value *value, const struct argument *item)
{
    struct graph_value *added;

    if (call->count == sizeof call->values / sizeof *call->values)
        return fail_at(compiler->err, STATUS_LIMIT, item->place,
                       "an operation takes at most %d values", GRAPH_INPUTS_MAX);
    added = &call->values[call->count++];
    *added = *value;
    added->name = item->name;
    added->place = item->place;
    call->arguments += value->type != GRAPH_NODE;
    return STATUS_OK;
}

static bool has_nodes(const struct held *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind == HELD_NODE || list->items[i].kind == HELD_LIST)
            return true;
    return list->count == 0;
}

static enum status add_numbers(const struct compiler *compiler, struct call *call,
                               const struct held *list, const struct argument *item)
{
    struct graph_value value = {.type = GRAPH_LIST};

    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != HELD_NUMBER)
            return fail_at(compiler->err, STATUS_INVALID, item->place, "%s in a list of numbers",
                           held_kinds[list->items[i].kind]);
        if (i == GRAPH_LIST_MAX)
            return fail_at(compiler->err, STATUS_LIMIT, item->place,
                           "a list of more than %d numbers", GRAPH_LIST_MAX);
        value.list[value.list_count++] = list->items[i].number;
    }
    return add_value(compiler, call, &value, item);
}

/* A list of values of the graph is as good as these: concat([a, b]). */
static enum status add_held(const struct compiler *compiler, struct call *call,
                            const struct held *held, const struct argument *item)
{
    struct graph_value value = compile_graph_value(held, item->place);

    if (held->kind == HELD_LIST && !has_nodes(held))
        return add_numbers(compiler, call, held, item);
    for (size_t i = 0; held->kind == HELD_LIST && i < held->count; i++)
        TRY(add_held(compiler, call, &held->items[i], item));
    if (held->kind == HELD_LIST)
        return STATUS_OK;
    if (held->kind == HELD_TEXT)
        value = (struct graph_value){.type = GRAPH_TEXT, .text = held->text};
    else if (held->kind == HELD_OUTPUTS)
        value = (struct graph_value){.type = GRAPH_NUMBER, .number = GRAPH_OUTPUTS};
    else if (held->kind == HELD_WIDTH)
        value = (struct graph_value){.type = GRAPH_NUMBER, .number = GRAPH_WIDTH_OF(held->node)};
    return add_value(compiler, call, &value, item);
}

static enum status call_operation(struct compiler *compiler, struct scope *scope,
                                  const struct expression *expression,
                                  const struct operation *operation, struct held *held)
{
    struct call call = {.count = 0};

    for (const struct argument *item = expression->items; item; item = item->next) {
        struct held value;

        TRY(evaluate_argument(compiler, scope, argument_at(operation, item, call.arguments), item,
                              &value));
        TRY(add_held(compiler, &call, &value, item));
    }
    *held = (struct held){.kind = HELD_NODE};
    return graph_call(compiler->graph, expression->name, call.values, call.count, expression->place,
                      &held->node, compiler->err);
}

/* ----- functions of the definition ----- */

static const struct known_function *find_function(const struct compiler *compiler,
                                                  struct slice name)
{
    for (const struct known_function *at = compiler->functions; at; at = at->next)
        if (slice_equal(at->step->name, name))
            return at;
    return NULL;
}

static enum status find_parameter(const struct compiler *compiler, const struct step *function,
                                  const struct argument *item, size_t place, size_t *found)
{
    struct names names = {.arena = compiler->arena};

    *found = place;
    if (item->name.size == 0 && place < function->parameter_count)
        return STATUS_OK;
    if (item->name.size == 0)
        return fail_at(compiler->err, STATUS_INVALID, item->place,
                       "%.*s takes %zu argument%s, here are more", SLICE_FORMAT(function->name),
                       function->parameter_count, function->parameter_count == 1 ? "" : "s");
    for (size_t i = 0; i < function->parameter_count; i++) {
        *found = i;
        if (slice_equal(item->name, function->parameters[i].name))
            return STATUS_OK;
        names_add(&names, function->parameters[i].name);
    }
    fail_at(compiler->err, STATUS_INVALID, item->place, "%.*s has no argument \"%.*s\"",
            SLICE_FORMAT(function->name), SLICE_FORMAT(slice_prefix(item->name, 60)));
    return names_hint(&names, item->name, compiler->err);
}

static enum status bind_parameters(struct compiler *compiler, struct scope *scope,
                                   const struct expression *call, const struct step *function,
                                   struct scope *inner)
{
    size_t place = 0, found;

    for (const struct argument *item = call->items; item; item = item->next) {
        struct held value;

        TRY(find_parameter(compiler, function, item, place++, &found));
        if (compile_find_variable(inner, function->parameters[found].name))
            return fail_at(
                compiler->err, STATUS_INVALID, item->place, "%.*s of %.*s is given twice",
                SLICE_FORMAT(function->parameters[found].name), SLICE_FORMAT(function->name));
        TRY(compile_value(compiler, scope, item->value, &value));
        TRY(compile_set_variable(compiler, inner, function->parameters[found].name, item->place,
                                 &value));
    }
    for (size_t i = 0; i < function->parameter_count; i++)
        if (!compile_find_variable(inner, function->parameters[i].name))
            return fail_at(compiler->err, STATUS_INVALID, call->place, "%.*s needs %.*s",
                           SLICE_FORMAT(function->name),
                           SLICE_FORMAT(function->parameters[i].name));
    return STATUS_OK;
}

/* A function calls those before it alone, so none calls itself. */
static enum status call_function(struct compiler *compiler, struct scope *scope,
                                 const struct expression *call,
                                 const struct known_function *function, struct held *held)
{
    struct known_function *known = compiler->functions;
    const struct step *returned = NULL;
    struct scope inner = {NULL, 0};

    if (compiler->calls == COMPILE_CALLS_MAX)
        return fail_at(compiler->err, STATUS_LIMIT, call->place,
                       "functions are called in each other more than %d times deep",
                       COMPILE_CALLS_MAX);
    TRY(bind_parameters(compiler, scope, call, function->step, &inner));
    compiler->calls++;
    compiler->functions = function->next;
    TRY(compile_steps(compiler, &inner, function->step->body, &returned));
    if (!returned)
        return fail_at(compiler->err, STATUS_INVALID, function->step->place,
                       "function %.*s returns nothing", SLICE_FORMAT(function->step->name));
    TRY(compile_value(compiler, &inner, returned->value, held));
    compiler->functions = known;
    compiler->calls--;
    return STATUS_OK;
}

static enum status refuse_call(const struct compiler *compiler, const struct expression *call)
{
    struct names names = {.arena = compiler->arena};

    for (const struct known_function *at = compiler->functions; at; at = at->next)
        names_add(&names, at->step->name);
    compile_list_functions(&names);
    for (size_t i = 0; operations[i]; i++)
        names_add(&names, slice_of(operations[i]->name));
    fail_at(compiler->err, STATUS_INVALID, call->place, "there is no operation \"%.*s\"",
            SLICE_FORMAT(slice_prefix(call->name, 60)));
    return names_hint(&names, call->name, compiler->err);
}

enum status compile_call(struct compiler *compiler, struct scope *scope,
                         const struct expression *call, struct held *held)
{
    const struct known_function *function = find_function(compiler, call->name);
    const struct operation *operation = operation_find(call->name);

    if (function)
        return call_function(compiler, scope, call, function, held);
    if (operation)
        return call_operation(compiler, scope, call, operation, held);
    if (compile_is_list_function(call->name))
        return compile_list_function(compiler, scope, call, held);
    return refuse_call(compiler, call);
}
