/* Whole trees grow under constraints, from histograms that are summed row by row here. */
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "runtime/learn/trees/growth/tree_growth.h"

enum { ROWS = 3000, COLUMNS = 6, BINS = 33 };

struct table {
    uint8_t bins[ROWS][COLUMNS]; /* 0: missing */
    int64_t gradients[ROWS];     /* gradients of the label, with hessians of 1 */
};

static double draw(uint64_t a, uint64_t b)
{
    return random_uniform(21, RANDOM_SIMULATION, a, b);
}

/* The label rises with columns 0 and 1 in the large, and by waves falls where it rises. */
static struct table *made_table(void)
{
    struct table *table = malloc(sizeof *table);

    for (uint32_t row = 0; row < ROWS; row++) {
        double label = draw(row, 100);

        for (uint32_t c = 0; c < COLUMNS; c++) {
            const double x = draw(row, c);

            table->bins[row][c] =
                (uint8_t)(draw(row, 50 + c) < 0.1 ? 0 : 1 + (uint32_t)(x * (BINS - 1)));
            label += c < 2 ? 2 * x + sin(20 * x) : c == 2 ? -2 * x : draw(row, 0) * x;
        }
        table->gradients[row] = -(int64_t)(label * 1000);
    }
    return table;
}

static void describe(struct tree_bins *bins, struct tree_column *columns, uint32_t *offsets)
{
    static float cuts[BINS];

    for (uint32_t b = 0; b < BINS; b++)
        cuts[b] = (float)b;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        columns[c] = (struct tree_column){.input = c, .bins = BINS, .cuts = cuts};
        offsets[c] = c * BINS;
    }
    offsets[COLUMNS] = COLUMNS * BINS;
    *bins = (struct tree_bins){.columns = columns, .column_count = COLUMNS, .offsets = offsets};
}

/* The node that a row is in, of those whose rows were divided so far; of the finished tree the
 * leaf. */
static uint32_t node_of(const struct growing_tree *tree, const uint8_t *bins, bool is_finished)
{
    uint32_t at = 0;

    while (is_finished ? tree->nodes[at].is_inner : tree->nodes[at].left > 0) {
        const struct tree_split *split = &tree->nodes[at].split;

        at = tree->nodes[at].left + !tree_split_goes_left(split, NULL, bins[split->column]);
    }
    return at;
}

static void sum_rows(const struct growing_tree *tree, const struct table *table, uint32_t node,
                     struct tree_sums *histogram)
{
    memset(histogram, 0, tree->total_bins * sizeof *histogram);
    for (uint32_t row = 0; row < ROWS; row++) {
        if (node_of(tree, table->bins[row], false) != node)
            continue;
        for (uint32_t c = 0; c < COLUMNS; c++) {
            struct tree_sums *sums = &histogram[c * BINS + table->bins[row][c]];

            sums->gradient += table->gradients[row];
            sums->hessian += 1000;
        }
    }
}

static void grow(struct growing_tree *tree, const struct table *table)
{
    struct tree_sums *histograms = calloc(64 * COLUMNS * BINS, sizeof *histograms);
    const struct tree_units units = {1e-3, 1e-3, 1e-3, 0};
    int64_t rows[64];
    struct error err;

    tree->node_count = 1; /* for sum_rows */
    tree->nodes = calloc(1, sizeof *tree->nodes);
    tree->node_room = 1;
    sum_rows(tree, table, 0, histograms);
    CHECK_OK(tree_growth_begin(tree, 0, units, &histograms->gradient, NULL, &err));
    for (;;) {
        CHECK_OK(tree_growth_next(tree, &err));
        if (tree->batch_count == 0)
            break;
        CHECK(tree->batch_count <= 64);
        for (uint32_t i = 0; i < tree->batch_count; i++) {
            const uint32_t node = tree_growth_batch_node(tree, i);
            const uint32_t summed = tree_growth_summed(tree, node);

            sum_rows(tree, table, summed, histograms + (size_t)i * COLUMNS * BINS);
            rows[i] = tree->nodes[summed].sums.hessian / 1000;
        }
        CHECK_OK(tree_growth_take(tree, &histograms->gradient, rows, NULL, &err));
    }
    free(histograms);
}

static double prediction(const struct growing_tree *tree, const uint8_t *bins)
{
    const uint32_t leaf = node_of(tree, bins, true);
    const struct tree_sums sums = tree->nodes[leaf].sums;

    return tree_growth_value(tree, leaf, (double)sums.gradient * tree->units.gradient,
                             (double)sums.hessian * tree->units.hessian);
}

