/* Learners with a table of many rows, of which a step moves those that it touches. */
#include "tests/check.h"

#include <string.h>

#include "kinds/network/network_attributes.h"
#include "params/terms.h"
#include "tests/unit/learn_rows.h"

#define WORDS 1500

static const struct rows_shape shapes[] = {{150, 40, 5, 2, WORDS, 3}, {77, 13, 0, 1, WORDS, 0}};

struct fixture {
    struct dataset dataset;
    struct jobspec spec;
    struct descent *descent;
};

static void open_fixture(struct fixture *fixture, struct rows_shape shape,
                         enum optimizer_kind optimizer)
{
    struct error err;

    fixture->dataset = made_dataset(shape);
    fixture->spec = made_spec(&fixture->dataset);
    fixture->spec.early_stopping = 50;
    network_params(&fixture->spec.params)->optimizer = optimizer;
    network_params(&fixture->spec.params)->l1 = 1e-5;
    network_params(&fixture->spec.params)->l2 = 2e-5;
    CHECK_OK(open_descent(&fixture->spec, &fixture->dataset, NULL, &fixture->descent, &err));
}

static void close_fixture(struct fixture *fixture)
{
    learner_close(&fixture->descent->learner);
    made_dataset_close(&fixture->dataset);
}

#define STATE_BYTES ((size_t)1 << 22)

static void check_same_state(struct descent *a, struct descent *b)
{
    struct text x, y;

    text_init(&x, STATE_BYTES);
    text_init(&y, STATE_BYTES);
    save_state(a, &x);
    save_state(b, &y);
    CHECK_INT(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    text_deinit(&x);
    text_deinit(&y);
}

static void sums_of_a_step_are_those_of_its_rows_and_the_other_reals(void **state)
{
    struct fixture fixture;
    const struct phase *phase;
    (void)state;

    open_fixture(&fixture, shapes[0], OPTIMIZER_ADAM);
    phase = &fixture.descent->learner.phase;
    CHECK_INT(phase->table.rows, WORDS);
    CHECK_INT(phase->table.width, 8);
    CHECK_INT(phase->table.touched_most, 2 * phase->rows);
    CHECK_INT(phase->real_count + WORDS * 8, fixture.descent->model.parameter_count);
    CHECK_INT(fixture.descent->learner.elements_most, phase->real_count + 2 * phase->rows * 8);
    close_fixture(&fixture);
}

/* It follows from the job alone which tables are moved by row. */
static void a_small_table_is_summed_whole(void **state)
{
    const struct rows_shape small = {150, 0, 5, 2, TABLE_ROWS_LEAST - 1, 3};
    const struct rows_shape large = {150, 0, 5, 2, TABLE_ROWS_LEAST, 3};
    const struct rows_shape wide = {TABLE_ROWS_LEAST + 2, 0, 5, 2, TABLE_ROWS_LEAST, 3};
    struct fixture fixture;
    struct error err;
    (void)state;

    open_fixture(&fixture, small, OPTIMIZER_ADAM);
    CHECK_INT(fixture.descent->learner.phase.table.rows, 0);
    CHECK_INT(fixture.descent->learner.phase.real_count, fixture.descent->model.parameter_count);
    close_fixture(&fixture);
    open_fixture(&fixture, large, OPTIMIZER_ADAM);
    CHECK_INT(fixture.descent->learner.phase.table.rows, TABLE_ROWS_LEAST);
    learner_close(&fixture.descent->learner);
    network_params(&fixture.spec.params)->l2 = 3e-3;
    CHECK_OK(open_descent(&fixture.spec, &fixture.dataset, NULL, &fixture.descent, &err));
    CHECK_INT(fixture.descent->learner.phase.table.rows, 0);
    close_fixture(&fixture);
    open_fixture(&fixture, wide, OPTIMIZER_ADAM);
    learner_close(&fixture.descent->learner);
    fixture.spec.batch_size = TABLE_ROWS_LEAST / 2 + 1; /* a step touches most of it */
    CHECK_OK(open_descent(&fixture.spec, &fixture.dataset, NULL, &fixture.descent, &err));
    CHECK_INT(fixture.descent->learner.phase.table.rows, 0);
    close_fixture(&fixture);
}

static void the_bits_do_not_depend_on_workers(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int optimizer = 0; optimizer_words[optimizer]; optimizer++) {
            struct fixture one;
            struct error err;

            open_fixture(&one, shapes[s], (enum optimizer_kind)optimizer);
            CHECK_OK(run_job(one.descent, 1, 0, &err));
            for (uint32_t workers = 2; workers <= 5; workers++) {
                struct fixture many;

                open_fixture(&many, shapes[s], (enum optimizer_kind)optimizer);
                CHECK_OK(run_job(many.descent, workers, workers, &err));
                check_same_state(one.descent, many.descent);
                close_fixture(&many);
            }
            close_fixture(&one);
        }
    }
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    struct team *team = team_new(4);
    struct fixture alone, together;
    struct error err;
    (void)state;

    for (int i = 0; i < 2; i++) {
        open_fixture(&alone, shapes[0], OPTIMIZER_ADAM);
        open_fixture(&together, shapes[0], OPTIMIZER_ADAM);
        alone.spec.params = together.spec.params;
        network_params(&together.spec.params)->hidden_units =
            network_params(&alone.spec.params)->hidden_units =
                (struct counts){{128, 128}, 2}; /* or a team would not pay */
        learner_close(&alone.descent->learner);
        learner_close(&together.descent->learner);
        CHECK_OK(open_descent(&alone.spec, &alone.dataset, NULL, &alone.descent, &err));
        CHECK_OK(open_descent(&together.spec, &together.dataset, team, &together.descent, &err));
        CHECK_INT(together.descent->member_count, 4);
        CHECK_OK(run_job(alone.descent, 1, 0, &err));
        CHECK_OK(run_job(together.descent, 1, 0, &err));
        check_same_state(alone.descent, together.descent);
        close_fixture(&alone);
        close_fixture(&together);
    }
    team_free(team);
}

