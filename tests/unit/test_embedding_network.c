#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "kinds/kinds.h"
#include "runtime/learn/layers/embedded_fields.h"
#include "runtime/learn/networks/embedding_network.h"
#include "tests/unit/embedding_case.h"
#include "tests/unit/embedding_reference.h"

#define ROWS           24
#define PARAMETERS_MAX 3000
#define CLASSES_MOST   3
#define DIFFERENCE     1e-5
/* The gradient is computed in float, the differences in double. */
#define TOLERANCE 8e-6

static const struct embedding_parts all_parts[] = {
    {INTERACTION_NONE, true, CROSS_VECTOR, 2, false, false},
    {INTERACTION_NONE, false, CROSS_VECTOR, 1, false, false},
    {INTERACTION_NONE, true, CROSS_VECTOR, 0, false, false},
    {INTERACTION_PAIRS, true, CROSS_VECTOR, 2, false, false},
    {INTERACTION_CROSS, false, CROSS_VECTOR, 2, false, false},
    {INTERACTION_CROSS, false, CROSS_MATRIX, 1, false, false},
    {INTERACTION_CROSS, true, CROSS_MATRIX, 0, false, false},
    {INTERACTION_COMPRESSED, true, CROSS_VECTOR, 2, false, false},
    {INTERACTION_NONE, true, CROSS_VECTOR, 2, true, false},
    {INTERACTION_CROSS, true, CROSS_VECTOR, 1, true, false},
    {INTERACTION_NONE, true, CROSS_VECTOR, 2, false, true},
    {INTERACTION_NONE, false, CROSS_VECTOR, 1, false, true},
    {INTERACTION_NONE, true, CROSS_VECTOR, 0, false, true}, /* there is nothing to normalise */
    {INTERACTION_PAIRS, true, CROSS_VECTOR, 2, false, true},
    {INTERACTION_CROSS, false, CROSS_VECTOR, 2, false, true},
    {INTERACTION_CROSS, true, CROSS_MATRIX, 1, false, true},
    {INTERACTION_COMPRESSED, true, CROSS_VECTOR, 2, false, true},
    {INTERACTION_NONE, true, CROSS_VECTOR, 2, true, true},
};
#define PARTS            (sizeof all_parts / sizeof *all_parts)
#define NORMALIZED_PAIRS 13
#define NORMALIZED_LAST  (PARTS - 1) /* with an optimizer of the linear part's own */

/* ---- one lane ---- */

struct fixture {
    struct embedding_case of;
    struct embedding_network network;
    struct embedding_space space;
    float parameters[PARAMETERS_MAX], gradient[PARAMETERS_MAX];
    double exact[PARAMETERS_MAX];
    uint32_t count;
};

/* Makes a network for the fixture's case, with parameters that are drawn. */
static void fixture_make(struct fixture *fixture)
{
    struct error err;

    show_rows(&fixture->of.dataset);
    CHECK_OK(
        embedding_network_init(&fixture->network, &fixture->of.spec, &fixture->of.dataset, &err));
    CHECK_OK(embedding_space_init(&fixture->space, &fixture->network, &err));
    fixture->count = fixture->network.parameter_count;
    assert_in_range(fixture->count, 1, PARAMETERS_MAX);
    for (uint32_t i = 0; i < fixture->count; i++) {
        const bool is_of_norm = i >= fixture->network.shape.parameters;

        fixture->parameters[i] = (float)(random_uniform(3, RANDOM_SIMULATION, 0, i) +
                                         (is_of_norm ? 0.5 : -0.5)); /* variances are positive */
        fixture->exact[i] = (double)fixture->parameters[i];
    }
}

static void fixture_open(struct fixture *fixture, struct rows_shape shape, uint32_t words,
                         struct embedding_parts parts)
{
    embedding_case_open(&fixture->of, shape, words, parts);
    fixture_make(fixture);
}

static void fixture_close(struct fixture *fixture)
{
    embedding_space_deinit(&fixture->space);
    embedding_network_deinit(&fixture->network);
    embedding_case_close(&fixture->of);
}

