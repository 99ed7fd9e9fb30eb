#include "runtime/learn/trees/objective/tree_rankings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/check.h"

#define ROWS 40

static const enum tree_objective_name names[] = {TREE_RANK_PAIRS, TREE_RANK_NDCG, TREE_RANK_MAP,
                                                 TREE_LAMBDARANK};

/* Rows of one group or of some. */
struct scored {
    struct dataset_part part;
    struct row_hash hashes[ROWS];
    float labels[ROWS], scores[ROWS], gradients[ROWS], hessians[ROWS];
    uint32_t keys[ROWS];
    struct tree_groups groups;
};

static double draw(uint64_t a, uint64_t b)
{
    return random_uniform(7, RANDOM_SIMULATION, a, b);
}

/* `each` rows a group. */
static void scored_init(struct scored *rows, enum tree_objective_name name, uint32_t count,
                        uint32_t each)
{
    uint64_t last = 0;
    struct error err;

    memset(rows, 0, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        rows->hashes[i] = (struct row_hash){.low = i, .high = 5 + i / each};
        rows->labels[i] = (float)floor(draw(1, i) * (name == TREE_RANK_MAP ? 2 : 5));
        rows->scores[i] = (float)(3 * draw(2, i) - 1);
        rows->keys[i] = (uint32_t)random_bits(1, RANDOM_SIMULATION, 3, i);
    }
    rows->part = (struct dataset_part){.rows = count, .hashes = rows->hashes};
    CHECK_OK(tree_groups_init(&rows->groups, count, &err));
    for (uint32_t i = 0; i < count; i += 3) /* in steps, like ranges */
        tree_groups_add(&rows->groups, &rows->part, i, count - i < 3 ? count - i : 3, i, &last);
    CHECK_OK(tree_groups_end(&rows->groups, count, &err));
}

static struct ranking ranking_of(enum tree_objective_name name, uint32_t pairs)
{
    return (struct ranking){
        .name = name, .pairs = TREE_PAIRS_TOP, .pair_count = pairs, .exp_gain = true, .seed = 3};
}

static int64_t rank(struct scored *rows, const struct ranking *ranking)
{
    return tree_rankings(ranking, &rows->groups, rows->labels, rows->scores, rows->keys, 0x1p-40,
                         rows->gradients, rows->hessians);
}

/* ---- the same by definition ---- */

static void order_by_score(const struct scored *rows, uint32_t n, uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (rows->scores[order[j]] > rows->scores[order[i]]) {
                const uint32_t other = order[i];

                order[i] = order[j];
                order[j] = other;
            }
}

static double dcg(const float *labels, const uint32_t *order, uint32_t n, uint32_t most)
{
    double sum = 0;

    for (uint32_t i = 0; i < n && i < most; i++)
        sum += (exp2((double)labels[order[i]]) - 1) / log2(i + 2.);
    return sum;
}

static double average_precision(const float *labels, const uint32_t *order, uint32_t n)
{
    double sum = 0, relevant = 0;

    for (uint32_t i = 0; i < n; i++)
        if (labels[order[i]] > 0)
            sum += ++relevant / (i + 1.);
    return sum / relevant;
}

static double ideal(const struct scored *rows, uint32_t n, uint32_t most)
{
    uint32_t order[ROWS];

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (rows->labels[order[j]] > rows->labels[order[i]]) {
                const uint32_t other = order[i];

                order[i] = order[j];
                order[j] = other;
            }
    return dcg(rows->labels, order, n, most);
}

static double metric(const struct scored *rows, const struct ranking *ranking,
                     const uint32_t *order, uint32_t n)
{
    const uint32_t most = ranking->name == TREE_LAMBDARANK ? ranking->pair_count : n;

    if (ranking->name == TREE_RANK_MAP)
        return average_precision(rows->labels, order, n);
    return dcg(rows->labels, order, n, n) / ideal(rows, n, most);
}

/* The change of the measure when the ranks i and j are swapped. */
static double change(const struct scored *rows, const struct ranking *ranking,
                     const uint32_t *order, uint32_t n, uint32_t i, uint32_t j)
{
    uint32_t swapped[ROWS];
    double size = 1;

    memcpy(swapped, order, n * sizeof *order);
    swapped[i] = order[j];
    swapped[j] = order[i];
    if (ranking->name != TREE_RANK_PAIRS)
        size = fabs(metric(rows, ranking, swapped, n) - metric(rows, ranking, order, n));
    return size / (.01 + fabs((double)rows->scores[order[i]] - (double)rows->scores[order[j]]));
}

static void check_group(const struct scored *rows, const struct ranking *ranking, uint32_t n)
{
    double gradients[ROWS] = {0}, hessians[ROWS] = {0}, sum = 0, factor;
    uint32_t order[ROWS];

    order_by_score(rows, n, order);
    for (uint32_t i = 0; i < n && i < ranking->pair_count; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            const bool is_right = rows->labels[order[i]] > rows->labels[order[j]];
            const uint32_t high = order[is_right ? i : j], low = order[is_right ? j : i];
            double p, weight;

            if (rows->labels[high] == rows->labels[low])
                continue;
            p = 1 / (1 + exp((double)rows->scores[low] - (double)rows->scores[high]));
            weight = change(rows, ranking, order, n, i, j);
            gradients[high] -= (1 - p) * weight;
            gradients[low] += (1 - p) * weight;
            sum += 2 * (1 - p) * weight;
            weight *= ranking->name == TREE_LAMBDARANK ? 1 : 2;
            hessians[high] += p * (1 - p) * weight;
            hessians[low] += p * (1 - p) * weight;
        }
    factor = log2(1 + sum) / sum;
    for (uint32_t i = 0; i < n; i++) {
        CHECK(fabs((double)rows->gradients[i] - factor * gradients[i]) < 1e-5);
        CHECK(fabs((double)rows->hessians[i] - factor * hessians[i]) < 1e-5);
    }
}

