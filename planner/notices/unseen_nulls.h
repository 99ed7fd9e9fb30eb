/*
 * unseen_nulls.h - NULLs among rows that are scored, in columns where the model has learned of
 * none.
 *
 * A model gives such a row a prediction all the same: one that nothing in the training rows tells.
 * The sample of the SELECT shows them before any row is scored, and is all that EXPLAIN knows.
 * Where there are QUERY_SAMPLE_ROWS rows and more, scoring counts NULLs in columns where the sample
 * has none.
 */
#pragma once

#include "base/cell.h"
#include "planner/plan/plan.h"

/* Adds to the plan's notices, when the model's inputs are matched. */
void note_unseen_nulls(const struct plan *plan);

/* May rows behind the sample have the first NULL of the model's input? */
bool unseen_nulls_may_come(const struct plan *plan, size_t input);
/* Is the cell one, as the input reads it? */
bool unseen_null_is(const struct plan *plan, size_t input, const struct cell *cell);
/* Adds to the plan's notices what was counted of all rows: nulls (model.input_count). */
void note_counted_nulls(const struct plan *plan, const uint64_t *nulls, uint64_t rows);
