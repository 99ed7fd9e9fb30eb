/*
 * row_order.h - rows sorted by a random key made from their hash.
 *
 * By (random(seed, purpose, a, hash), hash): a function of the set of rows
 * alone. Rows that tie have the same hash, that is the same cells.
 */
#pragma once

#include "base/process/team.h"
#include "base/random.h"
#include "runtime/data/spool/spool.h"

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
/* The same of `count` rows, by the caller alone; their numbers begin with `first`. space:
 * (2 * count). */
void row_order_run(const struct row_key *key, const struct row_hash *hashes, uint32_t count,
                   uint32_t first, uint64_t *space, uint32_t *order);

/* Marks the first `count` of all rows' order, without sorting them: is_first (rows), 1 or 0.
 * space: (row_order_space). */
void row_order_mark(const struct row_key *key, const struct row_hash *hashes, uint32_t rows,
                    uint32_t count, struct team *team, uint64_t *space, uint8_t *is_first);

/* The random key itself. Of purposes of groups it is the same for all rows of a group. */
uint64_t row_key_bits(const struct row_key *key, const struct row_hash *hash);

/* The key that gives rows to lanes, and the one that holds them out. */
static inline struct row_key row_key_of_lane(uint64_t seed, bool by_group)
{
    return (struct row_key){seed, by_group ? RANDOM_GROUP_LANE : RANDOM_LANE, 0};
}
static inline struct row_key row_key_of_held_out(uint64_t seed, bool by_group)
{
    return (struct row_key){seed, by_group ? RANDOM_GROUP_HELD_OUT : RANDOM_HELD_OUT, 0};
}

/* ----- which rows are told apart ----- */

static inline bool row_hashes_equal(const struct row_hash *a, const struct row_hash *b)
{
    return a->low == b->low && a->high == b->high;
}

/* Hash of a row that equals so many rows before it: 1 or more. */
struct row_hash row_hash_of_copy(const struct row_hash *hash, uint64_t number);
