#include "planner/attributes/estimators.h"

#include <stdio.h>
#include <string.h>

#include "definition/definition.h"
#include "kinds/bayes/bayes_kind.h"
#include "kinds/embedding/embedding_kind.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/graph/graph_kind.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "kinds/linear/linear_kind.h"
#include "kinds/network/network_kind.h"
#include "kinds/one_class/one_class_kind.h"
#include "kinds/pca/pca_kind.h"
#include "kinds/regression/regression_kind.h"
#include "kinds/scorecard/scorecard_kind.h"
#include "kinds/trees/isolation_kind.h"
#include "kinds/trees/trees_kind.h"
#include "params/attribute.h"
#include "parser/statement.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/later.h"
#include "planner/attributes/other_models.h"

static const char *const none[] = {NULL};
static const char *const by_one_method[] = {"forecast.method", NULL};
static const char *const hidden_layers[] = {"model.hidden_units", "model.activation",
                                            "model.dropout", "model.batch_norm", NULL};
#define LINEAR hidden_layers, "a model without hidden layers"

/* Attributes of a network over embeddings that its name fixes, as it says the parts beside the
 * hidden layers. */
static const char *const beside_pairs[] = {"model.interaction", "model.cross_layers",
                                           "model.cross_parameterization", "model.cin_layer_size",
                                           NULL};
static const char *const beside_cross[] = {"model.interaction", "model.cin_layer_size", NULL};
static const char *const beside_compressed[] = {"model.interaction", "model.cross_layers",
                                                "model.cross_parameterization", NULL};
/* The same of two columns that have factors and biases alone. */
static const char *const beside_factors[] = {"model.hidden_units",   "model.activation",
                                             "model.dropout",        "model.batch_norm",
                                             "model.wide",           "model.interaction",
                                             "model.cross_layers",   "model.cross_parameterization",
                                             "model.cin_layer_size", NULL};
#define FACTORS    beside_factors, "biases and factors of two columns"
#define MACHINE    beside_pairs, "a network and a factorisation machine"
#define CROSSES    beside_cross, "a network and a cross network"
#define COMPRESSES beside_compressed, "a network and compressed interactions"

/* The same for a network that has no parts beside its hidden layers. */
static const char *const beside_nothing[] = {"model.wide",           "model.interaction",
                                             "model.cross_layers",   "model.cross_parameterization",
                                             "model.cin_layer_size", NULL};
#define DEEP beside_nothing, "a network without parts beside it"

/* ---- what the libraries have otherwise than the attributes ---- */

/* A forest is one round of many trees, a tree one of one. */
static const char *const forest[] = {"train.num_boost_round", "train.early_stopping",
                                     WITHOUT_OFFSET, NULL};
static const char *const forest_without_rate[] = {"train.num_boost_round", "eta",
                                                  "train.early_stopping", WITHOUT_OFFSET, NULL};
static const char *const one_tree[] = {"train.num_boost_round", "num_parallel_tree", "eta",
                                       "train.early_stopping",  WITHOUT_OFFSET,      NULL};
static const char *const dart[] = {"booster", NULL};
static const char *const goss[] = {"booster", "data_sample_strategy", NULL};
#define DROPS             dart, "dart"
#define CHOOSES           goss, "goss"
#define NO_ROUNDS         forest, "a forest, which has one round"
#define NO_ROUNDS_NO_RATE forest_without_rate, "a forest, which has one round"
#define ONE_TREE          one_tree, "a single tree"

/* clang-format off: one row, one list, and before them what several have. */
#define BOOSTED_100                                                                                \
    {"train.num_boost_round", "100"},                                                              \
    {                                                                                              \
        "eta", "0.1"                                                                               \
    }
#define FOREST_100                                                                                 \
    {"train.num_boost_round", "1"}, {"num_parallel_tree", "100"},                                  \
    {                                                                                              \
        "eta", "1"                                                                                 \
    }
#define SINGLE_TREE                                                                                \
    {"train.num_boost_round", "1"}, {"num_parallel_tree", "1"},                                    \
    {                                                                                              \
        "eta", "1"                                                                                 \
    }
#define NO_PENALTY                                                                                 \
    {"lambda", "0"},                                                                               \
    {                                                                                              \
        "min_child_weight", "0.001"                                                                \
    }
#define LEAF_BY_LEAF                                                                               \
    {"grow_policy", "lossguide"}, {"max_depth", "0"}, {"max_leaves", "31"}, NO_PENALTY,            \
        {"min_data_in_leaf", "20"},                                                                \
    {                                                                                              \
        "max_bin", "255"                                                                           \
    }
