/*
 * newton_lanes.h - what a lane's rows add to a linear model's next step: of each output the first
 * and second derivatives of the loss by its weights.
 *
 *     rows of the lane --chunk by chunk--> z = x W --> loss, dL/dz, d2L/dz2 --> gradient, products
 *
 * The columns of a row x are 1 for the bias, the dense inputs, and one for each id: 1 where the row
 * has it, or its share of a text. The gradient of an output is the sum of dL/dz x, the products are
 * that of d2L/dz2 x x', of which the lower half is kept. Of more than two classes XGBoost has
 * 2 p (1 - p) for d2L/dz2.
 *
 * Rows are added in their order, each sum by one task, so that threads leave no trace. No function
 * of the C library is in it (scoring/numbers/elementary.h).
 */
#pragma once

#include "base/process/team.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/learn/sums/row_products.h"

struct newton_chunk;

/* Which second derivatives there are. */
enum newton_derivatives {
    /* One of each output, as in XGBoost; more than two classes have an output each. */
    NEWTON_OF_EACH,
    /* One of each pair of outputs, (0, 0), (1, 0), (1, 1), (2, 0) ...: those of the loss itself.
     * The first of the classes has no output, as if it were always 0. */
    NEWTON_OF_PAIRS
};

struct newton_lane {
    const struct dataset *dataset;
    uint32_t outputs, columns; /* columns: 1 + transform_features + id_rows */
    /* (1 + transform_features, the same): the lower half, by which columns that are not of ids are
     * replaced by sums of themselves and of those before them, the bias being the first and staying
     * as it is. NULL: they stay. */
    const double *basis;
    enum newton_derivatives derivatives;
    uint32_t blocks; /* blocks of products: one of each output, or of each pair of outputs */
    /* Where the rows are added: in newton_sums(), one behind the other. */
    double *loss;      /* log loss, or square of the standardised label, weighted */
    double *gradients; /* (outputs, columns) */
    double *products;  /* (blocks, columns (columns + 1) / 2): row i has i + 1 */
    struct newton_chunk *chunk;
};

/* The weight of a training row: its sample weight, if there are any, times its class weight. */
double newton_row_weight(const struct dataset *dataset, uint64_t row);

/* The number that a regression learns of the row: its label less its offset. */
double newton_label(const struct dataset *dataset, uint64_t row);
/* Adds the weights of the training rows [first, end), then weights times newton_label, or the
 * weights of each class. sums: (1 + classes, or 2). */
void newton_add_labels(const struct dataset *dataset, uint64_t first, uint64_t end, double *sums);

/* How many sums there are: the loss, gradients, products. */
static inline size_t newton_sums(const struct newton_lane *lane)
{
    return 1 + (size_t)lane->outputs * lane->columns + lane->blocks * row_pairs(lane->columns);
}

enum status newton_lane_init(struct newton_lane *lane, const struct dataset *dataset,
                             uint32_t outputs, enum newton_derivatives derivatives,
                             struct error *err);
void newton_lane_deinit(struct newton_lane *lane); /* also of zeros */
/* Rows that follow are added to these sums. */
void newton_lane_use(struct newton_lane *lane, double *sums);
/* Adds the training rows [first, end), which somebody holds. weights: (outputs, columns). */
void newton_lane_add(struct newton_lane *lane, const double *weights, uint64_t first, uint64_t end,
                     struct team *team);
