/*
 * series_fit.h - the rows of one series -> its record: what is forecast of it, and how well its
 * past was.
 *
 * A record is a function of the rows alone, whatever their order. It is so many 64-bit integers,
 * doubles by their bits, that it can be added to zeros on its way to all workers.
 */
#ifndef RUNTIME_LEARN_SERIES_SERIES_FIT_H
#define RUNTIME_LEARN_SERIES_SERIES_FIT_H

#include "forecast/forecast.h"
#include "forecast/grid.h"
#include "forecast/regressors.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/forecast/forecast_model.h"
#include "runtime/learn/series/series_errors.h"

/* The integers of a record; behind them those of the steps to come, RECORD_STEP_WORDS wide, of the
 * last steps that are kept of the history, EXPECTED_WORDS wide, the newest last, and then the
 * coefficients of the regressors. */
enum series_word {
    RECORD_COUNT, /* values that are known; 0: there is no forecast */
    RECORD_FIRST, /* the time of step 0 */
    RECORD_LAST,
    RECORD_SEASON,
    RECORD_POSITIVE,
    RECORD_IDS, /* FORECAST_GROUPS_MAX */
    RECORD_ERRORS = RECORD_IDS + FORECAST_GROUPS_MAX,
    RECORD_STEPS = RECORD_ERRORS + SERIES_ERRORS
};
enum record_step {
    RECORD_VALUE,
    RECORD_DEVIATION,
    RECORD_RATIO, /* the step's last |error| in the past over its deviation there; below 0: it was
                     not forecast there, or had no deviation */
    RECORD_STEP_WORDS
};

enum record_expected {
    EXPECTED_VALUE,
    EXPECTED_DEVIATION, /* below 0: nothing is expected there */
    EXPECTED_WORDS
};

/* The places of the first step of the history, and of the first coefficient. */
static inline uint32_t series_record_history(uint32_t horizon)
{
    return RECORD_STEPS + RECORD_STEP_WORDS * horizon;
}
static inline uint32_t series_record_coefficients(uint32_t horizon, uint32_t history)
{
    return series_record_history(horizon) + EXPECTED_WORDS * history;
}
static inline uint32_t series_record_words(uint32_t horizon, uint32_t history, uint32_t regressors)
{
    return series_record_coefficients(horizon, history) + regressors;
}

/* The settings that all series of a job have in common. */
struct series_plan {
    struct forecast_options options;
    enum duplicates duplicates;
    enum forecast_gaps gaps;
    uint32_t backtests;
    bool are_numbers, has_seasons; /* has_seasons: the statement gives them */
    struct steps steps;            /* common_steps.h */
    struct forecast_limits limits;
    uint32_t regressors;
    const struct transform_input *regressor_inputs; /* (regressors) */
};

/* NULL of a statement that the planner let through: INVALID. */
enum status series_plan_make(const struct forecast_params *params, bool are_numbers,
                             struct series_plan *plan, struct error *err);
/* With the step of all series, from which the seasons follow where none are given. INVALID where a
 * method needs a season and the times have none. */
enum status series_plan_settle(struct series_plan *plan, const struct steps *steps,
                               struct error *err);

/* Points of one series (count, 1 at least), which are used up. regressors (count, plan's): those of
 * each point, NAN where one is NULL. record (series_record_words): but for the ids. INVALID for
 * points that no series has, and for a NULL beside a value: what is wrong, without the series'
 * name. */
enum status series_fit(const struct series_plan *plan, struct point *points, uint32_t count,
                       const double *regressors, struct arena *arena, int64_t *record,
                       struct error *err);

#endif
