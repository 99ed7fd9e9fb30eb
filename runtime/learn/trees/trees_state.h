/*
 * trees_state.h - the state of the learner of trees, as struct learner_method asks for it: the
 * trees so far, the growing one, and its histograms.
 */
#pragma once

#include "runtime/learn/trees/trees_parts.h"

struct field_table trees_progress_fields(void);
uint32_t trees_arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX]);
bool trees_is_possible(const void *self, const struct learner_taking *coming);
enum status trees_enter(void *self, const struct learner_taking *taken, struct error *err);
enum status trees_verify(const void *self, enum learner_look look, const struct touched_rows *rows,
                         struct error *err);
/* Writes what the state has of growing tree and quantiles beside their arrays into its fields. */
void trees_note_growing(struct trees *trees);
/* CORRUPT where a bit of the trees [first, end) changed since they were added: for whoever is about
 * to lead rows by them, as all of them in each phase would take longer than the phases of a large
 * forest. */
enum status trees_verify_grown(const struct trees *trees, uint32_t first, uint32_t end,
                               struct error *err);