/* The gradient of all rows, touched rows at their places in the table; the loss. */
static double compute_gradient(struct fixture *fixture, uint32_t rows)
{
    const struct embedding_network *network = &fixture->network;
    const struct embedding_shape *shape = &network->shape;
    const struct lane_rows lane = {.dataset = &fixture->of.dataset,
                                   .part = &fixture->of.dataset.train,
                                   .class_weights = fixture->of.dataset.class_weights,
                                   .count = rows,
                                   .divisor = rows};
    float *transposed = calloc(network->transposed_count + 1u, sizeof *transposed);
    struct lane_gradient lane_gradient;

    embedding_network_transpose(network, fixture->parameters, transposed);
    lane_gradient = embedding_network_gradient(network, fixture->parameters, transposed, &lane,
                                               &fixture->space);
    memcpy(fixture->gradient, lane_gradient.values, fixture->count * sizeof(float));
    if (shape->table != NO_ARRAY) {
        const size_t at = network->tensors[shape->table].first, width = shape->row_width;

        memset(fixture->gradient + at, 0, shape->id_rows * width * sizeof(float));
        for (uint32_t i = 0; i < lane_gradient.touched_count; i++)
            memcpy(fixture->gradient + at + lane_gradient.touched[i] * width,
                   lane_gradient.values + at + i * width, width * sizeof(float));
    }
    embedding_network_clear(network, &fixture->space);
    free(transposed);
    return lane_gradient.loss;
}

/* Half the squared error, or the log loss, of outputs. */
static double loss_of(const struct fixture *fixture, const double *z, uint32_t row)
{
    const struct dataset_part *part = &fixture->of.dataset.train;
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

static double exact_total(const struct fixture *fixture)
{
    const float *const *masks =
        fixture->network.dropout.rate > 0 ? (const float *const *)fixture->space.masks : NULL;
    double total = 0, z[ROWS * CLASSES_MOST];

    embedding_reference(&fixture->network, fixture->exact, ROWS, true, masks, z);
    for (uint32_t row = 0; row < ROWS; row++)
        total += loss_of(fixture, z + row * fixture->network.head.outputs, row);
    return total;
}

/* Running means and variances have no slope. */
static uint32_t sloped_parameters(const struct fixture *fixture)
{
    const struct hidden_norms *norms = &fixture->network.norms;

    return norms->count ? norms->layers[0].mean : fixture->count;
}

static void check_gradient(struct fixture *fixture)
{
    const double loss = compute_gradient(fixture, ROWS);
    const double expected =
        exact_total(fixture) * (fixture->network.head.task == TASK_REGRESSION ? 2 : 1);

    CHECK(fabs(loss - expected) <= 1e-5 * expected);
    for (uint32_t i = 0; i < sloped_parameters(fixture); i++) {
        const double here = fixture->exact[i];
        double above, below, slope;

        fixture->exact[i] = here + DIFFERENCE;
        above = exact_total(fixture);
        fixture->exact[i] = here - DIFFERENCE;
        below = exact_total(fixture);
        fixture->exact[i] = here;
        slope = (above - below) / (2 * DIFFERENCE) / ROWS;
        if (fabs(slope - (double)fixture->gradient[i]) > TOLERANCE * (1 + fabs(slope)))
            check_failed("parameter %u: gradient %.9g, differences %.9g", i,
                         (double)fixture->gradient[i], slope);
    }
}

static void the_gradient_is_that_of_finite_differences(void **state)
{
    static const struct rows_shape shapes[] = {{ROWS, 0, 2, 3, 12, 2}, {ROWS, 0, 2, 2, 8, 0}};

    (void)state;
    for (size_t p = 0; p < PARTS; p++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            struct fixture fixture;

            fixture_open(&fixture, shapes[s], 0, all_parts[p]);
            check_gradient(&fixture);
            fixture_close(&fixture);
        }
}

static void of_many_classes_each_has_its_gradient(void **state)
{
    (void)state;
    for (size_t p = 0; p < PARTS; p++) {
        struct fixture fixture;

        fixture_open(&fixture, (struct rows_shape){ROWS, 0, 1, 3, 12, 3}, 0, all_parts[p]);
        check_gradient(&fixture);
        fixture_close(&fixture);
    }
}

static void texts_numbers_alone_and_categories_alone_have_gradients(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 2, 6, 30, 2}, 4, all_parts[3]);
    check_gradient(&fixture);
    fixture_close(&fixture);
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 4, 0, 0, 2}, 0, all_parts[0]);
    check_gradient(&fixture);
    fixture_close(&fixture);
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 0, 3, 12, 2}, 0, all_parts[7]);
    check_gradient(&fixture);
    fixture_close(&fixture);
}

/* The members are two categories, or a category and a text. */
static void members_of_a_concat_have_one_embedding(void **state)
{
    static const enum combiner combiners[] = {COMBINER_SUM, COMBINER_MEAN, COMBINER_SQRTN};

    (void)state;
    for (size_t p = 0; p < PARTS; p++)
        for (size_t c = 0; c < 3 && !all_parts[p].are_shared_out; c++)
            for (uint32_t words = 0; words <= 4; words += 4) {
                const struct rows_shape shape = {ROWS, 0, 2, 3 + words, 28, 2 + (uint32_t)c / 2};
                struct fixture fixture;

                embedding_case_open(&fixture.of, shape, words, all_parts[p]);
                embedding_case_concat(&fixture.of, combiners[c]);
                fixture_make(&fixture);
                CHECK_INT(fixture.network.shape.embedded, (words ? 3 : 2) * 3);
                CHECK_INT(fixture.network.shape.fields, words ? 3 : 2);
                check_gradient(&fixture);
                fixture_close(&fixture);
            }
}

