#include "kinds/graph/graph_model.h"

#include "base/sums/hash.h"
#include "graph/graph_json.h"
#include "graph/graph_plan.h"

#define GRAPH_TEXT_MAX ((size_t)16 << 20) /* bytes of a graph as JSON */

/* A number that other calls would not have. Places in a definition's text are no part of it. */
static enum status hash_of(const struct graph *graph, struct arena *arena, uint64_t *hash,
                           struct error *err)
{
    struct graph calls;
    struct text text;
    enum status status;
    cJSON *json;

    TRY(graph_copy(graph, arena, &calls, err));
    for (uint32_t i = 0; i < calls.node_count; i++)
        calls.nodes[i].place = -1;
    json = cJSON_CreateObject();
    text_init(&text, GRAPH_TEXT_MAX);
    graph_write(&calls, json);
    status = json_print(json, false, &text, err);
    if (status == STATUS_OK)
        *hash = bytes_hash(text_slice(&text).data, text_slice(&text).size, 0);
    text_deinit(&text);
    cJSON_Delete(json);
    return status;
}

enum status graph_model_init(struct graph_model *content, const struct graph *graph,
                             struct arena *arena, struct error *err)
{
    struct graph_plan plan;

    *content = (struct graph_model){.graph = graph};
    TRY(graph_plan_make(graph, 1, false, arena, &plan, err));
    content->row_bytes = plan.floats * sizeof(float);
    return hash_of(graph, arena, &content->hash, err);
}

/* The input of that name; the columns of the graph are inputs of the transform. */
static uint32_t input_of(const struct transform *transform, struct slice name)
{
    uint32_t i = 0;

    while (!slice_equal(transform->inputs[i].spec.name, name))
        i++;
    return i;
}

void graph_model_fill(struct graph_model *content, struct model *model)
{
    const struct graph *graph = content->graph;
    struct graph_head heads[GRAPH_HEADS_MAX];

    model->components = graph->row.outputs;
    model->aim.aim = AIM_LOSSES;
    model->head_count = graph_heads(graph, heads);
    for (uint32_t i = 0; i < model->head_count; i++)
        content->heads[i] = (struct model_head){
            .input = input_of(&model->transform, graph->row.columns[heads[i].column].name),
            .first = heads[i].first,
            .count = heads[i].count};
    model->heads = content->heads;
}
