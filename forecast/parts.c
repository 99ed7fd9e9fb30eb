#include "forecast/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort_doubles.h"
#include "forecast/forecast.h"
#include "forecast/methods/stl.h"

#define TURNS        2      /* a shift is no part of the seasons, and hides them */
#define TREND_LEAST  7      /* values that a trend is smoothed over */
#define TREND_SHARE  4      /* likewise, of a series without seasons: one of so many */
#define NORMAL_MEAN  1.2533 /* deviations of the normal distribution in a mean absolute one */
#define MEDIAN_STEPS 20     /* steps of fitting_check for each value of a median */

/* room (count) is used up. */
static double median_of(const double *values, uint32_t count, double *room)
{
    memcpy(room, values, count * sizeof *room);
    sort_doubles(room, count);
    return count % 2 ? room[count / 2] : 0.5 * room[count / 2 - 1] + 0.5 * room[count / 2];
}

/* ---- shifts of the level ---- */

struct shifting {
    const double *level; /* (count): the values without seasons */
    uint32_t count, span;
    double *jumps;       /* (count): by how much the level rises at a value, if it does */
    double *room, *more; /* (count) */
};

/* The median of the slopes between values half a span apart, both before the place or both behind
 * it: neighbours would tell little but their noise. */
static double slope_at(const struct shifting *shifting, uint32_t at)
{
    const uint32_t apart = shifting->span / 2;
    const double *level = shifting->level + at - shifting->span;
    uint32_t count = 0;

    for (uint32_t side = 0; side < 2; side++, level += shifting->span)
        for (uint32_t i = 0; i + apart < shifting->span; i++)
            shifting->more[count++] = (level[i + apart] - level[i]) / apart;
    return median_of(shifting->more, count, shifting->room);
}

static enum status find_jumps(const struct shifting *shifting, const struct fitting *fitting,
                              struct error *err)
{
    const uint32_t span = shifting->span;

    for (uint32_t at = span; at + span <= shifting->count; at++) {
        const double before = median_of(shifting->level + at - span, span, shifting->room);
        const double behind = median_of(shifting->level + at, span, shifting->room);

        TRY(fitting_check(fitting, (uint64_t)span * MEDIAN_STEPS, err));
        shifting->jumps[at] = behind - before - span * slope_at(shifting, at);
    }
    return STATUS_OK;
}

/* How far values are from the median of those around them: the mean, since a median would take
 * rare large ones for none. */
static double deviation_of(const struct shifting *shifting)
{
    const uint32_t span = shifting->span, last = shifting->count - span;
    double sum = 0;

    for (uint32_t i = 0; i < shifting->count; i++) {
        const uint32_t first = i < span / 2 ? 0 : i - span / 2 > last ? last : i - span / 2;

        sum += fabs(shifting->level[i] - median_of(shifting->level + first, span, shifting->room));
    }
    return NORMAL_MEAN * sum / shifting->count;
}

/* The place whose level changes most among those that are left; 0: none does. */
static uint32_t greatest_jump(const struct shifting *shifting, double least)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < shifting->count; i++)
        if (fabs(shifting->jumps[i]) > least &&
            (found == 0 || fabs(shifting->jumps[i]) > fabs(shifting->jumps[found])))
            found = i;
    return found;
}

/* A median does not see which value of several is the first of a new level: the one with the
 * greatest step of the values themselves is. */
static uint32_t first_of_level(const struct shifting *shifting, uint32_t at)
{
    const uint32_t half = shifting->span / 2;
    const double sign = shifting->jumps[at] < 0 ? -1 : 1;
    uint32_t found = at;
    double most = -INFINITY;

    for (uint32_t i = at - half; i <= at + half && i < shifting->count; i++) {
        const double step = sign * (shifting->level[i] - shifting->level[i - 1]);

        if (step > most) {
            most = step;
            found = i;
        }
    }
    return found;
}

static void take_shifts(const struct shifting *shifting, double *shifts)
{
    double least = SHIFT_DEVIATIONS * deviation_of(shifting), most = 0;
    uint32_t at;

    for (uint32_t i = 0; i < shifting->count; i++)
        most = fabs(shifting->level[i]) > most ? fabs(shifting->level[i]) : most;
    least += 1e-9 * most; /* rounding is no shift */
    while ((at = greatest_jump(shifting, least)) > 0) {
        const uint32_t span = shifting->span;

        const uint32_t first = first_of_level(shifting, at);

        shifts[first] = shifting->jumps[first] != 0 ? shifting->jumps[first] : shifting->jumps[at];
        for (uint32_t i = at > span ? at - span : 0; i <= at + span && i < shifting->count; i++)
            shifting->jumps[i] = 0;
    }
}

