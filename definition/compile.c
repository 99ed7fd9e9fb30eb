#include "definition/compiler.h"

/* ----- steps ----- */

static enum status check_new_name(const struct compiler *compiler, struct slice name, int place)
{
    if (compile_is_input(name))
        return fail_at(compiler->err, STATUS_INVALID, place,
                       "%.*s is an input, and gets no other value", SLICE_FORMAT(name));
    return STATUS_OK;
}

/* The loss is said by the definition's own steps. */
static enum status check_no_loss(const struct compiler *compiler, struct slice name, int place,
                                 const char *where)
{
    if (!slice_is(name, DEFINITION_LOSS))
        return STATUS_OK;
    fail_at(compiler->err, STATUS_INVALID, place,
            "loss is the value that is minimised, and cannot be a name %s", where);
    return error_hint(compiler->err, "Give the value another name, and say loss = ... among the "
                                     "definition's own steps.");
}

static enum status run_assignment(struct compiler *compiler, struct scope *scope,
                                  const struct step *step)
{
    struct held held;

    TRY(check_new_name(compiler, step->name, step->place));
    if (compiler->calls > 0)
        TRY(check_no_loss(compiler, step->name, step->place, "in a function"));
    TRY(compile_value(compiler, scope, step->value, &held));
    return compile_set_variable(compiler, scope, step->name, step->place, &held);
}

static enum status run_for(struct compiler *compiler, struct scope *scope, const struct step *step)
{
    const struct step *returned = NULL;
    struct held list, only;

    TRY(check_new_name(compiler, step->name, step->place));
    TRY(check_no_loss(compiler, step->name, step->place, "of a list's items"));
    TRY(compile_value(compiler, scope, step->value, &list));
    if (list.kind == HELD_NODE) { /* numbers is one, or an empty list */
        only = list;
        list = (struct held){.kind = HELD_LIST, .items = &only, .count = 1};
    }
    if (list.kind != HELD_LIST)
        return fail_at(compiler->err, STATUS_INVALID, step->value->place,
                       "for goes over a list, not %s", held_kinds[list.kind]);
    for (size_t i = 0; i < list.count; i++) {
        TRY(compile_set_variable(compiler, scope, step->name, step->place, &list.items[i]));
        TRY(compile_steps(compiler, scope, step->body, &returned));
        if (returned)
            return fail_at(compiler->err, STATUS_INVALID, returned->place,
                           "return stands in no loop");
    }
    return STATUS_OK;
}

static enum status run_function(struct compiler *compiler, const struct step *step)
{
    struct known_function *known = ARENA_NEW(compiler->arena, struct known_function, 1);

    if (!known)
        return fail_no_memory(compiler->err);
    if (operation_find(step->name))
        return fail_at(compiler->err, STATUS_INVALID, step->place,
                       "%.*s is an operation: the function needs another name",
                       SLICE_FORMAT(step->name));
    *known = (struct known_function){step, compiler->functions};
    compiler->functions = known;
    return STATUS_OK;
}

static enum status run_step(struct compiler *compiler, struct scope *scope, const struct step *step)
{
    TRY(compiler_count(compiler, step->place));
    switch (step->kind) {
    case STEP_ASSIGN:
        return run_assignment(compiler, scope, step);
    case STEP_FOR:
        return run_for(compiler, scope, step);
    default:
        return run_function(compiler, step);
    }
}

enum status compile_steps(struct compiler *compiler, struct scope *scope, const struct step *steps,
                          const struct step **returned)
{
    for (const struct step *step = steps; step; step = step->next) {
        if (step->kind != STEP_RETURN) {
            TRY(run_step(compiler, scope, step));
            continue;
        }
        *returned = step;
        return !step->next ? STATUS_OK
                           : fail_at(compiler->err, STATUS_INVALID, step->next->place,
                                     "a step behind return is never carried out");
    }
    return STATUS_OK;
}

/* ----- the definition ----- */

static enum status hold_value(struct compiler *compiler, const struct value *value,
                              struct held *held)
{
    *held = (struct held){.kind = HELD_NUMBER, .number = value->number};
    if (value->kind == VALUE_BOOLEAN)
        held->number = value->boolean;
    if (value->kind == VALUE_STRING || value->kind == VALUE_WORD)
        *held = (struct held){.kind = HELD_TEXT, .text = value->text};
    if (value->kind != VALUE_LIST)
        return STATUS_OK;
    *held = (struct held){.kind = HELD_LIST, .count = value->count};
    if (value->count > COMPILE_ITEMS_MAX)
        return fail_at(compiler->err, STATUS_LIMIT, 0, "a list of more than %d items",
                       COMPILE_ITEMS_MAX);
    held->items = ARENA_NEW(compiler->arena, struct held, value->count);
    if (!held->items)
        return fail_no_memory(compiler->err);
    for (size_t i = 0; i < value->count; i++)
        TRY(hold_value(compiler, &value->items[i], &held->items[i]));
    return STATUS_OK;
}

static enum status set_arguments(struct compiler *compiler, const struct value *const *values)
{
    const struct definition *definition = compiler->definition;

    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct definition_argument *argument = &definition->arguments[i];
        struct held held;

        TRY(hold_value(compiler, values && values[i] ? values[i] : argument->value, &held));
        TRY(compile_set_variable(compiler, &compiler->arguments, argument->name, 0, &held));
    }
    return STATUS_OK;
}

/* The value that the steps called loss, if they did. */
static enum status set_loss(struct compiler *compiler, const struct scope *scope)
{
    const struct variable *loss = compile_find_variable(scope, SLICE(DEFINITION_LOSS));

    if (!loss && definition_has_loss(compiler->definition))
        return fail_at(compiler->err, STATUS_INVALID, (int)compiler->definition->text.size,
                       "the loss got no value: the list that its loop goes over is empty");
    if (!loss)
        return STATUS_OK;
    if (loss->value.kind == HELD_NODE)
        return graph_minimise(compiler->graph, loss->value.node, compiler->err);
    return fail_at(compiler->err, STATUS_INVALID, loss->place,
                   "the loss is a value of the graph, not %s", held_kinds[loss->value.kind]);
}

enum status definition_compile(const struct definition *definition,
                               const struct value *const *values,
                               const struct definition_columns *columns, struct arena *arena,
                               struct graph *graph, struct error *err)
{
    struct compiler compiler = {
        .definition = definition, .columns = columns, .graph = graph, .arena = arena, .err = err};
    const struct step *returned = NULL;
    struct scope scope = {NULL, 0};
    struct held held;

    graph_begin(graph, arena);
    TRY(set_arguments(&compiler, values));
    TRY(compile_steps(&compiler, &scope, definition->steps, &returned));
    if (!returned) {
        fail_at(err, STATUS_INVALID, (int)definition->text.size, "the definition returns nothing");
        return error_hint(err, "Its last step is return and the model's outputs: "
                               "return dense(h, outputs)");
    }
    TRY(compile_value(&compiler, &scope, returned->value, &held));
    if (held.kind != HELD_NODE && held.kind != HELD_LIST)
        return fail_at(err, STATUS_INVALID, returned->value->place,
                       "a definition returns a value of the graph, not %s", held_kinds[held.kind]);
    TRY(compile_heads(&compiler, &scope, &held, returned->value->place));
    return set_loss(&compiler, &scope);
}
