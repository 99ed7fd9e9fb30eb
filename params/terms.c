#include "params/terms.h"

#include <math.h>
#include <string.h>

#define X(name, word, model) word,
const char *const task_words[] = {TASK_MAP(X) NULL};
#undef X
#define X(name, word, model) model,
const char *const task_models[] = {TASK_MAP(X) NULL};
#undef X
#define X(name, word) word,
const char *const input_type_words[] = {INPUT_TYPE_MAP(X) NULL};
const char *const category_rule_words[] = {CATEGORY_RULE_MAP(X) NULL};
const char *const model_part_words[] = {MODEL_PART_MAP(X) NULL};
const char *const list_form_words[] = {LIST_FORM_MAP(X) NULL};
const char *const combiner_words[] = {COMBINER_MAP(X) NULL};
const char *const text_weight_words[] = {TEXT_WEIGHT_MAP(X) NULL};
const char *const calibration_words[] = {CALIBRATION_MAP(X) NULL};
const char *const fold_scores_words[] = {FOLD_SCORES_MAP(X) NULL};
const char *const date_part_words[] = {DATE_PART_MAP(X) NULL};
const char *const input_reading_words[] = {INPUT_READING_MAP(X) NULL};
const char *const label_type_words[] = {LABEL_TYPE_MAP(X) NULL};
const char *const activation_words[] = {ACTIVATION_MAP(X) NULL};
const char *const optimizer_words[] = {OPTIMIZER_MAP(X) NULL};
const char *const schedule_words[] = {SCHEDULE_MAP(X) NULL};
const char *const average_words[] = {AVERAGE_MAP(X) NULL};
const char *const report_words[] = {REPORT_MAP(X) NULL};
const char *const row_role_words[] = {ROW_ROLE_MAP(X) NULL};
const char *const offset_words[] = {OFFSET_MAP(X) NULL};
const char *const input_label_words[] = {INPUT_LABEL_MAP(X) NULL};
const char *const label_link_words[] = {LABEL_LINK_MAP(X) NULL};
const char *const aim_words[] = {AIM_MAP(X) NULL};
#undef X

const char *const row_role_columns[ROW_ROLES] = {
    [ROLE_SAMPLE_WEIGHT] = "weight column",
    [ROLE_LABEL_UPPER] = "upper bound",
    [ROLE_GROUP] = "group column",
};

const char *const offset_columns[OFFSETS] = {
    [OFFSET_NONE] = "column",
    [OFFSET_ADDED] = "offset column",
    [OFFSET_MARGIN] = "base_margin column",
    [OFFSET_EXPOSURE] = "exposure column",
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
    unsigned aims;
} metric_rows[] = {
#define X(name, word, task, is_default, aims) {word, task, is_default, aims},
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
    {"MeanSquaredError", METRIC_MSE},
    {"RootMeanSquaredError", METRIC_RMSE},
    {"MeanAbsoluteError", METRIC_MAE},
    {"MeanAbsolutePercentageError", METRIC_MAPE},
    {"CategoricalAccuracy", METRIC_ACCURACY},
    {"SparseCategoricalAccuracy", METRIC_ACCURACY},
    {"BinaryAccuracy", METRIC_ACCURACY},
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
    {"root_mean_squared_log_error", METRIC_RMSLE},
    {"poisson-nloglik", METRIC_POISSON},
    {"gamma-nloglik", METRIC_GAMMA},
    {"gamma-deviance", METRIC_GAMMA_DEVIANCE},
    {"gamma_deviance", METRIC_GAMMA_DEVIANCE},
    {"tweedie-nloglik", METRIC_TWEEDIE},
    {"ndcg_score", METRIC_NDCG},
    {"lambdarank", METRIC_NDCG},
    {"mean_average_precision", METRIC_MAP_RANKS},
    {"mean_reciprocal_rank", METRIC_MRR},
    {"quantile", METRIC_PINBALL},
    {"mean_pinball_loss", METRIC_PINBALL},
    {"aft-nloglik", METRIC_AFT},
    {"cox-nloglik", METRIC_COX},
    {"concordance_index", METRIC_CONCORDANCE},
    {"cindex", METRIC_CONCORDANCE},
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

bool metric_is_of(enum metric metric, enum aim aim)
{
    return metric_rows[metric].aims >> aim & 1;
}

bool metric_is_default(enum metric metric, enum aim aim, uint32_t classes)
{
    const enum metric_default when = metric_default(metric);

    if (!metric_is_of(metric, aim))
        return false;
    if (aim != AIM_MEANS && aim != AIM_MARGINS)
        return when == METRIC_OF_AIM;
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
    case METRIC_RMSLE:
    case METRIC_POISSON:
    case METRIC_GAMMA:
    case METRIC_GAMMA_DEVIANCE:
    case METRIC_TWEEDIE:
    case METRIC_PINBALL:
    case METRIC_AFT:
    case METRIC_COX:
    case METRIC_INERTIA:
    case METRIC_RECONSTRUCTION:
    case METRIC_LOSS:
    case METRIC_OUTLIERS:
        return true;
    default:
        return false;
    }
}

bool metric_is_of_rounds(enum metric metric)
{
    return metric != METRIC_CONCORDANCE && task_has_label(metric_task(metric));
}

bool metric_ranks(enum metric metric)
{
    return metric == METRIC_AUC || metric == METRIC_PR_AUC;
}

bool metric_find(struct slice name, enum metric *metric)
{
    struct measure measure;

    if (!measure_find(name, &measure))
        return false;
    *metric = measure.metric;
    return true;
}

bool metric_alias_number(size_t i, const char **name, enum metric *metric)
{
    if (i >= sizeof aliases / sizeof *aliases)
        return false;
    *name = aliases[i].name;
    *metric = aliases[i].metric;
    return true;
}

static bool find_word(struct slice word, enum metric *metric)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (slice_is_fold(word, metric_rows[i].name)) {
            *metric = (enum metric)i;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (slice_is_fold(word, aliases[i].name)) {
            *metric = aliases[i].metric;
            return true;
        }
    }
    return false;
}

static bool takes_number(enum metric metric, double at)
{
    if (metric == METRIC_TWEEDIE)
        return at > 1 && at < 2;
    return metric_is_of(metric, AIM_RANKS) && !metric_is_of(metric, AIM_MEANS) && at >= 1 &&
           at <= 1e6 && at == floor(at);
}

bool measure_find(struct slice name, struct measure *measure)
{
    const char *sign = name.size > 0 ? memchr(name.data, '@', name.size) : NULL;
    struct slice number;

    *measure = (struct measure){.at = 0};
    if (!sign)
        return find_word(name, &measure->metric);
    number = (struct slice){sign + 1, (size_t)(name.data + name.size - sign) - 1};
    return find_word((struct slice){name.data, (size_t)(sign - name.data)}, &measure->metric) &&
           slice_to_real(number, &measure->at) && takes_number(measure->metric, measure->at);
}

void measure_append(struct measure measure, struct text *out)
{
    text_append_string(out, metric_name(measure.metric));
    if (measure.at == 0)
        return;
    text_append_char(out, '@');
    text_append_real(out, measure.at);
}
