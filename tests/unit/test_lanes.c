#include "tests/check.h"

#include "base/random.h"
#include "runtime/train/lanes.h"

#define MEMBERS_MAX 40

static uint32_t sum(const uint32_t *counts, uint32_t count)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < count; i++)
        total += counts[i];
    return total;
}

static void the_same_speed_gives_shares_that_differ_by_one(void **state)
{
    double speeds[7] = {3, 3, 3, 3, 3, 3, 3};
    uint32_t counts[7];
    (void)state;

    lanes_deal(64, speeds, 7, 1, counts);
    CHECK_INT(sum(counts, 7), 64);
    for (int i = 0; i < 7; i++)
        CHECK(counts[i] == 9 || counts[i] == 10);
}

static void a_worker_eight_times_slower_has_two_lanes_of_64(void **state)
{
    const double speeds[4] = {1, 0.125, 1, 1};
    uint32_t counts[4];
    (void)state;

    lanes_deal(64, speeds, 4, 1, counts);
    CHECK_INT(sum(counts, 4), 64);
    CHECK_INT(counts[1], 2);
    CHECK(lanes_time(speeds, counts, 4) <= 21);
}

static void the_slowest_of_all_still_has_one(void **state)
{
    const double speeds[3] = {1, 1e-6, 1e6};
    uint32_t counts[3];
    (void)state;

    lanes_deal(3, speeds, 3, 1, counts);
    CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 1);
    lanes_deal(1024, speeds, 3, 1, counts);
    CHECK_INT(counts[1], 1);
    CHECK_INT(sum(counts, 3), 1024);
}

static uint64_t draw(uint64_t seed, uint64_t what)
{
    return random_bits(seed, RANDOM_SIMULATION, what, 0);
}

/* No dealing is faster: moving any lane to any other member is not. */
static void no_lane_would_be_done_earlier_elsewhere(void **state)
{
    (void)state;

    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint32_t count = 1 + (uint32_t)(draw(seed, 1) % MEMBERS_MAX);
        uint32_t lanes = count + (uint32_t)(draw(seed, 2) % 200);
        double speeds[MEMBERS_MAX], time;
        uint32_t counts[MEMBERS_MAX];

        for (uint32_t i = 0; i < count; i++)
            speeds[i] = 0.01 + (double)(draw(seed, 3 + i) % 1000) / 100;
        lanes_deal(lanes, speeds, count, 1, counts);
        CHECK_INT(sum(counts, count), lanes);
        time = lanes_time(speeds, counts, count);
        for (uint32_t i = 0; i < count; i++) {
            CHECK(counts[i] >= 1);
            if (counts[i] == 1 || counts[i] / speeds[i] < time)
                continue;
            for (uint32_t j = 0; j < count; j++) /* the slowest gives one away */
                CHECK(j == i || (counts[j] + 1) / speeds[j] >= time * (1 - 1e-9));
        }
    }
}

static void what_is_measured_twice_does_not_move_lanes(void **state)
{
    const double speeds[4] = {1, 0.97, 1.02, 0.96};
    uint32_t counts[4];
    (void)state;

    lanes_deal_fairly(64, speeds, 4, 0, counts);
    for (int i = 0; i < 4; i++)
        CHECK_INT(counts[i], 16);
}

static void who_would_hold_everybody_up_has_no_lane(void **state)
{
    const double slow[4] = {1, 1, 0.01, 1}, nearly[4] = {1, 1, 1.0 / 21, 1};
    uint32_t counts[4];
    (void)state;

    lanes_deal_fairly(64, slow, 4, 0, counts);
    CHECK_INT(counts[2], 0);
    CHECK_INT(sum(counts, 4), 64);
    CHECK(lanes_time(slow, counts, 4) <= 22);
    lanes_deal_fairly(64, slow, 4, 1, counts); /* unless it is to be measured */
    CHECK_INT(counts[2], 1);
    lanes_deal_fairly(64, nearly, 4, 0, counts); /* its lane ends with the others' */
    CHECK_INT(counts[2], 1);
}

/* With nobody's lane guaranteed the step is never slower, and no lane would be
 * done earlier elsewhere. */
static void leaving_somebody_out_never_makes_the_step_slower(void **state)
{
    (void)state;

    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint32_t count = 1 + (uint32_t)(draw(seed, 1) % MEMBERS_MAX);
        uint32_t lanes = count + (uint32_t)(draw(seed, 2) % 200);
        double speeds[MEMBERS_MAX], time;
        uint32_t counts[MEMBERS_MAX];

        for (uint32_t i = 0; i < count; i++)
            speeds[i] = draw(seed, 50 + i) % 4 ? 1 + (double)(draw(seed, 3 + i) % 100) / 100 : 1e-3;
        lanes_deal(lanes, speeds, count, 1, counts);
        time = lanes_time(speeds, counts, count);
        lanes_deal(lanes, speeds, count, 0, counts);
        CHECK_INT(sum(counts, count), lanes);
        CHECK(lanes_time(speeds, counts, count) <= time * (1 + 1e-9));
        time = lanes_time(speeds, counts, count);
        for (uint32_t i = 0; i < count; i++)
            CHECK((counts[i] + 1) / speeds[i] >= time * (1 - 1e-9));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_speed_gives_shares_that_differ_by_one),
        cmocka_unit_test(a_worker_eight_times_slower_has_two_lanes_of_64),
        cmocka_unit_test(the_slowest_of_all_still_has_one),
        cmocka_unit_test(no_lane_would_be_done_earlier_elsewhere),
        cmocka_unit_test(who_would_hold_everybody_up_has_no_lane),
        cmocka_unit_test(leaving_somebody_out_never_makes_the_step_slower),
        cmocka_unit_test(what_is_measured_twice_does_not_move_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
