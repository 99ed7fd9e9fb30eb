#include "graph/graph_run.h"

#include <stdlib.h>
#include <string.h>

#include "arithmetic/affine.h"
#include "graph/operation.h"
#include "scoring/numbers/matrix.h"

enum status graph_room_open(struct graph_room *room, const struct graph *graph,
                            const struct graph_plan *plan, struct error *err)
{
    *room = (struct graph_room){graph, plan, matrix_new(1, plan->floats, sizeof(float))};
    return room->memory ? STATUS_OK : fail_no_memory(err);
}

void graph_room_close(struct graph_room *room)
{
    free(room->memory);
    room->memory = NULL;
}

static float *at(const struct graph_room *room, size_t place)
{
    return place == GRAPH_PLAN_NONE ? NULL : room->memory + place;
}

static const float *value_of(const struct graph_room *room, const struct graph_rows *rows,
                             uint32_t node)
{
    const struct graph_place *place = &room->plan->places[node];

    return place->takes_features ? rows->features : at(room, place->value);
}

/* Fills in what forward and backward of a node have in common. */
static void fill_call(const struct graph_room *room, const float *parameters,
                      const struct graph_rows *rows, uint32_t i, struct operation_call *call)
{
    const struct graph_node *node = &room->graph->nodes[i];

    call->graph = room->graph;
    call->node = node;
    call->parameters = parameters;
    call->n = rows->n;
    call->features = rows->features;
    call->ids = rows->ids;
    for (uint32_t j = 0; j < node->input_count; j++)
        call->inputs[j] = value_of(room, rows, node->inputs[j]);
    call->value = at(room, room->plan->places[i].value);
    call->scratch = room->memory + room->plan->scratch;
    call->kept = rows->learns ? at(room, room->plan->places[i].kept) : NULL;
    call->share = rows->share;
    call->seed = rows->seed;
    call->step = rows->step;
    call->position = rows->position;
}

const float *graph_forward(const struct graph_room *room, const float *parameters,
                           const struct graph_rows *rows)
{
    struct operation_call call = {.deltas = {NULL}}; /* pools ask whether they go back */

    for (uint32_t i = 0; i < room->graph->node_count; i++) {
        const struct graph_node *node = &room->graph->nodes[i];

        if (!node->is_used || room->plan->places[i].value == GRAPH_PLAN_NONE)
            continue;
        fill_call(room, parameters, rows, i, &call);
        node->operation->forward(&call);
    }
    return value_of(room, rows, room->graph->outputs[0]);
}

const float *graph_losses(const struct graph_room *room, const struct graph_rows *rows)
{
    return value_of(room, rows, room->graph->loss);
}

float *graph_delta(const struct graph_room *room)
{
    return at(room, room->plan->places[graph_minimised(room->graph)].delta);
}

/* Where the gradients of the inputs go to. */
static void fill_deltas(const struct graph_room *room, uint32_t i, struct operation_call *call)
{
    const struct graph_node *node = call->node;

    for (uint32_t j = 0; j < node->input_count; j++) {
        const uint32_t input = node->inputs[j];
        float *delta = at(room, room->plan->places[input].delta);

        call->deltas[j] = delta;
        call->is_empty[j] = delta && room->graph->nodes[input].last_taker == i;
        if (call->is_empty[j] && !node->operation->sets_deltas && delta != call->delta)
            memset(delta, 0, (size_t)call->n * room->graph->nodes[input].size * sizeof *delta);
    }
}

void graph_backward(const struct graph_room *room, const float *parameters, const float *transposed,
                    const struct graph_rows *rows, float *gradient, struct touched_rows *touched)
{
    struct operation_call call;

    for (uint32_t i = room->graph->node_count; i-- > 0;) {
        if (room->plan->places[i].delta == GRAPH_PLAN_NONE)
            continue;
        fill_call(room, parameters, rows, i, &call);
        call.transposed = transposed;
        call.delta = at(room, room->plan->places[i].delta);
        call.gradient = gradient;
        call.touched = touched;
        fill_deltas(room, i, &call);
        call.node->operation->backward(&call);
    }
}

uint32_t graph_transpose(const struct graph *graph, const float *parameters, float *transposed)
{
    uint32_t over = 0;

    for (uint32_t i = 0; i < graph->parameter_count; i++) {
        const struct graph_parameter *parameter = &graph->parameters[i];
        const struct affine affine = {.rows = parameter->rows,
                                      .width = parameter->width,
                                      .weights = parameter->first,
                                      .transposed = parameter->transposed};

        if (parameter->is_transposed)
            over += affine_transpose(&affine, parameters, transposed);
    }
    return over;
}
