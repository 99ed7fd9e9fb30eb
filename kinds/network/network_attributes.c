#include "kinds/network/network_attributes.h"

#include "params/attribute_rows.h"

_Static_assert(sizeof(struct network_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

#define TRAIN SCOPE_TRAIN
/* object NULL: "network". */
#define STORED_AS(type, c_member, object, json)                                                    \
    STORED_IN(struct network_params, type, c_member, object, json)
#define STORED(type, c_member, object) STORED_AS(type, c_member, object, #c_member)

/* clang-format off: one row, one attribute. */
static const struct attribute network_rows[] = {
    {.name = "model.hidden_units",
     .type = ATTRIBUTE_INTEGERS,
     .scope = TRAIN,
     .least = 1,
     .most = HIDDEN_UNITS_MAX,
     .help = "Units of each hidden layer, from the inputs on, as in [64, 32]; up to 16 layers. "
             "Required.",
     STORED(COUNTS, hidden_units, NULL),
     .example = "Two hidden layers of 64 and 32 units are WITH model.hidden_units = [64, 32]."},
    {WORD("model.activation", TRAIN, "relu", activation_words,
          WORDS("elu", "selu", "gelu", "leaky_relu", "softplus", "softsign", "swish"),
          "Activation of the hidden layers."),
     STORED(ENUM, activation, NULL)},
    {REAL("model.dropout", TRAIN, 0, 0.99, "0", "Share of hidden units zeroed in each step."),
     STORED(REAL, dropout, NULL)},
    {WORD("model.optimizer", TRAIN, "Adam", optimizer_words,
          WORDS("Adadelta", "RMSprop", "Adamax", "Nadam", "AMSGrad", "FTRL"),
          "The rule that turns gradients into steps."),
     STORED_AS(ENUM, optimizer, "optimizer", "name")},
    {REAL("model.l1", TRAIN, 0, 1e6, "0",
          "Weight of the sum of absolute weights in the loss; biases are exempt."),
     STORED(REAL, l1, NULL)},
    {REAL("model.l2", TRAIN, 0, 1e6, "0",
          "Weight of half the sum of squared weights in the loss; biases are exempt."),
     STORED(REAL, l2, NULL)},
    {REAL("optimizer.learning_rate", TRAIN, 1e-12, 100, NULL,
          "Size of a step. Default: 0.01 for Adam, 0.05 for Adagrad, 0.01 for SGD, Momentum and "
          "Nesterov."),
     STORED(REAL, learning_rate, "optimizer")},
    {REAL("optimizer.momentum", TRAIN, 0, 0.9999, "0.9",
          "Share of the last step that is taken again. Momentum and Nesterov; with SGD it makes "
          "Momentum of it."),
     STORED(REAL, momentum, "optimizer")},
    {REAL("optimizer.beta1", TRAIN, 0, 0.9999, "0.9", "Decay of the mean of gradients. Adam."),
     STORED(REAL, beta1, "optimizer")},
    {REAL("optimizer.beta2", TRAIN, 0, 0.999999, "0.999",
          "Decay of the mean of squared gradients. Adam."),
     STORED(REAL, beta2, "optimizer")},
    {REAL("optimizer.epsilon", TRAIN, 1e-16, 1, "1e-08",
          "Keeps the divisor from zero. Adam and Adagrad."),
     STORED(REAL, epsilon, "optimizer")},
    {REAL("optimizer.initial_accumulator_value", TRAIN, 0, 1e6, "0.1",
          "Where the sum of squared gradients starts. Adagrad."),
     STORED(REAL, initial_accumulator, "optimizer")},
    {WORD("optimizer.schedule", TRAIN, "trapezoidal", schedule_words,
          WORDS("exponential", "step", "polynomial"),
          "How the learning rate goes from its value to zero over the planned steps; trapezoidal: "
          "it stays for three quarters of them and falls linearly in the last."),
     STORED(ENUM, schedule, "optimizer")},
};
/* clang-format on */

/* Keras' and PyTorch's spellings. */
static const struct attribute_alias aliases[] = {
    {"optimizer", "model.optimizer"},
    {"optimizer.name", "model.optimizer"},
    {"optimizer.lr", "optimizer.learning_rate"},
    {"optimizer.beta_1", "optimizer.beta1"},
    {"optimizer.beta_2", "optimizer.beta2"},
    {"optimizer.l1", "model.l1"},
    {"optimizer.l2", "model.l2"},
};

const struct attribute_table network_attributes = {
    network_rows,
    sizeof network_rows / sizeof *network_rows,
    aliases,
    sizeof aliases / sizeof *aliases,
};

/* Which optimizers look at an attribute of optimizer.*; what is not here, all. */
static const struct {
    const char *attribute;
    unsigned optimizers; /* bits 1 << OPTIMIZER_... */
} uses[] = {
    {"optimizer.momentum", 1 << OPTIMIZER_MOMENTUM | 1 << OPTIMIZER_NESTEROV},
    {"optimizer.beta1", 1 << OPTIMIZER_ADAM},
    {"optimizer.beta2", 1 << OPTIMIZER_ADAM},
    {"optimizer.epsilon", 1 << OPTIMIZER_ADAM | 1 << OPTIMIZER_ADAGRAD},
    {"optimizer.initial_accumulator_value", 1 << OPTIMIZER_ADAGRAD},
};

bool network_uses(const struct kind_params *params, const struct attribute *attribute)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (slice_is(slice_of(attribute->name), uses[i].attribute))
            return uses[i].optimizers >> network_params(params)->optimizer & 1;
    return true;
}

/* "Adam and Adagrad" */
static void append_optimizers(unsigned optimizers, struct text *out)
{
    static const enum optimizer_kind order[] = {OPTIMIZER_MOMENTUM, OPTIMIZER_NESTEROV,
                                                OPTIMIZER_ADAM, OPTIMIZER_ADAGRAD, OPTIMIZER_SGD};

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (optimizers >> order[i] & 1)
            text_printf(out, "%s%s", out->size > 0 ? " and " : "", optimizer_words[order[i]]);
}

static enum status refuse_unused(const struct network_params *network, unsigned optimizers,
                                 struct slice spelled, int position, struct error *err)
{
    enum status status = STATUS_INVALID;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    append_optimizers(optimizers, &list);
    fail_at(err, status, position, "attribute \"%.*s\" has no use with the optimizer %s",
            SLICE_FORMAT(spelled), optimizer_words[network->optimizer]);
    error_hint(err, "It belongs to %s.", text_string(&list));
    if (list.failed)
        status = fail_no_memory(err);
    text_deinit(&list);
    return status;
}

enum status network_settle(struct kind_params *params, const struct kind_settings *settings,
                           struct error *err)
{
    struct network_params *network = network_params(params);
    struct slice spelled;
    int position;

    /* Keras and PyTorch know momentum as an argument of SGD. */
    if (network->optimizer == OPTIMIZER_SGD &&
        settings->find(settings->context, "optimizer.momentum", &spelled, &position))
        network->optimizer = OPTIMIZER_MOMENTUM;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!(uses[i].optimizers >> network->optimizer & 1) &&
            settings->find(settings->context, uses[i].attribute, &spelled, &position))
            return refuse_unused(network, uses[i].optimizers, spelled, position, err);
    if (network->learning_rate == 0)
        network->learning_rate = network->optimizer == OPTIMIZER_ADAGRAD ? .05 : .01;
    return STATUS_OK;
}

