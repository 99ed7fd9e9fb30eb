#include "tests/check.h"

#include <string.h>

#include "jobspec/job_size.h"
#include "kinds/network/network_attributes.h"
#include "runtime/learn/descent/descent_best.h"
#include "tests/unit/learn_rows.h"

/* A network that learns the 40 rows by heart, whatever that costs those that are held out. The rate
 * is the same in all steps, so that a shorter job goes the same way. */
struct fixture {
    struct dataset dataset;
    struct jobspec spec;
};

static void open_fixture(struct fixture *fixture, uint32_t held_out, uint32_t classes)
{
    fixture->dataset = made_dataset((struct rows_shape){40, held_out, 6, 0, 0, classes});
    fixture->spec = made_spec(&fixture->dataset);
    fixture->spec.epochs = 150;
    fixture->spec.keeps_best = true;
    network_params(&fixture->spec.params)->learning_rate = 0.05;
}

static struct descent *opened(const struct fixture *fixture)
{
    struct descent *descent;
    struct error err;

    CHECK_OK(open_descent(&fixture->spec, &fixture->dataset, NULL, &descent, &err));
    return descent;
}

static struct descent *learned(const struct fixture *fixture, uint32_t workers)
{
    struct descent *descent = opened(fixture);
    struct error err;

    CHECK_OK(run_job(descent, workers, workers - 1, &err));
    return descent;
}

static struct model exported(struct descent *descent)
{
    struct result_metric metrics[LEARNER_METRICS_MAX];
    struct model model;
    struct error err;
    size_t count;

    CHECK_OK(measure_and_export(descent, &model, metrics, &count, &err));
    return model;
}

static void check_same_parameters(const struct descent *descent, const float *parameters)
{
    assert_memory_equal(descent->arrays.parameters, parameters,
                        descent->model.parameter_count * sizeof(float));
}

static bool tells(const struct descent *descent, const char *words)
{
    const struct notice_list *notices = &descent->learner.measuring.notices;

    for (uint32_t i = 0; i < notices->count; i++)
        if (strstr(notices->items[i].text, words))
            return true;
    return false;
}

static void the_best_epoch_is_what_a_job_of_so_many_epochs_learns(void **state)
{
    struct fixture fixture;
    struct descent *whole, *shorter;
    struct model model;
    (void)state;

    open_fixture(&fixture, 60, 0);
    whole = learned(&fixture, 1);
    CHECK(descent_best_is_kept(whole));
    CHECK_INT(descent_last_epoch(whole), 150);
    model = exported(whole);
    CHECK_INT(model.kept_epoch, descent_best_epoch(whole));
    CHECK(model.kept_epoch < 150);
    CHECK(tells(whole, " of 150 are kept: the loss of the rows held out was "));
    fixture.spec.epochs = model.kept_epoch;
    shorter = learned(&fixture, 3);
    CHECK(!descent_best_is_kept(shorter)); /* nothing is worse than the last */
    CHECK_INT(exported(shorter).kept_epoch, 0);
    CHECK(!tells(shorter, "are kept"));
    check_same_parameters(shorter, whole->arrays.best);
    learner_close(&whole->learner);
    learner_close(&shorter->learner);
    made_dataset_close(&fixture.dataset);
}

/* The learning goes on to its end, with the bits of a job that keeps nothing. */
static void what_is_learned_is_the_same_without_the_copy(void **state)
{
    struct fixture fixture;
    struct descent *with, *without;
    (void)state;

    open_fixture(&fixture, 60, 0);
    with = learned(&fixture, 2);
    fixture.spec.keeps_best = false;
    without = learned(&fixture, 1);
    check_same_parameters(with, without->arrays.parameters);
    CHECK(without->arrays.best == NULL);
    CHECK(!descent_best_is_kept(without));
    CHECK_INT(exported(without).kept_epoch, 0);
    learner_close(&with->learner);
    learner_close(&without->learner);
    made_dataset_close(&fixture.dataset);
}

static void few_rows_say_nothing_of_epochs(void **state)
{
    struct fixture fixture;
    struct descent *descent;
    (void)state;

    open_fixture(&fixture, BEST_ROWS_LEAST - 1, 0);
    descent = learned(&fixture, 1);
    CHECK(descent->progress.last_loss > 1.5 * descent->progress.best_loss);
    CHECK(descent->arrays.best == NULL);
    CHECK(!descent_best_is_kept(descent));
    learner_close(&descent->learner);
    made_dataset_close(&fixture.dataset);
}

