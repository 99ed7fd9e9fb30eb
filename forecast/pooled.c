#include "forecast/pooled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast/methods/seasons.h"

#define LAGS_LEAST     8
#define LAGS_MOST      25
#define MEANS          4 /* means of the last values, of different lengths */
#define CHANGES        2 /* differences of two such */
#define ROUNDS         2 /* values that are seasons before: of the shortest one, two */
#define OTHERS         8 /* the features of describe() */
#define CALENDAR       CALENDAR_PARTS
#define STATES         11 /* weights that are tried */
#define RESIDUALS_MOST 256
#define DAMPING        0.9 /* share of a forecast in the level, from each step to the next */
#define ROOM_FIRST     1024

_Static_assert(LAGS_MOST + MEANS + CHANGES + ROUNDS + 2 + OTHERS + CALENDAR + POOLED_GROUPS_MAX +
                       POOLED_HOLIDAYS <=
                   POOLED_FEATURES_MAX,
               "all features have bins");

/* A series as trees see it. */
struct pooled_fit {
    const struct pooled_series *own;
    uint32_t count; /* values */
    bool has_pattern;
    struct pattern pattern;
    double *values;  /* (count + horizon) without the pattern, behind the origin as forecast */
    double *known;   /* (count) without it */
    double weight;   /* share of a value in the level */
    double scale;    /* mean error of the level; 0: there is none */
    double variance; /* variance of the errors of one step */
};

static uint32_t lags_of(const struct pooled *pooled)
{
    const uint32_t lags = pooled->season + 1;

    return lags < LAGS_LEAST ? LAGS_LEAST : lags > LAGS_MOST ? LAGS_MOST : lags;
}

uint32_t pooled_ordered(const struct pooled *pooled)
{
    return lags_of(pooled) + MEANS + CHANGES + ROUNDS + 2 + OTHERS + CALENDAR;
}

uint32_t pooled_features(const struct pooled *pooled)
{
    return pooled_ordered(pooled) + pooled->groups + (pooled->has_holidays ? POOLED_HOLIDAYS : 0);
}

void pooled_rows_deinit(struct pooled_rows *rows)
{
    free(rows->bins);
    free(rows->targets);
    *rows = (struct pooled_rows){.features = rows->features, .every = rows->every};
}

/* ----- features ----- */

/* Bins are narrow around 0, and wide far from it. */
static uint8_t bin_of(double number)
{
    const double bent = number / (1 + fabs(number));

    return isnan(bent) ? 0 : (uint8_t)(1 + (bent + 1) * 0.5 * (POOLED_BINS - 2) + 0.5);
}

/* The mean of `length` values before a place; NAN: there are not so many. */
static double mean_before(const double *values, uint32_t place, uint32_t length)
{
    double sum = 0;

    if (length > place)
        return NAN;
    for (uint32_t i = place - length; i < place; i++)
        sum += values[i];
    return sum / length;
}

/* The sum of all values before a place. */
static double sum_before(const double *values, uint32_t place)
{
    double sum = 0;

    for (uint32_t i = 0; i < place; i++)
        sum += values[i];
    return sum;
}

static double value_before(const double *values, uint32_t place, uint32_t length)
{
    return length <= place ? values[place - length] : NAN;
}

