/*
 * graph_model.h - what a stored model of kind "graph" consists of: the calls of its graph, and its
 * parameters, each an array of the graph's names and shapes.
 */
#pragma once

#include "graph/graph_labels.h"
#include "scoring/model.h"

struct graph_model {
    const struct graph *graph;                   /* inferred */
    const float *elements[GRAPH_PARAMETERS_MAX]; /* each parameter's */
    uint64_t hash;                               /* graph_model_hash */
    size_t row_bytes;                            /* bytes of a row's values in scoring */
    struct model_head heads[GRAPH_HEADS_MAX];    /* (model->head_count) */
};

/* The content of a model of this kind. */
static inline const struct graph_model *graph_model_of(const struct model *model)
{
    return model->content;
}

/* Fills in all of a model that follows from a loss of its graph's own: its components and heads,
 * which lie in the content. The graph is inferred. */
void graph_model_fill(struct graph_model *content, struct model *model);

/* Fills in all but the elements. The graph is inferred; it is borrowed. */
enum status graph_model_init(struct graph_model *content, const struct graph *graph,
                             struct arena *arena, struct error *err);
