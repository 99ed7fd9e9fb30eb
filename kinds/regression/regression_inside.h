/*
 * regression_inside.h - what TO EXPLAIN shows of a model of kind "regression": its coefficients,
 * and the fit.
 *
 *     coefficients   name, (class,) coefficient, standard_error, statistic, p_value, low, high:
 *                    a row of each column and equation. The statistic is coefficient by standard
 *                    error: t of numbers, z of classes; p_value is of no effect at all; low and
 *                    high are the confidence interval of 95 %. NULL where there is no standard
 *                    error; where the column was left out the coefficient is NULL, too
 *     fit            name, value: of the model as a whole
 */
#pragma once

#include "scoring/kind.h"

extern const struct model_inside regression_insides[];
