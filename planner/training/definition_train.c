#include "planner/training/definition_train.h"

#include "graph/graph_frozen.h"
#include "graph/graph_infer.h"
#include "graph/graph_print.h"
#include "graph/operation.h"
#include "kinds/graph/graph_attributes.h"
#include "kinds/network/network_model.h"
#include "planner/attributes/short_names.h"
#include "planner/columns/old_model.h"
#include "planner/plan/parameters.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

#define MODEL_PREFIX "model."

/* ----- arguments ----- */

enum status definition_begin_values(struct planning *planning)
{
    struct plan *plan = planning->plan;

    plan->definition_values =
        ARENA_NEW(planning->arena, const struct value *, plan->definition->argument_count);
    return plan->definition_values ? STATUS_OK : fail_no_memory(planning->err);
}

static enum status refuse_argument(const struct planning *planning, const struct setting *setting,
                                   struct slice name)
{
    const struct definition *definition = planning->plan->definition;
    const char *names[DEFINITION_ARGUMENTS_MAX];
    int nearest;

    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct slice copy = arena_copy(planning->arena, definition->arguments[i].name);

        if (!copy.data)
            return fail_no_memory(planning->err);
        names[i] = copy.data;
    }
    nearest = text_nearest(name, names, definition->argument_count);
    fail_at(planning->err, STATUS_INVALID, setting->name.position, "%.*s has no argument \"%.*s\"",
            SLICE_FORMAT(definition->name.name), SLICE_FORMAT(slice_prefix(name, 60)));
    return nearest >= 0 ? error_hint(planning->err, "Did you mean model.%s?", names[nearest])
                        : error_hint(planning->err, "SHOW DEFINITION %.*s; lists its arguments.",
                                     SLICE_FORMAT(definition->name.name));
}

/* The name behind "model."; size 0: the statement trains by no definition, or something else is
 * set.
 */
static struct slice name_of_argument(const struct planning *planning, const struct setting *setting)
{
    const struct slice written = setting->name.text, prefix = SLICE(MODEL_PREFIX);

    if (!planning->plan->definition || written.size <= prefix.size ||
        !slice_equal_fold((struct slice){written.data, prefix.size}, prefix))
        return (struct slice){0};
    return (struct slice){written.data + prefix.size, written.size - prefix.size};
}

const struct definition_argument *definition_argument_of(const struct planning *planning,
                                                         const struct setting *setting)
{
    const struct definition *definition = planning->plan->definition;
    const struct slice name = name_of_argument(planning, setting);

    for (size_t i = 0; name.size > 0 && i < definition->argument_count; i++)
        if (slice_equal_fold(name, definition->arguments[i].name))
            return &definition->arguments[i];
    return NULL;
}

enum status definition_take_setting(struct planning *planning, const struct setting *setting,
                                    bool *is_taken)
{
    const struct definition_argument *argument = definition_argument_of(planning, setting);
    const struct slice name = name_of_argument(planning, setting);
    struct plan *plan = planning->plan;

    *is_taken = argument != NULL;
    if (argument) {
        TRY(definition_check_value(argument, &setting->value, planning->err));
        plan->definition_values[argument - plan->definition->arguments] = &setting->value;
        return STATUS_OK;
    }
    if (name.size == 0 ||
        attribute_find_written(setting->name.text, SCOPE_TRAIN, planning->plan->estimator))
        return STATUS_OK;
    return refuse_argument(planning, setting, name);
}

/* ----- the graph ----- */

/* Are its values items in order: the numbers of a SEQUENCE, or words of one, or of a list of
 * categories, if the graph takes them so? */
static bool has_steps(const struct input_spec *spec)
{
    return spec->list.form == LIST_STEPS || spec->list.form == LIST_SEQUENCE ||
           (spec->list.form == LIST_ITEMS && !spec->list.pair && !spec->is_weighted);
}

