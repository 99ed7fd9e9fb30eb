#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/regression/regression_kind.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, double l2)
{
    const struct regression_params params = {.l2 = l2, .iterations = 35};
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("regression");
    spec.estimator = dataset->train.classes ? SLICE("LogisticRegression") : SLICE("OLS");
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

static const struct row_sums_trials trials = {
    .spec_of = spec_of,
    .workers = {{{700, 0, 4, 0, 0, 0}, 0},
                {{700, 0, 3, 2, 9, 0}, 0},
                {{700, 60, 3, 2, 9, 2}, 1},
                {{700, 0, 4, 1, 5, 3}, 1}},
    .threads = {{2000, 0, 20, 2, 9, 3}, 1},
    .states = {{200, 0, 3, 1, 4, 3}, 1},
    .cut = {{60, 0, 2, 0, 0, 0}, 0},
    .cut_other = 2,
    .cut_phases = 2,
};

/* Least squares come to their end in the second round, logistic regression where the loss stays
 * where it is. */
static void rounds_lead_to_the_least_loss(void **state)
{
    (void)state;

    for (size_t s = 0; s < 4; s++) {
        const struct row_sums_trial *trial = &trials.workers[s];
        struct dataset dataset = mixed_dataset(trial->shape);
        const struct jobspec spec = spec_of(&dataset, trial->setting);
        double before = INFINITY, loss = INFINITY, first;
        struct group group;

        group_open(&group, &spec, &dataset, 1);
        group_phase(&group);
        for (first = 0; phase_of(&group)->kind != PHASE_DONE; first = first > 0 ? first : loss) {
            before = loss;
            loss = group_phase(&group);
        }
        CHECK(loss < first / 2);
        if (trial->shape.classes > 0)
            CHECK(fabs(before - loss) <= 1e-6 * loss);
        else
            CHECK_INT(phase_of(&group)->number, 3);
        group_close(&group);
        made_dataset_close(&dataset);
    }
}

/* Each class is the sign of the first input: the loss has no least value, and steps end where it
 * hardly falls. */
static void classes_that_are_told_apart_come_to_an_end(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 1, 0, 0, 2});
    const struct jobspec spec = spec_of(&dataset, 0);
    double loss = INFINITY;
    struct group group;
    uint32_t phases = 0;
    (void)state;

    show_rows(&dataset);
    for (uint32_t i = 0; i < 60; i++)
        dataset.train.classes[i] = dataset.train.dense[i] > 0;
    hide_rows(&dataset);
    group_open(&group, &spec, &dataset, 1);
    for (; phase_of(&group)->kind != PHASE_DONE; phases++)
        loss = group_phase(&group);
    CHECK(phases < 35 && loss < 1e-6);
    group_close(&group);
    made_dataset_close(&dataset);
}

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset many = mixed_dataset((struct rows_shape){40, 0, 1, 1, 300, 3});
    struct dataset dataset;
    struct jobspec spec = spec_of(&many, 1);
    struct learner *learning;
    struct error err;
    (void)state;

    CHECK_FAILS(learning_open(&spec, &many, NULL, &learning, &err), STATUS_LIMIT,
                "604 coefficients, of which 600 are of words");
    CHECK(strstr(err.hint, "LinearClassifier"));
    made_dataset_close(&many);
    dataset = mixed_dataset((struct rows_shape){40, 0, 2, 0, 0, 0});
    spec = spec_of(&dataset, 0);
    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "and a worker has at most 100");
    made_dataset_close(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW_SUMS_TESTS(&trials),
        cmocka_unit_test(rounds_lead_to_the_least_loss),
        cmocka_unit_test(classes_that_are_told_apart_come_to_an_end),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
