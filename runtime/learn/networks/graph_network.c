#include "runtime/learn/networks/graph_network.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/process/progress.h"
#include "graph/graph_frozen.h"
#include "graph/graph_infer.h"
#include "graph/graph_inputs.h"
#include "graph/graph_labels.h"
#include "graph/graph_run.h"
#include "kinds/graph/graph_attributes.h"
#include "kinds/graph/graph_model.h"
#include "kinds/network/network_model.h"
#include "runtime/learn/layers/lane_gather.h"
#include "runtime/learn/networks/network_shape.h"
#include "runtime/learn/networks/start.h"
#include "scoring/numbers/matrix.h"

_Static_assert(GRAPH_PARAMETERS_MAX <= TENSORS_MAX, "each parameter is a tensor");

struct graph_network {
    struct arena arena;
    struct graph graph;
    struct graph_plan plan;
    struct loss_head head;
    uint64_t seed;
    bool has_offset;
    const struct dataset *dataset;
    struct kind_params params; /* the spec's, with the graph */
    struct tensor tensors[GRAPH_PARAMETERS_MAX];
    struct graph_model content;
    struct graph_head heads[GRAPH_HEADS_MAX]; /* heads of several labels */
    uint32_t head_count;                      /* those that are measured */
    double head_units[GRAPH_HEADS_MAX];
};

/* ---- shape ---- */

/* The scale of a label that is a number, so that differences are in its units; 0: classes. */
static double unit_of(const struct graph_network *network, const struct graph_head *head)
{
    const struct graph_column *column = &network->graph.row.columns[head->column];
    const struct transform *transform = &network->dataset->transform;

    for (uint32_t i = 0; column->label == INPUT_LABEL_NUMBER && i < transform->input_count; i++)
        if (transform->inputs[i].spec.label &&
            slice_equal(transform->inputs[i].spec.name, column->name))
            return transform->inputs[i].scale;
    return 0;
}

static int by_column(const void *a, const void *b)
{
    const uint32_t x = ((const struct graph_head *)a)->column,
                   y = ((const struct graph_head *)b)->column;

    return (x > y) - (x < y);
}

/* The heads in the order of LABEL, of which the first are measured by themselves. */
static void list_heads(struct graph_network *network)
{
    const uint32_t count = graph_heads(&network->graph, network->heads);

    qsort(network->heads, count, sizeof *network->heads, by_column);
    network->head_count = count < METRICS_MAX ? count : METRICS_MAX;
    for (uint32_t i = 0; i < network->head_count; i++)
        network->head_units[i] = unit_of(network, &network->heads[i]);
}

/* How many ids of a row may select a row of the table. */
static uint32_t selects_most(const struct graph *graph)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < graph->row.column_count; i++)
        most += graph->row.columns[i].id_count;
    return most;
}

static enum status list_tensors(struct graph_network *network, struct slice freeze,
                                struct error *err)
{
    const struct graph *graph = &network->graph;
    bool frozen[GRAPH_PARAMETERS_MAX];

    TRY(graph_find_frozen(graph, freeze, frozen, err));

    for (uint32_t i = 0; i < graph->parameter_count; i++) {
        const struct graph_parameter *parameter = &graph->parameters[i];
        const bool is_table = i == graph->table;

        network->tensors[i] = (struct tensor){
            .first = parameter->first,
            .count = parameter->rows * parameter->width,
            .row_width = is_table ? parameter->width : 0,
            .selects_most = is_table ? selects_most(graph) : 0,
            .is_bias = parameter->is_bias,
            .is_statistic = parameter->is_statistic,
            .is_frozen = frozen[i],
            .is_transposed = parameter->is_transposed,
        };
    }
    return STATUS_OK;
}

static enum status init(struct graph_network *network, const struct jobspec *spec,
                        const struct dataset *dataset, struct error *err)
{
    const uint32_t outputs = network_outputs(spec->task, dataset->labels.count);
    struct graph_row row;

    network->seed = spec->seed;
    network->has_offset = dataset->transform.offset_width > 0;
    network->dataset = dataset;
    network->params = spec->params;
    TRY(graph_copy(spec->graph, &network->arena, &network->graph, err));
    TRY(graph_row_of(&dataset->transform, outputs, &network->arena, &row, err));
    if (graph_infer(&network->graph, &row, err) != STATUS_OK) {
        err->position = -1; /* it is one of the definition's text */
        return err->status;
    }
    list_heads(network);
    TRY(graph_plan_make(&network->graph, LANE_CHUNK_ROWS, true, &network->arena, &network->plan,
                        err));
    TRY(loss_head_init(&network->head, spec, outputs, dataset, err));
    TRY(graph_model_init(&network->content, &network->graph, &network->arena, err));
    graph_params(&network->params)->graph = &network->graph;
    return list_tensors(network, spec->freeze, err);
}

