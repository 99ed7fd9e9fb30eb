#include "runtime/learn/series/series_grid.h"

#include <math.h>
#include <string.h>

void series_time_print(const struct series_plan *plan, int64_t time, char text[TIME_BYTES])
{
    time_print(plan->are_numbers              ? TIME_NUMBER
               : time % DAY_MICROSECONDS == 0 ? TIME_DATE
                                              : TIME_MOMENT,
               time, "", text);
}

void series_grid_fill(const struct series_plan *plan, struct grid *grid)
{
    uint32_t known = grid->count; /* values up to the last one that is known */

    while (known > 1 && isnan(grid->values[known - 1]))
        known--;
    for (uint32_t i = known; plan->gaps == GAPS_ON_LINE && i < grid->count; i++)
        grid->values[i] = grid->values[known - 1];
    for (uint32_t i = 1; plan->gaps != GAPS_ON_LINE && i < grid->count; i++)
        if (isnan(grid->values[i]))
            grid->values[i] = plan->gaps == GAPS_ARE_ZERO ? 0 : grid->values[i - 1];
}

/* Up to the end of all series, of which a series of a hierarchy may miss the last. */
static enum status extend(const struct series_plan *plan, struct grid *grid, struct arena *arena,
                          struct error *err)
{
    const int64_t end = steps_index(&grid->steps, plan->end), more = end - grid->last;
    char time[TIME_BYTES];
    double *values;

    if (!steps_has(&grid->steps, end) || steps_time(&grid->steps, end) != plan->end ||
        grid->count + more > SERIES_COUNT_MAX) {
        series_time_print(plan, plan->end, time);
        fail(err, STATUS_INVALID, "its steps do not lead to %s, the last time of all series", time);
        return error_hint(err, "Totals need equal times: bring them to the same steps in the "
                               "SELECT, as date_trunc('week', t), or leave the hierarchy out.");
    }
    values = ARENA_NEW(arena, double, grid->count + (size_t)more);
    if (!values)
        return fail_no_memory(err);
    memcpy(values, grid->values, grid->count * sizeof *values);
    for (int64_t i = 0; i < more; i++)
        values[grid->count + i] = NAN;
    grid->values = values;
    grid->count += (uint32_t)more;
    grid->last = end;
    return STATUS_OK;
}

static enum status refuse(const struct series_plan *plan, const struct grid *grid,
                          enum grid_fault fault, struct error *err)
{
    char time[TIME_BYTES];

    if (fault == GRID_INFINITE)
        return fail(err, STATUS_INVALID, "the sum of a time's values is no number");
    if (fault == GRID_DOUBLED) {
        series_time_print(plan, grid->doubled, time);
        fail(err, STATUS_INVALID, "two values have the time %s", time);
        return error_hint(
            err, "forecast.group names the columns of a series; forecast.duplicates = 'sum', or "
                 "'mean', makes one value of them.");
    }
    fail(err, STATUS_INVALID, "%u times would be %lld steps, of which most have no value",
         grid->times, (long long)grid->span);
    return error_hint(err, "Bring the times to an even step in the SELECT, as date_trunc('day', t) "
                           "or the date alone, and look whether the first or last ones are "
                           "mistakes.");
}

enum status series_grid(const struct series_plan *plan, struct point *points, uint32_t count,
                        struct arena *arena, struct grid *grid, struct error *err)
{
    enum grid_fault fault;

    points_sort(points, count);
    TRY(grid_make(points, count, plan->are_numbers, plan->duplicates, &plan->steps, arena, grid,
                  &fault, err));
    if (fault != GRID_FINE)
        return refuse(plan, grid, fault, err);
    if (grid->count > 0 && plan->hierarchy != HIERARCHY_NONE)
        TRY(extend(plan, grid, arena, err));
    return STATUS_OK;
}
