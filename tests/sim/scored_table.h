/*
 * scored_table.h - what the simulations of a table that is scored share: sim_score, with the real
 * roles, and sim_shards, with the ledger alone over a worse network.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The part of a plan that both have. */
struct table_plan {
    uint64_t seed;
    uint32_t rows, shard_rows, workers, leases_per_worker;
    uint32_t deadly_rows;  /* at most */
    uint32_t slow_workers; /* 30 times slower: the first ones */
    int64_t span_ms;       /* mishaps happen within it */
    uint32_t freezes, master_kills, master_freezes, torn_stores;
    bool verbose;
};

/* One seed in eight is calm; every other kind of mishap comes and stays away by itself. Each
 * simulation has a stream of its own (seeds_pick), of which the numbers 0 to 7 and 14 to 20 are
 * drawn here. */
struct table_plan table_plan_of(uint64_t seed, uint64_t stream, bool verbose);
bool table_is_calm(const struct table_plan *plan);
