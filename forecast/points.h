/*
 * points.h - totrain_forecast_series(time, value, horizon [, options]) without its database: rows
 * in any order to a text of JSON.
 *
 *     points_init --points_add, for each row--> points_forecast --> points_deinit
 *
 *     [{"time":"2024-05-01","value":12.5,"lower":9.1,"upper":15.9},...]
 *
 * The same rows give the same bytes, in whatever order they come. A point takes 16 bytes, and
 * memory grows with them.
 */
#pragma once

#include "base/cell.h"
#include "forecast/forecast.h"
#include "forecast/time/grid.h"
#include "forecast/time/time_text.h"

#define POINTS_MAX        SERIES_COUNT_MAX
#define OPTIONS_BYTES_MAX 4096

struct points {
    struct point *points;
    uint32_t count, capacity;
    enum time_kind kind; /* the times' kind: the most precise of them */
    bool has_zone;       /* moments are shown with their zone, which is UTC */
    uint32_t horizon;    /* the same in all rows; 0: there was none */
    struct text options; /* the same in all rows */
    size_t memory_max;   /* bytes for the fit */
};

/* `memory_max` is what a fit may take besides the points. */
void points_init(struct points *points, size_t memory_max);
void points_deinit(struct points *points);

/*
 * A row. Time: a whole number, a date or a timestamp (as text in ISO's form, or as the database
 * has them), or a month as text (2024-05); all of one kind. Value: a number, or NULL where it is
 * missing. Horizon: 1 to HORIZON_MAX. Options: NULL, the name of a method, or an object of JSON:
 *
 *     method      as forecast.h has it; 'forecast' without
 *     season      values of one season, or a list of lengths to choose from (mstl: of all of
 *                 them); 1: none. Also written `seasons`
 *     level       of the interval, 0.5 to 0.999; 0.95 without
 *     order, seasonal_order, constant
 *                 of the method arima: [p, d, q], [P, D, Q], and whether there is a mean or drift
 *     duplicates  what two values of one time are: 'error', 'sum', 'mean'
 */
enum status points_add(struct points *points, const struct cell *time, const struct cell *value,
                       const struct cell *horizon, const struct cell *options, struct error *err);

/* The JSON. `has_any` is false where no row has a value: then there is none. */
enum status points_forecast(struct points *points, bool (*is_stopped)(void *stop), void *stop,
                            struct text *json, bool *has_any, struct error *err);
