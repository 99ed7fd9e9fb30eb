/*
 * lower_forecast.h - FORECAST -> SQL over the function that gives a model's rows.
 */
#pragma once

#include "planner/plan/plan.h"

/*
 * SQLite, where the columns of the group are hidden ones of the function's:
 *     SELECT q.group_1 AS "store", q.time AS "day", q.value AS "sales", q.lower AS "lower", ...
 *     FROM totrain_forecast('m', 28, 0.9) AS q
 * PostgreSQL, whose function makes columns of the types that it is asked for:
 *     SELECT q.* FROM totrain.forecast_rows(E'm', 28, '0.9'::pg_catalog.float8)
 *     AS q ("store" pg_catalog.int8, "day" pg_catalog.date, "sales" pg_catalog.float8, ...)
 * Both give the rows in their order.
 */
enum status lower_forecast(const struct plan *plan, struct text *sql, struct error *err);

/* The CREATE TABLE for INTO. */
enum status lower_forecast_table(const struct plan *plan, struct text *sql, struct error *err);
