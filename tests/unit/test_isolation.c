#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/trees/isolation_kind.h"
#include "runtime/learn/isolation/isolation_draws.h"
#include "runtime/learn/isolation/isolation_tree.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

/* `contamination` is the trial's number. */
static struct jobspec spec_of(const struct dataset *dataset, double contamination)
{
    const struct isolation_params params = {.trees = 150,
                                            .max_samples = 64,
                                            .contamination =
                                                contamination > 0 ? contamination : REAL_AUTOMATIC,
                                            .max_features = 1};
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("isolation");
    spec.estimator = SLICE("IsolationForest");
    spec.task = TASK_DETECTION;
    spec.label = (struct slice){NULL, 0};
    spec.label_type = LABEL_NONE;
    spec.metrics[0] = SLICE("Outliers");
    spec.metric_count = 1;
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

static const struct row_sums_trials trials = {
    .spec_of = spec_of,
    .workers = {{{700, 0, 4, 0, 0, 0}, 0},
                {{700, 60, 3, 2, 40, 0}, .1},
                {{700, 0, 0, 2, 3000, 0}, 0},
                {{40, 0, 20, 1, 8, 0}, .5}},
    .threads = {{2000, 0, 20, 2, 9, 0}, .05},
    .states = {{200, 0, 5, 2, 9, 0}, .1},
    .cut = {{60, 0, 4, 0, 0, 0}, 0},
    .cut_other = .25,
    .cut_phases = 1,
};

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 4, 0, 0, 0});
    struct jobspec spec = spec_of(&dataset, 0);
    struct learner *learning;
    struct error err;
    (void)state;

    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "150 trees of samples of 40 rows need");
    CHECK(strstr(err.message, "and a worker has at most 100"));
    made_dataset_close(&dataset);
}

static void sizes_are_checked(void **state)
{
    struct isolation_params params = {.trees = 100, .max_samples = REAL_AUTOMATIC};
    struct error err;
    (void)state;

    CHECK_OK(isolation_check_size(&params, 1e9, 1000, 1000, &err));
    CHECK_FAILS(isolation_check_size(&params, 1, 3, 0, &err), STATUS_INVALID, "from 2 rows");
    CHECK_FAILS(isolation_check_size(&params, 1e9, 60000, 0, &err), STATUS_LIMIT,
                "samples of 256 rows of 60000 inputs, where a sample has at most 8388608 values");
    params.max_samples = 0.5;
    CHECK_INT(isolation_sample_rows(&params, 1001), 500);
    params.max_samples = 4e6;
    CHECK_INT(isolation_sample_rows(&params, 1001), 1001);
    CHECK_FAILS(isolation_check_size(&params, 1e9, 2, 0, &err), STATUS_LIMIT,
                "100 trees of 4000000 rows may have");
}

/* Changes some bits of each memory, and back. */
static void bits_that_change_are_found(void **state)
{
    static const char *const names[] = {"weights", "trees", "sets"};
    struct dataset dataset = mixed_dataset((struct rows_shape){300, 0, 3, 2, 12, 0});
    const struct jobspec spec = spec_of(&dataset, .1);
    struct learner *learning;
    struct group group;
    struct error err;
    (void)state;

    group_open(&group, &spec, &dataset, 1);
    learning = group.learners[0];
    while (phase_of(&group)->kind != PHASE_DONE) {
        group_phase(&group);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t size;
            uint8_t *memory = learner_memory(learning, names[i], &size);

            CHECK(memory && size > 0);
            for (size_t bit = 3; bit < 8 * size; bit += 1 + bit / 2) {
                memory[bit / 8] ^= (uint8_t)(1u << bit % 8);
                CHECK_INT(learner_verify(learning, LOOK_AT_ALL, NULL, &err), STATUS_CORRUPT);
                memory[bit / 8] ^= (uint8_t)(1u << bit % 8);
            }
        }
        CHECK_OK(learner_verify(learning, LOOK_AT_ALL, NULL, &err));
    }
    group_close(&group);
    made_dataset_close(&dataset);
}

