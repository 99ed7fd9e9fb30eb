/*
 * forecast_vtab.h - totrain_forecast(model [, steps [, level]]): the forecasts of a stored model.
 *
 *     SELECT series, time, value, lower, upper FROM totrain_forecast('sales_model', 28, 0.9);
 *
 * Rows come one at a time, in the order of kinds/forecast/forecast_rows.h. Beside the arguments
 * group_1, group_2 ... are hidden columns: the words of the columns of the group, of the types that
 * FORECAST has. A series that is asked for (series = 'north') is looked up, and no other is read.
 */
#pragma once

#include "extension/sqlite/functions/sqlite_connection.h"

enum status forecast_vtab_register(struct sqlite_connection *connection, struct error *err);
