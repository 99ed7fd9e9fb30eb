/*
 * tree_objective.h - what trees learn: the loss by a row's label and its outputs so far, and its
 * first and second derivative.
 *
 *     objective             outputs  gradient g, hessian h, by the output z
 *     reg:squarederror         1     z - y, 1
 *     reg:squaredlogerror      1     (l(z) - l(y)) / (z + 1), max((l(y) - l(z) + 1) / (z + 1)^2,
 *                                    1e-6)                      l(x) = log(1 + x), z >= 1e-6 - 1
 *     reg:pseudohubererror     1     r / s, 1 / s^3
 *         r = z - y, s = sqrt(1 + (r / slope)^2)
 *     reg:logistic,
 *     binary:logistic, logitraw 1    p - y, p (1 - p)           p = 1 / (1 + e^-z)
 *     binary:hinge             1     -y, 1; 0, 0 where y z >= 1 y = 1 or -1
 *     reg:gamma                1     1 - y e^-z, y e^-z
 *     reg:tweedie              1     b - a, (2 - v) b - (1 - v) a
 *         a = y e^((1 - v) z), b = e^((2 - v) z)
 *     count:poisson            1     e^z - y, e^(z + max_delta_step)
 *     reg:absoluteerror        1     the sign of z - y, 1
 *     reg:quantileerror        k     [z_j >= y] - q_j, 1
 *     huber                    1     r cut at +-delta, 1        r = z - y
 *     fair                     1     c r / (|r| + c), c^2 / (|r| + c)^2
 *     mape                     1     the sign of r / max(1, |y|), 1
 *     survival:aft             1     survival.h
 *     survival:cox             1     tree_risks.h
 *     multi:*                  k     p_j - [y = j], 2 p_j (1 - p_j)
 *                                                               p = softmax(z)
 *
 * as XGBoost 3.2 has them, huber, fair and mape as LightGBM 4.7. With two classes multi:softmax and
 * multi:softprob are binary:logistic: a model of two classes has one output. The leaves of
 * reg:absoluteerror and reg:quantileerror are quantiles of y - z over their rows instead of
 * Newton's steps (leaf_quantiles.h), of mape the median of rows that weigh 1 / max(1, |y|). The
 * derivatives are floats, made by scoring/numbers/elementary.h and no library's exp: the same bits
 * everywhere.
 */
#pragma once

#include <math.h>

#include "kinds/trees/trees_attributes.h"
#include "kinds/trees/trees_model.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/learn/trees/objective/tree_rankings.h"
#include "runtime/learn/trees/objective/tree_risks.h"

struct tree_objective {
    enum tree_objective_name name; /* never automatic */
    uint32_t outputs;              /* k for more than two classes, or for k quantiles; else 1 */
    const struct trees_params *params;
    const struct dataset *dataset;
    float positive_weight; /* weight of the second class's rows, beside class_weights */
    uint32_t prediction;   /* which output is the prediction: aim.h */
    double origin; /* a regression's: values are labels less it, and outputs predictions less it
                      (number_origin.h) */
    double start;  /* the sum of no trees; for several classes the statement's base_score */
    double starts[QUANTILES_MAX]; /* (outputs): in place of start where objectives have quantiles */
    /* The unit of sums of losses, a power of two; and the greatest loss of a row. */
    double loss_unit, loss_most;
    /* The same of the squared error where it is not the loss; else 0. */
    double square_unit, square_most;
    /* The width of the middle half of the sample's labels, where the loss has a bound in units of
     * the label (huber, fair, reg:pseudohubererror); else 0. */
    double middle_half;
    double weight_scale;     /* sample weights are counted as integers of weight * scale */
    struct tree_risks risks; /* survival:cox's, taken anew for each round; else empty */
};

/*
 * Settles an automatic objective by task and classes, and checks the labels of all rows, also of
 * those that are held out: INVALID for one that the objective has no loss for, such as a negative
 * count, naming the least (of those that are too great the greatest); for an objective of two
 * classes where there are more. Whether objective, task and base_score fit the planner has checked
 * (trees_settle).
 */
enum status tree_objective_init(struct tree_objective *objective, const struct jobspec *spec,
                                const struct dataset *dataset, struct error *err);

void tree_objective_deinit(struct tree_objective *objective); /* also of zeros */

enum trees_link tree_objective_link(const struct tree_objective *objective);

