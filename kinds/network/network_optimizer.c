#include "kinds/network/network_optimizer.h"

#include <math.h>

#define OF(kind)     (1u << OPTIMIZER_##kind)
#define OF_ADAM      (OF(ADAM) | OF(ADAMW) | OF(AMSGRAD) | OF(ADAMAX) | OF(NADAM))
#define DIVIDES      (OF_ADAM | OF(RMSPROP) | OF(ADADELTA) | OF(ADAGRAD))
#define AS(schedule) (1u << SCHEDULE_##schedule)
#define HAS_END      (AS(LINEAR) | AS(COSINE) | AS(POLYNOMIAL))
#define ANY          (~0u)
#define CHANGES_RATE (~OF(FTRL))

/* Which optimizers and schedules look at an attribute of optimizer.*; what is not here, all. */
static const struct {
    const char *attribute;
    unsigned optimizers, schedules; /* bits */
} uses[] = {
    {"optimizer.momentum", OF(MOMENTUM) | OF(NESTEROV) | OF(RMSPROP), ANY},
    {"optimizer.nesterov", OF(MOMENTUM) | OF(NESTEROV), ANY},
    {"optimizer.beta1", OF_ADAM, ANY},
    {"optimizer.beta2", OF_ADAM, ANY},
    {"optimizer.amsgrad", OF(ADAM) | OF(AMSGRAD), ANY},
    {"optimizer.rho", OF(RMSPROP) | OF(ADADELTA), ANY},
    {"optimizer.centered", OF(RMSPROP), ANY},
    {"optimizer.epsilon", DIVIDES, ANY},
    {"optimizer.initial_accumulator_value", OF(ADAGRAD) | OF(FTRL), ANY},
    {"optimizer.weight_decay", OF(ADAMW), ANY},
    {"optimizer.learning_rate_power", OF(FTRL), ANY},
    {"optimizer.l1_regularization_strength", OF(FTRL), ANY},
    {"optimizer.l2_regularization_strength", OF(FTRL), ANY},
    {"optimizer.warmup_steps", CHANGES_RATE, ANY},
    {"optimizer.decay_steps", CHANGES_RATE, HAS_END | AS(EXPONENTIAL) | AS(STEP)},
    {"optimizer.decay_rate", CHANGES_RATE, AS(EXPONENTIAL) | AS(STEP)},
    {"optimizer.staircase", CHANGES_RATE, AS(EXPONENTIAL) | AS(STEP)},
    {"optimizer.power", CHANGES_RATE, AS(POLYNOMIAL)},
    {"optimizer.end_learning_rate", CHANGES_RATE, AS(POLYNOMIAL)},
};

bool network_optimizer_uses(const struct network_params *network, const struct attribute *attribute)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (slice_is(slice_of(attribute->name), uses[i].attribute))
            return (uses[i].optimizers >> network->optimizer & 1) &&
                   (uses[i].schedules >> network->schedule & 1);
    return true;
}

uint32_t network_optimizer_slots(const struct network_params *network)
{
    return optimizer_slots(network->optimizer, network->momentum > 0, network->centered);
}

/* ---- what has no use ---- */

/* "Adam, AdamW and Nadam" */
static void append_words(const char *const *words, unsigned bits, struct text *out)
{
    size_t count = 0, done = 0;

    for (unsigned i = 0; words[i]; i++)
        count += bits >> i & 1;
    for (unsigned i = 0; words[i]; i++) {
        if (!(bits >> i & 1))
            continue;
        text_append_separator(out, done++, count);
        text_append_string(out, words[i]);
    }
}

static enum status refuse_unused(const char *what, const char *const *words, unsigned word,
                                 unsigned bits, struct slice spelled, int position,
                                 struct error *err)
{
    enum status status = STATUS_INVALID;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    append_words(words, bits, &list);
    fail_at(err, status, position, "attribute \"%.*s\" has no use with the %s %s",
            SLICE_FORMAT(spelled), what, words[word]);
    error_hint(err, "It belongs to %s.", text_string(&list));
    if (list.failed)
        status = fail_no_memory(err);
    text_deinit(&list);
    return status;
}

static enum status check_uses(const struct network_params *network,
                              const struct kind_settings *settings, struct error *err)
{
    struct slice spelled;
    int position;

    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (!settings->find(settings->context, uses[i].attribute, &spelled, &position))
            continue;
        if (!(uses[i].optimizers >> network->optimizer & 1))
            return refuse_unused("optimizer", optimizer_words, network->optimizer,
                                 uses[i].optimizers, spelled, position, err);
        if (!(uses[i].schedules >> network->schedule & 1))
            return refuse_unused("schedule", schedule_words, network->schedule, uses[i].schedules,
                                 spelled, position, err);
    }
    return STATUS_OK;
}

