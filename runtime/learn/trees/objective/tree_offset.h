/*
 * tree_offset.h - where boosting starts when rows begin with offsets.
 *
 *     scores of no trees = base + offset of the row
 *
 *     offset, exposure    the base is the best constant for the data set's sample: the one of which
 *                         the derivatives of its rows' losses have the sum 0
 *                             squared error    mean(y - o), of huber and fair, too
 *                             count:poisson    log(sum y / sum e^o): events by exposure
 *                             reg:gamma        log(mean(y e^-o))
 *                             reg:tweedie      log(sum y e^((1 - v) o) / sum e^((2 - v) o))
 *                             quantiles        that of y - o
 *                             others           found by halving
 *     base_margin         0: the rows' own numbers take its place, as in XGBoost, and LightGBM with
 *                         init_score
 *
 * A base_score of the statement, which base_margin excludes, is the prediction of a row whose
 * offset is 0. Rows count by their weights, as in tree_objective_base.
 */
#pragma once

#include "runtime/learn/label_range.h"
#include "runtime/learn/trees/objective/tree_objective.h"

/* The offset of a row of the sample, which is held. */
static inline double tree_offset_of_sample(const struct dataset *dataset, uint64_t row)
{
    const struct transform *transform = &dataset->transform;

    return transform->offset_width > 0
               ? transform_offset(transform, dataset->sample.dense + row * transform->dense_width)
               : 0;
}

/* The base of a model with an offset whose statement names no base_score, but of quantiles, ranks
 * and hazards. weights: of the sample's rows; NULL: all 1. Holds the sample. NO_MEMORY. */
enum status tree_offset_start(const struct tree_objective *objective, const float *weights,
                              double *start, struct error *err);

/* The range of labels grows by the predictions that rows begin with. */
void tree_offset_widen(const struct tree_objective *objective, const struct jobspec *spec,
                       struct label_range *range);
