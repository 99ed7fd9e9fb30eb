/*
 * graph_inputs.h - what a row of a transform has for a graph.
 */
#pragma once

#include "graph/graph.h"
#include "scoring/transform/transform.h"

/* The columns of such rows, in the arena; their names are the transform's, which need not be
 * finished. outputs: floats that the model gives. */
enum status graph_row_of(const struct transform *transform, uint32_t outputs, struct arena *arena,
                         struct graph_row *row, struct error *err);
