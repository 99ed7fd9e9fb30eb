/*
 * settings_read.h - WITH -> a table of checked settings.
 */
#pragma once

#include "planner/plan/planning.h"

enum status settings_read(struct planning *planning, unsigned scope);
