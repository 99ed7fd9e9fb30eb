#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/regression/regression_kind.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, struct regression_params params)
{
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("regression");
    spec.estimator = dataset->train.classes ? SLICE("LogisticRegression") : SLICE("OLS");
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

/* Of classes that are told apart perfectly only a penalised model comes to an end. */
static struct regression_params usual(const struct dataset *dataset)
{
    return (struct regression_params){.l2 = dataset->train.classes ? 1 : 0, .iterations = 35};
}

static const struct rows_shape shapes[] = {
    {700, 0, 4, 0, 0, 0}, {700, 0, 3, 2, 9, 0}, {700, 60, 3, 2, 9, 2}, {700, 0, 4, 1, 5, 3}};

static void any_number_of_workers_learns_the_same_bits(void **state)
{
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct dataset dataset = mixed_dataset(shapes[s]);

        check_workers(spec_of(&dataset, usual(&dataset)), &dataset);
        made_dataset_close(&dataset);
    }
}

static void threads_leave_no_trace(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){2000, 0, 20, 2, 9, 3});
    (void)state;

    check_threads(spec_of(&dataset, usual(&dataset)), &dataset);
    made_dataset_close(&dataset);
}

static void a_state_taken_at_any_phase_leads_to_the_same_bits(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){200, 0, 3, 1, 4, 3});
    const struct jobspec spec = spec_of(&dataset, usual(&dataset));
    (void)state;

    check_states(&spec, &dataset);
    made_dataset_close(&dataset);
}

/* Least squares come to their end in the second round, logistic regression where the loss stays
 * where it is. */
static void rounds_lead_to_the_least_loss(void **state)
{
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct dataset dataset = mixed_dataset(shapes[s]);
        const struct jobspec spec = spec_of(&dataset, usual(&dataset));
        double before = INFINITY, loss = INFINITY, first;
        struct group group;

        group_open(&group, &spec, &dataset, 1);
        group_phase(&group);
        for (first = 0; phase_of(&group)->kind != PHASE_DONE; first = first > 0 ? first : loss) {
            before = loss;
            loss = group_phase(&group);
        }
        CHECK(loss < first / 2);
        if (shapes[s].classes > 0)
            CHECK(fabs(before - loss) <= 1e-6 * loss);
        else
            CHECK_INT(phase_of(&group)->number, 3);
        group_close(&group);
        made_dataset_close(&dataset);
    }
}

/* Each class is the sign of the first input. */
static void classes_that_are_told_apart_fail_without_a_penalty(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 1, 0, 0, 2});
    const struct jobspec spec =
        spec_of(&dataset, (struct regression_params){.l2 = 0, .iterations = 35});
    const struct learning *learner;
    struct learner_report report;
    struct group group;
    struct error err;
    enum status status = STATUS_OK;
    (void)state;

    show_rows(&dataset);
    for (uint32_t i = 0; i < 60; i++)
        dataset.train.classes[i] = dataset.train.dense[i] > 0;
    hide_rows(&dataset);
    group_open(&group, &spec, &dataset, 1);
    learner = &group.learners[0];
    while (status == STATUS_OK) {
        const struct phase phase = *phase_of(&group);
        int64_t sums[64] = {0}, integers[1] = {0};
        uint32_t done;

        CHECK(phase.owned_count <= 64 && phase.kind != PHASE_DONE);
        for (uint32_t lane = 0; lane < learner->lanes(learner->self); lane++)
            CHECK_OK(
                learner->contribute(learner->self, lane, 1, integers, sums, NULL, &done, &err));
        status = learner->apply(learner->self, &(struct phase_totals){integers, sums, NULL, NULL},
                                &report, &err);
    }
    CHECK_FAILS(status, STATUS_DIVERGED, "35 steps of Newton have not come to an end");
    CHECK(strstr(err.hint, "model.l2 = 1"));
    group_close(&group);
    made_dataset_close(&dataset);
}

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset many = mixed_dataset((struct rows_shape){40, 0, 1, 1, 300, 3});
    struct dataset dataset;
    struct jobspec spec = spec_of(&many, usual(&many));
    struct learning learning;
    struct error err;
    (void)state;

    CHECK_FAILS(learning_open(&spec, &many, NULL, &learning, &err), STATUS_LIMIT,
                "604 coefficients, of which 600 are of words");
    CHECK(strstr(err.hint, "LinearClassifier"));
    made_dataset_close(&many);
    dataset = mixed_dataset((struct rows_shape){40, 0, 2, 0, 0, 0});
    spec = spec_of(&dataset, usual(&dataset));
    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "and a worker has at most 100");
    made_dataset_close(&dataset);
}

static void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 2, 0, 0, 0});
    const struct jobspec spec = spec_of(&dataset, usual(&dataset));
    const struct jobspec other =
        spec_of(&dataset, (struct regression_params){.l2 = 2, .iterations = 35});
    struct group group, others;
    (void)state;

    group_open(&group, &spec, &dataset, 2);
    group_open(&others, &other, &dataset, 1);
    for (int phase = 0; phase < 2; phase++)
        group_phase(&group);
    check_bad_states(&group.learners[0], &group.learners[1], &others.learners[0]);
    group_close(&group);
    group_close(&others);
    made_dataset_close(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_workers_learns_the_same_bits),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(a_state_taken_at_any_phase_leads_to_the_same_bits),
        cmocka_unit_test(rounds_lead_to_the_least_loss),
        cmocka_unit_test(classes_that_are_told_apart_fail_without_a_penalty),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
        cmocka_unit_test(a_state_that_is_cut_or_of_another_job_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
