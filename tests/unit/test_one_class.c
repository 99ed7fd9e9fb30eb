#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/one_class/one_class_kind.h"
#include "runtime/learners/learners.h"
#include "scoring/numbers/elementary.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, double features)
{
    const struct one_class_params params = {
        .nu = 0.2, .gamma = REAL_AUTOMATIC, .features = (uint32_t)features, .iterations = 200};
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("one_class");
    spec.estimator = SLICE("OneClassSVM");
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
    .workers = {{{700, 0, 4, 0, 0, 0}, 16},
                {{700, 60, 3, 0, 0, 0}, 16},
                {{700, 0, 1, 0, 0, 0}, 16},
                {{700, 0, 20, 0, 0, 0}, 16}},
    .threads = {{2000, 0, 20, 0, 0, 0}, 16},
    .states = {{200, 0, 5, 0, 0, 0}, 16},
    .cut = {{60, 0, 4, 0, 0, 0}, 16},
    .cut_other = 17,
    .cut_phases = 1,
};

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 4, 0, 0, 0});
    struct jobspec spec = spec_of(&dataset, 16);
    struct learner *learning;
    struct error err;
    (void)state;

    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "16 features of 3 inputs need");
    CHECK(strstr(err.message, "and a worker has at most 100"));
    made_dataset_close(&dataset);
}

/* By an angle's doubling, and where turns have no fraction. */
static void the_cosine_of_turns_is_that_of_angles(void **state)
{
    (void)state;

    for (double t = -3; t <= 3; t += 0.001)
        CHECK(fabs(cosine_of_turns(t) - cos(6.283185307179586 * t)) < 1e-14);
    CHECK(cosine_of_turns(0) == 1);
    CHECK(fabs(cosine_of_turns(1e6 + 0.125) - sqrt(0.5)) < 1e-9);
    CHECK(cosine_of_turns(1e30) == 0);
    CHECK(cosine_of_turns((double)NAN) == 0);
    CHECK(cosine_of_turns((double)INFINITY) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW_SUMS_TESTS(&trials),
        cmocka_unit_test(the_cosine_of_turns_is_that_of_angles),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