#define LIGHTGBM                                                                                   \
    LEAF_BY_LEAF, {"max_cat_threshold", "32"}, {"cat_smooth", "10"}, {"cat_l2", "10"},             \
        {"min_data_in_bin", "3"},                                                                  \
    {                                                                                              \
        "min_data_per_group", "100"                                                                \
    }
#define CURVED                                                                                     \
    {                                                                                              \
        "softmax_hessian", "lightgbm"                                                              \
    }
#define COUNTING                                                                                   \
    {                                                                                              \
        "poisson_max_delta_step", "0.7"                                                            \
    }
/* No limit: scikit-learn has none. */
#define ALL_WORDS                                                                                  \
    {                                                                                              \
        "max_cat_threshold", "65535"                                                               \
    }
#define SCIKIT                                                                                     \
    ALL_WORDS, {"max_depth", "16"}, {"max_leaves", "1024"}, {"lambda", "0"},                       \
        {"min_child_weight", "0"},                                                                 \
    {                                                                                              \
        "min_data_in_leaf", "1"                                                                    \
    }
#define DRAWN                                                                                      \
    {                                                                                              \
        "subsample", "0.632"                                                                       \
    }
/* So a leaf of equally many rows of both classes comes back to one half, and the class of a leaf is
 * the one of most of its rows. */
#define AT_ONE_HALF                                                                                \
    {                                                                                              \
        "base_score", "0.5"                                                                        \
    }
#define END                                                                                        \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }

/* A convex loss hardly gets worse: decision 0305. */
static const struct estimator_default linear[] = {{"train.early_stopping", "0"}, END};
static const struct estimator_default machine[] = {{"model.interaction", "pairs"}, END};
static const struct estimator_default factors[] = {
    {"model.interaction", "pairs"}, {"model.wide", "true"}, END};
static const struct estimator_default crosses[] = {
    {"model.interaction", "cross"}, {"model.wide", "false"}, END};
static const struct estimator_default deep[] = {{"model.wide", "false"}, END};
static const struct estimator_default compresses[] = {{"model.interaction", "compressed"}, END};
static const struct estimator_default xgboost_class[] = {{"train.num_boost_round", "100"}, END};
static const struct estimator_default xgboost_forest[] = {
    FOREST_100, {"subsample", "0.8"}, {"colsample_bynode", "0.8"}, {"lambda", "1e-05"}, END};
static const struct estimator_default lightgbm_of_classes[] = {BOOSTED_100, LIGHTGBM, CURVED, END};
static const struct estimator_default lightgbm_of_numbers[] = {BOOSTED_100, LIGHTGBM, COUNTING,
                                                               END};
static const struct estimator_default lightgbm_forest_of_classes[] = {FOREST_100, DRAWN, LIGHTGBM,
                                                                      CURVED, END};
static const struct estimator_default lightgbm_forest_of_numbers[] = {FOREST_100, DRAWN, LIGHTGBM,
                                                                      COUNTING, END};
static const struct estimator_default xgboost_dart[] = {{"booster", "dart"}, END};
static const struct estimator_default lightgbm_dart_of_classes[] = {
    BOOSTED_100, LIGHTGBM, CURVED, {"booster", "dart"}, END};
static const struct estimator_default lightgbm_dart_of_numbers[] = {
    BOOSTED_100, LIGHTGBM, COUNTING, {"booster", "dart"}, END};
static const struct estimator_default lightgbm_goss_of_classes[] = {
    BOOSTED_100, LIGHTGBM, CURVED, {"data_sample_strategy", "goss"}, END};
static const struct estimator_default lightgbm_goss_of_numbers[] = {
    BOOSTED_100, LIGHTGBM, COUNTING, {"data_sample_strategy", "goss"}, END};
static const struct estimator_default xgboost_ranking[] = {
    {"train.num_boost_round", "100"}, {"objective", "rank:ndcg"}, END};
static const struct estimator_default lightgbm_ranking[] = {
    BOOSTED_100,
    LIGHTGBM,
    {"objective", "lambdarank"},
    {"lambdarank_num_pair_per_sample", "30"},
    END};
static const struct estimator_default tensorflow[] = {BOOSTED_100, NO_PENALTY, END};
static const struct estimator_default bigquery[] = {{"train.num_boost_round", "20"}, END};
static const struct estimator_default scikit_hist_of_classes[] = {
    BOOSTED_100, LEAF_BY_LEAF, ALL_WORDS, {"softmax_hessian", "scikit-learn"}, END};
static const struct estimator_default scikit_hist_of_numbers[] = {BOOSTED_100, LEAF_BY_LEAF,
                                                                  ALL_WORDS, END};
static const struct estimator_default scikit_boosting_of_classes[] = {
    BOOSTED_100, {"max_depth", "3"}, NO_PENALTY, {"min_data_in_leaf", "1"}, ALL_WORDS, CURVED, END};
