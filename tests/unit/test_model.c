#include "tests/check.h"

#include <math.h>

#include "kinds/kmeans/kmeans_kind.h"
#include "tests/unit/scoring_fixture.h"

static void a_network_computes_what_a_pencil_does(void **state)
{
    static const float w0[] = {1, -1, 0.5f, 2}, b0[] = {0.25f, -0.5f}, w1[] = {2, -3}, b1[] = {1};
    struct layer layers[] = {{2, 2, w0, b0}, {2, 1, w1, b1}};
    struct network_model network = {ACTIVATION_RELU, layers, 2};
    struct transform_input inputs[] = {{.spec.name = SLICE("a"), .scale = 1},
                                       {.spec.name = SLICE("b"), .scale = 1}};
    struct model model = {.task = TASK_REGRESSION,
                          .transform = {.inputs = inputs, .input_count = 2},
                          .label_mean = 100,
                          .label_scale = 10,
                          .kind = kind_find(SLICE("network")),
                          .content = &network};
    struct cell cells[] = {{.type = CELL_INTEGER, .integer = 3}, {.type = CELL_REAL, .real = 1}};
    struct scorer scorer;
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(transform_finish(&model.transform, &arena, &err));
    CHECK_OK(scorer_init(&scorer, &model, 1, &err));
    CHECK_OK(scorer_transform(&scorer, 0, cells, &err));
    scorer_score(&scorer, 1);
    /* hidden: relu(.25 + 3 + .5) = 3.75, relu(-.5 - 3 + 2) = 0; z = 1 + 7.5 */
    CHECK(scorer.outputs[0] == 8.5f);
    CHECK(scorer_value(&scorer) == 185);
    CHECK(scorer_prediction(&scorer).real == 185);
    network.activation = ACTIVATION_TANH;
    CHECK_OK(scorer_transform(&scorer, 0, cells, &err));
    scorer_score(&scorer, 1);
    CHECK(fabs((double)scorer.outputs[0] - (1 + 2 * tanh(3.75) - 3 * tanh(-1.5))) < 1e-5);
    network.activation = ACTIVATION_SIGMOID;
    CHECK_OK(scorer_transform(&scorer, 0, cells, &err));
    scorer_score(&scorer, 1);
    CHECK(fabs((double)scorer.outputs[0] - (1 + 2 / (1 + exp(-3.75)) - 3 / (1 + exp(1.5)))) < 1e-5);
    scorer_deinit(&scorer);
    arena_deinit(&arena);
}

/* The order of additions that model.h promises, written out. */
static void score_plainly(const struct model *model, const float *dense, const int32_t *ids,
                          float *z)
{
    const struct layer *layer = &network_of(model)->layers[0];

    for (uint32_t j = 0; j < layer->width; j++) {
        volatile float sum = layer->bias[j]; /* rounded after every step */
        for (uint32_t i = 0; i < model->transform.dense_width; i++) {
            volatile float product = dense[i] * layer->weights[i * layer->width + j];
            sum = sum + product;
        }
        for (uint32_t i = 0; i < model->transform.id_count; i++)
            if (ids[i] >= 0)
                sum = sum + layer->weights[(model->transform.dense_width + (uint32_t)ids[i]) *
                                               layer->width +
                                           j];
        z[j] = sum;
    }
}

static void additions_keep_their_order_to_the_last_bit(void **state)
{
    struct transform_input inputs[23];
    struct fixture fixture = {0};
    struct scorer scorer;
    struct error err;
    float dense[23], expected[37];
    const uint32_t width = 37; /* no multiple of any vector */
    (void)state;

    arena_init(&fixture.arena, ARENA_MAXIMUM);
    for (int i = 0; i < 23; i++)
        inputs[i] = (struct transform_input){.spec.name = arena_printf(&fixture.arena, "x%d", i),
                                             .scale = 1};
    fixture.model = (struct model){.kind = kind_find(SLICE("network")),
                                   .content = &fixture.network,
                                   .transform = {.inputs = inputs, .input_count = 23},
                                   .labels.count = width};
    CHECK_OK(transform_finish(&fixture.model.transform, &fixture.arena, &err));
    fixture_layers(&fixture, &width, 1);
    CHECK_OK(scorer_init(&scorer, &fixture.model, 1, &err));
    for (uint64_t row = 0; row < 200; row++) {
        for (uint64_t i = 0; i < 23; i++)
            dense[i] = (float)(random_uniform(row, RANDOM_SAMPLE, 0, i) * 200 - 100);
        scorer_score_row(&scorer, dense, NULL);
        score_plainly(&fixture.model, dense, NULL, expected);
        assert_memory_equal(scorer.outputs, expected, sizeof expected);
    }
    scorer_deinit(&scorer);
    fixture_deinit(&fixture);
}

