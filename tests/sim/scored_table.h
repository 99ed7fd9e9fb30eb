/*
 * scored_table.h - what the simulations of a table that is scored share: sim_score, with the real
 * roles, and sim_shards, with the ledger alone over a worse network.
 */
#ifndef TESTS_SIM_SCORED_TABLE_H
#define TESTS_SIM_SCORED_TABLE_H

#include <stdio.h>

#include "base/error.h"

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

/* The first failure of a history stays. */
void history_fails(struct error *failure, int64_t now_ms, const char *what, uint64_t which);

/* A line of a history that is shown, of a world with `now` and a `plan`. */
#define TRACE(world, ...)                                                                          \
    do {                                                                                           \
        if ((world)->plan->table.verbose) {                                                        \
            printf("%8lld ms  ", (long long)(world)->now);                                         \
            printf(__VA_ARGS__);                                                                   \
            putchar('\n');                                                                         \
        }                                                                                          \
    } while (0)

#endif