static int position_of(const struct kind_settings *settings, const char *attribute)
{
    struct slice spelled;
    int position = -1;

    (void)settings->find(settings->context, attribute, &spelled, &position);
    return position;
}

/* Where the rate falls, FTRL would take all weights to zero: it makes them of the sums of all
 * gradients by the rate of the last step. */
static enum status check_schedule(const struct network_params *network,
                                  const struct kind_settings *settings, struct error *err)
{
    const int position = position_of(settings, "optimizer.schedule");

    if (network->optimizer == OPTIMIZER_FTRL && network->schedule != SCHEDULE_CONSTANT) {
        fail_at(err, STATUS_INVALID, position, "the optimizer FTRL has no schedule but constant");
        return error_hint(err, "Its steps become smaller by themselves; "
                               "optimizer.learning_rate_power says how fast.");
    }
    if (network->schedule == SCHEDULE_STEP && network->decay_steps == 0) {
        fail_at(err, STATUS_INVALID, position, "the schedule step needs optimizer.decay_steps");
        return error_hint(
            err, "Write, for example, optimizer.decay_steps = 1000, optimizer.decay_rate = 0.5.");
    }
    if (network->schedule == SCHEDULE_POLYNOMIAL && network->end_rate > network->learning_rate)
        return fail_at(err, STATUS_INVALID, position_of(settings, "optimizer.end_learning_rate"),
                       "optimizer.end_learning_rate %g is above optimizer.learning_rate, which is "
                       "%g",
                       network->end_rate, network->learning_rate);
    return STATUS_OK;
}

/* ---- what a statement does not say ---- */

/* Steps of Adam have the size of the rate in each parameter, so the more units add up in the next
 * layer, the farther they move its sums. A linear model has one layer, and a convex loss. */
static double rate_of_adam(const struct counts *hidden_units)
{
    uint32_t widest = 64;

    if (hidden_units->count == 0)
        return .03;
    for (uint32_t i = 0; i < hidden_units->count; i++)
        if (hidden_units->items[i] > widest)
            widest = hidden_units->items[i];
    return .01 * sqrt(64.0 / widest);
}

double network_automatic_rate(enum optimizer_kind optimizer, const struct counts *hidden_units)
{
    switch (optimizer) {
    case OPTIMIZER_SGD:
    case OPTIMIZER_MOMENTUM:
    case OPTIMIZER_NESTEROV:
        return .01;
    case OPTIMIZER_ADAGRAD:
        return .05;
    case OPTIMIZER_FTRL:
        return .1;
    case OPTIMIZER_ADADELTA:
        return 1;
    default:
        return rate_of_adam(hidden_units);
    }
}

/* Other tools have these as arguments of SGD, Adam and of a schedule. */
static void settle_variants(struct network_params *network, const struct kind_settings *settings)
{
    if (network->optimizer == OPTIMIZER_SGD && position_of(settings, "optimizer.momentum") >= 0)
        network->optimizer = OPTIMIZER_MOMENTUM;
    if (network->is_nesterov &&
        (network->optimizer == OPTIMIZER_SGD || network->optimizer == OPTIMIZER_MOMENTUM))
        network->optimizer = OPTIMIZER_NESTEROV;
    if (network->is_amsgrad && network->optimizer == OPTIMIZER_ADAM)
        network->optimizer = OPTIMIZER_AMSGRAD;
    if (network->is_staircase && network->schedule == SCHEDULE_EXPONENTIAL)
        network->schedule = SCHEDULE_STEP;
}

static void settle_defaults(struct network_params *network, const struct kind_settings *settings)
{
    if (network->optimizer == OPTIMIZER_RMSPROP && position_of(settings, "optimizer.momentum") < 0)
        network->momentum = 0;
    if (network->optimizer == OPTIMIZER_ADADELTA && position_of(settings, "optimizer.epsilon") < 0)
        network->epsilon = 1e-6;
    if (network->optimizer == OPTIMIZER_FTRL && position_of(settings, "optimizer.schedule") < 0)
        network->schedule = SCHEDULE_CONSTANT;
    if (network->learning_rate == 0)
        network->learning_rate = network_automatic_rate(network->optimizer, &network->hidden_units);
}

enum status network_optimizer_settle(struct network_params *network,
                                     const struct kind_settings *settings, struct error *err)
{
    settle_variants(network, settings);
    settle_defaults(network, settings);
    TRY(check_uses(network, settings, err));
    return check_schedule(network, settings, err);
}
