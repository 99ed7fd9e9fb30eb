#include "kinds/graph/graph_kind.h"

#include <string.h>

#include "graph/graph_infer.h"
#include "graph/graph_inputs.h"
#include "graph/graph_json.h"
#include "graph/graph_print.h"
#include "kinds/graph/graph_attributes.h"
#include "kinds/graph/graph_formulas.h"
#include "kinds/graph/graph_model.h"
#include "kinds/graph/graph_score.h"
#include "kinds/network/network_model.h"

static void write_content(const struct model *model, cJSON *object)
{
    graph_write(graph_model_of(model)->graph, object);
}

/* Behind what is returned without a label lies the loss, as the distance of a projection. */
static uint32_t outputs_of(const struct model *model)
{
    return graph_model_of(model)->graph->row.outputs + (model->task == TASK_PROJECTION);
}

/* No training made a graph that cannot be inferred. */
static enum status infer(const struct model *model, struct arena *arena, struct graph *graph,
                         struct error *err)
{
    struct graph_row row;
    enum status status;

    TRY(graph_row_of(&model->transform, network_outputs(model->task, model->labels.count), arena,
                     &row, err));
    status = graph_infer(graph, &row, err);
    if (status != STATUS_INVALID && status != STATUS_LIMIT)
        return status;
    err->status = STATUS_CORRUPT;
    err->position = -1;
    return STATUS_CORRUPT;
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct graph_model *content = ARENA_NEW(arena, struct graph_model, 1);
    struct graph *graph = ARENA_NEW(arena, struct graph, 1);

    if (!content || !graph)
        return fail_no_memory(err);
    model->content = content;
    TRY(graph_read(object, arena, graph, err));
    if (graph->loss == GRAPH_NONE ? !task_has_label(model->task) : model->task != TASK_PROJECTION)
        return fail(err, STATUS_CORRUPT, "model: this graph does no %s", task_words[model->task]);
    TRY(infer(model, arena, graph, err));
    TRY(graph_model_init(content, graph, arena, err));
    if (graph->loss != GRAPH_NONE)
        graph_model_fill(content, model);
    return STATUS_OK;
}

static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    *number = graph_model_of(model)->hash;
    return i < 1;
}

static bool array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    struct graph_model *content = (struct graph_model *)(uintptr_t)model->content;
    const struct graph_parameter *parameter = &content->graph->parameters[i];

    if (i >= content->graph->parameter_count)
        return false;
    *array = (struct model_array){
        .rows = parameter->rows, .width = parameter->width, .elements = &content->elements[i]};
    memcpy(array->name, parameter->name, sizeof array->name);
    return true;
}
_Static_assert(GRAPH_NAME_MAX <= MODEL_ARRAY_NAME, "a parameter's name is that of an array");

static void params_of(const struct model *model, struct kind_params *params)
{
    graph_params(params)->graph = graph_model_of(model)->graph;
}

/* Shapes follow from the calls, which the planner compares. */
static bool is_of_shape(const struct attribute *attribute)
{
    (void)attribute;
    return false;
}

/* Its calls as a statement: another model can be trained by it, or go on from this one. */
static enum status show(const struct model *model, model_fact_sink *put, void *context,
                        struct error *err)
{
    const struct graph *graph = graph_params(model->params)->graph;
    enum status status;
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    graph_print_definition(graph, "zoo/copy", &text);
    status = text.failed ? fail_no_memory(err)
                         : put(context, "graph",
                               (struct cell){.type = CELL_TEXT, .text = text_slice(&text)}, err);
    text_deinit(&text);
    return status;
}

static size_t row_bytes(const struct model *model)
{
    return graph_model_of(model)->row_bytes;
}

const struct kind graph_kind = {
    .name = "graph",
    .attributes = &network_attributes,
    .sections = (const char *const[]){"optimizer", NULL},
    .without = (const char *const[]){"train.label_upper_bound", "train.base_margin", NULL},
    .has_calls = true,
    .goes_on = true,
    .is_of_shape = is_of_shape,
    .settle = graph_settle,
    .uses = network_uses,
    .cost = graph_cost,
    .keeps_best = true,
    .length = graph_length,
    .far_values = graph_far_values,
    .link = network_link,
    .squares_errors = network_squares_errors,
    .aim = graph_aim,
    .size_hint = "Parameters, gradients, their sums and optimizer state are counted; use smaller "
                 "layers in the definition, or fewer distinct values by VOCABULARY(column, n).",
    .held = "parameters, gradients, their sums and optimizer state",
    .explained = "graph",
    .explain = graph_explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = array_of,
    .params_of = params_of,
    .show = show,
    .outputs = outputs_of,
    .row_bytes = row_bytes,
    .open = graph_scorer_open,
    .score = graph_score,
    .close = graph_scorer_close,
    .formulas = graph_formulas,
};
