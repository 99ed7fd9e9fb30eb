/*
 * task_choice.h - does a name that is that of two estimators mean the one of classes or of numbers?
 *
 *     1. the attribute that tells it, as objective = 'multi:softprob' and 'reg:squarederror'
 *     2. attributes that are of classes alone, as num_class = 3
 *     3. the label: words, true and false, and few whole numbers are classes; numbers with a
 *        fraction and many whole numbers are numbers
 *
 * A name that says the task itself, as XGBClassifier, leaves nothing to choose.
 */
#pragma once

#include "planner/plan/planning.h"

/* plan->estimator becomes the one that the statement names, which is that of graphs where it names
 * a definition: plan->definition then. It becomes that of linear models, where a name of XGBoost's
 * is told the booster gblinear, and that of networks over embeddings, where COLUMN of a network
 * names EMBEDDING or USING a network over embeddings: before the settings are read, as they are
 * those of another kind then. Fails as model_find. */
enum status estimator_choose(struct planning *planning);

/* plan->estimator becomes the one that is meant, by the settings and, where these do not tell, by
 * the SELECT, which is described then. */
enum status task_choose(struct planning *planning);

/* May another label, of more rows, tell another task? */
bool task_is_of_label(const struct plan *plan);
