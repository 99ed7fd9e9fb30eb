/*
 * score_world.h - one job that scores a table, or stages the rows that it trains with, by its real
 * roles, from one seed.
 *
 *     dispatcher (runtime/score/dispatch.h) <--frames--> scorers (runtime/score/scorer_role.h)
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
 *
 * Where the job stages (`stages`), a row is a shard of the user's table, and the last one is what
 * is settled over all others. A scorer reads a shard on a thread of its own, which goes on when its
 * connection is cut or the scorer ends, and stores it under the shard's key before it sends SCORED.
 * Then the master that trains (runtime/train/master/master.h) comes in the dispatcher's place; it
 * is also what later masters start.
 *
 * Checked: a shard is stored before it is done, and done once; the last one is leased, read and
 * stored after all others; no death is blamed on a shard; each scorer that lives hears that all is
 * staged; the job does not end by it.
 */
#pragma once

#include "base/error.h"
#include "tests/sim/scored_table.h"

struct score_plan {
    struct table_plan table;
    uint32_t min_workers;
    bool keeps_bad_rows;
    bool stages;    /* the rows of a job that trains; none of them is deadly */
    uint32_t kills; /* kills of scorers, none by a row: at most 3, where rows are scored */
    uint32_t leaves, cuts;
    uint32_t unsaid; /* deaths between storing a shard and sending so, at most */
};

/* Events that this simulation promises to make happen over many seeds. */
#define SCORE_FAULT_MAP(X)                                                                         \
    X(KILL, "a scorer is killed")                                                                  \
    X(DEADLY_ROW, "a row kills the scorer")                                                        \
    X(LEAVE, "a scorer is asked to go")                                                            \
    X(FREEZE, "a scorer freezes and thaws")                                                        \
    X(ZOMBIE, "a scorer that was replaced lives for a while")                                      \
    X(CUT, "a connection is cut")                                                                  \
    X(MASTER_KILL, "a dispatcher is killed")                                                       \
    X(MASTER_FREEZE, "a dispatcher freezes")                                                       \
    X(MASTER_TWICE, "a second dispatcher starts beside one that is frozen")                        \
    X(TORN_STORE, "a dispatcher dies in a transaction that is not stored")                         \
    X(TORN_AFTER, "a dispatcher dies right after a transaction was stored")                        \
    X(SLOW, "a scorer is 30 times slower")                                                         \
    X(BACKUP, "a lease is given to a second scorer")                                               \
    X(LATE, "a result comes too late")                                                             \
    X(CRASHED, "a lease ends with its scorer's death")                                             \
    X(RETURNED, "a lease is given back")                                                           \
    X(BAD, "a row is found to be bad")                                                             \
    X(FAILED, "a job fails over a bad row")                                                        \
    X(REPLACED, "the dispatcher asks for another scorer")                                          \
    X(STALE_MASTER, "a dispatcher writes that another has followed")                               \
    X(KEY, "a scorer stores a shard that is stored already")                                       \
    X(UNSAID, "a scorer dies between storing a shard and sending that it is done")                 \
    X(STAGED, "a scorer hears that all shards are staged")                                         \
    X(STAGED_LATER, "a scorer that was away asks the master that trains already")

enum score_fault {
#define X(name, text) SCORE_FAULT_##name,
    SCORE_FAULT_MAP(X)
#undef X
        SCORE_FAULTS
};

struct score_result {
    uint64_t faults[SCORE_FAULTS];
    uint64_t frames, leases, backups, late, crashed, returned, bad, replaced, masters,
        stale_masters, failed;
};

enum status score_world_run(const struct score_plan *plan, struct score_result *result,
                            struct error *err);
