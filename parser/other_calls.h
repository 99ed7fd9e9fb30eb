/*
 * other_calls.h - functions of other tools, and what is written here: ML.WEIGHTS(MODEL m) of
 * BigQuery, pgml.deploy(...), madlib.linregr_train(...), m!FORECAST(...) of Snowflake.
 *
 * The database refuses them. No statement is made of them: the hint names one.
 */
#pragma once

#include "base/error.h"

/* True: the statement, which begins with `text`, calls such a function, and there is a hint now. */
bool other_calls_hint(struct slice text, struct error *err);