uint32_t network_slots(enum optimizer_kind optimizer)
{
    return optimizer == OPTIMIZER_SGD ? 0 : optimizer == OPTIMIZER_ADAM ? 2 : 1;
}

/* As many classes as there are at least, where that is not known. */
static double outputs_of(const struct kind_shape *shape)
{
    return shape->task == TASK_CLASSIFICATION && shape->classes > 2 ? shape->classes : 1;
}

struct kind_cost network_cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const struct network_params *network = network_params(params);
    double rows = shape->dense + shape->id_rows, width = shape->dense + shape->ids;
    struct kind_cost cost = {.slots = network_slots(network->optimizer)};

    for (uint32_t i = 0; i <= network->hidden_units.count; i++) {
        const double units =
            i < network->hidden_units.count ? network->hidden_units.items[i] : outputs_of(shape);

        cost.parameters += (rows + 1) * units;
        cost.multiplications += width * units;
        rows = width = units;
    }
    return cost;
}

/* From one input to one output. */
double network_list_cost(const double *units, size_t count)
{
    double rows = 1, parameters = 0;

    for (size_t i = 0; i < count; i++) {
        parameters += (rows + 1) * units[i];
        rows = units[i];
    }
    return parameters + rows + 1;
}

void network_explain(const struct kind_params *params, const struct kind_shape *shape,
                     struct text *detail)
{
    const struct network_params *network = network_params(params);
    const double inputs = shape->dense + shape->ids;

    text_printf(detail, "%.0f input%s", inputs, inputs == 1 ? "" : "s");
    for (uint32_t i = 0; i < network->hidden_units.count; i++)
        text_printf(detail, ", %u %s", network->hidden_units.items[i],
                    activation_words[network->activation]);
    if (shape->task == TASK_REGRESSION)
        text_append_string(detail, ", 1 output");
    else if (shape->classes > 0)
        text_printf(detail, ", at most %u classes", shape->classes);
    else
        text_append_string(detail, ", as many classes as the data has");
}
