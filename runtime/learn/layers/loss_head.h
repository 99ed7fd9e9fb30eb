/*
 * loss_head.h - the loss of outputs z (n, outputs) against the rows' labels, and
 * back.
 *
 *     regression     1 output    squares, absolute, huber, log_cosh or quantile, of the
 *                                standardised label;
 *                                poisson, gamma or tweedie, of the label divided by its mean
 *     two classes    1 output    logistic, smoothed or focal; hinge or its square
 *     more classes   k outputs   softmax, smoothed or focal
 *
 * Held-out rows of classes are judged by their log loss, whatever is minimised, and where there are
 * no probabilities by their hinge loss.
 */
#pragma once

#include "kinds/network/network_attributes.h"
#include "runtime/learn/layers/differentiable.h"

/* -log(1e-15): what a class costs that training did not see, and the most that any does. */
#define LOSS_ROW_MOST 34.538776394910684

struct loss_head {
    enum task task;
    uint32_t outputs;
    enum network_loss loss;               /* LOSS_AUTOMATIC: squares, logistic, softmax */
    float delta, alpha, gamma, smoothing; /* losses.h */
    double power;                         /* likewise, of tweedie */
    double unit;                          /* the label's scale: k of log_cosh */
    float start; /* the best constant of a regression: 0, the mean, or the sample's quantile */
};

/* Makes the head by the statement and the labels of the data set. INVALID for labels that the loss
 * does not take. */
enum status loss_head_init(struct loss_head *head, const struct jobspec *spec, uint32_t outputs,
                           const struct dataset *dataset, struct error *err);
struct loss_unit loss_head_unit(const struct loss_head *head);
/* Fills in what a stored model has beside its link: the power of a tweedie loss. */
void loss_head_fill(const struct loss_head *head, struct model *model);

/* Are the outputs margins, of which no probabilities are made? */
static inline bool loss_head_has_margins(const struct loss_head *head)
{
    return head->loss == NETWORK_HINGE || head->loss == NETWORK_SQUARED_HINGE;
}

/* The labels of a chunk of rows. */
struct loss_labels {
    float *targets, *weights; /* (chunk) */
    int32_t *classes;         /* (chunk) */
    double *losses;           /* (chunk) */
};

/* The label of a row goes to place `at`; without a label, its weight alone. */
void loss_head_take(const struct loss_head *head, const struct lane_rows *rows, uint64_t row,
                    uint32_t at, struct loss_labels *labels);
/* z becomes dL/dz of 1/divisor times the weighted loss, which is returned summed. */
double loss_head_backward(const struct loss_head *head, uint32_t n, double divisor,
                          struct loss_labels *labels, float *z);
/* Adds the unweighted loss row by row, and returns how many are classified correctly. z is of no
 * use any more. */
uint64_t loss_head_evaluate(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                            float *z, double *loss);