/* How often the prediction falls, or rises, with one step of the column. */
static void count_steps(const struct growing_tree *tree, const struct table *table, uint32_t column,
                        uint32_t *falls, uint32_t *rises)
{
    *falls = *rises = 0;
    for (uint32_t row = 0; row < ROWS; row += 7) {
        uint8_t bins[COLUMNS];
        double before, value;

        memcpy(bins, table->bins[row], sizeof bins);
        bins[column] = 1;
        before = prediction(tree, bins);
        for (bins[column] = 2; bins[column] < BINS; bins[column]++) {
            value = prediction(tree, bins);
            *falls += value < before;
            *rises += value > before;
            before = value;
        }
    }
}

static void grown_with(const struct input_spec *inputs, const struct trees_params *params,
                       const struct table *table,
                       void (*check)(const struct growing_tree *tree, const struct table *table))
{
    const struct jobspec spec = {.inputs = (struct input_spec *)inputs, .input_count = COLUMNS};
    struct tree_column columns[COLUMNS];
    uint32_t offsets[COLUMNS + 1];
    struct tree_constraints constraints;
    struct growing_tree tree;
    struct tree_bins bins;
    struct error err;

    describe(&bins, columns, offsets);
    CHECK_OK(tree_constraints_init(&constraints, &spec, &bins, &err));
    CHECK_OK(tree_growth_init(&tree, &bins, &constraints, params, 5, 8, &err));
    grow(&tree, table);
    check(&tree, table);
    tree_growth_deinit(&tree);
    tree_constraints_deinit(&constraints);
}

static const struct trees_params ways[] = {
    {.growth = TREE_DEPTHWISE,
     .max_depth = 7,
     .lambda = 1,
     .colsample_bytree = 1,
     .colsample_bylevel = 1,
     .colsample_bynode = 1},
    {.growth = TREE_LOSSGUIDE,
     .max_leaves = 60,
     .lambda = 0,
     .alpha = 2,
     .colsample_bytree = 1,
     .colsample_bylevel = 1,
     .colsample_bynode = 0.5},
    {.growth = TREE_LOSSGUIDE,
     .max_leaves = 60,
     .lambda = 3,
     .max_delta_step = 1.2,
     .colsample_bytree = 1,
     .colsample_bylevel = 1,
     .colsample_bynode = 1},
};

static void check_free(const struct growing_tree *tree, const struct table *table)
{
    uint32_t falls, rises;

    CHECK(tree->leaves > 30);
    count_steps(tree, table, 0, &falls, &rises);
    CHECK(falls > 100 && rises > 100);
}

static void check_monotone(const struct growing_tree *tree, const struct table *table)
{
    uint32_t falls, rises;

    CHECK(tree->leaves > 15);
    count_steps(tree, table, 0, &falls, &rises);
    CHECK(falls == 0 && rises > 100);
    count_steps(tree, table, 1, &falls, &rises);
    CHECK(falls == 0 && rises > 100);
    count_steps(tree, table, 2, &falls, &rises);
    CHECK(falls > 100 && rises == 0);
}

static void predictions_rise_and_fall_as_constraints_say(void **state)
{
    const struct input_spec free_inputs[COLUMNS] = {{.direction = 0}};
    const struct input_spec inputs[COLUMNS] = {
        [0] = {.direction = 1}, [1] = {.direction = 1}, [2] = {.direction = -1}};
    struct table *table = made_table();
    (void)state;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        grown_with(free_inputs, &ways[i], table, check_free);
        grown_with(inputs, &ways[i], table, check_monotone);
    }
    free(table);
}

/* Columns of the splits above a leaf, as bits. */
static void check_groups(const struct growing_tree *tree, const struct table *table)
{
    const uint32_t groups[] = {1 | 2, 2 | 4 | 8, 16, 32}; /* the last two: in none */
    uint32_t of_two = 0;

    CHECK(tree->leaves > 15);
    for (uint32_t row = 0; row < ROWS; row++) {
        uint32_t above = 0, at = 0, fitting = 0;

        while (tree->nodes[at].is_inner) {
            const struct tree_split *split = &tree->nodes[at].split;

            above |= (uint32_t)1 << split->column;
            at = tree->nodes[at].left +
                 !tree_split_goes_left(split, NULL, table->bins[row][split->column]);
        }
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
            fitting += (above & ~groups[g]) == 0;
        CHECK(fitting > 0);
        of_two += (above & (above - 1)) != 0;
    }
    CHECK(of_two > 0);
}

static void ways_to_leaves_keep_to_groups(void **state)
{
    const struct input_spec inputs[COLUMNS] = {
        [0] = {.groups = 1}, [1] = {.groups = 3}, [2] = {.groups = 2}, [3] = {.groups = 2}};
    struct table *table = made_table();
    (void)state;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        grown_with(inputs, &ways[i], table, check_groups);
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_rise_and_fall_as_constraints_say),
        cmocka_unit_test(ways_to_leaves_keep_to_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