static const struct estimator_default scikit_boosting_of_numbers[] = {
    BOOSTED_100, {"max_depth", "3"},   NO_PENALTY, {"min_data_in_leaf", "1"},
    ALL_WORDS,   {"huber_alpha", "0"}, END};
static const struct estimator_default scikit_forest_of_numbers[] = {FOREST_100, SCIKIT, DRAWN, END};
static const struct estimator_default scikit_forest_of_classes[] = {
    FOREST_100, SCIKIT, DRAWN, {"max_features", "sqrt"}, AT_ONE_HALF, END};
static const struct estimator_default scikit_tree_of_numbers[] = {SINGLE_TREE, SCIKIT, END};
static const struct estimator_default scikit_tree_of_classes[] = {SINGLE_TREE, SCIKIT, AT_ONE_HALF,
                                                                  END};
#define BY_METHOD(name, method)                                                                    \
    static const struct estimator_default name[] = {{"forecast.method", method}, END}
BY_METHOD(auto_ets, "autoets");
BY_METHOD(ets, "ets");
BY_METHOD(auto_arima, "autoarima");
BY_METHOD(arima, "arima");
BY_METHOD(theta, "theta");
BY_METHOD(optimized_theta, "optimizedtheta");
BY_METHOD(dynamic_theta, "dynamictheta");
BY_METHOD(dynamic_optimized_theta, "dynamicoptimizedtheta");
BY_METHOD(mstl, "mstl");
BY_METHOD(stl_arima, "stlarima");
BY_METHOD(seasonal_naive, "seasonalnaive");
BY_METHOD(naive, "naive");
BY_METHOD(croston, "croston");
BY_METHOD(sba, "sba");
BY_METHOD(tsb, "tsb");
BY_METHOD(forecast_trees, "trees");
/* clang-format on */

#define CLASSES           &trees_kind, TASK_CLASSIFICATION
#define NUMBERS           &trees_kind, TASK_REGRESSION
#define LINEAR_CLASSES    &linear_kind, TASK_CLASSIFICATION
#define LINEAR_NUMBERS    &linear_kind, TASK_REGRESSION
#define TESTED_CLASSES    &regression_kind, TASK_CLASSIFICATION
#define TESTED_NUMBERS    &regression_kind, TASK_REGRESSION
#define EMBEDDED_CLASSES  &embedding_kind, TASK_CLASSIFICATION
#define EMBEDDED_NUMBERS  &embedding_kind, TASK_REGRESSION
#define CLICKS(defaults)  defaults, "click-through models"
#define BOOSTED(defaults) defaults, "boosted trees"
#define FOREST(defaults)  defaults, "forests"
#define A_TREE(defaults)  defaults, "single trees"
#define FORECASTS         &forecast_kind, TASK_REGRESSION
#define ONE_METHOD        by_one_method, "a model of one method"
#define SERIES_OF(method) method, "forecasts"

