#include "definition/compiler.h"

#include <math.h>

#include "graph/graph_labels.h"

/* ----- labels ----- */

/* One of several labels, by its name. */
enum status compile_label(struct compiler *compiler, struct slice name, int place,
                          struct held *held)
{
    return compile_input(compiler, GRAPH_LABEL, name, place, held);
}

bool compile_is_label(const struct compiler *compiler, struct slice name)
{
    for (size_t i = 0; i < compiler->columns->label_count; i++)
        if (slice_equal_fold(compiler->columns->labels[i], name))
            return true;
    return false;
}

/* All labels, as a list. Where there is one it is no value of the graph, and means `outputs`. */
enum status compile_labels(struct compiler *compiler, int place, struct held *held)
{
    const struct definition_columns *columns = compiler->columns;

    *held = (struct held){.kind = HELD_LIST};
    held->items = ARENA_NEW(compiler->arena, struct held, columns->label_count + 1);
    if (!held->items)
        return fail_no_memory(compiler->err);
    if (columns->label_count == 0 && !columns->has_no_label)
        held->items[held->count++] = (struct held){.kind = HELD_OUTPUTS};
    for (size_t i = 0; i < columns->label_count; i++)
        TRY(compile_label(compiler, columns->labels[i], place, &held->items[held->count++]));
    return STATUS_OK;
}

/* outputs(clicked): as many numbers as the label asks for. Without a SELECT any name may be one. */
enum status compile_outputs(struct compiler *compiler, struct scope *scope,
                            const struct expression *call, struct held *held)
{
    const struct expression *value = call->count == 1 ? call->items->value : NULL;

    if (!value || call->items->name.size > 0)
        return fail_at(compiler->err, STATUS_INVALID, call->place, "outputs takes one label");
    TRY(compile_value(compiler, scope, value, held));
    if (held->kind == HELD_OUTPUTS)
        return STATUS_OK;
    if (held->kind == HELD_NODE &&
        (compiler->columns->are_unknown ||
         slice_is(slice_of(compiler->graph->nodes[held->node].operation->name), GRAPH_LABEL))) {
        held->kind = HELD_WIDTH;
        return STATUS_OK;
    }
    fail_at(compiler->err, STATUS_INVALID, call->items->place, "outputs takes a label, not %s",
            held->kind == HELD_NODE ? "another value" : held_kinds[held->kind]);
    return error_hint(compiler->err, "LABEL names several for it, as in LABEL clicked, amount.");
}

/* ----- what is returned for them ----- */

/* The list of that name, an item for each label; NULL: the definition has none. */
static enum status find_list(struct compiler *compiler, const struct scope *scope, const char *name,
                             enum held_kind kind, int place, const struct held **list)
{
    *list = compile_find_value(compiler, scope, slice_of(name));
    if (!*list)
        return STATUS_OK;
    if ((*list)->kind != HELD_LIST || (*list)->count != compiler->columns->label_count)
        return fail_at(compiler->err, STATUS_INVALID, place,
                       "%s are a list of %zu items here, one for each label", name,
                       compiler->columns->label_count);
    for (size_t i = 0; i < (*list)->count; i++)
        if ((*list)->items[i].kind != kind)
            return fail_at(compiler->err, STATUS_INVALID, place,
                           "%s holds %s, where %s is expected", name,
                           held_kinds[(*list)->items[i].kind], held_kinds[kind]);
    return STATUS_OK;
}

/* label_loss(value, label, loss = ..., weight = ...) */
static enum status call_loss(struct compiler *compiler, const struct held *value,
                             const struct held *loss, const struct held *weight, size_t i,
                             int place, struct held *held)
{
    struct graph_value values[4] = {{.type = GRAPH_NODE, .node = value->node, .place = place}};
    struct held label;
    uint32_t count = 2;

    TRY(compile_label(compiler, compiler->columns->labels[i], place, &label));
    values[1] = (struct graph_value){.type = GRAPH_NODE, .node = label.node, .place = place};
    if (loss)
        values[count++] = (struct graph_value){
            .type = GRAPH_TEXT, .name = SLICE("loss"), .text = loss->items[i].text, .place = place};
    if (weight)
        values[count++] = (struct graph_value){.type = GRAPH_NUMBER,
                                               .name = SLICE("weight"),
                                               .number = weight->items[i].number,
                                               .place = place};
    return compile_operation(compiler, GRAPH_LABEL_LOSS, values, count, place, held);
}