static void the_gradient_goes_through_dropout(void **state)
{
    static const size_t parts[] = {3, NORMALIZED_PAIRS};

    (void)state;
    for (size_t p = 0; p < 2; p++) {
        struct fixture fixture;

        embedding_case_open(&fixture.of, (struct rows_shape){ROWS, 0, 2, 3, 12, 2}, 0,
                            all_parts[parts[p]]);
        network_params(&fixture.of.spec.params)->dropout = 0.4;
        fixture_make(&fixture);
        check_gradient(&fixture);
        fixture_close(&fixture);
    }
}

static void a_lane_of_many_chunks_is_the_sum_of_its_chunks(void **state)
{
    enum { MANY = 2 * LANE_CHUNK_ROWS };
    static float whole[PARAMETERS_MAX];
    struct fixture fixture;
    double loss;

    (void)state;
    for (size_t p = 0; p < PARTS; p++) {
        fixture_open(&fixture, (struct rows_shape){MANY, 0, 2, 3, 12, 2}, 0, all_parts[p]);
        loss = compute_gradient(&fixture, MANY);
        memcpy(whole, fixture.gradient, sizeof whole);
        loss -= compute_gradient(&fixture, LANE_CHUNK_ROWS);
        fixture.of.dataset.train.dense += LANE_CHUNK_ROWS * 2;
        fixture.of.dataset.train.ids += LANE_CHUNK_ROWS * 3;
        fixture.of.dataset.train.classes += LANE_CHUNK_ROWS;
        for (uint32_t i = 0; i < fixture.count; i++)
            whole[i] -= fixture.gradient[i] / 2;
        loss -= compute_gradient(&fixture, LANE_CHUNK_ROWS);
        fixture.of.dataset.train.dense -= LANE_CHUNK_ROWS * 2;
        fixture.of.dataset.train.ids -= LANE_CHUNK_ROWS * 3;
        fixture.of.dataset.train.classes -= LANE_CHUNK_ROWS;
        CHECK(fabs(loss) < 1e-3);
        for (uint32_t i = 0; i < fixture.count; i++)
            CHECK(fabsf(whole[i] - fixture.gradient[i] / 2) < 1e-5f);
        fixture_close(&fixture);
    }
}

/* ---- against PyTorch ---- */

static void fill_as_pytorch(struct fixture *fixture)
{
    struct dataset_part *part = &fixture->of.dataset.train;

    for (uint32_t row = 0; row < 12; row++) {
        for (uint32_t j = 0; j < 2; j++)
            part->dense[row * 2 + j] = (float)cos(3.1 * row + j);
        for (uint32_t c = 0; c < 3; c++)
            part->ids[row * 3 + c] = (int32_t)(c * 4 + (row * (c + 2) + c) % 4);
        part->classes[row] = fixture->network.head.outputs > 1 ? (int32_t)(row % 3) : row % 3 == 0;
    }
    for (uint32_t i = 0; i < fixture->count; i++)
        fixture->parameters[i] = (float)(sin(1.7 * i + 0.3) / 2);
}

