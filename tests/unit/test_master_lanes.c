/* Lanes of jobs whose rows come from elsewhere: what moves, and when. */
#include "runtime/train/master/master.h"
#include "tests/check.h"

#define JOB     7
#define LANES   16
#define WORKERS 8
#define STEPS   1000
#define BUCKETS 4
#define LANE_MS 20 /* a lane's time on a worker that nothing slows down */

/* Eight workers of two lanes each, in a group that is connected, in an epoch of 1,000 steps. */
struct fixture {
    struct master master;
    struct outbox outbox;
    int64_t now;
    uint64_t step;
    uint32_t slow_times[WORKERS]; /* in tenths: a lane takes so many times LANE_MS */
    struct slow_worker slow;      /* the last one that the launcher heard of */
    uint32_t slow_count;
};

static void say(struct fixture *fixture, uint32_t index, struct message message)
{
    message.job = JOB;
    outbox_clear(&fixture->outbox);
    master_on_message(&fixture->master, fixture->now, index + 1, &message, &fixture->outbox);
}

static void hello_of(struct fixture *fixture, uint32_t index, uint32_t incarnation,
                     struct share lanes)
{
    struct message message = {.type = MESSAGE_HELLO};

    message.hello = (struct message_hello){.index = index,
                                           .incarnation = incarnation,
                                           .lanes = LANES,
                                           .round = STEPS,
                                           .buckets = BUCKETS,
                                           .phase = lanes.count > 0 ? 100 : 0,
                                           .first_lane = lanes.first,
                                           .lane_count = lanes.count,
                                           .address = SLICE("unix:/run/somewhere")};
    say(fixture, index, message);
}

static void hello(struct fixture *fixture, uint32_t index, uint32_t incarnation)
{
    hello_of(fixture, index, incarnation, (struct share){0, 0});
}

static void met(struct fixture *fixture)
{
    say(fixture, fixture->master.group.members[0].index,
        (struct message){.type = MESSAGE_GROUP_READY, .epoch = fixture->master.group.epoch});
}

static void open_master(struct fixture *fixture, uint32_t incarnation)
{
    struct master_options options = {.crew.job = JOB,
                                     .crew.incarnation = incarnation,
                                     .crew.min_workers = 1,
                                     .crew.max_workers = WORKERS,
                                     .crew.dead_ms = 5000,
                                     .publish_ms = 60000,
                                     .regroup_ms = 20,
                                     .try_ms = 10000,
                                     .settle_ms = 300,
                                     .crew.report_ms = 100,
                                     .gather_ms = 100,
                                     .crew.facts.started_at = ""};
    struct error err;

    memset(fixture, 0, sizeof *fixture);
    outbox_init(&fixture->outbox);
    CHECK_OK(master_init(&fixture->master, &options, 0, &fixture->outbox, &err));
}

static void open_job(struct fixture *fixture)
{
    open_master(fixture, 0);
    for (uint32_t index = 0; index < WORKERS; index++) {
        fixture->slow_times[index] = 10;
        hello(fixture, index, 0);
    }
    met(fixture);
    CHECK_INT(fixture->master.group.count, WORKERS);
}

static void close_job(struct fixture *fixture)
{
    master_deinit(&fixture->master);
    outbox_deinit(&fixture->outbox);
}

static uint32_t lanes_of(const struct fixture *fixture, uint32_t index)
{
    return fixture->master.workers[index].lanes.count;
}

static void tell_speed(struct fixture *fixture, uint32_t index, uint32_t steps)
{
    struct message message = {.type = MESSAGE_SPEED, .epoch = fixture->master.group.epoch};
    const uint32_t lanes = steps * lanes_of(fixture, index);

    message.speed =
        (struct message_speed){lanes, lanes * LANE_MS * fixture->slow_times[index] / 10};
    say(fixture, index,
        lanes > 0
            ? message
            : (struct message){.type = MESSAGE_PHASE_ALIVE, .epoch = fixture->master.group.epoch});
    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];

        if (entry->kind != OUTBOX_SLOW)
            continue;
        memcpy(&fixture->slow, outbox_bytes(&fixture->outbox, entry).data, sizeof fixture->slow);
        fixture->slow_count++;
    }
}

