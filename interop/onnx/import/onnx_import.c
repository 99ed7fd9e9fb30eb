#include "interop/onnx/import/onnx_import.h"

#include <string.h>

#include "graph/graph_infer.h"
#include "graph/graph_inputs.h"
#include "graph/operation.h"
#include "interop/onnx/import/onnx_import_arithmetic.h"
#include "interop/onnx/import/onnx_import_calls.h"
#include "interop/onnx/import/onnx_import_constants.h"
#include "interop/onnx/import/onnx_import_inputs.h"
#include "interop/onnx/import/onnx_import_layers.h"
#include "interop/onnx/import/onnx_import_parts.h"
#include "interop/onnx/import/onnx_import_recurrent.h"
#include "interop/onnx/import/onnx_import_shapes.h"
#include "interop/onnx/import/onnx_import_windows.h"
#include "kinds/graph/graph_kind.h"
#include "kinds/graph/graph_model.h"

#define LABEL       "label"
#define UNITS_PLACE 0 /* the place of dense's argument */

/* ----- nodes ----- */

static onnx_reader *reader_of(const char *operator)
{
    const struct onnx_operator *const lists[] = {onnx_layer_readers,  onnx_arithmetic_readers,
                                                 onnx_shape_readers,  onnx_part_readers,
                                                 onnx_window_readers, onnx_recurrent_readers};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct onnx_operator *found = lists[i]; found->name; found++)
            if (strcmp(found->name, operator) == 0)
                return found->read;
    return NULL;
}

static bool is_last(const struct onnx_import *import)
{
    return strcmp(import->node->output[0], import->file->output[0]->name) == 0;
}

/* Shares and probabilities that the model gives: its outputs are what they follow from. */
static enum status take_last(struct onnx_import *import, bool *is_taken)
{
    const char *operator= import->node->op_type;
    const bool is_one = strcmp(operator, "Sigmoid") == 0;
    struct onnx_known *x;

    *is_taken = is_last(import) &&
                (is_one || strcmp(operator, "Softmax") == 0 || strcmp(operator, "LogSoftmax") == 0);
    if (!*is_taken)
        return STATUS_OK;
    TRY(onnx_take_floats(import, 0, &x));
    if (x->rank != 1 || (is_one && x->sizes[0] != 1))
        return onnx_refuse_node(import, is_one ? "as the last operator it has one output"
                                               : "as the last operator it takes (rows, classes)");
    import->has_shares = true;
    import->has_one = is_one;
    return onnx_give_same(import, x);
}

/* Recurrent layers alone may give their second output without the first. */
static bool has_output(const Onnx__NodeProto *node)
{
    if (node->n_output > 1 && node->output[1][0] && !node->output[0][0])
        for (const struct onnx_operator *found = onnx_recurrent_readers; found->name; found++)
            if (strcmp(found->name, node->op_type) == 0)
                return true;
    return node->n_output > 0 && node->output[0][0];
}

static enum status read_node(struct onnx_import *import)
{
    const Onnx__NodeProto *node = import->node;
    onnx_reader *read;
    bool is_taken;

    if (!node->op_type || !has_output(node))
        return fail(import->err, STATUS_CORRUPT, "a node has no operator or no output");
    if (node->domain && node->domain[0] && strcmp(node->domain, "ai.onnx") != 0)
        return onnx_refuse_node(import, "operators of %.40s are not read", node->domain);
    for (size_t i = 0; i < node->n_input; i++)
        if (node->input[i][0] && !onnx_taken(import, i))
            return onnx_refuse_node(import, "input %zu is not known", i);
    TRY(take_last(import, &is_taken));
    if (!is_taken)
        TRY(onnx_fold(import, &is_taken));
    if (is_taken)
        return STATUS_OK;
    read = reader_of(node->op_type);
    return read ? read(import)
                : onnx_refuse_node(import, "no operation of a definition is like it");
}

/* ----- outputs ----- */

