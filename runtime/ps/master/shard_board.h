/*
 * shard_board.h - which shards of the rows are to be done, by whom, and which are done, where
 * parameter servers count batches.
 *
 *     OPEN --claim--> LEASED --done--> DONE        share: LEASED to one more
 *      ^                |               |
 *      +---- take back -+               |
 *      +---- reopen: a new process of a server has not counted all of its batches
 *
 * The lowest shard that is to be done comes first, so that epochs follow each other. An id of a
 * lease is never used again. A shard may be leased while somebody else still works on it: servers
 * count each batch once (shard_counts.h). So when no shard is open any more, who has nothing to do
 * shares one with a worker that may be slow, and whoever is first has done it.
 *
 * Pure.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct shard_board_options {
    uint32_t shards_per_epoch, epochs; /* 1 at least */
    uint32_t batches;                  /* batches of a shard */
    uint64_t first_lease;              /* the id of the first; each takes the next */
};

struct board_lease {
    uint64_t id; /* 0: it is not leased */
    uint32_t shard, worker;
};

struct shard_board {
    struct shard_board_options options;
    uint32_t shards, done;
    uint8_t *states;            /* (shards) */
    uint32_t lowest;            /* no shard below it is to be done */
    uint32_t to_do;             /* all shards below it are done */
    struct board_lease *leases; /* (lease_count), in the order of their ids */
    uint32_t lease_count, lease_room;
    uint64_t next_lease;
    uint64_t reopened; /* shards, ever */
};

/* LIMIT for more than SHARDS_MAX shards. */
enum status shard_board_init(struct shard_board *board, const struct shard_board_options *options,
                             struct error *err);
void shard_board_deinit(struct shard_board *board);

/* False: nothing is to be done now. NO_MEMORY counts as that. */
bool shard_board_claim(struct shard_board *board, uint32_t worker, struct board_lease *lease);
/* The lowest shard that is not done; `shards`: all are. */
uint32_t shard_board_first_to_do(struct shard_board *board);
/* It is to be done, and nobody has it. */
bool shard_board_is_open(const struct shard_board *board, uint32_t shard);
/* Leases this shard; false also where it is leased, or done. */
bool shard_board_claim_shard(struct shard_board *board, uint32_t worker, uint32_t shard,
                             struct board_lease *lease);
/* A shard that one other worker has, when none is open: one that it has not begun, where there is
 * one, and of these the one leased first. False: there is none, or NO_MEMORY. */
bool shard_board_share(struct shard_board *board, uint32_t worker, struct board_lease *lease);
/* All leases of its shard end. False: there is no such lease any more. */
bool shard_board_finish(struct shard_board *board, uint64_t id);
/* The lease, or all of a worker's: their shards are to be done again, unless another has them. */
void shard_board_take_back(struct shard_board *board, uint64_t id);
void shard_board_take_back_all(struct shard_board *board, uint32_t worker);

/* Notes the batches that a new process of a server has counted, by shard; shards behind the last
 * count 0. A shard is done, or to be done, by the server that has counted the fewest of its
 * batches: so this is called for each server, and once more for each new process of one. */
void shard_board_reopen(struct shard_board *board, const uint32_t *counted, uint32_t count);
/* Shards from this one on: what was done of them may be lost. */
void shard_board_reopen_from(struct shard_board *board, uint32_t first);

bool shard_board_is_finished(const struct shard_board *board);
