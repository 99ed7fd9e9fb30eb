#include "tests/check.h"

#include "base/random.h"
#include "runtime/train/lanes_move.h"

#define MEMBERS_MAX 40

/* A group of `count` members that have lanes already. */
struct fixture {
    double speeds[MEMBERS_MAX];
    struct share had[MEMBERS_MAX];
    uint32_t counts[MEMBERS_MAX];
    struct lanes_group group;
};

static void open_group(struct fixture *fixture, uint32_t lanes, uint32_t count)
{
    *fixture = (struct fixture){.group = {.lanes = lanes, .count = count}};
    fixture->group.speeds = fixture->speeds;
    fixture->group.had = fixture->had;
    for (uint32_t i = 0; i < count; i++) {
        fixture->speeds[i] = 1;
        fixture->had[i] = share_of(lanes, count, i);
    }
}

static void settle(struct fixture *fixture, double price)
{
    struct error err;

    CHECK_OK(lanes_settle(&fixture->group, price, fixture->counts, &err));
}

static double step_time(const struct fixture *fixture, const uint32_t *counts)
{
    return lanes_time(fixture->speeds, counts, fixture->group.count);
}

static void check_counts(const struct fixture *fixture, const uint32_t *expected)
{
    for (uint32_t i = 0; i < fixture->group.count; i++)
        CHECK_INT(fixture->counts[i], expected[i]);
}

static void a_slow_member_gives_its_lanes_to_those_beside_it(void **state)
{
    struct fixture fixture;
    (void)state;

    open_group(&fixture, 16, 8);
    fixture.speeds[3] = 0.25;
    settle(&fixture, 0);
    check_counts(&fixture, (uint32_t[]){2, 2, 3, 0, 3, 2, 2, 2});
    CHECK_INT(lanes_moved(&fixture.group, fixture.counts), 2);
}

static void the_lanes_of_who_has_gone_move_and_no_others(void **state)
{
    struct fixture fixture;
    (void)state;

    open_group(&fixture, 16, 7);
    for (uint32_t i = 0; i < 7; i++) /* the fourth of eight is no longer here */
        fixture.had[i] = share_of(16, 8, i < 3 ? i : i + 1);
    settle(&fixture, 0);
    check_counts(&fixture, (uint32_t[]){2, 2, 3, 3, 2, 2, 2});
    CHECK_INT(lanes_moved(&fixture.group, fixture.counts), 2);
}

static void members_that_had_no_lanes_get_fair_shares(void **state)
{
    struct fixture fixture;
    uint32_t fair[3];
    (void)state;

    open_group(&fixture, 64, 3);
    fixture.speeds[1] = 0.5;
    memset(fixture.had, 0, sizeof fixture.had);
    settle(&fixture, 0.5);
    lanes_deal_fairly(64, fixture.speeds, 3, 0, fair);
    check_counts(&fixture, fair);
    CHECK_INT(lanes_moved(&fixture.group, fixture.counts), 64);
}

/* With the price, which is of a step, fewer lanes move, and then none. */
static void the_dearer_a_move_the_fewer_lanes_move(void **state)
{
    const double prices[] = {0, 0.01, 0.05, 0.2, 1, 10};
    uint32_t before = UINT32_MAX;
    struct fixture fixture;
    (void)state;

    open_group(&fixture, 64, 8);
    fixture.speeds[2] = 0.5;
    fixture.speeds[6] = 0.7;
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++) {
        uint32_t moved;

        settle(&fixture, prices[i]);
        moved = lanes_moved(&fixture.group, fixture.counts);
        CHECK(moved <= before);
        CHECK(i > 0 || moved > 6);
        before = moved;
    }
    CHECK_INT(before, 0);
}

static uint64_t draw(uint64_t seed, uint64_t what)
{
    return random_bits(seed, RANDOM_SIMULATION, what, 0);
}

/* Some of them have no lane yet, and some lanes are nobody's. */
static void draw_group(struct fixture *fixture, uint64_t seed, uint32_t members, uint32_t lanes)
{
    const uint32_t count = 1 + (uint32_t)(draw(seed, 1) % members);

    open_group(fixture, count + (uint32_t)(draw(seed, 2) % lanes), count);
    for (uint32_t i = 0; i < count; i++) {
        fixture->speeds[i] = 0.1 + (double)(draw(seed, 3 + i) % 100) / 100;
        if (draw(seed, 100 + i) % 4 == 0)
            fixture->had[i].count = 0;
    }
    fixture->group.least = draw(seed, 200) % 2;
}

