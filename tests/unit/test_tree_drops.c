#include "runtime/learn/trees/tree_drops.h"

#include <math.h>
#include <string.h>

#include "tests/check.h"
#include "tests/default_trees.h"

static struct trees_params dart_of(double rate, double skip)
{
    struct trees_params params = default_trees();

    params.booster = TREE_DART;
    params.rounds = 200;
    params.eta = .5;
    params.rate_drop = rate;
    params.skip_drop = skip;
    return params;
}

static struct tree_drops drops_of(const struct trees_params *params, uint64_t seed)
{
    struct tree_drops drops;
    struct error err;

    CHECK_OK(tree_drops_init(&drops, params, seed, &err));
    tree_drops_move(&drops, 0);
    return drops;
}

static bool are_close(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* All rounds are left out each time, so what they weigh is known. */
static void a_new_round_shares_with_those_that_it_was_grown_without(void **state)
{
    static const struct {
        enum tree_normalize_type type;
        double first, second, third; /* after three rounds */
    } cases[] = {
        {TREE_NORMALIZE_TREE, 1 / 1.5 * (2 / 2.5), 1 / 1.5 * (2 / 2.5), 1 / 2.5},
        {TREE_NORMALIZE_FOREST, 1 / 1.5 / 1.5, 1 / 1.5 / 1.5, 1 / 1.5},
        {TREE_NORMALIZE_LIGHTGBM, 1. / 2 * (2. / 3), 1. / 2 * (2. / 3), 1. / 3},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trees_params params = dart_of(1, 0);
        struct tree_drops drops;

        params.normalize_type = cases[i].type;
        drops = drops_of(&params, 7);
        CHECK_INT(drops.dropped, 0);
        tree_drops_move(&drops, 1);
        CHECK(drops.weights[0] == 1);
        CHECK_INT(drops.dropped, 1);
        tree_drops_move(&drops, 3);
        CHECK_INT(drops.dropped, 3);
        CHECK(are_close(drops.weights[0], cases[i].first));
        CHECK(are_close(drops.weights[1], cases[i].second));
        CHECK(are_close(drops.weights[2], cases[i].third));
        tree_drops_deinit(&drops);
    }
}

static uint32_t dropped_in_all(const struct trees_params *params, uint32_t *most, uint32_t *nones)
{
    struct tree_drops drops = drops_of(params, 11);
    uint32_t sum = 0;

    *most = *nones = 0;
    for (uint32_t round = 1; round <= params->rounds; round++) {
        uint32_t count = 0;

        tree_drops_move(&drops, round);
        for (uint32_t i = 0; i < round; i++)
            count += drops.are_dropped[i];
        CHECK_INT(count, drops.dropped);
        *most = count > *most ? count : *most;
        *nones += count == 0;
        sum += count;
    }
    tree_drops_deinit(&drops);
    return sum;
}

static void as_many_are_left_out_as_the_statement_says(void **state)
{
    struct trees_params params = dart_of(.1, 0);
    const uint32_t expected = 200 * 201 / 2 / 10; /* a tenth of each round */
    uint32_t most, nones, sum;
    (void)state;

    sum = dropped_in_all(&params, &most, &nones);
    CHECK(sum > expected * .9 && sum < expected * 1.1);
    params.sample_type = TREE_SAMPLE_WEIGHTED;
    sum = dropped_in_all(&params, &most, &nones);
    CHECK(sum > expected * .9 && sum < expected * 1.1);
    params.skip_drop = .5;
    sum = dropped_in_all(&params, &most, &nones);
    CHECK(sum > expected * .35 && sum < expected * .65 && nones > 70 && nones < 140);
    params.skip_drop = 0;
    params.max_drop = 3;
    sum = dropped_in_all(&params, &most, &nones);
    CHECK(most == 3 && sum < 600);
    params.rate_drop = 0;
    CHECK_INT(dropped_in_all(&params, &most, &nones), 0);
    params.one_drop = true;
    CHECK_INT(dropped_in_all(&params, &most, &nones), 200);
    params.sample_type = TREE_SAMPLE_UNIFORM;
    CHECK_INT(dropped_in_all(&params, &most, &nones), 200);
    params.skip_drop = 1;
    CHECK_INT(dropped_in_all(&params, &most, &nones), 0);
}

static void rounds_that_were_left_are_come_to_again(void **state)
{
    struct trees_params params = dart_of(.3, .2);
    struct tree_drops drops = drops_of(&params, 5), other = drops_of(&params, 5);
    struct tree_drops third = drops_of(&params, 6);
    (void)state;

    tree_drops_move(&drops, 90);
    tree_drops_move(&drops, 40);
    for (uint32_t round = 0; round <= 40; round += 8)
        tree_drops_move(&other, round);
    assert_memory_equal(drops.weights, other.weights, 40 * sizeof(double));
    assert_memory_equal(drops.are_dropped, other.are_dropped, 40 * sizeof(bool));
    CHECK_INT(drops.rounds, 40);
    tree_drops_move(&third, 40);
    CHECK(memcmp(drops.weights, third.weights, 40 * sizeof(double)) != 0);
    tree_drops_move(&drops, 0);
    CHECK(drops.rounds == 0 && drops.dropped == 0);
    tree_drops_deinit(&drops);
    tree_drops_deinit(&other);
    tree_drops_deinit(&third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_round_shares_with_those_that_it_was_grown_without),
        cmocka_unit_test(as_many_are_left_out_as_the_statement_says),
        cmocka_unit_test(rounds_that_were_left_are_come_to_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
