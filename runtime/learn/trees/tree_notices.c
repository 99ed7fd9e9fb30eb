#include "runtime/learn/trees/tree_notices.h"

#include "runtime/learn/label_range.h"

#define WEIGHTS_UNEVEN 16 /* times as heavy as the lightest row is the heaviest */
#define BOUNDS_FAR     10 /* times as wide as the bound are half of the labels */

/* A loss's bound, which the user chooses in units of the label. */
struct loss_bound {
    const char *attribute;
    double value;
};

static struct loss_bound bound_of(const struct tree_objective *objective)
{
    const struct trees_params *params = objective->params;

    switch (objective->name) {
    case TREE_HUBER:
        return (struct loss_bound){"huber_alpha", params->huber_alpha};
    case TREE_FAIR:
        return (struct loss_bound){"fair_c", params->fair_c};
    case TREE_PSEUDO_HUBER:
        return (struct loss_bound){"huber_slope", params->huber_slope};
    default:
        return (struct loss_bound){NULL, 0};
    }
}

/* With a bound far below the labels' differences all rows count as outliers: derivatives no longer
 * tell how far a row is off, or vanish. */
static bool note_bound(const struct tree_objective *objective, struct notice_list *notices)
{
    const struct loss_bound bound = bound_of(objective);

    if (!bound.attribute || !(objective->middle_half > BOUNDS_FAR * bound.value))
        return false;
    notice_add(
        notices, NOTICE_SETTING,
        "%s has %s = %g, in units of the label: the middle half of the training rows' labels "
        "is %.3g wide, so that nearly all errors count as those of outliers",
        tree_objective_words[objective->name], bound.attribute, bound.value,
        objective->middle_half);
    notice_hint(notices, "WITH %s = %.2g makes outliers of large errors alone.", bound.attribute,
                objective->middle_half / 2);
    return true;
}

/* Do all second derivatives go down with the labels' unit, or up with it? */
static bool follows_units(const struct tree_objective *objective)
{
    return objective->name == TREE_SQUARED_LOG_ERROR ||
           (objective->dataset->labels.count == 0 &&
            tree_objective_link(objective) == TREES_LINK_EXP);
}

/* Sums of second derivatives that no child of a root can have. */
static void note_small_derivatives(const struct trees *trees, double hessian,
                                   struct notice_list *notices)
{
    notice_add(notices, NOTICE_SETTING,
               "no tree has a split: the loss's second derivatives add up to %.2g over %llu "
               "training rows, and min_child_weight = %g asks for as much on both sides",
               hessian, (unsigned long long)trees->learner.dataset->train.rows,
               trees->params.min_child_weight);
    if (follows_units(&trees->objective))
        notice_hint(notices, "Divide the label in the SELECT so that its mean is about 1; or WITH "
                             "min_child_weight = 0, lambda = 0.");
    else
        notice_hint(notices, "WITH min_child_weight = 0 parts them.");
}

/* Limits can leave no split at all, as those of LightGBM's names do where rows are few. */
static void note_no_split(const struct trees *trees, struct notice_list *notices)
{
    const struct trees_params *params = &trees->params;
    const uint64_t rows = trees->learner.dataset->train.rows;
    const double hessian = (double)trees->forest.nodes[0].cover;

    if (rows < 2) {
        notice_add(notices, NOTICE_SETTING, "no tree has a split: there is one training row");
        notice_hint(notices, "All rows are predicted as this one.");
    } else if (2. * params->min_rows > (double)rows) {
        notice_add(
            notices, NOTICE_SETTING,
            "no tree has a split: min_data_in_leaf = %u needs %u training rows, and there are "
            "%llu",
            params->min_rows, 2 * params->min_rows, (unsigned long long)rows);
        notice_hint(notices, "WITH min_data_in_leaf = 1 splits them.");
    } else if (hessian < 2 * params->min_child_weight) {
        note_small_derivatives(trees, hessian, notices);
    } else {
        notice_add(
            notices, NOTICE_SETTING,
            "no tree has a split: none of %llu training rows gains more than gamma = %g with "
            "min_child_weight = %g and min_data_in_leaf = %u on both sides",
            (unsigned long long)rows, params->gamma, params->min_child_weight, params->min_rows);
        notice_hint(notices, "Lower these; or the columns have no information about the label.");
    }
}

/* A notice on the label says so. */
static bool has_one_label(const struct trees *trees)
{
    const struct learner *learner = &trees->learner;
    const struct label_range range = learner->spec->task == TASK_REGRESSION
                                         ? label_range_of(learner->spec, learner->dataset)
                                         : (struct label_range){0, 1};

    return learner->dataset->train.rows > 1 && range.least == range.greatest;
}

/* Gradients of a quantile are no whole multiples of the hessians, which are the weights: both are
 * rounded to 16 bits, each for itself, so that light rows of one side seem to differ. */
static void note_uneven_weights(const struct trees *trees, struct notice_list *notices)
{
    const struct dataset *dataset = trees->learner.dataset;
    const uint32_t column = dataset->role_columns[ROLE_SAMPLE_WEIGHT];
    const struct spool_column_summary *weights = &dataset->spool.summaries[column];

    if (trees->objective.name != TREE_QUANTILE || column == 0 ||
        !(weights->greatest > WEIGHTS_UNEVEN * weights->least))
        return;
    notice_add(notices, NOTICE_SETTING,
               "%s with weights from %.3g to %.3g: gradients are rounded to 16 bits of the "
               "greatest, and may part rows of little weight that lie on one side",
               tree_objective_words[TREE_QUANTILE], weights->least, weights->greatest);
    notice_hint(notices, "Greater min_child_weight or gamma keeps such rows together.");
}

void tree_notices(const struct trees *trees, struct notice_list *notices)
{
    note_uneven_weights(trees, notices);
    if (has_one_label(trees) || note_bound(&trees->objective, notices))
        return;
    if (trees->forest.tree_count > 0 && trees->forest.node_count <= trees->forest.tree_count)
        note_no_split(trees, notices);
}
