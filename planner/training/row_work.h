/*
 * row_work.h - whether two TRAIN statements do the same work for each row, so that one's speed is
 * to be expected of the other.
 */
#pragma once

#include "planner/plan/plan.h"

#define ROW_WORK_DIGITS 16

/* Hexadecimal digits, terminated: the same for statements INTO the same model whose estimator,
 * inputs, batches, lanes and size of a worker are the same, and what a row costs. Neither rows,
 * epochs, seed nor the number of workers matter. False: there is no memory. */
bool row_work_print(const struct plan *plan, char digits[ROW_WORK_DIGITS + 1]);
