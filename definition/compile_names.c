#include "definition/compiler.h"

#include <stdio.h>

const char *const definition_inputs[] = {"numbers",        "words",  "categories",
                                         "outputs",        "labels", "number_sequences",
                                         "word_sequences", NULL};

/* ----- names ----- */

const struct variable *compile_find_variable(const struct scope *scope, struct slice name)
{
    for (const struct variable *at = scope->variables; at; at = at->next)
        if (slice_equal(at->name, name))
            return at;
    return NULL;
}

enum status compile_set_variable(struct compiler *compiler, struct scope *scope, struct slice name,
                                 int place, const struct held *value)
{
    struct variable *variable = (struct variable *)compile_find_variable(scope, name);

    if (!variable) {
        if (scope->count == COMPILE_VARIABLES_MAX)
            return fail_at(compiler->err, STATUS_LIMIT, place, "more than %d names",
                           COMPILE_VARIABLES_MAX);
        variable = ARENA_NEW(compiler->arena, struct variable, 1);
        if (!variable)
            return fail_no_memory(compiler->err);
        *variable = (struct variable){.name = name, .next = scope->variables};
        scope->variables = variable;
        scope->count++;
    }
    variable->value = *value;
    variable->place = place;
    return STATUS_OK;
}

/* The input of that name, or the column that inputs are made of, as the SELECT writes it; size 0:
 * there is none. */
static struct slice find_column(const struct compiler *compiler, struct slice name)
{
    for (size_t i = 0; i < compiler->columns->count; i++) {
        const struct definition_column *column = &compiler->columns->columns[i];

        if (slice_equal_fold(column->name, name))
            return column->name;
        if (slice_equal_fold(column->source, name))
            return column->source;
    }
    for (size_t i = 0; i < compiler->columns->label_count; i++)
        if (slice_equal_fold(compiler->columns->labels[i], name))
            return compiler->columns->labels[i];
    return (struct slice){"", 0};
}

bool compile_is_input(struct slice name)
{
    for (size_t i = 0; definition_inputs[i]; i++)
        if (slice_is(name, definition_inputs[i]))
            return true;
    return false;
}

void names_add(struct names *names, struct slice name)
{
    const struct slice copy = arena_copy(names->arena, name);

    names->failed |= !copy.data;
    if (copy.data && names->count < NAMES_MAX)
        names->names[names->count++] = copy.data;
}

enum status names_hint(const struct names *names, struct slice name, struct error *err)
{
    const int nearest = text_nearest(name, names->names, names->count);

    if (names->failed)
        return fail_no_memory(err);
    return nearest < 0 ? err->status : error_hint(err, "Did you mean %s?", names->names[nearest]);
}

static void add_columns(const struct compiler *compiler, struct names *names)
{
    for (size_t i = 0; i < compiler->columns->count; i++)
        names_add(names, compiler->columns->columns[i].name);
}

/* "The inputs are a, b, c.", as far as they fit. */
static void hint_columns(const struct names *names, struct error *err)
{
    size_t size = 0;

    for (size_t i = 0; i < names->count && size < sizeof err->hint / 2; i++)
        size += (size_t)snprintf(err->hint + size, sizeof err->hint - size, "%s%.100s",
                                 i ? ", " : "The inputs are ", names->names[i]);
    snprintf(err->hint + size, sizeof err->hint - size, ".");
}

static enum status refuse_name(const struct compiler *compiler, const struct scope *scope,
                               const struct expression *expression)
{
    const struct slice name = expression->name;
    struct names names = {.arena = compiler->arena};

    for (const struct variable *at = scope->variables; at && !expression->is_quoted; at = at->next)
        names_add(&names, at->name);
    for (const struct variable *at = compiler->arguments.variables; at && !expression->is_quoted;
         at = at->next)
        names_add(&names, at->name);
    for (size_t i = 0; definition_inputs[i] && !expression->is_quoted; i++)
        names_add(&names, slice_of(definition_inputs[i]));
    add_columns(compiler, &names);
    fail_at(compiler->err, STATUS_INVALID, expression->place,
            expression->is_quoted ? "no input is called \"%.*s\""
                                  : "\"%.*s\" is no value, argument or input",
            SLICE_FORMAT(slice_prefix(name, 60)));
    return names_hint(&names, name, compiler->err);
}

/* ----- inputs ----- */

enum status compile_input(struct compiler *compiler, const char *operation, struct slice column,
                          int place, struct held *held)
{
    const struct graph_value value = {.type = GRAPH_TEXT, .place = place, .text = column};
    const struct graph *graph = compiler->graph;

    *held = (struct held){.kind = HELD_NODE};
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];

        held->node = i;
        if (slice_is(slice_of(operation), node->operation->name) &&
            (column.size == 0 || slice_equal(node->arguments[0].text, column)))
            return STATUS_OK;
    }
    return compile_operation(compiler, operation, &value, column.size > 0, place, held);
}

static enum status call_column(struct compiler *compiler, struct slice name, int place,
                               struct held *held)
{
    return compile_input(compiler, "column", name, place, held);
}

/* The sequences of numbers, or of words, one by one. */
static enum status list_sequences(struct compiler *compiler, bool of_words, int place,
                                  struct held *held)
{
    const struct definition_columns *columns = compiler->columns;

