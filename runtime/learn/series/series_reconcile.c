#include "runtime/learn/series/series_reconcile.h"

#include <math.h>
#include <stdlib.h>

#include "forecast/hierarchy.h"

struct reconciling {
    const struct series_plan *plan;
    int64_t *const *records;
    uint32_t count;
    struct hierarchy hierarchy;
    double *values, *deviations; /* (count): of one step */
    double normal;               /* deviations that an interval has to either side */
};

/* The word `value` of all records, reconciled by the deviations in `deviation`. */
static void reconcile_step(struct reconciling *all, size_t value, size_t deviation)
{
    for (uint32_t i = 0; i < all->count; i++) {
        all->values[i] = record_number(all->records[i][value]);
        all->deviations[i] = record_number(all->records[i][deviation]);
    }
    if (all->plan->hierarchy == HIERARCHY_MINT)
        hierarchy_weigh(&all->hierarchy, all->values, all->deviations);
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->records[i][RECORD_POSITIVE] && all->values[i] < 0)
            all->values[i] = 0;
        all->values[i] = forecast_limited_value(&all->plan->limits, all->values[i]);
    }
    hierarchy_add_up(&all->hierarchy, all->values);
    for (uint32_t i = 0; i < all->count; i++)
        all->records[i][value] = record_bits(all->values[i]);
}

/* ---- the past ---- */

static struct series_guess guess_of(const struct reconciling *all, const int64_t *record,
                                    double value, double deviation)
{
    const struct forecast_limits *limits = &all->plan->limits;
    const double reach = all->normal * deviation;
    const double lower = value - reach;

    return (struct series_guess){
        .value = value,
        .lower = forecast_limited_lower(limits, record[RECORD_POSITIVE] && lower < 0 ? 0 : lower),
        .upper = forecast_limited_upper(limits, value + reach)};
}

/* One step of an origin. ratio: the record's, of the first origin. */
static void measure_step(const struct reconciling *all, const int64_t *record,
                         const int64_t *origin, uint32_t h, struct series_errors *errors,
                         int64_t *ratio)
{
    const int64_t *step = origin + ORIGIN_STEPS + (size_t)h * PAST_WORDS;
    const double value = record_number(step[PAST_VALUE]);
    const double forecast = record_number(step[PAST_FORECAST]);
    const double deviation = record_number(step[PAST_DEVIATION]);
    const struct series_scale scale = {record_number(origin[ORIGIN_SCALE]),
                                       record_number(origin[ORIGIN_SQUARES])};
    const struct series_guess guess = guess_of(all, record, forecast, deviation);

    if (scale.absolute < 0 || isnan(value))
        return;
    if (ratio && deviation > 0)
        *ratio = record_bits((value - forecast) / deviation);
    series_errors_add(errors, &guess, value, record_number(step[PAST_NAIVE]), &scale);
}

static void measure(const struct reconciling *all, int64_t *record)
{
    struct series_errors errors = {0};

    for (uint32_t i = 0; i < all->plan->backtests; i++)
        for (uint32_t h = 0; h < all->plan->options.horizon; h++)
            measure_step(all, record, record + series_plan_origin(all->plan, i), h, &errors,
                         i > 0 ? NULL
                               : record + RECORD_STEPS + (size_t)h * RECORD_STEP_WORDS +
                                     RECORD_RATIO);
    memcpy(record + RECORD_ERRORS, &errors, sizeof errors);
}

/* ---- the whole ---- */

static void reconcile(struct reconciling *all)
{
    const struct series_plan *plan = all->plan;

    for (uint32_t h = 0; h < plan->options.horizon; h++) {
        const size_t step = RECORD_STEPS + (size_t)h * RECORD_STEP_WORDS;

        reconcile_step(all, step + RECORD_VALUE, step + RECORD_DEVIATION);
        for (uint32_t i = 0; i < plan->backtests; i++) {
            const size_t past = series_plan_origin(plan, i) + ORIGIN_STEPS + (size_t)h * PAST_WORDS;

            reconcile_step(all, past + PAST_FORECAST, past + PAST_DEVIATION);
        }
    }
    for (uint32_t i = 0; i < all->count; i++)
        measure(all, all->records[i]);
}

static uint32_t level_of(const int64_t *record, uint32_t groups)
{
    uint32_t level = 0;

    while (level < groups && record[RECORD_IDS + level] >= 0)
        level++;
    return level;
}

enum status series_reconcile(const struct series_plan *plan, uint32_t groups,
                             int64_t *const *records, uint32_t count, struct error *err)
{
    struct reconciling all = {.plan = plan,
                              .records = records,
                              .count = count,
                              .normal = normal_quantile_of_level(plan->options.level)};
    uint32_t *levels = calloc((size_t)count + 1, sizeof *levels);
    enum status status = STATUS_OK;

    all.values = calloc((size_t)count + 1, sizeof(double));
    all.deviations = calloc((size_t)count + 1, sizeof(double));
    if (!levels || !all.values || !all.deviations)
        status = fail_no_memory(err);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        levels[i] = level_of(records[i], groups);
    if (status == STATUS_OK)
        status = hierarchy_init(&all.hierarchy, levels, count, err);
    if (status == STATUS_OK)
        reconcile(&all);
    hierarchy_deinit(&all.hierarchy);
    free(all.deviations);
    free(all.values);
    free(levels);
    return status;
}
