#include "runtime/learn/series/series_kept.h"

#include <math.h>
#include <string.h>

#include "runtime/learn/series/series_grid.h"

#define GROWN_MOST 2 /* times as many values as at the fit: parameters are of too few by then */

_Static_assert(FORECAST_KEPT_WORDS == (int)KEPT_WORDS, "EXPLAIN counts what is learned");

enum status series_kept_begin(const struct series_plan *plan, struct arena *arena,
                              struct kept *kept, struct error *err)
{
    *kept = (struct kept){.room = plan->kept - KEPT_LIST};
    kept->numbers = ARENA_NEW(arena, double, kept->room);
    return kept->numbers ? STATUS_OK : fail_no_memory(err);
}

struct kept series_kept_of(const struct series_old *old)
{
    return (struct kept){
        .numbers = old->numbers + KEPT_LIST, .room = old->count - KEPT_LIST, .is_read = true};
}

static int64_t first_time(const struct grid *grid)
{
    return steps_time(&grid->steps, grid->last - grid->count + 1);
}

static enum status refuse_new_rows_alone(const struct series_plan *plan, int64_t begin,
                                         struct error *err)
{
    char first[TIME_BYTES], old[TIME_BYTES];

    series_time_print(plan, begin, first);
    series_time_print(plan, plan->old->begin, old);
    fail(err, STATUS_INVALID, "its rows begin at %s, and those of the old model at %s", first, old);
    return error_hint(err,
                      "Select all rows of a series, those that the old model was trained with "
                      "and the new ones: its states run over all of them. A model trained WITH "
                      "forecast.keep_values takes the new ones alone.");
}

/* ---- new rows alone ---- */

static enum status refuse_longer(const struct series_plan *plan, struct error *err)
{
    fail(err, STATUS_INVALID,
         "its rows begin behind those of the old model, which had %.0f values and keeps %u",
         plan->old->numbers[KEPT_NOW], plan->values);
    return error_hint(err, "Select all rows of the series, or train it anew with a greater "
                           "forecast.keep_values.");
}

/* Rows of a night that came before, as when a job runs again: fitted to these alone, the series
 * would lose its past. */
static enum status refuse_overlap(const struct series_plan *plan, int64_t begin, struct error *err)
{
    char first[TIME_BYTES], old[TIME_BYTES], last[TIME_BYTES];

    series_time_print(plan, begin, first);
    series_time_print(plan, plan->old->begin, old);
    series_time_print(plan, plan->old->last_known, last);
    fail(err, STATUS_INVALID,
         "its rows begin at %s, among those of the old model, which are from %s to %s", first, old,
         last);
    return error_hint(err, "Select the rows behind those, or all rows; or train without USING.");
}

/* Its list had no room, or the model is damaged. */
static enum status refuse_unkept(struct error *err)
{
    fail(err, STATUS_INVALID,
         "its rows begin behind those of the old model, which keeps nothing of the series");
    return error_hint(err, "Select all rows of the series.");
}

static enum status check_times(const struct series_plan *plan, const struct point *points,
                               uint32_t count, struct error *err)
{
    struct steps steps = plan->steps;
    char text[TIME_BYTES];

    steps.first = plan->old ? plan->old->begin : points[0].time;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t time = points[i].time;

        if (steps_time(&steps, steps_index(&steps, time)) == time)
            continue;
        series_time_print(plan, time, text);
        fail(err, STATUS_INVALID, "the time %s is between two steps of the old model", text);
        return error_hint(err, "Look whether it is a mistake; without USING the step is found from "
                               "the rows.");
    }
    return STATUS_OK;
}

/* The first time that has a value. */
static int64_t first_known(const struct point *points, uint32_t count)
{
    int64_t first = INT64_MAX;

    for (uint32_t i = 0; i < count; i++)
        if (!isnan(points[i].value) && points[i].time < first)
            first = points[i].time;
    return first;
}

enum status series_kept_join(const struct series_plan *plan, struct arena *arena,
                             struct point **points, uint32_t *count, struct error *err)
{
    const struct series_old *old = plan->old;
    const int64_t begin = first_known(*points, *count);
    struct steps steps = plan->steps;
    struct point *joined;
    uint32_t known, before = 0;

    if (plan->has_old_steps)
        TRY(check_times(plan, *points, *count, err));
    if (!old || !old->values)
        return STATUS_OK;
    if (old->numbers[KEPT_NOW] == 0 && begin > old->last)
        return refuse_unkept(err);
    if (begin <= old->begin)
        return STATUS_OK;
    if (begin <= old->last_known)
        return refuse_overlap(plan, begin, err);
    if (!(old->numbers[KEPT_NOW] > 0 && old->numbers[KEPT_NOW] <= plan->values))
        return refuse_longer(plan, err);
    known = (uint32_t)old->numbers[KEPT_NOW];
    joined = ARENA_NEW(arena, struct point, (size_t)known + *count);
    if (!joined)
        return fail_no_memory(err);
    steps.first = old->begin;
    for (uint32_t i = 0; i < known; i++) {
        const double value = old->values[plan->values - known + i];

        if (!isnan(value))
            joined[before++] = (struct point){steps_time(&steps, i), value};
    }
    memcpy(joined + before, *points, *count * sizeof *joined);
    *points = joined;
    *count += before;
    return STATUS_OK;
}

void series_kept_put_values(const struct series_plan *plan, const struct grid *grid,
                            int64_t *record)
{
    int64_t *words = record + series_plan_kept(plan) + KEPT_WORDS + plan->kept;

    for (uint32_t i = 0; i < plan->values; i++) {
        const int64_t place = (int64_t)grid->count - plan->values + i;

        words[i] = record_bits(place >= 0 ? grid->values[place] : (double)NAN);
    }
}

enum status series_kept_choose(const struct series_plan *plan, const struct grid *grid,
                               enum series_way *way, uint32_t *origin, struct error *err)
{
    const struct series_old *old = plan->old;
    const int64_t begin = first_time(grid), last = steps_time(&grid->steps, grid->last);

    *way = WAY_NEW;
    if (!old)
        return STATUS_OK;
    *way = WAY_ANEW;
    if (old->is_other)
        return STATUS_OK;
    if (begin > old->last)
        return refuse_new_rows_alone(plan, begin, err);
    if (begin != old->begin || last < old->last ||
        !(grid->count < GROWN_MOST * old->numbers[KEPT_AT_FIT]))
        return STATUS_OK;
    *way = last == old->last ? WAY_STAYED : WAY_MOVED;
    *origin = (uint32_t)(steps_index(&grid->steps, old->last) - (grid->last - grid->count + 1)) + 1;
    return STATUS_OK;
}

void series_kept_put(const struct series_plan *plan, const struct grid *grid, enum series_way way,
                     const struct kept *written, int64_t *record)
{
    int64_t *words = record + series_plan_kept(plan), *numbers = words + KEPT_WORDS;

    words[KEPT_WAY] = way;
    if (written && written->is_spoiled) /* it had no room: the series is fitted anew next time */
        return;
    words[KEPT_COUNT] = written ? KEPT_LIST + written->count : plan->old->count;
    numbers[KEPT_AT_FIT] = record_bits(written ? grid->count : plan->old->numbers[KEPT_AT_FIT]);
    numbers[KEPT_NOW] = record_bits(grid->count);
    for (uint32_t i = KEPT_LIST; i < words[KEPT_COUNT]; i++)
        numbers[i] = record_bits(written ? written->numbers[i - KEPT_LIST] : plan->old->numbers[i]);
}
