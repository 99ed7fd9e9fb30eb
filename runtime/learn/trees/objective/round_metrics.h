/*
 * round_metrics.h - the metrics that a statement names, of each round, whichever worker computes
 * which lane.
 *
 *     rows of a lane --round_metrics_rows--> integers --(all lanes)--> round_metrics_values
 *                    --round_metrics_scores--> scores of held-out rows, each at its own place
 *
 * A metric that is a mean over rows or groups, or made of counts of classes, is a sum of integers
 * (wide_sums.h), of training rows and of those held out. AUC and PRAUC need the order of all
 * scores, so lanes put the scores of held-out rows side by side, where every worker has all of
 * them; of more scores than ROUND_SCORES_MAX those of the first rows by their keys, which are
 * random. Every row counts once, whatever it weighs.
 *
 * The formulas are those of the finished model's metrics (scoring/metrics.h), of scores as boosting
 * adds them up, in float.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/learn/trees/objective/tree_objective.h"
#include "scoring/metrics.h"

#define ROUND_SCORES_MAX (1u << 20)

struct round_metrics {
    struct measure measures[METRICS_MAX]; /* (count), of the statement, in its order */
    uint32_t count;                       /* 0: nothing is measured */
    const struct tree_objective *objective;
    const struct dataset *dataset;
    struct model model; /* only the members that metrics.h looks at */
    struct metrics_options options;
    struct measure means[METRICS_MAX + 4]; /* (mean_count): what is summed up of each row */
    uint32_t mean_count;
    bool has_counts, has_spread, has_groups;
    uint32_t part_integers; /* integers of the training rows; as many of those held out */
    uint32_t scored_rows, score_width; /* scores of so many held-out rows; 0: none are wanted */
};

/* spec: of the job, whose statement names metrics. Borrows all. */
void round_metrics_init(struct round_metrics *metrics, const struct jobspec *spec,
                        const struct tree_objective *objective, const struct dataset *dataset);

static inline uint32_t round_metrics_integers(const struct round_metrics *metrics)
{
    return 2 * metrics->part_integers;
}

static inline uint32_t round_metrics_score_count(const struct round_metrics *metrics)
{
    return metrics->scored_rows * metrics->score_width;
}

/* Adds a lane's rows, which are of the training part or held out, as the labels say, to integers
 * (round_metrics_integers). scores (rows, outputs). */
void round_metrics_rows(const struct round_metrics *metrics, const struct tree_labels *labels,
                        uint32_t rows, const float *scores, int64_t *integers);
/* Puts those of held-out rows, of which the first one is row `first` of the part, to their places
 * among sums (round_metrics_score_count). Returns the sum of what it put. */
uint64_t round_metrics_scores(const struct round_metrics *metrics, const struct tree_labels *labels,
                              uint64_t first, uint32_t rows, const float *scores, int64_t *sums);

/* train, validation (count): with the sums of all lanes; NaN where there is no value, of AUC and
 * PRAUC of the training rows. NO_MEMORY. */
enum status round_metrics_values(const struct round_metrics *metrics, const int64_t *integers,
                                 const int64_t *sums, double *train, double *validation,
                                 struct error *err);
