#include "forecast/methods/stl.h"

#include <math.h>
#include <string.h>

#define INNER_TURNS   2
#define SEASON_TURNS  2     /* over all seasons, where there are several */
#define JUMPS         10    /* places of a window at which a long smoothing is computed */
#define STEPS_A_VALUE 100   /* an inner turn's, about: see method.h */
#define NEAR          0.001 /* share of the reach: weight 1 within it, 0 beyond 1 - NEAR */

/* ----- loess ----- */

/* Values that a smoothing looks at: first to last. */
struct span {
    uint32_t first, last;
};

static double tricube(double distance, double reach)
{
    const double r = distance / reach, rest = 1 - r * r * r;

    if (distance <= NEAR * reach)
        return 1;
    return distance <= (1 - NEAR) * reach ? rest * rest * rest : 0;
}

/* The line at `at`, which may be outside, through the values of the span. */
static double line_at(const double *values, uint32_t count, uint32_t window, double at,
                      struct span span)
{
    const double left = at - span.first, right = span.last - at;
    double reach = left > right ? left : right, weights = 0, mean = 0, middle = 0, square = 0;
    double product = 0;

    if (window > count)
        reach += (window - count) / 2;
    if (!(reach > 0))
        return values[span.first];
    for (uint32_t i = span.first; i <= span.last; i++) {
        const double weight = tricube(fabs(i - at), reach);

        weights += weight;
        middle += weight * i;
        mean += weight * values[i];
    }
    if (!(weights > 0))
        return values[at > span.last ? span.last : span.first];
    middle /= weights;
    mean /= weights;
    for (uint32_t i = span.first; i <= span.last; i++) {
        const double weight = tricube(fabs(i - at), reach), apart = i - middle;

        square += weight * apart * apart;
        product += weight * apart * values[i];
    }
    /* So near together that a line through them would be no line. */
    if (sqrt(square / weights) <= NEAR * (count - 1))
        return mean;
    return mean + (at - middle) * product / square;
}

/* The window around a place, inside of the series. */
static struct span span_around(uint32_t count, uint32_t window, uint32_t at)
{
    const uint32_t half = (window + 1) / 2;

    if (window >= count)
        return (struct span){0, count - 1};
    if (at + 1 < half)
        return (struct span){0, window - 1};
    if (at + half >= count)
        return (struct span){count - window, count - 1};
    return (struct span){at + 1 - half, at + window - half};
}

static void join(double *smooth, uint32_t from, uint32_t to)
{
    const double slope = (smooth[to] - smooth[from]) / (to - from);

    for (uint32_t i = from + 1; i < to; i++)
        smooth[i] = smooth[from] + slope * (i - from);
}

/* Each `jump`-th value and the last one smoothed, lines between them. */
static void smooth_values(const double *values, uint32_t count, uint32_t window, uint32_t jump,
                          double *smooth)
{
    uint32_t before = 0;

    for (uint32_t at = 0; at < count;
         at = at + jump < count || at == count - 1 ? at + jump : count - 1) {
        smooth[at] = line_at(values, count, window, at, span_around(count, window, at));
        if (at > before + 1)
            join(smooth, before, at);
        before = at;
    }
}

static uint32_t jump_of(uint32_t window)
{
    return (window + JUMPS - 1) / JUMPS;
}

/* ----- one season ----- */

struct room {
    double *with;           /* (count + 2 seasons) from one season before to one after */
    double *turn;           /* the same */
    double *place, *smooth; /* values of one place, and one more at both ends */
};

/* Room for seasons from `shortest` to `longest`. */
static enum status find_room(uint32_t count, uint32_t shortest, uint32_t longest,
                             struct arena *arena, struct room *room, struct error *err)
{
    const size_t extended = (size_t)count + 2 * (size_t)longest, places = count / shortest + 3;

    room->with = ARENA_NEW(arena, double, extended);
    room->turn = ARENA_NEW(arena, double, extended);
    room->place = ARENA_NEW(arena, double, places);
    room->smooth = ARENA_NEW(arena, double, places);
    return room->with && room->turn && room->place && room->smooth ? STATUS_OK
                                                                   : fail_no_memory(err);
}

