/*
 * trees_state.h - the state of the learner of trees by pieces, as struct learning asks for it: the
 * trees so far, the growing one, and its histograms.
 */
#ifndef RUNTIME_LEARN_TREES_TREES_STATE_H
#define RUNTIME_LEARN_TREES_TREES_STATE_H

#include "runtime/learn/trees/trees_parts.h"

enum status trees_state_head(const void *self, struct text *head, struct error *err);
uint64_t trees_state_bytes(const void *self);
void trees_state_read(const void *self, uint64_t offset, size_t size, char *bytes);
enum status trees_take_begin(void *self, struct slice head, uint64_t body_bytes, struct error *err);
void trees_take_piece(void *self, uint64_t offset, struct slice bytes);
enum status trees_take_end(void *self, struct error *err);
void trees_take_abandon(void *self);
/* ranks: of rankings, whose losses are part of it. */
void trees_put_progress(const struct trees_progress *progress, bool ranks, struct text *out);

/* Sums of what the state is in memory, taken when it is written (of each tree when it is added): a
 * look at it is CORRUPT where it has changed since. All of it, as struct learning has it; what all
 * phases read; and trees [first, end), for whoever is about to lead rows by them, as all of them in
 * each phase would take longer than the phases of a large forest. */
void trees_guard_state(struct trees *trees);
enum status trees_verify(const void *self, struct error *err);
enum status trees_verify_growing(const struct trees *trees, struct error *err);
enum status trees_verify_grown(const struct trees *trees, uint32_t first, uint32_t end,
                               struct error *err);

#endif
