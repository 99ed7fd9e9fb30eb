/*
 * column_except.h - the columns that EXCEPT takes out of the * of a COLUMN clause.
 *
 *     COLUMN * EXCEPT (a, 'b_.*', LIKE 'tmp_%'), EMBEDDING(a, 8)
 *              |                                 |
 *              what * does not take              what is named elsewhere is an input all the same
 *
 * EXCLUDE, as DuckDB has it, is the same word.
 */
#pragma once

#include "planner/columns/column_choice.h"

/* excepted (columns of the query), in the arena: those behind EXCEPT of this *; none where it has
 * no EXCEPT. The label and columns of roles may be among them. INVALID at a name that no column
 * has, and at a pattern that fits none. */
enum status column_except_find(struct planning *planning, const struct column *all,
                               bool **excepted);
/* Keep in the plan which columns no clause takes after all, for EXPLAIN. */
enum status column_except_keep(struct planning *planning, const struct choices *choices);
