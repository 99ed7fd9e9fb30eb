/*
 * label.h - LABEL -> label of the model.
 */
#ifndef PLANNER_LABEL_H
#define PLANNER_LABEL_H

#include "planner/planning.h"

bool column_is_numeric(const struct query_column *column);
/* Texts that are neither a number nor a blank, which among numbers is a NULL. */
uint32_t column_words(const struct query_column *column);
enum status label_plan(struct planning *planning);
/* INVALID at a LABEL of the statement: the estimator learns without. */
enum status label_refuse(const struct planning *planning, struct slice estimator);

#endif
