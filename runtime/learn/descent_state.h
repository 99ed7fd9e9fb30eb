/*
 * descent_state.h - the state of a learner, read and taken by pieces (learner_state.h).
 */
#ifndef RUNTIME_LEARN_DESCENT_STATE_H
#define RUNTIME_LEARN_DESCENT_STATE_H

#include "runtime/learn/descent_parts.h"

/* A hash of all that the learned bits depend on. */
enum status descent_compute_fingerprint(const struct descent *descent, uint64_t *fingerprint,
                                        struct error *err);

/* ----- what struct learning asks (learning.h); self: a struct descent ----- */

enum status descent_state_head(const void *self, struct text *head, struct error *err);
uint64_t descent_state_bytes(const void *self);
void descent_state_read(const void *self, uint64_t offset, size_t size, char *bytes);
enum status descent_take_begin(void *self, struct slice head, uint64_t body_bytes,
                               struct error *err);
void descent_take_piece(void *self, uint64_t offset, struct slice bytes);
enum status descent_take_end(void *self, struct error *err);
void descent_take_abandon(void *self);
void descent_take_weights(void *self, uint64_t first, const float *values, uint64_t count);
void descent_end_learning(void *self);

#endif