static enum status refuse_output(const struct onnx_import *import, const char *why)
{
    return fail(import->err, STATUS_UNSUPPORTED, "output \"%.60s\": %s",
                import->file->output[0]->name, why);
}

/* A model of two classes has one output, by which the second is more likely. */
static enum status join_classes(struct onnx_import *import, struct onnx_known *output)
{
    struct graph_argument *units;

    if (!output->weights || output->uses > 1 || import->graph.nodes[output->node].input_count != 1)
        return refuse_output(import, "for two classes it must be computed by a layer (Gemm)");
    for (uint32_t i = 0; i < output->rows; i++)
        output->weights[i] = output->weights[2 * i + 1] - output->weights[2 * i];
    output->bias[0] = output->bias[1] - output->bias[0];
    for (uint32_t i = 0; i < import->weight_count; i++)
        if (import->weights[i].node == output->node)
            import->weights[i].count /= 2;
    units = &import->graph.nodes[output->node].arguments[UNITS_PLACE];
    units->number = 1;
    return STATUS_OK;
}

struct task_of_file {
    uint32_t classes, outputs; /* 0 classes: a number */
};

static enum status take_output(struct onnx_import *import, struct task_of_file *task)
{
    struct onnx_known *output;
    struct graph_node *node;
    uint32_t last, width;

    if (import->file->n_output != 1)
        return fail(import->err, STATUS_UNSUPPORTED,
                    "the file has %zu outputs, and a model has one", import->file->n_output);
    output = onnx_find(import, import->file->output[0]->name ? import->file->output[0]->name : "");
    if (!output || output->held != ONNX_HOLDS_FLOATS || output->rank != 1)
        return refuse_output(import, "its shape must be (rows, numbers)");
    width = output->sizes[0];
    *task = (struct task_of_file){width, width};
    if (import->has_one)
        task->classes = 2;
    else if (width == 1)
        task->classes = 0;
    if (width == 2) {
        TRY(join_classes(import, output));
        task->outputs = 1;
    }
    last = output->node;
    node = &import->graph.nodes[last];
    if (slice_is(slice_of(node->operation->name), "dense"))
        node->arguments[UNITS_PLACE].number = GRAPH_OUTPUTS;
    return graph_end(&import->graph, &last, 1, import->err);
}

static enum status read_graph(struct onnx_import *import, struct task_of_file *task)
{
    TRY(onnx_take_inputs(import));
    for (size_t i = 0; i < import->file->n_node; i++) {
        import->node = import->file->node[i];
        if (import->file->n_output != 1 || !import->file->output[0]->name)
            break;
        TRY(read_node(import));
    }
    return take_output(import, task);
}

/* ----- the model ----- */

/* Ids come first among the rows of their column; the row behind them is that of a NULL, zeros. */
static enum status put_table(const struct onnx_import *import, const struct onnx_weights *weights,
                             float *floats)
{
    const struct graph *graph = &import->graph;
    const struct graph_node *node = &graph->nodes[weights->node];
    const struct graph_node *ids = &graph->nodes[node->inputs[0]];
    const struct graph_column *column = NULL;
    const uint32_t rows = (uint32_t)(weights->count / node->table_columns);
    float *table;

    for (uint32_t i = 0; i < graph->row.column_count; i++)
        if (slice_equal(graph->row.columns[i].source, ids->arguments[0].text))
            column = &graph->row.columns[i];
    if (!column || graph->table == GRAPH_NONE ||
        weights->count != (size_t)rows * node->table_columns || rows > column->rows)
        return fail(import->err, STATUS_CORRUPT, "a table of words has more rows than its column");
    table = floats + graph->parameters[graph->table].first;
    for (uint32_t i = 0; i < rows; i++)
        memcpy(table + (size_t)(column->first_row + i) * graph->table_width + node->table_column,
               weights->values + (size_t)i * node->table_columns,
               node->table_columns * sizeof *table);
    return STATUS_OK;
}

