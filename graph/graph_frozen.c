#include "graph/graph_frozen.h"

#include <stdio.h>
#include <string.h>

#include "graph/operation.h"

/* Does the text fit the pattern? The last * that was met takes one letter more where it does not
 * go on. */
static bool fits(struct slice pattern, struct slice text)
{
    size_t at = 0, star = pattern.size, from = 0, i = 0;

    while (i < text.size) {
        if (at < pattern.size && pattern.data[at] == '*') {
            star = at++;
            from = i;
        } else if (at < pattern.size && pattern.data[at] == text.data[i]) {
            at++;
            i++;
        } else if (star < pattern.size) {
            at = star + 1;
            i = ++from;
        } else {
            return false;
        }
    }
    while (at < pattern.size && pattern.data[at] == '*')
        at++;
    return at == pattern.size;
}

static struct slice trimmed(struct slice text)
{
    while (text.size > 0 && *text.data == ' ')
        text = (struct slice){text.data + 1, text.size - 1};
    while (text.size > 0 && text.data[text.size - 1] == ' ')
        text.size--;
    return text;
}

static bool next_name(struct slice *rest, struct slice *name)
{
    const char *comma;

    if (!rest->data)
        return false;
    comma = memchr(rest->data, ',', rest->size);
    *name = trimmed((struct slice){rest->data, comma ? (size_t)(comma - rest->data) : rest->size});
    if (!comma)
        *rest = (struct slice){0};
    else
        *rest = (struct slice){comma + 1, rest->size - (size_t)(comma + 1 - rest->data)};
    return true;
}

/* ----- calls and parameters ----- */

/* Is the whole name meant, or what stands before its stroke? */
static bool fits_parameter(struct slice pattern, const struct graph_parameter *parameter)
{
    const char *stroke = strchr(parameter->name, '/');

    return fits(pattern, slice_of(parameter->name)) ||
           (stroke &&
            fits(pattern, (struct slice){parameter->name, (size_t)(stroke - parameter->name)}));
}

static bool fits_call(struct slice pattern, const struct graph_node *node)
{
    char name[GRAPH_NAME_MAX];

    snprintf(name, sizeof name, "%s_%u", node->operation->name, node->number);
    return fits(pattern, slice_of(name));
}

struct found {
    bool *frozen;                /* (GRAPH_PARAMETERS_MAX) */
    bool words[GRAPH_NODES_MAX]; /* calls with columns of the table of words, that are named */
};

static bool take_name(const struct graph *graph, struct slice name, struct found *found)
{
    bool is_found = false;

    for (uint32_t i = 0; i < graph->parameter_count; i++)
        if (fits_parameter(name, &graph->parameters[i]))
            is_found = found->frozen[i] = true;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].table_columns > 0 && fits_call(name, &graph->nodes[i]))
            is_found = found->words[i] = true;
    return is_found;
}

static enum status refuse_name(const struct graph *graph, struct slice name, struct error *err)
{
    struct text names;

    fail(err, STATUS_INVALID, "nothing that is learned is called \"%.*s\"",
         SLICE_FORMAT(slice_prefix(name, 60)));
    text_init(&names, sizeof err->hint / 2);
    for (uint32_t i = 0; i < graph->parameter_count; i++)
        text_printf(&names, "%s%s", i ? ", " : "", graph->parameters[i].name);
    if (names.failed)
        return text_deinit(&names), fail_no_memory(err);
    error_hint(err, "There are %s; dense_1 means all of dense_1, and dense* all of dense.",
               names.size > 0 ? text_string(&names) : "none");
    text_deinit(&names);
    return err->status;
}

/* ----- the table of words ----- */

static enum status freeze_table(const struct graph *graph, struct found *found, struct error *err)
{
    const struct graph_node *left = NULL;
    bool is_named = false;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        is_named |= found->words[i];
        if (graph->nodes[i].table_columns > 0 && !found->words[i])
            left = &graph->nodes[i];
    }
    if (!is_named || graph->table == GRAPH_NONE || found->frozen[graph->table])
        return STATUS_OK;
    found->frozen[graph->table] = true;
    if (!left)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "all words have one table, and %s_%u, which has columns of it, is not frozen",
         left->operation->name, left->number);
    return error_hint(err, "Name all of them, or words/table.");
}

enum status graph_find_frozen(const struct graph *graph, struct slice names, bool *frozen,
                              struct error *err)
{
    struct found found = {.frozen = frozen};
    bool is_learned = false;
    struct slice rest = names, name;

    memset(frozen, 0, GRAPH_PARAMETERS_MAX * sizeof *frozen);
    if (trimmed(names).size == 0)
        return STATUS_OK;
    while (next_name(&rest, &name))
        if (!take_name(graph, name, &found))
            return refuse_name(graph, name, err);
    TRY(freeze_table(graph, &found, err));
    for (uint32_t i = 0; i < graph->parameter_count; i++)
        is_learned |= !frozen[i];
    if (is_learned)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "all that could be learned is frozen");
    return error_hint(err, "Leave a name out of train.freeze.");
}
