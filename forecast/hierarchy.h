/*
 * hierarchy.h - forecasts of parts and of their totals -> forecasts that add up.
 *
 *     total           members, each behind its total: total, north, north 1, north 2, south, ...
 *      north
 *       north 1       hierarchy_init --> hierarchy_weigh --> hierarchy_add_up, of each step -->
 *       north 2                          hierarchy_deinit
 *      south
 *       ...
 *
 * The weighing is MinT with a diagonal: generalised least squares where each forecast has a
 * variance of its own. In a tree that is two passes: upwards each total becomes the weighted mean
 * of its own forecast and of the sum of its parts, downwards the parts share what their sum lacks,
 * by their variances (Wickramasuriya and others' formula, solved exactly).
 *
 * Sums are exact: parts are multiples of one power of two, so small that it is lost in the digits
 * of a double, and so large that all sums of them are doubles. They add up to the total in any
 * order.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

#define HIERARCHY_NO_PARENT UINT32_MAX

struct hierarchy {
    uint32_t count;
    uint32_t *parents;         /* (count): the total that a member is part of, which is before it */
    bool *are_totals;          /* (count): has it parts? */
    double *means, *variances; /* (count): of a member, by its own forecast and its parts' */
    double *part_means, *part_spread; /* (count): sums of them over the parts of a total */
};

/* levels (count): how deep a member is, 0 for the one that is the total of all; each is at most one
 * deeper than the member before it. */
enum status hierarchy_init(struct hierarchy *hierarchy, const uint32_t *levels, uint32_t count,
                           struct error *err);
void hierarchy_deinit(struct hierarchy *hierarchy); /* zeros, too */

/* values (count): forecasts of one step, which become those that are nearest to them, by their
 * deviations (count), among all that add up; up to rounding. Where a total's parts have no
 * deviations they stay, and so does a total that has none. */
void hierarchy_weigh(struct hierarchy *hierarchy, double *values, const double *deviations);

/* The parts that are no totals, rounded as above, and of all totals the sums of their parts. */
void hierarchy_add_up(const struct hierarchy *hierarchy, double *values);
