/* How many workers pay: groups of half of them, and what the launcher and the user hear. */
#include "runtime/share/share_curve.h"
#include "runtime/train/master/master.h"
#include "runtime/train/master/master_change.h"
#include "tests/outbox_check.h"

#define JOB     7
#define LANES   16
#define WORKERS 8
#define STEPS   20000
#define ROWS    64 /* a step has so many */

/* Workers of equal speed. */
struct fixture {
    struct master master;
    struct outbox outbox;
    double now; /* ms */
    uint64_t step;
    struct share_curve is;
};

static void say(struct fixture *fixture, uint32_t index, struct message message)
{
    message.job = JOB;
    outbox_clear(&fixture->outbox);
    master_on_message(&fixture->master, (int64_t)fixture->now, index + 1, &message,
                      &fixture->outbox);
}

static void hello(struct fixture *fixture, uint32_t index, uint32_t incarnation)
{
    struct message message = {.type = MESSAGE_HELLO};

    message.hello = (struct message_hello){.index = index,
                                           .incarnation = incarnation,
                                           .lanes = LANES,
                                           .buckets = 1,
                                           .address = SLICE("unix:/run/somewhere")};
    say(fixture, index, message);
}

static const struct group *group_of(const struct fixture *fixture)
{
    return &fixture->master.group;
}

/* The old group goes on to its next phase, the new one meets. */
static void meet(struct fixture *fixture)
{
    say(fixture, group_of(fixture)->members[0].index,
        (struct message){.type = MESSAGE_GROUP_READY, .epoch = group_of(fixture)->epoch});
}

/* So many workers join; first and paces: what earlier jobs tell. */
static void open_job_as(struct fixture *fixture, uint32_t least, struct share_curve is,
                        uint32_t first, const struct share_paces *paces)
{
    const uint32_t workers = first > 0 ? first : WORKERS;
    struct master_options options = {.first = first,
                                     .paces = *paces,
                                     .crew.job = JOB,
                                     .crew.min_workers = least,
                                     .crew.max_workers = WORKERS,
                                     .crew.dead_ms = 5000,
                                     .regroup_ms = 20,
                                     .measure = {1000, 10},
                                     .crew.report_ms = 100,
                                     .gather_ms = 100,
                                     .crew.facts.started_at = ""};
    struct error err;

    memset(fixture, 0, sizeof *fixture);
    fixture->is = is;
    outbox_init(&fixture->outbox);
    CHECK_OK(master_init(&fixture->master, &options, 0, &fixture->outbox, &err));
    for (uint32_t index = 0; index < workers; index++)
        hello(fixture, index, 0);
    meet(fixture);
    CHECK_INT(group_of(fixture)->count, workers); /* it waits for no others */
}

static void open_job(struct fixture *fixture, uint32_t least, struct share_curve is)
{
    open_job_as(fixture, least, is, 0, &(struct share_paces){.count = 0});
}

static void close_job(struct fixture *fixture)
{
    master_deinit(&fixture->master);
    outbox_deinit(&fixture->outbox);
}

/* Ten steps of LANES ms each, had one worker them all; the outbox has what follows. True: the group
 * changes. */
static bool do_steps(struct fixture *fixture)
{
    const uint64_t epoch = group_of(fixture)->epoch;
    struct message message = {.type = MESSAGE_PROGRESS, .epoch = epoch};

    fixture->step += 10;
    fixture->now += 10 * LANES * share_curve_time(&fixture->is, group_of(fixture)->count);
    message.progress = (struct message_progress){.phase = fixture->step,
                                                 .step = fixture->step,
                                                 .steps = STEPS,
                                                 .rows_done = ROWS * fixture->step,
                                                 .loss = 1};
    say(fixture, group_of(fixture)->members[0].index, message);
    return group_of(fixture)->epoch != epoch;
}

/* Until the group changes; false: it does not within so many times ten steps. */
static bool until_change(struct fixture *fixture, uint32_t most)
{
    for (uint32_t i = 0; i < most; i++)
        if (do_steps(fixture))
            return true;
    return false;
}