/* A memory that the model fits into, and the copy beside it does not. */
static void a_copy_without_room_is_none_and_the_model_says_so(void **state)
{
    struct fixture fixture;
    struct descent *descent;
    (void)state;

    open_fixture(&fixture, 60, 0);
    descent = opened(&fixture);
    fixture.spec.memory =
        (uint64_t)job_learner_bytes(&descent->cost, false, 40) + descent->model.space_bytes + 1;
    learner_close(&descent->learner);
    descent = learned(&fixture, 1);
    CHECK(descent->arrays.best == NULL);
    CHECK_INT(exported(descent).kept_epoch, 0);
    CHECK(tells(descent, "a copy of its weights has no room"));
    learner_close(&descent->learner);
    made_dataset_close(&fixture.dataset);
}

/* Whether the best of these losses is kept, which are noted in their order. */
static bool keeps(struct descent *descent, const double *losses, size_t count)
{
    descent->progress = (struct progress){0};
    for (size_t i = 0; i < count; i++)
        descent_best_note(descent, losses[i]);
    return descent_best_is_kept(descent);
}

/* A standard error of 60 rows is an eighth of a loss of errors, of 10,000 a hundredth; of a log
 * loss of .01 a half and a twentieth. */
static void clearly_worse_is_more_than_what_comes_by_chance(void **state)
{
    static const struct {
        uint32_t rows, classes;
        double losses[6];
        size_t count;
        bool is_kept;
    } cases[] = {
        {60, 0, {1}, 1, false},
        {60, 0, {2, 1}, 2, false},
        {60, 0, {1, 1}, 2, false},
        {60, 0, {2, 1, 1.1, 1.2, 1.3}, 5, true},       /* it grows */
        {60, 0, {2, 1, 1.2}, 3, false},                /* one rise, which may be chance */
        {60, 0, {2, 1, 1.4, 1.1, 1.5, 1.3}, 6, false}, /* up and down */
        {60, 0, {2, 1, 1.04, 1.08, 1.12}, 5, false},
        {60, 0, {2, 1, 1.05, 1.1, 1.14}, 5, true},
        {10000, 0, {2, 1, 1.006, 1.012, 1.018}, 5, false}, /* a share of the loss */
        {10000, 0, {2, 1, 1.007, 1.014, 1.021}, 5, true},
        {10000, 0, {-1, -2, -1.98, -1.96, -1.94}, 5, true}, /* a loss may be less than 0 */
        {10000, 0, {-1, -2, -1.99, -1.98, -1.97}, 5, false},
        {60, 2, {.1, .01, .012, .014, .016}, 5, false},
        {60, 2, {.1, .01, .012, .014, .017}, 5, true},
        {10000, 2, {.1, .01, .0101, .0102, .0104}, 5, false},
        {10000, 2, {.1, .01, .0102, .0104, .0106}, 5, true},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        struct descent *descent;

        open_fixture(&fixture, cases[i].rows, cases[i].classes);
        descent = opened(&fixture);
        CHECK_INT(keeps(descent, cases[i].losses, cases[i].count), cases[i].is_kept);
        learner_close(&descent->learner);
        made_dataset_close(&fixture.dataset);
    }
}

static void a_state_taken_at_any_epoch_keeps_the_same(void **state)
{
    struct fixture fixture;
    struct descent *whole, *giver;
    struct learner_report report;
    struct error err;
    (void)state;

    open_fixture(&fixture, 60, 0);
    fixture.spec.epochs = 40;
    whole = learned(&fixture, 1);
    CHECK(descent_best_is_kept(whole));
    giver = opened(&fixture);
    while (giver->learner.phase.kind != PHASE_DONE) {
        struct descent *taker = opened(&fixture);
        struct text bytes;

        text_init(&bytes, TEXT_MAXIMUM);
        save_state(giver, &bytes);
        CHECK_OK(load_state(taker, text_slice(&bytes), &err));
        CHECK(learner_check(&taker->learner) == learner_check(&giver->learner));
        CHECK_OK(run_job(taker, 4, 3, &err));
        CHECK_INT(exported(taker).kept_epoch, descent_best_epoch(whole));
        assert_memory_equal(taker->arrays.best, whole->arrays.best,
                            whole->model.parameter_count * sizeof(float));
        learner_close(&taker->learner);
        text_deinit(&bytes);
        for (int i = 0; i < 7 && giver->learner.phase.kind != PHASE_DONE; i++)
            CHECK_OK(run_phase(giver, 2, 1, &report, &err));
    }
    learner_close(&giver->learner);
    learner_close(&whole->learner);
    made_dataset_close(&fixture.dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_epoch_is_what_a_job_of_so_many_epochs_learns),
        cmocka_unit_test(what_is_learned_is_the_same_without_the_copy),
        cmocka_unit_test(few_rows_say_nothing_of_epochs),
        cmocka_unit_test(a_copy_without_room_is_none_and_the_model_says_so),
        cmocka_unit_test(clearly_worse_is_more_than_what_comes_by_chance),
        cmocka_unit_test(a_state_taken_at_any_epoch_keeps_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
