#include "kinds/network/network_attributes.h"

#include "kinds/network/network_loss.h"
#include "kinds/network/network_optimizer.h"
#include "params/attribute_rows.h"

_Static_assert(sizeof(struct network_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

_Static_assert((int)NETWORK_ACTIVATION_RELU == (int)ACTIVATION_RELU &&
                   (int)NETWORK_ACTIVATION_SOFTSIGN == (int)ACTIVATION_SOFTSIGN,
               "an activation that a statement names has its own number");
#define X(name, word) word,
const char *const network_activation_words[] = {ACTIVATION_MAP(X) "auto", NULL};
#undef X
const struct word_alias network_activation_aliases[] = {
    {"silu", "swish"}, {"linear", "identity"}, {NULL, NULL}};

ATTRIBUTE_TABLE(network_attributes, struct network_params, NETWORK_ATTRIBUTES)

bool network_uses(const struct kind_params *params, const struct attribute *attribute)
{
    return network_optimizer_uses(network_params(params), attribute) &&
           network_loss_uses(network_params(params), attribute);
}

enum status network_settle(struct kind_params *params, const struct kind_settings *settings,
                           struct error *err)
{
    TRY(network_loss_settle(network_params(params), settings, err));
    return network_optimizer_settle(network_params(params), settings, err);
}

/* A network for classes is trained less and held tighter than one for numbers: once it is right
 * about a row, its loss asks for ever greater weights. docs/learning.md has what was measured. */
static const struct kind_length linear = {.steps_least = 1000, .l2 = 1},
                                for_classes = {.steps_least = 200, .l2 = 6},
                                for_numbers = {
                                    .steps_least = 500, .epochs = 40, .steps_most = 4000, .l2 = 3};

#define GELU_ROWS_MOST 20000

static struct kind_length automatic_of(const struct network_params *network, enum task task)
{
    struct kind_length length = task == TASK_CLASSIFICATION ? for_classes : for_numbers;

    if (network->hidden_units.count == 0)
        length = linear;
    if (network->optimizer == OPTIMIZER_ADAMW || network->optimizer == OPTIMIZER_FTRL)
        length.l2 = 0; /* they have penalties of their own */
    return length;
}

struct kind_length network_length(const struct kind_params *params, enum task task)
{
    return automatic_of(network_params(params), task);
}

/* A linear model follows a line as far as the numbers go: cut, they would bend it. The few that are
 * left of a column of another range are no part of it. */
enum far_values network_far_values(const struct kind_params *params)
{
    return network_params(params)->hidden_units.count > 0 ? FAR_CUT : FAR_FEW;
}

/* A gelu learns small tables better than a relu, and takes 1.8 times the time of large ones. */
enum activation network_activation(const struct network_params *network, enum task task,
                                   uint64_t rows)
{
    if (network->activation != NETWORK_ACTIVATION_AUTOMATIC)
        return (enum activation)network->activation;
    return task == TASK_CLASSIFICATION && rows <= GELU_ROWS_MOST ? ACTIVATION_GELU
                                                                 : ACTIVATION_RELU;
}

double network_l2(const struct network_params *network, enum task task, uint64_t rows)
{
    if (network->l2 != REAL_AUTOMATIC)
        return network->l2;
    return automatic_of(network, task).l2 / (double)rows;
}

/* The number of outputs; a lower bound where the number of classes is not known. */
static double outputs_of(const struct kind_shape *shape)
{
    return shape->task == TASK_CLASSIFICATION && shape->classes > 2 ? shape->classes : 1;
}

void network_cost_learning(const struct network_params *network, double id_rows,
                           uint32_t slots_least, struct kind_cost *cost)
{
    cost->slots = network_optimizer_slots(network);
    if (cost->slots < slots_least)
        cost->slots = slots_least;
    cost->bytes = cost->parameters * optimizer_parameter_bytes(cost->slots);
    if (network->clip_norm > 0 || network->clip_value > 0)
        cost->bytes += cost->parameters * sizeof(float);
    if (id_rows >= TABLE_ROWS_LEAST)
        cost->bytes += id_rows * TABLE_ROW_BYTES;
}

uint32_t network_norm_parameters(const struct network_params *network)
{
    uint32_t units = 0;

    for (uint32_t i = 0; network->batch_norm && i < network->hidden_units.count; i++)
        units += network->hidden_units.items[i];
    return 4 * units;
}

/* A row's categories add one row of the first layer each. Norms go into a copy of all layers but
 * the first (runtime/learn/layers/hidden_norms.h). */
struct kind_cost network_cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const struct network_params *network = network_params(params);
    const uint32_t norms = network_norm_parameters(network);
    double rows = shape->dense + shape->id_rows, width = shape->dense + shape->ids, copied = 0;
    struct kind_cost cost = {0};

    for (uint32_t i = 0; i <= network->hidden_units.count; i++) {
        const double units =
            i < network->hidden_units.count ? network->hidden_units.items[i] : outputs_of(shape);

        cost.parameters += (rows + 1) * units;
        cost.multiplications += width * units;
        if (norms > 0 && i > 0)
            copied += (rows + 1) * units;
        rows = width = units;
    }
    cost.parameters += norms;
    network_cost_learning(network, shape->id_rows, 0, &cost);
    cost.bytes += copied * sizeof(float);
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
        .bytes = parameters * optimizer_parameter_bytes(0),
    };
}

void network_explain(const struct kind_params *params, const struct kind_shape *shape,
                     struct text *detail)
{
    const struct network_params *network = network_params(params);
    const double inputs = shape->dense + shape->ids;
    const enum activation activation =
        network_activation(network, shape->task, (uint64_t)shape->rows);
    const bool hangs_on_rows = network->activation == NETWORK_ACTIVATION_AUTOMATIC &&
                               activation == ACTIVATION_GELU && shape->rows == 0;

    text_printf(detail, "%.0f input%s", inputs, inputs == 1 ? "" : "s");
    for (uint32_t i = 0; i < network->hidden_units.count; i++)
        text_printf(detail, ", %u %s", network->hidden_units.items[i],
                    activation_words[activation]);
    if (hangs_on_rows && network->hidden_units.count > 0)
        text_printf(detail, " (relu above %d training rows)", GELU_ROWS_MOST);
    if (shape->task == TASK_REGRESSION)
        text_append_string(detail, ", 1 output");
    else if (shape->classes > 0)
        text_printf(detail, ", at most %u classes", shape->classes);
    else
        text_append_string(detail, ", as many classes as the data has");
}
