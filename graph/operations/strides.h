/*
 * strides.h - numbers of two arrays that belong to each other, axis by axis.
 */
#pragma once

#include "graph/graph.h"

/* The axes of one array, and how far a step along each goes in both. Axes that a shape does not
 * have are of size 1. */
struct strides {
    uint32_t sizes[GRAPH_RANK_MAX];
    size_t here[GRAPH_RANK_MAX], there[GRAPH_RANK_MAX];
    size_t there_first; /* where the first number is in the other array */
};

/* Steps along the axes of the shape; those in the other array are 0 yet. */
struct strides strides_of(const struct graph_shape *shape);

/* to[there] += from[here], or to[here] += from[there], of all pairs, in the order of `here`. */
void strides_add_there(const struct strides *strides, const float *here, float scale, float *there);
void strides_add_here(const struct strides *strides, float *here, float scale, const float *there);
/* Visits all pairs of places, in the order of `here`. */
void strides_each(const struct strides *strides,
                  void (*visit)(void *self, size_t here, size_t there), void *self);