/* clang-format off: one row, one estimator. */
const struct estimator estimators[] = {
    {"LinearClassifier", &network_kind, TASK_CLASSIFICATION, LINEAR,
     "Logistic or softmax regression.", linear, NULL},
    {"LinearRegressor", &network_kind, TASK_REGRESSION, LINEAR,
     "Linear regression with squared loss.", linear, NULL},
    {"DNNClassifier", &network_kind, TASK_CLASSIFICATION, none, NULL,
     "Feed-forward network for classes.", NULL, NULL},
    {"DNNRegressor", &network_kind, TASK_REGRESSION, none, NULL,
     "Feed-forward network for numbers.", NULL, NULL},
    {"DNNLinearCombinedClassifier", EMBEDDED_CLASSES, none, NULL,
     "Wide and deep network for classes.", CLICKS(NULL)},
    {"DNNLinearCombinedRegressor", EMBEDDED_NUMBERS, none, NULL,
     "Wide and deep network for numbers.", CLICKS(NULL)},
    {"WideAndDeepClassifier", EMBEDDED_CLASSES, none, NULL,
     "Another name of DNNLinearCombinedClassifier.", CLICKS(NULL)},
    {"WideAndDeepRegressor", EMBEDDED_NUMBERS, none, NULL,
     "Another name of DNNLinearCombinedRegressor.", CLICKS(NULL)},
    {"DeepFMClassifier", EMBEDDED_CLASSES, MACHINE,
     "Factorisation machine and network for classes.", CLICKS(machine)},
    {"DeepFMRegressor", EMBEDDED_NUMBERS, MACHINE,
     "Factorisation machine and network, for numbers.", CLICKS(machine)},
    {"DCNClassifier", EMBEDDED_CLASSES, CROSSES, "Deep and cross network for classes.",
     CLICKS(crosses)},
    {"DCNRegressor", EMBEDDED_NUMBERS, CROSSES, "Deep and cross network for numbers.",
     CLICKS(crosses)},
    {"XDeepFMClassifier", EMBEDDED_CLASSES, COMPRESSES,
     "Compressed interactions and network, for classes.", CLICKS(compresses)},
    {"XDeepFMRegressor", EMBEDDED_NUMBERS, COMPRESSES,
     "Compressed interactions and network, for numbers.", CLICKS(compresses)},
    {"MatrixFactorization", EMBEDDED_NUMBERS, FACTORS,
     "Ratings by biases and factors of two columns, such as users and items.", factors, NULL},
    {"KMeans", &kmeans_kind, TASK_CLUSTERING, none, NULL, "Clusters around means.", NULL, NULL},
    {"OrdinaryLeastSquares", TESTED_NUMBERS, none, NULL,
     "Least squares, with standard errors and p-values.", NULL, "regressions with tests"},
    {"OLS", TESTED_NUMBERS, none, NULL, "Another name of OrdinaryLeastSquares.", NULL,
     "regressions with tests"},
    {"LogisticRegression", TESTED_CLASSES, none, NULL,
     "Logistic regression by Newton's steps, with standard errors and p-values.", NULL,
     "regressions with tests"},
    {"Logit", TESTED_CLASSES, none, NULL, "Another name of LogisticRegression.", NULL,
     "regressions with tests"},
    {"XGBClassifier", CLASSES, none, NULL, "Boosted trees for classes.", BOOSTED(xgboost_class)},
    {"XGBRegressor", NUMBERS, none, NULL, "Boosted trees for numbers.", BOOSTED(xgboost_class)},
    {"LGBMClassifier", CLASSES, none, NULL, "Boosted trees for classes, leaf by leaf.",
     BOOSTED(lightgbm_of_classes)},
    {"LGBMRegressor", NUMBERS, none, NULL, "Boosted trees for numbers, leaf by leaf.",
     BOOSTED(lightgbm_of_numbers)},
    {"XGBRanker", NUMBERS, none, NULL, "Boosted trees for rankings.", BOOSTED(xgboost_ranking)},
    {"LGBMRanker", NUMBERS, none, NULL, "Boosted trees for rankings, leaf by leaf.",
     BOOSTED(lightgbm_ranking)},
    {"RandomForestClassifier", CLASSES, NO_ROUNDS_NO_RATE, "Random forest for classes.",
     FOREST(scikit_forest_of_classes)},
    {"RandomForestRegressor", NUMBERS, NO_ROUNDS_NO_RATE, "Random forest for numbers.",
     FOREST(scikit_forest_of_numbers)},
    {"DecisionTreeClassifier", CLASSES, ONE_TREE, "A decision tree for classes.",
     A_TREE(scikit_tree_of_classes)},
    {"DecisionTreeRegressor", NUMBERS, ONE_TREE, "A decision tree for numbers.",
     A_TREE(scikit_tree_of_numbers)},
    {"xgboost.gbtree", CLASSES, none, NULL, "Boosted trees, by the objective's task.",
     BOOSTED(NULL)},
    {"xgboost.gbtree", NUMBERS, none, NULL, "Boosted trees, by the objective's task.",
     BOOSTED(NULL)},
    {"lightgbm.gbdt", CLASSES, none, NULL, "Boosted trees, leaf by leaf, by the objective's task.",
     BOOSTED(lightgbm_of_classes)},
    {"lightgbm.gbdt", NUMBERS, none, NULL, "Boosted trees, leaf by leaf, by the objective's task.",
     BOOSTED(lightgbm_of_numbers)},
    {"xgboost.dart", CLASSES, DROPS,
     "Boosted trees that leave out others, by the objective's task.", BOOSTED(xgboost_dart)},
    {"xgboost.dart", NUMBERS, DROPS,
     "Boosted trees that leave out others, by the objective's task.", BOOSTED(xgboost_dart)},
    {"xgboost.gblinear", LINEAR_CLASSES, none, NULL,
     "Linear model by coordinate descent, by the objective's task.", NULL, "boosted linear models"},
    {"xgboost.gblinear", LINEAR_NUMBERS, none, NULL,
     "Linear model by coordinate descent, by the objective's task.", NULL, "boosted linear models"},
    {"lightgbm.dart", CLASSES, DROPS, "Boosted trees that leave out others, leaf by leaf.",
     BOOSTED(lightgbm_dart_of_classes)},
    {"lightgbm.dart", NUMBERS, DROPS, "Boosted trees that leave out others, leaf by leaf.",
     BOOSTED(lightgbm_dart_of_numbers)},
    {"lightgbm.goss", CLASSES, CHOOSES, "Boosted trees of rows with large gradients.",
     BOOSTED(lightgbm_goss_of_classes)},
    {"lightgbm.goss", NUMBERS, CHOOSES, "Boosted trees of rows with large gradients.",
     BOOSTED(lightgbm_goss_of_numbers)},
    {"lightgbm.rf", CLASSES, NO_ROUNDS_NO_RATE, "Random forest, by the objective's task.",
     FOREST(lightgbm_forest_of_classes)},
    {"lightgbm.rf", NUMBERS, NO_ROUNDS_NO_RATE, "Random forest, by the objective's task.",
     FOREST(lightgbm_forest_of_numbers)},
    {"XGBRFClassifier", CLASSES, NO_ROUNDS, "Random forest for classes, as XGBoost has it.",
     FOREST(xgboost_forest)},
    {"XGBRFRegressor", NUMBERS, NO_ROUNDS, "Random forest for numbers, as XGBoost has it.",
     FOREST(xgboost_forest)},
    {"BoostedTreesClassifier", CLASSES, none, NULL,
     "Boosted trees for classes, as TensorFlow has them.", BOOSTED(tensorflow)},
    {"BoostedTreesRegressor", NUMBERS, none, NULL,
     "Boosted trees for numbers, as TensorFlow has them.", BOOSTED(tensorflow)},
    {"HistGradientBoostingClassifier", CLASSES, none, NULL,
     "Boosted trees for classes, as scikit-learn has them.", BOOSTED(scikit_hist_of_classes)},
    {"HistGradientBoostingRegressor", NUMBERS, none, NULL,
     "Boosted trees for numbers, as scikit-learn has them.", BOOSTED(scikit_hist_of_numbers)},
    {"GradientBoostingClassifier", CLASSES, none, NULL,
     "Small boosted trees for classes, as scikit-learn has them.",
     BOOSTED(scikit_boosting_of_classes)},
    {"GradientBoostingRegressor", NUMBERS, none, NULL,
     "Small boosted trees for numbers, as scikit-learn has them.",
     BOOSTED(scikit_boosting_of_numbers)},
    {"boosted_tree_classifier", CLASSES, none, NULL,
     "Boosted trees for classes, as BigQuery ML names them.", BOOSTED(bigquery)},
    {"boosted_tree_regressor", NUMBERS, none, NULL,
     "Boosted trees for numbers, as BigQuery ML names them.", BOOSTED(bigquery)},
    {"NaiveBayes", &bayes_kind, TASK_CLASSIFICATION, none, NULL,
     "Naive Bayes of numbers and categories.", NULL, NULL},
    {"PCA", &pca_kind, TASK_PROJECTION, none, NULL, "Principal components.", NULL, NULL},
    {"ScoreCard", &scorecard_kind, TASK_CLASSIFICATION, none, NULL,
     "Points of buckets and words by their weights of evidence, for two classes.", NULL, NULL},
    {"Forecast", FORECASTS, none, NULL,
     "Forecasts of many series, by the method that was best on their past.", SERIES_OF(NULL)},
    {"AutoETS", FORECASTS, ONE_METHOD, "Exponential smoothing, of models weighed by AICc.",
     SERIES_OF(auto_ets)},
    {"ETS", FORECASTS, ONE_METHOD, "Exponential smoothing, of the best model by AICc.",
     SERIES_OF(ets)},
    {"AutoARIMA", FORECASTS, ONE_METHOD, "ARIMA whose orders are searched for.",
     SERIES_OF(auto_arima)},
    {"ARIMA_PLUS", FORECASTS, ONE_METHOD, "Another name of AutoARIMA, as BigQuery ML has it.",
     SERIES_OF(auto_arima)},
    {"ARIMA_PLUS_XREG", FORECASTS, ONE_METHOD, "AutoARIMA with regressors, as BigQuery ML has it.",
     SERIES_OF(auto_arima)},
    {"ARIMA", FORECASTS, ONE_METHOD, "ARIMA of orders that are given, or searched for.",
     SERIES_OF(arima)},
    {"Theta", FORECASTS, ONE_METHOD, "Theta, the mean of a trend and exponential smoothing.",
     SERIES_OF(theta)},
    {"OptimizedTheta", FORECASTS, ONE_METHOD, "Theta with its weight fitted.",
     SERIES_OF(optimized_theta)},
    {"DynamicTheta", FORECASTS, ONE_METHOD, "Theta whose trend is fitted at each value.",
     SERIES_OF(dynamic_theta)},
    {"DynamicOptimizedTheta", FORECASTS, ONE_METHOD,
     "Theta with its weight fitted, and its trend at each value.",
     SERIES_OF(dynamic_optimized_theta)},
    {"MSTL", FORECASTS, ONE_METHOD, "Several seasons taken off, and exponential smoothing.",
     SERIES_OF(mstl)},
    {"ARIMAWithSTLDecomposition", FORECASTS, ONE_METHOD, "Several seasons taken off, and ARIMA.",
     SERIES_OF(stl_arima)},
    {"SeasonalNaive", FORECASTS, ONE_METHOD, "The last season again.", SERIES_OF(seasonal_naive)},
    {"Naive", FORECASTS, ONE_METHOD, "The last value again.", SERIES_OF(naive)},
    {"Croston", FORECASTS, ONE_METHOD,
     "Intermittent demand: the size of a sale, and the interval between two.", SERIES_OF(croston)},
    {"SBA", FORECASTS, ONE_METHOD, "Croston's method with less bias.", SERIES_OF(sba)},
    {"TSB", FORECASTS, ONE_METHOD, "Croston's method for what may end.", SERIES_OF(tsb)},
    {"ForecastTrees", FORECASTS, ONE_METHOD,
     "Boosted trees that all series share, over their last values and the calendar.",
     SERIES_OF(forecast_trees)},
    {"OneClassSVM", &one_class_kind, TASK_DETECTION, none, NULL, "Finds what is unlike the rest.",
     NULL, NULL},
    {"IsolationForest", &isolation_kind, TASK_DETECTION, none, NULL,
     "Finds what is unlike the rest, by trees of splits at random.", NULL, NULL},
};
/* clang-format on */

