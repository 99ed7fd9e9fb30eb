#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic/affine.h"
#include "base/random.h"
#include "kinds/network/network_attributes.h"
#include "runtime/learn/networks/network.h"
#include "tests/unit/learn_rows.h"

#define ROWS           24
#define PARAMETERS_MAX 2000
#define DIFFERENCE     1e-5
/* The gradient is computed in float, the differences in double. */
#define TOLERANCE 4e-6

struct fixture {
    struct dataset dataset;
    struct jobspec spec;
    struct network network;
    struct network_workspace space;
    float parameters[PARAMETERS_MAX];
    double exact[PARAMETERS_MAX];
    const float *weights; /* the rows' weights; NULL: all 1 */
};

/* Makes a network for the fixture's data set. */
static void fixture_make(struct fixture *fixture, uint32_t hidden_layers,
                         enum activation activation, double dropout)
{
    struct error err;

    fixture->weights = NULL;
    show_rows(&fixture->dataset);
    fixture->spec = made_spec(&fixture->dataset);
    network_params(&fixture->spec.params)->hidden_units.count = hidden_layers;
    network_params(&fixture->spec.params)->activation = (enum network_activation)activation;
    network_params(&fixture->spec.params)->dropout = dropout;
    CHECK_OK(network_init(&fixture->network, &fixture->spec, &fixture->dataset, &err));
    CHECK_OK(network_workspace_init(&fixture->space, &fixture->network, &err));
    CHECK(fixture->network.parameter_count <= PARAMETERS_MAX);
    for (uint32_t i = 0; i < fixture->network.parameter_count; i++) {
        fixture->parameters[i] = (float)(random_uniform(3, RANDOM_SIMULATION, 0, i) - 0.5);
        fixture->exact[i] = (double)fixture->parameters[i];
    }
}

static void fixture_open(struct fixture *fixture, struct rows_shape shape, uint32_t hidden_layers,
                         enum activation activation, double dropout)
{
    fixture->dataset = made_dataset(shape);
    fixture_make(fixture, hidden_layers, activation, dropout);
}

static void fixture_close(struct fixture *fixture)
{
    network_workspace_deinit(&fixture->space);
    made_dataset_close(&fixture->dataset);
}

static double activate(enum activation activation, double z)
{
    switch (activation) {
    case ACTIVATION_IDENTITY:
        return z;
    case ACTIVATION_RELU:
        return z > 0 ? z : 0;
    case ACTIVATION_TANH:
        return tanh(z);
    case ACTIVATION_SIGMOID:
        return 1 / (1 + exp(-z));
    case ACTIVATION_ELU:
        return z > 0 ? z : expm1(z);
    case ACTIVATION_SELU:
        return 1.0507009873554805 * (z > 0 ? z : 1.6732632423543772 * expm1(z));
    case ACTIVATION_LEAKY_RELU:
        return z > 0 ? z : 0.01 * z;
    case ACTIVATION_GELU:
        return z * erfc(-z * sqrt(0.5)) / 2;
    case ACTIVATION_SWISH:
        return z / (1 + exp(-z));
    case ACTIVATION_SOFTPLUS:
        return log1p(exp(z));
    case ACTIVATION_SOFTSIGN:
        return z / (1 + fabs(z));
    }
    return z;
}

/* Touched rows go from their places to where they are in the table. */
static void spread_rows(const struct network *network, struct network_workspace *space)
{
    static float table[PARAMETERS_MAX];
    const struct id_rows *ids = &network->ids;
    float *rows = space->gradient + ids->first;

    assert_in_range(ids->rows * ids->width, 0, PARAMETERS_MAX);
    memset(table, 0, sizeof table);
    for (uint32_t place = 0; place < space->touched.count; place++)
        memcpy(table + space->touched.rows[place] * ids->width, rows + place * ids->width,
               ids->width * sizeof *rows);
    memcpy(rows, table, (size_t)ids->rows * ids->width * sizeof *rows);
}

static void clear_space(const struct network *network, struct network_workspace *space)
{
    const struct id_rows *ids = &network->ids;

    memset(space->gradient + ids->first, 0, (size_t)ids->rows * ids->width * sizeof(float));
    network_workspace_clear(network, space);
}

static double gradient_of(const struct network *network, const float *parameters,
                          const struct lane_rows *rows, double divisor, uint64_t step,
                          struct network_workspace *space)
{
    float *transposed = calloc(network->transposed_count + 1, sizeof *transposed);
    struct lane_rows lane = *rows;
    double loss;

