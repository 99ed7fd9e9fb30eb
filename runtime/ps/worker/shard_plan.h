/*
 * shard_plan.h - how a job over parameter servers is cut into shards and batches.
 *
 *     epoch: shard 0 | shard 1 | ... | shard shards_per_epoch - 1, of `batches` batches each
 *
 * Master, workers and servers ask for it by themselves and get the same, on whatever machine they
 * are: it is a function of the spec and of the rows alone.
 *
 * Where lanes take steps together (server_steps.h), a step is one batch of each lane, all lanes
 * have a shard at a time, and neither workers nor servers have a say in it.
 *
 * A shard is what is lost with a worker, what a worker has in memory, and what is asked for at the
 * master: some batches. Where an epoch has enough of them there are a few shards for each worker
 * that the job may have, so that a slow one is not waited for at its end.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

#define SHARD_BATCHES_MOST 32 /* unless an epoch would have too many shards */
#define SHARDS_PER_WORKER  4  /* shards of an epoch, at least */

struct jobspec;

/* Lanes of a step; 0: workers go by themselves. */
uint32_t shard_plan_lanes(const struct jobspec *spec);

struct shard_plan {
    uint32_t shards_per_epoch, epochs; /* 1 at least; SHARDS_MAX shards at most (shard_counts.h) */
    uint32_t batches;                  /* batches of each shard; 1 at least */
    uint32_t lanes;                    /* lanes of a step; 0: each batch is one */
    uint64_t steps;                    /* at most SERVER_CLOCK_MAX (server_role.h) */
    uint64_t rows;                     /* rows of an epoch */
};

/* INVALID without rows. LIMIT for more batches than a server counts. */
enum status shard_plan_of(const struct jobspec *spec, uint64_t train_rows, struct shard_plan *plan,
                          struct error *err);
