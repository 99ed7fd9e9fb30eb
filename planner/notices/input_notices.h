/*
 * input_notices.h - what became of the columns: which are left out and what to write to have them,
 * and what was read from their texts.
 */
#pragma once

#include "planner/plan/plan.h"

/* Adds to the plan's notices, when inputs and label are planned. NO_MEMORY. */
enum status input_notices(const struct plan *plan, struct error *err);