/* So many steps are done, and everybody says how fast it was. True: lanes have moved. */
static bool do_steps(struct fixture *fixture, uint32_t steps)
{
    const uint64_t epoch = fixture->master.group.epoch;
    struct message message = {.type = MESSAGE_PROGRESS, .epoch = epoch};
    uint32_t longest = 0;

    for (uint32_t index = 0; index < WORKERS; index++) {
        const uint32_t ms =
            steps * lanes_of(fixture, index) * LANE_MS * fixture->slow_times[index] / 10;

        longest = ms > longest ? ms : longest;
    }
    fixture->now += longest;
    fixture->step += steps;
    message.progress = (struct message_progress){
        .phase = fixture->step, .step = fixture->step, .steps = STEPS, .loss = 1};
    say(fixture, fixture->master.group.members[0].index, message);
    for (uint32_t index = 0; index < WORKERS; index++)
        tell_speed(fixture, index, steps);
    outbox_clear(&fixture->outbox);
    master_on_tick(&fixture->master, fixture->now, &fixture->outbox);
    if (fixture->master.group.epoch == epoch)
        return false;
    met(fixture);
    return true;
}

/* Five at a time; how many, 0: lanes did not move before that step. */
static uint64_t steps_until_lanes_move(struct fixture *fixture, uint64_t end)
{
    const uint64_t first = fixture->step;

    while (fixture->step < end)
        if (do_steps(fixture, 5))
            return fixture->step - first;
    return 0;
}

static void speeds_that_differ_for_a_while_move_no_lane(void **state)
{
    struct fixture fixture;
    (void)state;

    open_job(&fixture);
    while (fixture.step < STEPS) { /* half a second each */
        for (uint32_t index = 0; index < WORKERS; index++)
            fixture.slow_times[index] = (fixture.step / 10 + index) % WORKERS == 0 ? 20 : 10;
        CHECK(!do_steps(&fixture, 5));
    }
    close_job(&fixture);
}

/* Two buckets of one lane are 31 steps' worth of rows: three times that are lost, of each step a
 * quarter, before it moves. */
static void who_is_slower_for_long_loses_a_lane(void **state)
{
    struct fixture fixture;
    uint64_t steps;
    (void)state;

    open_job(&fixture);
    fixture.slow_times[5] = 20;
    steps = steps_until_lanes_move(&fixture, STEPS);
    fprintf(stderr, "STEPS %d\n", (int)steps);
    CHECK(steps > 200 && steps < 350);
    CHECK_INT(lanes_of(&fixture, 5), 1);
    CHECK(lanes_of(&fixture, 4) + lanes_of(&fixture, 6) == 5);
    CHECK_INT(steps_until_lanes_move(&fixture, STEPS), 0);
    close_job(&fixture);
}

static void the_launcher_hears_once_of_a_worker_that_is_twice_slower(void **state)
{
    struct fixture fixture;
    (void)state;

    open_job(&fixture);
    fixture.slow_times[5] = 19;
    while (fixture.step < STEPS)
        do_steps(&fixture, 5);
    CHECK_INT(fixture.slow_count, 0);
    close_job(&fixture);

    open_job(&fixture);
    fixture.slow_times[5] = 21;
    while (fixture.now < 9000)
        do_steps(&fixture, 5);
    CHECK_INT(fixture.slow_count, 0); /* not for long enough yet */
    while (fixture.step < STEPS)
        do_steps(&fixture, 5);
    CHECK_INT(fixture.slow_count, 1);
    CHECK_INT(fixture.slow.index, 5);
    CHECK(fixture.slow.times > 2 && fixture.slow.times < 2.2);
    hello(&fixture, 5, 1); /* another process, perhaps elsewhere */
    CHECK(!fixture.master.workers[5].is_slow);
    close_job(&fixture);
}

static void who_is_four_times_slower_loses_its_lanes_at_once(void **state)
{
    struct fixture fixture;
    uint64_t steps;
    (void)state;

    open_job(&fixture);
    fixture.slow_times[2] = 40;
    steps = steps_until_lanes_move(&fixture, STEPS);
    CHECK(steps > 0 && fixture.now < 1700);
    CHECK_INT(lanes_of(&fixture, 2), 0);
    close_job(&fixture);
}

/* So does one that becomes slow when it was as fast as the others for long. */
static void who_becomes_slow_loses_its_lanes_soon(void **state)
{
    struct fixture fixture;
    int64_t since;
    (void)state;

    open_job(&fixture);
    CHECK_INT(steps_until_lanes_move(&fixture, STEPS / 2), 0);
    fixture.slow_times[2] = 40;
    since = fixture.now;
    CHECK(steps_until_lanes_move(&fixture, STEPS) > 0);
    fprintf(stderr, "NOW %d lanes %d\n", (int)(fixture.now - since), lanes_of(&fixture, 2));
    CHECK(fixture.now - since < 4000);
    CHECK(lanes_of(&fixture, 2) < 2);
    close_job(&fixture);
}

