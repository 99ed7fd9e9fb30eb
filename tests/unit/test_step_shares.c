#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/learn/descent/step_shares.h"

#define LANES_MOST 40

static uint64_t draw(uint64_t a, uint64_t b)
{
    return random_bits(11, RANDOM_SIMULATION, a, b);
}

/* The definition, one row after the other. */
static void take_next(const uint32_t *rows, uint32_t lanes, uint32_t *taken)
{
    uint32_t next = lanes;

    for (uint32_t lane = 0; lane < lanes; lane++)
        if (taken[lane] < rows[lane] &&
            (next == lanes ||
             (2ull * taken[lane] + 1) * rows[next] < (2ull * taken[next] + 1) * rows[lane]))
            next = lane;
    taken[next]++;
}

static void check_all_positions(const uint32_t *rows, uint32_t lanes)
{
    uint32_t expected[LANES_MOST] = {0}, taken[LANES_MOST];
    uint64_t all = 0;

    for (uint32_t lane = 0; lane < lanes; lane++)
        all += rows[lane];
    for (uint64_t position = 0; position <= all; position++) {
        step_shares_at(rows, lanes, all, position, taken);
        assert_memory_equal(taken, expected, lanes * sizeof *taken);
        if (position < all)
            take_next(rows, lanes, expected);
    }
    assert_memory_equal(taken, rows, lanes * sizeof *taken);
}

static void each_position_takes_one_row_more(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 300; trial++) {
        const uint32_t lanes = 1 + (uint32_t)(draw(trial, 0) % LANES_MOST);
        const uint32_t most = 1 + (uint32_t)(draw(trial, 1) % 60);
        uint32_t rows[LANES_MOST];

        for (uint32_t lane = 0; lane < lanes; lane++) /* some have none */
            rows[lane] = (uint32_t)(draw(trial, 2 + lane) % most);
        check_all_positions(rows, lanes);
    }
}

static void a_step_takes_of_each_lane_in_proportion(void **state)
{
    enum { LANES = 32, BATCH = 512 };
    uint32_t rows[LANES], before[LANES] = {0}, after[LANES];
    uint64_t all = 0;
    (void)state;

    for (uint32_t lane = 0; lane < LANES; lane++)
        all += rows[lane] = 31000 + (uint32_t)(draw(lane, 999) % 500);
    for (uint64_t position = BATCH; position <= all; position += BATCH) {
        step_shares_at(rows, LANES, all, position, after);
        for (uint32_t lane = 0; lane < LANES; lane++)
            CHECK(after[lane] - before[lane] >= 15 && after[lane] - before[lane] <= 17);
        memcpy(before, after, sizeof before);
    }
}

/* Lanes of positions, of which the first ones have a row more: every step has a run of positions.
 */
static void lanes_of_positions_keep_the_order(void **state)
{
    (void)state;
    for (uint32_t lanes = 1; lanes <= LANES_MOST; lanes++)
        for (uint32_t all = 1; all < 150; all += 7) {
            uint32_t rows[LANES_MOST], taken[LANES_MOST];

            for (uint32_t lane = 0; lane < lanes; lane++)
                rows[lane] = (all + lanes - 1 - lane) / lanes;
            for (uint32_t position = 0; position <= all; position++) {
                step_shares_at(rows, lanes, all, position, taken);
                for (uint32_t lane = 0; lane < lanes; lane++)
                    CHECK_INT(taken[lane], (position + lanes - 1 - lane) / lanes);
            }
        }
}

static void the_largest_lanes_do_not_overflow(void **state)
{
    const uint32_t most = ROW_LANES_ROWS_MAX;
    const uint32_t rows[] = {most, 1, most, most - 1, 0};
    const uint64_t all = 3ull * most;
    uint32_t taken[5];
    (void)state;

    step_shares_at(rows, 5, all, all - 1, taken);
    CHECK_INT(taken[0] + (uint64_t)taken[1] + taken[2] + taken[3], all - 1);
    CHECK_INT(taken[0], most);
    CHECK_INT(taken[2],
              most - 1); /* among the last rows of equal lanes that of the lower lane is first */
    step_shares_at(rows, 5, all, all / 2, taken);
    CHECK(taken[0] - most / 2 <= 1 && taken[3] - (most - 1) / 2 <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_position_takes_one_row_more),
        cmocka_unit_test(a_step_takes_of_each_lane_in_proportion),
        cmocka_unit_test(lanes_of_positions_keep_the_order),
        cmocka_unit_test(the_largest_lanes_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