const size_t estimator_count = sizeof estimators / sizeof *estimators;

/* clang-format off: one row, one name of XGBoost's with the booster gblinear. */
static const struct estimator linear_estimators[2] = {
    {"XGBClassifier", LINEAR_CLASSES, none, NULL,
     "Linear model by coordinate descent, for classes.", xgboost_class, "boosted linear models"},
    {"XGBRegressor", LINEAR_NUMBERS, none, NULL, "Linear model by coordinate descent, for numbers.",
     xgboost_class, "boosted linear models"},
};
/* clang-format on */

static const struct estimator defined_estimators[] = {
    {"graph", &graph_kind, TASK_CLASSIFICATION, hidden_layers, "a graph of operations",
     "Graph of operations, for classes.", NULL, NULL},
    {"graph", &graph_kind, TASK_REGRESSION, hidden_layers, "a graph of operations",
     "Graph of operations, for numbers.", NULL, NULL},
    {"graph", &graph_kind, TASK_PROJECTION, hidden_layers, "a graph of operations",
     "Graph of operations with a loss of its own.", NULL, NULL},
};

/* clang-format off: one row, one name of networks with EMBEDDING in COLUMN. */
static const struct estimator embedded_estimators[2] = {
    {"DNNClassifier", EMBEDDED_CLASSES, DEEP, "Network over embeddings, for classes.",
     CLICKS(deep)},
    {"DNNRegressor", EMBEDDED_NUMBERS, DEEP, "Network over embeddings, for numbers.", CLICKS(deep)},
};
/* clang-format on */

