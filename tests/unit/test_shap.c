/* SHAP values, against all orders in which inputs can become known. */
#include <math.h>

#include "kinds/trees/trees_score.h"
#include "scoring/outputs.h"
#include "scoring/shap.h"
#include "tests/check.h"
#include "tests/unit/trees_fixture.h"

#define ROWS   60
#define INPUTS 4
#define SETS   (1u << INPUTS)
#define NEAR(actual, expected)                                                                     \
    CHECK(fabs((actual) - (expected)) <= 1e-9 * (1 + fabs((double)(expected))))

/* ---- rows ---- */

static void made_row(uint32_t row, struct cell cells[INPUTS])
{
    static const char *const words[] = {"red", "green", "it's", "violet"};

    cells[0] = (struct cell){.type = row % 7 ? CELL_REAL : CELL_NULL, .real = row * 37 % 91};
    cells[1] = (struct cell){.type = CELL_REAL, .real = row * 7 % 13};
    cells[2] = (struct cell){.type = row % 11 ? CELL_TEXT : CELL_NULL,
                             .text = slice_of(words[row * 3 % 4])};
    cells[3] = (struct cell){.type = CELL_TEXT, .text = slice_of(words[row % 2])};
}

typedef void row_maker(uint32_t row, struct cell cells[INPUTS]);

static void hold_made_rows(const struct model *model, row_maker *make, struct scorer *scorer,
                           struct held_rows *held)
{
    const struct row_label label = {.class = 0};
    struct cell cells[INPUTS];
    struct error err;

    CHECK_OK(scorer_init(scorer, model, 1, &err));
    held_rows_init(held, model, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        make(i, cells);
        CHECK_OK(scorer_transform(scorer, 0, cells, &err));
        CHECK_OK(held_rows_add(held, scorer, &label, &err));
    }
    CHECK_OK(held_rows_sort(held, &err));
}

static void hold_rows(const struct model *model, struct scorer *scorer, struct held_rows *held)
{
    hold_made_rows(model, made_row, scorer, held);
}

/* ---- by the definition ---- */

struct reference {
    const struct trees_model *trees;
    void *scorer; /* the kind's: it makes the tests */
    const float *dense;
    const int32_t *ids;
    uint32_t first; /* node of the tree */
};

/* The mean of a tree from a node down, where the inputs of `known`, a bit each, are known. */
static double expected(const struct reference *reference, uint32_t number, uint32_t known)
{
    const float *node = trees_node(reference->trees, number);
    const uint32_t left = reference->first + (uint32_t)node[NODE_LEFT];
    const uint32_t input = (uint32_t)node[NODE_COLUMN] + (node[NODE_TEST] == NODE_WORD_IN ? 2 : 0);
    double left_cover, right_cover;

    if (node[NODE_TEST] == NODE_LEAF)
        return (double)node[NODE_VALUE];
    if (known >> input & 1)
        return expected(reference,
                        trees_next(reference->scorer, number, reference->dense, reference->ids),
                        known);
    left_cover = (double)trees_node(reference->trees, left)[NODE_COVER];
    right_cover = (double)trees_node(reference->trees, left + 1)[NODE_COVER];
    return (left_cover * expected(reference, left, known) +
            right_cover * expected(reference, left + 1, known)) /
           (left_cover + right_cover);
}

/* An output where the inputs of `known` are known. */
static double expected_output(struct reference *reference, uint32_t output, uint32_t known)
{
    const struct trees_model *trees = reference->trees;
    double sum = (double)trees->base[output];

    for (uint32_t i = 0; i < trees->tree_count; i++) {
        const float *tree = trees->trees + (size_t)i * TREE_NUMBERS;

        reference->first = (uint32_t)tree[TREE_FIRST_NODE];
        if ((uint32_t)tree[TREE_OUTPUT] == output)
            sum += expected(reference, reference->first, known);
    }
    return sum;
}

/* Shapley's value: over all sets of other inputs, by how many orders have the set before it. */
static double shapley(struct reference *reference, uint32_t output, uint32_t input)
{
    static const double factorials[] = {1, 1, 2, 6, 24};
    double sum = 0;

    for (uint32_t set = 0; set < SETS; set++) {
        const int members = __builtin_popcount(set);

        if (set >> input & 1)
            continue;
        sum += factorials[members] * factorials[INPUTS - 1 - members] / factorials[INPUTS] *
               (expected_output(reference, output, set | 1u << input) -
                expected_output(reference, output, set));
    }
    return sum;
}

