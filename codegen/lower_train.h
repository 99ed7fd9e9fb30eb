/*
 * lower_train.h - TRAIN -> job spec.
 */
#pragma once

#include "planner/plan/plan.h"

/* The job spec of a TRAIN plan. It borrows from the plan and lives in the arena.
 * The launcher decides whether it runs in one process. */
enum status lower_train(const struct plan *plan, struct arena *arena, struct jobspec *spec,
                        struct error *err);