static void losses_and_gradients_are_those_of_pytorch(void **state)
{
    static const struct {
        struct embedding_parts parts;
        uint32_t classes;
        const double *loss, *gradient;
        size_t count;
    } cases[] = {
#define AS(name) &name##_loss, name##_gradient, sizeof name##_gradient / sizeof *name##_gradient
        {{INTERACTION_NONE, true, CROSS_VECTOR, 2, false, false}, 2, AS(none)},
        {{INTERACTION_PAIRS, true, CROSS_VECTOR, 2, false, false}, 2, AS(pairs)},
        {{INTERACTION_CROSS, false, CROSS_VECTOR, 2, false, false}, 2, AS(cross)},
        {{INTERACTION_CROSS, false, CROSS_MATRIX, 2, false, false}, 2, AS(cross_matrix)},
        {{INTERACTION_COMPRESSED, true, CROSS_VECTOR, 2, false, false}, 2, AS(compressed)},
        {{INTERACTION_NONE, true, CROSS_VECTOR, 2, false, false}, 3, AS(none_of_3)},
        {{INTERACTION_PAIRS, true, CROSS_VECTOR, 2, false, false}, 3, AS(pairs_of_3)},
        {{INTERACTION_CROSS, false, CROSS_MATRIX, 2, false, false}, 3, AS(cross_matrix_of_3)},
        {{INTERACTION_COMPRESSED, true, CROSS_VECTOR, 2, false, false}, 3, AS(compressed_of_3)},
    };

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture fixture;
        double loss;

        fixture_open(&fixture, (struct rows_shape){12, 0, 2, 3, 12, cases[c].classes}, 0,
                     cases[c].parts);
        fill_as_pytorch(&fixture);
        loss = compute_gradient(&fixture, 12);
        CHECK_INT(fixture.count, cases[c].count);
        CHECK(fabs(loss - *cases[c].loss) < 1e-5 * *cases[c].loss);
        for (uint32_t i = 0; i < fixture.count; i++)
            CHECK(fabs((double)fixture.gradient[i] * 12 - cases[c].gradient[i]) <
                  3e-5 * (1 + fabs(cases[c].gradient[i])));
        fixture_close(&fixture);
    }
}

/* ---- whole jobs ---- */

static struct descent *opened(const struct embedding_case *of)
{
    struct descent *descent;
    struct error err;

    CHECK_OK(open_descent(&of->spec, &of->dataset, NULL, &descent, &err));
    return descent;
}

static void check_same_state(struct descent *a, struct descent *b)
{
    struct text x, y;

    text_init(&x, (size_t)1 << 22);
    text_init(&y, (size_t)1 << 22);
    save_state(a, &x);
    save_state(b, &y);
    CHECK_INT(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    text_deinit(&x);
    text_deinit(&y);
}

/* A small table is summed whole, and a large one by its touched rows. */
static void a_job_learns_the_same_bits_with_any_workers(void **state)
{
    static const uint32_t tables[] = {12, 1500, 1500}, classes[] = {2, 2, 3};

    (void)state;
    for (size_t p = 0; p < PARTS; p++)
        for (size_t t = 0; t < 3; t++) {
            struct embedding_case of;
            struct descent *one;
            struct error err;

            embedding_case_open(&of, (struct rows_shape){150, 40, 3, 3, tables[t], classes[t]}, 0,
                                all_parts[p]);
            if (t == 2 && !all_parts[p].are_shared_out)
                embedding_case_concat(&of, COMBINER_SUM);
            network_params(&of.spec.params)->l2 = 2e-5;
            network_params(&of.spec.params)->dropout = 0.2;
            one = opened(&of);
            CHECK_INT(one->learner.phase.table.rows, t ? 1500 : 0);
            CHECK_OK(run_job(one, 1, 0, &err));
            for (uint32_t workers = 2; workers <= 9; workers++) {
                struct descent *many = opened(&of);

                CHECK_OK(run_job(many, workers, workers + 1, &err));
                check_same_state(one, many);
                learner_close(&many->learner);
            }
            learner_close(&one->learner);
            embedding_case_close(&of);
        }
}

/* 2 by the training rows with any optimizer; 0 of a linear part that AdamW or FTRL moves. */
static void an_automatic_penalty_is_none_of_a_linear_part_with_its_own(void **state)
{
    static const enum optimizer_kind rules[] = {OPTIMIZER_ADAM, OPTIMIZER_ADAGRAD, OPTIMIZER_ADAMW,
                                                OPTIMIZER_FTRL};
    struct embedding_case of;

    (void)state;
    embedding_case_open(&of, (struct rows_shape){150, 40, 3, 3, 12, 2}, 0, all_parts[8]);
    for (size_t all = 0; all < 4; all++)
        for (size_t linear = 0; linear < 4; linear++)
            for (int is_said = 0; is_said < 2; is_said++) {
                const double l2 = is_said ? 0.25 : 2.0 / of.dataset.train.rows;
                struct differentiable model;
                struct error err;

                network_params(&of.spec.params)->l2 = is_said ? 0.25 : REAL_AUTOMATIC;
                network_params(&of.spec.params)->optimizer = rules[all];
                embedding_params(&of.spec.params)->linear_optimizer = rules[linear] + 1;
                CHECK_OK(embedding_network_open(&of.spec, &of.dataset, &model, &err));
                CHECK(model.settings.l2 == l2);
                CHECK(model.linear.l2 == (linear < 2 || is_said ? l2 : 0));
                model.close(model.self);
            }
    embedding_case_close(&of);
}

/* A state saved after so many phases, taken by a learner with a past of its own. */
static void check_state_at(const struct embedding_case *of, struct descent *whole, uint64_t stop)
{
    struct descent *one = opened(of), *other = opened(of);
    struct learner_report report;
    struct text saved;
    struct error err;

    while (one->learner.phase.number < stop)
        CHECK_OK(run_phase(one, 2, 1, &report, &err));
    CHECK_OK(run_phase(other, 1, 0, &report, &err));
    text_init(&saved, (size_t)1 << 22);
    save_state(one, &saved);
    CHECK_OK(load_state(other, text_slice(&saved), &err));
    CHECK_OK(run_job(other, 3, 2, &err));
    check_same_state(whole, other);
    text_deinit(&saved);
    learner_close(&one->learner);
    learner_close(&other->learner);
}

static void check_states(struct embedding_parts parts, uint32_t classes)
{
    struct embedding_case of;
    struct descent *whole;
    struct error err;

    embedding_case_open(&of, (struct rows_shape){150, 40, 3, 3, 1500, classes}, 0, parts);
    of.spec.early_stopping = 2;
    whole = opened(&of);
    CHECK_OK(run_job(whole, 1, 0, &err));
    for (uint64_t stop = 0; stop < whole->learner.phase.number; stop += 3)
        check_state_at(&of, whole, stop);
    learner_close(&whole->learner);
    embedding_case_close(&of);
}

static void a_saved_state_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    check_states(all_parts[3], 2);
    check_states(all_parts[3], 4);
    check_states(all_parts[8], 2);
    check_states(all_parts[NORMALIZED_PAIRS], 2);
    check_states(all_parts[NORMALIZED_PAIRS], 4);
    check_states(all_parts[NORMALIZED_LAST], 2);
}

