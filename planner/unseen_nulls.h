/*
 * unseen_nulls.h - NULLs among rows that are scored, in columns where the model has learned of
 * none.
 *
 * A model gives such a row a prediction all the same: one that nothing in the training rows tells.
 * The sample of the SELECT shows them; all rows of fewer than QUERY_SAMPLE_ROWS.
 */
#ifndef PLANNER_UNSEEN_NULLS_H
#define PLANNER_UNSEEN_NULLS_H

#include "planner/plan.h"

/* Adds to the plan's notices, when the model's inputs are matched. */
void note_unseen_nulls(const struct plan *plan);

#endif