#define ESTIMATOR_NAMES_MAX 96

/* Where SQLFlow and TensorFlow keep these models; xgboost and lightgbm are part
 * of the names above. */
static struct slice without_namespace(struct slice name)
{
    static const char *const namespaces[] = {"sqlflow_models.", "tf.estimator."};

    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
        size_t size = strlen(namespaces[i]);
        struct slice front = {name.data, name.size < size ? name.size : size};
        if (slice_is_fold(front, namespaces[i]))
            return (struct slice){name.data + size, name.size - size};
    }
    return name;
}

/* sklearn.svm.SVC, lgb.LGBMClassifier: what stands behind the last dot. */
static struct slice without_packages(struct slice name)
{
    const char *dot = name.size > 0 ? memrchr(name.data, '.', name.size) : NULL;

    return dot ? (struct slice){dot + 1, (size_t)(name.data + name.size - dot - 1)} : name;
}

static bool is_of_group(const struct estimator *estimator, const char *group)
{
    return estimator->group && strcmp(estimator->group, group) == 0;
}

/* Does each estimator of the group and of the task use the attribute? NULL: every one does. */
static bool group_uses(const struct estimator *of, enum task task,
                       const struct attribute *attribute)
{
    for (size_t i = 0; attribute && i < estimator_count; i++)
        if (is_of_group(&estimators[i], of->group) && estimators[i].task == task &&
            !estimator_uses(&estimators[i], attribute))
            return false;
    return true;
}

/* The estimator's name in a list of those that use the attribute: its own, or, at the first of a
 * group of which all do, the group's and `rest`. NULL: the list leaves it out. */