    lane.divisor = divisor;
    lane.step = step;
    network_transpose(network, parameters, transposed);
    loss = network_gradient(network, parameters, transposed, &lane, space).loss;
    free(transposed);
    return loss;
}

/* Half the squared error, or the log loss, of logits. */
static double loss_of(const struct fixture *fixture, const double *z, uint32_t row)
{
    const struct dataset_part *part = &fixture->dataset.train;
    const uint32_t outputs = fixture->network.head.outputs;
    double sum = 0;

    if (fixture->network.head.task == TASK_REGRESSION)
        return (z[0] - (double)part->values[row]) * (z[0] - (double)part->values[row]) / 2;
    if (outputs == 1)
        return log(1 + exp(part->classes[row] ? -z[0] : z[0]));
    for (uint32_t j = 0; j < outputs; j++)
        sum += exp(z[j]);
    return log(sum) - z[part->classes[row]];
}

/* The weight of id k of a row: 1, or a word's share of its text. */
static double share_of(const struct fixture *fixture, uint32_t row, uint32_t k)
{
    const struct transform *transform = &fixture->dataset.transform;
    const int32_t *ids = fixture->dataset.train.ids + (size_t)row * transform->id_count;
    uint32_t used = 0;

    if (transform->text_count == 0 || k < transform->texts[0].first)
        return 1;
    for (uint32_t i = 0; i < transform->texts[0].count; i++)
        used += ids[transform->texts[0].first + i] >= 0;
    return 1 / sqrt(used);
}

/* z of a layer of one row, in double and plain loops. */
static void exact_sums(const struct fixture *fixture, uint32_t row, uint32_t l, const double *a,
                       double *z)
{
    const struct network *network = &fixture->network;
    const struct affine *layer = &network->layers[l];
    const int32_t *ids = fixture->dataset.train.ids + (size_t)row * network->ids.id_count;

    for (uint32_t j = 0; j < layer->width; j++) {
        z[j] = fixture->exact[layer->bias + j];
        for (uint32_t i = 0; i < layer->rows; i++)
            z[j] += a[i] * fixture->exact[layer->weights + i * layer->width + j];
        for (uint32_t k = 0; l == 0 && k < network->ids.id_count; k++)
            if (ids[k] >= 0)
                z[j] += share_of(fixture, row, k) *
                        fixture->exact[network->ids.first + (uint32_t)ids[k] * layer->width + j];
    }
}

/* Masks are as the space holds them. */
static void exact_activate(const struct fixture *fixture, uint32_t row, uint32_t l, double *z)
{
    const struct network *network = &fixture->network;
    const uint32_t width = network->layers[l].width;

    for (uint32_t j = 0; j < width; j++) {
        z[j] = activate(network->activation, z[j]);
        if (network->dropout.rate > 0)
            z[j] *= (double)fixture->space.masks[l][row * width + j];
    }
}

static void exact_normalize(const struct fixture *fixture, uint32_t l, double a[ROWS][64])
{
    const struct batch_norm *norm = &fixture->network.norms.layers[l];

    for (uint32_t j = 0; j < norm->width; j++) {
        double mean = 0, variance = 0;

        for (uint32_t row = 0; row < ROWS; row++)
            mean += a[row][j] / ROWS;
        for (uint32_t row = 0; row < ROWS; row++)
            variance += (a[row][j] - mean) * (a[row][j] - mean) / ROWS;
        for (uint32_t row = 0; row < ROWS; row++)
            a[row][j] = (a[row][j] - mean) / sqrt(variance + BATCH_NORM_EPSILON) *
                            fixture->exact[norm->gamma + j] +
                        fixture->exact[norm->beta + j];
    }
}

static double weight_of(const struct fixture *fixture, uint32_t row)
{
    const float *of_classes = fixture->dataset.class_weights;
    const double weight = of_classes ? (double)of_classes[fixture->dataset.train.classes[row]] : 1;

    return fixture->weights ? weight * (double)fixture->weights[row] / 2 : weight;
}