/* Checks the start of layers whose outputs are not bent: uniform, to Glorot's limit. Weights of a
 * linear model start at 0, and are the first of the last layer's. */
static void check_weights_start(const struct fixture *fixture, uint32_t number)
{
    const struct embedding_shape *shape = &fixture->network.shape;
    const struct embedding_array *array = &shape->arrays[number];
    const float *values = fixture->parameters + fixture->network.tensors[number].first;
    const uint64_t zeros = strcmp(array->name, "last/weights") == 0 && shape->is_wide
                               ? shape->wide_dense * array->width
                               : 0;
    const double limit = sqrt(6 / (double)(array->rows + array->width));
    double most = 0;

    for (uint64_t i = 0; i < array->rows * array->width; i++) {
        CHECK((values[i] == 0) == (i < zeros));
        most = fmax(most, fabs((double)values[i]));
    }
    if (strncmp(array->name, "hidden", 6) == 0 || zeros == array->rows * array->width)
        return;
    CHECK(most <= limit && most > limit / 4);
}

/* The last bias starts as the labels have it. */
static void weights_start_spread_out_and_biases_at_zero(void **state)
{
    (void)state;
    for (size_t p = 0; p < PARTS; p++) {
        struct fixture fixture;
        const struct embedding_shape *shape = &fixture.network.shape;

        fixture_open(&fixture, (struct rows_shape){ROWS, 0, 2, 3, 12, 2}, 0, all_parts[p]);
        embedding_network_start(&fixture.network, fixture.parameters);
        for (uint32_t a = 0; a < shape->array_count; a++) {
            const bool is_bias = strstr(shape->arrays[a].name, "/bias") != NULL;
            const struct tensor *tensor = &fixture.network.tensors[a];

            CHECK_INT(shape->arrays[a].is_bias, is_bias);
            CHECK_INT(tensor->is_bias, is_bias);
            if (!is_bias && a != shape->table)
                check_weights_start(&fixture, a);
            for (uint32_t i = 0; is_bias && a + 1 < shape->array_count && i < tensor->count; i++)
                CHECK(fixture.parameters[tensor->first + i] == 0);
        }
        fixture_close(&fixture);
    }
}

static void norms_start_as_what_changes_nothing(void **state)
{
    struct fixture fixture;
    const struct tensor *tensors;

    (void)state;
    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 2, 3, 12, 2}, 0,
                 all_parts[NORMALIZED_PAIRS]);
    tensors = fixture.network.tensors + fixture.network.tensor_count - NORM_TENSORS;
    embedding_network_start(&fixture.network, fixture.parameters);
    for (uint32_t p = 0; p < NORM_TENSORS; p++) {
        CHECK_INT(tensors[p].count, 7 + 5);
        for (uint32_t i = 0; i < tensors[p].count; i++)
            CHECK(fixture.parameters[tensors[p].first + i] == (p == 0 || p == 3));
    }
    fixture_close(&fixture);
}

/* The parameters of a job after its first step. */
static struct descent *stepped_once(const struct embedding_case *of)
{
    struct descent *descent = opened(of);
    struct learner_report report;
    struct error err;

