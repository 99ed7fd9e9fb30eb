#include "kinds/network/network_loss.h"

const char *const network_loss_words[] = {
    "auto",    "squared_error", "absolute_error", "huber", "quantile",      "log_loss", "focal",
    "poisson", "gamma",         "tweedie",        "hinge", "squared_hinge", "log_cosh", NULL};
const struct word_alias network_loss_aliases[] = {
    {"mse", "squared_error"},
    {"mean_squared_error", "squared_error"},
    {"MeanSquaredError", "squared_error"},
    {"mae", "absolute_error"},
    {"mean_absolute_error", "absolute_error"},
    {"MeanAbsoluteError", "absolute_error"},
    {"pinball", "quantile"},
    {"logcosh", "log_cosh"},
    {"LogCosh", "log_cosh"},
    {"logistic", "log_loss"},
    {"softmax", "log_loss"},
    {"cross_entropy", "log_loss"},
    {"binary_crossentropy", "log_loss"},
    {"BinaryCrossentropy", "log_loss"},
    {"categorical_crossentropy", "log_loss"},
    {"CategoricalCrossentropy", "log_loss"},
    {"sparse_categorical_crossentropy", "log_loss"},
    {"SparseCategoricalCrossentropy", "log_loss"},
    {"PoissonNLLLoss", "poisson"},
    {"count:poisson", "poisson"},
    {"reg:gamma", "gamma"},
    {"reg:tweedie", "tweedie"},
    {"SquaredHinge", "squared_hinge"},
    {NULL, NULL},
};

#define OF_MARGINS      (1u << NETWORK_HINGE | 1u << NETWORK_SQUARED_HINGE)
#define OF_CLASSES      (1u << NETWORK_LOG_LOSS | 1u << NETWORK_FOCAL | OF_MARGINS)
#define OF_EXPONENTIALS (1u << NETWORK_POISSON | 1u << NETWORK_GAMMA | 1u << NETWORK_TWEEDIE)

/* Which losses look at an attribute. */
static const struct {
    const char *attribute;
    unsigned losses; /* bits */
} uses[] = {
    {"model.huber_delta", 1u << NETWORK_HUBER},
    {"model.quantile_level", 1u << NETWORK_QUANTILE},
    {"model.tweedie_power", 1u << NETWORK_TWEEDIE},
    {"model.focal_gamma", 1u << NETWORK_FOCAL},
    {"model.label_smoothing", 1u << NETWORK_LOG_LOSS},
};

static unsigned losses_of(const char *attribute)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (slice_is(slice_of(attribute), uses[i].attribute))
            return uses[i].losses;
    return ~0u;
}

bool network_loss_uses(const struct network_params *network, const struct attribute *attribute)
{
    return losses_of(attribute->name) >> network->loss & 1;
}

enum label_link network_link(const struct kind_params *params)
{
    const unsigned loss = 1u << network_params(params)->loss;

    return loss & OF_EXPONENTIALS ? LABEL_LINK_EXP
           : loss & OF_MARGINS    ? LABEL_LINK_MARGIN
                                  : LABEL_LINK_NONE;
}

bool network_squares_errors(const struct kind_params *params)
{
    const enum network_loss loss = network_params(params)->loss;

    return loss == NETWORK_LOSS_AUTOMATIC || loss == NETWORK_SQUARED_ERROR;
}

enum aim network_aim(const struct kind_params *params, enum task task)
{
    (void)task;
    return network_link(params) == LABEL_LINK_MARGIN ? AIM_MARGINS : AIM_MEANS;
}

static enum status check_task(const struct network_params *network,
                              const struct kind_settings *settings, int position, struct error *err)
{
    const bool is_of_classes = OF_CLASSES >> network->loss & 1;

    if (is_of_classes == (settings->task == TASK_CLASSIFICATION))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position, "the loss %s does not fit a %s",
            network_loss_words[network->loss], task_models[settings->task]);
    return error_hint(err,
                      "Numbers are learned by squared_error, absolute_error, huber, log_cosh, "
                      "quantile, poisson, gamma and tweedie, classes by log_loss, focal, hinge and "
                      "squared_hinge.");
}

/* Where the statement says how many there are; else the learner looks at the rows. */
static enum status check_classes(const struct network_params *network,
                                 const struct kind_settings *settings, int position,
                                 struct error *err)
{
    if (!(OF_MARGINS >> network->loss & 1) || settings->classes <= 2)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position, "the loss %s needs two classes, and there are %u",
            network_loss_words[network->loss], settings->classes);
    return error_hint(err, "More classes are learned by log_loss and focal.");
}

enum status network_loss_settle(struct network_params *network,
                                const struct kind_settings *settings, struct error *err)
{
    struct slice spelled;
    int position = -1;

    (void)settings->find(settings->context, "model.loss", &spelled, &position);
    if (network->loss == NETWORK_LOSS_AUTOMATIC)
        network->loss =
            settings->task == TASK_CLASSIFICATION ? NETWORK_LOG_LOSS : NETWORK_SQUARED_ERROR;
    TRY(check_task(network, settings, position, err));
    TRY(check_classes(network, settings, position, err));
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if ((uses[i].losses >> network->loss & 1) ||
            !settings->find(settings->context, uses[i].attribute, &spelled, &position))
            continue;
        fail_at(err, STATUS_INVALID, position, "attribute \"%.*s\" has no use with the loss %s",
                SLICE_FORMAT(spelled), network_loss_words[network->loss]);
        for (unsigned loss = 0; network_loss_words[loss]; loss++)
            if (uses[i].losses >> loss & 1)
                return error_hint(err, "It belongs to model.loss = '%s'.",
                                  network_loss_words[loss]);
    }
    return STATUS_OK;
}
