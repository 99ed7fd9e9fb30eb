#include "tests/check.h"

#include "runtime/role/unable.h"

#define DEAD_MS 5000

static struct unable open_unable(uint32_t workers, int64_t dead_ms)
{
    struct unable unable;
    struct error err;

    CHECK_OK(unable_init(&unable, workers, dead_ms, &err));
    return unable;
}

static void say(struct unable *unable, uint32_t index, enum status status, const char *words)
{
    const struct message_unable message = {.index = index,
                                           .incarnation = unable->workers[index].tries,
                                           .status = (uint32_t)status,
                                           .message = slice_of(words),
                                           .hint = SLICE("hint")};

    CHECK(unable_note(unable, &message, false));
}

static void trouble_of_a_worker_is_tried_three_times(void **state)
{
    struct unable unable = open_unable(2, DEAD_MS);
    (void)state;

    CHECK(!unable_is_for_good(&unable, 0, 2));
    for (int i = 0; i < 3; i++) {
        CHECK(!unable_is_for_good(&unable, 0, 2));
        say(&unable, 1, STATUS_IO, "no disk");
    }
    CHECK(unable_is_for_good(&unable, 0, 2));
    CHECK_INT(unable.last.status, STATUS_IO);
    assert_string_equal(unable.last.message, "no disk");
    assert_string_equal(unable.last.hint, "hint");
    unable_note_joined(&unable, 1, 0);
    unable_note_left(&unable, 1);
    CHECK(!unable_is_for_good(&unable, 0, 2));
    unable_deinit(&unable);
}

static void a_worker_that_is_here_works_on(void **state)
{
    struct unable unable = open_unable(2, DEAD_MS);
    (void)state;

    unable_note_joined(&unable, 0, 0);
    for (int i = 0; i < 3; i++)
        say(&unable, 1, STATUS_IO, "no disk");
    CHECK(!unable_is_for_good(&unable, 0, 2));
    unable_note_left(&unable, 0);
    CHECK(unable_is_for_good(&unable, 0, 2));
    unable_deinit(&unable);
}

static void rows_that_all_workers_refuse_are_refused(void **state)
{
    struct unable unable = open_unable(2, DEAD_MS);
    (void)state;

    say(&unable, 0, STATUS_INVALID, "one class");
    CHECK(!unable_is_for_good(&unable, 0, 2));
    CHECK(unable_is_for_good(&unable, 0, 1)); /* no other is wanted */
    say(&unable, 1, STATUS_INVALID, "one class");
    CHECK(unable_is_for_good(&unable, 0, 2));
    unable_deinit(&unable);
}

static void one_that_refuses_them_twice_stands_for_those_that_have_no_slot(void **state)
{
    struct unable unable = open_unable(8, DEAD_MS);
    (void)state;

    say(&unable, 0, STATUS_INVALID, "one class");
    say(&unable, 0, STATUS_INVALID, "one class");
    CHECK(unable_is_for_good(&unable, 0, 8));
    unable_deinit(&unable);
}

static void workers_that_contradict_each_other_say_nothing_of_the_rows(void **state)
{
    struct unable unable = open_unable(2, DEAD_MS);
    (void)state;

    say(&unable, 0, STATUS_INVALID, "one class");
    say(&unable, 1, STATUS_INVALID, "no class");
    CHECK(!unable_is_for_good(&unable, 0, 2));
    unable_deinit(&unable);
}

static void who_is_opening_its_rows_is_waited_for(void **state)
{
    struct unable unable = open_unable(2, DEAD_MS);
    (void)state;

    for (int i = 0; i < 3; i++)
        say(&unable, 0, STATUS_NO_MEMORY, "no memory");
    unable_note_alive(&unable, 1000, 1, 0);
    CHECK(!unable_is_for_good(&unable, 1000 + DEAD_MS - 1, 2));
    CHECK(unable_is_for_good(&unable, 1000 + DEAD_MS, 2));
    say(&unable, 1, STATUS_IO, "no disk"); /* it was not able either */
    CHECK(unable_is_for_good(&unable, 1001, 2));
    unable_note_alive(&unable, 1002, 1, 1); /* the next one tries */
    CHECK(!unable_is_for_good(&unable, 1003, 2));
    unable_note_alive(&unable, 1004, 7, 1); /* there is no such worker */
    unable_deinit(&unable);
}

