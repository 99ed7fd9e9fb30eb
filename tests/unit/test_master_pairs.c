#include <math.h>

#include "runtime/launch/job_event.h"
#include "runtime/train/master/master_change.h"
#include "tests/check.h"

#define JOB 7

/* Workers 0, 1, 2, ... arrive in this order, each at the peer with its index + 1. */
struct fixture {
    struct master master;
    struct outbox outbox;
    int64_t now;
    uint32_t notices, events;
};

static void note_actions(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];
        struct job_event event;
        struct event_row row;

        if (entry->kind == OUTBOX_REPORT) {
            memcpy(&event, outbox_bytes(&fixture->outbox, entry).data, sizeof event);
            fixture->notices += event.kind == JOB_NOTICE;
        } else if (entry->kind == OUTBOX_EVENT) {
            memcpy(&row, outbox_bytes(&fixture->outbox, entry).data, sizeof row);
            fixture->events += strcmp(row.event, "apart") == 0;
        }
    }
    outbox_clear(&fixture->outbox);
}

static void say(struct fixture *fixture, uint32_t index, struct message message)
{
    message.job = JOB;
    master_on_message(&fixture->master, fixture->now, index + 1, &message, &fixture->outbox);
    note_actions(fixture);
}

static void hello(struct fixture *fixture, uint32_t index, uint64_t phase)
{
    struct message message = {.type = MESSAGE_HELLO};

    message.hello = (struct message_hello){
        .index = index, .lanes = 8, .phase = phase, .address = SLICE("unix:/x")};
    say(fixture, index, message);
}

static void say_of_group(struct fixture *fixture, uint32_t index, enum message_type type,
                         uint64_t value)
{
    struct message message = {.type = type, .epoch = fixture->master.group.epoch};

    if (type == MESSAGE_PEER_LOST)
        message.peer_lost.rank = (uint32_t)value;
    if (type == MESSAGE_PROGRESS)
        message.progress = (struct message_progress){.phase = value, .loss = (double)NAN};
    say(fixture, index, message);
}

static void meet(struct fixture *fixture)
{
    say_of_group(fixture, fixture->master.group.members[0].index, MESSAGE_GROUP_READY, 0);
}

static void open_crowd(struct fixture *fixture, uint32_t workers)
{
    struct master_options options = {.crew.job = JOB,
                                     .crew.min_workers = 1,
                                     .crew.max_workers = workers,
                                     .regroup_ms = 20,
                                     .apart_ms = 5000,
                                     .crew.facts.started_at = ""};
    struct error err;

    memset(fixture, 0, sizeof *fixture);
    outbox_init(&fixture->outbox);
    CHECK_OK(master_init(&fixture->master, &options, 0, &fixture->outbox, &err));
    for (uint32_t index = 0; index < workers; index++) {
        hello(fixture, index, 0);
        meet(fixture);
    }
    CHECK_INT(fixture->master.group.count, workers);
}

static void close_crowd(struct fixture *fixture)
{
    master_deinit(&fixture->master);
    outbox_deinit(&fixture->outbox);
}

static uint32_t rank_of(const struct fixture *fixture, uint32_t index)
{
    for (uint32_t rank = 0; rank < fixture->master.group.count; rank++)
        if (fixture->master.group.members[rank].index == index)
            return rank;
    return UINT32_MAX;
}

static void tick_until_regrouped(struct fixture *fixture)
{
    const uint64_t epoch = fixture->master.group.epoch;

    while (fixture->master.group.epoch == epoch && fixture->now < 1000000) {
        fixture->now += 10;
        master_on_tick(&fixture->master, fixture->now, &fixture->outbox);
        note_actions(fixture);
    }
}

/* One group in which these two cannot meet, and the next. */
static void fail_to_meet(struct fixture *fixture, uint32_t one, uint32_t other)
{
    say_of_group(fixture, one, MESSAGE_PEER_LOST, rank_of(fixture, other));
    say_of_group(fixture, other, MESSAGE_PEER_LOST, rank_of(fixture, one));
    tick_until_regrouped(fixture);
}

static void the_younger_of_two_that_never_meet_stands_by(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 3);
    for (int i = 0; i < 2; i++) {
        fail_to_meet(&fixture, 0, 1);
        CHECK_INT(fixture.master.group.count, 3);
    }
    fail_to_meet(&fixture, 0, 1);
    CHECK_INT(fixture.master.group.count, 2);
    CHECK_INT(rank_of(&fixture, 1), UINT32_MAX);
    CHECK(fixture.events == 1 && fixture.notices == 1);
    close_crowd(&fixture);
}

