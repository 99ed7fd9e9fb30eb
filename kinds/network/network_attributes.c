#include "kinds/network/network_attributes.h"

#include <math.h>

#include "params/attribute_rows.h"

_Static_assert(sizeof(struct network_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

ATTRIBUTE_TABLE(network_attributes, struct network_params, NETWORK_ATTRIBUTES)

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

/* Steps of Adam have the size of the rate in each parameter, so the more units add up in the next
 * layer, the farther they move its sums. A linear model has one layer, and a convex loss. */
static double automatic_rate(const struct network_params *network)
{
    uint32_t widest = 64;

    if (network->optimizer == OPTIMIZER_ADAGRAD)
        return .05;
    if (network->optimizer != OPTIMIZER_ADAM)
        return .01;
    if (network->hidden_units.count == 0)
        return .03;
    for (uint32_t i = 0; i < network->hidden_units.count; i++)
        if (network->hidden_units.items[i] > widest)
            widest = network->hidden_units.items[i];
    return .01 * sqrt(64.0 / widest);
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
        network->learning_rate = automatic_rate(network);
    return STATUS_OK;
}

/* A network for classes is trained less and held tighter than one for numbers: once it is right
 * about a row, its loss asks for ever greater weights. docs/learning.md has what was measured. */
static const struct kind_length linear = {.steps_least = 1000, .l2 = 1},
                                for_classes = {.steps_least = 200, .l2 = 6},
                                for_numbers = {
                                    .steps_least = 500, .epochs = 40, .steps_most = 4000, .l2 = 3};

static struct kind_length automatic_of(const struct network_params *network, enum task task)
{
    if (network->hidden_units.count == 0)
        return linear;
    return task == TASK_CLASSIFICATION ? for_classes : for_numbers;
}

struct kind_length network_length(const struct kind_params *params, enum task task)
{
    return automatic_of(network_params(params), task);
}

/* A linear model follows a line as far as the numbers go: cut, they would bend it. */
enum far_values network_far_values(const struct kind_params *params)
{
    return network_params(params)->hidden_units.count > 0 ? FAR_CUT : FAR_CODES;
}

double network_l2(const struct network_params *network, enum task task, uint64_t rows)
{
    if (network->l2 != REAL_AUTOMATIC)
        return network->l2;
    return automatic_of(network, task).l2 / (double)rows;
}

/* As many classes as there are at least, where that is not known. */
static double outputs_of(const struct kind_shape *shape)
{
    return shape->task == TASK_CLASSIFICATION && shape->classes > 2 ? shape->classes : 1;
}

/* A row's categories add one row of the first layer each. */
struct kind_cost network_cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const struct network_params *network = network_params(params);
    double rows = shape->dense + shape->id_rows, width = shape->dense + shape->ids;
    struct kind_cost cost = {.slots = optimizer_slots(network->optimizer)};

    for (uint32_t i = 0; i <= network->hidden_units.count; i++) {
        const double units =
            i < network->hidden_units.count ? network->hidden_units.items[i] : outputs_of(shape);

        cost.parameters += (rows + 1) * units;
        cost.multiplications += width * units;
        rows = width = units;
    }
    cost.bytes = cost.parameters * optimizer_parameter_bytes(network->optimizer);
    if (shape->id_rows >= TABLE_ROWS_LEAST)
        cost.bytes += (double)shape->id_rows * TABLE_ROW_BYTES;
    return cost;
}

/* From one input to one output, by the optimizer that keeps least. */
struct kind_cost network_list_cost(const double *units, size_t count)
{
    double rows = 1, parameters = 0;

    for (size_t i = 0; i < count; i++) {
        parameters += (rows + 1) * units[i];
        rows = units[i];
    }
    parameters += rows + 1;
    return (struct kind_cost){
        .parameters = parameters,
        .bytes = parameters * optimizer_parameter_bytes(OPTIMIZER_SGD),
    };
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