/* Until the launcher hears how many workers pay; 0: it does not. */
static uint32_t until_useful(struct fixture *fixture, uint32_t most)
{
    struct useful_workers useful;

    for (uint32_t i = 0; i < most; i++) {
        do_steps(fixture);
        for (size_t k = 0; k < fixture->outbox.count; k++) {
            const struct outbox_entry *entry = &fixture->outbox.entries[k];

            if (entry->kind != OUTBOX_USEFUL)
                continue;
            memcpy(&useful, outbox_bytes(&fixture->outbox, entry).data, sizeof useful);
            return useful.workers;
        }
    }
    return 0;
}

static bool find_notice(const struct fixture *fixture, struct job_event *event)
{
    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];

        if (entry->kind != OUTBOX_REPORT)
            continue;
        memcpy(event, outbox_bytes(&fixture->outbox, entry).data, sizeof *event);
        if (event->kind == JOB_NOTICE)
            return true;
    }
    return false;
}

static void half_of_the_workers_stand_by_for_a_moment(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_job(&fixture, 1, (struct share_curve){LANES, .02, .001});
    CHECK(until_change(&fixture, 200));
    CHECK_INT(group_of(&fixture)->count, 4);
    CHECK(outbox_find_last(&fixture.outbox, 1, MESSAGE_SWITCH, &message));
    CHECK(outbox_find_last(&fixture.outbox, 8, MESSAGE_SWITCH, &message));
    meet(&fixture);
    CHECK_INT(group_of(&fixture)->count, 4); /* with the others here, and none of them is asked */
    CHECK_INT(fixture.master.crew.live, WORKERS);
    CHECK(until_change(&fixture, 200));
    CHECK_INT(group_of(&fixture)->count, WORKERS);
    meet(&fixture);
    CHECK_INT(until_useful(&fixture, 200), WORKERS);
    CHECK(!until_change(&fixture, 200));
    CHECK(fixture.master.crew.measured[0] == '\0');
    close_job(&fixture);
}

static void the_user_hears_of_workers_that_do_not_pay(void **state)
{
    struct fixture fixture;
    struct job_event event;
    struct job_row row;
    (void)state;

    open_job(&fixture, 1, (struct share_curve){LANES, 0, 1});
    CHECK(until_change(&fixture, 100));
    meet(&fixture);
    CHECK(until_change(&fixture, 100));
    meet(&fixture);
    CHECK_INT(until_useful(&fixture, 100), 1);
    CHECK(find_notice(&fixture, &event));
    assert_string_equal(event.message, "1 of 8 workers pay, the others are given back: with 8 "
                                       "workers a row takes 1.78 ms, with 4 813 us");
    row = crew_job_row(&fixture.master.crew, (int64_t)fixture.now);
    assert_string_equal(
        row.error, "1 of its 8 workers pay: with 8 workers a row takes 1.78 ms, with 4 813 us");
    /* The launcher ends them: the last one is measured as it is. */
    for (uint32_t index = 1; index < WORKERS; index++)
        master_drain(&fixture.master, (int64_t)fixture.now, index, 0, &fixture.outbox);
    master_on_tick(&fixture.master, (int64_t)fixture.now, &fixture.outbox);
    CHECK_INT(group_of(&fixture)->count, 1);
    meet(&fixture);
    CHECK_INT(until_useful(&fixture, 100), 1);
    CHECK(!until_change(&fixture, 100));
    close_job(&fixture);
}

static const char *find_event(const struct fixture *fixture, const char *name)
{
    static struct event_row row;

    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];

        if (entry->kind != OUTBOX_EVENT)
            continue;
        memcpy(&row, outbox_bytes(&fixture->outbox, entry).data, sizeof row);
        if (strcmp(row.event, name) == 0)
            return row.detail;
    }
    return "";
}

