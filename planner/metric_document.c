#include "planner/metric_document.h"

#include "params/terms.h"

static const char introduction[] =
    "# Metrics\n"
    "\n"
    "Every metric of `validation.metrics`, printed from the list in `params/terms.h`. Names are "
    "taken in any case.\n"
    "[The language](language.md) has what is measured where, and how rows are held out.\n"
    "\n"
    "| metric | task | of numbers that are | measured | better | what it is | other names |\n"
    "|---|---|---|---|---|---|---|\n";

static const char *meaning(enum metric metric)
{
    switch (metric) {
    case METRIC_ACCURACY:
        return "Share of the rows whose class is predicted.";
    case METRIC_LOG_LOSS:
        return "Mean of minus the logarithm of the true class's probability, which is clipped to "
               "[1e-15, 1]. Models that give no probabilities have none.";
    case METRIC_AUC:
        return "Area under the ROC curve; of more than two classes the mean of each against the "
               "rest.";
    case METRIC_PRECISION:
        return "Of the rows that are predicted of a class the share that are of it.";
    case METRIC_RECALL:
        return "Of the rows of a class the share that are predicted of it.";
    case METRIC_F1:
        return "Harmonic mean of Precision and Recall.";
    case METRIC_BALANCED_ACCURACY:
        return "Mean of the classes' recalls.";
    case METRIC_MCC:
        return "Matthews' correlation of true and predicted classes.";
    case METRIC_PR_AUC:
        return "Average precision; of more than two classes the mean of each against the rest.";
    case METRIC_MSE:
        return "Mean of the squared errors.";
    case METRIC_RMSE:
        return "Root of the mean of the squared errors.";
    case METRIC_MAE:
        return "Mean of the absolute errors.";
    case METRIC_R2:
        return "1 less the squared errors' share of the label's squares about its mean.";
    case METRIC_MAPE:
        return "Mean of the absolute errors, each divided by the label's size.";
    case METRIC_RMSLE:
        return "Root of the mean of the squared differences of log(1 + value).";
    case METRIC_POISSON:
        return "Mean of minus the logarithm of the label's probability by Poisson's distribution.";
    case METRIC_GAMMA:
        return "Mean of minus the logarithm of the label's density by the gamma distribution.";
    case METRIC_GAMMA_DEVIANCE:
        return "Mean deviance of the gamma distribution.";
    case METRIC_TWEEDIE:
        return "Mean loss of Tweedie's distribution, of the power behind the @.";
    case METRIC_NDCG:
        return "Mean over the groups of the discounted gain's share of the greatest possible; "
               "behind an @ how many rows of a group count.";
    case METRIC_MAP_RANKS:
        return "Mean over the groups of the average precision; behind an @ how many rows count.";
    case METRIC_MRR:
        return "Mean over the groups of 1 divided by the first relevant row's rank; behind an @ "
               "how many rows count.";
    case METRIC_PINBALL:
        return "Mean loss of the quantiles.";
    case METRIC_COVERAGE:
        return "Share of the labels between the least and the greatest quantile, or below the "
               "only one.";
    case METRIC_AFT:
        return "Mean of minus the logarithm of the times' likelihood.";
    case METRIC_COX:
        return "Minus the logarithm of Cox' partial likelihood, divided by the events.";
    case METRIC_CONCORDANCE:
        return "Of the pairs of rows whose order is known the share that are predicted in it.";
    case METRIC_INERTIA:
        return "Sum of the squared distances to the nearest cluster.";
    case METRIC_SILHOUETTE:
        return "Mean over a sample of the rows of how much nearer the own cluster is than the "
               "next.";
    case METRIC_RECONSTRUCTION:
        return "Mean of the squared distances to what the components give back.";
    case METRIC_EXPLAINED:
        return "Share of the rows' squares about the means that the components keep.";
    case METRIC_OUTLIERS:
        return "Share of the rows that are outliers.";
    case METRIC_COUNT:
        break;
    }
    return NULL;
}

/* Appends the aims of regressors, other than means, that the metric is for; none: it is for all
 * models of its task. */
static void append_aims(enum metric metric, struct text *out)
{
    const char *comma = "";

    if (metric_default(metric) != METRIC_OF_AIM)
        return;
    for (int aim = 0; aim < AIMS; aim++)
        if (metric_is_of(metric, (enum aim)aim)) {
            text_printf(out, "%s%s", comma, aim_words[aim]);
            comma = ", ";
        }
}

static void append_names(enum metric metric, struct text *out)
{
    const char *comma = "", *name;
    enum metric of;

    for (size_t i = 0; metric_alias_number(i, &name, &of); i++)
        if (of == metric) {
            text_printf(out, "%s%s", comma, name);
            comma = ", ";
        }
}

void metrics_print_document(struct text *out)
{
    static const char *const measured[] = {"where it is named", "always", "of two classes",
                                           "of its aims"};

    text_append_string(out, introduction);
    for (int i = 0; i < METRIC_COUNT; i++) {
        const enum metric metric = (enum metric)i;

        text_printf(out, "| %s | %s | ", metric_name(metric), task_words[metric_task(metric)]);
        append_aims(metric, out);
        text_printf(out, " | %s | %s | %s | ", measured[metric_default(metric)],
                    metric_is_loss(metric) ? "less" : "more", meaning(metric));
        append_names(metric, out);
        text_append_string(out, " |\n");
    }
}