/* scikit-learn's _average_path_length. */
static void paths_are_those_of_scikit_learn(void **state)
{
    static const struct {
        uint64_t rows;
        double path;
    } paths[] = {{0, 0}, {1, 0}, {2, 1}, {5, 2.3270200520233994}, {256, 10.244770920116851}};
    (void)state;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHECK(fabs(isolation_path(paths[i].rows) - paths[i].path) < 1e-9);
    CHECK_INT(isolation_depth(256), 8);
    CHECK_INT(isolation_depth(257), 9);
    CHECK_INT(isolation_depth(2), 1);
}

static void a_tree_has_each_row_once_and_all_rows_are_as_likely(void **state)
{
    enum { ROWS = 10, SAMPLE = 4, TREES = 20000 };
    struct isolation_draw *draws = calloc(TREES * SAMPLE, sizeof *draws);
    uint32_t counts[ROWS] = {0};
    uint8_t *has = calloc(TREES, ROWS);
    struct error err;
    (void)state;

    CHECK(draws && has);
    CHECK_OK(isolation_draw_rows(7, 3, TREES, SAMPLE, ROWS, draws, &err));
    for (size_t i = 0; i < TREES * SAMPLE; i++) {
        uint8_t *own = &has[draws[i].place / SAMPLE * ROWS + draws[i].row];

        CHECK(i == 0 || draws[i - 1].row <= draws[i].row);
        CHECK_INT(*own, 0);
        *own = 1;
        counts[draws[i].row]++;
    }
    for (size_t i = 0; i < ROWS; i++) /* 8000 are expected, with a deviation of 70 */
        CHECK(counts[i] > 7600 && counts[i] < 8400);
    CHECK_INT(isolation_draws_find(draws, TREES * SAMPLE, 0), 0);
    CHECK_INT(isolation_draws_find(draws, TREES * SAMPLE, 1), counts[0]);
    CHECK_INT(isolation_draws_find(draws, TREES * SAMPLE, ROWS), TREES * SAMPLE);
    free(draws);
    free(has);
}

/* Grows trees from a sample. */
struct grown {
    struct isolation_forest forest;
    struct isolation_growth growth;
};

static void grow(struct grown *grown, const struct isolation_sample *sample, uint32_t trees)
{
    struct error err;

    *grown =
        (struct grown){.growth = {.seed = 5, .columns_most = 9, .depth_most = 8, .leaf_scale = 1}};
    error_clear(&err);
    CHECK_OK(isolation_growth_init(&grown->growth, sample->rows,
                                   sample->number_count + sample->id_count, &err));
    for (uint32_t i = 0; i < trees; i++)
        CHECK_OK(isolation_grow(&grown->growth, sample, &grown->forest, &err));
}

static void grown_deinit(struct grown *grown)
{
    isolation_growth_deinit(&grown->growth);
    free(grown->forest.trees);
    free(grown->forest.nodes);
    free(grown->forest.sets);
}

static const float *root_of(const struct grown *grown, uint32_t tree)
{
    return grown->forest.nodes +
           (size_t)grown->forest.trees[tree * TREE_NUMBERS + TREE_FIRST_NODE] * NODE_NUMBERS;
}

/* Rows 1, 2, 3 and 100 are parted where a uniform number of 1 to 100 falls. */
static void thresholds_are_uniform_between_the_least_and_the_greatest_number(void **state)
{
    float numbers[] = {2, 100, 1, 3};
    const struct isolation_sample sample = {.rows = 4, .number_count = 1, .numbers = numbers};
    struct grown grown;
    uint32_t upper = 0;
    (void)state;

    grow(&grown, &sample, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        const float *root = root_of(&grown, i);

        CHECK(root[NODE_VALUE] > 1 && root[NODE_VALUE] <= 100);
        CHECK(root[NODE_COVER] == 4);
        upper += root[NODE_VALUE] > 50.5f;
        /* A missing number goes where fewer rows do. */
        CHECK((root[NODE_MISSING_LEFT] == 1) == (root[NODE_VALUE] <= 2));
    }
    CHECK(upper > 440 && upper < 560);
    grown_deinit(&grown);
}

