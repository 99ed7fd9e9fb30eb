/*
 * graph_network.h - a graph of operations (graph/graph.h), as descent learns it (differentiable.h).
 *
 * Each parameter is a tensor, and the table of words the one with rows. Rows are taken a chunk of
 * LANE_CHUNK_ROWS at a time, so that memory does not grow with the batch.
 */
#pragma once

#include "runtime/learn/layers/differentiable.h"

enum status graph_network_open(const struct jobspec *spec, const struct dataset *dataset,
                               struct differentiable *model, struct error *err);
