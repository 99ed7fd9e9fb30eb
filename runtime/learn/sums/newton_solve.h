/*
 * newton_solve.h - how the weights of one output of a linear model move, given the derivatives of
 * the loss by them.
 *
 * The model is w of standardised inputs; penalties and XGBoost's rule are of inputs as they are. A
 * step along one of those is a step along at most three columns: x = mean + scale z, but 0 where x
 * is NULL, and there is 1 in the column for that.
 *
 * Additions and products in a fixed order alone: the same bits on any processor.
 */
#pragma once

#include "scoring/transform/transform.h"

#define NEWTON_DIRECTION_MOST 3

/* How the weights move when that of one input as it is moves by 1. */
struct newton_direction {
    uint32_t columns[NEWTON_DIRECTION_MOST];
    double amounts[NEWTON_DIRECTION_MOST];
    uint32_t count;
};

struct newton_penalties {
    double l1, l2; /* l1 |w| + l2/2 w^2 of each weight but the bias is added to the summed loss */
};

/* Directions of all inputs, in the order of the SELECT, the words of a category in theirs. */
uint32_t newton_direction_count(const struct transform *transform);
void newton_directions(const struct transform *transform, struct newton_direction *directions);

/*
 * One round of XGBoost's coordinate descent (its src/linear/updater_coordinate.cc does the same):
 * the bias, then each direction in turn, moves by `eta` times what would be best for it alone,
 * and the gradient follows. weights, gradient: (columns); products: (columns, columns), all of it.
 */
void newton_sweep(const struct newton_direction *directions, uint32_t count, uint32_t columns,
                  const double *products, struct newton_penalties penalties, double eta,
                  double *gradient, double *weights);
