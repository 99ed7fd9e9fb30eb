#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/learn/trees/growth/tree_growth.h"

#define COLUMNS 4
#define BINS    12
#define ROWS    600

static const struct tree_constraints free_inputs;

/* Rows of random bins, whose gradients follow from two columns. */
struct table {
    struct tree_column columns[COLUMNS];
    uint32_t offsets[COLUMNS + 1];
    float cuts[BINS];
    struct tree_bins bins;
    uint8_t rows[ROWS][COLUMNS];
    struct tree_sums sums[ROWS];
    uint32_t nodes[ROWS]; /* nodes that the rows have reached */
};

static void table_init(struct table *table, uint64_t seed)
{
    memset(table, 0, sizeof *table);
    for (uint32_t b = 0; b < BINS; b++)
        table->cuts[b] = (float)b;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        table->columns[c] = (struct tree_column){.place = c, .bins = BINS, .cuts = table->cuts};
        table->offsets[c + 1] = table->offsets[c] + BINS;
    }
    table->bins = (struct tree_bins){
        .columns = table->columns, .column_count = COLUMNS, .offsets = table->offsets};
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t c = 0; c < COLUMNS; c++)
            table->rows[row][c] = (uint8_t)(random_bits(seed, RANDOM_SIMULATION, row, c) % BINS);
        table->sums[row].hessian =
            100 + (int64_t)(random_bits(seed, RANDOM_SIMULATION, row, 9) % 9);
        table->sums[row].gradient =
            60 * ((int64_t)table->rows[row][0] - 5) * ((int64_t)table->rows[row][1] - 6) +
            (int64_t)(random_bits(seed, RANDOM_SIMULATION, row, 10) % 200);
    }
}

static void sum_node(const struct table *table, uint32_t node, int64_t *histogram)
{
    memset(histogram, 0, 2 * COLUMNS * BINS * sizeof *histogram);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t c = 0; c < COLUMNS && table->nodes[row] == node; c++) {
            const uint32_t at = 2 * (table->offsets[c] + table->rows[row][c]);

            histogram[at] += table->sums[row].gradient;
            histogram[at + 1] += table->sums[row].hessian;
        }
}

static int64_t count_node(const struct table *table, uint32_t node)
{
    int64_t rows = 0;

    for (uint32_t row = 0; row < ROWS; row++)
        rows += table->nodes[row] == node;
    return rows;
}

/* A hessian stands for as many rows as it has of the sum. */
static struct tree_units units_of(const struct table *table)
{
    int64_t hessians = 0;

    for (uint32_t row = 0; row < ROWS; row++)
        hessians += table->sums[row].hessian;
    return (struct tree_units){.01, .01, ROWS / (double)hessians, 0};
}

static void divide_rows(struct table *table, const struct growing_tree *tree, uint32_t node)
{
    const struct tree_node *of = &tree->nodes[node];

    for (uint32_t row = 0; row < ROWS; row++)
        if (table->nodes[row] == node)
            table->nodes[row] =
                of->left +
                !tree_split_goes_left(&of->split, tree->words, table->rows[row][of->split.column]);
}

static struct trees_params params_of(enum tree_growth growth, uint32_t depth, uint32_t leaves)
{
    return (struct trees_params){.growth = growth,
                                 .max_depth = depth,
                                 .max_leaves = leaves,
                                 .min_child_weight = 1,
                                 .lambda = 1,
                                 .colsample_bytree = 1,
                                 .colsample_bylevel = 1,
                                 .colsample_bynode = 1};
}

/* Grows a tree; in how many phases. */
static uint32_t grow(struct table *table, const struct trees_params *params, uint32_t batch,
                     struct growing_tree *tree)
{
    int64_t *histograms = calloc(2 * COLUMNS * BINS * 64, sizeof *histograms);
    uint32_t phases = 1, divided = 0;
    int64_t rows[64];
    struct error err;