/* Each time another dealing of lanes is told before the silence is noticed: the group that two
 * members keep from working is the old one by then. */
static void who_never_meets_stands_by_though_the_group_is_being_changed(void **state)
{
    struct fixture fixture;
    struct message lost = {.type = MESSAGE_PEER_LOST};
    (void)state;

    open_crowd(&fixture, 3);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(fixture.master.group.count, 3);
        meet(&fixture);
        lost.epoch = fixture.master.group.epoch;
        lost.peer_lost.rank = rank_of(&fixture, 1);
        fixture.master.must_deal = true;
        master_change_group(&fixture.master, fixture.now, &fixture.outbox);
        CHECK_INT(fixture.master.old_epoch, lost.epoch);
        say(&fixture, 0, lost);
        tick_until_regrouped(&fixture);
    }
    CHECK_INT(fixture.master.group.count, 2);
    CHECK_INT(rank_of(&fixture, 1), UINT32_MAX);
    close_crowd(&fixture);
}

static void of_two_alone_one_works(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 2);
    for (int i = 0; i < 3; i++)
        fail_to_meet(&fixture, 0, 1);
    CHECK_INT(fixture.master.group.count, 1);
    CHECK_INT(fixture.master.group.members[0].index, 0);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    close_crowd(&fixture);
}

static void who_reaches_nobody_stands_by_though_it_came_first(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 3);
    for (int i = 0; i < 3; i++) {
        say_of_group(&fixture, 2, MESSAGE_PEER_LOST, rank_of(&fixture, 0));
        fail_to_meet(&fixture, 0, 1);
    }
    CHECK_INT(rank_of(&fixture, 0), UINT32_MAX);
    CHECK_INT(fixture.master.group.count, 2);
    close_crowd(&fixture);
}

static void the_only_one_with_the_state_stays(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 2);
    master_on_disconnect(&fixture.master, fixture.now, 1, &fixture.outbox);
    meet(&fixture);
    say_of_group(&fixture, 1, MESSAGE_PROGRESS, 5);
    hello(&fixture, 0, 0); /* younger by now, and with nothing */
    for (int i = 0; i < 3; i++)
        fail_to_meet(&fixture, 0, 1);
    CHECK_INT(fixture.master.group.count, 1);
    CHECK_INT(fixture.master.group.members[0].index, 1);
    close_crowd(&fixture);
}

static void who_stands_by_is_tried_again_later_and_later(void **state)
{
    struct fixture fixture;
    int64_t since;
    (void)state;

    open_crowd(&fixture, 2);
    for (int i = 0; i < 3; i++)
        fail_to_meet(&fixture, 0, 1);
    for (int64_t wait = 5000; wait <= 20000; wait *= 2) {
        meet(&fixture);
        since = fixture.now;
        tick_until_regrouped(&fixture);
        CHECK_INT(fixture.master.group.count, 2);
        CHECK(fixture.now - since > wait - 1300 && fixture.now - since <= wait + 10);
        fail_to_meet(&fixture, 0, 1); /* once is enough now */
        CHECK_INT(fixture.master.group.count, 1);
    }
    CHECK_INT(fixture.notices, 1); /* once is enough here, too */
    close_crowd(&fixture);
}

static void a_phase_done_together_forgets_the_failures(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 2);
    for (uint64_t phase = 1; phase < 10; phase++) {
        fail_to_meet(&fixture, 0, 1);
        meet(&fixture);
        say_of_group(&fixture, 0, MESSAGE_PROGRESS, phase);
    }
    CHECK_INT(fixture.master.group.count, 2);
    CHECK_INT(fixture.events, 0);
    close_crowd(&fixture);
}

static void a_record_that_is_told_again_is_no_progress(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 2);
    say_of_group(&fixture, 0, MESSAGE_PROGRESS, 5);
    for (int i = 0; i < 3; i++) {
        fail_to_meet(&fixture, 0, 1);
        say_of_group(&fixture, 0, MESSAGE_PROGRESS, 5);
    }
    fail_to_meet(&fixture, 0, 1);
    CHECK_INT(fixture.master.group.count, 1);
    close_crowd(&fixture);
}