static double exact_total(const struct fixture *fixture)
{
    const struct network *network = &fixture->network;
    const uint32_t dense = network->dense_width, last = network->layer_count - 1;
    static double a[ROWS][64], z[ROWS][64];
    double total = 0;

    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t i = 0; i < dense; i++)
            a[row][i] = (double)fixture->dataset.train.dense[row * dense + i];
    for (uint32_t l = 0; l <= last; l++) {
        for (uint32_t row = 0; row < ROWS; row++)
            exact_sums(fixture, row, l, a[row], z[row]);
        for (uint32_t row = 0; l < last && row < ROWS; row++)
            exact_activate(fixture, row, l, z[row]);
        if (l < last && network->norms.count)
            exact_normalize(fixture, l, z);
        memcpy(a, z, sizeof a);
    }
    for (uint32_t row = 0; row < ROWS; row++)
        total += weight_of(fixture, row) * loss_of(fixture, z[row], row);
    return total;
}

static struct lane_rows all_rows(const struct fixture *fixture)
{
    return (struct lane_rows){
        .dataset = &fixture->dataset,
        .part = &fixture->dataset.train,
        .class_weights = fixture->dataset.class_weights,
        .sample_weights = fixture->weights,
        .weight_share = 0.5f,
        .count = ROWS,
    };
}

static void check_gradient(struct fixture *fixture)
{
    const struct lane_rows rows = all_rows(fixture);
    double loss =
        gradient_of(&fixture->network, fixture->parameters, &rows, ROWS, 0, &fixture->space);
    double expected =
        exact_total(fixture) * (fixture->network.head.task == TASK_REGRESSION ? 2 : 1);

    spread_rows(&fixture->network, &fixture->space);
    CHECK(fabs(loss - expected) <= 1e-5 * expected);
    for (uint32_t i = 0; i < fixture->network.parameter_count; i++) {
        const double here = fixture->exact[i];
        double above, below, slope;

        if (fixture->network.norms.count && i >= fixture->network.norms.layers[0].mean)
            break; /* running means and variances have none */

        fixture->exact[i] = here + DIFFERENCE;
        above = exact_total(fixture);
        fixture->exact[i] = here - DIFFERENCE;
        below = exact_total(fixture);
        fixture->exact[i] = here;
        slope = (above - below) / (2 * DIFFERENCE) / ROWS;
        if (fabs(slope - (double)fixture->space.gradient[i]) > TOLERANCE * (1 + fabs(slope)))
            check_failed("parameter %u: gradient %.9g, differences %.9g", i,
                         (double)fixture->space.gradient[i], slope);
    }
}

static void the_gradient_is_that_of_finite_differences(void **state)
{
    const struct rows_shape shapes[] = {
        {ROWS, 0, 6, 0, 0, 0},  {ROWS, 0, 6, 0, 0, 2},  {ROWS, 0, 6, 0, 0, 4},
        {ROWS, 0, 3, 2, 10, 0}, {ROWS, 0, 3, 2, 10, 2}, {ROWS, 0, 0, 3, 12, 5},
    };

    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int activation = 0; activation_words[activation]; activation++) {
            for (uint32_t hidden = 0; hidden <= 2; hidden++) {
                struct fixture fixture;

                fixture_open(&fixture, shapes[s], hidden, (enum activation)activation, 0);
                for (uint32_t i = 0; i < shapes[s].classes; i++)
                    fixture.dataset.class_weights[i] = 0.5f + (float)i;
                check_gradient(&fixture);
                fixture_close(&fixture);
            }
        }
    }
}

static void rows_have_weights_of_their_own(void **state)
{
    const struct rows_shape shapes[] = {
        {ROWS, 0, 6, 0, 0, 0}, {ROWS, 0, 6, 0, 0, 2}, {ROWS, 0, 6, 2, 10, 4}};
    float weights[ROWS];
    (void)state;

    for (uint32_t row = 0; row < ROWS; row++)
        weights[row] = (float)(row % 4);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct fixture fixture;

        fixture_open(&fixture, shapes[s], 1, ACTIVATION_TANH, 0);
        fixture.weights = weights;
        check_gradient(&fixture);
        fixture_close(&fixture);
    }
}

static void of_a_text_each_word_has_its_share_of_the_gradient(void **state)
{
    const struct rows_shape shape = {ROWS, 0, 2, 6, 30, 3};

    (void)state;
    for (uint32_t words = 4; words <= 6; words += 2) {
        struct fixture fixture;

        fixture.dataset = made_text_dataset(shape, words);
        fixture_make(&fixture, 1, ACTIVATION_TANH, 0);
        check_gradient(&fixture);
        fixture_close(&fixture);
    }
}

