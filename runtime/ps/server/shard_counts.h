/*
 * shard_counts.h - which batches of which shards a parameter server has counted.
 *
 * A shard is some rows of one epoch, counted over all epochs; its batches are pushed in order, so
 * that one number a shard says which are counted: those below it. A batch that is pushed again, by
 * whomever, is not counted again. The numbers are part of each snapshot of the rows.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

#define SHARDS_MAX (1u << 22)

struct shard_counts {
    uint32_t *batches; /* (count) */
    uint32_t count, room;
};

/* Batches of the shard that are counted. */
uint32_t shard_counts_of(const struct shard_counts *counts, uint64_t shard);
/* One more. LIMIT for a shard beyond SHARDS_MAX, NO_MEMORY: nothing is counted. */
enum status shard_counts_add(struct shard_counts *counts, uint64_t shard, struct error *err);
/* The numbers as little-endian integers of 4 bytes, in a message and in a snapshot. */
struct slice shard_counts_bytes(const struct shard_counts *counts);
/* In place of all. CORRUPT for more than SHARDS_MAX, or half a number. */
enum status shard_counts_read(struct shard_counts *counts, struct slice bytes, struct error *err);
void shard_counts_deinit(struct shard_counts *counts);