    CHECK_OK(run_phase(descent, 2, 0, &report, &err));
    return descent;
}

/* Gammas and betas are; the first step takes running numbers to those of its rows. */
static void running_numbers_are_moved_by_no_optimizer(void **state)
{
    struct embedding_case of;
    struct descent *one, *other;
    const struct tensor *norms;
    float *a, *b;

    (void)state;
    embedding_case_open(&of, (struct rows_shape){150, 0, 3, 3, 12, 2}, 0,
                        all_parts[NORMALIZED_LAST]);
    one = stepped_once(&of);
    network_params(&of.spec.params)->optimizer = OPTIMIZER_SGD;
    network_params(&of.spec.params)->learning_rate = 0.5;
    network_params(&of.spec.params)->clip_norm = 0.1;
    other = stepped_once(&of);
    norms = one->model.tensors + one->model.tensor_count - NORM_TENSORS;
    a = one->arrays.parameters;
    b = other->arrays.parameters;
    for (uint32_t p = 0; p < NORM_TENSORS; p++)
        for (uint32_t i = norms[p].first; i < norms[p].first + norms[p].count; i++) {
            CHECK(p < 2 ? a[i] != b[i] : a[i] == b[i]);
            CHECK(a[i] != (p == 0 || p == 3));
        }
    learner_close(&one->learner);
    learner_close(&other->learner);
    embedding_case_close(&of);
}

static void the_cost_of_the_kind_is_that_of_its_learner(void **state)
{
    (void)state;
    for (size_t p = 0; p < 2 * PARTS; p++) {
        const uint32_t classes = p < PARTS ? 2 : 4;
        struct embedding_case of;
        struct descent *descent;

        embedding_case_open(&of, (struct rows_shape){40, 0, 3, 3, 30, classes}, 0,
                            all_parts[p % PARTS]);
        if (p % 3 == 0 && !all_parts[p % PARTS].are_shared_out)
            embedding_case_concat(&of, COMBINER_MEAN);
        descent = opened(&of);
        CHECK(descent->cost.parameters == descent->model.parameter_count);
        learner_close(&descent->learner);
        embedding_case_close(&of);
    }
}

/* Learning and scoring must say the same of these rows. */
static void check_losses(struct fixture *fixture, const float *outputs)
{
    const uint32_t width = fixture->network.head.outputs;
    const struct lane_rows rows = {.dataset = &fixture->of.dataset,
                                   .part = &fixture->of.dataset.train,
                                   .count = ROWS,
                                   .divisor = ROWS};
    double loss, sum = 0, z[CLASSES_MOST];
    uint64_t correct;

    loss = embedding_network_evaluate(&fixture->network, fixture->parameters, &rows,
                                      &fixture->space, &correct);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t j = 0; j < width; j++)
            z[j] = (double)outputs[row * width + j];
        sum += loss_of(fixture, z, row);
    }
    CHECK(fabs(loss - sum) < 1e-6 * sum);
}

static void check_scores(struct fixture *fixture, const struct model *model)
{
    const struct dataset_part *part = &fixture->of.dataset.train;
    const uint32_t width = fixture->network.head.outputs;
    float outputs[ROWS * CLASSES_MOST], one[CLASSES_MOST];
    double expected[ROWS * CLASSES_MOST];
    void *scorer;
    struct error err;

    CHECK_OK(model->kind->open(model, ROWS, &scorer, &err));
    model->kind->score(scorer, part->dense, part->ids, ROWS, outputs);
    embedding_reference(&fixture->network, fixture->exact, ROWS, false, NULL, expected);
    for (uint32_t i = 0; i < ROWS * width; i++)
        CHECK(fabs((double)outputs[i] - expected[i]) < 2e-6 * (1 + fabs(expected[i])));
    for (uint32_t row = 0; row < ROWS; row++) {
        model->kind->score(scorer, part->dense + row * 2, part->ids + row * 6, 1, one);
        assert_memory_equal(one, &outputs[row * width], width * sizeof *one);
    }
    check_losses(fixture, outputs);
    model->kind->close(scorer);
}

/* Scoring has a source of its own: what it gives for the rows is what training computes. Norms are
 * in the stored weights. */
