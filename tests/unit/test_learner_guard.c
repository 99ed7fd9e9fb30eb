#include "tests/check.h"

#include <math.h>

#include "tests/unit/learn_rows.h"

/* A learner after some steps, with hidden layers, words and early stopping. */
struct fixture {
    struct dataset dataset;
    struct jobspec spec;
    struct descent *descent;
};

static void open_fixture(struct fixture *fixture)
{
    struct learner_report report;
    struct error err;

    fixture->dataset = made_dataset((struct rows_shape){200, 40, 3, 2, 8, 3});
    fixture->spec = made_spec(&fixture->dataset);
    fixture->spec.early_stopping = 50;
    CHECK_OK(open_descent(&fixture->spec, &fixture->dataset, NULL, &fixture->descent, &err));
    for (int i = 0; i < 12; i++)
        CHECK_OK(run_phase(fixture->descent, 2, 0, &report, &err));
}

static void close_fixture(struct fixture *fixture)
{
    learner_close(&fixture->descent->learner);
    made_dataset_close(&fixture->dataset);
}

static enum status look_at_state(struct descent *descent, struct error *err)
{
    return learner_verify(&descent->learner, LOOK_AT_ALL, NULL, err);
}

static enum status look_at_rows(struct descent *descent, struct error *err)
{
    uint64_t position = 0;

    return learner_verify_rows(&descent->learner, &position, UINT64_MAX, err);
}

static void nothing_is_found_where_nothing_changed(void **state)
{
    struct fixture fixture;
    struct error err;
    (void)state;

    open_fixture(&fixture);
    CHECK_OK(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err));
    CHECK_OK(learner_verify(&fixture.descent->learner, LOOK_AT_USED, NULL, &err));
    CHECK_OK(look_at_rows(fixture.descent, &err));
    CHECK_OK(run_job(fixture.descent, 3, 1, &err));
    CHECK_OK(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err));
    CHECK_OK(look_at_rows(fixture.descent, &err));
    close_fixture(&fixture);
}

typedef enum status look(struct descent *descent, struct error *err);

/* Some bits of each of them; then they are as before. */
static void check_bits_are_found(const char *const *names, size_t count, look *looks)
{
    struct fixture fixture;
    struct error err;

    open_fixture(&fixture);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        uint8_t *memory = learner_memory(&fixture.descent->learner, names[i], &size);

        CHECK(memory && size > 0);
        for (size_t bit = 0; bit < 8 * size; bit += 1 + bit / 7) {
            memory[bit / 8] ^= (uint8_t)(1u << bit % 8);
            CHECK_INT(looks(fixture.descent, &err), STATUS_CORRUPT);
            memory[bit / 8] ^= (uint8_t)(1u << bit % 8);
            fixture.descent->rows.was_bad = false;
        }
    }
    CHECK_OK(looks(fixture.descent, &err));
    close_fixture(&fixture);
}

static void any_bit_of_the_state_that_changes_is_found(void **state)
{
    static const char *const names[] = {"weights", "slots", "best"};
    (void)state;

    check_bits_are_found(names, sizeof names / sizeof *names, look_at_state);
}

static void any_bit_of_the_rows_that_changes_is_found(void **state)
{
    static const char *const names[] = {"rows", "ids", "labels", "order"};
    (void)state;

    check_bits_are_found(names, sizeof names / sizeof *names, look_at_rows);
}

static void a_step_finds_what_changed_before_it(void **state)
{
    static const char *const names[] = {"weights", "slots"};
    struct learner_report report;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fixture fixture;
        size_t size;

        open_fixture(&fixture);
        while (fixture.descent->learner.phase.kind != PHASE_LEARN)
            CHECK_OK(run_phase(fixture.descent, 1, 0, &report, &err));
        ((uint8_t *)learner_memory(&fixture.descent->learner, names[i], &size))[5] ^= 2;
        CHECK_INT(run_phase(fixture.descent, 1, 0, &report, &err), STATUS_CORRUPT);
        close_fixture(&fixture);
    }
}

/* It is the memory that is to blame, and no learning rate. */
static void a_loss_that_is_not_finite_by_a_changed_bit_is_damage(void **state)
{
    struct learner_report report;
    struct fixture fixture;
    struct error err;
    float *weights;
    size_t size;
    (void)state;

    open_fixture(&fixture);
    while (fixture.descent->learner.phase.kind != PHASE_LEARN)
        CHECK_OK(run_phase(fixture.descent, 1, 0, &report, &err));
    weights = learner_memory(&fixture.descent->learner, "weights", &size);
    for (size_t i = 0; i < size / sizeof *weights; i++)
        weights[i] = INFINITY;
    CHECK_FAILS(run_phase(fixture.descent, 1, 0, &report, &err), STATUS_CORRUPT, "the weights");
    close_fixture(&fixture);
}