static const char *name_in_list(const struct estimator *estimator,
                                const struct attribute *attribute, const char **rest)
{
    const struct estimator *first = estimators;
    bool classes, numbers;

    *rest = "";
    if (attribute && !estimator_uses(estimator, attribute))
        return NULL;
    if (!estimator->group)
        return estimator->name;
    classes = group_uses(estimator, TASK_CLASSIFICATION, attribute);
    numbers = group_uses(estimator, TASK_REGRESSION, attribute);
    if (!(estimator->task == TASK_CLASSIFICATION ? classes : numbers))
        return estimator->name;
    while (!is_of_group(first, estimator->group) ||
           (!(classes && numbers) && first->task != estimator->task))
        first++;
    if (first != estimator)
        return NULL;
    if (!(classes && numbers))
        *rest = estimator->task == TASK_CLASSIFICATION ? " for classes" : " for numbers";
    return estimator->group;
}

void estimators_append(const struct attribute *attribute, struct text *out)
{
    size_t count = 0, written = 0;
    const char *name, *rest;

    for (size_t i = 0; i < estimator_count; i++)
        count += name_in_list(&estimators[i], attribute, &rest) != NULL;
    if (count == 0)
        text_append_string(out, "models of definitions");
    for (size_t i = 0; i < estimator_count; i++) {
        name = name_in_list(&estimators[i], attribute, &rest);
        if (!name)
            continue;
        text_append_separator(out, written++, count);
        text_printf(out, "%s%s", name, rest);
    }
}

static bool contains_fold(struct slice text, const char *word)
{
    const size_t size = strlen(word);

    for (size_t i = 0; i + size <= text.size; i++)
        if (slice_is_fold((struct slice){text.data + i, size}, word))
            return true;
    return false;
}

/* Is it in no group, or the first of its group with its task? The others are other names of that.
 */
static bool is_told(const struct estimator *estimator)
{
    const struct estimator *first = estimators;

    if (!estimator->group)
        return true;
    while (!is_of_group(first, estimator->group) || first->task != estimator->task)
        first++;
    return first == estimator;
}

static bool fits_name(const struct estimator *estimator, bool is_classifier, bool is_regressor)
{
    if (!is_told(estimator))
        return false;
    if (is_classifier || is_regressor)
        return estimator->task == (is_classifier ? TASK_CLASSIFICATION : TASK_REGRESSION);
    /* The rows of a name of two tasks are neighbours. */
    return estimator == estimators || strcmp(estimator[-1].name, estimator->name) != 0;
}

/* "There are LinearClassifier and DNNClassifier.": those of the task that the name tells, if it
 * does; else all. The error stays what it is. */
static enum status hint_estimators(struct slice word, enum status status, struct error *err)
{
    const bool is_classifier = contains_fold(word, "classif");
    const bool is_regressor = contains_fold(word, "regress");
    size_t count = 0, written = 0;
    struct text names;

    for (size_t i = 0; i < estimator_count; i++)
        count += fits_name(&estimators[i], is_classifier, is_regressor);
    text_init(&names, TEXT_MAXIMUM);
    for (size_t i = 0; i < estimator_count; i++) {
        if (!fits_name(&estimators[i], is_classifier, is_regressor))
            continue;
        text_append_separator(&names, written++, count);
        text_append_string(&names, estimators[i].name);
    }
    error_hint(err,
               is_classifier  ? "For classes there are %s."
               : is_regressor ? "For numbers there are %s."
                              : "There are %s.",
               text_string(&names));
    if (names.failed)
        status = fail_no_memory(err);
    text_deinit(&names);
    return status;
}

static const char *name_of(struct slice word)
{
    for (size_t i = 0; i < estimator_count; i++)
        if (slice_is_fold(word, estimators[i].name))
            return estimators[i].name;
    return NULL;
}

/* DeepFM is two models here, of classes and of numbers; NaiveBayesClassifier is one without the
 * ending. */
static bool hint_ending(struct slice word, struct error *err)
{
    static const char *const endings[] = {"Classifier", "Regressor"};
    char longer[2][64];
    const char *names[2];

    for (size_t i = 0; i < 2; i++) {
        const size_t size = strlen(endings[i]);
        const char *shorter = NULL;

        if (word.size > size &&
            slice_is_fold((struct slice){word.data + word.size - size, size}, endings[i]))
            shorter = name_of((struct slice){word.data, word.size - size});
        if (shorter) {
            error_hint(err, "Did you mean %s?", shorter);
            return true;
        }
        snprintf(longer[i], sizeof longer[i], "%.*s%s", SLICE_FORMAT(slice_prefix(word, 40)),
                 endings[i]);
        names[i] = name_of(slice_of(longer[i]));
    }
    if (names[0] && names[1])
        error_hint(err, "%s learns classes, %s numbers.", names[0], names[1]);
    else if (names[0] || names[1])
        error_hint(err, "Did you mean %s?", names[0] ? names[0] : names[1]);
    return names[0] || names[1];
}