static enum status put_weights(const struct onnx_import *import, struct graph_model *content)
{
    const struct graph *graph = &import->graph;
    float *floats = ARENA_NEW(import->arena, float, graph->floats + 1u);

    if (!floats)
        return fail_no_memory(import->err);
    for (uint32_t i = 0; i < import->weight_count; i++) {
        const struct onnx_weights *weights = &import->weights[i];
        const struct graph_node *node = &graph->nodes[weights->node];
        const struct graph_parameter *parameter;

        if (!node->is_used)
            continue;
        if (weights->part == ONNX_TABLE) {
            TRY(put_table(import, weights, floats));
            continue;
        }
        parameter = &graph->parameters[node->parameter + weights->part];
        if (weights->part >= node->parameter_count ||
            weights->count != (size_t)parameter->rows * parameter->width)
            return fail(import->err, STATUS_CORRUPT, "%s_%u has weights of another shape",
                        node->operation->name, node->number);
        memcpy(floats + parameter->first, weights->values, weights->count * sizeof *floats);
    }
    for (uint32_t i = 0; i < graph->parameter_count; i++)
        content->elements[i] = floats + graph->parameters[i].first;
    return STATUS_OK;
}

static enum status put_labels(const struct onnx_import *import, const struct task_of_file *task,
                              struct model *model)
{
    model->task = task->classes > 0 ? TASK_CLASSIFICATION : TASK_REGRESSION;
    model->labels = (struct labels){.type = task->classes > 0 ? LABEL_INTEGER : LABEL_REAL,
                                    .count = task->classes};
    if (task->classes == 0)
        return STATUS_OK;
    model->labels.values = ARENA_NEW(import->arena, struct cell, task->classes);
    if (!model->labels.values)
        return fail_no_memory(import->err);
    for (uint32_t i = 0; i < task->classes; i++)
        model->labels.values[i] = (struct cell){.type = CELL_INTEGER, .integer = i};
    return STATUS_OK;
}

static enum status make_model(struct onnx_import *import, const struct task_of_file *task,
                              struct model *model)
{
    struct graph_model *content = ARENA_NEW(import->arena, struct graph_model, 1);
    struct graph *graph = ARENA_NEW(import->arena, struct graph, 1);
    struct graph_row row;

    if (!content || !graph)
        return fail_no_memory(import->err);
    model->transform.inputs = import->inputs;
    model->transform.input_count = import->input_count;
    TRY(transform_finish(&model->transform, import->arena, import->err));
    TRY(graph_row_of(&model->transform, task->outputs, import->arena, &row, import->err));
    TRY(graph_infer(&import->graph, &row, import->err));
    *graph = import->graph;
    TRY(graph_model_init(content, graph, import->arena, import->err));
    TRY(put_weights(import, content));
    TRY(put_labels(import, task, model));
    model->format = MODEL_FORMAT_LISTS;
    model->estimator = SLICE("onnx");
    model->kind = &graph_kind;
    model->label = SLICE(LABEL);
    model->label_scale = 1;
    model->content = content;
    return STATUS_OK;
}

static enum status import_graph(struct onnx_import *import, struct model *model)
{
    struct task_of_file task = {0};

    TRY(read_graph(import, &task));
    return make_model(import, &task, model);
}

/* Places of errors are those of no statement. */
enum status onnx_import(struct slice bytes, struct arena *arena, struct model *model,
                        struct error *err)
{
    struct onnx_import *import = ARENA_NEW(arena, struct onnx_import, 1);
    Onnx__ModelProto *file;
    enum status status;

    if (!import)
        return fail_no_memory(err);
    import->arena = arena;
    import->err = err;
    TRY(onnx_read(bytes, arena, &file, &import->operators, err));
    import->file = file->graph;
    status = import_graph(import, model);
    if (status != STATUS_OK)
        err->position = -1;
    return status;
}
