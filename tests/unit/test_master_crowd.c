#include "tests/check.h"

#include "tests/sim/crowd.h"

/* Costs are counted in messages, rows and groups: no clock is looked at. */

#define LANES 64

static void an_alive_message_and_a_step_cost_the_same_among_many_as_among_few(void **state)
{
    static const uint32_t crowds[] = {100, 1000, 10000};
    (void)state;

    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        struct crowd crowd;

        crowd_open(&crowd, crowds[i], LANES);
        crowd_send_alive(&crowd);
        CHECK_INT(crowd.messages, crowds[i]);
        CHECK_INT(crowd.frames + crowd.rows + crowd.groups, 0);
        crowd_count_anew(&crowd);
        crowd_steps(&crowd, 10000); /* in ten milliseconds */
        CHECK(crowd.rows <= 3);
        CHECK_INT(crowd.frames + crowd.groups, 0);
        crowd_close(&crowd);
    }
}

static void a_thousand_deaths_at_once_are_answered_together(void **state)
{
    struct crowd crowd;
    (void)state;

    crowd_open(&crowd, 3000, LANES);
    crowd_deaths(&crowd, 1000); /* all members among them, and their successors */
    CHECK_INT(crowd.master.crew.live, 2000);
    CHECK_INT(crowd.master.group.count, LANES);
    CHECK(crowd.master.has_met);
    CHECK(crowd.groups <= 3);
    CHECK(crowd.frames <= 3 * LANES + 10);
    CHECK(crowd.frame_bytes <= 3 * LANES * 64 + 10 * 64); /* a group is written once for all */
    CHECK(crowd.rows <= 2 * 1000 + 4 * LANES + 20);
    CHECK(crowd.now_ms <= 100);
    crowd_close(&crowd);
}

static void one_who_comes_to_stand_by_disturbs_nobody(void **state)
{
    struct crowd crowd;
    (void)state;

    crowd_open(&crowd, 2000, LANES);
    crowd_deaths(&crowd, 1);
    crowd_count_anew(&crowd);
    {
        struct message message = {.type = MESSAGE_HELLO, .job = 7};

        message.hello = (struct message_hello){
            .index = 0, .incarnation = 1, .lanes = LANES, .address = SLICE("unix:/run/w")};
        master_on_message(&crowd.master, crowd.now_ms, 100000, &message, &crowd.outbox);
    }
    for (size_t i = 0; i < crowd.outbox.count; i++)
        CHECK(crowd.outbox.entries[i].kind != OUTBOX_SEND);
    CHECK_INT(crowd.outbox.count, 2); /* it joined, it stands by */
    crowd_close(&crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alive_message_and_a_step_cost_the_same_among_many_as_among_few),
        cmocka_unit_test(a_thousand_deaths_at_once_are_answered_together),
        cmocka_unit_test(one_who_comes_to_stand_by_disturbs_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