/* ---- trees ---- */

/* Rows of leaves, and of nodes what their children have. */
static void cover(struct trees_fixture *made, uint64_t seed)
{
    for (uint32_t i = 0; i < made->trees.tree_count; i++) {
        const float *tree = made->tree + (size_t)i * TREE_NUMBERS;
        float *nodes = made->nodes + (size_t)tree[TREE_FIRST_NODE] * NODE_NUMBERS;

        for (uint32_t j = (uint32_t)tree[TREE_NODE_COUNT]; j-- > 0;) {
            float *node = nodes + (size_t)j * NODE_NUMBERS;
            const float *left = nodes + (size_t)node[NODE_LEFT] * NODE_NUMBERS;

            node[NODE_COVER] = node[NODE_TEST] == NODE_LEAF
                                   ? ceilf((float)(40 * trees_fixture_draw(seed, j, 8)))
                                   : left[NODE_COVER] + left[NODE_NUMBERS + NODE_COVER];
        }
    }
}

static void check_model(const struct trees_fixture *made)
{
    const struct model *model = &made->fixture.model;
    const uint32_t outputs = made->trees.outputs;
    struct reference reference = {.trees = &made->trees};
    double values[3 * (INPUTS + 1)];
    struct held_rows held;
    struct scorer scorer;
    struct shap *shap;
    struct error err;

    hold_rows(model, &scorer, &held);
    CHECK_OK(shap_new(held.model, &held, NULL, &shap, &err));
    CHECK_OK(model->kind->open(model, 1, &reference.scorer, &err));
    for (uint32_t row = 0; row < held.count; row++) {
        reference.dense = held_rows_dense(&held, row);
        reference.ids = held_rows_ids(&held, row);
        CHECK_OK(shap_row(shap, reference.dense, reference.ids, NULL, values, &err));
        scorer_score_row(&scorer, reference.dense, reference.ids);
        for (uint32_t output = 0; output < outputs; output++) {
            const double *of_output = values + output * (INPUTS + 1);
            double sum = of_output[INPUTS];

            NEAR(of_output[INPUTS], expected_output(&reference, output, 0));
            for (uint32_t input = 0; input < INPUTS; input++) {
                NEAR(of_output[input], shapley(&reference, output, input));
                sum += of_output[input];
            }
            CHECK(fabs(sum - (double)scorer.outputs[output]) <= 1e-5);
        }
    }
    model->kind->close(reference.scorer);
    shap_free(shap);
    scorer_deinit(&scorer);
    held_rows_deinit(&held);
}

static void trees_have_the_values_of_all_orders(void **state)
{
    struct trees_fixture made;
    (void)state;

    for (uint32_t seed = 0; seed < 6; seed++) {
        const uint32_t classes = seed % 3 == 0 ? 0 : seed % 3 + 1;

        trees_fixture_init(&made, classes);
        for (uint32_t i = 0; i < 6; i++)
            trees_fixture_grow(&made, i % made.trees.outputs, 1 + 9 * i, 100 * seed + i, true);
        cover(&made, seed);
        check_model(&made);
        fixture_deinit(&made.fixture);
    }
}

/* age < 40 ? 1 : 2, of which 30 and 10 rows were seen. */
static void a_tree_of_one_test_by_hand(void **state)
{
    const float nodes[3][NODE_NUMBERS] = {{NODE_BELOW, 0, 40, 1, 1, 0, 0, 9, 40},
                                          {NODE_LEAF, 0, 1, 0, 0, 0, 0, 0, 30},
                                          {NODE_LEAF, 0, 2, 0, 0, 0, 0, 0, 10}};
    struct trees_fixture made;
    double values[INPUTS + 1];
    struct held_rows held;
    struct scorer scorer;
    struct shap *shap;
    struct error err;
    (void)state;

    trees_fixture_init(&made, 0);
    trees_fixture_add(&made, 0, nodes, 3);
    hold_rows(&made.fixture.model, &scorer, &held);
    CHECK_OK(shap_new(held.model, &held, NULL, &shap, &err));
    for (uint32_t row = 0; row < held.count; row++) {
        const float *dense = held_rows_dense(&held, row);

        CHECK_OK(shap_row(shap, dense, held_rows_ids(&held, row), NULL, values, &err));
        NEAR(values[0], dense[0] >= 40 ? 0.75 : -0.25);
        CHECK(values[1] == 0 && values[2] == 0 && values[3] == 0);
        NEAR(values[INPUTS], 0.25 + 1.25);
    }
    shap_free(shap);
    scorer_deinit(&scorer);
    held_rows_deinit(&held);
    fixture_deinit(&made.fixture);
}