    memset(table->nodes, 0, sizeof table->nodes);
    CHECK_OK(tree_growth_init(tree, &table->bins, &free_inputs, params, 1, batch, &err));
    sum_node(table, 0, histograms);
    CHECK_OK(tree_growth_begin(tree, 3, units_of(table), histograms, NULL, &err));
    CHECK_OK(tree_growth_next(tree, &err));
    for (; tree->batch_count > 0; phases++) {
        CHECK(tree->batch_count <= batch);
        for (; divided < tree->divided_count; divided++)
            divide_rows(table, tree, tree->divided[divided]);
        for (uint32_t i = 0; i < tree->batch_count; i++) {
            const uint32_t summed = tree_growth_summed(tree, tree_growth_batch_node(tree, i));

            sum_node(table, summed, histograms + 2 * (size_t)COLUMNS * BINS * i);
            rows[i] = count_node(table, summed);
        }
        CHECK_OK(tree_growth_take(tree, histograms, rows, NULL, &err));
        CHECK_OK(tree_growth_next(tree, &err));
    }
    for (; divided < tree->divided_count; divided++)
        divide_rows(table, tree, tree->divided[divided]);
    free(histograms);
    return phases;
}

/* Nodes of both trees, from here on: equal splits in equal places. */
static uint32_t count_equal(const struct growing_tree *a, uint32_t at_a,
                            const struct growing_tree *b, uint32_t at_b)
{
    const struct tree_node *first = &a->nodes[at_a], *second = &b->nodes[at_b];

    CHECK_INT(first->is_inner, second->is_inner);
    CHECK(first->sums.gradient == second->sums.gradient);
    CHECK(first->sums.hessian == second->sums.hessian);
    if (!first->is_inner)
        return 1;
    CHECK_INT(first->split.column, second->split.column);
    CHECK_INT(first->split.bin, second->split.bin);
    return 1 + count_equal(a, first->left, b, second->left) +
           count_equal(a, first->left + 1, b, second->left + 1);
}

static void nodes_that_share_a_phase_make_the_tree_of_one_at_a_time(void **state)
{
    static const struct {
        enum tree_growth growth;
        uint32_t depth, leaves;
    } cases[] = {{TREE_LOSSGUIDE, 0, 15}, {TREE_LOSSGUIDE, 4, 40}, {TREE_LOSSGUIDE, 0, 2},
                 {TREE_DEPTHWISE, 5, 0},  {TREE_DEPTHWISE, 4, 11}, {TREE_DEPTHWISE, 1, 0}};
    struct table *table = calloc(1, sizeof *table);
    (void)state;

    for (uint64_t seed = 0; seed < 20; seed++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct trees_params params =
                params_of(cases[i].growth, cases[i].depth, cases[i].leaves);
            struct growing_tree one, many;
            uint32_t phases;

            table_init(table, seed);
            phases = grow(table, &params, 1, &one);
            for (uint32_t batch = 2; batch <= 64; batch *= 2) {
                const uint32_t fewer = grow(table, &params, batch, &many);

                CHECK(fewer <= phases);
                CHECK(batch < 16 || one.leaves < 12 || 3 * fewer < 2 * phases);
                CHECK_INT(many.leaves, one.leaves);
                CHECK_INT(count_equal(&one, 0, &many, 0), 2 * one.leaves - 1);
                tree_growth_deinit(&many);
            }
            CHECK(one.leaves > 1);
            CHECK(cases[i].leaves == 0 || one.leaves <= cases[i].leaves);
            tree_growth_deinit(&one);
        }
    free(table);
}

/* Each leaf's sums are those of its rows, and in leaf-by-leaf order no leaf that could be divided
 * has a greater gain than one that was, unless it came of that one. */
static void leaves_have_the_sums_of_their_rows_and_the_greatest_gains_are_taken(void **state)
{
    struct table *table = calloc(1, sizeof *table);
    (void)state;

    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct trees_params params = params_of(TREE_LOSSGUIDE, 0, 12);
        struct growing_tree tree;

        table_init(table, seed);
        grow(table, &params, 1, &tree);
        for (uint32_t node = 0; node < tree.node_count; node++) {
            struct tree_sums sums = {0, 0};

            if (tree.nodes[node].is_inner)
                continue;
            for (uint32_t row = 0; row < ROWS; row++)
                if (table->nodes[row] == node) {
                    sums.gradient += table->sums[row].gradient;
                    sums.hessian += table->sums[row].hessian;
                }
            CHECK(sums.gradient == tree.nodes[node].sums.gradient);
            CHECK(sums.hessian == tree.nodes[node].sums.hessian);
        }
        for (uint32_t d = 0; d + 1 < tree.divided_count; d++) {
            const struct tree_node *now = &tree.nodes[tree.divided[d]];
            const struct tree_node *next = &tree.nodes[tree.divided[d + 1]];
            const bool is_child =
                tree.divided[d + 1] == now->left || tree.divided[d + 1] == now->left + 1;

            CHECK(is_child || next->split.gain <= now->split.gain);
        }
        tree_growth_deinit(&tree);
    }
    free(table);
}