/* The names of several labels, in the order of LABEL. */
static enum status list_labels(const struct planning *planning, struct definition_columns *list)
{
    const struct plan *plan = planning->plan;
    struct slice *labels = ARENA_NEW(planning->arena, struct slice, plan->label_count + 1);

    if (!labels)
        return fail_no_memory(planning->err);
    *list = (struct definition_columns){.labels = labels,
                                        .label_count = plan->label_count,
                                        .has_no_label = plan->label_count == 0 &&
                                                        !task_has_label(plan->estimator->task)};
    for (size_t i = 0; i < plan->label_count; i++)
        labels[i] = plan->query.columns[plan->labels[i].column].name;
    return STATUS_OK;
}

static enum status list_columns(const struct planning *planning, struct definition_columns *list)
{
    const struct plan *plan = planning->plan;
    struct definition_column *columns =
        ARENA_NEW(planning->arena, struct definition_column, plan->input_count);

    if (!columns)
        return fail_no_memory(planning->err);
    TRY(list_labels(planning, list));
    list->columns = columns;
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct input_spec *spec = &plan->inputs[i].spec;

        if (!spec->offset && !spec->label)
            columns[list->count++] =
                (struct definition_column){.name = spec->name,
                                           .source = input_column(spec),
                                           .is_word = spec->type != INPUT_NUMERIC,
                                           .is_sequence = has_steps(spec)};
    }
    return STATUS_OK;
}

/* The classes that the sample has, two at least. */
static uint32_t classes_known(const struct plan *plan, size_t input)
{
    const uint64_t values = plan->query.columns[plan->inputs[input].column].distinct_values;

    return values < 2 ? 2 : values < CATEGORY_WORDS ? (uint32_t)values : CATEGORY_WORDS;
}

/* A row of the inputs, as far as it is known before the rows are: a category has one word. */
static enum status describe_row(const struct planning *planning, struct graph_row *row)
{
    const struct plan *plan = planning->plan;
    struct graph_column *columns =
        ARENA_NEW(planning->arena, struct graph_column, plan->input_count);

    if (!columns)
        return fail_no_memory(planning->err);
    *row = (struct graph_row){.columns = columns};
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct input_spec *spec = &plan->inputs[i].spec;
        const bool is_number = spec->type == INPUT_NUMERIC, is_text = spec->type == INPUT_TEXT;
        const uint32_t words = is_number ? 0 : (uint32_t)words_known(&plan->inputs[i]);
        struct graph_column *column = &columns[row->column_count];

        if (spec->offset)
            continue;
        *column = (struct graph_column){.name = spec->name,
                                        .source = input_column(spec),
                                        .dense = row->features,
                                        .dense_count = is_number,
                                        .ids = row->ids,
                                        .id_count = is_text ? spec->words_max : !is_number,
                                        .first_row = row->id_rows,
                                        .rows = words,
                                        .words = spec->label ? classes_known(plan, i) : words,
                                        .label = spec->label,
                                        .is_text = is_text,
                                        .is_weighted = spec->is_weighted,
                                        .is_sequence = spec->list.form == LIST_SEQUENCE ||
                                                       spec->list.form == LIST_STEPS,
                                        .has_order = spec->rule == RULE_ORDERED,
                                        .combiner = spec->combiner};
        row->column_count++;
        row->features += column->dense_count;
        row->ids += column->id_count * (spec->is_weighted ? 2 : 1);
        row->id_rows += words;
    }
    row->guesses_outputs =
        (plan->estimator->task == TASK_CLASSIFICATION && plan->spec.n_classes == 0) ||
        plan->label_count > 0;
    row->outputs =
        network_outputs(plan->estimator->task, row->guesses_outputs ? 2 : plan->spec.n_classes);
    return STATUS_OK;
}

/* Words that the graph takes step by step come in order. Those of SEQ_CATEGORY_ID, ids, become
 * words of a vocabulary. */
