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

static const struct rows_shape shapes[] = {
    {700, 0, 0, 1, 5, 2}, {700, 60, 0, 1, 9, 2}, {700, 0, 0, 3, 40, 2}};

static void any_number_of_workers_learns_the_same_bits(void **state)
{
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct dataset dataset = mixed_dataset(shapes[s]);

        check_workers(spec_of(&dataset, 1), &dataset);
        made_dataset_close(&dataset);
    }
}

static void threads_leave_no_trace(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){2000, 0, 0, 2, 9, 2});
    (void)state;

    check_threads(spec_of(&dataset, 1), &dataset);
    made_dataset_close(&dataset);
}

static void a_state_taken_at_any_phase_leads_to_the_same_bits(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){200, 0, 0, 1, 4, 2});
    const struct jobspec spec = spec_of(&dataset, 1);
    (void)state;

    check_states(&spec, &dataset);
    made_dataset_close(&dataset);
}

static void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 0, 1, 3, 2});
    const struct jobspec spec = spec_of(&dataset, 1), other = spec_of(&dataset, 2);
    struct group group, others;
    (void)state;

    group_open(&group, &spec, &dataset, 2);
    group_open(&others, &other, &dataset, 1);
    group_phase(&group);
    check_bad_states(&group.learners[0], &group.learners[1], &others.learners[0]);
    group_close(&group);
    group_close(&others);
    made_dataset_close(&dataset);
}

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 0, 1, 30, 2});
    struct jobspec spec = spec_of(&dataset, 1);
    struct learning learning;
    struct error err;
    (void)state;

    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "1 inputs of 30 bins need");
    CHECK(strstr(err.message, "and a worker has at most 100"));
    dataset.labels.count = 3;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_INVALID,
                "a ScoreCard tells two classes apart, not 3");
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
        cmocka_unit_test(any_number_of_workers_learns_the_same_bits),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(a_state_taken_at_any_phase_leads_to_the_same_bits),
        cmocka_unit_test(a_state_that_is_cut_or_of_another_job_is_refused),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
        cmocka_unit_test(a_bin_without_rows_says_nothing_and_one_like_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
