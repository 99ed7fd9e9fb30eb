/*
 * series_parts.h - SELECT ... TO EXPLAIN of a forecast: the rows of each series as the sums of
 * their parts (forecast/parts.h).
 *
 * A row for each step of a series, from its first value to its last; a gap has a trend and seasons,
 * and NULL for its value and remainder. Series come in the order of FORECAST. The rows are held:
 * LIMIT for more than SERIES_PARTS_ROWS_MAX.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"
#include "scoring/model.h"

#define SERIES_PARTS_ROWS_MAX 1000000 /* rows of the SELECT, and of the result */

enum status series_parts_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                                 size_t *count, struct error *err);

enum status series_parts_run(const struct host *host, const struct plan *plan,
                             const struct model *model, struct arena *arena,
                             const struct sink *sink, struct error *err);
