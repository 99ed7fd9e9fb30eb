/*
 * robust_range.h - where the middle of some numbers lies, and how wide it is, whatever a few of
 * them are.
 *
 * Half of the numbers decide, so that neither a code such as -999 nor one huge value counts. The
 * width is that which a normal distribution with this middle half has as its deviation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ROBUST_COUNT_MIN 20    /* numbers; fewer tell nothing */
#define ROBUST_HALF      1.349 /* the middle half's width, by the deviation */
#define ROBUST_FAR       5.0   /* deviations from the middle: farther is far away */

struct robust_range {
    double middle, deviation; /* the median; 0: nothing is known */
};

/* Finds the range of numbers in ascending order. False, and all zero: they are too few, or nearly
 * all the same. */
bool robust_range_of(const double *sorted, size_t count, struct robust_range *range);