static void graph_network_close(void *self)
{
    struct graph_network *network = self;

    arena_deinit(&network->arena);
    free(network);
}

/* ---- the start ---- */

static double limit_of(const struct graph_start *start)
{
    return start->rule == GRAPH_START_FAN ? start_limit(start->fan_in, start->fan_out, start->next)
                                          : start->limit;
}

/* A node's columns of the table, row by row: numbers of a tensor of its own. */
static void start_table(const struct graph_network *network, uint32_t i, float *parameters)
{
    const struct graph *graph = &network->graph;
    const struct graph_node *node = &graph->nodes[i];
    float *table = parameters + graph->parameters[graph->table].first + node->table_column;

    for (uint64_t r = 0; r < graph->row.id_rows; r++)
        start_uniform(network->seed, GRAPH_PARAMETERS_MAX + i, r * node->table_columns,
                      node->table_columns, limit_of(&node->table_start),
                      table + r * graph->table_width);
}

static void start_parameter(const struct graph_network *network, uint32_t i, float *values)
{
    const struct graph_parameter *parameter = &network->graph.parameters[i];
    const uint32_t count = parameter->rows * parameter->width;

    switch (parameter->start.rule) {
    case GRAPH_START_ZERO:
        break;
    case GRAPH_START_ONE:
        for (uint32_t j = 0; j < count; j++)
            values[j] = 1;
        break;
    case GRAPH_START_FORGET:
        for (uint32_t j = count / 4; j < count / 2; j++)
            values[j] = 1;
        break;
    case GRAPH_START_FAN:
    case GRAPH_START_LIMIT:
        start_uniform(network->seed, i, 0, count, limit_of(&parameter->start), values);
        break;
    case GRAPH_START_OUTPUTS:
        start_outputs(&network->head, network->dataset, values);
        break;
    }
}

static void graph_network_start(const void *self, float *parameters)
{
    const struct graph_network *network = self;
    const struct graph *graph = &network->graph;

    memset(parameters, 0, graph->floats * sizeof *parameters);
    for (uint32_t i = 0; i < graph->parameter_count; i++)
        if (i != graph->table)
            start_parameter(network, i, parameters + graph->parameters[i].first);
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->table != GRAPH_NONE && graph->nodes[i].table_columns > 0)
            start_table(network, i, parameters);
}

static uint32_t graph_network_transpose(const void *self, const float *parameters,
                                        float *transposed)
{
    const struct graph_network *network = self;

    return graph_transpose(&network->graph, parameters, transposed);
}

/* ---- space ---- */

struct space {
    struct graph_room room;
    float *features, *offsets; /* (chunk, features); (chunk), of a model that has one, else NULL */
    int32_t *ids;              /* (chunk, id_count) */
    float *outputs;            /* (chunk, outputs) */
    struct loss_labels labels;
    float *gradient; /* (floats); the table's is 0 between calls */
    struct touched_rows touched;
    const float *returned; /* values of the rows that were computed last */
    struct graph_head_sums heads[METRICS_MAX];
};

static void space_close(void *closed)
{
    struct space *space = closed;

    if (!space)
        return;
    graph_room_close(&space->room);
    free(space->features);
    free(space->offsets);
    free(space->ids);
    free(space->outputs);
    free(space->labels.targets);
    free(space->labels.weights);
    free(space->labels.classes);
    free(space->labels.losses);
    free(space->gradient);
    touched_rows_deinit(&space->touched);
    free(space);
}

