/*
 * scorecard_inside.h - what TO EXPLAIN shows of a model of kind "scorecard".
 *
 *     scorecard   name, bin, rows, bad, bad_rate, woe, iv, points: a row of each bin that training
 *                 rows fell into; the first, (base), has the points that all rows have
 *     coefficients  name, coefficient, iv: of each input, which is its information value
 */
#pragma once

#include "scoring/kind.h"

extern const struct model_inside scorecard_insides[];
