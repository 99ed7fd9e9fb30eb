#include "tests/documents/metric_document.h"

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
        return "Mean negative logarithm of the true class's probability, clipped to [1e-15, 1]. "
               "Models without probabilities have none.";
    case METRIC_AUC:
        return "Area under the ROC curve; of more than two classes the one-vs-rest average.";
    case METRIC_PRECISION:
        return "Share of the rows predicted as the class that belong to it.";
    case METRIC_RECALL:
        return "Share of the rows of the class that are predicted as it.";
    case METRIC_F1:
        return "Harmonic mean of Precision and Recall.";
    case METRIC_BALANCED_ACCURACY:
        return "Mean of the classes' recalls.";
    case METRIC_MCC:
        return "Matthews correlation coefficient of true and predicted classes.";
    case METRIC_PR_AUC:
        return "Average precision; of more than two classes the one-vs-rest average.";
    case METRIC_MSE:
        return "Mean of the squared errors.";
    case METRIC_RMSE:
        return "Root of the mean of the squared errors.";
    case METRIC_MAE:
        return "Mean of the absolute errors.";
    case METRIC_R2:
        return "1 - (sum of squared errors) / (sum of squares of the label about its mean).";
    case METRIC_MAPE:
        return "Mean of the absolute errors, each divided by the label's size.";
    case METRIC_RMSLE:
        return "Root of the mean of the squared differences of log(1 + value).";
    case METRIC_POISSON:
        return "Mean negative logarithm of the label's probability under a Poisson distribution.";
    case METRIC_GAMMA:
        return "Mean negative logarithm of the label's density under a gamma distribution.";
    case METRIC_GAMMA_DEVIANCE:
        return "Mean deviance of the gamma distribution.";
    case METRIC_TWEEDIE:
        return "Mean loss of a Tweedie distribution with the power behind the @.";
    case METRIC_NDCG:
        return "Mean over the groups of the discounted cumulative gain divided by the greatest "
               "possible one; the number behind @ limits the rows of a group.";
    case METRIC_MAP_RANKS:
        return "Mean over the groups of the average precision; the number behind @ limits the "
               "rows.";
    case METRIC_MRR:
        return "Mean over the groups of 1 / (rank of the first relevant row); the number behind @ "
               "limits the rows.";
    case METRIC_PINBALL:
        return "Mean loss of the quantiles.";
    case METRIC_COVERAGE:
        return "Share of the labels between the least and the greatest quantile, or below the "
               "only one.";
    case METRIC_AFT:
        return "Mean negative log-likelihood of the times.";
    case METRIC_COX:
        return "Negative logarithm of Cox's partial likelihood, divided by the number of events.";
    case METRIC_CONCORDANCE:
        return "Share of the pairs of rows with a known order that are predicted in this order.";
    case METRIC_INERTIA:
        return "Sum of the squared distances to the nearest cluster.";
    case METRIC_SILHOUETTE:
        return "Mean over a sample of the rows of the silhouette: how much nearer the own cluster "
               "is than the next one, from -1 to 1.";
    case METRIC_RECONSTRUCTION:
        return "Mean squared distance between a row and its reconstruction from the components.";
    case METRIC_EXPLAINED:
        return "Share of the variance that the components keep.";
    case METRIC_LOSS:
        return "Mean of the rows' losses, of a definition with a loss of its own.";
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
