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
 * computed twice.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim/oracle.h"

struct world_plan {
    uint64_t seed;
    uint32_t workers;
    uint32_t min_workers;
    uint32_t crashes, master_crashes, freezes, cuts, late_joins; /* how many of each */
    uint32_t leaves;                                             /* SIGTERMs */
    uint32_t ends;                                               /* of everything at once */
    int64_t checkpoint_ms;                                       /* 0: none are made */
    uint32_t switch_cuts;   /* percent of the changes of groups in which members lose each other */
    uint32_t store_trouble; /* percent of the store's calls for checkpoints that fail */
    bool damages;           /* sometimes a stored checkpoint is damaged while nobody runs */
    int64_t span_us;        /* in which they happen */
    bool verbose;
};

struct world_result {
    uint64_t frames, groups, checkpoints, restores, refusals, end_us;
};

/* The job ends as the oracle says. Otherwise FAILED with what was seen. */
enum status world_run(const struct world_plan *plan, const struct subject *subject,
                      const struct oracle *oracle, struct world_result *result, struct error *err);

#endif