static void order_words(struct plan *plan, const struct graph *graph)
{
    for (size_t i = 0; i < plan->input_count; i++) {
        struct input_spec *spec = &plan->inputs[i].spec;

        for (uint32_t n = 0; spec->type == INPUT_TEXT && has_steps(spec) && n < graph->node_count;
             n++) {
            const struct graph_node *node = &graph->nodes[n];

            if (!slice_is(slice_of(node->operation->name), "sequence") ||
                (!slice_equal(node->arguments[0].text, spec->name) &&
                 !slice_equal(node->arguments[0].text, input_column(spec))))
                continue;
            spec->list.form = LIST_SEQUENCE;
            spec->rule = RULE_ORDERED;
        }
    }
}

static enum status make_graph(struct planning *planning, struct graph *graph)
{
    const struct definition *definition = planning->plan->definition;
    struct definition_columns columns;
    struct graph_row row;

    TRY(list_columns(planning, &columns));
    TRY(definition_compile(definition, planning->plan->definition_values, &columns, planning->arena,
                           graph, planning->err));
    order_words(planning->plan, graph);
    TRY(describe_row(planning, &row));
    return graph_infer(graph, &row, planning->err);
}

/* ----- USING ----- */

static void print_call(const struct graph *graph, uint32_t node, struct text *out)
{
    if (node < graph->node_count)
        graph_node_print_call(graph, &graph->nodes[node], out);
    else
        text_append_string(out, "nothing more");
}

/* The weights of the old model are those of its calls. */
static enum status check_old_graph(const struct planning *planning, const struct graph *graph)
{
    const struct plan *plan = planning->plan;
    const struct graph *old = old_model_is_named(planning) && plan->model.params
                                  ? graph_params(plan->model.params)->graph
                                  : NULL;
    const uint32_t differs = old ? graph_difference(graph, old) : GRAPH_NONE;
    struct text here, there;

    if (differs == GRAPH_NONE)
        return STATUS_OK;
    text_init(&here, sizeof planning->err->message / 3);
    text_init(&there, sizeof planning->err->message / 3);
    print_call(graph, differs, &here);
    print_call(old, differs, &there);
    fail_at(planning->err, STATUS_INVALID, path_last(&planning->statement->object).position,
            "model \"%.*s\" has another graph: it has %s, where %.*s has %s",
            SLICE_FORMAT(plan->model_name), text_string(&there),
            SLICE_FORMAT(plan->definition->name.name), text_string(&here));
    text_deinit(&here);
    text_deinit(&there);
    return error_hint(planning->err, "Train by the definition and the model.* arguments that it "
                                     "was trained by: SHOW MODEL shows its statement.");
}

static enum status take_freeze(struct planning *planning, const struct graph *graph)
{
    const struct setting *setting = settings_find(planning, "train.freeze");
    bool frozen[GRAPH_PARAMETERS_MAX];

    if (!setting)
        return STATUS_OK;
    if (setting->value.text.size > GRAPH_FROZEN_BYTES_MAX)
        return fail_at(planning->err, STATUS_LIMIT, setting->value.span.start,
                       "train.freeze has at most %d bytes", GRAPH_FROZEN_BYTES_MAX);
    if (graph_find_frozen(graph, setting->value.text, frozen, planning->err) != STATUS_OK)
        return error_place(planning->err, setting->value.span.start);
    return slice_keep(planning, setting->value.text, &planning->plan->spec.freeze);
}

enum status definition_make_graph(struct planning *planning)
{
    struct plan *plan = planning->plan;
    struct graph *graph;

    if (!plan->definition)
        return STATUS_OK;
    graph = ARENA_NEW(planning->arena, struct graph, 1);
    if (!graph)
        return fail_no_memory(planning->err);
    if (make_graph(planning, graph) != STATUS_OK)
        return definition_name_place(plan->definition, planning->statement->model.position,
                                     planning->err);
    TRY(check_old_graph(planning, graph));
    TRY(take_freeze(planning, graph));
    plan->spec.graph = graph;
    plan->spec.definition = slice_of(plan->definition->digest);
    graph_params(&plan->spec.params)->graph = graph;
    return STATUS_OK;
}