static void a_saved_state_goes_on_to_the_same_bits(void **state)
{
    struct fixture whole;
    struct learner_report report;
    struct error err;
    (void)state;

    open_fixture(&whole, shapes[0], OPTIMIZER_ADAM);
    CHECK_OK(run_job(whole.descent, 1, 0, &err));
    for (uint64_t stop = 0; stop < whole.descent->learner.phase.number; stop += 5) {
        struct fixture first, second;
        struct text bytes;

        open_fixture(&first, shapes[0], OPTIMIZER_ADAM);
        open_fixture(&second, shapes[0], OPTIMIZER_ADAM);
        while (first.descent->learner.phase.number < stop)
            CHECK_OK(run_phase(first.descent, 2, 1, &report, &err));
        CHECK_OK(run_phase(second.descent, 1, 0, &report, &err)); /* has a past of its own */
        text_init(&bytes, STATE_BYTES);
        save_state(first.descent, &bytes);
        CHECK_OK(load_state(second.descent, text_slice(&bytes), &err));
        CHECK_OK(run_job(second.descent, 3, 2, &err));
        check_same_state(whole.descent, second.descent);
        text_deinit(&bytes);
        close_fixture(&first);
        close_fixture(&second);
    }
    close_fixture(&whole);
}

static void a_row_that_no_row_selects_stays_and_the_others_move(void **state)
{
    struct learner_report report;
    struct fixture fixture;
    struct error err;
    const struct tensor *table;
    float before[WORDS * 8];
    uint32_t moved = 0;
    (void)state;

    open_fixture(&fixture, shapes[0], OPTIMIZER_ADAM);
    table = &fixture.descent->model.tensors[fixture.descent->table];
    memcpy(before, fixture.descent->arrays.parameters + table->first, sizeof before);
    CHECK_OK(run_phase(fixture.descent, 1, 0, &report, &err));
    for (uint32_t row = 0; row < WORDS; row++) {
        const float *now = fixture.descent->arrays.parameters + table->first + (size_t)row * 8;
        const bool is_moved = memcmp(before + (size_t)row * 8, now, 8 * sizeof *now) != 0;

        CHECK_INT(fixture.descent->arrays.row_steps[row], is_moved ? 1 : 0);
        moved += is_moved;
    }
    CHECK(moved > 0 && moved <= fixture.descent->learner.phase.table.touched_most);
    close_fixture(&fixture);
}

/* Sums of all lanes, and one that the step would use. */
static void contribute_all(struct descent *descent, struct sums *sums)
{
    struct error err;
    uint32_t done;

    learned_sums_init(sums, &descent->learner.phase);
    for (uint32_t first = 0; first < descent->learner.lanes; first += done)
        CHECK_OK(learner_contribute(&descent->learner, first, descent->learner.lanes - first,
                                    sums->integers, sums->fixed, &sums->rows, &done, &err));
}

