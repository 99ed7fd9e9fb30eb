/*
 * two_columns.h - the inputs of a model of two columns (estimator_is_of_two): users and items, each
 * a category by its words, also where ids are whole numbers or all different.
 */
#pragma once

#include "planner/columns/column_choice.h"

#define TWO_COLUMNS_WORDS                                                                          \
    1000000 /* in each column, unless a function of COLUMN says another number */

/* Makes categories of the columns that no function of COLUMN takes. */
void two_columns_choose(const struct plan *plan, struct choices *choices);
/* INVALID, with a hint, unless the inputs are two categories. */
enum status two_columns_check(const struct planning *planning);
