/*
 * forecast_series.h - totrain_forecast_series(time, value, horizon [, options]): an aggregate that
 * forecasts a series which nobody trained.
 *
 * Rows come in any order; the result is a text of JSON (forecast/points.h), NULL of no values.
 */
#pragma once

#include "base/error.h"
#include "extension/sqlite/api/api.h"

enum status forecast_series_register(sqlite3 *db, struct error *err);
