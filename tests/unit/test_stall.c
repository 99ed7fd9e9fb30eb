#include "tests/check.h"

#include "runtime/process/role/stall.h"

#define EVERY 1000

/* Looks once a second; the count rises or not. Processor time is in `busy` of a thousand parts. */
static int64_t look_for(struct stall *stall, int64_t now, int64_t seconds, uint64_t rise,
                        int64_t busy)
{
    static int64_t processor;

    for (int64_t i = 0; i < seconds; i++) {
        now += EVERY;
        processor += EVERY * busy / 1000;
        stall_look(stall, now, stall->count + rise, processor);
    }
    return now;
}

static void work_that_goes_on_never_stands_still(void **state)
{
    struct stall stall;
    (void)state;

    stall_init(&stall, EVERY, 0);
    look_for(&stall, 0, 100, 1, 900);
    CHECK_INT(stall.still_ms, 0);
    CHECK_INT(stall.usual_ms, EVERY);
}

static void work_that_stops_is_seen_to_stand_still(void **state)
{
    struct stall stall;
    (void)state;

    stall_init(&stall, EVERY, 0);
    look_for(&stall, look_for(&stall, 0, 10, 1, 900), 30, 0, 1);
    CHECK_INT(stall.still_ms, 30000);
    CHECK(!stall.is_computing);
}

static void one_that_uses_the_processor_is_said_to_compute(void **state)
{
    struct stall stall;
    (void)state;

    stall_init(&stall, EVERY, 0);
    look_for(&stall, look_for(&stall, 0, 10, 1, 900), 30, 0, 40); /* one of 48 on two cores */
    CHECK_INT(stall.still_ms, 30000);
    CHECK(stall.is_computing);
}

static void a_long_piece_of_work_is_usual_when_it_has_gone_by(void **state)
{
    struct stall stall;
    int64_t now;
    (void)state;

    stall_init(&stall, EVERY, 0);
    now = look_for(&stall, look_for(&stall, 0, 10, 1, 900), 9, 0, 900);
    look_for(&stall, now, 1, 1, 900);
    CHECK_INT(stall.still_ms, 0);
    CHECK_INT(stall.usual_ms, 10000);
}

static void a_process_that_was_stopped_has_not_stood_still(void **state)
{
    struct stall stall;
    int64_t now;
    (void)state;

    stall_init(&stall, EVERY, 0);
    now = look_for(&stall, 0, 10, 1, 900);
    stall_look(&stall, now + 600000, stall.count, 0); /* its first look after ten minutes */
    CHECK(stall.still_ms <= EVERY);
    CHECK_INT(stall.usual_ms, EVERY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_that_goes_on_never_stands_still),
        cmocka_unit_test(work_that_stops_is_seen_to_stand_still),
        cmocka_unit_test(one_that_uses_the_processor_is_said_to_compute),
        cmocka_unit_test(a_long_piece_of_work_is_usual_when_it_has_gone_by),
        cmocka_unit_test(a_process_that_was_stopped_has_not_stood_still),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