static void the_gradient_goes_through_dropout(void **state)
{
    (void)state;
    for (int activation = 0; activation_words[activation]; activation++) {
        struct fixture fixture;

        fixture_open(&fixture, (struct rows_shape){ROWS, 0, 4, 2, 6, 3}, 2,
                     (enum activation)activation, 0.4);
        check_gradient(&fixture);
        fixture_close(&fixture);
    }
}

/* The fixture's network anew, with norms behind its hidden layers. */
static void fixture_normalize(struct fixture *fixture)
{
    struct network *network = &fixture->network;
    struct error err;

    network_workspace_deinit(&fixture->space);
    network_params(&fixture->spec.params)->batch_norm = true;
    CHECK_OK(network_init(network, &fixture->spec, &fixture->dataset, &err));
    CHECK_OK(network_workspace_init(&fixture->space, network, &err));
    CHECK(network->parameter_count <= PARAMETERS_MAX);
    for (uint32_t i = network->norms.first; i < network->parameter_count; i++) {
        fixture->parameters[i] = (float)(random_uniform(4, RANDOM_SIMULATION, 0, i) + 0.5);
        fixture->exact[i] = (double)fixture->parameters[i];
    }
}

static void the_gradient_goes_through_batch_normalization(void **state)
{
    (void)state;
    for (int activation = 0; activation_words[activation]; activation++)
        for (uint32_t hidden = 1; hidden <= 2; hidden++) {
            struct fixture fixture;

            fixture_open(&fixture, (struct rows_shape){ROWS, 0, 4, 2, 6, 3}, hidden,
                         (enum activation)activation, hidden == 1 ? 0.4 : 0);
            fixture_normalize(&fixture);
            check_gradient(&fixture);
            network_deinit(&fixture.network);
            fixture_close(&fixture);
        }
}

/* The stored weights include the norms: they compute what the network computes for rows that it
 * does not learn from. */
static void a_stored_network_has_its_norms_in_its_weights(void **state)
{
    const struct rows_shape shape = {ROWS, 0, 4, 2, 6, 3};
    struct fixture fixture;
    struct differentiable model;
    struct model stored = {.content = NULL};
    const struct network_model *folded;
    struct error err;
    double loss, again;
    uint64_t correct;
    (void)state;

    fixture_open(&fixture, shape, 2, ACTIVATION_TANH, 0);
    fixture_normalize(&fixture);
    const struct lane_rows rows = all_rows(&fixture);

    loss = network_evaluate(&fixture.network, fixture.parameters, &rows, &fixture.space, &correct);
    CHECK_OK(network_open(&fixture.spec, &fixture.dataset, &model, &err));
    model.fill_model(model.self, fixture.parameters, &stored);
    folded = stored.content;
    CHECK_INT(folded->layer_count, 3);
    network_params(&fixture.spec.params)->batch_norm = false;
    network_workspace_deinit(&fixture.space);
    network_deinit(&fixture.network);
    CHECK_OK(network_init(&fixture.network, &fixture.spec, &fixture.dataset, &err));
    CHECK_OK(network_workspace_init(&fixture.space, &fixture.network, &err));
    for (uint32_t l = 0; l < 3; l++) {
        const struct layer *layer = &folded->layers[l];
        const struct affine *to = &fixture.network.layers[l];

        memcpy(fixture.parameters + to->weights, layer->weights,
               (size_t)layer->rows * layer->width * sizeof(float));
        memcpy(fixture.parameters + to->bias, layer->bias, layer->width * sizeof(float));
    }
    again = network_evaluate(&fixture.network, fixture.parameters, &rows, &fixture.space, &correct);
    CHECK(loss > 1);
    assert_float_equal(again, loss, 1e-5 * loss);
    model.close(model.self);
    fixture_close(&fixture);
}

/* Its weights are those of a network without norms. */
static void norms_do_not_go_on_from_an_old_model(void **state)
{
    const struct model old = {.content = NULL};
    struct fixture fixture;
    struct differentiable model;
    struct error err;

    (void)state;
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 4, 0, 0, 2}, 2, ACTIVATION_RELU, 0);
    network_params(&fixture.spec.params)->batch_norm = true;
    fixture.dataset.old_model = &old;
    CHECK_FAILS(network_open(&fixture.spec, &fixture.dataset, &model, &err), STATUS_UNSUPPORTED,
                "model.batch_norm does not go on from an old model");
    fixture.dataset.old_model = NULL;
    fixture_close(&fixture);
}

