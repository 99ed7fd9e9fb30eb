/*
 * A set of intervals has the numbers that a row of bits has, whatever was added and removed.
 */
#include "tests/check.h"

#include "base/random.h"
#include "runtime/data/staged/interval_set.h"

#define NUMBERS 200

static void check_runs(const struct interval_set *set, const bool *bits)
{
    uint64_t last = 0;

    for (size_t i = 0; i < set->count; i++) {
        CHECK(set->runs[i].first < set->runs[i].end);
        CHECK(i == 0 || set->runs[i].first > last); /* they do not touch */
        last = set->runs[i].end;
    }
    for (uint64_t n = 0; n < NUMBERS; n++) {
        struct interval found;

        CHECK_INT(interval_set_run(set, (struct interval){n, n + 1}, &found), bits[n]);
        CHECK_INT(interval_set_gap(set, (struct interval){n, n + 1}, &found), !bits[n]);
    }
}

/* The first numbers within that are `wanted`. */
static bool find(const bool *bits, struct interval within, bool wanted, struct interval *found)
{
    uint64_t n = within.first;

    while (n < within.end && bits[n] != wanted)
        n++;
    found->first = n;
    while (n < within.end && bits[n] == wanted)
        n++;
    found->end = n;
    return found->first < found->end;
}

static void check_within(const struct interval_set *set, const bool *bits, struct interval within)
{
    struct interval found, expected;

    for (int wanted = 0; wanted < 2; wanted++) {
        const bool is_there = find(bits, within, wanted, &expected);

        CHECK_INT(wanted ? interval_set_run(set, within, &found)
                         : interval_set_gap(set, within, &found),
                  is_there);
        if (is_there)
            CHECK(found.first == expected.first && found.end == expected.end);
    }
}

static struct interval random_interval(uint64_t seed, uint64_t step)
{
    const uint64_t first = random_bits(seed, RANDOM_SAMPLE, 0, 3 * step) % NUMBERS;
    const uint64_t most = NUMBERS - first;

    return (struct interval){first, first + random_bits(seed, RANDOM_SAMPLE, 0, 3 * step + 1) %
                                                (most < 30 ? most : 30)};
}

static void a_set_has_what_was_added_and_not_removed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct interval_set set = {.runs = NULL};
        bool bits[NUMBERS] = {false};

        for (uint64_t step = 0; step < 200; step++) {
            const struct interval interval = random_interval(seed, step);
            const bool is_added = random_bits(seed, RANDOM_SAMPLE, 0, 3 * step + 2) % 3 > 0;

            CHECK(is_added ? interval_set_add(&set, interval)
                           : interval_set_remove(&set, interval));
            for (uint64_t n = interval.first; n < interval.end; n++)
                bits[n] = is_added;
            check_runs(&set, bits);
            check_within(&set, bits, random_interval(seed + 100, step));
        }
        interval_set_deinit(&set);
    }
}

static void what_touches_is_one_run(void **state)
{
    struct interval_set set = {.runs = NULL};
    (void)state;

    CHECK(interval_set_add(&set, (struct interval){10, 20}));
    CHECK(interval_set_add(&set, (struct interval){30, 40}));
    CHECK_INT(set.count, 2);
    CHECK(interval_set_add(&set, (struct interval){20, 30}));
    CHECK_INT(set.count, 1);
    CHECK(interval_set_remove(&set, (struct interval){15, 15}));
    CHECK_INT(set.count, 1);
    interval_set_deinit(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_has_what_was_added_and_not_removed),
        cmocka_unit_test(what_touches_is_one_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
