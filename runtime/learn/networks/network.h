/*
 * network.h - the dense network, as descent learns it (differentiable.h).
 *
 *     a0 = x                                   dense columns of the row
 *     z1 = a0 W1 + sum of the rows of W1 that the row's ids select + b1
 *     a1 = dropout(f(z1))                      normalized, with model.batch_norm
 *     z2 = a1 W2 + b2
 *     ...                                      the last z are the logits
 *
 * Rows are taken a chunk of LANE_CHUNK_ROWS at a time, in their order, so that
 * memory does not grow with the batch and the matrices stay in the cache.
 */
#pragma once

#include "runtime/learn/networks/network_shape.h"

/* ---- what struct differentiable asks; self: a struct network, space: its own ---- */

struct lane_gradient network_gradient(const void *self, const float *parameters,
                                      const float *transposed, const struct lane_rows *rows,
                                      void *space);
void network_workspace_clear(const void *self, void *space);
double network_evaluate(const void *self, const float *parameters, const struct lane_rows *rows,
                        void *space, uint64_t *correct);