static void the_stored_model_scores_as_the_network_computes(void **state)
{
    static struct fixture fixture;

    (void)state;
    for (size_t p = 0; p < 4 * PARTS; p++) {
        const struct embedding_parts parts = all_parts[p % PARTS];
        const bool is_joined = p >= 2 * PARTS && !parts.are_shared_out;
        struct model model = {.kind = kind_find(SLICE("embedding")), .task = TASK_CLASSIFICATION};
        const uint32_t classes = p / PARTS % 2 ? 3 : 2;
        struct differentiable differentiable;
        struct error err;

        embedding_case_open(&fixture.of, (struct rows_shape){ROWS, 0, 2, 6, 30, classes}, 3, parts);
        if (is_joined)
            embedding_case_concat(&fixture.of, COMBINER_MEAN);
        fixture_make(&fixture);
        CHECK_INT(fixture.network.norms.count, parts.is_normalized ? parts.hidden_layers : 0);
        CHECK_OK(
            embedding_network_open(&fixture.of.spec, &fixture.of.dataset, &differentiable, &err));
        model.transform = fixture.of.dataset.transform;
        model.labels = fixture.of.dataset.labels;
        differentiable.fill_model(differentiable.self, fixture.parameters, &model);
        CHECK_INT(model.format,
                  parts.interaction == INTERACTION_PAIRS && classes > 2 ? MODEL_FORMAT_POOLED : 0);
        check_scores(&fixture, &model);
        differentiable.close(differentiable.self);
        fixture_close(&fixture);
    }
}