static void derivatives_are_those_of_pairs_that_are_swapped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint32_t pairs = 1; pairs <= 32; pairs *= 4) {
            const struct ranking ranking = ranking_of(names[i], pairs);
            struct scored rows;
            uint32_t order[ROWS];
            double loss;

            scored_init(&rows, names[i], 25, 25);
            loss = (double)rank(&rows, &ranking) * 0x1p-40;
            check_group(&rows, &ranking, 25);
            order_by_score(&rows, 25, order);
            if (names[i] == TREE_RANK_MAP)
                loss -= 1 - average_precision(rows.labels, order, 25);
            else
                loss -= 1 - dcg(rows.labels, order, 25, 25) / ideal(&rows, 25, 25);
            CHECK(fabs(loss) < 1e-9);
            tree_groups_deinit(&rows.groups);
        }
}

/* ---- groups ---- */

static void a_group_has_the_bits_that_it_has_alone(void **state)
{
    (void)state;
    for (int pairs = TREE_PAIRS_TOP; pairs <= (int)TREE_PAIRS_MEAN; pairs++) {
        struct ranking ranking = ranking_of(TREE_RANK_NDCG, 2);
        struct scored all, first;

        ranking.pairs = (enum tree_pairs)pairs;
        scored_init(&all, TREE_RANK_NDCG, 40, 13);
        scored_init(&first, TREE_RANK_NDCG, 13, 13);
        CHECK_INT(all.groups.count, 4);
        CHECK_INT(all.groups.starts[3], 39);
        CHECK_INT(all.groups.starts[4], 40);
        CHECK(rank(&first, &ranking) < rank(&all, &ranking));
        assert_memory_equal(all.gradients, first.gradients, 13 * sizeof(float));
        assert_memory_equal(all.hessians, first.hessians, 13 * sizeof(float));
        CHECK(all.gradients[39] == 0 && all.hessians[39] == 0); /* there is no other row */
        tree_groups_deinit(&all.groups);
        tree_groups_deinit(&first.groups);
    }
}

static void pairs_at_random_are_of_the_round_and_the_row(void **state)
{
    struct ranking ranking = ranking_of(TREE_RANK_PAIRS, 1);
    float before[ROWS], sum = 0;
    struct scored rows;
    (void)state;

    ranking.pairs = TREE_PAIRS_MEAN;
    scored_init(&rows, TREE_RANK_PAIRS, 30, 30);
    rank(&rows, &ranking);
    for (uint32_t i = 0; i < 30; i++) {
        CHECK(rows.hessians[i] > 0);
        sum += rows.gradients[i];
    }
    CHECK(fabsf(sum) < 1e-4f);
    memcpy(before, rows.gradients, sizeof before);
    rank(&rows, &ranking);
    assert_memory_equal(before, rows.gradients, sizeof before);
    ranking.round++;
    rank(&rows, &ranking);
    CHECK(memcmp(before, rows.gradients, sizeof before) != 0);
    tree_groups_deinit(&rows.groups);
}

static void rows_of_one_label_pull_at_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ranking ranking = ranking_of(names[i], 32);
        struct scored rows;

        scored_init(&rows, names[i], 9, 9);
        memset(rows.labels, 0, sizeof rows.labels);
        CHECK_INT(rank(&rows, &ranking), 0);
        for (uint32_t row = 0; row < 9; row++)
            CHECK(rows.gradients[row] == 0 && rows.hessians[row] == 0);
        tree_groups_deinit(&rows.groups);
    }
}

static void far_scores_have_finite_derivatives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ranking ranking = ranking_of(names[i], 32);
        struct scored rows;

        scored_init(&rows, names[i], 20, 20);
        for (uint32_t row = 0; row < 20; row++)
            rows.scores[row] *= row % 2 ? 1e30f : 0;
        rank(&rows, &ranking);
        for (uint32_t row = 0; row < 20; row++)
            CHECK(isfinite(rows.gradients[row]) && rows.hessians[row] >= 0 &&
                  isfinite(rows.hessians[row]));
        tree_groups_deinit(&rows.groups);
    }
}

static void a_group_of_too_many_rows_is_refused(void **state)
{
    enum { MANY = RANKED_ROWS_MAX + 1 };
    struct row_hash *hashes = calloc(MANY, sizeof *hashes);
    const struct dataset_part part = {.rows = MANY, .hashes = hashes};
    struct tree_groups groups;
    uint64_t last = 0;
    struct error err;
    (void)state;

    CHECK_OK(tree_groups_init(&groups, MANY, &err));
    tree_groups_add(&groups, &part, 0, MANY, 0, &last);
    CHECK_FAILS(tree_groups_end(&groups, MANY, &err), STATUS_INVALID,
                "a group has 10001 rows, where at most 10000 are ranked");
    tree_groups_deinit(&groups);
    free(hashes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_pairs_that_are_swapped),
        cmocka_unit_test(a_group_has_the_bits_that_it_has_alone),
        cmocka_unit_test(pairs_at_random_are_of_the_round_and_the_row),
        cmocka_unit_test(rows_of_one_label_pull_at_nothing),
        cmocka_unit_test(far_scores_have_finite_derivatives),
        cmocka_unit_test(a_group_of_too_many_rows_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
