/*
 * dependence_run.h - SELECT ... TO EXPLAIN model USING partial_dependence
 * (scoring/explanations/dependence.h).
 *
 *     input, value, word, class, prediction         a row for each point of a column, and class
 *     input, value, word, class, row, prediction    with explain.individual: also one for each of
 *                                                   the rows, which `row` counts from 1 in the
 *                                                   order of their hashes; NULL: the mean
 *
 * `value` is that of a number, `word` that of a category. `class` is NULL of a number; of two
 * classes it is the positive one.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

#define DEPENDENCE_ROWS_MAX 500000 /* rows of the result */

enum status dependence_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                               size_t *count, struct error *err);
enum status dependence_run(const struct host *host, const struct plan *plan,
                           const struct model *model, struct arena *arena, const struct sink *sink,
                           struct error *err);