static bool allocate(const struct graph_network *network, struct space *space)
{
    const struct graph *graph = &network->graph;
    const size_t chunk = LANE_CHUNK_ROWS;

    space->features = matrix_new(chunk, graph->row.features, sizeof *space->features);
    space->offsets = network->has_offset ? matrix_new(chunk, 1, sizeof *space->offsets) : NULL;
    space->ids = matrix_new(chunk, graph->row.ids, sizeof *space->ids);
    space->outputs = matrix_new(chunk, graph->row.outputs, sizeof *space->outputs);
    space->labels.targets = matrix_new(chunk, 1, sizeof *space->labels.targets);
    space->labels.weights = matrix_new(chunk, 1, sizeof *space->labels.weights);
    space->labels.classes = matrix_new(chunk, 1, sizeof *space->labels.classes);
    space->labels.losses = matrix_new(chunk, 1, sizeof *space->labels.losses);
    space->gradient = matrix_new(1, graph->floats, sizeof *space->gradient);
    return space->features && (space->offsets || !network->has_offset) && space->ids &&
           space->outputs && space->labels.targets && space->labels.weights &&
           space->labels.classes && space->labels.losses && space->gradient;
}

static enum status open_space(const struct graph_network *network, struct space *space,
                              struct error *err)
{
    if (!allocate(network, space))
        return fail_no_memory(err);
    TRY(touched_rows_make(&space->touched, network->graph.row.id_rows, err));
    return graph_room_open(&space->room, &network->graph, &network->plan, err);
}

static enum status space_open(const void *self, void **opened, struct error *err)
{
    struct space *space = calloc(1, sizeof *space);
    enum status status;

    if (!space)
        return fail_no_memory(err);
    status = open_space(self, space, err);
    if (status == STATUS_OK)
        *opened = space;
    else
        space_close(space);
    return status;
}

/* ---- forward, backward ---- */

static bool has_loss(const struct graph_network *network)
{
    return network->graph.loss != GRAPH_NONE;
}

/* The rows of a chunk, whose outputs lie in space->outputs then; losses of their own lie in the
 * room. */
static struct graph_rows forward(const struct graph_network *network, const float *parameters,
                                 const struct lane_rows *lane, uint32_t offset, bool learns,
                                 struct space *space)
{
    const struct gathered to = {space->features, space->ids, space->offsets, &space->labels};
    const struct graph_rows rows = {
        .features = space->features,
        .ids = space->ids,
        .n = lane_chunk_rows(lane, offset),
        .learns = learns,
        .share = lane_chunk_rows(lane, offset) / lane->divisor,
        .seed = network->seed,
        .step = lane->step,
        .position = (uint64_t)lane->position + offset,
    };

    progress_note();
    lane_gather(&network->head, lane, offset, rows.n, &to);
    space->returned = graph_forward(&space->room, parameters, &rows);
    if (has_loss(network))
        return rows;
    memcpy(space->outputs, space->returned,
           rows.n * (size_t)network->graph.row.outputs * sizeof *space->outputs);
    for (uint32_t i = 0; space->offsets && i < rows.n; i++)
        space->outputs[i] += space->offsets[i];
    return rows;
}

/* Fills in the gradient of what is minimised, of 1/divisor times the weighted loss, which is
 * returned summed. */
static double minimise(const struct graph_network *network, const struct graph_rows *rows,
                       double divisor, struct space *space)
{
    float *delta = graph_delta(&space->room);
    const float *losses = has_loss(network) ? graph_losses(&space->room, rows) : NULL;
    double loss = 0;

    if (!losses) {
        loss = loss_head_backward(&network->head, rows->n, divisor, &space->labels, space->outputs);
        memcpy(delta, space->outputs, rows->n * (size_t)network->graph.row.outputs * sizeof *delta);
        return loss;
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        const float weight = space->labels.weights[i];

        loss += (double)weight * (double)losses[i];
        delta[i] = weight * (float)(1 / divisor);
    }
    return loss;
}

/* The dense parameters' gradient begins with zeros; the table's rows are cleared behind. */
static void clear_dense(const struct graph *graph, float *gradient)
{
    const uint32_t dense =
        graph->table == GRAPH_NONE ? graph->floats : graph->parameters[graph->table].first;

    memset(gradient, 0, dense * sizeof *gradient);
}

