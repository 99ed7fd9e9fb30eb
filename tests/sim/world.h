/*
 * world.h - a whole job in one thread and virtual time, from one seed.
 *
 *     events by time:  a frame or a close arrives, a tick, a piece of work is
 *                      done, somebody crashes, freezes, thaws, starts
 *
 * Frames on one connection keep their order; everything else may overtake.
 * The launcher is played too: it starts workers and masters again after a
 * while, and replaces a worker that the master takes for dead, sometimes
 * without killing the old one, which later thaws as a zombie. So does a frozen
 * master: the store refuses what it then writes. Workers that are
 * asked to go hand their work back, half of them while their successor is there
 * already, and half of them announced to the master before; where nothing worse happens, no row is
 * computed twice. Bits of the workers' memories are inverted, and some workers are of another
 * build. The work of a worker may stand still while its process lives and says so. Two workers may
 * be unable to reach each other, in one direction or in both, for a while or for ever: the job ends
 * with those who can.
 */
#pragma once

#include "runtime/role/outbox.h"
#include "tests/sim/oracle.h"

struct world_plan {
    uint64_t seed;
    uint32_t workers;
    uint32_t min_workers;
    uint32_t crashes, master_crashes, freezes, cuts, late_joins; /* how many of each */
    uint32_t leaves;                                             /* SIGTERMs */
    uint32_t ends;                                               /* ends of everything at once */
    int64_t checkpoint_ms;                                       /* 0: none are made */
    uint32_t switch_cuts;   /* percent of the changes of groups in which members lose each other */
    uint32_t store_trouble; /* percent of the store's calls for checkpoints that fail */
    uint32_t flips;         /* inverted bits: in weights and sums, and in rows where nobody goes */
    uint32_t other_builds;  /* percent of the workers that start are of another build */
    uint32_t hangs;         /* hangs of a worker's work, whose process lives */
    uint32_t parts;         /* pairs of workers that cannot reach each other for some time */
    uint32_t slow_stores;   /* calls of the master's store that take seconds */
    uint32_t unables;       /* percent of the workers that start and cannot open their rows */
    uint32_t starves;       /* times that a worker runs out of memory in a step */
    uint32_t segment_least; /* elements that are worth an owner */
    bool damages;           /* sometimes a stored checkpoint is damaged while nobody runs */
    int64_t span_us;        /* in which they happen */
    int64_t measure_ms;     /* a number of workers is measured for so long; 0: none is */
    int64_t learn_ms;       /* after which the workers are told to end; 0: never */
    /* The time of a lane on a worker, about: it wavers, as where others use the same processors. 0:
     * each time another, and in a third of the worlds one worker is much slower. */
    int64_t lane_us;
    uint32_t slow_times; /* then worker 0 takes so many times as long */
    bool verbose;
};

/* Events that this simulation promises to make happen over many seeds. */
#define WORLD_FAULT_MAP(X)                                                                         \
    X(CRASH, "a worker crashes")                                                                   \
    X(MASTER_CRASH, "a master crashes")                                                            \
    X(FREEZE, "a worker freezes and thaws")                                                        \
    X(MASTER_FREEZE, "a master freezes and thaws")                                                 \
    X(MASTER_TWICE, "a second master starts beside one that is frozen")                            \
    X(STALE_MASTER, "a master that another has followed is refused by the store")                  \
    X(ZOMBIE, "a worker that was replaced lives on")                                               \
    X(HANG, "the work of a worker stands still while its process lives")                           \
    X(HANG_FOUND, "the master takes a worker for one that hangs")                                  \
    X(FLIP_WEIGHTS, "a bit of a worker's weights is inverted")                                     \
    X(FLIP_SUMS, "a bit of a worker's sums is inverted")                                           \
    X(FLIP_ROWS, "a bit of a worker's rows is inverted")                                           \
    X(FLIP_COMPUTED, "a worker computes something wrong")                                          \
    X(DAMAGE_FOUND, "a worker's memory is found to be damaged")                                    \
    X(OTHER_BUILD, "a worker of another build starts")                                             \
    X(REFUSED_BUILD, "a worker of another build stands by")                                        \
    X(CUT, "a connection is cut")                                                                  \
    X(CUT_LOSS, "what was on its way in a connection is lost with it")                             \
    X(SWITCH_CUT, "two members are cut while the group changes")                                   \
    X(APART, "two workers cannot reach each other")                                                \
    X(APART_ONE_WAY, "one worker cannot connect to another, which can connect to it")              \
    X(APART_SILENTLY, "what is sent to a worker that cannot be reached is lost without a word")    \
    X(APART_FOR_EVER, "two workers never reach each other again")                                  \
    X(STANDS_BY, "a worker stands by because it cannot reach another")                             \
    X(MEASURED, "half of the workers stand by, to see how fast the others are")                    \
    X(LEAVE, "a worker is asked to go")                                                            \
    X(ANNOUNCED, "the master hears before the worker that it will be asked to go")                 \
    X(SUCCESSOR, "the successor of a worker that goes is there before it has gone")                \
    X(LATE_JOIN, "a worker joins late")                                                            \
    X(END_ALL, "everything ends but the store")                                                    \
    X(STORE_TROUBLE, "the store refuses a piece of a checkpoint or its end")                       \
    X(SLOW_STORE, "a call of the master's store takes seconds, and nobody replaces the master")    \
    X(UNABLE, "a worker cannot open its rows")                                                     \
    X(LOAD, "rows come to a worker while others wait for it")                                      \
    X(LOAD_MOVED, "rows come to a worker that another one had before")                             \
    X(LOAD_FAILED, "rows that a worker needs for a step cannot be read")                           \
    X(STARVE, "a worker runs out of memory in a step")                                             \
    X(DAMAGE, "a stored checkpoint is damaged")                                                    \
    X(SLOW, "a worker is 40 times slower")                                                         \
    X(RELAY, "rank 0 is asked for a state that it is still to get from another member")            \
    X(RESTORE, "a job continues from a checkpoint")                                                \
    X(REFUSAL, "a checkpoint is refused")

enum world_fault {
#define X(name, text) WORLD_FAULT_##name,
    WORLD_FAULT_MAP(X)
#undef X
        WORLD_FAULTS
};

struct world_result {
    bool is_stopped; /* before its end, as the time was over */
    uint64_t frames, groups, checkpoints, end_us;
    uint32_t lanes_of_first; /* lanes of worker 0 at the end */
    uint64_t connections;    /* connections between workers that were ever opened */
    uint64_t faults[WORLD_FAULTS];
    struct result_row results[LEARNER_METRICS_MAX]; /* results in the store at the end */
    size_t result_count;
};

/* The job ends as the oracle says. Otherwise FAILED with what was seen. */
enum status world_run(const struct world_plan *plan, const struct subject *subject,
                      const struct oracle *oracle, struct world_result *result, struct error *err);
