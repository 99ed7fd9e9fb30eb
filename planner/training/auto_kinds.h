/*
 * auto_kinds.h - TO TRAIN AUTO: a search over several kinds of models.
 *
 *     TO TRAIN AUTO WITH tune.trials = 12 LABEL y
 *         |  the task by the label, as task_choice.h has it
 *         v
 *     LinearClassifier, XGBClassifier, RandomForestClassifier, DNNClassifier as they are, then each
 *     of them with values that are drawn from ranges of its own, in turn: the trials of search.h
 *
 * All trials read the same rows and are judged by the same held-out rows, or folds. A kind that
 * cannot take the rows as the first one does, or the settings of the statement, is not tried, and a
 * notice says why.
 */
#pragma once

#include "planner/plan/planning.h"
#include "planner/training/search.h"

#define AUTO_NAME   "AUTO"
#define AUTO_TRIALS 12 /* where tune.trials is not set */

bool auto_is_named(const struct statement *statement);

/* plan->estimator becomes the first kind of the label's task. The SELECT is described then. */
enum status auto_choose(struct planning *planning);
/* Fills the search's candidates: so many trials of the estimator's task. */
enum status auto_draw(struct planning *planning, uint64_t seed, struct search *search);

/* "LinearClassifier, XGBClassifier and ..." */
void auto_append_kinds(const struct search *search, struct text *out);
