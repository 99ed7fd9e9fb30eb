/*
 * newton_lanes.h - what a lane's rows add to a linear model's next step: of each output the first
 * and second derivatives of the loss by its weights.
 *
 *     rows of the lane --chunk by chunk--> z = x W --> loss, dL/dz, d2L/dz2 --> gradient, products
 *
 * The columns of a row x are 1 for the bias, the dense inputs, and one for each id: 1 where the row
 * has it, or its share of a text. The gradient of an output is the sum of dL/dz x, the products are
 * that of d2L/dz2 x x', of which the lower half is kept. d2L/dz2 is as XGBoost has it: 2 p (1 - p)
 * of more than two classes.
 *
 * Rows are added in their order, each sum by one task, so that threads leave no trace. No function
 * of the C library is in it (scoring/elementary.h).
 */
#ifndef RUNTIME_LEARN_NEWTON_LANES_H
#define RUNTIME_LEARN_NEWTON_LANES_H

#include "base/team.h"
#include "runtime/data/dataset.h"

struct newton_chunk;

struct newton_lane {
    const struct dataset *dataset;
    uint32_t outputs, columns; /* columns: 1 + dense_width + id_rows */
    double *gradients;         /* (outputs, columns) */
    double *products;          /* (outputs, columns (columns + 1) / 2): row i has i + 1 */
    double loss;               /* log loss, or square of the standardised label, weighted */
    struct newton_chunk *chunk;
};

/* Numbers in the lower half of a square matrix. */
static inline size_t newton_pairs(uint32_t columns)
{
    return (size_t)columns * ((size_t)columns + 1) / 2;
}

/* Of one training row: its sample weight, if there are any, times that of its class. */
double newton_row_weight(const struct dataset *dataset, uint64_t row);

enum status newton_lane_init(struct newton_lane *lane, const struct dataset *dataset,
                             uint32_t outputs, struct error *err);
void newton_lane_deinit(struct newton_lane *lane); /* also of zeros */
void newton_lane_clear(struct newton_lane *lane);
/* Adds the training rows [first, end), which somebody holds. weights: (outputs, columns). */
void newton_lane_add(struct newton_lane *lane, const double *weights, uint64_t first, uint64_t end,
                     struct team *team);

#endif