/* A bit of a histogram changed: each column has other sums than the split promised. */
static void a_histogram_that_is_not_the_nodes_is_refused(void **state)
{
    const struct trees_params params = params_of(TREE_LOSSGUIDE, 0, 12);
    struct table *table = calloc(1, sizeof *table);
    int64_t histogram[2 * COLUMNS * BINS];
    struct growing_tree tree;
    struct error err;
    int64_t rows;
    (void)state;

    table_init(table, 1);
    for (size_t i = 0; i < sizeof histogram / sizeof *histogram; i++) {
        memset(table->nodes, 0, sizeof table->nodes);
        CHECK_OK(tree_growth_init(&tree, &table->bins, &free_inputs, &params, 1, 1, &err));
        sum_node(table, 0, histogram);
        CHECK_OK(tree_growth_begin(&tree, 3, units_of(table), histogram, NULL, &err));
        CHECK_OK(tree_growth_next(&tree, &err));
        divide_rows(table, &tree, 0);
        sum_node(table, tree_growth_summed(&tree, 0), histogram);
        histogram[i] ^= 1 << i % 11;
        rows = count_node(table, tree_growth_summed(&tree, 0));
        CHECK_FAILS(tree_growth_take(&tree, histogram, &rows, NULL, &err), STATUS_CORRUPT,
                    "the rows of a node");
        tree_growth_deinit(&tree);
    }
    free(table);
}

/* Rows are counted, and hessians tell only which part of them lies on a side: a leaf of rows of
 * which the tree is sure already, with small hessians, has as many as any other. */
static void leaves_have_rows_enough_by_count(void **state)
{
    struct trees_params params = params_of(TREE_LOSSGUIDE, 0, 64);
    struct table *table = calloc(1, sizeof *table);
    struct growing_tree tree;
    uint32_t sure = 0;
    (void)state;

    params.min_rows = 40;
    table_init(table, 5);
    for (uint32_t row = 0; row < ROWS; row++)
        if (table->rows[row][0] < 6)
            table->sums[row].hessian = 3;
    grow(table, &params, 4, &tree);
    for (uint32_t node = 0; node < tree.node_count; node++) {
        if (!tree.nodes[node].is_reached || tree.nodes[node].is_inner)
            continue;
        CHECK(count_node(table, node) >= 30);
        sure += tree.nodes[node].sums.hessian < 1000;
    }
    CHECK(sure >= 2); /* by all rows' mean hessian they had six rows each */
    tree_growth_deinit(&tree);
    free(table);
}

static void more_rows_than_the_node_has_are_found(void **state)
{
    const struct trees_params params = params_of(TREE_LOSSGUIDE, 0, 12);
    struct table *table = calloc(1, sizeof *table);
    int64_t histogram[2 * COLUMNS * BINS];
    struct error err;
    (void)state;

    table_init(table, 1);
    for (int is_negative = 0; is_negative < 2; is_negative++) {
        const int64_t rows = is_negative ? -1 : ROWS + 1;
        struct growing_tree tree;

        memset(table->nodes, 0, sizeof table->nodes);
        CHECK_OK(tree_growth_init(&tree, &table->bins, &free_inputs, &params, 1, 1, &err));
        sum_node(table, 0, histogram);
        CHECK_OK(tree_growth_begin(&tree, 3, units_of(table), histogram, NULL, &err));
        CHECK_OK(tree_growth_next(&tree, &err));
        divide_rows(table, &tree, 0);
        sum_node(table, tree_growth_summed(&tree, 0), histogram);
        CHECK_FAILS(tree_growth_take(&tree, histogram, &rows, NULL, &err), STATUS_CORRUPT,
                    "the rows of a node");
        tree_growth_deinit(&tree);
    }
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_share_a_phase_make_the_tree_of_one_at_a_time),
        cmocka_unit_test(leaves_have_the_sums_of_their_rows_and_the_greatest_gains_are_taken),
        cmocka_unit_test(a_histogram_that_is_not_the_nodes_is_refused),
        cmocka_unit_test(leaves_have_rows_enough_by_count),
        cmocka_unit_test(more_rows_than_the_node_has_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
