/* Gradients that are cut: how far a step of SGD moves the parameters says what they were. */
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/network/network_attributes.h"
#include "runtime/learn/descent/descent_parts.h"
#include "tests/unit/learn_rows.h"

struct fixture {
    struct dataset dataset;
    struct jobspec spec;
    struct descent *descent;
};

static void open_fixture(struct fixture *fixture, uint32_t words, double norm, double value)
{
    struct network_params *params;
    struct error err;

    fixture->dataset = made_dataset((struct rows_shape){150, 40, 5, 2, words, 3});
    fixture->spec = made_spec(&fixture->dataset);
    params = network_params(&fixture->spec.params);
    params->optimizer = OPTIMIZER_SGD;
    params->schedule = SCHEDULE_CONSTANT;
    params->learning_rate = 0.5;
    params->clip_norm = norm;
    params->clip_value = value;
    CHECK_OK(open_descent(&fixture->spec, &fixture->dataset, NULL, &fixture->descent, &err));
}

static void close_fixture(struct fixture *fixture)
{
    learner_close(&fixture->descent->learner);
    made_dataset_close(&fixture->dataset);
}

/* The gradient: the change by the first step, divided by the rate. */
struct moved {
    double norm, greatest;
};

static struct moved first_step(struct fixture *fixture, uint32_t workers)
{
    const uint32_t count = fixture->descent->model.parameter_count;
    const float *now = fixture->descent->arrays.parameters;
    float *before = malloc(count * sizeof *before);
    struct moved moved = {0, 0};
    struct learner_report report;
    struct error err;

    assert_non_null(before);
    memcpy(before, now, count * sizeof *before);
    while (fixture->descent->learner.phase.step == 0)
        CHECK_OK(run_phase(fixture->descent, workers, 1, &report, &err));
    for (uint32_t i = 0; i < count; i++) {
        const double by = fabs((double)now[i] - (double)before[i]) / 0.5;

        moved.norm += by * by;
        moved.greatest = by > moved.greatest ? by : moved.greatest;
    }
    moved.norm = sqrt(moved.norm);
    free(before);
    return moved;
}

static struct moved moved_with(uint32_t words, double norm, double value)
{
    struct fixture fixture;
    struct moved moved;

    open_fixture(&fixture, words, norm, value);
    moved = first_step(&fixture, 1);
    close_fixture(&fixture);
    return moved;
}

#define FEW_WORDS  8
#define MANY_WORDS 1500 /* a table of which a step moves the touched rows */

static void a_norm_is_cut_over_all_tensors(void **state)
{
    static const uint32_t words[] = {FEW_WORDS, MANY_WORDS};
    (void)state;

    for (size_t w = 0; w < 2; w++) {
        const struct moved whole = moved_with(words[w], 0, 0);
        const struct moved cut = moved_with(words[w], whole.norm / 4, 0);
        const struct moved kept = moved_with(words[w], whole.norm * 2, 0);

        CHECK(whole.norm > 0.01);
        CHECK(fabs(cut.norm - whole.norm / 4) < 1e-5 * whole.norm);
        CHECK(fabs(cut.greatest - whole.greatest / 4) < 1e-5 * whole.norm);
        CHECK(kept.norm == whole.norm && kept.greatest == whole.greatest);
    }
}

static void elements_are_cut_before_the_norm(void **state)
{
    static const uint32_t words[] = {FEW_WORDS, MANY_WORDS};
    (void)state;

    for (size_t w = 0; w < 2; w++) {
        const struct moved whole = moved_with(words[w], 0, 0);
        const struct moved cut = moved_with(words[w], 0, whole.greatest / 3);
        const struct moved both = moved_with(words[w], cut.norm / 2, whole.greatest / 3);

        CHECK(fabs(cut.greatest - whole.greatest / 3) < 1e-5 * whole.norm);
        CHECK(cut.norm < whole.norm && cut.norm > whole.norm / 3);
        CHECK(fabs(both.norm - cut.norm / 2) < 1e-5 * whole.norm);
    }
}

static void the_bits_do_not_depend_on_workers(void **state)
{
    struct text one, many;
    (void)state;

    for (uint32_t workers = 2; workers <= 4; workers++) {
        struct fixture alone, together;
        struct error err;

        open_fixture(&alone, MANY_WORDS, 0.05, 0.02);
        open_fixture(&together, MANY_WORDS, 0.05, 0.02);
        CHECK_OK(run_job(alone.descent, 1, 0, &err));
        CHECK_OK(run_job(together.descent, workers, workers, &err));
        text_init(&one, (size_t)1 << 22);
        text_init(&many, (size_t)1 << 22);
        save_state(alone.descent, &one);
        save_state(together.descent, &many);
        CHECK_INT(one.size, many.size);
        assert_memory_equal(one.data, many.data, one.size);
        text_deinit(&one);
        text_deinit(&many);
        close_fixture(&alone);
        close_fixture(&together);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_norm_is_cut_over_all_tensors),
        cmocka_unit_test(elements_are_cut_before_the_norm),
        cmocka_unit_test(the_bits_do_not_depend_on_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
