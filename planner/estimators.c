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

/* The error stays what it is; the hint names all that there are. */
static enum status hint_estimators(enum status status, struct error *err)
{
    struct text names;

    text_init(&names, TEXT_MAXIMUM);
    estimators_append(NULL, &names);
    error_hint(err, "There are %s.", text_string(&names));
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
    if (nearest >= 0)
        return error_hint(err, "Did you mean %s?", names[nearest]);
    return hint_estimators(status, err);
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
    return hint_estimators(fail_at(err, STATUS_UNSUPPORTED, name->position,
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
