/*
 * series_reach.h - how far intervals reach, by the errors of the past of all series.
 *
 * A model's own deviation is too small more often than too large: the model itself may be wrong. So
 * an interval reaches as many deviations as the last errors did, of up to 4,096 series and, where
 * errors are few, of some steps together (conformal prediction, pooled). Each bound has errors of
 * its own: as many lie above an interval as below it, also where values jump up and never down. The
 * forecast lies within its interval.
 */
#pragma once

#include "base/error.h"
#include "kinds/forecast/forecast_model.h"

/* Fewer series tell no reaches. */
#define REACH_SERIES_LEAST 30

/* Reaches of the upper bounds and of the lower ones, (FORECAST_LEVELS, horizon) each. */
struct series_reaches {
    float *above, *below;
};

/* records (count): series_fit.h, in an order that does not depend on how they came. *has_any: false
 * where too few series were forecast in their past. *coverage: of the intervals of `level`, where
 * the half of the series told the reaches of the other half. */
enum status series_reaches_find(const int64_t *const *records, uint32_t count, uint32_t horizon,
                                double level, struct series_reaches reaches, bool *has_any,
                                double *coverage, struct error *err);

/* The share of the errors of the records that lie within reaches of another model at the level; NAN
 * where there are none. */
double series_reach_coverage(const int64_t *const *records, uint32_t count, uint32_t horizon,
                             double level, struct series_reaches reaches);
