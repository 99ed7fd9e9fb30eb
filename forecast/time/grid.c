#include "forecast/time/grid.h"

#include <math.h>
#include <stdlib.h>

#include "forecast/methods/method.h"

#define STEPS_A_POINT 20 /* with so many steps to a point, most of a series would be gaps */
#define STEPS_FREE    1000

static int compare_points(const void *a, const void *b)
{
    const struct point *left = a, *right = b;

    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    if (isnan(left->value) || isnan(right->value))
        return !!isnan(left->value) - !!isnan(right->value);
    return (left->value > right->value) - (left->value < right->value);
}

void points_sort(struct point *points, uint32_t count)
{
    qsort(points, count, sizeof *points, compare_points);
}

/* The step of all times, those without a value among them. */
static enum status find_steps(const struct point *points, uint32_t count, bool are_numbers,
                              const struct steps *given, struct arena *arena, struct grid *grid,
                              enum grid_fault *fault, struct error *err)
{
    int64_t *times = ARENA_NEW(arena, int64_t, count);
    uint32_t different = 0;

    if (!times)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        if (different == 0 || times[different - 1] != points[i].time)
            times[different++] = points[i].time;
    grid->steps = given ? *given : steps_find(times, different, are_numbers);
    grid->steps.first = times[0];
    grid->times = different;
    grid->span = steps_index(&grid->steps, times[different - 1]) + 1;
    if (grid->span > STEPS_FREE + (int64_t)STEPS_A_POINT * different ||
        grid->span > SERIES_COUNT_MAX)
        *fault = GRID_UNEVEN;
    return STATUS_OK;
}

/* Values of one time become one, in the order of their sizes. What is left without a value goes.
 * Returns how many points are left. */
static uint32_t unite(struct point *points, uint32_t count, enum duplicates duplicates,
                      struct grid *grid, enum grid_fault *fault)
{
    uint32_t kept = 0, same = 0;

    for (uint32_t i = 0; i < count && *fault == GRID_FINE; i++) {
        const struct point point = points[i];
        struct point *last = kept ? &points[kept - 1] : NULL;

        if (isnan(point.value))
            continue;
        if (!last || last->time != point.time) {
            points[kept++] = point;
            same = 1;
            continue;
        }
        if (duplicates == DUPLICATES_ERROR) {
            grid->doubled = point.time;
            *fault = GRID_DOUBLED;
            break;
        }
        same++;
        if (duplicates == DUPLICATES_SUM)
            last->value += point.value;
        else
            last->value += (point.value - last->value) / same;
        if (!isfinite(last->value))
            *fault = GRID_INFINITE;
    }
    return kept;
}

static enum status lay_out(const struct point *points, uint32_t count, struct arena *arena,
                           struct grid *grid, struct error *err)
{
    const int64_t first = steps_index(&grid->steps, points[0].time);

    grid->last = steps_index(&grid->steps, points[count - 1].time);
    grid->count = (uint32_t)(grid->last - first + 1);
    grid->values = ARENA_NEW(arena, double, grid->count);
    if (!grid->values)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < grid->count; i++)
        grid->values[i] = NAN;
    for (uint32_t i = 0; i < count; i++)
        grid->values[steps_index(&grid->steps, points[i].time) - first] = points[i].value;
    return STATUS_OK;
}

enum status grid_make(struct point *points, uint32_t count, bool are_numbers,
                      enum duplicates duplicates, const struct steps *steps, struct arena *arena,
                      struct grid *grid, enum grid_fault *fault, struct error *err)
{
    *grid = (struct grid){.count = 0};
    *fault = GRID_FINE;
    TRY(find_steps(points, count, are_numbers, steps, arena, grid, fault, err));
    grid->known = unite(points, count, duplicates, grid, fault);
    return *fault == GRID_FINE && grid->known > 0 ? lay_out(points, grid->known, arena, grid, err)
                                                  : STATUS_OK;
}
