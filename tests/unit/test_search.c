/* Values that a search draws: where they may lie, that they are a function of seed and names, and
 * how halving goes on. */
#include "planner/training/search.h"

#include <math.h>
#include <stdlib.h>

#include "parser/parser.h"
#include "planner/plan_statement.h"
#include "tests/check.h"
#include "tests/unit/described_catalog.h"

#define TABLE "-- query: a REAL 700 reals; b TEXT 700 texts; y TEXT 700 texts\n"
#define TRAIN TABLE "SELECT * FROM t TO TRAIN "
#define DNN   TRAIN "DNNClassifier WITH "

struct scene {
    struct described_catalog described;
    struct arena arena;
    struct plan plan;
    struct error err;
};

static struct scene scene;

static enum status plan_text(const char *text)
{
    struct slice all = slice_of(text);
    struct statement statement;
    struct arena parsed;
    enum status status;
    size_t start;

    arena_deinit(&scene.arena);
    arena_init(&scene.arena, ARENA_MAXIMUM);
    error_clear(&scene.err);
    start = described_catalog_read(&scene.described, all);
    all = (struct slice){all.data + start, all.size - start};
    arena_init(&parsed, ARENA_MAXIMUM);
    status = parse_statement(all, &parsed, &statement, &scene.err);
    if (status == STATUS_OK)
        status = plan_statement(&statement, all, &scene.described.catalog, &scene.arena,
                                &scene.plan, &scene.err);
    arena_deinit(&parsed); /* a plan borrows nothing from it */
    return status;
}

static const struct search *search_of(const char *text)
{
    struct error err;
    const enum status status = plan_text(text);

    err = scene.err;
    CHECK_OK(status);
    CHECK(scene.plan.search != NULL);
    return scene.plan.search;
}

static void check_refused(const char *text, enum status expected, const char *message)
{
    const enum status status = plan_text(text);
    const struct error err = scene.err;

    CHECK_FAILS(status, expected, message);
    CHECK(err.position >= 0);
    if (!err.hint[0] && !strstr(err.message, " takes a ")) /* a range tells it all */
        check_failed("%s: no hint", text);
}

static const struct value *drawn(const struct search *search, uint32_t trial, size_t axis)
{
    return &search->drawn[trial * search->space.count + axis];
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&scene.arena, ARENA_MAXIMUM);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&scene.arena);
    return 0;
}

static void numbers_lie_within_their_range_and_can_be_typed(void **state)
{
    const struct search *search;
    double least = INFINITY, most = 0;
    uint32_t below = 0;
    (void)state;

    search = search_of(DNN "tune.trials = 200, optimizer.learning_rate = RANGE(1e-4, 1e-1), "
                           "hidden_units = [8] LABEL y INTO m");
    CHECK_INT(search->trials, 200);
    CHECK(search->space.axes[0].is_log);
    for (uint32_t i = 0; i < 200; i++) {
        const struct value *value = drawn(search, i, 0);
        double typed;

        CHECK(slice_to_real(value->text, &typed) && typed == value->number);
        CHECK(value->text.size <= strlen("0.0001234"));
        least = fmin(least, value->number);
        most = fmax(most, value->number);
        below += value->number < 0.00316;
    }
    CHECK(least >= 1e-4 && least < 2e-4);
    CHECK(most <= 1e-1 && most > 5e-2);
    CHECK(below > 75 && below < 125); /* half of them are below the geometric mean */
}

static void a_narrow_range_is_drawn_from_evenly_unless_told(void **state)
{
    const struct search *search;
    double sum = 0;
    (void)state;

    search =
        search_of(DNN "tune.trials = 200, dropout = RANGE(0.1, 0.5), hidden_units = [8] LABEL y "
                      "INTO m");
    CHECK(!search->space.axes[0].is_log);
    for (uint32_t i = 0; i < 200; i++)
        sum += drawn(search, i, 0)->number;
    CHECK(fabs(sum / 200 - 0.3) < 0.03);
    search = search_of(DNN "tune.trials = 3, dropout = RANGE(0.1, 0.5, 'log'), hidden_units = [8] "
                           "LABEL y INTO m");
    CHECK(search->space.axes[0].is_log);
    search = search_of(DNN "tune.trials = 3, learning_rate = RANGE(1e-4, 1e-1, linear), "
                           "hidden_units = [8] LABEL y INTO m");
    CHECK(!search->space.axes[0].is_log);
}

static void whole_numbers_stay_whole_and_reach_both_ends(void **state)
{
    const struct search *search;
    bool has_least = false, has_most = false;
    (void)state;

    search = search_of(TRAIN "XGBClassifier WITH tune.trials = 100, max_depth = RANGE(2, 5), eta = "
                             "RANGE(0.01, 0.3), num_boost_round = RANGE(5, 500) LABEL y INTO m");
    for (uint32_t i = 0; i < 100; i++) {
        const struct value *depth = drawn(search, i, 0), *rounds = drawn(search, i, 2);

        CHECK(depth->is_integer && depth->integer >= 2 && depth->integer <= 5);
        CHECK(rounds->is_integer && rounds->integer >= 5 && rounds->integer <= 500);
        has_least |= depth->integer == 2;
        has_most |= depth->integer == 5;
    }
    CHECK(has_least && has_most);
}