/* Each node's right child is the next: so many tests in a chain. */
static void add_chain(struct trees_fixture *made, uint32_t depth)
{
    float(*nodes)[NODE_NUMBERS] = calloc(2 * depth + 1, sizeof *nodes);

    for (uint32_t i = 0; i < depth; i++) {
        float *node = nodes[i == 0 ? 0 : 2 * i];

        node[NODE_TEST] = NODE_BELOW;
        node[NODE_COLUMN] = (float)(i % 2);
        node[NODE_VALUE] = (float)(i % 90);
        node[NODE_LEFT] = (float)(2 * i + 1);
    }
    for (uint32_t i = 0; i < 2 * depth + 1; i++)
        if (nodes[i][NODE_TEST] == NODE_LEAF)
            nodes[i][NODE_VALUE] = (float)i / 7;
    trees_fixture_add(made, 0, (const float(*)[NODE_NUMBERS])nodes, 2 * depth + 1);
    free(nodes);
}

static void trees_that_are_too_deep_are_refused(void **state)
{
    struct trees_fixture made;
    struct held_rows held;
    struct scorer scorer;
    struct shap *shap;
    struct error err;
    (void)state;

    trees_fixture_init(&made, 0);
    add_chain(&made, 1000);
    cover(&made, 1);
    hold_rows(&made.fixture.model, &scorer, &held);
    CHECK_OK(shap_new(held.model, &held, NULL, &shap, &err));
    shap_free(shap);
    add_chain(&made, 1001);
    CHECK_FAILS(shap_new(held.model, &held, NULL, &shap, &err), STATUS_LIMIT,
                "a tree of the model is 1001 tests deep");
    scorer_deinit(&scorer);
    held_rows_deinit(&held);
    fixture_deinit(&made.fixture);
}

/* Says yes from the `left` + 1st question on. */
static bool after_some(void *left)
{
    return (*(uint32_t *)left)-- == 0;
}

/* A row takes some 5,000 steps, and the question comes after millions: in the midst of rows. */
static void rows_of_deep_trees_are_interrupted(void **state)
{
    uint32_t left = 2, row;
    const struct stop stop = {after_some, &left};
    struct trees_fixture made;
    double values[INPUTS + 1];
    struct held_rows held;
    struct scorer scorer;
    struct shap *shap;
    struct error err;
    (void)state;

    trees_fixture_init(&made, 0);
    add_chain(&made, 1000);
    cover(&made, 1);
    hold_rows(&made.fixture.model, &scorer, &held);
    CHECK_OK(shap_new(held.model, &held, &stop, &shap, &err));
    error_clear(&err);
    for (row = 0; row < 100000 && err.status == STATUS_OK; row++)
        shap_row(shap, held_rows_dense(&held, 0), held_rows_ids(&held, 0), &stop, values, &err);
    CHECK_INT(err.status, STATUS_INTERRUPTED);
    CHECK_INT(left, UINT32_MAX);
    CHECK(row > 100);
    shap_free(shap);
    scorer_deinit(&scorer);
    held_rows_deinit(&held);
    fixture_deinit(&made.fixture);
}

static bool must_not_be_asked(void *context)
{
    (void)context;
    check_failed("who was there for an earlier row is asked in a later one");
    return true;
}

/* A session keeps a model's workspace over statements, each of which is another one to ask. */
static void each_row_asks_whom_the_workspace_has_then(void **state)
{
    uint32_t left = 2;
    const struct stop earlier = {must_not_be_asked, NULL}, later = {after_some, &left};
    struct output_workspace workspace;
    struct trees_fixture made;
    struct held_rows held;
    struct scorer scorer;
    struct cell cell;
    struct error err;
    (void)state;

    trees_fixture_init(&made, 0);
    add_chain(&made, 1000);
    cover(&made, 1);
    hold_rows(&made.fixture.model, &scorer, &held);
    CHECK_OK(output_workspace_init(&workspace, held.model, &err));
    workspace.stop = &earlier;
    scorer_score_row(&scorer, held_rows_dense(&held, 0), held_rows_ids(&held, 0));
    CHECK_OK(scorer_output(&scorer, OUTPUT_SHAP, &workspace, &cell, &err));
    workspace.stop = &later;
    error_clear(&err);
    for (uint32_t row = 0; row < 100000 && err.status == STATUS_OK; row++)
        scorer_output(&scorer, OUTPUT_SHAP, &workspace, &cell, &err);
    CHECK_INT(err.status, STATUS_INTERRUPTED);
    output_workspace_deinit(&workspace);
    scorer_deinit(&scorer);
    held_rows_deinit(&held);
    fixture_deinit(&made.fixture);
}

