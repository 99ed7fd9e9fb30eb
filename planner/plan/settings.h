/*
 * settings.h - the checked settings of a statement (settings_read.h).
 */
#pragma once

#include "planner/plan/planning.h"

const struct setting *settings_find(const struct planning *planning, const char *attribute);
/* Is a setting of a BOOLEAN attribute, which takes 0 and 1 as well, true? */
bool setting_is_true(const struct setting *setting);
/* Where a byte of a setting's text stands in the statement: in the string, where its bytes are
 * those of the statement, else where that begins. A negative one: where it begins. */
int setting_place(const struct setting *setting, int position);
