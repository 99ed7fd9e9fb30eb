/*
 * old_model.h - USING of TO TRAIN: the model that learning goes on from.
 *
 *     old model --its inputs, task and classes--> the plan's
 *
 * The new model has all that the old one has, and what is learned besides, or it starts from the
 * weights of the old one. So it takes the same inputs, whose kinds, words and parts of dates are
 * the old model's, and knows the same classes.
 */
#pragma once

#include "planner/plan/planning.h"

/* Does an attribute that is not set have its value from there? */
bool old_model_gives(const struct planning *planning, const struct attribute *attribute);

/* Is there one? After old_model_find it is plan->model. */
bool old_model_is_named(const struct planning *planning);
/* And does it say what the inputs are? A forecast's are those that its attributes name. */
bool old_model_gives_inputs(const struct planning *planning);
/* plan->model, where the statement names one that its kind can go on from. UNSUPPORTED for a kind
 * that cannot, INVALID for a model of another kind. Before the task is chosen. */
enum status old_model_find(struct planning *planning);
/* The attributes that give the new model's arrays their shape become the old model's. INVALID where
 * the statement or the estimator says otherwise. Before the kind settles them. */
enum status old_model_take_shape(struct planning *planning);
/* Whether task, classes and attributes fit it, once the label is known. */
enum status old_model_check(const struct planning *planning);
/* plan->inputs in the order of the old model. INVALID where they are others. */
enum status old_model_order(struct planning *planning);