static enum status refuse_unknown(const struct name *name, struct slice word, struct error *err)
{
    const char *names[ESTIMATOR_NAMES_MAX];
    size_t count = 0;
    enum status status;
    int nearest;

    for (size_t i = 0; i < estimator_count && count < ESTIMATOR_NAMES_MAX; i++)
        names[count++] = estimators[i].name;
    for (size_t i = 0; i < later_estimator_count && count < ESTIMATOR_NAMES_MAX; i++)
        names[count++] = later_estimators[i].name;
    nearest = text_nearest(word, names, count);
    if (nearest < 0)
        nearest = text_nearest(without_packages(word), names, count);
    status = fail_at(err, STATUS_INVALID, name->position, "unknown model \"%.*s\"",
                     SLICE_FORMAT(name->text));
    if (other_model_hint(without_packages(word), err) || hint_ending(without_packages(word), err))
        return status;
    if (nearest >= 0)
        return error_hint(err, "Did you mean %s?", names[nearest]);
    return hint_estimators(word, status, err);
}

enum status estimator_find(const struct name *name, const struct estimator **estimator,
                           struct error *err)
{
    const struct slice word = without_namespace(name->text);
    const struct later_name *later = later_find(later_estimators, later_estimator_count, word);

    if (definition_is_name(name->text)) {
        *estimator = estimator_defined();
        return STATUS_OK;
    }
    for (size_t i = 0; i < estimator_count; i++) {
        if (!slice_is_fold(word, estimators[i].name))
            continue;
        *estimator = &estimators[i];
        return STATUS_OK;
    }
    if (!later)
        return refuse_unknown(name, word, err);
    fail_at(err, STATUS_UNSUPPORTED, name->position, "model \"%s\" is not supported yet",
            later->name);
    return other_model_hint(word, err) ? STATUS_UNSUPPORTED
                                       : hint_estimators(word, STATUS_UNSUPPORTED, err);
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* The one of two that has the name of another; NULL: none has. */
static const struct estimator *find_namesake(const struct estimator two[2],
                                             const struct estimator *estimator)
{
    for (int i = 0; i < 2; i++)
        if (strcmp(two[i].name, estimator->name) == 0)
            return &two[i];
    return NULL;
}

const struct estimator *estimator_boosted(const struct estimator *estimator, struct slice booster)
{
    return slice_is_fold(booster, "gblinear") ? find_namesake(linear_estimators, estimator) : NULL;
}

const struct estimator *estimator_embedded(const struct estimator *estimator)
{
    return find_namesake(embedded_estimators, estimator);
}

bool estimator_is_of_two(const struct estimator *estimator)
{
    return estimator->fixed == beside_factors;
}

const struct estimator *estimator_defined(void)
{
    return &defined_estimators[0];
}

const struct estimator *estimator_minimising(void)
{
    return &defined_estimators[2];
}

const struct estimator *estimator_beside(const struct estimator *estimator)
{
    if (estimator->kind == &graph_kind && !task_has_label(estimator->task))
        return NULL;
    if (estimator->kind == &graph_kind) /* by whatever name */
        return &defined_estimators[estimator->task == TASK_CLASSIFICATION];
    for (size_t i = 0; i < estimator_count; i++)
        if (&estimators[i] != estimator && estimators[i].kind == estimator->kind &&
            strcmp(estimators[i].name, estimator->name) == 0)
            return &estimators[i];
    return NULL;
}

const char *estimator_default(const struct estimator *estimator, const struct attribute *attribute)
{
    const struct estimator_default *own = estimator->defaults;

    while (own && own->attribute && strcmp(own->attribute, attribute->name) != 0)
        own++;
    return own ? own->value : NULL;
}

struct attribute estimator_attribute(const struct estimator *estimator,
                                     const struct attribute *attribute)
{
    const char *value = estimator ? estimator_default(estimator, attribute) : NULL;
    struct attribute own = estimator ? *attribute_of_kind(attribute, estimator->kind) : *attribute;

    if (estimator && !estimator->kind->keeps_best &&
        strcmp(attribute->name, "train.early_stopping") == 0)
        value = "0";
    if (value) {
        own.default_value = value;
        own.is_automatic = false;
    }
    return own;
}

bool estimator_uses(const struct estimator *estimator, const struct attribute *attribute)
{
    const bool is_known = attribute_is_of_kind(attribute, estimator->kind) ||
                          (attribute_is_of_all_kinds(attribute) &&
                           (!attribute->of_graphs || estimator->kind->has_calls) &&
                           (!attribute->of_servers || estimator->kind->lies_on_servers) &&
                           !is_among(estimator->kind->without, attribute->name));

    return is_known && (attribute->scope & SCOPE_TRAIN) &&
           !is_among(estimator->fixed, attribute->name) &&
           (attribute->tasks == 0 || (attribute->tasks >> estimator->task & 1));
}
