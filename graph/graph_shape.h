/*
 * graph_shape.h - shapes in messages, and what is true of two of them.
 */
#pragma once

#include "graph/graph.h"

/* "(28, 28, 1)"; "()" of one number; "(3 ids)". */
void graph_shape_print(const struct graph_shape *shape, struct text *out);
/* The same for a message, with a terminating zero; a buffer of GRAPH_SHAPE_BYTES. */
#define GRAPH_SHAPE_BYTES 64
const char *graph_shape_text(const struct graph_shape *shape, char buffer[GRAPH_SHAPE_BYTES]);

bool graph_shape_equal(const struct graph_shape *a, const struct graph_shape *b);
/* The product of the sizes. */
uint64_t graph_shape_size(const struct graph_shape *shape);
/* The last size, over which dense and the norms go; 1 of one number. */
uint32_t graph_shape_last(const struct graph_shape *shape);
