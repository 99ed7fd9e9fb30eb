#include "planner/estimator.h"

#include <string.h>

/* clang-format off: one row, one estimator. */
#define READY(name, task, layers, help)                                                            \
    {                                                                                              \
        name, "network", task, layers, true, help                                                  \
    }
#define LATER(name, family, task, help)                                                            \
    {                                                                                              \
        name, family, task, false, false, help                                                     \
    }

const struct estimator estimators[] = {
    READY("LinearClassifier", TASK_CLASSIFICATION, false, "Logistic or softmax regression."),
    READY("LinearRegressor", TASK_REGRESSION, false, "Linear regression with squared loss."),
    READY("DNNClassifier", TASK_CLASSIFICATION, true, "Feed-forward network for classes."),
    READY("DNNRegressor", TASK_REGRESSION, true, "Feed-forward network for numbers."),

    LATER("DNNLinearCombinedClassifier", "network", TASK_CLASSIFICATION,
          "Wide and deep network for classes."),
    LATER("DNNLinearCombinedRegressor", "network", TASK_REGRESSION,
          "Wide and deep network for numbers."),
    LATER("WideAndDeepClassifier", "network", TASK_CLASSIFICATION,
          "Another name of DNNLinearCombinedClassifier."),
    LATER("WideAndDeepRegressor", "network", TASK_REGRESSION,
          "Another name of DNNLinearCombinedRegressor."),
    LATER("DeepFMClassifier", "network", TASK_CLASSIFICATION,
          "Click-through model: factorisation machine and network."),
    LATER("XDeepFMClassifier", "network", TASK_CLASSIFICATION,
          "Click-through model with compressed interactions."),
    LATER("DCNClassifier", "network", TASK_CLASSIFICATION, "Deep and cross network."),

    LATER("xgboost.gbtree", "trees", TASK_REGRESSION, "Boosted trees."),
    LATER("xgboost.dart", "trees", TASK_REGRESSION, "Boosted trees with dropout."),
    LATER("xgboost.gblinear", "trees", TASK_REGRESSION, "Boosted linear models."),
    LATER("XGBClassifier", "trees", TASK_CLASSIFICATION, "Boosted trees for classes."),
    LATER("XGBRegressor", "trees", TASK_REGRESSION, "Boosted trees for numbers."),
    LATER("XGBRFClassifier", "trees", TASK_CLASSIFICATION, "Random forest for classes."),
    LATER("XGBRFRegressor", "trees", TASK_REGRESSION, "Random forest for numbers."),
    LATER("XGBRanker", "trees", TASK_REGRESSION, "Boosted trees for rankings."),
    LATER("BoostedTreesClassifier", "trees", TASK_CLASSIFICATION, "Boosted trees for classes."),
    LATER("BoostedTreesRegressor", "trees", TASK_REGRESSION, "Boosted trees for numbers."),
    LATER("lightgbm.gbdt", "trees", TASK_REGRESSION, "Boosted trees with LightGBM's names."),
    LATER("RandomForestClassifier", "trees", TASK_CLASSIFICATION, "Random forest for classes."),
    LATER("RandomForestRegressor", "trees", TASK_REGRESSION, "Random forest for numbers."),

    LATER("KMeans", "clusters", TASK_CLASSIFICATION, "Clusters around means."),
    LATER("PCA", "components", TASK_REGRESSION, "Principal components."),
    LATER("OneClassSVM", "svm", TASK_CLASSIFICATION, "Finds what is unlike the rest."),
    LATER("DeepEmbeddingClusterModel", "clusters", TASK_CLASSIFICATION,
          "Clusters of a learned embedding."),
    LATER("NaiveBayes", "bayes", TASK_CLASSIFICATION, "Naive Bayes."),
    LATER("StackedRNNClassifier", "sequence", TASK_CLASSIFICATION,
          "Recurrent network for classes."),
    LATER("RNNBasedTimeSeriesModel", "sequence", TASK_REGRESSION,
          "Recurrent network for time series."),
    LATER("ARIMAWithSTLDecomposition", "sequence", TASK_REGRESSION, "ARIMA for time series."),
    LATER("ScoreCard", "card", TASK_CLASSIFICATION, "Score card."),
};
/* clang-format on */

const size_t estimator_count = sizeof estimators / sizeof *estimators;

#define ESTIMATOR_NAMES_MAX 64

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

static enum status refuse_unknown(const struct name *name, struct slice word, struct error *err)
{
    const char *names[ESTIMATOR_NAMES_MAX];
    size_t count = 0;
    int nearest;

    for (size_t i = 0; i < estimator_count && count < ESTIMATOR_NAMES_MAX; i++)
        names[count++] = estimators[i].name;
    nearest = text_nearest(word, names, count);
    fail_at(err, STATUS_INVALID, name->position, "unknown model \"%.*s\"",
            SLICE_FORMAT(name->text));
    if (nearest >= 0)
        return error_hint(err, "Did you mean %s?", names[nearest]);
    return error_hint(err, "There are LinearClassifier, LinearRegressor, DNNClassifier and "
                           "DNNRegressor.");
}

enum status estimator_find(const struct name *name, const struct estimator **estimator,
                           struct error *err)
{
    struct slice word = without_namespace(name->text);

    for (size_t i = 0; i < estimator_count; i++) {
        if (!slice_is_fold(word, estimators[i].name))
            continue;
        *estimator = &estimators[i];
        if (estimators[i].is_supported)
            return STATUS_OK;
        fail_at(err, STATUS_UNSUPPORTED, name->position, "model \"%s\" is not supported yet",
                estimators[i].name);
        return error_hint(err, "There are LinearClassifier, LinearRegressor, DNNClassifier and "
                               "DNNRegressor.");
    }
    return refuse_unknown(name, word, err);
}

bool estimator_uses(const struct estimator *estimator, const struct attribute *attribute)
{
    struct slice name = slice_of(attribute->name);

    if (!attribute->is_supported || !(attribute->scope & SCOPE_TRAIN))
        return false;
    if ((attribute->scope & SCOPE_NETWORK) && !estimator->has_hidden_layers)
        return false;
    return estimator->task != TASK_REGRESSION ||
           (!slice_is(name, "model.n_classes") && !slice_is(name, "train.class_weight"));
}
