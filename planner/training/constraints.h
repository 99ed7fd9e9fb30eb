/*
 * constraints.h - what a statement says of single inputs of trees.
 *
 *     monotone_constraints     '(1, 0, -1)'               by the order of the columns
 *                              '{"age": 1, "debt": -1}'   by name
 *     interaction_constraints  '[[0, 1], [2, 3, 4]]'      columns counted from 0
 *                              '[["age", "debt"], ["plan", "city"]]'
 *
 * These are the forms of XGBoost and LightGBM: brackets around all may be left out, and columns at
 * the end of a list of directions, which have none then. Columns are those of the SELECT that are
 * inputs. A date of several parts is one column; of its parts each has a name, "signup.age".
 */
#pragma once

#include "planner/plan/planning.h"

/* Direction and groups of plan->inputs, which are there. INVALID, at its place in the value, for
 * what is neither form, for a column that is no input, and for the direction of a category or of
 * several parts of a date. LIMIT beyond INTERACTION_GROUPS_MAX groups. */
enum status constraints_plan(struct planning *planning);