/* ---- linear models ---- */

/* Checks that the inputs' shares are 0 on average, and add up to the prediction. */
static void check_linear(struct fixture *fixture, row_maker *make)
{
    static const uint32_t width = 1;
    double values[INPUTS + 1], sums[INPUTS] = {0};
    struct held_rows held;
    struct scorer scorer;
    struct shap *shap;
    struct error err;

    fixture_layers(fixture, &width, 1);
    hold_made_rows(&fixture->model, make, &scorer, &held);
    CHECK_OK(shap_new(held.model, &held, NULL, &shap, &err));
    for (uint32_t row = 0; row < held.count; row++) {
        double sum = 0;

        CHECK_OK(shap_row(shap, held_rows_dense(&held, row), held_rows_ids(&held, row), NULL,
                          values, &err));
        scorer_score_row(&scorer, held_rows_dense(&held, row), held_rows_ids(&held, row));
        for (uint32_t i = 0; i <= INPUTS; i++)
            sum += values[i];
        for (uint32_t i = 0; i < INPUTS; i++)
            sums[i] += values[i];
        CHECK(fabs(sum - scorer_value(&scorer)) <= 1e-5 * (1 + fabs(sum)));
    }
    for (uint32_t i = 0; i < INPUTS; i++)
        CHECK(fabs(sums[i]) <= 1e-9 * ROWS);
    shap_free(shap);
    scorer_deinit(&scorer);
    held_rows_deinit(&held);
}

static void a_linear_model_is_measured_from_the_mean_of_the_rows(void **state)
{
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 0);
    check_linear(&fixture, made_row);
    fixture_deinit(&fixture);
}

/* Texts of no word to more than the four that count, and a size that training has not seen. */
static void noted_row(uint32_t row, struct cell cells[INPUTS])
{
    static const char *const notes[] = {
        "", "good", "good and bad", "bad bad", "a b c", "so many of them", "a b c d e f g"};

    made_row(row, cells);
    cells[2] =
        (struct cell){.type = row % 11 ? CELL_TEXT : CELL_NULL, .text = slice_of(notes[row % 7])};
    if (row % 5 == 0)
        cells[3] = (struct cell){.type = CELL_TEXT, .text = SLICE("endless")};
}

static void words_of_a_text_add_together(void **state)
{
    static const enum combiner combiners[] = {COMBINER_SQRTN, COMBINER_MEAN, COMBINER_SUM};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;
        struct error err;

        fixture_init(&fixture, 0);
        fixture_text(&fixture);
        fixture.model.transform.inputs[2].spec.combiner = combiners[i];
        CHECK_OK(transform_finish(&fixture.model.transform, &fixture.arena, &err));
        check_linear(&fixture, noted_row);
        fixture_deinit(&fixture);
    }
}

static void listed_row(uint32_t row, struct cell cells[INPUTS])
{
    static const char *const lists[] = {"1:0.5,6:2", "0:1", "3:-2,4:0.25,5:1", ""};

    made_row(row, cells);
    cells[2] =
        (struct cell){.type = row % 11 ? CELL_TEXT : CELL_NULL, .text = slice_of(lists[row % 4])};
}

static void items_of_a_list_add_by_their_weights(void **state)
{
    struct fixture fixture;
    struct error err;
    (void)state;

    fixture_init(&fixture, 0);
    fixture.model.transform.inputs[2] =
        (struct transform_input){.spec.name = SLICE("CATEGORY_ID(seen)"),
                                 .spec.source = SLICE("seen"),
                                 .spec.type = INPUT_TEXT,
                                 .spec.rule = RULE_ID,
                                 .spec.combiner = COMBINER_MEAN,
                                 .spec.is_weighted = true,
                                 .spec.list = {LIST_ITEMS, 4, 0, ':'},
                                 .hash_buckets = 7,
                                 .spec.words_max = 4};
    CHECK_OK(transform_finish(&fixture.model.transform, &fixture.arena, &err));
    check_linear(&fixture, listed_row);
    fixture_deinit(&fixture);
}

