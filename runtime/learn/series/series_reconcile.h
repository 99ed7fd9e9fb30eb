/*
 * series_reconcile.h - records of parts and totals -> records whose forecasts add up.
 *
 * The forecasts of each step to come, and those of the past, which are measured then: the errors
 * are those of forecasts that add up. Deviations stay those of each series by itself; how far its
 * intervals reach is told by the errors of the past (series_reach.h).
 */
#pragma once

#include "runtime/learn/series/series_fit.h"

/* records (count): ascending by their ids, all totals among them, and changed where they lie. */
enum status series_reconcile(const struct series_plan *plan, uint32_t groups,
                             int64_t *const *records, uint32_t count, struct error *err);
