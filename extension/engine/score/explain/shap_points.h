/*
 * shap_points.h - SHAP values of single rows, as points of a picture.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"

#define SHAP_POINT_ROWS_MAX 200 /* rows that have a point */
#define SHAP_POINT_SETS_MAX 20  /* rows of the result that have points, the first ones */

/* The points of one row of the result. */
struct shap_points {
    double values[SHAP_POINT_ROWS_MAX]; /* the input's; NaN where it is no number */
    double shares[SHAP_POINT_ROWS_MAX]; /* SHAP values */
};

/*
 * The points as JSON, [[place, share], ...], in the arena. The place is 0 for the low values of the
 * input and 1 for the high ones, linear between their 5th and 95th percentiles; null for a value
 * that is no number.
 */
enum status shap_points_cell(const struct shap_points *points, uint32_t rows, struct arena *arena,
                             struct cell *cell, struct error *err);
