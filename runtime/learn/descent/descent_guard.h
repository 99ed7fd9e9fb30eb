/*
 * descent_guard.h - checks that a learner's memory holds what was written there: a bit that changes
 * by itself is found.
 *
 *     weights, slots   summed as each step reads and writes them: found by the next step at the
 *                      latest, and by explicit checks (before a state is given away, a model made)
 *     derived          a copy of weights: its sum is theirs. Checked when it is written over, and
 *                      before results computed with it leave this worker
 *     rows             runtime/data/dataset/row_store.h; their order: row_lanes.h
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

/* CORRUPT when the step read something else than was written last, but for the table, whose rows it
 * reads by itself (descent_table.h). */
enum status descent_guard_step(struct descent *descent, const struct optimizer_sums *before,
                               const struct optimizer_sums *after, struct error *err);
/* The arrays were written by something else than a step. */
void descent_guard_arrays(struct descent *descent);
void descent_guard_best(struct descent *descent);
/* The derived copy is made anew, over words of that sum: of the copy before. */
void descent_guard_derived(struct descent *descent, uint32_t over);

/* Gives the sums of the state to the frame, whose check they are part of. */
void descent_show_guards(struct descent *descent);

/* ----- functions of struct learner_method ----- */

enum status descent_verify(const void *self, enum learner_look look,
                           const struct touched_rows *rows, struct error *err);
enum status descent_verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err);