static void groups_that_come_to_nothing_are_made_more_and_more_slowly(void **state)
{
    struct fixture fixture;
    int64_t before = 0;
    (void)state;

    open_crowd(&fixture, 4);
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t since = fixture.now;

        fail_to_meet(&fixture, i, i + 1); /* each time another pair */
        CHECK(fixture.now - since > before);
        before = fixture.now - since;
    }
    CHECK_INT(before, 80);
    close_crowd(&fixture);
}

static void a_worker_that_died_and_came_back_starts_with_nothing_against_it(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 2);
    for (int i = 0; i < 2; i++)
        fail_to_meet(&fixture, 0, 1);
    master_on_disconnect(&fixture.master, fixture.now, 2, &fixture.outbox);
    hello(&fixture, 1, 0);
    meet(&fixture);
    fail_to_meet(&fixture, 0, 1);
    CHECK_INT(fixture.master.group.count, 2);
    close_crowd(&fixture);
}

/* Worker `index` says HELLO anew, as a process of this build with these rows. */
static void hello_of(struct fixture *fixture, uint32_t index, uint32_t incarnation, uint64_t build,
                     uint64_t fingerprint)
{
    struct message message = {.type = MESSAGE_HELLO};

    message.hello = (struct message_hello){.index = index,
                                           .incarnation = incarnation,
                                           .lanes = 8,
                                           .address = SLICE("unix:/x"),
                                           .fingerprint = fingerprint,
                                           .build = build};
    say(fixture, index, message);
}

static void leave(struct fixture *fixture, uint32_t index)
{
    master_on_disconnect(&fixture->master, fixture->now, index + 1, &fixture->outbox);
    note_actions(fixture);
}

static void a_worker_of_another_build_stands_by_while_the_others_are_there(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 3);
    leave(&fixture, 2);
    meet(&fixture);
    hello_of(&fixture, 2, 1, 99, 0);
    CHECK_INT(fixture.master.group.count, 2);
    CHECK_INT(fixture.notices, 1);
    leave(&fixture, 0);
    fixture.now += 100;
    leave(&fixture, 1);
    tick_until_regrouped(&fixture);
    CHECK_INT(fixture.master.group.count, 1);
    CHECK_INT(fixture.master.group.members[0].index, 2);
    close_crowd(&fixture);
}

static void a_worker_of_other_rows_is_replaced_and_two_of_them_are_right(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 2);
    leave(&fixture, 1);
    meet(&fixture);
    fixture.master.votes = 1; /* the vote of worker 0 alone */
    hello_of(&fixture, 1, 1, 0, 55);
    CHECK_INT(fixture.master.workers[1].member.peer, PEER_NONE);
    CHECK_INT(fixture.master.group.count, 1);
    hello_of(&fixture, 1, 2, 0, 55); /* the next process found the same rows */
    CHECK_INT(fixture.master.workers[0].member.peer, PEER_NONE);
    tick_until_regrouped(&fixture);
    CHECK_INT(fixture.master.group.count, 1);
    CHECK_INT(fixture.master.group.members[0].index, 1);
    close_crowd(&fixture);
}

static struct message damage_of(const struct fixture *fixture, uint32_t rank, uint64_t good)
{
    struct message message = {.type = MESSAGE_DAMAGED, .epoch = fixture->master.group.epoch};

    message.damage = (struct message_damage){.rank = rank, .good = good, .reason = SLICE("bits")};
    return message;
}

static void whose_state_differs_is_replaced_and_does_not_come_back(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 3);
    fixture.master.options.crew.dead_ms = 5000;
    fixture.master.workers[1].rows_good = 10;
    say(&fixture, 0, damage_of(&fixture, rank_of(&fixture, 1), 12));
    CHECK_INT(fixture.master.group.count, 2);
    CHECK(fixture.master.generation == 1 && fixture.master.good == 10);
    hello(&fixture, 1, 12); /* it lives, with its bad state */
    CHECK_INT(fixture.master.group.count, 2);
    hello_of(&fixture, 1, 1, 0, 0);
    meet(&fixture);
    meet(&fixture);
    CHECK_INT(fixture.master.group.count, 3);
    close_crowd(&fixture);
}

