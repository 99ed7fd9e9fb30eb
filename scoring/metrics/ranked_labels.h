/*
 * ranked_labels.h - how well the rows of one group are ranked: metrics of the labels in the order
 * of their ranks.
 *
 *     NDCG@k   sum of gain / log2(rank + 1) of the first k, by that of the best order
 *     MAP@k    mean over the relevant rows of the first k of relevant rows up to it / rank, by the
 *              least of k and the relevant rows
 *     MRR@k    1 / rank of the first relevant row; 0 where it is not among the first k
 *
 * A row is relevant where its label is above 0. A group without such a row counts as 1, as in
 * XGBoost. NDCG and MAP are XGBoost 3.2's; the gain of a label y is 2^y - 1.
 */
#pragma once

#include "params/terms.h"

double ranked_gain(double label, bool is_linear);
double ranked_discount(uint32_t rank); /* from 0 on */

/* labels (n): by rank. best (n): the same, the greatest first; for NDCG. */
double ranked_value(struct measure measure, bool has_linear_gains, const float *labels,
                    const float *best, uint32_t n);