/* level (count): the values without seasons. */
static enum status find_shifts(const double *level, uint32_t count, uint32_t longest,
                               const struct fitting *fitting, double *shifts, struct error *err)
{
    const uint32_t wanted = longest > count / 8 ? longest : count / 8;
    struct shifting shifting = {.level = level, .count = count};

    shifting.span = wanted > SHIFT_SPAN_MOST    ? SHIFT_SPAN_MOST
                    : wanted < SHIFT_SPAN_LEAST ? SHIFT_SPAN_LEAST
                                                : wanted;
    memset(shifts, 0, count * sizeof *shifts);
    if (count < 3 * shifting.span)
        return STATUS_OK;
    shifting.jumps = ARENA_NEW(fitting->arena, double, count);
    shifting.room = ARENA_NEW(fitting->arena, double, count);
    shifting.more = ARENA_NEW(fitting->arena, double, count);
    if (!shifting.jumps || !shifting.room || !shifting.more)
        return fail_no_memory(err);
    memset(shifting.jumps, 0, count * sizeof *shifting.jumps);
    TRY(find_jumps(&shifting, fitting, err));
    take_shifts(&shifting, shifts);
    return STATUS_OK;
}

/* Takes the levels that begin at shifts off, or (sign 1) puts them on again. */
static void move_levels(const double *shifts, uint32_t count, double sign, double *values)
{
    double level = 0;

    for (uint32_t i = 0; i < count; i++) {
        level += shifts[i];
        values[i] += sign * level;
    }
}

/* ---- parts ---- */

static enum status make_room(uint32_t count, uint32_t season_count, struct arena *arena,
                             struct parts *parts, struct error *err)
{
    parts->values = ARENA_NEW(arena, double, count);
    parts->trend = ARENA_NEW(arena, double, count);
    parts->remainder = ARENA_NEW(arena, double, count);
    parts->shifts = ARENA_NEW(arena, double, count);
    if (!parts->values || !parts->trend || !parts->remainder || !parts->shifts)
        return fail_no_memory(err);
    for (uint32_t s = 0; s < season_count; s++) {
        parts->seasons[s] = ARENA_NEW(arena, double, count);
        if (!parts->seasons[s])
            return fail_no_memory(err);
        memset(parts->seasons[s], 0, count * sizeof *parts->seasons[s]);
    }
    return STATUS_OK;
}

/* How many of the lengths the series has two of. */
static uint32_t count_seasons(const uint32_t *seasons, uint32_t season_count, uint32_t count)
{
    uint32_t kept = 0;

    while (kept < season_count && seasons[kept] <= count / 2)
        kept++;
    return kept;
}

enum status parts_find(const double *values, uint32_t count, const uint32_t *seasons,
                       uint32_t season_count, const struct fitting *fitting, struct parts *parts,
                       struct error *err)
{
    const uint32_t kept = count_seasons(seasons, season_count, count);
    const uint32_t longest = kept > 0 ? seasons[kept - 1] : 1;
    const uint32_t window = kept > 0 ? 3 * longest / 2 : count / TREND_SHARE;
    double *level = ARENA_NEW(fitting->arena, double, count);
    struct series series = {.count = count, .season = longest};

    TRY(make_room(count, season_count, fitting->arena, parts, err));
    if (!level)
        return fail_no_memory(err);
    memcpy(parts->values, values, count * sizeof *values);
    forecast_fill_gaps(parts->values, count);
    memset(parts->shifts, 0, count * sizeof *parts->shifts);
    series.values = parts->trend;
    for (int turn = 0; turn < TURNS; turn++) { /* seasons of the values on one level */
        memcpy(parts->trend, parts->values, count * sizeof *values);
        move_levels(parts->shifts, count, -1, parts->trend);
        TRY(stl_split_seasons(&series, seasons, kept, fitting, parts->seasons, level, err));
        move_levels(parts->shifts, count, 1, level);
        TRY(find_shifts(level, count, longest, fitting, parts->shifts, err));
    }
    move_levels(parts->shifts, count, -1, level);
    stl_smooth(level, count, window > TREND_LEAST ? window : TREND_LEAST, parts->trend);
    for (uint32_t i = 0; i < count; i++)
        parts->remainder[i] = level[i] - parts->trend[i];
    move_levels(parts->shifts, count, 1, parts->trend);
    return STATUS_OK;
}