static void ids_add_the_rows_they_select_and_none_adds_nothing(void **state)
{
    const uint32_t widths[] = {3};
    const float dense[] = {0.5f, 1, -2};
    static const int32_t cases[][2] = {{0, 6}, {5, 7}, {-1, -1}, {3, -1}};
    struct fixture fixture;
    struct scorer scorer;
    struct error err;
    float expected[3];
    (void)state;

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, widths, 1);
    CHECK_OK(scorer_init(&scorer, &fixture.model, 1, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scorer_score_row(&scorer, dense, cases[i]);
        score_plainly(&fixture.model, dense, cases[i], expected);
        assert_memory_equal(scorer.outputs, expected, sizeof expected);
    }
    scorer_deinit(&scorer);
    fixture_deinit(&fixture);
}

/* Rows of cells: numbers, texts that are known and not, NULLs. */
static void draw_cells(uint64_t seed, uint64_t row, struct cell cells[4])
{
    static const struct slice words[] = {{"red", 3}, {"green", 5}, {"it's", 4}, {"blue", 4}};

    for (uint64_t i = 0; i < 4; i++) {
        const uint64_t bits = random_bits(seed, RANDOM_SAMPLE, row, i);

        if (bits % 8 == 0)
            cells[i] = (struct cell){.type = CELL_NULL};
        else if (i < 2)
            cells[i] = (struct cell){.type = CELL_REAL, .real = (double)(bits % 3000) / 10};
        else
            cells[i] = (struct cell){.type = CELL_TEXT, .text = words[bits / 8 % 4]};
    }
}

static void check_together(const struct model *model, uint64_t seed, uint32_t rows)
{
    const size_t bytes = model_outputs(model) * sizeof(float);
    struct scorer together, alone;
    struct cell cells[4];
    struct error err;

    CHECK_OK(scorer_init(&together, model, rows, &err));
    CHECK_OK(scorer_init(&alone, model, 1, &err));
    CHECK_INT(together.rows_max, rows);
    for (uint32_t i = 0; i < rows; i++) {
        draw_cells(seed, i, cells);
        CHECK_OK(scorer_transform(&together, i, cells, &err));
    }
    scorer_score(&together, rows);
    for (uint32_t i = 0; i < rows; i++) {
        draw_cells(seed, i, cells);
        CHECK_OK(scorer_transform(&alone, 0, cells, &err));
        scorer_score(&alone, 1);
        scorer_select(&together, i);
        assert_memory_equal(together.outputs, alone.outputs, bytes);
    }
    scorer_deinit(&together);
    scorer_deinit(&alone);
}

static void rows_together_and_one_by_one_give_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const uint32_t count = 1 + (uint32_t)(random_bits(seed, RANDOM_SAMPLE, 0, 100) % 3);
        const uint32_t classes = (uint32_t)(seed % 5 == 1 ? 0 : 2 + seed % 4);
        uint32_t widths[3];
        struct fixture fixture;

        fixture_init(&fixture, classes);
        for (uint32_t i = 0; i < count; i++)
            widths[i] = 1 + (uint32_t)(random_bits(seed, RANDOM_SAMPLE, i, 101) % 90);
        widths[count - 1] = model_outputs(&fixture.model);
        fixture.network.activation = (enum activation)(seed % 4);
        fixture_layers(&fixture, widths, count);
        check_together(&fixture.model, seed, 1 + (uint32_t)(seed * 7 % SCORER_ROWS));
        fixture_deinit(&fixture);
    }
}

static void wide_layers_leave_room_for_fewer_rows(void **state)
{
    const uint32_t widths[] = {NETWORK_WIDTH_MAX, 1};
    struct fixture fixture;
    struct scorer scorer;
    struct error err;
    (void)state;

    fixture_init(&fixture, 2);
    fixture_layers(&fixture, widths, 2);
    CHECK_OK(scorer_init(&scorer, &fixture.model, SCORER_ROWS, &err));
    CHECK(scorer.rows_max >= 1);
    CHECK(2 * (size_t)NETWORK_WIDTH_MAX * scorer.rows_max * sizeof(float) <= SCORER_BYTES);
    scorer_deinit(&scorer);
    fixture.model.multiplications = SCORER_WORK / 3;
    CHECK_OK(scorer_init(&scorer, &fixture.model, SCORER_ROWS, &err));
    CHECK_INT(scorer.rows_max, 3);
    scorer_deinit(&scorer);
    fixture.model.multiplications = SCORER_WORK * 3;
    CHECK_OK(scorer_init(&scorer, &fixture.model, SCORER_ROWS, &err));
    CHECK_INT(scorer.rows_max, 1);
    scorer_deinit(&scorer);
    fixture_deinit(&fixture);
}