static struct lane_gradient graph_network_gradient(const void *self, const float *parameters,
                                                   const float *transposed,
                                                   const struct lane_rows *lane, void *opened)
{
    const struct graph_network *network = self;
    struct space *space = opened;
    double loss = 0;

    clear_dense(&network->graph, space->gradient);
    for (uint32_t offset = 0; offset < lane->count; offset += LANE_CHUNK_ROWS) {
        const struct graph_rows rows = forward(network, parameters, lane, offset, true, space);

        loss += minimise(network, &rows, lane->divisor, space);
        graph_backward(&space->room, parameters, transposed, &rows, space->gradient,
                       &space->touched);
    }
    return (struct lane_gradient){loss, space->gradient, space->touched.rows, space->touched.count};
}

static void space_clear(const void *self, void *opened)
{
    const struct graph *graph = &((const struct graph_network *)self)->graph;
    struct space *space = opened;

    if (graph->table != GRAPH_NONE)
        memset(space->gradient + graph->parameters[graph->table].first, 0,
               space->touched.count * (size_t)graph->table_width * sizeof(float));
    touched_rows_clear(&space->touched);
}

static double graph_network_evaluate(const void *self, const float *parameters,
                                     const struct lane_rows *lane, void *opened, uint64_t *correct)
{
    const struct graph_network *network = self;
    struct space *space = opened;
    double loss = 0;

    *correct = 0;
    memset(space->heads, 0, sizeof space->heads);
    for (uint32_t offset = 0; offset < lane->count; offset += LANE_CHUNK_ROWS) {
        const struct graph_rows rows = forward(network, parameters, lane, offset, false, space);

        for (uint32_t i = 0; i < network->head_count; i++)
            graph_head_measure(&network->graph, &network->heads[i], &rows, space->returned,
                               &space->heads[i]);
        if (has_loss(network))
            for (uint32_t i = 0; i < rows.n; i++)
                loss += (double)graph_losses(&space->room, &rows)[i];
        else
            *correct +=
                loss_head_evaluate(&network->head, rows.n, &space->labels, space->outputs, &loss);
    }
    return loss;
}

static const struct graph_head_sums *head_sums(const void *opened)
{
    return ((const struct space *)opened)->heads;
}

/* ---- as descent learns it ---- */

static void fill_model(void *self, const float *parameters, struct model *model)
{
    struct graph_network *network = self;

    for (uint32_t i = 0; i < network->graph.parameter_count; i++)
        network->content.elements[i] = parameters + network->graph.parameters[i].first;
    model->content = &network->content;
    if (has_loss(network))
        graph_model_fill(&network->content, model);
    else
        loss_head_fill(&network->head, model);
}

static void put_shape(const void *self, struct text *out)
{
    const struct graph_network *network = self;
    const struct graph *graph = &network->graph;

    put_u32(out, network->head.task);
    put_u64(out, network->content.hash);
    put_u32(out, graph->row.features);
    put_u32(out, graph->row.ids);
    put_u32(out, graph->row.id_rows);
    put_u32(out, graph->row.outputs);
}

static struct descent_settings settings_of(const struct jobspec *spec, uint64_t rows)
{
    struct descent_settings settings = network_settings(spec, rows);

    settings.l2 = graph_l2(&spec->params, spec->task, rows);
    return settings;
}

enum status graph_network_open(const struct jobspec *spec, const struct dataset *dataset,
                               struct differentiable *model, struct error *err)
{
    struct graph_network *network = calloc(1, sizeof *network);
    enum status status;

    if (!network)
        return fail_no_memory(err);
    arena_init(&network->arena, ARENA_MAXIMUM);
    status = init(network, spec, dataset, err);
    if (status != STATUS_OK) {
        graph_network_close(network);
        return status;
    }
    *model = (struct differentiable){
        .self = network,
        .params = &network->params,
        .tensors = network->tensors,
        .tensor_count = network->graph.parameter_count,
        .parameter_count = network->graph.floats,
        .derived_count = network->graph.transposed,
        .space_bytes = network->plan.floats * sizeof(float),
        .settings = settings_of(spec, dataset->train.rows),
        .unit = loss_head_unit(&network->head),
        .close = graph_network_close,
        .start = graph_network_start,
        .derive = graph_network_transpose,
        .space_open = space_open,
        .space_close = space_close,
        .gradient = graph_network_gradient,
        .space_clear = space_clear,
        .evaluate = graph_network_evaluate,
        .head_count = network->head_count,
        .head_units = network->head_units,
        .head_sums = head_sums,
        .fill_model = fill_model,
        .put_shape = put_shape,
    };
    return STATUS_OK;
}
