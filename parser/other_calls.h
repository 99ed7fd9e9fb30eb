/*
 * other_calls.h - functions of other tools, and what is written here: ML.WEIGHTS(MODEL m) of
 * BigQuery, pgml.deploy(...), madlib.linregr_train(...), m!FORECAST(...) of Snowflake.
 *
 * The database refuses them. No statement is made of them: the hint names one.
 */
#pragma once

#include "base/error.h"

/* True: the statement calls such a function, and there is a hint now. The call holds `position`,
 * that of the error, unless it is -1, and is of schema `only`, unless that is empty: users may have
 * functions of their own with these names. */
bool other_calls_hint(struct slice text, int position, struct slice only, struct error *err);