/* Weights, slots, copies, rows: whatever changes by itself is found. */
static void check_flips(struct embedding_parts parts, uint32_t classes)
{
    static const char *const names[] = {"weights",    "slots", "best", "row steps",
                                        "transposed", "ids",   "rows", "labels"};
    struct embedding_case of;
    struct descent *descent;
    struct learner_report report;
    struct error err;

    embedding_case_open(&of, (struct rows_shape){200, 40, 3, 3, 1500, classes}, 0, parts);
    of.spec.early_stopping = 50;
    descent = opened(&of);
    for (int i = 0; i < 9; i++)
        CHECK_OK(run_phase(descent, 2, 0, &report, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t position = 0;
        size_t size;
        uint8_t *memory = learner_memory(&descent->learner, names[i], &size);

        CHECK(memory && size > 0);
        memory[size / 2] ^= 4;
        CHECK(learner_verify(&descent->learner, LOOK_AT_ALL, NULL, &err) == STATUS_CORRUPT ||
              learner_verify_rows(&descent->learner, &position, UINT64_MAX, &err) ==
                  STATUS_CORRUPT);
        memory[size / 2] ^= 4;
        CHECK_OK(learner_verify(&descent->learner, LOOK_AT_ALL, NULL, &err));
        descent->rows.was_bad = false;
    }
    learner_close(&descent->learner);
    embedding_case_close(&of);
}

static void a_bit_that_changes_by_itself_is_found(void **state)
{
    (void)state;
    check_flips(all_parts[3], 2);
    check_flips(all_parts[3], 3);
    check_flips(all_parts[8], 2);
    check_flips(all_parts[NORMALIZED_PAIRS], 2);
}

/* ---- what cannot be ---- */

static void parts_that_do_not_fit_are_refused(void **state)
{
    struct embedding_case of;
    struct embedding_network network;
    struct error err;

    (void)state;
    embedding_case_open(&of, (struct rows_shape){40, 0, 3, 0, 0, 2}, 0, all_parts[3]);
    CHECK_FAILS(embedding_network_init(&network, &of.spec, &of.dataset, &err), STATUS_INVALID,
                "no column is a category");
    embedding_network_deinit(&network);
    embedding_case_close(&of);
    embedding_case_open(&of, (struct rows_shape){40, 0, 3, 2, 8, 2}, 0, all_parts[7]);
    of.dataset.transform.id_rows = INT32_MAX;
    CHECK_FAILS(embedding_network_init(&network, &of.spec, &of.dataset, &err), STATUS_LIMIT,
                "parameters are allowed");
    embedding_network_deinit(&network);
    embedding_case_close(&of);
    embedding_case_open(&of, (struct rows_shape){40, 0, 3, 300, 8, 2}, 0, all_parts[7]);
    embedding_params(&of.spec.params)->dimension = 512;
    embedding_params(&of.spec.params)->cin_units = (struct counts){{512, 4}, 2};
    CHECK_FAILS(embedding_network_init(&network, &of.spec, &of.dataset, &err), STATUS_LIMIT,
                "products a row");
    embedding_network_deinit(&network);
    embedding_case_close(&of);
}

/* Two fields over one table: embeddings of any width, of which the second field has half. */
static void an_embedding_of_any_width_comes_and_its_gradient_goes_back(void **state)
{
    enum { WIDEST = 20, TABLE = 5, DATA = 9 };
    const int32_t ids[DATA][2] = {{0, 1}, {4, 4}, {-1, 2}, {3, -1}, {1, 0},
                                  {2, 2}, {0, 4}, {3, 1},  {4, 0}};
    (void)state;

    for (uint32_t dimension = 1; dimension <= WIDEST; dimension++) {
        const struct embedding_field fields[] = {
            {.ids = {0, 1}, .is_wide = true, .dimension = dimension, .scale = 1, .rows = TABLE},
            {.ids = {1, 1},
             .dimension = dimension / 2,
             .place = dimension,
             .scale = 1,
             .rows = TABLE}};
        const uint32_t width = 1 + dimension, embedded = dimension + dimension / 2;
        const struct embedded_fields op = {.wide_width = 1,
                                           .dimension = dimension,
                                           .embedded = embedded,
                                           .id_count = 2,
                                           .fields = fields,
                                           .field_count = 2};
        float table[TABLE * (WIDEST + 1)], gradient[TABLE * (WIDEST + 1)] = {0};
        float expected[TABLE * (WIDEST + 1)] = {0};
        float x[DATA * 2 * WIDEST], wide[DATA] = {0};
        struct touched_rows touched = {0};
        struct error err;

        CHECK_OK(touched_rows_make(&touched, TABLE, &err));
        for (uint32_t i = 0; i < TABLE * width; i++)
            table[i] = (float)i;
        embedded_fields_forward(&op, table, DATA, ids[0], x, embedded, wide);
        for (uint32_t i = 0; i < DATA; i++) {
            CHECK(wide[i] == (ids[i][0] < 0 ? 0 : table[(uint32_t)ids[i][0] * width]));
            for (uint32_t u = 0; u < embedded; u++) {
                const int32_t id = ids[i][u >= dimension];
                const uint32_t at = (uint32_t)id * width + 1 + u % dimension;

                CHECK(x[i * embedded + u] == (id < 0 ? 0 : table[at]));
                expected[at * (id >= 0)] += id < 0 ? 0 : x[i * embedded + u];
            }
            if (ids[i][0] >= 0)
                expected[(uint32_t)ids[i][0] * width] += wide[i];
        }
        embedded_fields_backward(&op, DATA, ids[0], x, embedded, wide, gradient, &touched);
        CHECK_INT(touched.count, TABLE);
        for (uint32_t i = 0; i < TABLE * width; i++)
            CHECK(gradient[touched_rows_place(&touched, i / width) * width + i % width] ==
                  expected[i]);
        touched_rows_deinit(&touched);
    }
}

/* Its weights are those of a network without norms. */
static void norms_do_not_go_on_from_an_old_model(void **state)
{
    const struct model old = {.kind = kind_find(SLICE("embedding"))};
    struct embedding_case of;
    struct differentiable model;
    struct error err;

    (void)state;
    embedding_case_open(&of, (struct rows_shape){ROWS, 0, 2, 3, 12, 2}, 0,
                        all_parts[NORMALIZED_PAIRS]);
    of.dataset.old_model = &old;
    CHECK_FAILS(embedding_network_open(&of.spec, &of.dataset, &model, &err), STATUS_UNSUPPORTED,
                "model.batch_norm does not go on from an old model");
    of.dataset.old_model = NULL;
    embedding_case_close(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_embedding_of_any_width_comes_and_its_gradient_goes_back),
        cmocka_unit_test(the_gradient_is_that_of_finite_differences),
        cmocka_unit_test(of_many_classes_each_has_its_gradient),
        cmocka_unit_test(texts_numbers_alone_and_categories_alone_have_gradients),
        cmocka_unit_test(members_of_a_concat_have_one_embedding),
        cmocka_unit_test(the_gradient_goes_through_dropout),
        cmocka_unit_test(a_lane_of_many_chunks_is_the_sum_of_its_chunks),
        cmocka_unit_test(losses_and_gradients_are_those_of_pytorch),
        cmocka_unit_test(a_job_learns_the_same_bits_with_any_workers),
        cmocka_unit_test(an_automatic_penalty_is_none_of_a_linear_part_with_its_own),
        cmocka_unit_test(a_saved_state_goes_on_to_the_same_bits),
        cmocka_unit_test(weights_start_spread_out_and_biases_at_zero),
        cmocka_unit_test(norms_start_as_what_changes_nothing),
        cmocka_unit_test(running_numbers_are_moved_by_no_optimizer),
        cmocka_unit_test(the_cost_of_the_kind_is_that_of_its_learner),
        cmocka_unit_test(the_stored_model_scores_as_the_network_computes),
        cmocka_unit_test(a_bit_that_changes_by_itself_is_found),
        cmocka_unit_test(parts_that_do_not_fit_are_refused),
        cmocka_unit_test(norms_do_not_go_on_from_an_old_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
