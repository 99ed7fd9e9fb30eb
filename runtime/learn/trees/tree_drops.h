/*
 * tree_drops.h - dart: which rounds of trees a new round is grown without, and what each weighs
 * then (Rashmi and Gilad-Bachrach, 2015).
 *
 *     weights after round t --random bits of seed and t--> rounds that t + 1 is grown without
 *
 * A round that is grown without k of those before it finds what these had found, so they and it
 * share: with eta the learning rate, which is in the new trees already,
 *
 *     normalize_type     the new round weighs     each dropped one, times
 *     tree               1 / (k + eta)            k / (k + eta)
 *     forest             1 / (1 + eta)            1 / (1 + eta)
 *     lightgbm           1 / (1 + k)              k / (1 + k)
 *
 * as XGBoost and LightGBM have them. All of it follows from the statement alone, so it is no part
 * of the learner's state: it is made again.
 */
#pragma once

#include "base/error.h"
#include "kinds/trees/trees_attributes.h"

struct tree_drops {
    const struct trees_params *params;
    uint64_t seed;
    uint32_t rounds;   /* rounds so far */
    double *weights;   /* (params->rounds): weights of the first `rounds` of them */
    bool *are_dropped; /* (params->rounds): is the next round grown without it? */
    uint32_t dropped;
};

/* Without a round. Borrows params. NO_MEMORY. */
enum status tree_drops_init(struct tree_drops *drops, const struct trees_params *params,
                            uint64_t seed, struct error *err);
void tree_drops_deinit(struct tree_drops *drops);

/* Moves to the state after so many rounds, at most params->rounds. */
void tree_drops_move(struct tree_drops *drops, uint32_t rounds);
