/*
 * other_unit.h - numbers that are scored in another unit than those that a model has learned:
 * cents for dollars, percents for fractions, milliseconds for seconds.
 *
 *     init --> take, take, take ... --> find
 *
 * The model keeps the deciles of each column (input_statistics.h): 8 of 10 rows lie between the
 * first and the last one. Where rows lie outside of these, each unit converts them, and a unit
 * after which each bin has as many rows as in the training (drift.h has the index) is the one that
 * they seem to have. If they are but some of the rows, which lie very far above all others, these
 * are converted alone, if the others are as in the training. Rows without such a unit are told of
 * only where they are very far off: what drifts, or is a part of a table, is no mistake.
 *
 * Rows are counted: their order makes no difference.
 */
#pragma once

#include "scoring/statistics/input_statistics.h"

#define OTHER_UNIT_ROWS_MIN 10 /* rows that have a number; fewer tell nothing */
#define OTHER_UNIT_BINS_MIN 4  /* bins of the training's; fewer are rather classes */
#define OTHER_UNIT_SHARE    .9 /* the least share of rows that lie outside */
#define OTHER_UNIT_WIDTHS   10 /* very far: so many times the range beyond it */
#define OTHER_UNIT_PART                                                                            \
    .15 /* the least share of rows very far above; the training has .1 at most */
#define OTHER_UNIT_NEAR      31  /* a factor below it is met by chance, so that */
#define OTHER_UNIT_NEAR_ROWS 200 /* more rows must fit better */
#define OTHER_UNIT_UNITS_MAX 48

/* A way to convert numbers: x / by, x * by, x + by or x - by. Fahrenheit's have both: 'C' makes
 * (x - 32) / by of them, and 'F' x * by + 32. */
struct unit {
    char sign; /* '/', '*', '+', '-', 'C' or 'F' */
    double by;
};

struct other_unit {
    struct input_statistics then; /* bounds are in units of the column */
    bool has_code;
    double code;            /* a number that is a missing value to the model */
    uint64_t rows, outside; /* rows with a number, and those not in the training's 8 of 10 */
    uint64_t below, above;  /* those that are very far off */
    double least, greatest; /* bounds of the numbers */
    uint64_t converted[OTHER_UNIT_UNITS_MAX][STATISTICS_BINS]; /* rows of each bin, by the unit */
    uint64_t far[OTHER_UNIT_UNITS_MAX][STATISTICS_BINS];       /* likewise the rows far above */
    uint64_t near[STATISTICS_BINS]; /* rows of each bin as they are, but those */
};

/* 8 of 10 training rows are between these. */
static inline double other_unit_low(const struct other_unit *counts)
{
    return counts->then.bounds[0];
}
static inline double other_unit_high(const struct other_unit *counts)
{
    return counts->then.bounds[counts->then.bins - 2];
}

/* Numbers above it are very far off. */
static inline double other_unit_far(const struct other_unit *counts)
{
    return other_unit_high(counts) +
           OTHER_UNIT_WIDTHS * (other_unit_high(counts) - other_unit_low(counts));
}

/* False: the input is no column of plain numbers, or the training's hardly differ. */
bool other_unit_init(const struct transform_input *input, const struct input_statistics *then,
                     struct other_unit *counts);
/* Do most of some numbers, by their deciles, lie outside, or some very far above? (ascending,
 * `count` of them) */
bool other_unit_may_be(const struct other_unit *counts, const double *deciles, size_t count);
void other_unit_take(struct other_unit *counts, double number);

enum unit_verdict { UNIT_SAME, UNIT_OTHER, UNIT_PART, UNIT_FAR };
/* UNIT_OTHER: *unit converts the rows, the best of all, or the first of equal ones; else it is
 * NULL. UNIT_PART: likewise, of those above other_unit_far alone. UNIT_FAR: they are very far off,
 * and no unit does. */
enum unit_verdict other_unit_find(const struct other_unit *counts, const struct unit **unit);
