#include "runtime/learn/baseline.h"

#include <math.h>

#include "scoring/numbers/elementary.h"

#define CHANCE_DEVIATIONS   2
#define UNKNOWN_PROBABILITY 1e-15 /* the least probability of metrics.h */

/* The rows that a classifier is judged by. */
struct judged {
    uint64_t rows;
    uint32_t most;    /* the class that most rows have */
    double share;     /* share of the rows that have class `most` */
    double loss;      /* log loss where every row is said to have the training rows' shares */
    uint32_t classes; /* classes that some of the rows have */
};

static struct judged judge_rows(const struct dataset *dataset, const struct metrics *measured)
{
    const uint32_t classes = dataset->labels.count;
    struct judged judged = {.rows = metrics_rows(measured)};
    uint64_t learned = 0, most;

    for (uint32_t i = 0; i < classes; i++)
        learned += dataset->class_counts[i];
    for (uint32_t i = 0; i < classes; i++) {
        const uint64_t rows = metrics_class_rows(measured, i);
        const double said = (double)dataset->class_counts[i] / (double)learned;

        if (rows > metrics_class_rows(measured, judged.most))
            judged.most = i;
        judged.classes += rows > 0;
        if (rows > 0)
            judged.loss -= (double)rows / (double)judged.rows * logarithm_double(said);
    }
    most = metrics_class_rows(measured, judged.most);
    judged.share = (double)most / (double)judged.rows;
    judged.loss -= (double)metrics_unknown_rows(measured) / (double)judged.rows *
                   logarithm_double(UNKNOWN_PROBABILITY);
    return judged;
}

/* The greatest AUC that passes for that of random ranks (Mann-Whitney). */
static double auc_of_chance(const struct judged *judged)
{
    const double rows = (double)judged->rows, most = judged->share * rows;

    return 0.5 + CHANCE_DEVIATIONS * sqrt((rows + 1) / (12 * most * (rows - most)));
}

/* The greatest mean recall that passes for guesses, which name each class equally often. */
static double recall_of_chance(const struct metrics *measured, uint32_t classes)
{
    double there = 0, variance = 0;

    for (uint32_t i = 0; i < classes; i++)
        there += metrics_class_rows(measured, i) > 0;
    for (uint32_t i = 0; i < classes; i++)
        if (metrics_class_rows(measured, i) > 0)
            variance += (1 - 1 / there) / there / (double)metrics_class_rows(measured, i);
    return 1 / there + CHANCE_DEVIATIONS * sqrt(variance) / there;
}

static bool is_chance(const struct judged *judged, struct metrics *measured, uint32_t classes)
{
    return classes == 2 ? metrics_value(measured, METRIC_AUC) <= auc_of_chance(judged)
                        : metrics_value(measured, METRIC_BALANCED_ACCURACY) <=
                              recall_of_chance(measured, classes);
}

static void note_chance(const struct judged *judged, struct metrics *measured, const char *part,
                        struct notice_list *notices)
{
    notice_add(
        notices, NOTICE_BASELINE,
        "the model is no better than the most frequent class: of %llu %s rows it is right in "
        "%.3g %%, where that class is %.3g %%, and its log loss is %.3g, where the shares of "
        "the classes give %.3g",
        (unsigned long long)judged->rows, part, 100 * metrics_value(measured, METRIC_ACCURACY),
        100 * judged->share, metrics_loss(measured), judged->loss);
    notice_hint(notices,
                "Do the columns have information about the label? More rows, other columns or "
                "another estimator may.");
}

/* The model ranks two classes well enough, and yet predicts the same one for all rows. */
static void note_unseen(const struct judged *judged, struct metrics *measured, const char *part,
                        bool is_weighed, struct notice_list *notices)
{
    notice_add(notices, NOTICE_BASELINE,
               "the model predicts the most frequent class of all %llu %s rows, as rows of the "
               "other are rare; it ranks them with AUC %.3g",
               (unsigned long long)judged->rows, part, metrics_value(measured, METRIC_AUC));
    notice_hint(
        notices, "%spredict.threshold in PREDICT%s.",
        is_weighed ? "" : "WITH train.class_weight = 'balanced' finds more of the rare class, or ",
        is_weighed ? " finds more of the rare class" : "");
}

/* Do some classes weigh more than others? */
static bool has_class_weights(const struct dataset *dataset)
{
    for (uint32_t i = 1; dataset->class_weights && i < dataset->labels.count; i++)
        if (dataset->class_weights[i] != dataset->class_weights[0])
            return true;
    return false;
}

static void judge_classes(const struct dataset *dataset, struct metrics *measured, const char *part,
                          struct notice_list *notices)
{
    const struct judged judged = judge_rows(dataset, measured);
    const uint32_t classes = dataset->labels.count;
    bool is_no_better;

    if (judged.classes < 2)
        return; /* nothing can be ranked */
    is_no_better = metrics_value(measured, METRIC_ACCURACY) <= judged.share;
    if (is_no_better && metrics_loss(measured) >= judged.loss &&
        is_chance(&judged, measured, classes))
        note_chance(&judged, measured, part, notices);
    else if (is_no_better && classes == 2 && !is_chance(&judged, measured, classes) &&
             metrics_class_predicted(measured, judged.most) == judged.rows)
        note_unseen(&judged, measured, part, has_class_weights(dataset), notices);
}

static void judge_numbers(struct metrics *measured, const char *part, struct notice_list *notices)
{
    const double r2 = metrics_value(measured, METRIC_R2);

    /* Labels that are all the same deviate by 0. */
    if (!(r2 <= 0) || metrics_loss(measured) == 0)
        return;
    notice_add(notices, NOTICE_BASELINE,
               "the model is no better than the mean: its RMSE is %.4g on %llu %s rows, whose "
               "labels deviate by %.4g",
               sqrt(metrics_loss(measured)), (unsigned long long)metrics_rows(measured), part,
               sqrt(metrics_loss(measured) / (1 - r2)));
    notice_hint(notices,
                "Do the columns have information about the label? More rows, other columns or "
                "another estimator may.");
}

void baseline_notice(const struct dataset *dataset, struct metrics *measured, const char *part,
                     struct notice_list *notices)
{
    if (metrics_rows(measured) < BASELINE_ROWS_MIN)
        return;
    if (dataset->labels.count > 0)
        judge_classes(dataset, measured, part, notices);
    else if (dataset->sample.values)
        judge_numbers(measured, part, notices);
}
