/*
 * bayes_inside.h - what TO EXPLAIN shows of a model of kind "bayes".
 *
 *     likelihoods   name, class, mean, deviation, probability: of each class its share of the rows,
 *                   named (class); of each number its mean and deviation within the class, in its
 *                   own units; of each word its smoothed share of the class's rows
 */
#pragma once

#include "scoring/kind.h"

extern const struct model_inside bayes_insides[];