static void dropout_is_keyed_by_the_place_in_the_batch(void **state)
{
    struct fixture fixture;
    struct lane_rows rows;
    float mask[ROWS * 8], other[ROWS * 8];
    int dropped = 0;

    (void)state;
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 4, 0, 0, 2}, 2, ACTIVATION_RELU, 0.25);
    rows = all_rows(&fixture);
    gradient_of(&fixture.network, fixture.parameters, &rows, ROWS, 7, &fixture.space);
    memcpy(mask, fixture.space.masks[0], sizeof mask);
    network_workspace_clear(&fixture.network, &fixture.space);

    rows.at.first = rows.position = 9;
    rows.count = ROWS - 9;
    gradient_of(&fixture.network, fixture.parameters, &rows, ROWS, 7, &fixture.space);
    assert_memory_equal(fixture.space.masks[0], mask + 9 * 8, (ROWS - 9) * 8 * sizeof *mask);
    gradient_of(&fixture.network, fixture.parameters, &rows, ROWS, 8, &fixture.space);
    memcpy(other, fixture.space.masks[0], (ROWS - 9) * 8 * sizeof *mask);
    CHECK(memcmp(other, mask + 9 * 8, (ROWS - 9) * 8 * sizeof *mask) != 0);

    for (int i = 0; i < ROWS * 8; i++) {
        CHECK(mask[i] == 0 || fabsf(mask[i] - 1 / 0.75f) < 1e-4f);
        dropped += mask[i] == 0;
    }
    CHECK(dropped > ROWS * 8 / 8 && dropped < ROWS * 8 * 3 / 8);
    fixture_close(&fixture);
}

static void a_lane_of_many_chunks_is_the_sum_of_its_chunks(void **state)
{
    enum { MANY = 2 * LANE_CHUNK_ROWS + 100 };
    static float whole[PARAMETERS_MAX];
    static double parts[PARAMETERS_MAX];
    struct fixture fixture;
    struct lane_rows rows;
    uint32_t count;

    (void)state;
    fixture_open(&fixture, (struct rows_shape){MANY, 0, 4, 2, 6, 3}, 2, ACTIVATION_TANH, 0);
    count = fixture.network.parameter_count;
    rows = all_rows(&fixture);
    rows.count = MANY;
    gradient_of(&fixture.network, fixture.parameters, &rows, MANY, 0, &fixture.space);
    spread_rows(&fixture.network, &fixture.space);
    memcpy(whole, fixture.space.gradient, count * sizeof *whole);
    clear_space(&fixture.network, &fixture.space);
    memset(parts, 0, sizeof parts);
    for (uint32_t first = 0; first < MANY; first += 77) {
        rows.at.first = first;
        rows.count = MANY - first < 77 ? MANY - first : 77;
        gradient_of(&fixture.network, fixture.parameters, &rows, MANY, 0, &fixture.space);
        spread_rows(&fixture.network, &fixture.space);
        for (uint32_t i = 0; i < count; i++)
            parts[i] += (double)fixture.space.gradient[i];
        clear_space(&fixture.network, &fixture.space);
    }
    for (uint32_t i = 0; i < count; i++)
        CHECK(fabs(parts[i] - (double)whole[i]) < 1e-6);
    fixture_close(&fixture);
}

static void a_cleared_space_holds_no_gradient_of_ids(void **state)
{
    struct fixture fixture;
    struct lane_rows rows;

    (void)state;
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 2, 2, 40, 2}, 1, ACTIVATION_RELU, 0);
    rows = all_rows(&fixture);
    gradient_of(&fixture.network, fixture.parameters, &rows, ROWS, 0, &fixture.space);
    CHECK(fixture.space.touched.count > 0 && fixture.space.touched.count < 40);
    network_workspace_clear(&fixture.network, &fixture.space);
    for (uint32_t i = 0; i < 40 * 8; i++)
        CHECK(fixture.space.gradient[fixture.network.ids.first + i] == 0);
    fixture_close(&fixture);
}

