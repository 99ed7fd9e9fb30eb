/*
 * forest_origins.h - the origins of an imported model (scoring/transform/number_origin.h), whose
 * program compares and adds doubles where ours has floats.
 *
 * Each feature that is compared as a number gets an origin: thresholds near to each other and far
 * from 0, such as those of seconds since 1970, are counted from one in their midst. A regressor's
 * label gets one: the leaves of each tree that lie so, such as those of LightGBM's first tree,
 * which have the labels' mean.
 */
#pragma once

#include "interop/forest.h"

/* doubles (node_count): the leaf's value, or the threshold, at most which goes left. origins
 * (feature_count). Fills these, *label, and NODE_VALUE of all leaves and comparisons of `nodes`,
 * whose columns are still features. NO_MEMORY. */
enum status forest_origins_take(const struct forest *forest, const double *doubles, float *nodes,
                                double *origins, double *label, struct error *err);
