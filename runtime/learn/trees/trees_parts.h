/*
 * trees_parts.h - what the files of the learner of trees share.
 *
 *     trees.c         opening, the model, small answers
 *     trees_phases.c  phases, and what follows from their sums
 *     trees_lanes.c   what lanes contribute
 *     trees_state.c   the state by pieces
 */
#ifndef RUNTIME_LEARN_TREES_TREES_PARTS_H
#define RUNTIME_LEARN_TREES_TREES_PARTS_H

#include <pthread.h>

#include "runtime/learn/learner_state.h"
#include "runtime/learn/learning.h"
#include "runtime/learn/measuring.h"
#include "runtime/learn/trees/round_metrics.h"
#include "runtime/learn/trees/tree_drops.h"
#include "runtime/learn/trees/tree_rows.h"
#include "runtime/learn/trees/trees_start.h"

/* A tree's leaves get their values by sums of gradients, or by counts of residuals, digit by digit
 * (leaf_quantiles.h). */
enum trees_stage {
    TREES_RISKS, /* of survival:cox alone: who is at risk in the round that begins */
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
#define TREES_LEVEL_SHIFT 21 /* of a float's bits: what remains is its level */

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

/* The part of the state that is no array. */
struct trees_progress {
    struct phase phase;
    enum trees_stage stage;
    uint32_t round;                            /* that is boosted */
    uint32_t tree;                             /* of the round */
    float gradient_greatest, hessian_greatest; /* of the round: none is greater */
    uint32_t top_key;                          /* of goss: of the least row that counts as large
                                                  (leaf_quantiles_key) */
    uint64_t sampled;                          /* rows that the growing tree is of */
    double best_loss;                          /* of held-out rows; or what the metric is that
                                                  decides, with its sign where more is better */
    uint32_t best_rounds;                      /* after so many it was least; 0: not known yet */
    double kept_loss, kept_held_out;           /* of rankings: the losses of the model so far */
    uint64_t trail;                            /* a hash of all that followed from sums */
};

/* A state on its way here. */
struct trees_taking {
    bool is_active;
    uint64_t body_hash;
    struct trees_progress progress;
    struct tree_forest forest;
    struct growing_tree growing;
    struct leaf_quantiles quantiles;
    struct tree_risk *risks; /* (objective.risks.count) */
};

/* Sums of memory that only the learner writes, beside those of the forest's trees. */
struct trees_guard {
    uint32_t base, quantiles, risks;
};

struct trees {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team;
    struct trees_params params;
    struct tree_objective objective; /* of which the risks are of the state */
    struct round_metrics metrics;
    struct tree_bins bins;
    struct tree_constraints constraints;
    struct tree_layout layout;
    float *base;                        /* (outputs) */
    struct trees_start start;           /* where it is no base */
    struct tree_drops drops;            /* of dart; else zero */
    double sum_scale;                   /* of its sums */
    uint32_t outputs, trees_each;       /* of a round: outputs x parallel trees */
    uint32_t lanes, ranges;             /* ranges of each lane, held one after the other */
    uint64_t *starts, *held_out_starts; /* (lanes * ranges + 1): the first row of each */
    uint64_t contributed, fingerprint;

    /* the state */
    struct trees_progress progress;
    struct tree_forest forest;
    struct growing_tree growing;
    struct leaf_quantiles quantiles; /* of the tree that is grown; else of no leaves */
    struct trees_taking taking;
    struct trees_guard guard;

    /* made of it */
    struct tree_rows *rows, *held_out; /* (lanes): those that were read */
    bool *is_read;                     /* (lanes) */
    float *values; /* of the nodes of the tree that was grown last; of those that are no leaves 0 */
    uint32_t grown; /* 1 + that tree; 0: none, or it grew elsewhere */

    /* space of a phase */
    int64_t *packed;             /* (team_size, packed_bins): 0 between tasks */
    uint32_t packed_bins;        /* of a piece of the layout; of the children of a node, where
                                    draws are few */
    struct lane_result *results; /* (lanes) */
    struct error *errors;        /* (lanes) */
    pthread_mutex_t lock;        /* of the sums that tasks add to */

    struct measuring measuring;
    struct tree_arrays arrays; /* of the model that is measured */
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

static inline bool trees_have_weights(const struct trees *trees)
{
    return trees->dataset->role_columns[ROLE_SAMPLE_WEIGHT] > 0;
}

/* Is the phase one that measures a round? Before the first one there is nothing to measure. */
static inline bool trees_measure_round(const struct trees *trees)
{
    return trees->progress.stage == TREES_GRADIENTS && trees->progress.round > 0 &&
           trees->metrics.count > 0;
}

/* Of RISKS how many numbers there are: of training rows, then as many of those held out. */
static inline uint32_t trees_risk_integers(const struct trees *trees)
{
    return 2 * trees->objective.risks.count * TREE_RISK_INTEGERS;
}

#endif
