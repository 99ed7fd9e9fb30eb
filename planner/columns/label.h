/*
 * label.h - LABEL -> label of the model.
 */
#pragma once

#include "planner/plan/planning.h"

enum status label_plan(struct planning *planning);

/* Tells what the predictions of a regressor count, if its label is a date or time of PostgreSQL,
 * and how numbers were read from texts. */
void label_unit_notice(const struct plan *plan);
/* EXPLAIN: what the sample tells of the labels. TRAIN tells it of all rows. */
void label_notice(const struct plan *plan);
/* The type of a column of classes. */
enum label_type label_type_of_class(const struct query_column *column);
/* INVALID at a LABEL of the statement: the estimator learns without. */
enum status label_refuse(const struct planning *planning, struct slice estimator);
