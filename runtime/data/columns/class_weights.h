/*
 * class_weights.h - what a row of each class weighs, as train.class_weight says it.
 *
 *     'balanced'          rows / (classes * rows of the class): the mean over the rows is 1
 *     [1, 5]              in the order of the classes, ascending, one of each
 *     {"fraud": 20}       by label; others weigh 1
 */
#pragma once

#include "runtime/data/dataset/dataset.h"

/* Fills dataset->class_weights, and class_weight_average where weights are named, when labels and
 * class_counts are there. INVALID for another number of weights than classes, a label that no row
 * has, and where no training row weighs anything. */
enum status class_weights_take(const struct jobspec *spec, uint64_t rows, struct dataset *dataset,
                               struct error *err);
