/*
 * random.h - counter-based random numbers.
 *
 * A number is a pure function of (seed, purpose, a, b): no state moves from
 * one draw to the next, so a draw does not depend on which worker makes it or
 * in which order. The function is XXH3-64 over the 32 key bytes.
 */
#pragma once

#include <stdint.h>

enum random_purpose {
    RANDOM_ORDER = 1,      /* a = epoch,  b = row hash */
    RANDOM_HELD_OUT,       /* a = 0,      b = row hash */
    RANDOM_INITIAL,        /* a = tensor, b = element */
    RANDOM_DROPOUT,        /* a = step * layers + layer, b = position in the batch * width + unit */
    RANDOM_SIMULATION,     /* a, b = as the simulator likes */
    RANDOM_SAMPLE,         /* a = 0,      b = row hash */
    RANDOM_TWIN,           /* seed, a = halves of a row hash, b = how many equal rows came before */
    RANDOM_BACKOFF,        /* a = failures in a row, b = of what */
    RANDOM_LANE,           /* a = 0,      b = row hash */
    RANDOM_BUCKET,         /* a = epoch,  b = bucket, counted over all lanes */
    RANDOM_POSITION,       /* seed, a = halves of a row hash, b = where the row lies */
    RANDOM_TREE_COLUMNS,   /* a = tree, b = column */
    RANDOM_LEVEL_COLUMNS,  /* a = level, counted over all trees, b = column */
    RANDOM_NODE_COLUMNS,   /* a = node, counted over all trees, b = column */
    RANDOM_TREE_ROW,       /* a, b = halves of a row hash */
    RANDOM_TREE,           /* a = tree, b = 0 */
    RANDOM_TREE_DROP,      /* a = round, b = a round before it, or what else is drawn */
    RANDOM_TREE_GOSS,      /* a = round, b = 0 */
    RANDOM_GROUP_LANE,     /* a = 0,      b = the upper half of a row hash, which is its group's */
    RANDOM_GROUP_HELD_OUT, /* the same */
    RANDOM_PAIR,           /* a = round, b = row's key and pair of the row */
    RANDOM_FOLD,           /* a = 0,      b = row hash */
    RANDOM_GROUP_FOLD,     /* a = 0,      b = the upper half of a row hash, which is its group's */
    RANDOM_TRIAL,          /* a = trial,  b = hash of an attribute's name; 0: of all together */
    RANDOM_FEATURE,        /* a = what is drawn, b = of which feature and input */
    RANDOM_SHARD,          /* a = shard, counted over all epochs, b = row of it */
    RANDOM_BOOTSTRAP,      /* a = resample, b = draw */
    RANDOM_ISOLATION_ROW,  /* a = tree,   b = draw */
    RANDOM_ISOLATION,      /* a = tree and node, b = what is drawn at it */
    RANDOM_SHAP            /* a = row of the background, b = input */
};

uint64_t random_bits(uint64_t seed, enum random_purpose purpose, uint64_t a, uint64_t b);
double random_uniform(uint64_t seed, enum random_purpose purpose, uint64_t a,
                      uint64_t b); /* [0, 1) */
