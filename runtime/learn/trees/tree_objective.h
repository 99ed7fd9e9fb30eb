/*
 * tree_objective.h - what trees learn: of a row's label and its outputs so far the loss, and its
 * first and second derivative.
 *
 *     objective             outputs  gradient g, hessian h, by the output z
 *     reg:squarederror         1     z - y, 1
 *     binary:logistic          1     p - y, p (1 - p)                    p = 1 / (1 + e^-z)
 *     multi:softmax, -softprob k     p_j - [y = j], 2 p_j (1 - p_j)      p = softmax(z)
 *     count:poisson            1     e^z - y, e^(z + max_delta_step)
 *     ...                            as XGBoost has them
 *
 * All in double by scoring/elementary.h, with no library's exp: the same bits everywhere.
 */
#ifndef RUNTIME_LEARN_TREES_TREE_OBJECTIVE_H
#define RUNTIME_LEARN_TREES_TREE_OBJECTIVE_H

#include "kinds/trees/trees_attributes.h"
#include "kinds/trees/trees_model.h"
#include "runtime/data/dataset.h"

struct tree_objective {
    enum tree_objective_name name; /* never automatic */
    uint32_t outputs;              /* k for more than two classes, else 1 */
    const struct trees_params *params;
    const struct dataset *dataset;
    float positive_weight; /* of rows of the second class, beside class_weights */
};

/* Settles an automatic objective by task and classes, and checks labels: INVALID for one that the
 * objective has no loss for, such as a negative count, naming the least label. */
enum status tree_objective_init(struct tree_objective *objective, const struct jobspec *spec,
                                const struct dataset *dataset, struct error *err);

enum trees_link tree_objective_link(const struct tree_objective *objective);

/* Where boosting starts: base (outputs), as the statement says or by the training labels. */
void tree_objective_base(const struct tree_objective *objective, float *base);

/* Of `count` rows [first, ...) of the part: scores (count, outputs) are the sums so far.
 * gradients, hessians: (outputs, count), one output after the other; all finite, hessians not
 * negative. Both NULL: only losses. Returns the sum of the rows' losses, each times the row's
 * weight; what the losses of TRAIN's history are made of (learning.h: log loss, squared error in
 * the label's units), summed in 2^-20 as integers, so that any grouping gives the same: *loss.
 * *hits: how many rows the outputs classify right. */
void tree_objective_rows(const struct tree_objective *objective, const struct dataset_part *part,
                         uint64_t first, uint32_t count, const float *scores, float *gradients,
                         float *hessians, int64_t *loss, int64_t *hits);

#endif
