/*
 * score_world.h - one job that scores a table, by its real roles, from one seed.
 *
 *     dispatcher (runtime/dispatch.h) <--frames--> scorers (runtime/scorer_role.h)
 *          |                                           |
 *        store: rows that are settled               toy: a value a row, death over some
 *
 * The world plays sockets, clock, store and launcher. Frames of a connection keep
 * their order, everything else may overtake. Scorers are killed, asked to go, freeze
 * and thaw as zombies, are slow, and die over certain rows; connections are cut;
 * dispatchers are killed before and after a transaction, and freeze while another
 * takes over.
 *
 * Checked: each row has its own value once, or is bad once; the bad rows are
 * those that kill; what a stale dispatcher writes is refused; the job ends, where it
 * may not have bad rows with an error that names one.
 */
#ifndef SIM_SCORE_WORLD_H
#define SIM_SCORE_WORLD_H

#include "base/error.h"

struct score_plan {
    uint64_t seed;
    uint32_t rows, shard_rows, workers, min_workers, leases_per_worker;
    uint32_t deadly_rows;  /* at most */
    uint32_t slow_workers; /* 30 times slower: the first ones */
    bool keeps_bad_rows;
    int64_t span_ms; /* mishaps happen within it */
    uint32_t kills;  /* of scorers, none of their rows' fault: at most 3 */
    uint32_t leaves, freezes, cuts, master_kills, master_freezes, torn_stores;
    bool verbose;
};

/* What happened, for whoever wants to know that it did. */
struct score_result {
    uint64_t frames, leases, backups, late, crashed, returned, bad, replaced, masters,
        stale_masters, failed;
};

enum status score_world_run(const struct score_plan *plan, struct score_result *result,
                            struct error *err);

#endif
