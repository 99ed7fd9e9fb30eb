/*
 * metrics.h - how good predictions are.
 *
 * One accumulator for EVALUATE and for the result of TRAIN. Adding rows in
 * another order may change sums in their last bits, so callers add in a fixed
 * order.
 *
 * Classification: Accuracy, LogLoss, AUC, PRAUC, Precision, Recall, F1, BalancedAccuracy, MCC. With
 * two classes Precision, Recall, F1, AUC and PRAUC are those of the positive class. With more,
 * Precision, Recall and F1 are averages over the classes that are true or predicted somewhere, AUC
 * and PRAUC means over the classes, each against the rest, as far as they are defined. Regression:
 * MSE, RMSE, MAE, R2, MAPE, and what number_metrics.h has. Clustering, which needs no label:
 * Inertia, the sum of squared distances to the nearest cluster, and Silhouette, on a sample of the
 * rows (scoring/metrics/silhouette.h). Projection, likewise: ReconstructionError, the mean of the
 * squared distances to what the components give back, and ExplainedVariance, what that leaves of
 * the rows' squares about the means of training; of a definition with a loss of its own Loss, the
 * rows' mean. Detection: Outliers, the share of the rows that are some. Their names are in
 * params/terms.h. All are scikit-learn's numbers.
 */
#pragma once

#include "params/bootstrap_choice.h"
#include "scoring/metrics/number_metrics.h"
#include "scoring/report.h"
#include "scoring/row_label.h"

struct metrics; /* accumulates */
struct head_metrics;

/* The metrics and the report that are wanted. */
struct metrics_options {
    enum average average;
    enum report_kind report;
    const struct report_costs *costs; /* NULL: each mistake costs 1 */
    bool ranks_classes;               /* AUC or PRAUC of more than two classes */
    /* The metrics that are asked for: of a regressor others than MSE, RMSE, MAE, R2 and MAPE are
     * measured only where they are named. */
    const struct slice *names;
    size_t name_count;
    bool as_means;   /* its aim is not looked at */
    bool by_head;    /* each label of several has metrics, too (heads.h) */
    bool keeps_rows; /* for intervals, as `bootstrap` says */
    struct bootstrap_choice bootstrap;
};
/* options NULL: zeros. INVALID for a report that the model does not have. */
enum status metrics_new(const struct model *model, const struct metrics_options *options,
                        struct metrics **metrics, struct error *err);
/* Those of EVALUATE's and TRAIN's metrics, by their names. Classes are ranked up to
 * RANKED_CLASSES_MAX of them: with more AUC is not defined. */
#define RANKED_CLASSES_MAX 200
bool metrics_rank_classes(const struct model *model, const struct slice *names, size_t count);
void metrics_free(struct metrics *metrics);
/* The row that is selected, with its label (of clustering: none; NULL). A class that the model
 * does not know counts as wrong, with the probability 0 clipped. */
enum status metrics_add(struct metrics *metrics, const struct scorer *scorer,
                        const struct row_label *label, struct error *err);

/*
 * The same in two steps, of which the first can be taken elsewhere and in any
 * order: what a row adds, and adding it. Rows that are added in the same order give
 * the same bits, whichever process measured them.
 */
struct metrics_row {
    uint32_t label, predicted; /* classes; label METRICS_UNKNOWN: one the model does not know */
    float score;               /* the positive class's of two, what AUC ranks by */
    struct slice scores; /* the floats that AUC ranks each of more than two classes by, where they
                            are wanted; else of size 0. In the room that is given */
    double loss;  /* log loss, or how far a margin is short of 1; of a number the difference to the
                     label; of clusters the distance to the nearest, of components to what they give
                     back */
    double value; /* regression: the label; projection: the row's square about the means */
    /* The numbers that a regressor with another aim than means has predicted, and what they are
     * compared with besides the label. */
    double numbers[QUANTILES_MAX];
    uint32_t number_count; /* 0: of means */
    double upper;
    uint64_t group, key; /* key: a hash of what was scored, and of the label */
    struct slice inputs; /* clustering: the floats that were scored, for the sample; of size 0: the
                            row is not in it. Borrowed, of the scorer */
};
#define METRICS_UNKNOWN UINT32_MAX

/* probabilities: room, (classes). scores: likewise, where AUC of more than two classes is wanted;
 * else NULL. INVALID for a label that is not finite. */
enum status metrics_measure(const struct scorer *scorer, const struct row_label *label,
                            double *probabilities, float *scores, struct metrics_row *row,
                            struct error *err);
/* In order as the probability, and as fine near 1 as near 0: what AUC ranks by. */
float metrics_log_odds(double probability);
/* CORRUPT for a row that no model of these classes gives. */
enum status metrics_add_row(struct metrics *metrics, const struct metrics_row *row,
                            struct error *err);

uint64_t metrics_rows(const struct metrics *metrics);
/* The mean loss: log loss (probabilities clipped to [1e-15, 1]), of margins hinge loss, or squared
 * error in the label's units, or the squared distance to the nearest cluster or the components. For
 * another aim than means its metric, or 1 minus that. NaN without rows. */
double metrics_loss(struct metrics *metrics);
/* Classification: rows whose true class the model does not know; classes that it knows. */
uint64_t metrics_unknown_rows(const struct metrics *metrics);
uint32_t metrics_classes(const struct metrics *metrics);
/* Rows of a class; rows that it was predicted of. */
uint64_t metrics_class_rows(const struct metrics *metrics, uint32_t class);
uint64_t metrics_class_predicted(const struct metrics *metrics, uint32_t class);
/* More scores of classes than are kept: then AUC and PRAUC are not defined. */
#define RANKED_SCORES_MAX ((size_t)1 << 26)
bool metrics_rank_too_many(const struct metrics *metrics);
/* The rows that were added; NULL: none are kept. */
struct bootstrap *metrics_bootstrap(struct metrics *metrics);
/* The metrics of each of several labels; NULL: they were not asked for. */
struct head_metrics *metrics_heads(struct metrics *metrics);
/* NULL of REPORT_METRICS. */
struct report *metrics_report(struct metrics *metrics);
/* NaN where it is not defined (AUC of one class, R2 of one row, ...). */
double metrics_value(struct metrics *metrics, enum metric metric);
double metrics_measured(struct metrics *metrics, struct measure measure);

/*
 * Sums that others have made of rows, in place of rows: what the metrics of counts and errors are
 * made of. Of AUC and PRAUC the scores are added besides.
 */
struct metrics_sums {
    uint64_t rows;
    const int64_t *actual, *predicted, *correct; /* counts of classes, (classes + 1) */
    double loss, absolute, relative; /* sums of numbers: squares, and as in number_losses.h */
    double label_squares;            /* likewise: around the mean of the labels */
};
void metrics_set_sums(struct metrics *metrics, const struct metrics_sums *sums);
/* A row with its scores: of two classes that of the positive one, of more those of all. */
enum status metrics_add_scores(struct metrics *metrics, uint32_t label, const float *scores,
                               struct error *err);