static void a_small_space_is_tried_whole_and_nothing_twice(void **state)
{
    const struct search *search;
    struct text values[12];
    (void)state;

    search = search_of(DNN "tune.trials = 50, hidden_units = [[8], [16, 8], [32]], activation = "
                           "['relu', tanh], train.batch_size = RANGE(31, 32) LABEL y INTO m");
    CHECK_INT(search->trials, 12);
    for (uint32_t i = 0; i < 12; i++) {
        text_init(&values[i], 200);
        search_append_values(search, i, &values[i]);
        for (uint32_t j = 0; j < i; j++)
            CHECK(!slice_equal(text_slice(&values[i]), text_slice(&values[j])));
    }
    for (uint32_t i = 0; i < 12; i++)
        text_deinit(&values[i]);
}

static void draws_depend_on_seed_and_names_alone(void **state)
{
    double first[5];
    const struct search *search;
    (void)state;

    search = search_of(DNN "tune.trials = 5, learning_rate = RANGE(1e-4, 1e-1), hidden_units = [8] "
                           "LABEL y INTO m");
    for (uint32_t i = 0; i < 5; i++)
        first[i] = drawn(search, i, 0)->number;
    search = search_of(DNN "hidden_units = [[8], [16]], tune.trials = 20, "
                           "optimizer.learning_rate = RANGE(1e-4, 1e-1) LABEL y INTO m");
    for (uint32_t i = 0; i < 5; i++)
        CHECK(drawn(search, i, 1)->number == first[i]);
    search =
        search_of(DNN "tune.trials = 5, learning_rate = RANGE(1e-4, 1e-1), hidden_units = [8], "
                      "train.seed = 1 LABEL y INTO m");
    CHECK(drawn(search, 0, 0)->number != first[0]);
}

static void a_trial_is_the_statement_with_its_values(void **state)
{
    const struct search *search;
    struct text values;
    (void)state;

    search = search_of(DNN "tune.trials = 2, tune.metric = 'auc', hidden_units = [[8], [16]], "
                           "optimizer.learning_rate = 0.5 LABEL y INTO m");
    text_init(&values, 200);
    search_append_values(search, 0, &values);
    CHECK(slice_is(text_slice(&values), "model.hidden_units = [8]") ||
          slice_is(text_slice(&values), "model.hidden_units = [16]"));
    text_deinit(&values);
    CHECK_SLICE(search->metric, "AUC");
    CHECK(!search->is_loss);
    CHECK(scene.plan.spec.test_size == 0.2);
    CHECK(search_is_held_out(&scene.plan));
}

static void what_judges_is_named_or_the_usual_metric(void **state)
{
    (void)state;
    CHECK_SLICE(search_of(DNN "tune.trials = 1, hidden_units = [[8]] LABEL y INTO m")->metric,
                "LogLoss");
    CHECK_SLICE(search_of(DNN
                          "tune.trials = 1, hidden_units = [[8]], validation.metrics = 'AUC, F1' "
                          "LABEL y INTO m")
                    ->metric,
                "AUC");
    CHECK_SLICE(search_of(TRAIN "DNNRegressor WITH tune.trials = 1, hidden_units = [[8]] LABEL a "
                                "INTO m")
                    ->metric,
                "RMSE");
    CHECK_SLICE(search_of("-- query: a REAL 700 reals; b REAL 700 reals\nSELECT * FROM t TO TRAIN "
                          "KMeans WITH tune.trials = 9, n_clusters = RANGE(2, 9) INTO m")
                    ->metric,
                "Silhouette");
    CHECK(!search_is_held_out(&scene.plan));
    CHECK_SLICE(search_of(TRAIN
                          "XGBRegressor WITH tune.trials = 2, objective = 'reg:quantileerror', "
                          "quantile_alpha = [[0.1, 0.9], [0.5]] LABEL a INTO m")
                    ->metric,
                "RMSE");
    CHECK_INT(scene.plan.search->trials, 2);
    CHECK_SLICE(search_of(DNN "tune.trials = 1, tune.metric = LOSS, hidden_units = [[8]] LABEL y "
                              "INTO m")
                    ->metric,
                "loss");
    CHECK(scene.plan.search->is_loss);
    (void)search_of(DNN "tune.trials = 1, train.folds = 0, hidden_units = [[8]] LABEL y INTO m");
    CHECK(scene.plan.spec.test_size == 0.2); /* no folds are as if they were not named */
}