/* The sum of the heads' losses, by `losses` and `weights`, is what is minimised. */
static enum status add_losses(struct compiler *compiler, const struct scope *scope,
                              const struct held *heads, int place)
{
    const struct held *losses, *weights;
    struct held sum, loss;

    TRY(find_list(compiler, scope, "losses", HELD_TEXT, place, &losses));
    TRY(find_list(compiler, scope, "weights", HELD_NUMBER, place, &weights));
    for (size_t i = 0; i < heads->count; i++) {
        TRY(call_loss(compiler, &heads->items[i], losses, weights, i, place, &loss));
        if (i > 0)
            TRY(compile_apply(compiler, '+', place, &sum, &loss, &sum));
        else
            sum = loss;
    }
    return graph_minimise(compiler->graph, sum.node, compiler->err);
}

/* Beside a loss that is said one value may hold all heads, as in the steps that SHOW MODEL has. */
static enum status check_heads(const struct compiler *compiler, const struct held *heads,
                               bool has_loss, int place)
{
    const size_t labels = compiler->columns->label_count;

    for (size_t i = 0; i < heads->count; i++)
        if (heads->items[i].kind != HELD_NODE)
            return fail_at(compiler->err, STATUS_INVALID, place,
                           "a definition returns values of the graph, not %s",
                           held_kinds[heads->items[i].kind]);
    if (heads->count > 0 && (heads->count == (labels ? labels : 1) ||
                             compiler->columns->are_unknown || (heads->count == 1 && has_loss)))
        return STATUS_OK;
    fail_at(compiler->err, STATUS_INVALID, place,
            "the definition returns %zu value%s, and the statement has %zu label%s", heads->count,
            heads->count == 1 ? "" : "s", labels ? labels : 1, labels > 1 ? "s" : "");
    return error_hint(compiler->err, "It returns a list of one value for each, as in return "
                                     "[dense(h, outputs(clicked)), dense(h, outputs(amount))].");
}

/* Values that are returned lie side by side. */
static enum status join_heads(struct compiler *compiler, const struct held *heads, int place,
                              uint32_t *joined)
{
    struct graph_value values[GRAPH_HEADS_MAX];
    struct held held;

    if (heads->count > GRAPH_HEADS_MAX)
        return fail_at(compiler->err, STATUS_LIMIT, place, "more than %d heads", GRAPH_HEADS_MAX);
    for (size_t i = 0; i < heads->count; i++)
        values[i] =
            (struct graph_value){.type = GRAPH_NODE, .node = heads->items[i].node, .place = place};
    TRY(compile_operation(compiler, "concat", values, (uint32_t)heads->count, place, &held));
    *joined = held.node;
    return STATUS_OK;
}

enum status compile_heads(struct compiler *compiler, const struct scope *scope,
                          const struct held *returned, int place)
{
    const bool is_list = returned->kind == HELD_LIST;
    const struct held heads = is_list ? *returned
                                      : (struct held){.kind = HELD_LIST,
                                                      .items = (struct held *)(uintptr_t)returned,
                                                      .count = 1};
    const bool has_loss = compile_find_variable(scope, SLICE(DEFINITION_LOSS)) != NULL;
    uint32_t node;

    TRY(check_heads(compiler, &heads, has_loss, place));
    node = heads.items[0].node;
    if (compiler->columns->label_count == 0)
        return graph_end(compiler->graph, &node, 1, compiler->err);
    if (!has_loss)
        TRY(add_losses(compiler, scope, &heads, place));
    if (heads.count > 1)
        TRY(join_heads(compiler, &heads, place, &node));
    return graph_end(compiler->graph, &node, 1, compiler->err);
}