/* The fewest moves of all dealings that take no longer than the time, by trying all of them. */
static uint32_t fewest_moves(struct fixture *fixture, double time, uint32_t least, uint32_t rank,
                             uint32_t left)
{
    uint32_t best = UINT32_MAX;

    if (rank + 1 == fixture->group.count) {
        fixture->counts[rank] = left;
        return left >= least && step_time(fixture, fixture->counts) <= time
                   ? lanes_moved(&fixture->group, fixture->counts)
                   : UINT32_MAX;
    }
    for (uint32_t count = least; count <= left; count++) {
        uint32_t moves;

        fixture->counts[rank] = count;
        moves = fewest_moves(fixture, time, least, rank + 1, left - count);
        best = moves < best ? moves : best;
    }
    return best;
}

static void no_dealing_as_fast_moves_fewer_lanes(void **state)
{
    (void)state;

    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint32_t fair[MEMBERS_MAX], least = 1, moved;
        struct fixture fixture;
        double time;

        draw_group(&fixture, seed, 4, 8);
        lanes_deal_fairly(fixture.group.lanes, fixture.speeds, fixture.group.count,
                          fixture.group.least, fair);
        for (uint32_t i = 0; i < fixture.group.count; i++)
            least = fair[i] < least ? 0 : least;
        settle(&fixture, 0);
        time = step_time(&fixture, fair) * (1 + 1e-9);
        CHECK(step_time(&fixture, fixture.counts) <= time);
        moved = lanes_moved(&fixture.group, fixture.counts);
        CHECK_INT(moved, fewest_moves(&fixture, time, least, 0, fixture.group.lanes));
    }
}

static void a_dealing_with_a_price_is_no_worse_than_the_fairest(void **state)
{
    (void)state;

    for (uint64_t seed = 1; seed <= 1000; seed++) {
        const double price = (double)(draw(seed, 300) % 100) / 200;
        uint32_t fair[MEMBERS_MAX], sum = 0;
        struct fixture fixture;
        double fairest;

        draw_group(&fixture, seed, MEMBERS_MAX, 200);
        lanes_deal_fairly(fixture.group.lanes, fixture.speeds, fixture.group.count,
                          fixture.group.least, fair);
        fairest = step_time(&fixture, fair);
        settle(&fixture, price);
        for (uint32_t i = 0; i < fixture.group.count; i++)
            sum += fixture.counts[i];
        CHECK_INT(sum, fixture.group.lanes);
        CHECK(step_time(&fixture, fixture.counts) +
                  price * fairest * lanes_moved(&fixture.group, fixture.counts) <=
              (fairest + price * fairest * lanes_moved(&fixture.group, fair)) * (1 + 1e-9));
    }
}

static void a_move_is_believed_when_its_cost_was_lost_three_times(void **state)
{
    struct lanes_case about = {.gain = 0.2, .move_ms = 100, .left_ms = 10000, .known_ms = 1400};
    (void)state;

    CHECK(!lanes_should_move(&about));
    about.known_ms = 1600;
    CHECK(lanes_should_move(&about));
    about.left_ms = 450; /* it would save 90 of them */
    CHECK(!lanes_should_move(&about));
    about = (struct lanes_case){.gain = 0.09, .move_ms = 0, .left_ms = 1e6, .known_ms = 1e6};
    CHECK(!lanes_should_move(&about));
}

static void who_is_really_slow_is_believed_to_be(void **state)
{
    struct lanes_case about = {.gain = 0.6, .move_ms = 5000, .left_ms = 60000, .known_ms = 800};
    (void)state;

    CHECK(!lanes_should_move(&about));
    about.known_ms = 900;
    CHECK(lanes_should_move(&about));
    about.gain = 0.4;
    CHECK(!lanes_should_move(&about));
    about.gain = 0.6;
    about.left_ms = 8000; /* not so near the end */
    CHECK(!lanes_should_move(&about));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_member_gives_its_lanes_to_those_beside_it),
        cmocka_unit_test(the_lanes_of_who_has_gone_move_and_no_others),
        cmocka_unit_test(members_that_had_no_lanes_get_fair_shares),
        cmocka_unit_test(the_dearer_a_move_the_fewer_lanes_move),
        cmocka_unit_test(no_dealing_as_fast_moves_fewer_lanes),
        cmocka_unit_test(a_dealing_with_a_price_is_no_worse_than_the_fairest),
        cmocka_unit_test(a_move_is_believed_when_its_cost_was_lost_three_times),
        cmocka_unit_test(who_is_really_slow_is_believed_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