static void what_cannot_be_searched_is_refused_where_it_stands(void **state)
{
    static const struct {
        const char *settings, *message;
    } cases[] = {
        {"learning_rate = RANGE(0.1, 0.2)", "RANGE asks for a search, and tune.trials is not set"},
        {"tune.method = 'halving'", "tune.method asks for a search, and tune.trials is not set"},
        {"tune.trials = 3", "tune.trials has nothing to choose from"},
        {"tune.trials = 0, dropout = [0, 0.1]", "tune.trials takes a whole number from 1 to 200"},
        {"tune.trials = 3, learning_rate = RANGE(0.2, 0.1)", "0.1 is not above 0.2"},
        {"tune.trials = 3, learning_rate = RANGE(0.2)", "RANGE needs the least and the greatest"},
        {"tune.trials = 3, learning_rate = RANGE(0.1, 0.2, 'cubic')", "RANGE needs the least"},
        {"tune.trials = 3, learning_rate = RANGE(0.1, 'x')", "RANGE needs the least"},
        {"tune.trials = 3, dropout = RANGE(0, 0.5, 'log')", "there is no logarithm of 0"},
        {"tune.trials = 3, dropout = RANGE(0, 5)", "model.dropout takes a number"},
        {"tune.trials = 3, activation = RANGE(1, 2)", "RANGE has numbers"},
        {"tune.trials = 3, hidden_units = RANGE(1, 2)", "RANGE has numbers"},
        {"tune.trials = 3, dropout = [0.1, 7]", "model.dropout takes a number"},
        {"tune.trials = 3, dropout = []", "the list has nothing to choose from"},
        {"tune.trials = 3, train.seed = [1, 2]", "train.seed accepts one value in a search"},
        {"tune.trials = 3, train.verbose = [1, 2]", "train.verbose accepts one value in a search"},
        {"tune.trials = 3, job.threads = [1, 2]", "job.threads accepts one value in a search"},
        {"tune.trials = 3, dropout = [0, 0.1], tune.metric = 'RMSE'",
         "tune.metric \"RMSE\" is not among the metrics that are measured"},
        {"tune.trials = 3, dropout = [0, 0.1], tune.metric = 'wit'",
         "tune.metric \"wit\" is not among the metrics that are measured"},
        {"tune.trials = 3, dropout = [0, 0.1], train.test_size = 0",
         "tune.trials needs rows that are held out"},
        {"tune.trials = 3, model.optimizer = ['adam', 'sgd'], optimizer.momentum = 0.9",
         "optimizer.momentum"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text;

        text_init(&text, 4096);
        text_printf(&text, "%s%s LABEL y INTO m", DNN, cases[i].settings);
        check_refused(text_string(&text), STATUS_INVALID, cases[i].message);
        text_deinit(&text);
    }
}

static void what_does_not_go_together_with_a_search_is_refused(void **state)
{
    (void)state;
    check_refused("-- file: /data/shop.db\n" DNN
                  "tune.trials = 3, dropout = [0, 0.1], job.wait = false LABEL y INTO m",
                  STATUS_UNSUPPORTED, "tune.trials does not go together with job.wait = false");
    check_refused("-- file: /data/shop.db\n" DNN
                  "tune.trials = 3, dropout = [0, 0.1], train.folds = 3, job.wait = false "
                  "LABEL y INTO m",
                  STATUS_UNSUPPORTED, "train.folds does not go together with job.wait = false");
    check_refused(DNN "tune.trials = 3, dropout = [0, 0.1], train.folds = [3, 5] LABEL y INTO m",
                  STATUS_INVALID, "train.folds");
    check_refused(TRAIN "RandomForestClassifier WITH tune.trials = 3, max_depth = [2, 3], "
                        "tune.method = 'halving' LABEL y INTO m",
                  STATUS_UNSUPPORTED,
                  "needs epochs or rounds, and RandomForestClassifier has none");
    check_refused(TRAIN "XGBClassifier WITH tune.trials = 9, objective = ['binary:logistic', "
                        "'reg:squarederror'] LABEL y INTO m",
                  STATUS_INVALID, "");
}

static void halving_triples_the_length_of_the_best_third(void **state)
{
    struct search search = {.method = SEARCH_HALVING, .trials = 20};
    (void)state;

    CHECK_INT(search_stages(&search, 100), 4); /* 20, 7, 3, 1 */
    CHECK_INT(search_shortened(100, 0, 4), 3);
    CHECK_INT(search_shortened(100, 1, 4), 11);
    CHECK_INT(search_shortened(100, 3, 4), 100);
    CHECK_INT(search_left(20), 7);
    CHECK_INT(search_left(1), 1);
    CHECK(fabs(search_work(&search) - (20 / 27.0 + 7 / 9.0 + 3 / 3.0 + 1)) < 1e-9);
    CHECK_INT(search_stages(&search, 5), 2); /* no stage is shorter than an epoch */
    CHECK_INT(search_stages(&search, 2), 1);
    search.trials = 1;
    CHECK_INT(search_stages(&search, 100), 1);
    search = (struct search){.method = SEARCH_RANDOM, .trials = 20};
    CHECK_INT(search_stages(&search, 100), 1);
    CHECK(search_work(&search) == 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_lie_within_their_range_and_can_be_typed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_narrow_range_is_drawn_from_evenly_unless_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(whole_numbers_stay_whole_and_reach_both_ends, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_small_space_is_tried_whole_and_nothing_twice, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(draws_depend_on_seed_and_names_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_trial_is_the_statement_with_its_values, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_judges_is_named_or_the_usual_metric, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_searched_is_refused_where_it_stands, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_go_together_with_a_search_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(halving_triples_the_length_of_the_best_third, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
