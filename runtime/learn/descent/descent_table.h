/*
 * descent_table.h - a large table of weights, of which a step moves the touched rows alone.
 *
 * A tensor with rows is such a table where it has TABLE_ROWS_LEAST (params/terms.h) of them and at
 * least twice as many as a step has rows of data: a step of 128 rows moves some 100 of 50,000
 * words. It depends on the job and its rows alone, and so do the learned bits.
 *
 * A row that no row of the batch selects has no gradient, and stays as it is. When it is moved next
 * it has the penalty of all steps since it was moved last (row_steps), so that l1 and l2 weigh as
 * much against the data as they do on other weights: the optimizer goes by the rule for such rows
 * (optimizer.h). With an optimizer that has none the tensor is moved like all others.
 * docs/learning.md says what it is compared with.
 *
 * The sums of the table lie behind those of the other tensors (learning.h). Its words are known by
 * row: of a step only the rows are looked at that it reads.
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

/* The most of l1 and l2. With a greater one the table is moved like all other weights: so few rows
 * have words that no step selects, whose weights the penalty would take to 0. */
#define TABLE_PENALTY_MOST 2e-3

/* Sets `table` and `sums_at` once the batch is known. */
void descent_table_choose(struct descent *descent);
enum status descent_table_init(struct descent *descent, struct error *err);
void descent_table_deinit(struct descent *descent);

uint32_t descent_table_rows(const struct descent *descent); /* 0: there is none */
/* The table in a step of so many rows. */
struct phase_table descent_table_of_step(const struct descent *descent, uint64_t rows);

/* The slots of the parameters from one on; NULL where the optimizer keeps none. */
struct descent_slots {
    float *at[OPTIMIZER_SLOTS_MAX];
};
struct descent_slots descent_slots_at(const struct descent *descent, size_t parameter);

/* The greatest of the gradient's rows, as in fixed_point.h. */
uint32_t descent_table_greatest(const struct descent *descent, const struct phase_totals *totals);
/* Moves the touched rows, by their gradient. CORRUPT when something else was read than was written
 * last. */
enum status descent_table_update(struct descent *descent, const struct optimizer_step *dense,
                                 const struct optimizer_step *linear,
                                 const struct phase_totals *totals, const float *gradient,
                                 struct error *err);

/* The table was just written. */
void descent_table_guard(struct descent *descent);
/* Whether these rows' weights are what was written last. */
bool descent_table_is_intact(const struct descent *descent, const struct touched_rows *rows);
/* The sum of the words of all other parameters. */
uint32_t descent_table_sum_others(const struct descent *descent);
