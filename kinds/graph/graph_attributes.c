#include "kinds/graph/graph_attributes.h"

#include "graph/operation.h"

_Static_assert(sizeof(struct graph_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

#define USUAL_UNITS                                                                                \
    64 /* units of the hidden layer that a network has where rates and penalties are chosen */

/* A network with a hidden layer that the statement would say, as far as it is learned alike. */
static struct kind_params as_network(const struct kind_params *params)
{
    struct kind_params network = *params;

    network_params(&network)->hidden_units = (struct counts){.items = {USUAL_UNITS}, .count = 1};
    return network;
}

enum status graph_settle(struct kind_params *params, const struct kind_settings *settings,
                         struct error *err)
{
    *params = as_network(params);
    TRY(network_settle(params, settings, err));
    network_params(params)->hidden_units = (struct counts){.count = 0};
    return STATUS_OK;
}

double graph_l2(const struct kind_params *params, enum task task, uint64_t rows)
{
    const struct kind_params network = as_network(params);

    return network_l2(network_params(&network), task, rows);
}

struct kind_length graph_length(const struct kind_params *params, enum task task)
{
    const struct kind_params network = as_network(params);

    return network_length(&network, task);
}

enum aim graph_aim(const struct kind_params *params, enum task task)
{
    return task_has_label(task) ? network_aim(params, task) : AIM_LOSSES;
}

enum far_values graph_far_values(const struct kind_params *params)
{
    const struct kind_params network = as_network(params);

    return network_far_values(&network);
}

/* The table of words has as many rows as the shape says: a plan does not know them. */
struct kind_cost graph_cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const struct graph *graph = graph_params(params)->graph;
    struct kind_cost cost = {0};

    if (!graph)
        return cost;
    cost.parameters =
        graph->floats + ((double)shape->id_rows - graph->row.id_rows) * graph->table_width;
    cost.multiplications = graph->multiplications;
    network_cost_learning(network_params(params), graph->table_width > 0 ? shape->id_rows : 0, 0,
                          &cost);
    return cost;
}

void graph_explain(const struct kind_params *params, const struct kind_shape *shape,
                   struct text *detail)
{
    const struct graph *graph = graph_params(params)->graph;
    uint32_t used = 0;

    (void)shape;
    for (uint32_t i = 0; graph && i < graph->node_count; i++)
        used += graph->nodes[i].is_used && graph->nodes[i].operation->backward;
    text_printf(detail, "%u operation%s", used, used == 1 ? "" : "s");
}
