#include "tests/check.h"

#include <math.h>

#include "runtime/record/exposition.h"

static void a_label_keeps_to_its_line_whatever_it_says(void **state)
{
    struct text out;
    (void)state;

    text_init(&out, 256);
    exposition_append_label(&out, SLICE("a\\b\"c\nd\xc3\xa4"));
    assert_string_equal(text_string(&out), "a\\\\b\\\"c\\nd\xc3\xa4");
    text_deinit(&out);
}

static void a_number_that_is_not_known_has_no_sample(void **state)
{
    struct master master = {.live = 2};
    struct job_row row = {.id = 7,
                          .state = JOB_STATE_RUNNING,
                          .step = 3,
                          .loss = 0.5,
                          .validation_loss = NAN,
                          .goodput = NAN,
                          .rows_per_second = INFINITY};
    struct text out;
    const char *text;
    (void)state;

    text_init(&out, EXPOSITION_BYTES_MAX);
    exposition_write(&master, &row, &out);
    text = text_string(&out);
    CHECK(strstr(text, "# TYPE totrain_step gauge\ntotrain_step 3\n") != NULL);
    CHECK(strstr(text, "totrain_train_loss 0.5\n") != NULL);
    CHECK(strstr(text, "totrain_job_state{state=\"running\"} 1\n") != NULL);
    CHECK(strstr(text, "totrain_job_state{state=\"done\"} 0\n") != NULL);
    CHECK(!strstr(text, "validation_loss") && !strstr(text, "goodput"));
    CHECK(!strstr(text, "rows_per_second") && !strstr(text, "lost"));
    CHECK(!strstr(text, "totrain_steps ") && !strstr(text, "checkpoint"));
    text_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_keeps_to_its_line_whatever_it_says),
        cmocka_unit_test(a_number_that_is_not_known_has_no_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
