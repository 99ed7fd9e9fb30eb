/*
 * far_numbers.h - numbers among rows that are scored which are too far off for the model: beyond
 * its reach, 3.4e38 where it keeps numbers and 1e18 deviations where it scales them, all are one.
 *
 * The sample of the SELECT shows them before any row is scored, and is all that EXPLAIN knows.
 * Where there are QUERY_SAMPLE_ROWS rows and more, scoring looks on, in columns where the sample
 * has none.
 */
#pragma once

#include "base/cell.h"
#include "planner/plan/plan.h"

/* Adds to the plan's notices, when the model's inputs are matched. */
void note_far_numbers(const struct plan *plan);

/* Has the sample no such number for the model's input, and may later rows have one? */
bool far_numbers_may_come(const struct plan *plan, size_t input);
/* Is the cell such a number? */
bool far_number_is(const struct plan *plan, size_t input, const struct cell *cell);
/* Adds to the plan's notices what was found among all rows: numbers (model.input_count), NaN
 * where there is none. */
void note_found_far_numbers(const struct plan *plan, const double *numbers);
