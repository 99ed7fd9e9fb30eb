#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/pca/pca_kind.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, uint32_t components)
{
    const struct pca_params params = {.components = components};
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("pca");
    spec.estimator = SLICE("PCA");
    spec.task = TASK_PROJECTION;
    spec.label = (struct slice){NULL, 0};
    spec.label_type = LABEL_NONE;
    spec.metrics[0] = SLICE("ExplainedVariance");
    spec.metric_count = 1;
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

static const struct rows_shape shapes[] = {
    {700, 0, 4, 0, 0, 0}, {700, 60, 3, 0, 0, 0}, {700, 0, 1, 0, 0, 0}, {700, 0, 20, 0, 0, 0}};

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
    struct dataset dataset = mixed_dataset((struct rows_shape){2000, 0, 20, 0, 0, 0});
    (void)state;

    check_threads(spec_of(&dataset, 3), &dataset);
    made_dataset_close(&dataset);
}

static void a_state_taken_at_any_phase_leads_to_the_same_bits(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){200, 0, 5, 0, 0, 0});
    const struct jobspec spec = spec_of(&dataset, 2);
    (void)state;

    check_states(&spec, &dataset);
    made_dataset_close(&dataset);
}

static void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 4, 0, 0, 0});
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
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 4, 0, 0, 0});
    struct jobspec spec = spec_of(&dataset, 4);
    struct learning learning;
    struct error err;
    (void)state;

    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_INVALID,
                "model.n_components = 4, where there are 3 inputs");
    spec = spec_of(&dataset, 0);
    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "principal components of 3 inputs need");
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
