/*
 * explain_work.h - what a training will have to do: rows, steps, time.
 */
#pragma once

#include "planner/plan/explanation.h"

/* The lines `rows`, `steps`, `expected time` and, where there were earlier jobs, `expected speed`.
 * rows_guess: about how many the SELECT has; 0: it is not known. A sample that is smaller than it
 * could be has all of them. */
void explain_work(struct explanation *explanation, uint64_t rows_guess);