static void a_bit_is_found_where_its_row_is_used(void **state)
{
    struct fixture fixture;
    struct learner_report report;
    struct sums sums;
    struct error err;
    const struct tensor *table;
    uint32_t *words;
    (void)state;

    open_fixture(&fixture, shapes[0], OPTIMIZER_ADAM);
    CHECK_OK(run_phase(fixture.descent, 1, 0, &report, &err));
    contribute_all(fixture.descent, &sums);
    table = &fixture.descent->model.tensors[fixture.descent->table];
    words = (uint32_t *)(void *)(fixture.descent->arrays.parameters + table->first);
    CHECK_OK(learner_verify(&fixture.descent->learner, LOOK_AT_USED, &sums.rows, &err));
    for (uint32_t row = 0; row < WORDS; row++) {
        words[(size_t)row * 8 + row % 8] ^= 1u << row % 32;
        CHECK_INT(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err),
                  STATUS_CORRUPT);
        CHECK_INT(learner_verify(&fixture.descent->learner, LOOK_AT_USED, NULL, &err),
                  STATUS_CORRUPT);
        CHECK_INT(learner_verify(&fixture.descent->learner, LOOK_AT_USED, &sums.rows, &err),
                  touched_rows_has(&sums.rows, row) ? STATUS_CORRUPT : STATUS_OK);
        words[(size_t)row * 8 + row % 8] ^= 1u << row % 32;
    }
    fixture.descent->arrays.parameters[0] += 1; /* in another tensor */
    CHECK_INT(learner_verify(&fixture.descent->learner, LOOK_AT_USED, &sums.rows, &err),
              STATUS_CORRUPT);
    learned_sums_deinit(&sums);
    close_fixture(&fixture);
}

/* A step checks the rows that it reads, which it could not repair later. */
static void a_step_finds_what_changed_in_the_rows_that_it_moves(void **state)
{
    static const char *const names[] = {"weights", "slots", "row steps"};
    (void)state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fixture fixture;
        struct learner_report report;
        struct sums sums;
        struct error err;
        const struct tensor *table;
        uint32_t *words;
        size_t size, row;

        open_fixture(&fixture, shapes[0], OPTIMIZER_ADAM);
        CHECK_OK(run_phase(fixture.descent, 1, 0, &report, &err));
        contribute_all(fixture.descent, &sums);
        table = &fixture.descent->model.tensors[fixture.descent->table];
        row = sums.rows.rows[0];
        words = learner_memory(&fixture.descent->learner, names[i], &size);
        words[i == 2 ? row
                     : (i == 1 ? fixture.descent->model.parameter_count : 0) + table->first +
                           row * 8 + 3] ^= 1u << 20; /* the second of the slots is read */
        CHECK_INT(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err),
                  STATUS_CORRUPT);
        CHECK_INT(run_phase(fixture.descent, 1, 0, &report, &err), STATUS_CORRUPT);
        learned_sums_deinit(&sums);
        close_fixture(&fixture);
    }
}

static void nothing_is_found_where_nothing_changed(void **state)
{
    struct fixture fixture, again;
    struct error err;
    (void)state;

    open_fixture(&fixture, shapes[0], OPTIMIZER_ADAM);
    CHECK_OK(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err));
    CHECK_OK(run_job(fixture.descent, 2, 1, &err));
    CHECK_OK(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err));
    learner_restart(&fixture.descent->learner);
    CHECK_OK(learner_verify(&fixture.descent->learner, LOOK_AT_ALL, NULL, &err));
    open_fixture(&again, shapes[0], OPTIMIZER_ADAM);
    check_same_state(fixture.descent, again.descent);
    close_fixture(&fixture);
    close_fixture(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_a_step_are_those_of_its_rows_and_the_other_reals),
        cmocka_unit_test(a_small_table_is_summed_whole),
        cmocka_unit_test(the_bits_do_not_depend_on_workers),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(a_saved_state_goes_on_to_the_same_bits),
        cmocka_unit_test(a_row_that_no_row_selects_stays_and_the_others_move),
        cmocka_unit_test(a_bit_is_found_where_its_row_is_used),
        cmocka_unit_test(a_step_finds_what_changed_in_the_rows_that_it_moves),
        cmocka_unit_test(nothing_is_found_where_nothing_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
