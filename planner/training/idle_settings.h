/*
 * idle_settings.h - attributes that SQLFlow's statements set, and for which there is nothing to do
 * here: they are read, change nothing, and a notice says why.
 */
#pragma once

#include "planner/plan/planning.h"

struct idle_attribute {
    const char *name;
    double most;     /* value, from 0 on; 1 of one that is true or false */
    const char *why; /* "each epoch is evaluated" */
};

/* The last has no name. */
extern const struct idle_attribute idle_attributes[];

/* Is the setting one of them? A notice of the plan's says what is done instead. INVALID for a value
 * that it cannot have. */
enum status idle_settings_take(struct planning *planning, const struct setting *setting,
                               bool *is_idle);
