/*
 * grid.h - values at times -> evenly spaced values, with the step and what was filled.
 */
#pragma once

#include "base/arena.h"
#include "forecast/time/steps.h"

/* Several values of one time. */
enum duplicates { DUPLICATES_ERROR, DUPLICATES_SUM, DUPLICATES_MEAN };

struct point {
    int64_t time; /* steps.h */
    double value; /* NAN: missing */
};

struct grid {
    struct steps steps;
    int64_t last;    /* the step of the last value */
    double *values;  /* (count), in the arena: from the first value on; NAN where one is missing */
    uint32_t count;  /* 0: no point has a value */
    uint32_t known;  /* points that have one */
    int64_t doubled; /* GRID_DOUBLED: the time */
    int64_t span;    /* steps from the first time to the last */
    uint32_t times;  /* different ones */
};

enum grid_fault { GRID_FINE, GRID_DOUBLED, GRID_UNEVEN, GRID_INFINITE };

/* By time and value, so that what comes of them does not depend on how they came. */
void points_sort(struct point *points, uint32_t count);

/*
 * Makes the grid of sorted points (count, 1 at least), which are used up. `steps`: of all series,
 * whose first time is not looked at; NULL: they are found from the points. Their fault, if they
 * have one, is in *fault; NO_MEMORY else.
 *
 *     GRID_DOUBLED   two values of one time, where duplicates are an error
 *     GRID_UNEVEN    no even step is found: most of the steps would have no value
 *     GRID_INFINITE  the sum of a time's values is no number
 */
enum status grid_make(struct point *points, uint32_t count, bool are_numbers,
                      enum duplicates duplicates, const struct steps *steps, struct arena *arena,
                      struct grid *grid, enum grid_fault *fault, struct error *err);
