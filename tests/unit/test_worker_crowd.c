/*
 * How many connections thirty workers open among each other: an owner of sums with everyone, other
 * members with owners alone (sums.h).
 */
#include "tests/check.h"
#include "tests/sim/toy.h"
#include "tests/sim/world.h"

#define WORKERS 30

static struct learner *open_toy(void *context)
{
    return toy_new(context);
}

/* A job of so many elements, of which ten are worth an owner. */
static struct world_result run(uint32_t elements, const struct world_plan *plan)
{
    struct toy_plan toy = {.seed = plan->seed,
                           .lanes = WORKERS,
                           .phases = 30,
                           .rows = 60,
                           .reals = elements - elements / 3,
                           .owned = elements / 3};
    const struct subject subject = {.context = &toy, .open = open_toy};
    struct world_plan made = *plan;
    struct world_result result;
    struct oracle oracle = oracle_new(&subject);
    struct error err;

    made.workers = WORKERS;
    made.min_workers = 1;
    made.segment_least = 10;
    made.span_us = 200000;
    error_clear(&err);
    CHECK_OK(world_run(&made, &subject, &oracle, &result, &err)); /* the oracle's digest */
    oracle_free(&oracle);
    return result;
}

static void thirty_workers_open_as_many_connections_as_they_have_owners_to_reach(void **state)
{
    static const struct {
        uint32_t elements;
        uint64_t connections;
    } cases[] = {{15, 29}, {25, 29 + 28}, {39, 29 + 28 + 27}, {600, 30 * 29 / 2}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            const struct world_plan plan = {.seed = seed};

            CHECK_INT(run(cases[i].elements, &plan).connections, cases[i].connections);
        }
}

/* In several groups: connections last from one to the next. A worker whose GROUP comes after the
 * SUM that names it has left the group before, and opens its connection again. */
static void workers_that_come_one_by_one_open_few_more(void **state)
{
    (void)state;

    for (uint64_t seed = 1; seed <= 8; seed++) {
        const struct world_plan plan = {.seed = seed, .late_joins = WORKERS};
        const struct world_result result = run(15, &plan);

        CHECK(result.groups >= 3);
        CHECK(result.connections >= 29 && result.connections <= 35);
    }
}

/* Each that comes again opens one. Should all others have to reach another owner, 29 at most. */
static void workers_that_are_killed_open_few_more(void **state)
{
    (void)state;

    for (uint64_t seed = 1; seed <= 8; seed++) {
        const struct world_plan plan = {.seed = seed, .crashes = 3};
        const struct world_result result = run(15, &plan);

        CHECK(result.faults[WORLD_FAULT_CRASH] > 0);
        CHECK(result.connections <= 29 + 3 * 29);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirty_workers_open_as_many_connections_as_they_have_owners_to_reach),
        cmocka_unit_test(workers_that_come_one_by_one_open_few_more),
        cmocka_unit_test(workers_that_are_killed_open_few_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
