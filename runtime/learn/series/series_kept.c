#include "runtime/learn/series/series_kept.h"

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
    return error_hint(err, "Select all rows of a series, those that the old model was trained with "
                           "and the new ones: its states run over all of them.");
}

enum status series_kept_choose(const struct series_plan *plan, const struct grid *grid,
                               enum series_way *way, uint32_t *origin, struct error *err)
{
    const struct series_old *old = plan->old;
    const int64_t begin = first_time(grid), last = steps_time(&grid->steps, grid->last);

    *way = WAY_NEW;
    if (!old)
        return STATUS_OK;
    if (begin > old->last)
        return refuse_new_rows_alone(plan, begin, err);
    *way = WAY_ANEW;
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
