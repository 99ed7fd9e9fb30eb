/*
 * common_steps.h - the step that all series of a table have in common.
 *
 * A series of few values does not tell it: one that is sold each tenth day looks as if it came
 * every ten days. So each series counts what its times would fit, and what all of them fit is the
 * step. Counts are only ever added, so that it does not matter who counted which series.
 *
 *     numbers            the product of the prime powers that divide all differences
 *     dates and times    months, where all series are of months (steps.h); weekdays, where all are,
 *                        and one has a Friday and the Monday behind it; else the greatest time, of
 *                        whole milliseconds, that divides all differences
 *
 * Prime factors above 61, and such powers as no calendar has, do not count.
 */
#pragma once

#include "forecast/time/steps.h"

#define COMMON_STEPS_COUNTS 80

/* Adds what a series has whose times (count) ascend and differ. One of a single time fits all. */
void common_steps_add(int64_t counts[COMMON_STEPS_COUNTS], const int64_t *times, uint32_t count,
                      bool are_numbers);

/* The common step, whose `first` each series has for itself. If each series has a single time, the
 * step is 1, or a day. */
struct steps common_steps_find(const int64_t counts[COMMON_STEPS_COUNTS], bool are_numbers);
