/*
 * parts.h - a series as the sum of its parts.
 *
 *     value = trend + season + season ... + remainder
 *
 *     trend      what is left without the seasons, smoothed by lines through nearby values, on the
 *                level that it has; a level that shifts is no line
 *     seasons    by STL, each without the others (stl.h)
 *     shifts     where a new level begins: the median of the values behind it, without seasons, is
 *                away from that of the values before by more than SHIFT_DEVIATIONS of the
 * deviations around the medians, beside what the slope makes of it. Two shifts are at least so many
 * values apart as a median takes.
 *
 * The parts are of the series as it is given, values behind a place among them, so that they are
 * no forecast of it.
 */
#pragma once

#include "forecast/methods/method.h"

#define SHIFT_DEVIATIONS 4
#define SHIFT_SPAN_LEAST 5 /* values on either side that a shift is told by */
#define SHIFT_SPAN_MOST  60

struct parts {
    double *values;               /* (count): gaps are on the line between their neighbours */
    double *trend, *remainder;    /* (count) */
    double *seasons[SEASONS_MAX]; /* (count) each; 0 where the series has no two of it */
    double *shifts;               /* (count): by how much the level rises at a value; 0: it stays */
};

/* values (count, 1 at least): the first and the last are no NAN, none is infinite. seasons
 * (season_count): lengths, ascending, from 2. Parts are in fitting's arena. */
enum status parts_find(const double *values, uint32_t count, const uint32_t *seasons,
                       uint32_t season_count, const struct fitting *fitting, struct parts *parts,
                       struct error *err);
