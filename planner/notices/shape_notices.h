/*
 * shape_notices.h - what is said of columns whose words have numbers, dates or times in one shape
 * (scoring/columns/word_shapes.h), and the SQL that makes numbers or dates of them.
 *
 *     the texts of column "age" look like 2 numbers with '-' between them, as '150-155', 38 of 40
 *     different ones, and all are taken as words.
 *     CAST(age AS REAL) AS age_1, CAST(substr(age, instr(age, '-') + 1) AS REAL) AS age_2 ...
 *
 * The SQL is that of the statement's database. Where it would be longer than a hint may be the hint
 * says in words what to do.
 */
#pragma once

#include "planner/plan/plan.h"

/* False: its words have no shape. */
bool note_shape(const struct plan *plan, const struct query_column *column, bool is_left_out);

/* Adds how numbers are made of bounds ("<5") and numbers to the notice added last. */
void hint_bounds(const struct plan *plan, const struct query_column *column);

/* Adds likewise how to keep the number that each text begins with ("68.8[1]"). */
void hint_first_number(const struct plan *plan, const struct query_column *column);

/* The end of a notice on a column of words: "all are taken as words". */
const char *words_become(bool is_left_out);
