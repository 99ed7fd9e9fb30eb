/*
 * regression_model.h - what a stored model of kind "regression" consists of: the network of one
 * layer that scores rows, and what the fit says of its coefficients.
 *
 * Coefficients belong to the columns of the SELECT as they are, not as the transform gives them, in
 * the units of the label; their columns are those of the layer behind the intercept. Each of k
 * classes but the first has an equation of its own, which compares it with the first.
 */
#pragma once

#include "kinds/network/network_model.h"

#define REGRESSION_COLUMNS_MAX 512 /* over all equations, each with its intercept */

/* Instead of a standard error: models of format 15 and later have the last one. */
#define REGRESSION_LEFT_OUT (-1.0) /* the column follows from others, and its coefficient is 0 */
#define REGRESSION_UNKNOWN  (-2.0) /* in a penalised model, or one of as many columns as rows */

#define REGRESSION_ENDLESS (-3.0) /* classes are separated perfectly: it has no best value */

struct regression_coefficient {
    double value, error; /* standard error */
};

/* Squares of the label less its mean and less its prediction, if it is a number; for classes both
 * are log-likelihoods, that of a model of the intercepts alone and that of this one. */
struct regression_fit {
    double rows;
    double parameters; /* coefficients that were not left out, intercepts among them */
    double null, fitted;
    double is_weighted; /* 1: rows have weights; else 0 */
};
#define REGRESSION_FIT_NUMBERS (sizeof(struct regression_fit) / sizeof(double))

struct regression_model {
    struct network_model network; /* first: as such it is scored */
    uint32_t equations, columns;  /* columns: one equation's, with the intercept */
    const struct regression_coefficient *coefficients; /* (equations, columns) */
    struct regression_fit fit;
};

static inline const struct regression_model *regression_of(const struct model *model)
{
    return model->content;
}

static inline uint32_t regression_equations(enum task task, uint32_t classes)
{
    return task == TASK_REGRESSION ? 1 : classes - 1;
}