static void near_the_end_no_lane_moves(void **state)
{
    struct fixture fixture;
    (void)state;

    open_job(&fixture);
    fixture.step = STEPS - 30;
    fixture.slow_times[2] = 40;
    CHECK_INT(steps_until_lanes_move(&fixture, STEPS), 0);
    close_job(&fixture);
}

/* Its neighbours have its lanes then, and nobody else has others than before. */
static void when_a_worker_dies_its_lanes_alone_move(void **state)
{
    struct share had[WORKERS];
    struct fixture fixture;
    (void)state;

    open_job(&fixture);
    CHECK(!do_steps(&fixture, 5));
    for (uint32_t index = 0; index < WORKERS; index++)
        had[index] = fixture.master.workers[index].lanes;
    outbox_clear(&fixture.outbox);
    master_on_disconnect(&fixture.master, fixture.now, 4, &fixture.outbox);
    for (uint32_t index = 0; index < WORKERS; index++) {
        const struct share *has = &fixture.master.workers[index].lanes;

        if (index != 2 && index != 4)
            CHECK(index == 3 ? has->count == 0
                             : has->first == had[index].first && has->count == had[index].count);
    }
    CHECK(lanes_of(&fixture, 2) == 3 && lanes_of(&fixture, 4) == 3);
    close_job(&fixture);
}

/* The one that comes in its place is another process, and has no row of theirs. */
static void who_comes_back_as_another_process_has_had_no_lane(void **state)
{
    struct fixture fixture;
    (void)state;

    open_job(&fixture);
    CHECK(!do_steps(&fixture, 5));
    outbox_clear(&fixture.outbox);
    master_on_disconnect(&fixture.master, fixture.now, 4, &fixture.outbox);
    met(&fixture);
    CHECK_INT(fixture.master.group.count, WORKERS - 1);
    hello(&fixture, 3, 1);
    CHECK_INT(fixture.master.group.count, WORKERS);
    CHECK_INT(lanes_of(&fixture, 3), 2);
    close_job(&fixture);
}

/* Workers come in any order; two of them had other lanes than the others, by speeds that are not
 * known any more. */
static void a_new_master_leaves_lanes_where_they_are(void **state)
{
    const struct share lanes[WORKERS] = {{0, 2}, {2, 2},  {4, 3},  {7, 1},
                                         {8, 2}, {10, 2}, {12, 2}, {14, 2}};
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1);
    for (uint32_t i = 0; i < WORKERS; i++) {
        const uint32_t index = (5 * i + 3) % WORKERS;

        hello_of(&fixture, index, 0, lanes[index]);
    }
    CHECK_INT(fixture.master.group.count, WORKERS);
    for (uint32_t index = 0; index < WORKERS; index++) {
        CHECK_INT(fixture.master.workers[index].lanes.first, lanes[index].first);
        CHECK_INT(fixture.master.workers[index].lanes.count, lanes[index].count);
        CHECK_INT(fixture.master.group.members[index].index, index);
    }
    close_job(&fixture);
}

/* One that lost its connection to the master for a moment, and is the same process. */
static void who_comes_back_keeps_its_lanes(void **state)
{
    struct fixture fixture;
    (void)state;

    open_job(&fixture);
    CHECK(!do_steps(&fixture, 5));
    hello_of(&fixture, 3, 0, fixture.master.workers[3].lanes);
    CHECK_INT(fixture.master.group.count, WORKERS);
    for (uint32_t index = 0; index < WORKERS; index++) {
        CHECK_INT(fixture.master.workers[index].lanes.first, 2 * index);
        CHECK_INT(fixture.master.group.members[index].index, index);
    }
    close_job(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_that_differ_for_a_while_move_no_lane),
        cmocka_unit_test(who_is_slower_for_long_loses_a_lane),
        cmocka_unit_test(who_is_four_times_slower_loses_its_lanes_at_once),
        cmocka_unit_test(the_launcher_hears_once_of_a_worker_that_is_twice_slower),
        cmocka_unit_test(who_becomes_slow_loses_its_lanes_soon),
        cmocka_unit_test(near_the_end_no_lane_moves),
        cmocka_unit_test(when_a_worker_dies_its_lanes_alone_move),
        cmocka_unit_test(who_comes_back_as_another_process_has_had_no_lane),
        cmocka_unit_test(a_new_master_leaves_lanes_where_they_are),
        cmocka_unit_test(who_comes_back_keeps_its_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