static void the_next_copy_of_weights_is_not_made_before_the_last_was_looked_at(void **state)
{
    struct learner_report report;
    struct fixture fixture;
    struct error err;
    size_t size;
    (void)state;

    open_fixture(&fixture);
    while (fixture.descent->learner.phase.kind != PHASE_LEARN)
        CHECK_OK(run_phase(fixture.descent, 1, 0, &report, &err));
    ((uint8_t *)learner_memory(&fixture.descent->learner, "transposed", &size))[size - 1] ^= 64;
    CHECK_INT(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err), STATUS_CORRUPT);
    CHECK_INT(learner_verify(&fixture.descent->learner, LOOK_AT_USED, NULL, &err), STATUS_CORRUPT);
    CHECK_INT(run_phase(fixture.descent, 1, 0, &report, &err), STATUS_CORRUPT);
    learner_restart(&fixture.descent->learner);
    CHECK_OK(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err));
    CHECK_OK(run_phase(fixture.descent, 1, 0, &report, &err));
    CHECK_OK(run_phase(fixture.descent, 1, 0, &report, &err));
    close_fixture(&fixture);
}

static void the_check_is_that_of_every_worker_before_the_phase_and_of_no_other_state(void **state)
{
    struct fixture one, other;
    struct learner_report report;
    struct error err;
    (void)state;

    open_fixture(&one);
    open_fixture(&other);
    CHECK(learner_check(&one.descent->learner) == learner_check(&other.descent->learner));
    CHECK(one.descent->learner.fingerprint == other.descent->learner.fingerprint);
    CHECK_OK(run_phase(one.descent, 3, 1, &report, &err));
    CHECK(learner_check(&one.descent->learner) != learner_check(&other.descent->learner));
    CHECK_OK(run_phase(other.descent, 1, 0, &report, &err));
    CHECK(learner_check(&one.descent->learner) == learner_check(&other.descent->learner));
    close_fixture(&one);
    close_fixture(&other);
}

static void a_learner_that_begins_anew_learns_the_same(void **state)
{
    struct fixture fixture;
    struct error err;
    uint64_t check;
    (void)state;

    open_fixture(&fixture);
    CHECK_OK(run_job(fixture.descent, 2, 0, &err));
    check = learner_check(&fixture.descent->learner);
    learner_restart(&fixture.descent->learner);
    CHECK_INT(fixture.descent->learner.phase.number, 0);
    CHECK_OK(run_job(fixture.descent, 1, 0, &err));
    CHECK(learner_check(&fixture.descent->learner) == check);
    close_fixture(&fixture);
}

static double measured_loss(struct descent *descent)
{
    struct result_metric metrics[LEARNER_METRICS_MAX];
    struct model model;
    size_t count;
    struct error err;

    CHECK_OK(measure_and_export(descent, &model, metrics, &count, &err));
    CHECK(strcmp(metrics[0].name, "loss") == 0);
    return metrics[0].train;
}

static void what_was_measured_before_a_new_beginning_is_measured_anew(void **state)
{
    struct fixture fixture;
    struct error err;
    double good;
    float *best; /* weights that the model is made of */
    size_t size;
    (void)state;

    open_fixture(&fixture);
    CHECK_OK(run_job(fixture.descent, 2, 0, &err));
    good = measured_loss(fixture.descent);
    learner_restart(&fixture.descent->learner);
    CHECK_OK(run_job(fixture.descent, 2, 0, &err));
    best = learner_memory(&fixture.descent->learner, "best", &size);
    for (size_t i = 0; i < size / sizeof *best; i++)
        best[i] = -best[i];
    CHECK(measured_loss(fixture.descent) != good);
    learner_restart(&fixture.descent->learner);
    CHECK_OK(run_job(fixture.descent, 1, 0, &err));
    CHECK(measured_loss(fixture.descent) == good);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_where_nothing_changed),
        cmocka_unit_test(any_bit_of_the_state_that_changes_is_found),
        cmocka_unit_test(any_bit_of_the_rows_that_changes_is_found),
        cmocka_unit_test(a_step_finds_what_changed_before_it),
        cmocka_unit_test(a_loss_that_is_not_finite_by_a_changed_bit_is_damage),
        cmocka_unit_test(the_next_copy_of_weights_is_not_made_before_the_last_was_looked_at),
        cmocka_unit_test(the_check_is_that_of_every_worker_before_the_phase_and_of_no_other_state),
        cmocka_unit_test(a_learner_that_begins_anew_learns_the_same),
        cmocka_unit_test(what_was_measured_before_a_new_beginning_is_measured_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
