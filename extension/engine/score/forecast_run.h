/*
 * forecast_run.h - FORECAST: a query of the host's over the model's rows, or a table that is filled
 * from it.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

enum status forecast_statement_run(const struct host *host, const struct plan *plan,
                                   const struct sink *sink, struct error *err);
