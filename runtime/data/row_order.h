/*
 * row_order.h - rows sorted by a random key made from their hash.
 *
 * By (random(seed, purpose, a, hash), hash): a function of the set of rows
 * alone. Rows that tie have the same hash, that is the same cells.
 */
#ifndef RUNTIME_DATA_ROW_ORDER_H
#define RUNTIME_DATA_ROW_ORDER_H

#include "base/random.h"
#include "base/team.h"
#include "runtime/data/spool.h"

struct row_key {
    uint64_t seed;
    enum random_purpose purpose;
    uint64_t a;
};

/* The numbers of the rows, sorted, into order (rows; NULL: not), by the team. space:
 * (row_order_space); its first `rows` elements hold, in order, the upper half
 * of each row's key above its number. */
size_t row_order_space(uint32_t rows);
void row_order(const struct row_key *key, const struct row_hash *hashes, uint32_t rows,
               struct team *team, uint64_t *space, uint32_t *order);

#endif
