/*
 * server_world.h - one job whose weights lie on parameter servers, by its real roles, from one
 * seed.
 *
 *     master: leases of shards (runtime/ps/master/shard_board.h)
 *        |  \
 *     workers (runtime/ps/worker/push_worker.h) <--frames--> servers
 * (runtime/ps/server/server_role.h) |                                               | toy: rows of
 * a batch, gradients of 1            store: the last snapshot of each server
 *
 * The world plays sockets, clock, stores, launcher, and the master's part of a connection. Frames
 * of a connection keep their order, everything else may overtake. Workers, servers and masters are
 * killed, freeze and thaw as zombies, and are slow; connections are cut; a server goes on from its
 * last snapshot. Another number of servers is wanted now and then. In some worlds the rows of one
 * server are selected more often, so that they move to others.
 *
 * With SGD at a rate of 1, weights that start at 0 and gradients of 1 a row's weight is minus the
 * number of batches that were counted in it. Checked at the end: each row has each of its batches
 * once, and how many rows of data selected it; all shards are counted whole on all servers; and the
 * state that a worker has collected for the job's checkpoint is the rows of these servers.
 * Where lanes take steps together, gradients are numbers whose sum depends on the order, and each
 * row that a worker pulls, each row of a server at each check, and the state at last are to the bit
 * what one loop over all steps makes them (step_states). Logs of steps may be lost with their
 * machine.
 *
 * After each change of the layout, and at the end, a server has the rows of its own buckets and no
 * others. Checked all along: no worker is further ahead than the staleness allows, and a snapshot
 * that was taken while rows were pushed has as many batches as its counts say.
 */
#pragma once

#include "base/error.h"

struct server_plan {
    uint64_t seed;
    uint32_t workers, servers;
    uint32_t shards, epochs, batches;
    uint32_t ids;        /* ids in each table */
    uint32_t batch_rows; /* ids of a batch, at most */
    uint32_t staleness, min_count;
    uint32_t lanes;  /* lanes in step, of which `shards` is a multiple; 0: none take steps */
    bool loses_logs; /* a server's store may have lost its last steps, or all, when it starts */
    uint32_t slow_workers; /* 30 times slower: the first ones */
    int64_t snapshot_ms;
    int64_t span_ms; /* mishaps happen within it */
    uint32_t kills, server_kills, master_kills, freezes, cuts, cut_offs, leaves;
    uint32_t scales;    /* times that another number of servers is wanted */
    uint32_t skew;      /* rows of one server are selected so many times more often; 0: all alike */
    int64_t balance_ms; /* see shard_master.h */
    bool verbose;
};

/* Events that this simulation promises to make happen over many seeds. */
#define SERVER_FAULT_MAP(X)                                                                        \
    X(KILL, "a worker is killed")                                                                  \
    X(SERVER_KILL, "a parameter server is killed")                                                 \
    X(MASTER_KILL, "a master is killed")                                                           \
    X(FREEZE, "a worker freezes and thaws")                                                        \
    X(SERVER_FREEZE, "a parameter server freezes and thaws")                                       \
    X(ZOMBIE, "a process that was replaced lives on")                                              \
    X(STALE_SNAPSHOT, "a server that was replaced writes a snapshot, which is refused")            \
    X(CUT, "a connection is cut")                                                                  \
    X(CUT_OFF, "a worker reaches its servers, but not its master")                                 \
    X(LEAVE, "a worker is asked to go")                                                            \
    X(SLOW, "a worker is 30 times slower")                                                         \
    X(RESTORED, "a server goes on from a snapshot")                                                \
    X(EMPTY, "a server begins again without one")                                                  \
    X(TORN, "a server dies while it takes a snapshot")                                             \
    X(BUSY, "rows are pushed while a snapshot is taken")                                           \
    X(REOPENED, "a shard that was done is opened again")                                           \
    X(REPEATED, "a batch is pushed that is counted already")                                       \
    X(WAITED, "a worker that is ahead waits")                                                      \
    X(LATE, "a shard is done by a roster that is past")                                            \
    X(COLLECTED_ANEW, "what was collected is thrown away and collected again")                     \
    X(MOVE, "rows are about to move to other servers")                                             \
    X(EVENED, "a shard of which servers have counted different batches is evened out")             \
    X(GROWN, "rows have moved to more servers")                                                    \
    X(SHRUNK, "rows have moved to fewer servers")                                                  \
    X(BALANCED, "rows have left a server that is hot")                                             \
    X(BALANCED_ANEW, "rows have left servers that are hot for a second time")                      \
    X(MOVE_GIVEN_UP, "rows that were about to move stay")                                          \
    X(MOVE_SERVER_KILL, "a parameter server is killed while rows move")                            \
    X(MOVE_MASTER_KILL, "a master is killed while rows move")                                      \
    X(MOVE_WORKER_KILL, "a worker is killed while rows move")                                      \
    X(LATE_LAYOUT, "a later master ends the move of the one before it")                            \
    X(USELESS, "the rows of a server are of no use in another layout")                             \
    X(USED, "a server goes on in another layout from a snapshot of the one before")                \
    X(REFUSED, "a worker that goes by another layout, or while rows move, is refused")             \
    X(STEP, "a step that all lanes take together is counted")                                      \
    X(COUNTED_AGAIN, "a server counts the steps of its log again")                                 \
    X(MOVED_AGAIN, "a server goes through a move of rows again that its snapshot has not")         \
    X(READY_AGAIN, "a server has the rows of a move again that was about to end")                  \
    X(WENT_BACK, "a worker pulls the rows before a step that a server has counted")                \
    X(COPIED, "a lane computes with rows that were pulled for another one")                        \
    X(LOST_LOG, "a server has lost steps, and its log")                                            \
    X(ANEW, "all steps are taken again, as a server has lost some")

enum server_fault {
#define X(name, text) SERVER_FAULT_##name,
    SERVER_FAULT_MAP(X)
#undef X
        SERVER_FAULTS
};

struct server_result {
    uint64_t faults[SERVER_FAULTS];
    uint64_t frames, pushes, snapshots, end_ms;
};

enum status server_world_run(const struct server_plan *plan, struct server_result *result,
                             struct error *err);