/*
 * Where boosting starts: base (outputs); with offsets see tree_offset.h. A base_score of the
 * statement is a prediction: a probability, a mean, of binary:hinge a margin, which is 0 else.
 * Without one the base is, as in XGBoost 3.2, the output for the training labels' mean, which is
 * weighted by class; for more than two classes the logarithms of their shares, less the mean of
 * these. For reg:pseudohubererror and reg:squaredlogerror it is the best constant for the data
 * set's sample (XGBoost takes one step of Newton from 0, which may end far off), for objectives
 * with quantiles the sample's quantile, for survival:aft the mean of the sample's logarithms of
 * times (XGBoost starts at 0.5), for survival:cox a hazard of 1. With sample weights the means and
 * shares are those of the sample, too, each row by its weight. The caller holds the sample, at init
 * as well.
 */
void tree_objective_base(const struct tree_objective *objective, float *base);

/* The labels of some rows: one of values and classes is NULL. */
struct tree_labels {
    const float *values;
    const int32_t *classes;
    const float *weights; /* sample weights; NULL: all 1 */
    const float *uppers;  /* survival:aft's other bounds, NaN: there is none; NULL: the values */
    /* Members for rankings, which take all rows of their groups at once: */
    const struct tree_groups *groups;
    const uint32_t *keys; /* random bits of the rows, where derivatives are wanted */
    uint32_t round;
    bool are_held_out; /* their losses have no weights */
};

/*
 * Finds derivatives and losses of `count` rows from `first` on, whose labels the caller holds.
 * scores (count, outputs): the sums so far.
 *
 * gradients, hessians: (outputs, count), one output after the other, times the row's weight; all
 * within +-1e30, hessians not negative. The rows are of classes that training saw, as those of the
 * training part are. Both NULL: they are not wanted.
 *
 * *loss: the sum of the rows' losses, of which TRAIN's history is made (learning.h): log loss, or
 * the squared error in the label's units, whatever the objective, but these have losses of their
 * own: reg:absoluteerror the absolute error, huber, fair and mape theirs, reg:quantileerror what
 * XGBoost's metric quantile is the mean of, q (y - z) or (1 - q) (z - y), the mean over the
 * quantiles, binary:hinge max(0, 1 - y z), survival:aft and survival:cox the negative logarithm of
 * the likelihood, of Cox's the partial one, which is of events alone and not weighted. Each is cut
 * at loss_most, of the training part weighted by class and sample weight, and rounded to a multiple
 * of loss_unit, so that any grouping of rows gives the same sum, and no sum overflows. *hits: how
 * many rows the outputs classify right; where there is a square_unit, the squared errors in it; of
 * survival:cox the events, of rankings the groups. Both NULL: they are not wanted.
 */
void tree_objective_rows(const struct tree_objective *objective, struct tree_labels labels,
                         uint64_t first, uint32_t count, const float *scores, float *gradients,
                         float *hessians, int64_t *loss, int64_t *hits);

#define TREE_LOSS_ROWS 256
/* Log losses of n <= TREE_LOSS_ROWS rows of classes, whatever the objective; z (n, outputs). A row
 * of a class that training did not see has the greatest loss. */
void tree_objective_class_losses(const struct tree_objective *objective, uint32_t n,
                                 const int32_t *classes, const float *z, double *losses);
/* Has each row the same hessian of 1, or its weight? */
bool tree_objective_has_unit_hessians(const struct tree_objective *objective);
/* Is each row's gradient 1, -1 or 0, times its weight? */
bool tree_objective_has_unit_gradients(const struct tree_objective *objective);
/* The prediction that an output stands for. */
double tree_objective_prediction(enum trees_link link, float z);
/* The facts that aim.h asks of an objective. spec: the job's, whose columns' names are borrowed. */
struct aim_facts tree_objective_aim(const struct tree_objective *objective,
                                    const struct jobspec *spec);

/* A sample weight as it is counted: less than 2^30. */
static inline int64_t tree_objective_weight(const struct tree_objective *objective, double weight)
{
    return (int64_t)(weight * objective->weight_scale);
}

/* Is a row counted by a weight where quantiles are looked for? */
bool tree_objective_weighs(const struct tree_objective *objective);
/* A row's count there: its weight, or 1 where rows have none. weight: the row's sample weight;
 * NULL: there are none. With mape a row counts whatever its label is, if it weighs anything. */
static inline int64_t tree_objective_count(const struct tree_objective *objective, float label,
                                           const float *weight)
{
    const double of_sample = weight ? (double)*weight : 1;
    int64_t count;

    if (objective->name != TREE_MAPE)
        return weight ? tree_objective_weight(objective, of_sample) : 1;
    count = tree_objective_weight(objective,
                                  of_sample / fmax(1, fabs((double)label + objective->origin)));
    return of_sample > 0 && count == 0 ? 1 : count;
}
