/*
 * learning.h - learning as phases whose sums anybody may add up.
 *
 *         +--------------------------------------------+
 *         v                                            |
 *     phase --contribute(lane) for each lane--> sums --apply--> phase ... --> DONE
 *
 * A phase asks every lane for a contribution: 64-bit integers, such as counts
 * and histograms, and reals in 64-bit fixed point. Contributions are only ever added, so any
 * grouping of lanes into workers gives the same sums, and apply() sees nothing but the sums: the
 * learned bits do not depend on who computed what. What a phase is about is the learner's own
 * matter (learner.h): a gradient step, an evaluation, one pass of k-means.
 */
#pragma once

#include "arithmetic/touched_rows.h"
#include "base/process/team.h"
#include "jobspec/jobspec.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/learn/fixed_point.h"
#include "runtime/learn/model_digest.h"
#include "scoring/tables/model_table.h"

/* Reals of which a phase needs those of few rows: a table of weights that are selected by id, such
 * as one for each word. Rows that no lane touched have no sums; those of the others lie side by
 * side (touched_rows.h), so that a table costs as much as its touched rows. */
struct phase_table {
    uint32_t rows, width;  /* 0: there is none */
    uint32_t touched_most; /* rows that all lanes together touch at most */
};

/* LEARN moves the model on: a gradient step, a pass of k-means. EVALUATION looks at it. */
enum phase_kind { PHASE_LEARN, PHASE_EVALUATION, PHASE_DONE };

struct phase {
    uint64_t number; /* 0, 1, 2, ...: grows by one with every apply, repeats included */
    enum phase_kind kind;
    uint64_t step; /* steps applied so far: the optimizer's, or iterations of k-means */
    uint32_t epoch;
    uint64_t rows; /* rows that this phase covers, over all lanes */
    /* The sums over all lanes are three vectors of 64-bit integers, the last one continued by the
     * table. */
    uint32_t integer_count;   /* few: rank 0 adds them up, and all get the totals */
    uint32_t owned_count;     /* many: a segment's owner adds it up, and all get the totals */
    uint32_t real_count;      /* the same in fixed point: the totals are floats (resolve) */
    struct phase_table table; /* its touched rows lie behind the reals, by their places */
};

/* How many sums and totals there are at most besides the integers. */
static inline uint64_t phase_elements(const struct phase *phase)
{
    return (uint64_t)phase->owned_count + phase->real_count +
           (uint64_t)phase->table.touched_most * phase->table.width;
}

/* The totals of a phase. */
struct phase_totals {
    const int64_t *integers, *owned;
    const float *reals;              /* (real_count, then the touched rows of the table) */
    const struct touched_rows *rows; /* touched rows of the table; NULL where there is none */
};

/* The report of apply(): at most one of each kind. Losses are log loss, or
 * squared error in the label's own units; the loss of training is weighted by
 * class and, like the other, without the penalties of l1 and l2. */
struct learner_report {
    bool step_applied;     /* the phase moved the model on, and did not repeat a step */
    uint64_t rows_applied; /* its rows */
    double train_loss;     /* mean loss over its rows; NAN: it is no matter of a loss */
    bool evaluated;
    double validation_loss;
    double validation_score; /* accuracy, or RMSE in the label's units; NaN: none */
    /* The statement's metrics, in its order, where the learner measures those of each round, or the
     * scores of several labels, in the order of LABEL: of training rows and of those held out; NaN:
     * not measured, or not defined. */
    uint32_t metric_count;
    double train_metrics[METRICS_MAX], validation_metrics[METRICS_MAX];
    bool improved;
    bool repeated;    /* overflow: the same step again with a coarser scale */
    uint32_t epoch;   /* the applied phase's, from 1 */
    bool epoch_ended; /* nothing more will be learned or measured in it */
};

/* One row of TRAIN's result; NaN: not there. */
struct result_metric {
    char name[32];
    double train, validation;
};
#define LEARNER_METRICS_MAX 20

/* How steps need rows that come from elsewhere: each once in a round of so many steps, those of a
 * lane in so many buckets, one after the other. Round 0: all rows are on this machine. */
struct learner_course {
    uint64_t round;
    uint32_t buckets; /* at least 1 */
};
