#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/pca/pca_kind.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, double components)
{
    const struct pca_params params = {.components = (uint32_t)components};
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

static const struct row_sums_trials trials = {
    .spec_of = spec_of,
    .workers = {{{700, 0, 4, 0, 0, 0}, 1},
                {{700, 60, 3, 0, 0, 0}, 1},
                {{700, 0, 1, 0, 0, 0}, 1},
                {{700, 0, 20, 0, 0, 0}, 1}},
    .threads = {{2000, 0, 20, 0, 0, 0}, 3},
    .states = {{200, 0, 5, 0, 0, 0}, 2},
    .cut = {{60, 0, 4, 0, 0, 0}, 1},
    .cut_other = 2,
    .cut_phases = 1,
};

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 4, 0, 0, 0});
    struct jobspec spec = spec_of(&dataset, 4);
    struct learner *learning;
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
        ROW_SUMS_TESTS(&trials),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
