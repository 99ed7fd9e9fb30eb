#include "tests/check.h"

#include <math.h>

#include "runtime/ps/master/shard_master.h"
#include "runtime/record/exposition.h"
#include "runtime/role/outbox.h"
#include "runtime/score/dispatch.h"

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
    struct master master = {.crew.live = 2};
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

static const char *page_of_shards(bool stages, struct text *out)
{
    const struct settled_rows settled[] = {{.first = 2, .count = 3}};
    const struct dispatch_options options = {.crew.job = 7,
                                             .crew.incarnation = 1,
                                             .crew.min_workers = 1,
                                             .crew.max_workers = 2,
                                             .rows = 11,
                                             .shard_rows = 1,
                                             .leases_per_worker = 1,
                                             .stages = stages,
                                             .settled = settled,
                                             .settled_count = 1,
                                             .crew.facts.started_at = ""};
    const struct job_row row = {.id = 7, .state = JOB_STATE_RUNNING, .rows_done = 3};
    struct dispatch dispatch;
    struct outbox outbox;
    struct error err;

    error_clear(&err);
    outbox_init(&outbox);
    text_init(out, EXPOSITION_BYTES_MAX);
    if (dispatch_init(&dispatch, &options, 0, &outbox, &err) != STATUS_OK)
        check_failed("%s", err.message);
    exposition_write_scoring(&dispatch, &row, out);
    dispatch_deinit(&dispatch);
    outbox_deinit(&outbox);
    return text_string(out);
}

static void a_job_that_scores_has_rows_and_one_that_stages_has_shards(void **state)
{
    struct text out;
    const char *text;
    (void)state;

    text = page_of_shards(false, &out);
    CHECK(strstr(text, "\ntotrain_rows 11\n") && strstr(text, "\ntotrain_rows_scored 3\n"));
    CHECK(strstr(text, "\ntotrain_rows_bad 0\n") && !strstr(text, "totrain_shards_staged"));
    text_deinit(&out);
    text = page_of_shards(true, &out); /* the shard that settles the facts is not counted */
    CHECK(strstr(text, "\ntotrain_shards 10\n") && strstr(text, "\ntotrain_shards_staged 3\n"));
    CHECK(strstr(text, "\ntotrain_shards_leased 0\n") && !strstr(text, "totrain_rows"));
    text_deinit(&out);
}

static void servers_that_came_later_are_counted(void **state)
{
    const struct shard_master_options options = {.crew.job = 7,
                                                 .crew.incarnation = 1,
                                                 .crew.min_workers = 1,
                                                 .crew.max_workers = 2,
                                                 .crew.servers = 3,
                                                 .crew.facts.started_at = "",
                                                 .server_count = 1,
                                                 .leases_per_worker = 1};
    const struct job_row row = {.id = 7, .state = JOB_STATE_RUNNING};
    struct shard_master master;
    struct outbox outbox;
    struct error err;
    struct text out;
    (void)state;

    error_clear(&err);
    outbox_init(&outbox);
    text_init(&out, EXPOSITION_BYTES_MAX);
    if (shard_master_init(&master, &options, 0, &outbox, &err) != STATUS_OK)
        check_failed("%s", err.message);
    for (uint32_t s = 0; s < 3; s++)
        master.servers[s].member.peer = s == 1 ? PEER_NONE : 10 + s;
    exposition_write_servers(&master, &row, &out);
    CHECK(strstr(text_string(&out), "\ntotrain_servers 2\n") != NULL);
    shard_master_deinit(&master);
    outbox_deinit(&outbox);
    text_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_keeps_to_its_line_whatever_it_says),
        cmocka_unit_test(a_number_that_is_not_known_has_no_sample),
        cmocka_unit_test(a_job_that_scores_has_rows_and_one_that_stages_has_shards),
        cmocka_unit_test(servers_that_came_later_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
