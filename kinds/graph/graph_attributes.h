/*
 * graph_attributes.h - what a statement says of a graph and of how it is learned: what it says of a
 * network, but for the hidden layers, which the graph says.
 */
#pragma once

#include "graph/graph.h"
#include "kinds/network/network_attributes.h"

/* In a struct kind_params: what a network has, and behind it the graph for the rows that there are.
 */
struct KIND_PARAMS_TYPE graph_params {
    NETWORK_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
    const struct graph *graph; /* inferred, as cost and explain look at it; NULL: not known yet. A
                                  job spec has its calls (jobspec.h) */
};
_Static_assert(offsetof(struct graph_params, warmup_steps) ==
                   offsetof(struct network_params, warmup_steps),
               "network_params finds its members in the params of this kind, too");

static inline struct graph_params *graph_params(const struct kind_params *params)
{
    return (struct graph_params *)(void *)params->bytes;
}

/* The weight of the penalty, for so many training rows: as that of a network with hidden layers. */
double graph_l2(const struct kind_params *params, enum task task, uint64_t rows);

/* Functions of struct kind (scoring/kind.h). */
enum status graph_settle(struct kind_params *params, const struct kind_settings *settings,
                         struct error *err);
struct kind_cost graph_cost(const struct kind_params *params, const struct kind_shape *shape);
struct kind_length graph_length(const struct kind_params *params, enum task task);
enum aim graph_aim(const struct kind_params *params, enum task task);
enum far_values graph_far_values(const struct kind_params *params);
void graph_explain(const struct kind_params *params, const struct kind_shape *shape,
                   struct text *detail);
