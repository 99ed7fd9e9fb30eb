#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/scorecard/scorecard_kind.h"
#include "kinds/scorecard/scorecard_model.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, double l2)
{
    const struct scorecard_params params = {.bins = 10,
                                            .smoothing = 1,
                                            .l2 = l2,
                                            .iterations = 35,
                                            .base_score = 600,
                                            .base_odds = 20,
                                            .pdo = 20};
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("scorecard");
    spec.estimator = SLICE("ScoreCard");
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

static const struct row_sums_trials trials = {
    .spec_of = spec_of,
    .workers = {{{700, 0, 0, 1, 5, 2}, 1}, {{700, 60, 0, 1, 9, 2}, 1}, {{700, 0, 0, 3, 40, 2}, 1}},
    .threads = {{2000, 0, 0, 2, 9, 2}, 1},
    .states = {{200, 0, 0, 1, 4, 2}, 1},
    .cut = {{60, 0, 0, 1, 3, 2}, 1},
    .cut_other = 2,
    .cut_phases = 1,
};

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 0, 1, 30, 2});
    struct jobspec spec = spec_of(&dataset, 1);
    struct learner *learning;
    struct error err;
    (void)state;

    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "1 inputs of 30 bins need");
    CHECK(strstr(err.message, "and a worker has at most 100"));
    dataset.labels.count = 3;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_INVALID,
                "a ScoreCard needs two classes, not 3");
    dataset.labels.count = 2;
    dataset.transform.id_rows = SCORECARD_BINS_MAX + 1;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "where a score card has at most");
    dataset.transform.id_rows = 30;
    made_dataset_close(&dataset);
}

static void a_bin_without_rows_says_nothing_and_one_like_all_the_same(void **state)
{
    const double bad[] = {0, 10, 3}, good[] = {0, 30, 0};
    const struct scorecard_model card = {.bins = 3,
                                         .scale = {.smoothing = 1},
                                         .bad = bad,
                                         .good = good,
                                         .all_bad = 100,
                                         .all_good = 300};
    (void)state;

    CHECK(scorecard_woe(&card, 0) == 0);
    CHECK(fabs(scorecard_woe(&card, 1)) < 1e-15);
    CHECK(fabs(scorecard_woe(&card, 2) - (log(3.25 / 0.75) - log(1. / 3))) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW_SUMS_TESTS(&trials),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
        cmocka_unit_test(a_bin_without_rows_says_nothing_and_one_like_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
