/*
 * training.h - settings -> plan->spec.
 */
#pragma once

#include "planner/plan/planning.h"

enum status training_plan(struct planning *planning);
/* The values of all attributes, for people, into plan->attributes: as the plan has them now. */
enum status training_record(const struct planning *planning);
