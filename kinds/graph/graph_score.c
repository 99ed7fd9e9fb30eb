#include "kinds/graph/graph_score.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph_run.h"
#include "kinds/graph/graph_model.h"
#include "scoring/numbers/matrix.h"

struct workspace {
    const struct model *model;
    struct arena arena; /* the plan's */
    struct graph_plan plan;
    struct graph_room room;
    float *parameters; /* (graph->floats): the model's arrays side by side */
    float *features;   /* (rows, features), of a model with an offset; else NULL */
};

/* Arrays of a table lie anywhere, and those of a learner side by side. */
static enum status gather_parameters(struct workspace *workspace, struct error *err)
{
    const struct graph_model *content = graph_model_of(workspace->model);

    workspace->parameters = matrix_new(1, content->graph->floats, sizeof(float));
    if (!workspace->parameters)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < content->graph->parameter_count; i++) {
        const struct graph_parameter *parameter = &content->graph->parameters[i];

        memcpy(workspace->parameters + parameter->first, content->elements[i],
               (size_t)parameter->rows * parameter->width * sizeof(float));
    }
    return STATUS_OK;
}

static enum status open_workspace(struct workspace *workspace, uint32_t rows_max, struct error *err)
{
    const struct transform *transform = &workspace->model->transform;
    const struct graph *graph = graph_model_of(workspace->model)->graph;

    TRY(gather_parameters(workspace, err));
    TRY(graph_plan_make(graph, rows_max, false, &workspace->arena, &workspace->plan, err));
    TRY(graph_room_open(&workspace->room, graph, &workspace->plan, err));
    if (transform->offset_width == 0)
        return STATUS_OK;
    workspace->features = matrix_new(rows_max, transform_features(transform), sizeof(float));
    return workspace->features ? STATUS_OK : fail_no_memory(err);
}

enum status graph_scorer_open(const struct model *model, uint32_t rows_max, void **opened,
                              struct error *err)
{
    struct workspace *workspace = calloc(1, sizeof *workspace);
    enum status status;

    *opened = NULL;
    if (!workspace)
        return fail_no_memory(err);
    workspace->model = model;
    arena_init(&workspace->arena, ARENA_MAXIMUM);
    status = open_workspace(workspace, rows_max, err);
    if (status == STATUS_OK)
        *opened = workspace;
    else
        graph_scorer_close(workspace);
    return status;
}

void graph_scorer_close(void *closed)
{
    struct workspace *workspace = closed;

    if (!workspace)
        return;
    graph_room_close(&workspace->room);
    arena_deinit(&workspace->arena);
    free(workspace->parameters);
    free(workspace->features);
    free(workspace);
}

/* Rows without their offsets. */
static const float *features_of(const struct workspace *workspace, const float *dense,
                                uint32_t count)
{
    const struct transform *transform = &workspace->model->transform;
    const size_t features = transform_features(transform);

    if (!workspace->features)
        return dense;
    for (uint32_t row = 0; row < count; row++)
        memcpy(workspace->features + row * features, dense + (size_t)row * transform->dense_width,
               features * sizeof *dense);
    return workspace->features;
}

/* Behind what is returned for a row lies its loss. */
static void put_losses(const float *values, const float *losses, uint32_t count, size_t width,
                       float *outputs)
{
    for (uint32_t row = 0; row < count; row++, outputs += width + 1) {
        memcpy(outputs, values + row * width, width * sizeof *outputs);
        outputs[width] = losses[row];
    }
}

void graph_score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                 float *outputs)
{
    const struct workspace *workspace = opened;
    const struct transform *transform = &workspace->model->transform;
    const struct graph_rows rows = {
        .features = features_of(workspace, dense, count), .ids = ids, .n = count};
    const size_t width = workspace->room.graph->row.outputs;
    const float *value = graph_forward(&workspace->room, workspace->parameters, &rows);

    if (workspace->room.graph->loss != GRAPH_NONE) {
        put_losses(value, graph_losses(&workspace->room, &rows), count, width, outputs);
        return;
    }
    memcpy(outputs, value, count * width * sizeof *outputs);
    for (uint32_t row = 0; transform->offset_width > 0 && row < count; row++)
        outputs[row] +=
            (float)transform_offset(transform, dense + (size_t)row * transform->dense_width);
}