static void a_worker_that_nobody_starts_again_is_for_good(void **state)
{
    struct unable unable = open_unable(1, 0);
    const struct message_unable stranger = {.index = 1};
    (void)state;

    CHECK(!unable_note(&unable, &stranger, false));
    say(&unable, 0, STATUS_IO, "no disk");
    CHECK(unable_is_for_good(&unable, 0, 1));
    unable_deinit(&unable);
}

static void who_runs_out_of_memory_at_work_is_forgotten_when_a_phase_is_done(void **state)
{
    const struct message_unable message = {
        .index = 1, .status = STATUS_NO_MEMORY, .message = SLICE("out of memory")};
    struct unable unable = open_unable(2, DEAD_MS);
    (void)state;

    CHECK(!unable_all_fail_at_work(&unable)); /* none is here */
    for (int i = 0; i < UNABLE_TRIES_MAX; i++) {
        CHECK(!unable_all_fail_at_work(&unable));
        CHECK(unable_note(&unable, &message, true));
        unable_note_left(&unable, 1);
        CHECK_INT(unable_is_for_good(&unable, 0, 2), i + 1 == UNABLE_TRIES_MAX);
        unable_note_joined(&unable, 1, 0); /* which it does each time */
    }
    CHECK(unable_all_fail_at_work(&unable));
    unable_note_joined(&unable, 0, 0); /* another one works */
    CHECK(!unable_all_fail_at_work(&unable));
    unable_note_left(&unable, 0);
    CHECK(unable_all_fail_at_work(&unable));
    unable_note_phase_done(&unable);
    CHECK(!unable_all_fail_at_work(&unable));
    unable_note_left(&unable, 1);
    CHECK(!unable_is_for_good(&unable, 0, 2));
    unable_deinit(&unable);
}

static void it_says_so_again_until_it_is_answered(void **state)
{
    struct message_unable message = {.index = 1,
                                     .incarnation = 4,
                                     .status = STATUS_NO_MEMORY,
                                     .message = SLICE("out of memory")};
    struct unable unable = open_unable(2, DEAD_MS);
    (void)state;

    CHECK(!unable_is_stale(&unable, &message, false));
    CHECK(unable_note(&unable, &message, true));
    CHECK(unable_is_stale(&unable, &message, false));
    CHECK(!unable_is_stale(&unable, &message, true)); /* it has joined again */
    message.incarnation = 5;
    CHECK(!unable_is_stale(&unable, &message, false)); /* the next one cannot open its rows */
    message.index = 0;
    CHECK(!unable_is_stale(&unable, &message, false));
    message.index = 2; /* there is no such worker */
    CHECK(!unable_is_stale(&unable, &message, false));
    unable_deinit(&unable);
}

static void what_another_incarnation_has_followed_says_nothing(void **state)
{
    struct message_unable message = {.index = 0,
                                     .incarnation = 1,
                                     .status = STATUS_NO_MEMORY,
                                     .message = SLICE("out of memory")};
    struct unable unable = open_unable(1, DEAD_MS);
    (void)state;

    unable_note_joined(&unable, 0, 1);
    CHECK(!unable_is_stale(&unable, &message, false));
    unable_note_joined(&unable, 0, 2);
    CHECK(unable_is_stale(&unable, &message, false));
    message.incarnation = 2;
    CHECK(!unable_is_stale(&unable, &message, false));
    CHECK(unable_note(&unable, &message, true));
    unable_note_phase_done(&unable);
    message.incarnation = 1;
    CHECK(unable_is_stale(&unable, &message, false)); /* still */
    unable_deinit(&unable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trouble_of_a_worker_is_tried_three_times),
        cmocka_unit_test(a_worker_that_is_here_works_on),
        cmocka_unit_test(rows_that_all_workers_refuse_are_refused),
        cmocka_unit_test(one_that_refuses_them_twice_stands_for_those_that_have_no_slot),
        cmocka_unit_test(workers_that_contradict_each_other_say_nothing_of_the_rows),
        cmocka_unit_test(who_is_opening_its_rows_is_waited_for),
        cmocka_unit_test(a_worker_that_nobody_starts_again_is_for_good),
        cmocka_unit_test(it_says_so_again_until_it_is_answered),
        cmocka_unit_test(what_another_incarnation_has_followed_says_nothing),
        cmocka_unit_test(who_runs_out_of_memory_at_work_is_forgotten_when_a_phase_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
