/*
 * checked_values.h - PREDICT over values that came: is one of them an anomaly?
 *
 *     SELECT store, day, sales ... TO PREDICT checked.sales USING m
 *         store, day, sales, expected, lower, upper, anomaly_probability, is_anomaly
 *
 * A forecast whose SELECT has the column of the label is such a statement where the prediction
 * would take the place of that column, and wherever forecast.anomaly is set. The values then keep
 * their name, and what is expected has another one. A name that the SELECT has is LABEL_name.
 */
#pragma once

#include "planner/plan/planning.h"

/* Behind plan_outputs and query_describe. INVALID where forecast.anomaly has no use. */
enum status checked_values_plan(struct planning *planning);
