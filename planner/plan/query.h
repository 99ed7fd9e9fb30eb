/*
 * query.h - the columns of the query, found by the names of a statement.
 */
#pragma once

#include "planner/plan/planning.h"

enum status query_describe(struct planning *planning);
/* Copy all names into the arena, terminated. */
enum status query_keep(struct planning *planning, struct query *query);
/* The column of this name: exact first, then case ignored. -1: none; -2: more than one. */
int query_find(const struct query *query, struct slice name);
/* The same among the elements of vectors, too: v[1]. */
int query_find_input(const struct query *query, struct slice name);
/* Does the same as query_find, with `column "x" is not among the columns of the query` at the
 * position. `what` stands before the word: "label ". */
enum status query_resolve(const struct query *query, const char *what, struct slice name,
                          int position, int *column, struct error *err);
/* A column whose cells are blobs or arrays: the message, without a hint. */
void query_refuse_binary(const struct planning *planning, const char *what,
                         const struct query_column *column, int position);
/* The word for rows that were counted: "sampled rows" or "rows". */
const char *query_rows_word(const struct query *query);
/* INVALID when two columns share a name. */
enum status query_check_distinct(struct planning *planning);
enum status slice_keep(struct planning *planning, struct slice from, struct slice *to);
/* Keeps a name as the database reads it. */
enum status name_keep(struct planning *planning, const struct name *from, struct slice *to);
