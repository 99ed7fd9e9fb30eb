/*
 * number_metrics.h - the metrics of a regressor that are more than its errors: by other losses
 * (number_losses.h), by the ranks of rows in their groups (ranked_labels.h), by the order of events
 * (timed_rows.h).
 *
 *     number_metrics_init --> number_metrics_add for each row --> number_metrics_value
 *
 * Losses are added up in the order of the rows; all else is the same in any order. Rows of a group
 * with the same score are ranked by the hashes of what was scored and of their labels, which is as
 * good as by chance.
 */
#pragma once

#include "scoring/metrics/number_losses.h"
#include "scoring/metrics/timed_rows.h"

/* A row of a group. */
struct grouped_row {
    uint64_t group, key;
    double score;
    float label;
};
#define GROUPED_ROWS_MAX ((size_t)1 << 28)

struct number_metrics {
    struct aim_facts aim;
    struct measure measures[METRICS_MAX + 1]; /* (count): means of losses */
    double sums[METRICS_MAX + 1];             /* (count) */
    size_t count;
    uint64_t rows;
    struct grouped_row *grouped;
    float *labels; /* room for those of a group, twice */
    size_t grouped_count, grouped_capacity;
    bool are_grouped; /* grouped is sorted */
    struct timed_rows timed;
    bool keeps_groups, keeps_times;
};

/* The measures that a row adds. */
struct number_measures {
    struct number_row row;
    uint64_t group, key;
};

/* names: of metrics; those that are none of these are not looked at. */
void number_metrics_init(struct number_metrics *metrics, const struct aim_facts *aim,
                         const struct slice *names, size_t count);
void number_metrics_deinit(struct number_metrics *metrics); /* also of zeros */
/* Has a row of the model so many numbers? */
static inline bool number_metrics_take(const struct number_metrics *metrics, uint32_t numbers)
{
    if (metrics->aim.aim == AIM_MEANS)
        return true;
    return numbers == (metrics->aim.aim == AIM_QUANTILES ? metrics->aim.quantile_count : 1);
}
enum status number_metrics_add(struct number_metrics *metrics, const struct number_measures *row,
                               struct error *err);
/* NaN where it is not defined, or was not named. */
double number_metrics_value(struct number_metrics *metrics, struct measure measure);
/* Is there a value for it, beside those of metrics.h? */
bool number_metrics_have(enum metric metric);

/* The metric by which such a model is learned: EVALUATE's loss is this, or 1 minus it. */
enum metric aim_metric(const struct aim_facts *aim);