/* They add up to the logarithm of what is predicted. */
static void a_label_with_a_link_is_explained_by_its_logarithm(void **state)
{
    static const uint32_t width = 1;
    double values[INPUTS + 1];
    struct fixture fixture;
    struct held_rows held;
    struct scorer scorer;
    struct shap *shap;
    struct error err;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_layers(&fixture, &width, 1);
    fixture.model.link = LABEL_LINK_EXP;
    fixture.model.label_mean = 0;
    fixture.model.label_scale = 33;
    hold_rows(&fixture.model, &scorer, &held);
    CHECK_OK(shap_new(held.model, &held, NULL, &shap, &err));
    for (uint32_t row = 0; row < held.count; row++) {
        double sum = 0;

        CHECK_OK(shap_row(shap, held_rows_dense(&held, row), held_rows_ids(&held, row), NULL,
                          values, &err));
        scorer_score_row(&scorer, held_rows_dense(&held, row), held_rows_ids(&held, row));
        for (uint32_t i = 0; i <= INPUTS; i++)
            sum += values[i];
        CHECK(fabs(sum - log(scorer_value(&scorer))) <= 1e-5 * (1 + fabs(sum)));
    }
    shap_free(shap);
    scorer_deinit(&scorer);
    held_rows_deinit(&held);
    fixture_deinit(&fixture);
}

/* Each row of a background has two orders: 4 inputs, 60 rows. */
static void networks_have_values_by_orders(void **state)
{
    static const uint32_t widths[] = {4, 1};
    uint32_t left = 0;
    const struct stop stop = {after_some, &left};
    double values[INPUTS + 1], again[INPUTS + 1], base = 0;
    struct fixture fixture;
    struct held_rows held;
    struct scorer scorer;
    struct shap *shap;
    struct error err;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_layers(&fixture, widths, 2);
    hold_rows(&fixture.model, &scorer, &held);
    CHECK_OK(shap_new(held.model, &held, NULL, &shap, &err));
    for (uint32_t row = 0; row < held.count; row++) {
        scorer_score_row(&scorer, held_rows_dense(&held, row), held_rows_ids(&held, row));
        base += scorer_value(&scorer) / held.count;
    }
    for (uint32_t row = 0; row < held.count; row++) {
        double sum = 0;

        CHECK_OK(shap_row(shap, held_rows_dense(&held, row), held_rows_ids(&held, row), NULL,
                          values, &err));
        scorer_score_row(&scorer, held_rows_dense(&held, row), held_rows_ids(&held, row));
        for (uint32_t i = 0; i <= INPUTS; i++)
            sum += values[i];
        CHECK(fabs(sum - scorer_value(&scorer)) <= 1e-5 * (1 + fabs(sum)));
        CHECK(fabs(values[INPUTS] - base) <= 1e-5 * (1 + fabs(base)));
    }
    CHECK_OK(shap_row(shap, held_rows_dense(&held, held.count - 1),
                      held_rows_ids(&held, held.count - 1), NULL, again, &err));
    CHECK(memcmp(again, values, sizeof values) == 0);
    error_clear(&err);
    for (uint32_t row = 0; row < 100000 && err.status == STATUS_OK; row++)
        shap_row(shap, held_rows_dense(&held, 0), held_rows_ids(&held, 0), &stop, values, &err);
    CHECK_INT(err.status, STATUS_INTERRUPTED);
    shap_free(shap);
    CHECK_FAILS(shap_new(held.model, NULL, NULL, &shap, &err), STATUS_UNSUPPORTED,
                "SHAP values of a ");
    CHECK(shap_is_known(fixture.model.kind, TASK_REGRESSION));
    CHECK(!shap_is_known(fixture.model.kind, TASK_CLUSTERING));
    scorer_deinit(&scorer);
    held_rows_deinit(&held);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_have_the_values_of_all_orders),
        cmocka_unit_test(a_tree_of_one_test_by_hand),
        cmocka_unit_test(trees_that_are_too_deep_are_refused),
        cmocka_unit_test(rows_of_deep_trees_are_interrupted),
        cmocka_unit_test(each_row_asks_whom_the_workspace_has_then),
        cmocka_unit_test(a_linear_model_is_measured_from_the_mean_of_the_rows),
        cmocka_unit_test(words_of_a_text_add_together),
        cmocka_unit_test(items_of_a_list_add_by_their_weights),
        cmocka_unit_test(a_label_with_a_link_is_explained_by_its_logarithm),
        cmocka_unit_test(networks_have_values_by_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
