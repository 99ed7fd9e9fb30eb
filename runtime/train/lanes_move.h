/*
 * lanes_move.h - which lanes change hands when a group's lanes are dealt again, and when that pays.
 *
 * A lane that moves costs: whoever gets it takes and encodes the rows that its next step needs,
 * which another member has, and what that one took in advance is lost. Each member has consecutive
 * lanes, in the order of ranks, so a boundary between two members that moves can push the next one.
 *
 *     speeds, what each has ----> lanes_settle ------> the dealing whose steps and moves take the
 *                                                      least time together
 *     gain, moves, measured ----> lanes_should_move    is it more than an accident of measuring?
 *
 * Pure functions; times are arguments.
 */
#pragma once

#include "base/error.h"
#include "runtime/train/lanes.h"

/* By rank: what is known of the members of a group. */
struct lanes_group {
    uint32_t lanes, count;   /* lanes; members, at most as many */
    const double *speeds;    /* (count), lanes per any unit of time, above 0 */
    const struct share *had; /* (count): the lanes of each until now; count 0: none */
    uint32_t least;          /* lanes of each member: 0 or 1 */
};

/*
 * counts (group->count): of the dealings that are hardly slower than lanes_deal_fairly's, and of
 * some that are slower, the one whose step takes the least time when each lane that moves adds
 * `price` times the step of the fairest to it; of those the one nearest to the fairest. A price of
 * 0: the fairest, or one as fast in which fewer lanes move. Where nobody had a lane it is the
 * fairest. NO_MEMORY. O(members * lanes) of memory, O(lanes^2) of time.
 */
enum status lanes_settle(const struct lanes_group *group, double price, uint32_t *counts,
                         struct error *err);

/* How many lanes are with another member than before, or were with none. */
uint32_t lanes_moved(const struct lanes_group *group, const uint32_t *counts);

/* The facts about a dealing that is to follow the present one. */
struct lanes_case {
    double gain;     /* the share of a step's time that it saves */
    double move_ms;  /* time of its moves */
    double left_ms;  /* time left for the job, in steps as they are now */
    double known_ms; /* for how long speeds were measured since lanes moved for such a reason */
};

/*
 * It pays when the steps that are left gain more than it costs. That is believed when the steps
 * that were measured have lost LANES_EVIDENCE times as much: speeds of processes that share
 * processors differ for a while and then the other way round, and a move for each such difference
 * would cost more than all of them. So moves cost at most a third of what uneven lanes have cost.
 * A member that holds up the steps by LANES_GAIN_SLOW is slow, and no accident: then
 * LANES_EVIDENCE_SLOW_MS of loss are enough.
 */
#define LANES_EVIDENCE         3
#define LANES_GAIN_SLOW        0.45
#define LANES_EVIDENCE_SLOW_MS 500
bool lanes_should_move(const struct lanes_case *about);