static void a_job_begins_as_earlier_ones_tell_and_leaves_its_own_paces(void **state)
{
    static const struct share_curve is = {LANES, 0, 1};
    struct share_paces before = {.lanes = LANES}, told;
    struct fixture fixture;
    (void)state;

    open_job(&fixture, 1, is);
    CHECK(until_change(&fixture, 100));
    meet(&fixture);
    CHECK(until_change(&fixture, 100));
    meet(&fixture);
    CHECK_INT(until_useful(&fixture, 100), 1);
    CHECK(share_paces_read(slice_of(find_event(&fixture, "paces")), &told));
    CHECK_INT(told.lanes, LANES);
    CHECK_INT(told.count, 2);
    CHECK(share_paces_of(&told, WORKERS) > share_paces_of(&told, WORKERS / 2));
    close_job(&fixture);
    for (uint32_t workers = 1; workers <= WORKERS; workers *= 2)
        share_paces_add(&before, (struct share_point){workers, share_curve_time(&is, workers)});
    open_job_as(&fixture, 1, is, 1, &before);
    CHECK_INT(until_useful(&fixture, 100), 1);
    CHECK(share_paces_read(slice_of(find_event(&fixture, "paces")), &told));
    CHECK_INT(told.count, 1);
    CHECK(!until_change(&fixture, 100));
    close_job(&fixture);
}

static void who_is_lost_meanwhile_ends_the_measuring(void **state)
{
    struct fixture fixture;
    (void)state;

    open_job(&fixture, 1, (struct share_curve){LANES, .02, .001});
    CHECK(until_change(&fixture, 200));
    meet(&fixture);
    outbox_clear(&fixture.outbox);
    master_on_disconnect(&fixture.master, (int64_t)fixture.now, 1, &fixture.outbox);
    CHECK_INT(group_of(&fixture)->count, WORKERS - 1);
    meet(&fixture);
    hello(&fixture, 0, 1);
    CHECK_INT(group_of(&fixture)->count, WORKERS);
    meet(&fixture);
    CHECK(until_change(&fixture, 200));
    CHECK_INT(group_of(&fixture)->count, 4);
    /* One that stands by goes: nobody waits for what it has. */
    meet(&fixture);
    say(&fixture, 7,
        (struct message){.type = MESSAGE_DRAINED, .epoch = group_of(&fixture)->epoch - 1});
    say(&fixture, 7, (struct message){.type = MESSAGE_LEAVING});
    CHECK(fixture.master.workers[7].member.peer == PEER_NONE);
    CHECK(do_steps(&fixture)); /* and the others that stood by come back */
    CHECK_INT(group_of(&fixture)->count, WORKERS - 1);
    close_job(&fixture);
}

/* It gets no lane: how fast three are is not what was asked. */
static void half_of_the_workers_with_a_very_slow_one_is_not_measured(void **state)
{
    struct fixture fixture;
    uint64_t epoch;
    (void)state;

    open_job(&fixture, 1, (struct share_curve){LANES, .02, .001});
    CHECK(until_change(&fixture, 200));
    meet(&fixture);
    epoch = group_of(&fixture)->epoch;
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct message message = {.type = MESSAGE_SPEED, .epoch = epoch};

        message.speed = (struct message_speed){rank == 3 ? 1 : 1000, 1000};
        say(&fixture, group_of(&fixture)->members[rank].index, message);
    }
    fixture.now += 300;
    outbox_clear(&fixture.outbox);
    master_on_tick(&fixture.master, (int64_t)fixture.now, &fixture.outbox);
    CHECK(group_of(&fixture)->epoch != epoch);
    CHECK_INT(group_of(&fixture)->members[3].lane_count, 0);
    meet(&fixture);
    CHECK(do_steps(&fixture));
    CHECK_INT(group_of(&fixture)->count, WORKERS);
    meet(&fixture);
    CHECK_INT(until_useful(&fixture, 200), 0);
    close_job(&fixture);
}

static void a_fixed_number_and_a_short_job_are_left_alone(void **state)
{
    struct fixture fixture;
    (void)state;

    open_job(&fixture, WORKERS, (struct share_curve){LANES, 0, 1});
    CHECK(!until_change(&fixture, 100));
    close_job(&fixture);
    open_job(&fixture, 1, (struct share_curve){LANES, 0, 1});
    fixture.step = STEPS - 200;
    CHECK(!until_change(&fixture, 15));
    close_job(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_the_workers_stand_by_for_a_moment),
        cmocka_unit_test(the_user_hears_of_workers_that_do_not_pay),
        cmocka_unit_test(a_job_begins_as_earlier_ones_tell_and_leaves_its_own_paces),
        cmocka_unit_test(who_is_lost_meanwhile_ends_the_measuring),
        cmocka_unit_test(half_of_the_workers_with_a_very_slow_one_is_not_measured),
        cmocka_unit_test(a_fixed_number_and_a_short_job_are_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
