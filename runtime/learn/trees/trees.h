/*
 * trees.h - the learner of boosted trees and forests, on histograms (Chen and Guestrin, 2016; Ke et
 * al., 2017), of which every phase sums integers alone.
 *
 *     GRADIENTS --> ROOT --> SPLIT ... --> LEAVES --> ROOT of the round's next tree
 *         ^                                    |
 *         +-------------- next round ----------+--> after the last: GRADIENTS, and DONE
 *
 *     GRADIENTS  each row's scores take in the trees of the round before; of the loss its gradient
 *                and hessian are computed. Summed: losses of training and held-out rows, and which
 *                sizes the greatest gradient and hessian of each lane have
 *     ROOT       gradients become integers of 16 bits: the scale follows from the greatest, and
 *                what is cut off is rounded up or down by random bits of the tree and the row's
 *                hash. Summed: histograms of all columns
 *     SPLIT      rows of some nodes are divided. Summed: of each the histogram of the smaller child
 *                (tree_growth.h)
 *     LEAVES     the last rows are divided. Summed: of each leaf gradients and hessians, of which
 *                nothing but what is below 2^-30 of the greatest was cut off
 *
 *     RISKS      before GRADIENTS, of survival:cox: who is at risk at each time (tree_risks.h)
 *     GOSS       behind GRADIENTS, of goss: some phases count which rows are large (tree_rows.h)
 *     QUANTILES  in place of LEAVES, of medians and quantiles: some phases count the residuals of
 *                each leaf, digit by digit (leaf_quantiles.h)
 *
 * A round has a tree for each output, or as many for a forest. Rows are read once, and stay here as
 * bins (tree_rows.h); a lane that moves is read again, and reaches its scores and nodes by the
 * trees so far.
 */
#pragma once

#include "runtime/learn/learner.h"

/* INVALID for labels that the objective does not take. */
extern const struct learner_method trees_learner;