static void evaluation_sums_the_loss_of_the_rows(void **state)
{
    struct fixture fixture;
    struct lane_rows rows;
    uint64_t correct;
    double loss, other;

    (void)state;
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 4, 2, 6, 3}, 2, ACTIVATION_RELU, 0.5);
    fixture.network.dropout.rate = 0;
    rows = all_rows(&fixture);
    loss = network_evaluate(&fixture.network, fixture.parameters, &rows, &fixture.space, &correct);
    CHECK(fabs(loss - exact_total(&fixture)) < 1e-5 * loss);
    CHECK(correct <= ROWS);
    fixture.network.dropout.rate = 0.5;
    other = network_evaluate(&fixture.network, fixture.parameters, &rows, &fixture.space, &correct);
    CHECK(other == loss);
    fixture_close(&fixture);
}

static void an_unseen_class_is_wrong_and_costs_the_most(void **state)
{
    struct fixture fixture;
    struct lane_rows rows;
    uint64_t correct;
    double loss;

    (void)state;
    for (uint32_t classes = 2; classes <= 3; classes++) {
        fixture_open(&fixture, (struct rows_shape){ROWS, 0, 4, 0, 0, classes}, 1, ACTIVATION_RELU,
                     0);
        for (uint32_t row = 0; row < ROWS; row++)
            fixture.dataset.train.classes[row] = -1;
        rows = all_rows(&fixture);
        loss =
            network_evaluate(&fixture.network, fixture.parameters, &rows, &fixture.space, &correct);
        CHECK(fabs(loss - ROWS * LOSS_ROW_MOST) < 1e-9);
        CHECK_INT(correct, 0);
        fixture_close(&fixture);
    }
}

static void weights_start_within_their_limits_and_biases_at_zero(void **state)
{
    struct fixture fixture;
    float again[PARAMETERS_MAX];
    const float he = sqrtf(6.0f / (6 + 2)), glorot = sqrtf(6.0f / (5 + 4));
    float greatest = 0, last = 0;

    (void)state;
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 6, 2, 30, 4}, 2, ACTIVATION_RELU, 0);
    network_start(&fixture.network, fixture.parameters);
    network_start(&fixture.network, again);
    assert_memory_equal(fixture.parameters, again, fixture.network.parameter_count * sizeof *again);
    for (uint32_t i = 0; i < (6 + 30) * 8; i++)
        greatest = fmaxf(greatest, fabsf(fixture.parameters[i]));
    CHECK(greatest <= he && greatest > 0.9f * he);
    for (uint32_t i = 0; i < 5 * 4; i++)
        last = fmaxf(last, fabsf(fixture.parameters[fixture.network.layers[2].weights + i]));
    CHECK(last <= glorot && last > 0.7f * glorot);
    for (uint32_t l = 0; l < 3; l++)
        for (uint32_t j = 0; j < fixture.network.layers[l].width; j++)
            CHECK(fixture.parameters[fixture.network.layers[l].bias + j] == 0);
    fixture_close(&fixture);

    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 6, 2, 30, 4}, 0, ACTIVATION_RELU, 0);
    network_start(&fixture.network, fixture.parameters);
    for (uint32_t i = 0; i < fixture.network.parameter_count; i++)
        CHECK(fixture.parameters[i] == 0);
    fixture_close(&fixture);
}

/* Three classes, of which one weighs more, and two. */
static void output_biases_start_at_the_shares_of_the_classes(void **state)
{
    const uint64_t counts[] = {900, 90, 10};
    struct fixture fixture;
    const float *bias;
    (void)state;

    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 6, 2, 30, 3}, 2, ACTIVATION_RELU, 0);
    memcpy(fixture.dataset.class_counts, counts, sizeof counts);
    fixture.dataset.class_weights[2] = 9;
    network_start(&fixture.network, fixture.parameters);
    bias = fixture.parameters + fixture.network.layers[2].bias;
    CHECK(fabs((double)(bias[0] - bias[1]) - log(10)) < 1e-6);
    CHECK(bias[1] == bias[2]);
    CHECK(fabsf(bias[0] + bias[1] + bias[2]) < 1e-6f);
    fixture_close(&fixture);

    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 6, 2, 30, 2}, 0, ACTIVATION_RELU, 0);
    memcpy(fixture.dataset.class_counts, counts, 2 * sizeof *counts);
    network_start(&fixture.network, fixture.parameters);
    CHECK(fabs((double)fixture.parameters[fixture.network.layers[0].bias] + log(10)) < 1e-6);
    fixture_close(&fixture);
}

