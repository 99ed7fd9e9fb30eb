#include <math.h>

#include "extension/engine/jobs/progress.h"
#include "tests/check.h"

static struct job_event event_of(void)
{
    return (struct job_event){.kind = JOB_PROGRESS,
                              .step = 84,
                              .steps = 420,
                              .epoch = 12,
                              .epochs = 60,
                              .workers = 1,
                              .rows_per_second = NAN,
                              .loss = NAN,
                              .validation_loss = NAN,
                              .validation_score = NAN,
                              .seconds = 1,
                              .seconds_left = NAN};
}

static void check_line(const struct job_event *event, const char *expected)
{
    struct text line;

    text_init(&line, 512);
    progress_line(event, &line);
    CHECK_SLICE(text_slice(&line), expected);
    text_deinit(&line);
}

static void what_is_not_known_yet_is_left_out(void **state)
{
    struct job_event event = event_of();

    (void)state;
    check_line(&event, "epoch 12/60  step 84/420");
    event.steps = event.epochs = 0;
    check_line(&event, "epoch 12");
    event.epoch = 0;
    event.steps = 420;
    check_line(&event, "shard 84/420"); /* shards of a table that is scored */
}

static void losses_rate_workers_and_time_left_follow(void **state)
{
    struct job_event event = event_of();

    (void)state;
    event.loss = 0.21131;
    event.validation_loss = 0.2304;
    event.rows_per_second = 84120;
    event.workers = 2;
    event.seconds_left = 64.9;
    check_line(&event, "epoch 12/60  step 84/420  loss 0.2113  validation 0.2304  84.1k rows/s  "
                       "2 workers  1:04 left");
}

static void rates_and_times_have_the_unit_that_fits(void **state)
{
    struct job_event event = event_of();

    (void)state;
    event.rows_per_second = 12;
    event.seconds_left = 3;
    check_line(&event, "epoch 12/60  step 84/420  12 rows/s  0:03 left");
    event.rows_per_second = 2.5e6;
    event.seconds_left = 3600 * 11 + 65;
    check_line(&event, "epoch 12/60  step 84/420  2.5M rows/s  11:01:05 left");
    event.rows_per_second = 0;
    event.seconds_left = INFINITY;
    check_line(&event, "epoch 12/60  step 84/420");
}

static void a_program_gets_numbers_and_null_for_what_is_not_known(void **state)
{
    struct job_event event = event_of();
    struct text line;

    (void)state;
    event.loss = 0.25;
    text_init(&line, 4096);
    assert_true(progress_json(&event, &line));
    CHECK_SLICE(text_slice(&line),
                "{\"event\":\"progress\",\"epoch\":12,\"epochs\":60,\"step\":84,\"steps\":420,"
                "\"workers\":1,\"loss\":0.25,\"validation_loss\":null,\"validation_score\":null,"
                "\"rows_per_second\":null,\"seconds\":1,\"seconds_left\":null}\n");
    text_clear(&line);
    assert_true(progress_notice_json("a \"word\"", &line));
    CHECK_SLICE(text_slice(&line), "{\"event\":\"notice\",\"message\":\"a \\\"word\\\"\"}\n");
    text_deinit(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_yet_is_left_out),
        cmocka_unit_test(losses_rate_workers_and_time_left_follow),
        cmocka_unit_test(rates_and_times_have_the_unit_that_fits),
        cmocka_unit_test(a_program_gets_numbers_and_null_for_what_is_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
