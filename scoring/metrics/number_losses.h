/*
 * number_losses.h - metrics of numbers that are means over the rows, or roots of means: what one
 * row adds.
 *
 *     MSE, RMSE        (p - y)^2                           p: predicted, y: the label
 *     MAE              |p - y|
 *     MAPE             |p - y| / max(|y|, DBL_EPSILON)
 *     RMSLE            (l(p) - l(y))^2                     l(x) = log(1 + x)
 *     PoissonNLogLik   log(y!) + p - y log(p)
 *     GammaNLogLik     y / p + log(p)
 *     GammaDeviance    2 (log(p / y) + y / p - 1)          1e-6 is added to both
 *     TweedieNLogLik   -y p^(1 - v) / (1 - v) + p^(2 - v) / (2 - v)
 *     Pinball          q (y - p), or (1 - q) (p - y) where p > y; the mean over the quantiles
 *     Coverage         1 where y <= p; of several quantiles where the least <= y <= the greatest
 *     AFTNLogLik       survival.h
 *
 * Where a row has several quantiles, p of all others is the one that is predicted (aim.h). As
 * XGBoost 3.2 has them, MAPE as scikit-learn. Where a logarithm would be of 0 or less it is of
 * 1e-16, of GammaNLogLik of 1e-6. The same bits everywhere: no library's log.
 */
#pragma once

#include "scoring/metrics/aim.h"

struct number_row {
    const double *predicted; /* (quantile_count, else 1) */
    double label;
    double upper; /* a time's other bound; NaN or infinite: there is none */
};

/* Is it one of these? Others are of counts, pairs or groups. */
bool number_loss_is_of(enum metric metric);
double number_loss(struct measure measure, const struct aim_facts *aim,
                   const struct number_row *row);
/* The metric, of the mean of its losses. */
double number_metric(enum metric metric, double mean);