static void check_transposed(uint32_t rows, uint32_t width)
{
    struct dataset dataset = made_dataset((struct rows_shape){ROWS, 0, 6, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct network network;
    struct error err;
    float *weights, *transposed;

    network_params(&spec.params)->hidden_units.count = 2;
    network_params(&spec.params)->hidden_units.items[0] = rows;
    network_params(&spec.params)->hidden_units.items[1] = width;
    CHECK_OK(network_init(&network, &spec, &dataset, &err));
    weights = calloc(network.parameter_count, sizeof *weights);
    transposed = calloc(network.transposed_count, sizeof *transposed);
    for (uint32_t i = 0; i < network.parameter_count; i++)
        weights[i] = (float)i;
    network_transpose(&network, weights, transposed);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t j = 0; j < width; j++)
            CHECK(transposed[network.layers[1].transposed + j * rows + r] ==
                  weights[network.layers[1].weights + r * width + j]);
    free(weights);
    free(transposed);
    made_dataset_close(&dataset);
}

static void weights_are_transposed_whatever_their_size(void **state)
{
    (void)state;
    check_transposed(1, 40);
    check_transposed(16, 32);
    check_transposed(17, 33);
    check_transposed(50, 15);
    check_transposed(64, 5);
}

static void absurd_networks_are_refused_with_their_bytes(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){ROWS, 0, 6, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct network network;
    struct error err;

    (void)state;
    network_params(&spec.params)->hidden_units.items[0] = 65536;
    network_params(&spec.params)->hidden_units.items[1] = 65536;
    CHECK_FAILS(network_init(&network, &spec, &dataset, &err), STATUS_LIMIT, "bytes");
    network_params(&spec.params)->hidden_units.items[1] = 65537;
    CHECK_FAILS(network_init(&network, &spec, &dataset, &err), STATUS_LIMIT, "65537");
    made_dataset_close(&dataset);
}

/* Squares of it are turned in registers, what is left over number by number. */
static void a_matrix_of_any_shape_is_transposed(void **state)
{
    enum { MOST = 41 };
    static float weights[MOST * MOST + 3], transposed[MOST * MOST + 2];
    (void)state;

    for (uint32_t rows = 1; rows <= MOST; rows++)
        for (uint32_t width = 1; width <= MOST; width += 1 + rows % 3) {
            const struct affine op = {rows, width, 3, 0, 1, false};
            uint32_t over = 0;

            for (uint32_t i = 0; i < rows * width; i++) {
                over += i * i;
                memcpy(&transposed[1 + i], &(uint32_t){i * i}, sizeof(float));
                weights[3 + i] = (float)i;
            }
            transposed[1 + rows * width] = -1;
            CHECK_INT(affine_transpose(&op, weights, transposed), over);
            for (uint32_t r = 0; r < rows; r++)
                for (uint32_t j = 0; j < width; j++)
                    CHECK(transposed[1 + j * rows + r] == (float)(r * width + j));
            CHECK(transposed[1 + rows * width] == -1 && transposed[0] == 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_of_any_shape_is_transposed),
        cmocka_unit_test(the_gradient_is_that_of_finite_differences),
        cmocka_unit_test(rows_have_weights_of_their_own),
        cmocka_unit_test(of_a_text_each_word_has_its_share_of_the_gradient),
        cmocka_unit_test(the_gradient_goes_through_dropout),
        cmocka_unit_test(the_gradient_goes_through_batch_normalization),
        cmocka_unit_test(a_stored_network_has_its_norms_in_its_weights),
        cmocka_unit_test(norms_do_not_go_on_from_an_old_model),
        cmocka_unit_test(dropout_is_keyed_by_the_place_in_the_batch),
        cmocka_unit_test(a_lane_of_many_chunks_is_the_sum_of_its_chunks),
        cmocka_unit_test(a_cleared_space_holds_no_gradient_of_ids),
        cmocka_unit_test(evaluation_sums_the_loss_of_the_rows),
        cmocka_unit_test(an_unseen_class_is_wrong_and_costs_the_most),
        cmocka_unit_test(weights_start_within_their_limits_and_biases_at_zero),
        cmocka_unit_test(output_biases_start_at_the_shares_of_the_classes),
        cmocka_unit_test(weights_are_transposed_whatever_their_size),
        cmocka_unit_test(absurd_networks_are_refused_with_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
