#include "params/terms.h"

#define X(name, word, model) word,
const char *const task_words[] = {TASK_MAP(X) NULL};
#undef X
#define X(name, word, model) model,
const char *const task_models[] = {TASK_MAP(X) NULL};
#undef X
#define X(name, word) word,
const char *const input_type_words[] = {INPUT_TYPE_MAP(X) NULL};
const char *const date_part_words[] = {DATE_PART_MAP(X) NULL};
const char *const input_reading_words[] = {INPUT_READING_MAP(X) NULL};
const char *const label_type_words[] = {LABEL_TYPE_MAP(X) NULL};
const char *const activation_words[] = {ACTIVATION_MAP(X) NULL};
const char *const optimizer_words[] = {OPTIMIZER_MAP(X) NULL};
const char *const schedule_words[] = {SCHEDULE_MAP(X) NULL};
const char *const average_words[] = {AVERAGE_MAP(X) NULL};
const char *const report_words[] = {REPORT_MAP(X) NULL};
const char *const row_role_words[] = {ROW_ROLE_MAP(X) NULL};
#undef X

const char *const row_role_columns[ROW_ROLES] = {
    [ROLE_SAMPLE_WEIGHT] = "weight column",
    [ROLE_LABEL_UPPER] = "upper bound",
    [ROLE_GROUP] = "group column",
};

bool term_find(const char *const *words, struct slice word, unsigned *value)
{
    for (*value = 0; words[*value]; ++*value)
        if (slice_is(word, words[*value]))
            return true;
    return false;
}

bool term_find_fold(const char *const *words, struct slice word, unsigned *value)
{
    for (*value = 0; words[*value]; ++*value)
        if (slice_is_fold(word, words[*value]))
            return true;
    return false;
}

static const struct {
    const char *name;
    enum task task;
    enum metric_default when;
} metric_rows[] = {
#define X(name, word, task, is_default) {word, task, is_default},
    METRIC_MAP(X)
#undef X
};

/* scikit-learn's names of scores, losses and scorers, and XGBoost's and LightGBM's; a "neg_" scorer
 * is the loss without its sign, and an error is what Accuracy leaves of 1. */
static const struct {
    const char *name;
    enum metric metric;
} aliases[] = {
    {"acc", METRIC_ACCURACY},
    {"accuracy_score", METRIC_ACCURACY},
    {"log_loss", METRIC_LOG_LOSS},
    {"neg_log_loss", METRIC_LOG_LOSS},
    {"cross_entropy", METRIC_LOG_LOSS},
    {"crossentropy", METRIC_LOG_LOSS},
    {"roc_auc", METRIC_AUC},
    {"roc_auc_score", METRIC_AUC},
    {"precision_score", METRIC_PRECISION},
    {"recall_score", METRIC_RECALL},
    {"f1_score", METRIC_F1},
    {"balanced_accuracy", METRIC_BALANCED_ACCURACY},
    {"balanced_accuracy_score", METRIC_BALANCED_ACCURACY},
    {"matthews_corrcoef", METRIC_MCC},
    {"pr_auc", METRIC_PR_AUC},
    {"average_precision", METRIC_PR_AUC},
    {"average_precision_score", METRIC_PR_AUC},
    {"roc_auc_ovr", METRIC_AUC},
    {"mean_squared_error", METRIC_MSE},
    {"neg_mean_squared_error", METRIC_MSE},
    {"root_mean_squared_error", METRIC_RMSE},
    {"neg_root_mean_squared_error", METRIC_RMSE},
    {"mean_absolute_error", METRIC_MAE},
    {"neg_mean_absolute_error", METRIC_MAE},
    {"r2_score", METRIC_R2},
    {"r_squared", METRIC_R2},
    {"mean_absolute_percentage_error", METRIC_MAPE},
    {"neg_mean_absolute_percentage_error", METRIC_MAPE},
    {"silhouette_score", METRIC_SILHOUETTE},
    {"error", METRIC_ACCURACY},
    {"merror", METRIC_ACCURACY},
    {"binary_error", METRIC_ACCURACY},
    {"multi_error", METRIC_ACCURACY},
    {"mlogloss", METRIC_LOG_LOSS},
    {"binary_logloss", METRIC_LOG_LOSS},
    {"multi_logloss", METRIC_LOG_LOSS},
    {"aucpr", METRIC_PR_AUC},
    {"l1", METRIC_MAE},
    {"l2", METRIC_MSE},
};

const char *metric_name(enum metric metric)
{
    return metric_rows[metric].name;
}

enum task metric_task(enum metric metric)
{
    return metric_rows[metric].task;
}

enum metric_default metric_default(enum metric metric)
{
    return metric_rows[metric].when;
}

bool metric_is_default(enum metric metric, uint32_t classes)
{
    const enum metric_default when = metric_default(metric);

    return when == METRIC_ALWAYS || (when == METRIC_OF_TWO_CLASSES && classes == 2);
}

bool metric_is_loss(enum metric metric)
{
    switch (metric) {
    case METRIC_LOG_LOSS:
    case METRIC_MSE:
    case METRIC_RMSE:
    case METRIC_MAE:
    case METRIC_MAPE:
    case METRIC_INERTIA:
        return true;
    default:
        return false;
    }
}

bool metric_ranks(enum metric metric)
{
    return metric == METRIC_AUC || metric == METRIC_PR_AUC;
}

bool metric_find(struct slice name, enum metric *metric)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (slice_is_fold(name, metric_rows[i].name)) {
            *metric = (enum metric)i;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (slice_is_fold(name, aliases[i].name)) {
            *metric = aliases[i].metric;
            return true;
        }
    }
    return false;
}