static void probabilities_are_sigmoid_and_softmax(void **state)
{
    const uint32_t one = 1, three = 3;
    struct fixture fixture;
    struct scorer scorer;
    struct error err;
    double p[3];
    (void)state;

    fixture_init(&fixture, 2);
    fixture_layers(&fixture, &one, 1);
    CHECK_OK(scorer_init(&scorer, &fixture.model, 1, &err));
    scorer.results[0] = 2;
    scorer_probabilities(&scorer, p);
    CHECK(fabs(p[1] - 1 / (1 + exp(-2))) < 1e-15 && fabs(p[0] + p[1] - 1) < 1e-15);
    CHECK_INT(scorer_class(&scorer), 1);
    CHECK_INT(scorer_prediction(&scorer).integer, 10);
    scorer.results[0] = 0; /* equal: the lowest class */
    CHECK_INT(scorer_class(&scorer), 0);
    scorer_deinit(&scorer);
    fixture_deinit(&fixture);

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, &three, 1);
    CHECK_OK(scorer_init(&scorer, &fixture.model, 1, &err));
    scorer.results[0] = 1000, scorer.results[1] = 1001, scorer.results[2] = 1001;
    scorer_probabilities(&scorer, p);
    CHECK(fabs(p[0] - exp(-1) / (2 + exp(-1))) < 1e-12 && p[1] == p[2]);
    CHECK_INT(scorer_class(&scorer), 1);
    CHECK_INT(scorer_prediction(&scorer).integer, 10);
    scorer_deinit(&scorer);
    fixture_deinit(&fixture);
}

static void a_cell_that_cannot_be_read_fails_with_its_column(void **state)
{
    const uint32_t width = 3;
    struct cell cells[4] = {{.type = CELL_NULL}};
    struct fixture fixture;
    struct scorer scorer;
    struct error err;
    (void)state;

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, &width, 1);
    CHECK_OK(scorer_init(&scorer, &fixture.model, 1, &err));
    cells[1] = (struct cell){.type = CELL_TEXT, .text = SLICE("tall")};
    CHECK_FAILS(scorer_transform(&scorer, 0, cells, &err), STATUS_INVALID, "column \"height\"");
    scorer_deinit(&scorer);
    fixture_deinit(&fixture);
}

static void a_stored_network_costs_what_its_layers_do(void **state)
{
    struct layer layers[] = {{.width = 10}, {.width = 4}, {.width = 1}};
    struct network_model network = {.layers = layers, .layer_count = 3};
    const struct model model = {.task = TASK_REGRESSION,
                                .transform = {.dense_width = 5, .id_count = 1, .id_rows = 20},
                                .kind = kind_find(SLICE("network")),
                                .content = &network};
    const struct kind_cost cost = model_cost(&model);
    (void)state;

    CHECK(cost.multiplications == 6 * 10 + 10 * 4 + 4);
    CHECK(cost.parameters == 26 * 10 + 11 * 4 + 5);
}

static void a_stored_kmeans_costs_its_centers(void **state)
{
    struct kmeans_model kmeans = {.clusters = 7, .width = 5};
    const struct model model = {.task = TASK_CLUSTERING,
                                .transform = {.dense_width = 5},
                                .kind = kind_find(SLICE("kmeans")),
                                .content = &kmeans};
    (void)state;

    CHECK(model_cost(&model).multiplications == 7 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_computes_what_a_pencil_does),
        cmocka_unit_test(additions_keep_their_order_to_the_last_bit),
        cmocka_unit_test(ids_add_the_rows_they_select_and_none_adds_nothing),
        cmocka_unit_test(rows_together_and_one_by_one_give_the_same_bits),
        cmocka_unit_test(a_stored_network_costs_what_its_layers_do),
        cmocka_unit_test(a_stored_kmeans_costs_its_centers),
        cmocka_unit_test(wide_layers_leave_room_for_fewer_rows),
        cmocka_unit_test(probabilities_are_sigmoid_and_softmax),
        cmocka_unit_test(a_cell_that_cannot_be_read_fails_with_its_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
