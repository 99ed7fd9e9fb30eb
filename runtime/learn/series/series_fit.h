/*
 * series_fit.h - the rows of one series -> its record: what is forecast of it, and how well its
 * past was.
 *
 * A record is a function of the rows alone, whatever their order. It is so many 64-bit integers,
 * doubles by their bits, that it can be added to zeros on its way to all workers.
 */
#pragma once

#include <string.h>

#include "forecast/forecast.h"
#include "forecast/regressors.h"
#include "forecast/time/grid.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/forecast/forecast_model.h"
#include "runtime/learn/series/series_errors.h"

/* The integers of a record; behind them those of the steps to come, RECORD_STEP_WORDS wide, of the
 * last steps that are kept of the history, EXPECTED_WORDS wide, the newest last, and then the
 * coefficients of the regressors, and of the holidays behind them, whose effects are in the numbers
 * of the steps. */
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
    RECORD_RATIO, /* the step's last error in the past, value - forecast, over its deviation there;
                     NAN: it was not forecast there, or had no deviation */
    RECORD_STEP_WORDS
};

enum record_expected {
    EXPECTED_VALUE,
    EXPECTED_DEVIATION, /* below 0: nothing is expected there */
    EXPECTED_WORDS
};

/* Behind all of these, of a series of a hierarchy (series_totals.h): what totals are made of, and
 * the past as it was forecast, which is measured when it adds up (series_reconcile.h). */
enum record_hierarchy {
    HIERARCHY_LARGEST, /* the largest magnitude of a value */
    HIERARCHY_LENGTH,  /* steps from the first value to the end that all series have in common */
    HIERARCHY_ORIGINS  /* plan's backtests, RECORD_ORIGIN words and then those of the steps */
};
enum record_origin {
    ORIGIN_SCALE, /* result of series_scale_of; below 0: too few values are before it to count */
    ORIGIN_SQUARES,
    ORIGIN_STEPS
};
enum record_past {
    PAST_VALUE, /* value that came; NAN: it is missing */
    PAST_FORECAST,
    PAST_DEVIATION,
    PAST_NAIVE, /* result of series_naive */
    PAST_WORDS
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

static inline double record_number(int64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline int64_t record_bits(double number)
{
    int64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* A series of the model that is gone on from (USING), as that knew it. */
struct series_old {
    int64_t begin, last; /* times of its first and last value, filled ones of a hierarchy too */
    double *numbers;     /* (count): forecast_kept.h */
    uint32_t count;
    double *values;     /* (plan's values): its last ones, NAN where there is none; or NULL */
    int64_t last_known; /* time of the last of these that is there */
    uint32_t parts;     /* series of a total, but for totals */
    bool is_other;      /* a total that has other parts now: its parameters do not hold */
};

/* The settings that all series of a job have in common. */
struct series_plan {
    struct forecast_options options;
    enum duplicates duplicates;
    enum forecast_gaps gaps;
    uint32_t backtests;
    bool are_numbers, has_seasons; /* has_seasons: the statement gives them */
    struct steps steps;            /* common_steps.h */
    struct forecast_limits limits;
    enum forecast_transform transform; /* with one the word behind the coefficients is a lambda */
    enum forecast_hierarchy hierarchy;
    int64_t end;        /* time of the last value of all series of a hierarchy */
    bool has_come;      /* a hierarchy goes on: its one past begins where the old model ended, */
    uint32_t come;      /* so many steps before `end` */
    uint32_t kept;      /* numbers of a series that are kept at most; 0: none */
    uint32_t values;    /* last values of a series that are kept beside them; 0: none */
    bool has_old_steps; /* steps are those of the model that is gone on from */
    const struct series_old
        *old; /* in the plan of one series: what was kept of it; NULL: nothing */
    uint32_t regressors;
    const struct transform_input *regressor_inputs; /* (regressors) */
    const struct holidays *holidays;  /* regressors behind these; NULL: there are none */
    const struct pooled *pooled;      /* (1 + backtests): trees that know all values, those that do
                                         not know the last horizon, and so on; NULL: no trees */
    uint8_t words[POOLED_GROUPS_MAX]; /* in the plan of one series: bins of its group's words */
    const uint8_t *holiday_bins;      /* and of its steps' holidays (forecast/pooled.h) */
};

static inline uint32_t series_plan_holidays(const struct series_plan *plan)
{
    return plan->holidays ? plan->holidays->count : 0;
}
/* Regressors, holidays among them. */
static inline uint32_t series_plan_width(const struct series_plan *plan)
{
    return plan->regressors + series_plan_holidays(plan);
}

/* Words of a record, and those before the parameters that are kept (series_kept.h); the place of
 * what it has in a hierarchy, and of one of its origins, or of its lambda: there are no transforms
 * in a hierarchy. */
static inline uint32_t series_plan_hierarchy(const struct series_plan *plan)
{
    return series_record_words(plan->options.horizon, plan->options.history,
                               series_plan_width(plan));
}
static inline uint32_t series_plan_lambda(const struct series_plan *plan)
{
    return series_plan_hierarchy(plan);
}
static inline uint32_t series_plan_origin(const struct series_plan *plan, uint32_t origin)
{
    return series_plan_hierarchy(plan) + HIERARCHY_ORIGINS +
           origin * (ORIGIN_STEPS + plan->options.horizon * PAST_WORDS);
}
static inline uint32_t series_plan_kept(const struct series_plan *plan)
{
    return plan->transform != TRANSFORMS_NONE  ? series_plan_lambda(plan) + 1
           : plan->hierarchy == HIERARCHY_NONE ? series_plan_hierarchy(plan)
                                               : series_plan_origin(plan, plan->backtests);
}
static inline uint32_t series_plan_words(const struct series_plan *plan)
{
    return series_plan_kept(plan) +
           (plan->kept > 0 ? FORECAST_KEPT_WORDS + plan->kept + plan->values : 0);
}

/* Points of one series (count, 1 at least), which are used up. regressors (count, plan's): those of
 * each point, NAN where one is NULL. record (series_record_words): but for the ids. INVALID for
 * points that no series has, and for a NULL beside a value: what is wrong, without the series'
 * name. */
enum status series_fit(const struct series_plan *plan, struct point *points, uint32_t count,
                       const double *regressors, struct arena *arena, int64_t *record,
                       struct error *err);
/* Adds the rows that trees learn from the series without its last horizons, so many of them. Takes
 * the same, and fails by the same. */
enum status series_collect(const struct series_plan *plan, struct point *points, uint32_t count,
                           const double *regressors, uint32_t backtest, struct arena *arena,
                           struct pooled_rows *rows, struct error *err);
/* series_fit of a series without regressors and gaps, which is scaled. */
enum status series_fit_grid(const struct series_plan *plan, struct grid *grid, struct arena *arena,
                            int64_t *record, struct error *err);
