/*
 * embedding_network.h - the network over embeddings, as descent learns it (differentiable.h).
 *
 * kinds/embedding/embedding_shape.h has the picture. Each part writes its columns of the top, and
 * takes back their gradient; all of them but the linear one add to the gradient of the inputs, from
 * which the rows of the table have theirs.
 */
#pragma once

#include "runtime/learn/networks/embedding_layout.h"

/* ---- what struct differentiable asks; self: a struct embedding_network, space: its own ---- */

struct lane_gradient embedding_network_gradient(const void *self, const float *parameters,
                                                const float *transposed,
                                                const struct lane_rows *rows, void *space);
void embedding_network_clear(const void *self, void *space);
double embedding_network_evaluate(const void *self, const float *parameters,
                                  const struct lane_rows *rows, void *space, uint64_t *correct);
