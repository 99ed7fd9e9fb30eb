/*
 * series_kept.h - the parameters of a series that a model keeps, in a record and out of it.
 */
#pragma once

#include "forecast/methods/kept.h"
#include "kinds/forecast/forecast_kept.h"
#include "runtime/learn/series/series_fit.h"

/* Words of a record from series_plan_kept on; behind them the numbers, by their bits. */
enum record_kept {
    KEPT_WAY, /* enum series_way */
    KEPT_COUNT,
    KEPT_WORDS
};

/* A list to write to, in the arena. */
enum status series_kept_begin(const struct series_plan *plan, struct arena *arena,
                              struct kept *kept, struct error *err);
/* The list of the old model, to be read. */
struct kept series_kept_of(const struct series_old *old);

/* How the series comes to its parameters; *origin: steps of the grid that the old model knew, where
 * it moves on. INVALID where its first rows are not there, so that no state could be told. */
enum status series_kept_choose(const struct series_plan *plan, const struct grid *grid,
                               enum series_way *way, uint32_t *origin, struct error *err);

/* Rows that begin behind what the old model knew: the values that it keeps stand before them, in
 * memory of the arena. INVALID where it does not keep all, where they begin among what it knew, and
 * for a time between its steps. */
enum status series_kept_join(const struct series_plan *plan, struct arena *arena,
                             struct point **points, uint32_t *count, struct error *err);
/* The last values of a grid whose gaps are not filled. */
void series_kept_put_values(const struct series_plan *plan, const struct grid *grid,
                            int64_t *record);

/* written: the fit's list; NULL where the old model's parameters hold. */
void series_kept_put(const struct series_plan *plan, const struct grid *grid, enum series_way way,
                     const struct kept *written, int64_t *record);