static void missing_numbers_are_parted_from_equal_ones(void **state)
{
    float numbers[] = {7, NAN, 7};
    const struct isolation_sample sample = {.rows = 3, .number_count = 1, .numbers = numbers};
    struct grown grown;
    (void)state;

    grow(&grown, &sample, 1);
    CHECK(root_of(&grown, 0)[NODE_VALUE] == 7 && root_of(&grown, 0)[NODE_MISSING_LEFT] == 1);
    CHECK_INT(grown.forest.node_count, 3);
    CHECK(root_of(&grown, 0)[NODE_NUMBERS + NODE_COVER] == 1);     /* the missing one */
    CHECK(root_of(&grown, 0)[2 * NODE_NUMBERS + NODE_COVER] == 2); /* equal rows: a leaf */
    CHECK(root_of(&grown, 0)[2 * NODE_NUMBERS + NODE_VALUE] == 2); /* 1 + c(2) */
    grown_deinit(&grown);
}

/* The words of the larger side are in the set; those that are not told apart, and missing ones that
 * no row has, are not. */
static void words_of_the_larger_side_are_in_the_set(void **state)
{
    int32_t words[] = {0, 0, 0, 300, ISOLATION_OTHER_WORDS, 0};
    struct isolation_sample sample = {.rows = 4, .id_count = 1, .words = words};
    struct grown grown;
    (void)state;

    grow(&grown, &sample, 50);
    for (uint32_t i = 0; i < 50; i++) {
        const float *root = root_of(&grown, i);
        const float *set = grown.forest.sets + (size_t)root[NODE_SET] * TREE_SET_NUMBERS;

        CHECK(root[NODE_TEST] == NODE_WORD_IN && root[NODE_MISSING_LEFT] == 0);
        CHECK(root[NODE_SET_ROWS] == 1 && set[0] == 1);
    }
    grown_deinit(&grown);
    sample.rows = 6;
    grow(&grown, &sample, 50);
    for (uint32_t i = 0; i < 50; i++) {
        const float *root = root_of(&grown, i);
        const float *set = grown.forest.sets + (size_t)root[NODE_SET] * TREE_SET_NUMBERS;
        const uint32_t beyond = ISOLATION_OTHER_WORDS / TREE_SET_VALUES;

        CHECK(root[NODE_SET_ROWS] <= (float)beyond);
        CHECK(set[0] == 1 || set[TREE_SET_NUMBERS + (300 - 256) / 16] == 1 << (300 - 256) % 16);
    }
    grown_deinit(&grown);
}

static void equal_rows_are_one_leaf(void **state)
{
    float numbers[] = {1, 1, 1};
    int32_t words[] = {-1, -1, -1};
    const struct isolation_sample sample = {
        .rows = 3, .number_count = 1, .id_count = 1, .numbers = numbers, .words = words};
    struct grown grown;
    (void)state;

    grow(&grown, &sample, 2);
    CHECK_INT(grown.forest.node_count, 2);
    CHECK(fabs((double)root_of(&grown, 1)[NODE_VALUE] - isolation_path(3)) < 1e-6);
    grown_deinit(&grown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW_SUMS_TESTS(&trials),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
        cmocka_unit_test(bits_that_change_are_found),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(paths_are_those_of_scikit_learn),
        cmocka_unit_test(a_tree_has_each_row_once_and_all_rows_are_as_likely),
        cmocka_unit_test(thresholds_are_uniform_between_the_least_and_the_greatest_number),
        cmocka_unit_test(missing_numbers_are_parted_from_equal_ones),
        cmocka_unit_test(words_of_the_larger_side_are_in_the_set),
        cmocka_unit_test(equal_rows_are_one_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
