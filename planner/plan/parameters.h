/*
 * parameters.h - how large the model of a TRAIN statement gets, and what it costs.
 */
#pragma once

#include "planner/plan/planning.h"

/* Rows of the table of words that an input has at least, before the rows are read. */
double words_known(const struct plan_input *input);
/* The shape of a model as far as it is known before the rows are: a word of each category, and as
 * many classes as the statement says. */
struct kind_shape shape_of(const struct plan *plan);
/* The same with all words that the categories may have. */
struct kind_shape shape_most(const struct plan *plan);
/* The same as is usual by what the sample shows: different values of numbers, words and classes. Of
 * so many training rows; 0: it is not known. */
struct kind_shape shape_expected(const struct plan *plan, double rows);
struct kind_cost cost_of(const struct plan *plan, const struct kind_shape *shape);
/* Passes over so many training rows, as the learner will plan them; 0: the kind has no epochs. */
uint32_t epochs_of(const struct plan *plan, uint64_t rows);
/* Bytes that a worker needs to train a model that costs as much, besides row_bytes of each row. */
double bytes_of(const struct plan *plan, const struct kind_cost *cost);

/* LIMIT at the setting that makes the model larger than a worker can train. */
enum status parameters_check(const struct planning *planning);
/* The same as parameters_check, for a list of numbers that is not in the plan. */
enum status parameters_check_list(const struct planning *planning, const struct setting *list);
void bytes_append(struct text *out, double bytes); /* "5.9 KiB" */
