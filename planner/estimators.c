#include "planner/estimators.h"

#include <string.h>

#include "kinds/kmeans/kmeans_kind.h"
#include "kinds/network/network_kind.h"
#include "params/attribute.h"
#include "parser/statement.h"
#include "planner/attributes.h"
#include "planner/later.h"

static const char *const none[] = {NULL};
static const char *const hidden_layers[] = {"model.hidden_units", "model.activation",
                                            "model.dropout", NULL};
#define LINEAR hidden_layers, "a model without hidden layers"

/* clang-format off: one row, one estimator. */
const struct estimator estimators[] = {
    {"LinearClassifier", &network_kind, TASK_CLASSIFICATION, LINEAR,
     "Logistic or softmax regression."},
    {"LinearRegressor", &network_kind, TASK_REGRESSION, LINEAR,
     "Linear regression with squared loss."},
    {"DNNClassifier", &network_kind, TASK_CLASSIFICATION, none, NULL,
     "Feed-forward network for classes."},
    {"DNNRegressor", &network_kind, TASK_REGRESSION, none, NULL,
     "Feed-forward network for numbers."},
    {"KMeans", &kmeans_kind, TASK_CLUSTERING, none, NULL, "Clusters around means."},
};
/* clang-format on */

const size_t estimator_count = sizeof estimators / sizeof *estimators;

/* clang-format off: one row, one model of scikit-learn's, BigQuery ML's or MADlib's. */
static const struct {
    const char *name, *here;
} of_others[] = {
    {"LogisticRegression", "LinearClassifier"},
    {"LogisticRegressionCV", "LinearClassifier"},
    {"LogisticRegressor", "LinearClassifier"},
    {"logistic_reg", "LinearClassifier"},
    {"logregr", "LinearClassifier"},
    {"Logit", "LinearClassifier"},
    {"SGDClassifier", "LinearClassifier"},
    {"RidgeClassifier", "LinearClassifier"},
    {"SVC", "LinearClassifier"},
    {"LinearSVC", "LinearClassifier"},
    {"LinearRegression", "LinearRegressor"},
    {"linear_reg", "LinearRegressor"},
    {"linregr", "LinearRegressor"},
    {"OLS", "LinearRegressor"},
    {"Ridge", "LinearRegressor"},
    {"Lasso", "LinearRegressor"},
    {"ElasticNet", "LinearRegressor"},
    {"SGDRegressor", "LinearRegressor"},
    {"SVR", "LinearRegressor"},
    {"MLPClassifier", "DNNClassifier"},
    {"dnn_classifier", "DNNClassifier"},
    {"MLPRegressor", "DNNRegressor"},
    {"dnn_regressor", "DNNRegressor"},
    {"MLP", "DNNClassifier or DNNRegressor"},
    {"DNN", "DNNClassifier or DNNRegressor"},
    {"NeuralNetwork", "DNNClassifier or DNNRegressor"},
    {"MiniBatchKMeans", "KMeans"},
    {"k_means", "KMeans"},
};
/* clang-format on */

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

void estimators_append(const struct attribute *attribute, struct text *out)
{
    size_t count = 0, written = 0;

    for (size_t i = 0; i < estimator_count; i++)
        count += !attribute || estimator_uses(&estimators[i], attribute);
    for (size_t i = 0; i < estimator_count; i++) {
        if (attribute && !estimator_uses(&estimators[i], attribute))
            continue;
        text_append_separator(out, written++, count);
        text_append_string(out, estimators[i].name);
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

static bool fits_name(const struct estimator *estimator, bool is_classifier, bool is_regressor)
{
    if (is_classifier || is_regressor)
        return estimator->task == (is_classifier ? TASK_CLASSIFICATION : TASK_REGRESSION);
    return true;
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
    status = fail_at(err, STATUS_INVALID, name->position, "unknown model \"%.*s\"",
                     SLICE_FORMAT(name->text));
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        if (slice_is_fold(word, of_others[i].name))
            return error_hint(err, "It is called %s here.", of_others[i].here);
    if (nearest >= 0)
        return error_hint(err, "Did you mean %s?", names[nearest]);
    return hint_estimators(word, status, err);
}

enum status estimator_find(const struct name *name, const struct estimator **estimator,
                           struct error *err)
{
    const struct slice word = without_namespace(name->text);
    const struct later_name *later = later_find(later_estimators, later_estimator_count, word);

    for (size_t i = 0; i < estimator_count; i++) {
        if (!slice_is_fold(word, estimators[i].name))
            continue;
        *estimator = &estimators[i];
        return STATUS_OK;
    }
    if (!later)
        return refuse_unknown(name, word, err);
    return hint_estimators(word,
                           fail_at(err, STATUS_UNSUPPORTED, name->position,
                                   "model \"%s\" is not supported yet", later->name),
                           err);
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

bool estimator_uses(const struct estimator *estimator, const struct attribute *attribute)
{
    const bool is_known = attribute_is_of_kind(attribute, estimator->kind) ||
                          (attribute_is_of_all_kinds(attribute) &&
                           !is_among(estimator->kind->without, attribute->name));

    return is_known && (attribute->scope & SCOPE_TRAIN) &&
           !is_among(estimator->fixed, attribute->name) &&
           (attribute->tasks == 0 || (attribute->tasks >> estimator->task & 1));
}
