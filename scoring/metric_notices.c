#include "scoring/metric_notices.h"

#include <stdio.h>

#define REASON_BYTES 160

static void explain_ranking(const struct metrics *metrics, enum metric metric,
                            char reason[REASON_BYTES])
{
    const uint32_t classes = metrics_classes(metrics);

    if (classes > RANKED_CLASSES_MAX)
        snprintf(reason, REASON_BYTES, "it is measured of up to %d classes, and the model has %u",
                 RANKED_CLASSES_MAX, classes);
    else if (metrics_rank_too_many(metrics))
        snprintf(reason, REASON_BYTES, "of %u classes it is measured on up to %zu rows", classes,
                 RANKED_SCORES_MAX / classes);
    else
        snprintf(reason, REASON_BYTES, "%s",
                 metric == METRIC_PR_AUC && classes == 2 ? "no row has the positive class"
                                                         : "all rows have the same class");
}

static void explain(const struct metrics *metrics, enum metric metric, char reason[REASON_BYTES])
{
    if (metrics_rows(metrics) == 0)
        snprintf(reason, REASON_BYTES, "there are no rows");
    else if (metric_ranks(metric))
        explain_ranking(metrics, metric, reason);
    else if (metric == METRIC_R2 && metrics_rows(metrics) < 2)
        snprintf(reason, REASON_BYTES, "it takes two rows");
    else if (metric == METRIC_CONCORDANCE)
        snprintf(reason, REASON_BYTES, "no two rows have a known order");
    else if (metric == METRIC_COX)
        snprintf(reason, REASON_BYTES, "no row is an event");
    else if (metric == METRIC_SILHOUETTE)
        snprintf(reason, REASON_BYTES, "all rows belong to one cluster");
    else
        snprintf(reason, REASON_BYTES, "it is greater than a number can be");
}

void metric_null_notice(const struct metrics *metrics, enum metric metric, const char *of,
                        struct notice_list *notices)
{
    char reason[REASON_BYTES];

    explain(metrics, metric, reason);
    notice_add(notices, NOTICE_METRIC, "%s%s is NULL: %s", metric_name(metric), of, reason);
}

void unknown_label_notice(const struct metrics *metrics, struct notice_list *notices)
{
    const uint64_t rows = metrics_unknown_rows(metrics);

    if (rows > 0)
        notice_add(notices, NOTICE_METRIC,
                   "%llu %s a label that the model has not learned, and %s as wrong",
                   (unsigned long long)rows, rows == 1 ? "row has" : "rows have",
                   rows == 1 ? "counts" : "count");
}