/* Each place of the season over the seasons, from one season before the values to one after. */
static void smooth_places(const double *values, uint32_t count, uint32_t season, uint32_t window,
                          const struct room *room, double *with)
{
    for (uint32_t place = 0; place < season; place++) {
        const uint32_t times = (count - place - 1) / season + 1;
        const uint32_t seen = window < times ? window : times;

        for (uint32_t i = 0; i < times; i++)
            room->place[i] = values[place + (size_t)i * season];
        smooth_values(room->place, times, window, 1, room->smooth + 1);
        room->smooth[0] = line_at(room->place, times, window, -1, (struct span){0, seen - 1});
        room->smooth[times + 1] =
            line_at(room->place, times, window, times, (struct span){times - seen, times - 1});
        for (uint32_t i = 0; i < times + 2; i++)
            with[place + (size_t)i * season] = room->smooth[i];
    }
}

/* Means of `length` values in place; how many there are. The sum moves on, and is summed anew now
 * and then, so that no rounding gathers. */
static size_t moving_mean(double *values, size_t count, uint32_t length)
{
    double sum = 0;

    for (size_t i = 0; i + length <= count; i++) {
        const double first = values[i];

        if (i % length == 0) {
            sum = 0;
            for (uint32_t k = 0; k < length; k++)
                sum += values[i + k];
        }
        values[i] = sum / length;
        sum += (i + length < count ? values[i + length] : 0) - first;
    }
    return count - length + 1;
}

static uint32_t odd_from(uint32_t length)
{
    return length | 1;
}

static enum status split(const struct series *series, uint32_t window,
                         const struct fitting *fitting, const struct room *room, double *season,
                         double *trend, struct error *err)
{
    const uint32_t count = series->count, length = series->season, low = odd_from(length + 1);
    const uint32_t wide = odd_from((uint32_t)ceil(1.5 * length / (1 - 1.5 / window)));

    memset(trend, 0, count * sizeof *trend);
    for (int turn = 0; turn < INNER_TURNS; turn++) {
        TRY(fitting_check(fitting, (uint64_t)count * STEPS_A_VALUE, err));
        for (uint32_t i = 0; i < count; i++)
            season[i] = series->values[i] - trend[i];
        smooth_places(season, count, length, window, room, room->with);
        memcpy(room->turn, room->with, ((size_t)count + 2 * (size_t)length) * sizeof *room->turn);
        moving_mean(room->turn,
                    moving_mean(room->turn,
                                moving_mean(room->turn, (size_t)count + 2 * (size_t)length, length),
                                length),
                    3);
        smooth_values(room->turn, count, low, jump_of(low), trend);
        for (uint32_t i = 0; i < count; i++) {
            season[i] = room->with[length + i] - trend[i];
            room->turn[i] = series->values[i] - season[i];
        }
        smooth_values(room->turn, count, wide, jump_of(wide), trend);
    }
    return STATUS_OK;
}

enum status stl_split(const struct series *series, uint32_t window, const struct fitting *fitting,
                      double *season, double *trend, struct error *err)
{
    struct room room;

    TRY(find_room(series->count, series->season, series->season, fitting->arena, &room, err));
    return split(series, window, fitting, &room, season, trend, err);
}

/* ----- several seasons ----- */

enum status stl_split_seasons(const struct series *series, const uint32_t *seasons, uint32_t count,
                              const struct fitting *fitting, double *const *parts, double *rest,
                              struct error *err)
{
    double *trend = ARENA_NEW(fitting->arena, double, series->count);
    const uint32_t turns = count > 1 ? SEASON_TURNS : 1;
    struct room room;

    if (!trend)
        return fail_no_memory(err);
    memcpy(rest, series->values, series->count * sizeof *rest);
    if (count == 0)
        return STATUS_OK;
    TRY(find_room(series->count, seasons[0], seasons[count - 1], fitting->arena, &room, err));
    for (uint32_t turn = 0; turn < turns; turn++)
        for (uint32_t s = 0; s < count; s++) {
            const struct series without = {rest, series->count, seasons[s]};

            for (uint32_t i = 0; i < series->count && turn > 0; i++)
                rest[i] += parts[s][i];
            TRY(split(&without, 11 + 4 * s, fitting, &room, parts[s], trend, err));
            for (uint32_t i = 0; i < series->count; i++)
                rest[i] -= parts[s][i];
        }
    return STATUS_OK;
}

void stl_smooth(const double *values, uint32_t count, uint32_t window, double *smooth)
{
    const uint32_t wide = odd_from(window);

    smooth_values(values, count, wide, jump_of(wide), smooth);
}
