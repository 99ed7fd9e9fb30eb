/*
 * deadlines.h - which of many things is due first.
 *
 * A binary heap of keys 0 to capacity - 1, each at most once, that knows where
 * each key lies: a deadline is put, moved or taken away in log2(count) steps.
 * Where deadlines are equal the lower key is first, so that the order is a
 * function of the content.
 */
#ifndef RUNTIME_SCORE_DEADLINES_H
#define RUNTIME_SCORE_DEADLINES_H

#include <stdint.h>

#include "base/error.h"

struct deadlines {
    uint32_t count, capacity;
    uint32_t *heap;   /* (capacity) keys */
    uint32_t *places; /* (capacity) of a key in the heap; DEADLINES_NONE: it is not there */
    int64_t *at;      /* (capacity) by key */
    uint64_t steps;   /* exchanges so far, for tests of the cost */
};

#define DEADLINES_NONE UINT32_MAX

enum status deadlines_init(struct deadlines *deadlines, uint32_t capacity, struct error *err);
void deadlines_deinit(struct deadlines *deadlines);

/* Whether the key was there already or not. */
void deadlines_put(struct deadlines *deadlines, uint32_t key, int64_t at);
void deadlines_remove(struct deadlines *deadlines, uint32_t key); /* the key must be there */
uint32_t deadlines_first(const struct deadlines *deadlines);      /* a key, or DEADLINES_NONE */

#endif
