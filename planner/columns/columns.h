/*
 * columns.h - COLUMN -> inputs of the model.
 */
#pragma once

#include "planner/plan/planning.h"

/* columns.c, label.c */
enum status columns_plan(struct planning *planning);
