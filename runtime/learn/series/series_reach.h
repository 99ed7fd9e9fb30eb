/*
 * series_reach.h - how far intervals reach, by the errors of the past of all series.
 *
 * A model's own deviation is too small more often than too large: the model itself may be wrong. So
 * an interval of a level reaches as many deviations as that share of the last errors stayed within,
 * of up to 4,096 series and, where errors are few, of some steps together (conformal prediction,
 * pooled).
 */
#pragma once

#include "base/error.h"
#include "kinds/forecast/forecast_model.h"

/* Fewer series tell no reaches. */
#define REACH_SERIES_LEAST 30

/* records (count): series_fit.h, in an order that does not depend on how they came. reaches
 * (FORECAST_LEVELS, horizon). *has_any: false where too few series were forecast in their past.
 * *coverage: of the intervals of `level`, where the half of the series told the reaches of the
 * other half. */
enum status series_reaches(const int64_t *const *records, uint32_t count, uint32_t horizon,
                           double level, float *reaches, bool *has_any, double *coverage,
                           struct error *err);

/* The share of the errors of the records that lie within reaches of another model at the level; NAN
 * where there are none. */
double series_reach_coverage(const int64_t *const *records, uint32_t count, uint32_t horizon,
                             double level, const float *reaches);
