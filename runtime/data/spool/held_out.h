/*
 * held_out.h - how many rows of each class are held out for validation, and which.
 *
 * A share of all rows, at least one and never all of two or more, and none of too few rows. Rows of
 * a classification are held out class by class: each class gives its share, so that a rare class is
 * measured, too, and at least one of its rows is learned from. What is left when each share has
 * been rounded down goes to the classes with the greatest remainders, of a half or more: where
 * there are many classes of few rows each less than the share is held out. The held-out rows of a
 * class are those that come first by a random key of the seed and the row's hash: a function of the
 * set of rows alone.
 *
 * Where rows have groups a group is held out whole: those whose key of the group is below the
 * share, so about as many rows as that; none where that would be all, or where there are too few
 * rows. The group is the upper half of its rows' hashes.
 *
 * A row's class is told by some bits of its hash, its stratum, so that rows can be counted by
 * class where nothing but their hashes is read. Two classes that share a stratum, one pair of
 * 65,536, give their share together.
 */
#pragma once

#include "base/error.h"
#include "runtime/data/spool/spool.h"

/* The hash with the stratum of a class: the class as bytes. */
struct row_hash row_hash_of_class(const struct row_hash *hash, struct slice class_bytes);
/* The hash with that of a group's value: the value as bytes. */
struct row_hash row_hash_of_group(const struct row_hash *hash, struct slice group_bytes);
/* row_hash_of_copy, of the same class and group. */
struct row_hash held_out_hash_of_copy(const struct spool_held_out *rule,
                                      const struct row_hash *hash, uint64_t number);

/* How many strata there are: 1 where the rows have no classes. */
static inline uint32_t held_out_strata(const struct spool_held_out *rule)
{
    return rule->by_class ? 1u << ROW_STRATUM_BITS : 1;
}

static inline uint32_t held_out_stratum(const struct spool_held_out *rule,
                                        const struct row_hash *hash)
{
    return rule->by_class ? row_hash_stratum(hash) : 0;
}

/* Rows whose random key is below it are held out, if the classes have about as many as expected. */
uint64_t held_out_below(const struct spool_held_out *rule);

/* rows, quotas: (held_out_strata). How many rows of each stratum are held out; *sum of them.
 * NO_MEMORY. */
enum status held_out_quotas(const struct spool_held_out *rule, const uint64_t *rows,
                            uint64_t *quotas, uint64_t *sum, struct error *err);
