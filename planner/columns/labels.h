/*
 * labels.h - LABEL a, b -> the labels of a model of several, each of which is an input of the job
 * (input_spec.h: label) that no row needs to have, and that the graph's heads are compared with.
 *
 * Whether one is classes or a number follows from its column, as for other labels (task_choice.h).
 */
#pragma once

#include "planner/plan/planning.h"

/* Are there several? */
bool labels_are_several(const struct planning *planning);
/* INVALID for an estimator that learns one, a column that there is not or that is named twice, and
 * for arrays and blobs; with USING for other labels than those of the old model. */
enum status labels_plan(struct planning *planning);
/* "Write LABEL clicked, amount.": hints at the labels of the model that USING names. */
enum status labels_hint_old(const struct planning *planning);
/* Is it the column of one of several labels? */
bool labels_have(const struct plan *plan, int column);
/* The labels as inputs, behind the others. */
void labels_add_inputs(struct plan *plan);