/* The deviation of the last values. */
static double deviation_before(const double *values, uint32_t place, uint32_t length)
{
    const double mean = mean_before(values, place, length);
    double sum = 0;

    for (uint32_t i = place - length; length <= place && i < place; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return isnan(mean) ? NAN : sqrt(sum / length);
}

static double pattern_effect(const struct pooled_fit *fit, uint32_t place, double level)
{
    return fit->has_pattern ? pattern_restore(&fit->pattern, place, level) - level : NAN;
}

/* The bins of the value at a place, from the values before it, their level and their sum. */
static void describe(const struct pooled_fit *fit, uint32_t place, double level, double total,
                     uint8_t *bins)
{
    const struct pooled *pooled = fit->own->pooled;
    const double *values = fit->values, scale = fit->scale;
    const uint32_t lags = lags_of(pooled);
    const uint32_t season = pooled->season > 1 ? pooled->season : 6;
    const uint32_t lengths[MEANS] = {3, season, 2 * season, 4 * season};
    uint32_t calendar[CALENDAR];

    for (uint32_t lag = 1; lag <= lags; lag++)
        *bins++ = bin_of((value_before(values, place, lag) - level) / scale);
    for (uint32_t i = 0; i < MEANS; i++)
        *bins++ = bin_of((mean_before(values, place, lengths[i]) - level) / scale);
    for (uint32_t i = 0; i < CHANGES; i++)
        *bins++ = bin_of(
            (mean_before(values, place, lengths[i]) -
             (place > lengths[i] ? mean_before(values, place - lengths[i], lengths[i]) : NAN)) /
            scale);
    for (uint32_t i = 0; i < ROUNDS; i++)
        *bins++ = bin_of((value_before(values, place, (i + 2) * season) - level) / scale);
    *bins++ = bin_of((value_before(values, place, pooled->longest) - level) / scale);
    *bins++ = bin_of((mean_before(values, place, pooled->longest) - level) / scale);

    *bins++ = bin_of(deviation_before(values, place, season) / scale - 1);
    *bins++ = bin_of((values[place - 1] - values[place - 2]) / scale);
    *bins++ = bin_of((values[place - 1] - total / place) / (scale * 4));
    *bins++ = bin_of(level / scale / 10);
    *bins++ = bin_of((double)place / (4 * season) - 1);
    *bins++ = bin_of(fit->weight * 4 - 2);
    *bins++ = bin_of(pattern_effect(fit, place, level) / scale);
    *bins++ = bin_of(place > season ? pattern_effect(fit, place - 1, level) / scale : NAN);

    steps_calendar(fit->own->steps, fit->own->first + place, calendar);
    for (uint32_t i = 0; i < CALENDAR; i++)
        *bins++ = (uint8_t)calendar[i];
    memcpy(bins, fit->own->words, pooled->groups);
    if (pooled->has_holidays)
        memcpy(bins + pooled->groups, fit->own->holidays + place, POOLED_HOLIDAYS);
}

/* ----- the fit ----- */

/* The mean error of the level that each value is expected by. */
static double error_of(const double *values, uint32_t count, double weight)
{
    double level = values[0], sum = 0;

    for (uint32_t i = 1; i < count; i++) {
        sum += fabs(values[i] - level);
        level += weight * (values[i] - level);
    }
    return sum / (count - 1);
}

static void smooth(struct pooled_fit *fit)
{
    static const double weights[STATES] = {.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1};

    fit->scale = INFINITY;
    for (int i = 0; i < STATES; i++) {
        const double error = error_of(fit->known, fit->count, weights[i]);

        if (error < fit->scale) {
            fit->scale = error;
            fit->weight = weights[i];
        }
    }
}

static double level_at(const struct pooled_fit *fit, uint32_t place)
{
    double level = fit->known[0];

    if (fit->count < POOLED_LEAST)
        return fit->known[place - 1]; /* to the bit, which a sum of differences is not */
    for (uint32_t i = 1; i < place; i++)
        level += fit->weight * (fit->known[i] - level);
    return level;
}

static enum status add_row(struct pooled_rows *rows, const uint8_t *bins, double target,
                           struct error *err)
{
    if (rows->count == rows->room) {
        const uint64_t room = rows->room > 0 ? 2 * rows->room : ROOM_FIRST;
        uint8_t *more = realloc(rows->bins, room * pooled_row_bytes(rows->features));
        double *targets;

        if (!more)
            return fail_no_memory(err);
        rows->bins = more;
        targets = realloc(rows->targets, room * sizeof *targets);
        if (!targets)
            return fail_no_memory(err);
        rows->targets = targets;
        rows->room = room;
    }
    memcpy(rows->bins + rows->count * pooled_row_bytes(rows->features), bins,
           pooled_row_bytes(rows->features));
    rows->targets[rows->count++] = target;
    return STATUS_OK;
}

/* One of so many rows, by the step and the bits of its target. */
static bool is_drawn(const struct pooled_rows *rows, int64_t step, double target)
{
    uint64_t bits;

    memcpy(&bits, &target, sizeof bits);
    bits = (bits ^ (uint64_t)step) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (bits >> 32) % rows->every == 0;
}

/* Adds the rows of the series, and measures how far its values are from the level: trees have seen
 * these values, and are nearer to them than to those to come. */
static enum status look_at_past(struct pooled_fit *fit, struct error *err)
{
    struct pooled_rows *rows = fit->own->rows;
    const uint32_t first =
        rows || fit->count < RESIDUALS_MOST ? POOLED_LEAST - 2 : fit->count - RESIDUALS_MOST;
    double level = level_at(fit, first), total = sum_before(fit->values, first), sum = 0;
    uint8_t bins[POOLED_FEATURES_MAX] = {0};

    for (uint32_t i = first; i < fit->count; total += fit->values[i++]) {
        double target = (fit->values[i] - level) / fit->scale;
        const double before = level;

        level += fit->weight * (fit->values[i] - level);
        sum += target * target;
        if (!rows)
            continue;
        target = target < -POOLED_MOST ? -POOLED_MOST : target > POOLED_MOST ? POOLED_MOST : target;
        /* A gap is filled from the value behind it, too, whose features would know it. */
        if (!fit->own->are_known[i - 1] || !fit->own->are_known[i] ||
            !is_drawn(rows, fit->own->first + i, target))
            continue;
        describe(fit, i, before, total, bins);
        TRY(add_row(rows, bins, target, err));
    }
    fit->variance = fit->scale * fit->scale * sum / (fit->count - first);
    return STATUS_OK;
}

static enum status fit(const struct series *series, const struct fitting *fitting, void **fitted,
                       struct error *err)
{
    struct pooled_fit *fit = ARENA_NEW(fitting->arena, struct pooled_fit, 1);
    const uint32_t count = series->count;

    if (!fitting->pooled || !fitting->pooled->pooled) {
        fail(err, STATUS_INVALID,
             "trees are learned from many series, and these are the rows of one");
        return error_hint(err, "TO TRAIN ForecastTrees learns them.");
    }
    if (!fit)
        return fail_no_memory(err);
    *fitted = fit;
    fit->own = fitting->pooled;
    fit->count = count;
    fit->values = ARENA_NEW(fitting->arena, double, (size_t)count + fitting->horizon);
    fit->known = ARENA_NEW(fitting->arena, double, count);
    if (!fit->values || !fit->known)
        return fail_no_memory(err);
    TRY(fitting_check(fitting, (uint64_t)count * STATES, err));
    if (series->season > 1 && season_is_found(series->values, count, series->season)) {
        fit->has_pattern = true;
        TRY(pattern_find(series, fitting, &fit->pattern, err));
    }
    for (uint32_t i = 0; i < count; i++)
        fit->values[i] = fit->known[i] = fit->has_pattern
                                             ? pattern_remove(&fit->pattern, i, series->values[i])
                                             : series->values[i];
    fit->weight = 1;
    if (count < POOLED_LEAST) {
        const double error = count > 1 ? error_of(fit->known, count, 1) : 0;

        fit->variance = error * error;
        return STATUS_OK;
    }
    smooth(fit);
    return fit->scale > 0 ? look_at_past(fit, err) : STATUS_OK;
}

static void project(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances)
{
    const struct pooled_fit *fit = fitted;
    const bool is_expected = fit->scale > 0 && !fit->own->rows && origin >= 2;
    double level = level_at(fit, origin), total = sum_before(fit->known, origin);
    double weight = fit->weight;
    uint8_t bins[POOLED_FEATURES_MAX];
    (void)series;

    memcpy(fit->values, fit->known, origin * sizeof *fit->values);
    for (uint32_t h = 0; h < horizon; h++) {
        const uint32_t place = origin + h;
        double value = level, variance = fit->variance * (1 + h * fit->weight * fit->weight);

        if (is_expected) {
            describe(fit, place, level, total, bins);
            value += fit->scale * pooled_score(&fit->own->pooled->trees, bins);
        }
        fit->values[place] = value;
        total += value;
        level += weight * (value - level);
        weight *= DAMPING;
        if (fit->has_pattern) {
            variance = pattern_variance(&fit->pattern, place, variance);
            value = pattern_restore(&fit->pattern, place, value);
        }
        means[h] = value;
        if (variances)
            variances[h] = variance;
    }
}

const struct method pooled_method = {"trees", "boosted trees that all series share", fit, project,
                                     0};