static void workers_that_differ_at_the_same_place_three_times_fail_the_job(void **state)
{
    struct fixture fixture;
    (void)state;

    open_crowd(&fixture, 2);
    fixture.master.options.crew.dead_ms = 5000;
    for (int i = 0; i < 3; i++) {
        CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
        CHECK_INT(fixture.master.group.count, 2);
        say(&fixture, 0, damage_of(&fixture, UINT32_MAX, 7));
    }
    CHECK_INT(fixture.master.crew.state, JOB_STATE_FAILED);
    close_crowd(&fixture);
}

/* A new group is told while rank 0 of the old one compares the states. */
static void change_group(struct fixture *fixture)
{
    fixture->master.must_deal = true;
    master_change_group(&fixture->master, fixture->now, &fixture->outbox);
    note_actions(fixture);
    CHECK_INT(fixture->master.old_epoch, fixture->master.group.epoch - 1);
}

static void states_that_differ_in_the_old_group_are_given_up(void **state)
{
    struct fixture fixture;
    struct message damage;
    (void)state;

    open_crowd(&fixture, 2);
    fixture.master.options.crew.dead_ms = 5000;
    damage = damage_of(&fixture, UINT32_MAX, 7);
    change_group(&fixture);
    say(&fixture, 0, damage);
    CHECK(fixture.master.generation == 1 && fixture.master.good == 7);
    CHECK_INT(fixture.master.old_epoch, 0); /* nobody waits for its phase */
    CHECK_INT(fixture.master.group.count, 2);
    close_crowd(&fixture);
}

static void whose_state_differs_in_the_old_group_is_replaced(void **state)
{
    struct fixture fixture;
    struct message damage;
    (void)state;

    open_crowd(&fixture, 3);
    fixture.master.options.crew.dead_ms = 5000;
    fixture.master.workers[1].rows_good = 20;
    damage = damage_of(&fixture, rank_of(&fixture, 1), 12);
    change_group(&fixture);
    say(&fixture, 0, damage);
    CHECK_INT(rank_of(&fixture, 1), UINT32_MAX);
    CHECK_INT(fixture.master.group.count, 2);
    CHECK(fixture.master.good == 12 && fixture.master.old_epoch == 0);
    close_crowd(&fixture);
}

/* The next group was made at once, since a third had died; the phase was not done. */
static void a_tie_of_a_past_group_is_of_the_states_of_this_one(void **state)
{
    struct fixture fixture;
    struct message damage;
    (void)state;

    open_crowd(&fixture, 3);
    fixture.master.options.crew.dead_ms = 5000;
    damage = damage_of(&fixture, UINT32_MAX, 7);
    leave(&fixture, 2);
    say(&fixture, 0, damage);
    CHECK(fixture.master.generation == 1 && fixture.master.good == 7);
    damage.epoch = fixture.master.group.epoch + 1; /* there is no such group */
    say(&fixture, 0, damage);
    CHECK_INT(fixture.master.generation, 1);
    close_crowd(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_younger_of_two_that_never_meet_stands_by),
        cmocka_unit_test(who_never_meets_stands_by_though_the_group_is_being_changed),
        cmocka_unit_test(of_two_alone_one_works),
        cmocka_unit_test(who_reaches_nobody_stands_by_though_it_came_first),
        cmocka_unit_test(the_only_one_with_the_state_stays),
        cmocka_unit_test(who_stands_by_is_tried_again_later_and_later),
        cmocka_unit_test(a_phase_done_together_forgets_the_failures),
        cmocka_unit_test(a_record_that_is_told_again_is_no_progress),
        cmocka_unit_test(groups_that_come_to_nothing_are_made_more_and_more_slowly),
        cmocka_unit_test(a_worker_that_died_and_came_back_starts_with_nothing_against_it),
        cmocka_unit_test(a_worker_of_another_build_stands_by_while_the_others_are_there),
        cmocka_unit_test(a_worker_of_other_rows_is_replaced_and_two_of_them_are_right),
        cmocka_unit_test(whose_state_differs_is_replaced_and_does_not_come_back),
        cmocka_unit_test(workers_that_differ_at_the_same_place_three_times_fail_the_job),
        cmocka_unit_test(states_that_differ_in_the_old_group_are_given_up),
        cmocka_unit_test(whose_state_differs_in_the_old_group_is_replaced),
        cmocka_unit_test(a_tie_of_a_past_group_is_of_the_states_of_this_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
