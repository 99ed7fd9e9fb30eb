/*
 * columns.h - COLUMN -> inputs of the model.
 */
#ifndef PLANNER_COLUMNS_H
#define PLANNER_COLUMNS_H

#include "planner/planning.h"

/* columns.c, label.c */
enum status columns_plan(struct planning *planning);

#endif
