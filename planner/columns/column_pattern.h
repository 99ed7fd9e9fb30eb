/*
 * column_pattern.h - the columns of a query whose names a pattern of a COLUMN clause fits.
 *
 *     COLUMN 'sepal_.*', "petal_.*"          regular expressions, over whole names
 *     COLUMN * EXCEPT (LIKE 'tmp_%')         % is any characters, _ is one, \% and \_ are
 * themselves
 *
 * A regular expression tells capitals from small letters; LIKE does not, as names are found in
 * either.
 */
#pragma once

#include "planner/plan/planning.h"

/* Is it written in double quotes, and no name of a column, but a regular expression? A string
 * without any sign of one is a mistyped name. */
bool column_is_quoted_pattern(const struct query *query, const struct column *column);
/* matched (columns of the query), in the arena: whose names the pattern fits, or LIKE. INVALID at
 * the pattern where it is no regular expression, or one that could cost any amount of time. */
enum status column_pattern_match(struct planning *planning, const struct column *column,
                                 bool **matched);
