#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/bayes/bayes_kind.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, double alpha)
{
    const struct bayes_params params = {.var_smoothing = 1e-9, .alpha = alpha};
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("bayes");
    spec.estimator = SLICE("NaiveBayes");
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

static const struct rows_shape shapes[] = {
    {700, 0, 4, 0, 0, 2}, {700, 60, 3, 2, 9, 2}, {700, 0, 0, 1, 5, 3}, {700, 0, 4, 1, 5, 5}};

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
    struct dataset dataset = mixed_dataset((struct rows_shape){2000, 0, 20, 2, 9, 3});
    (void)state;

    check_threads(spec_of(&dataset, 1), &dataset);
    made_dataset_close(&dataset);
}

static void a_state_taken_at_any_phase_leads_to_the_same_bits(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){200, 0, 3, 1, 4, 3});
    const struct jobspec spec = spec_of(&dataset, 1);
    (void)state;

    check_states(&spec, &dataset);
    made_dataset_close(&dataset);
}

static void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 2, 1, 3, 2});
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
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 2, 1, 30, 3});
    struct jobspec spec = spec_of(&dataset, 1);
    struct learning learning;
    struct error err;
    (void)state;

    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "3 classes of 2 columns and 30 words need");
    CHECK(strstr(err.message, "and a worker has at most 100"));
    made_dataset_close(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_workers_learns_the_same_bits),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(a_state_taken_at_any_phase_leads_to_the_same_bits),
        cmocka_unit_test(a_state_that_is_cut_or_of_another_job_is_refused),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
