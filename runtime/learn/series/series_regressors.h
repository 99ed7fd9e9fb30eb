/*
 * series_regressors.h - the numbers that stand beside the values of a series, at its even steps.
 */
#pragma once

#include "runtime/learn/series/series_fit.h"

struct regressor_row {
    int64_t time;
    double value;
    const double *regressors;
    uint32_t width;
};

/* Rows (count_max) of points that have a value, in their order; how many. */
enum status series_regressor_rows(const struct series_plan *plan, const struct point *points,
                                  uint32_t count, const double *regressors,
                                  struct regressor_row *rows, uint32_t *row_count,
                                  struct error *err);

/* The rows' regressors at the places of the grid, NAN where none has a value; of several of one
 * time their mean. Behind them the holidays, which each place has. */
enum status series_regressors_lay_out(const struct series_plan *plan, const struct grid *grid,
                                      const struct regressor_row *rows, uint32_t row_count,
                                      struct arena *arena, struct regressors *regressors,
                                      struct error *err);

/* The bins that trees have of the holidays of a series: of its steps (grid's), of those to come,
 * and one on either side; in the arena. *bins: NULL without trees or holidays. */
enum status series_holiday_bins(const struct series_plan *plan, const struct grid *grid,
                                struct arena *arena, const uint8_t **bins, struct error *err);

/* The effect of the holidays on a step. coefficients (plan's width) */
double series_holiday_effect(const struct series_plan *plan, const double *coefficients,
                             const struct steps *steps, int64_t index);