    *held = (struct held){.kind = HELD_LIST};
    held->items = ARENA_NEW(compiler->arena, struct held, columns->count + 1);
    if (!held->items)
        return fail_no_memory(compiler->err);
    if (columns->are_unknown)
        return compile_input(compiler, "sequence", SLICE("sequence"), place,
                             &held->items[held->count++]);
    for (size_t i = 0; i < columns->count; i++) {
        const struct definition_column *column = &columns->columns[i];
        const bool is_next =
            i > 0 && !of_words && slice_equal(column->source, columns->columns[i - 1].source);

        if (!column->is_sequence || column->is_word != of_words || is_next)
            continue;
        if (held->count == COMPILE_ITEMS_MAX)
            return fail_at(compiler->err, STATUS_LIMIT, place, "more than %d sequences",
                           COMPILE_ITEMS_MAX);
        TRY(compile_input(compiler, "sequence", of_words ? column->name : column->source, place,
                          &held->items[held->count++]));
    }
    return STATUS_OK;
}

/* An input by a bare name. Without columns of its kind `numbers` and `words` are empty lists. */
static enum status evaluate_input(struct compiler *compiler, struct slice name, int place,
                                  struct held *held)
{
    const struct definition_columns *columns = compiler->columns;
    size_t words = 0, numbers = 0;

    *held = (struct held){.kind = HELD_OUTPUTS};
    if (slice_is(name, "outputs"))
        return STATUS_OK;
    if (slice_is(name, "labels"))
        return compile_labels(compiler, place, held);
    if (slice_is(name, "number_sequences") || slice_is(name, "word_sequences"))
        return list_sequences(compiler, slice_is(name, "word_sequences"), place, held);
    *held = (struct held){.kind = HELD_LIST};
    for (size_t i = 0; i < columns->count; i++)
        *(columns->columns[i].is_word ? &words : &numbers) += 1;
    if (slice_is(name, "numbers"))
        return columns->are_unknown || numbers > 0
                   ? compile_input(compiler, "numbers", (struct slice){"", 0}, place, held)
                   : STATUS_OK;
    if (slice_is(name, "words"))
        return columns->are_unknown || words > 0
                   ? compile_input(compiler, "words", (struct slice){"", 0}, place, held)
                   : STATUS_OK;
    held->items = ARENA_NEW(compiler->arena, struct held, words + 1);
    if (!held->items)
        return fail_no_memory(compiler->err);
    if (columns->are_unknown)
        return call_column(compiler, SLICE("category"), place, &held->items[held->count++]);
    if (words > COMPILE_ITEMS_MAX)
        return fail_at(compiler->err, STATUS_LIMIT, place, "more than %d categories",
                       COMPILE_ITEMS_MAX);
    for (size_t i = 0; i < columns->count; i++)
        if (columns->columns[i].is_word)
            TRY(call_column(compiler, columns->columns[i].name, place,
                            &held->items[held->count++]));
    return STATUS_OK;
}

const struct held *compile_find_value(const struct compiler *compiler, const struct scope *scope,
                                      struct slice name)
{
    const struct variable *variable = compile_find_variable(scope, name);

    if (!variable)
        variable = compile_find_variable(&compiler->arguments, name);
    return variable ? &variable->value : NULL;
}

enum status compile_name(struct compiler *compiler, const struct scope *scope,
                         const struct expression *expression, struct held *held)
{
    const struct slice name = expression->name;
    const struct held *value =
        expression->is_quoted ? NULL : compile_find_value(compiler, scope, name);
    struct slice column;

    if (value) {
        *held = *value;
        return STATUS_OK;
    }
    if (!expression->is_quoted && compile_is_input(name))
        return evaluate_input(compiler, name, expression->place, held);
    column = find_column(compiler, name);
    if (column.size == 0 && !compiler->columns->are_unknown)
        return refuse_name(compiler, scope, expression);
    if (compile_is_label(compiler, column))
        return compile_label(compiler, column, expression->place, held);
    return call_column(compiler, column.size > 0 ? column : name, expression->place, held);
}

enum status compile_column_name(const struct compiler *compiler, int place, struct held *held)
{
    const struct slice column = find_column(compiler, held->text);
    struct names names = {.arena = compiler->arena};

    if (column.size > 0)
        held->text = column;
    if (column.size > 0 || compiler->columns->are_unknown)
        return STATUS_OK;
    fail_at(compiler->err, STATUS_INVALID, place, "no input is called \"%.*s\"",
            SLICE_FORMAT(slice_prefix(held->text, 60)));
    add_columns(compiler, &names);
    if (text_nearest(held->text, names.names, names.count) < 0 && names.count > 0)
        hint_columns(&names, compiler->err);
    return names_hint(&names, held->text, compiler->err);
}

enum status compile_column(struct compiler *compiler, const struct scope *scope,
                           const struct expression *expression, struct held *held)
{
    const struct held *value =
        expression->is_quoted ? NULL : compile_find_value(compiler, scope, expression->name);

    *held = (struct held){.kind = HELD_TEXT, .text = expression->name};
    if (value && value->kind == HELD_TEXT)
        *held = *value;
    TRY(compile_column_name(compiler, expression->place, held));
    return call_column(compiler, held->text, expression->place, held);
}
