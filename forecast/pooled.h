/*
 * pooled.h - a method whose parameters many series share: boosted trees.
 *
 *     values --season off, smoothed, scaled--> level + scale * number
 *     the features of a step --trees--> its number --> the value, and the level of the step behind
 * it
 *
 * A series loses its seasonal pattern where it has one, and is smoothed by the weight that expects
 * each next value best. What is left of a value, in units of the mean error of that, is the target:
 * series of any size are alike then. Features are the values before it, means of them, the
 * calendar, the words of the series' group and the holidays around it, as bins. A forecast of
 * several steps is recursive: a step takes the forecasts before it for values.
 *
 * The learner of the trees (pooled_tree.h) collects the rows of all series first, by the same fit.
 */
#pragma once

#include "forecast/methods/method.h"
#include "forecast/pooled_tree.h"
#include "forecast/time/steps.h"

#define POOLED_GROUPS_MAX 8
#define POOLED_HOLIDAYS   3 /* features of holidays: of the step before, of the step, of the next */
#define POOLED_LEAST      5 /* values of a series; with fewer the last one is its forecast */

/* Rows to learn from, which grow; each is a target, and a bin of each feature. */
struct pooled_rows {
    uint8_t *bins;   /* (room, pooled_row_bytes), zeros behind the features of a row */
    double *targets; /* (room) */
    uint64_t count, room;
    uint32_t features;
    uint32_t every; /* one row of so many is taken, by chance */
};

/* Facts that all series have in common. */
struct pooled {
    struct pooled_trees trees;
    uint32_t season, longest; /* shortest and longest season that the steps may have; 1: none */
    uint32_t groups;          /* columns of the group */
    bool has_holidays;
};

/* Facts of one series besides its values. */
struct pooled_series {
    const struct pooled *pooled; /* NULL: there are no trees */
    struct pooled_rows *rows;    /* not NULL: rows are collected, and nothing is forecast */
    const struct steps *steps;   /* the series' own */
    const bool *are_known;       /* with rows: values that were no gaps; a value is a target if the
                                    one before it was none either */
    int64_t first;               /* the step of the first value */
    uint8_t words[POOLED_GROUPS_MAX]; /* bins of the group's words; 0: none */
    const uint8_t *holidays; /* where there are any, the bin of each step's holiday, from the step
                                before the first value to the one behind the last forecast; 0: it
                                has none */
};

/* Features of all series, words of the group and holidays behind the ordered ones. */
uint32_t pooled_ordered(const struct pooled *pooled);
uint32_t pooled_features(const struct pooled *pooled);

/* Whole 32-bit words (base/sums/words.h). */
static inline uint32_t pooled_row_bytes(uint32_t features)
{
    return (features + 3) / 4 * 4;
}
static inline const uint8_t *pooled_row(const struct pooled_rows *rows, uint64_t row)
{
    return rows->bins + row * pooled_row_bytes(rows->features);
}

void pooled_rows_deinit(struct pooled_rows *rows);

extern const struct method pooled_method;
