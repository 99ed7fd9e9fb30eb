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

static const struct row_sums_trials trials = {
    .spec_of = spec_of,
    .workers = {{{700, 0, 4, 0, 0, 2}, 1},
                {{700, 60, 3, 2, 9, 2}, 1},
                {{700, 0, 0, 1, 5, 3}, 1},
                {{700, 0, 4, 1, 5, 5}, 1}},
    .threads = {{2000, 0, 20, 2, 9, 3}, 1},
    .states = {{200, 0, 3, 1, 4, 3}, 1},
    .cut = {{60, 0, 2, 1, 3, 2}, 1},
    .cut_other = 2,
    .cut_phases = 1,
};

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 2, 1, 30, 3});
    struct jobspec spec = spec_of(&dataset, 1);
    struct learner *learning;
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
        ROW_SUMS_TESTS(&trials),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
