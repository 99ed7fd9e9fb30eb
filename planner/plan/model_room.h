/*
 * model_room.h - which models a session loads into its own memory: those of up to
 * catalog_limits.model_memory. Larger ones are scored by workers, which map them from files.
 */
#pragma once

#include "planner/plan/planning.h"

/* LIMIT where the session has no room for a model of so many bytes, with a hint of who has. */
enum status model_room_check(const struct catalog_limits *limits, struct slice name,
                             uint64_t memory, struct error *err);

/* Sets plan->scoring.too_large by the plan's model, once that is found. */
enum status model_room_note(struct planning *planning);
/* The same of a statement that only the session can run: LIMIT at the model's name, unless it is
 * only explained. */
enum status model_room_need(struct planning *planning);
