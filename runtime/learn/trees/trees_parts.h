/*
 * trees_parts.h - what the files of the learner of trees share.
 *
 *     trees.c         opening, the model, small answers
 *     trees_phases.c  phases, and what follows from their sums
 *     trees_lanes.c   what lanes contribute
 *     trees_state.c   the state by pieces
 */
#pragma once

#include <pthread.h>

#include "runtime/learn/learner.h"
#include "runtime/learn/trees/objective/round_metrics.h"
#include "runtime/learn/trees/tree_drops.h"
#include "runtime/learn/trees/tree_rows.h"
#include "runtime/learn/trees/trees_start.h"

/* A tree's leaves get their values by sums of gradients, or by counts of residuals, digit by digit
 * (leaf_quantiles.h). */
enum trees_stage {
    TREES_RISKS, /* survival:cox alone: the rows at risk in the round that begins */
    TREES_GRADIENTS,
    TREES_ROOT,
    TREES_SPLIT,
    TREES_LEAVES,
    TREES_QUANTILES,
    TREES_GOSS,
    TREES_STAGES
};

/* Sizes of gradients, as many as floats have with an exponent and two bits more. */
#define TREES_LEVELS      1024
#define TREES_LEVEL_SHIFT 21 /* bits of a float below its level */

/* GRADIENTS' integers: losses, rows that are classified right (tree_objective_rows), then lanes by
 * the level of their greatest gradient, and of their greatest hessian; behind them those of the
 * round's metrics, whose scores are what has owners. */
enum {
    TREES_TRAIN_LOSS,
    TREES_TRAIN_HITS,
    TREES_HELD_OUT_LOSS,
    TREES_HELD_OUT_HITS,
    TREES_GRADIENT_LEVELS,
    TREES_HESSIAN_LEVELS = TREES_GRADIENT_LEVELS + TREES_LEVELS,
    TREES_GRADIENTS_INTEGERS = TREES_HESSIAN_LEVELS + TREES_LEVELS
};

/* The fields of the state. Gradients are floats, of which none of the round is greater; the last
 * ones are those of the growing tree and of the search for its leaves' quantiles, as they were when
 * the phase began. */
#define TREES_FIELDS(F)                                                                            \
    F(U32, stage, TREES_STAGES - 1, "of enum trees_stage")                                         \
    F(U32, round, FIELD_ANY, "which is boosted")                                                   \
    F(U32, tree, FIELD_ANY, "of the round")                                                        \
    F(F64, gradient_greatest, FIELD_ANY, "of the round")                                           \
    F(F64, hessian_greatest, FIELD_ANY, "of the round")                                            \
    F(U32, top_key, FIELD_ANY, "goss: leaf_quantiles_key of the least row that counts as large")   \
    F(U64, sampled, FIELD_ANY, "rows that the growing tree is of")                                 \
    F(F64, best_loss, FIELD_ANY, "of held-out rows; or the metric that decides, with its sign")    \
    F(U32, best_rounds, FIELD_ANY, "after so many it was least; 0: not known yet")                 \
    F(F64, kept_loss, FIELD_ANY, "rankings: of the model so far")                                  \
    F(F64, kept_held_out, FIELD_ANY, "rankings: of the model so far")                              \
    F(U64, trail, FIELD_ANY, "a hash of all that followed from sums")                              \
    F(U64, number, FIELD_ANY, "of the growing tree")                                               \
    F(F64, gradient_unit, FIELD_ANY, "of its sums")                                                \
    F(F64, hessian_unit, FIELD_ANY, "of its sums")                                                 \
    F(F64, rows_of_hessian, FIELD_ANY, "of its sums")                                              \
    F(F64, dispersion, FIELD_ANY, "of its gradients, where it has long sets")                      \
    F(U32, leaves, FIELD_ANY, "that it has")                                                       \
    F(U32, batch, FIELD_ANY, "nodes that are divided")                                             \
    F(U32, key_bits, FIELD_ANY, "of quantiles, that were found")

struct trees_progress {
    TREES_FIELDS(FIELD_MEMBER)
};

struct trees {
    struct learner learner;
    struct trees_params params;
    struct tree_objective objective; /* its risks are part of the state */
    struct round_metrics metrics;
    struct tree_bins bins;
    struct tree_constraints constraints;
    struct tree_layout layout;
    float *base;                  /* (outputs) */
    struct trees_start start;     /* where it is no base */
    struct tree_drops drops;      /* dart's; else zero */
    double sum_scale;             /* scale of dart's sums */
    uint32_t outputs, trees_each; /* trees_each, trees of a round: outputs x parallel trees */
    uint64_t *held_out_starts;    /* like learner.starts, for rows held out */

    /* the state */
    struct trees_progress progress;
    struct tree_forest forest;
    struct growing_tree growing;
    struct leaf_quantiles quantiles; /* searches for the tree that is grown; else for no leaves */
    uint32_t constants;              /* a sum of what never changes: bases and times of risks */

    /* made of it */
    struct tree_rows *rows, *held_out; /* (lanes): those that were read */
    bool *is_read;                     /* (lanes) */
    float *values;  /* values of the leaves of the tree that was grown last, by node; else 0 */
    uint32_t grown; /* 1 + that tree; 0: none, or it grew elsewhere */

    /* space of a phase */
    int64_t *packed;             /* (team_size, packed_bins): 0 between tasks */
    uint32_t packed_bins;        /* bins of a piece; of a node's children, where draws are few */
    struct lane_result *results; /* (lanes) */
    struct error *errors;        /* (lanes) */
    pthread_mutex_t lock;        /* guards the sums that tasks add to */

    struct tree_arrays arrays; /* arrays of the model that is measured */
    struct trees_model measured;
};

/* Is the round's key of goss known, where it has one? */
static inline bool trees_choose_rows(const struct trees *trees)
{
    return trees_round_is_goss(&trees->params, trees->progress.round) &&
           trees->progress.stage != TREES_RISKS && trees->progress.stage != TREES_GRADIENTS &&
           trees->progress.stage != TREES_GOSS;
}

/* Which tree grows, over all rounds; how many trees are in a model of so many rounds. */
static inline uint32_t trees_growing(const struct trees *trees)
{
    return trees->progress.round * trees->trees_each + trees->progress.tree;
}

static inline uint32_t trees_output(const struct trees *trees)
{
    return trees->progress.tree % trees->outputs;
}

/* The same tree for random bits, which are others than those of an old model's trees. */
static inline uint64_t trees_number_of_growing(const struct trees *trees)
{
    return (uint64_t)trees_start_count(&trees->start) + trees_growing(trees);
}

/* Is the phase one that measures a round? Before the first one there is nothing to measure. */
static inline bool trees_measure_round(const struct trees *trees)
{
    return trees->progress.stage == TREES_GRADIENTS && trees->progress.round > 0 &&
           trees->metrics.count > 0;
}

/* The numbers of RISKS: those of training rows, then as many of those held out. */
static inline uint32_t trees_risk_integers(const struct trees *trees)
{
    return 2 * trees->objective.risks.count * TREE_RISK_INTEGERS;
}
