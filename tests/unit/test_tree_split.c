#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "runtime/learn/trees/growth/tree_split.h"

#define WORDS_MOST 12

static double draw(uint64_t a, uint64_t b)
{
    return random_uniform(11, RANDOM_SIMULATION, a, b);
}

static const struct tree_bounds no_bounds = {-INFINITY, INFINITY};

static struct tree_split_options plain_options(void)
{
    return (struct tree_split_options){
        .lambda = 1, .max_cat_to_onehot = 4, .max_cat_threshold = 64, .has_exact_hessians = true};
}

static float cuts[TREE_BINS_MAX]; /* between 0 and 1, 1 and 2 ... */

/* A node of one column, with some bins empty. */
struct node {
    struct tree_column column;
    struct tree_sums histogram[TREE_BINS_MAX], total;
    struct tree_units units;
};

static struct node made_node(uint64_t number, uint32_t bins, bool is_category)
{
    struct node node = {.column = {.is_category = is_category, .bins = bins, .words = bins - 1},
                        .units = {0x1p-10, 0x1p-12, 0x1p-12, 0}};

    node.column.cuts = cuts;
    for (uint32_t b = 0; b < bins; b++) {
        struct tree_sums *sums = &node.histogram[b];
        const bool is_empty = draw(number, 10 * b) < 0.25;

        sums->hessian = is_empty ? 0 : 1 + (int64_t)(draw(number, 10 * b + 1) * 0x1p14);
        sums->gradient = is_empty ? 0 : (int64_t)((draw(number, 10 * b + 2) - 0.5) * 0x1p13);
        node.total.gradient += sums->gradient;
        node.total.hessian += sums->hessian;
    }
    return node;
}

static struct tree_split best_of(const struct node *node, const struct tree_split_options *options,
                                 struct tree_bounds bounds)
{
    struct tree_split best = {0};

    tree_split_find(&node->column, 0, node->histogram, node->total, node->units, options, bounds,
                    NULL, &best);
    return best;
}

/* ---- the same by the header's formulas ---- */

/* -2 times the least that a leaf's loss can be: it is convex, and least at one of few values. */
static double slow_score(double g, double h, double lambda, const struct tree_split_options *o,
                         struct tree_bounds bounds, double *value)
{
    const double rest = fmax(fabs(g) - o->alpha, 0);
    double w = -copysign(rest, g) / (h + lambda);

    if (o->max_delta_step > 0)
        w = fmin(fmax(w, -o->max_delta_step), o->max_delta_step);
    w = fmin(fmax(w, bounds.least), bounds.most);
    *value = w;
    return -2 * (g * w + (h + lambda) * w * w / 2 + o->alpha * fabs(w));
}

/* Noise of gradients that were rounded, and hessians that were not. */
static double slow_noise(const struct node *node, double lambda)
{
    const double rows = (double)node->total.hessian * node->units.rows_of_hessian;

    return 8 * node->units.gradient * node->units.gradient * rows /
           ((double)node->total.hessian * node->units.hessian + lambda);
}

static double slow_gain(const struct node *node, const uint8_t *goes_left, double l2,
                        const struct tree_split_options *o, struct tree_bounds bounds)
{
    double g[2] = {0}, h[2] = {0}, values[3], gain = 0;
    bool is_of_missing = node->histogram[node->column.bins - 1].hessian == 0;

    for (uint32_t b = 0; b < node->column.bins; b++) {
        is_of_missing = is_of_missing &&
                        (b == 0 || node->histogram[b].hessian == 0 || goes_left[b] != goes_left[0]);
        g[goes_left[b]] += (double)node->histogram[b].gradient * node->units.gradient;
        h[goes_left[b]] += (double)node->histogram[b].hessian * node->units.hessian;
    }
    for (int side = 0; side < 2; side++) {
        if (h[side] <= 0 || h[side] < o->min_child_weight ||
            floor(h[side] / node->units.hessian * node->units.rows_of_hessian + 0.5) < o->min_rows)
            return -1;
        gain += slow_score(g[side], h[side], o->lambda + l2, o, bounds, &values[side]);
    }
    if (o->directions && o->directions[0] * (values[0] - values[1]) < 0 && !is_of_missing)
        return -1;
    gain -= slow_score(g[0] + g[1], h[0] + h[1], o->lambda, o, bounds, &values[2]);
    return gain >= o->gamma && gain > slow_noise(node, o->lambda + l2) ? gain : -1;
}

static double slow_threshold(const struct node *node, const struct tree_split_options *o,
                             struct tree_bounds bounds)
{
    double best = 0;

    for (uint32_t bin = 1; bin + 1 < node->column.bins; bin++)
        for (uint8_t missing_left = 0; missing_left < 2; missing_left++) {
            uint8_t goes_left[TREE_BINS_MAX] = {missing_left};

            for (uint32_t b = 1; b < node->column.bins; b++)
                goes_left[b] = b <= bin;
            best = fmax(best, slow_gain(node, goes_left, 0, o, bounds));
        }
    return best;
}

/* Over all sets of so few words on one side. */
static double slow_set(const struct node *node, uint32_t most, double l2,
                       const struct tree_split_options *o, struct tree_bounds bounds)
{
    const uint32_t words = node->column.bins - 1;
    double best = 0;

    for (uint32_t set = 0; set < (uint32_t)1 << words; set++)
        for (uint8_t missing_left = 0; missing_left < 2; missing_left++) {
            uint8_t goes_left[TREE_BINS_MAX] = {missing_left};

            if ((uint32_t)__builtin_popcount(set) > most)
                continue;
            for (uint32_t b = 1; b <= words; b++)
                goes_left[b] = set >> (b - 1) & 1;
            best = fmax(best, slow_gain(node, goes_left, l2, o, bounds));
        }
    return best;
}

/* Checks that the split's own numbers are right. */
static void check_split(const struct node *node, const struct tree_split *split, double l2,
                        const struct tree_split_options *o, struct tree_bounds bounds)
{
    uint8_t goes_left[TREE_BINS_MAX] = {0};
    struct tree_sums left = {0, 0};

    if (split->gain == 0)
        return;
    for (uint32_t b = 0; b < node->column.bins; b++) {
        goes_left[b] = tree_split_goes_left(split, NULL, (uint8_t)b);
        left.gradient += goes_left[b] ? node->histogram[b].gradient : 0;
        left.hessian += goes_left[b] ? node->histogram[b].hessian : 0;
    }
    CHECK(split->by_set == node->column.is_category && !(split->set[0] & 1));
    CHECK_INT(split->left.gradient, left.gradient);
    CHECK_INT(split->left.hessian, left.hessian);
    CHECK_INT(split->right.gradient, node->total.gradient - left.gradient);
    CHECK_INT(split->right.hessian, node->total.hessian - left.hessian);
    CHECK(fabs(split->gain - slow_gain(node, goes_left, l2, o, bounds)) < 1e-9);
    if (node->histogram[0].hessian == 0)
        CHECK(!split->missing_left);
}

/* Options of a split, all together in turns. */
static struct tree_split_options drawn_options(uint64_t number, const int8_t *direction,
                                               struct tree_bounds *bounds)
{
    struct tree_split_options o = plain_options();

    o.lambda = number % 3;
    o.alpha = number % 4 == 1 ? 0.3 : 0;
    o.max_delta_step = number % 5 == 2 ? 0.2 : 0;
    o.min_child_weight = number % 6 == 3 ? 2.5 : 0;
    o.min_rows = number % 7 == 4 ? 7 : 0;
    o.gamma = number % 8 == 5 ? 0.6 : 0;
    o.directions = number % 9 >= 7 ? direction : NULL;
    if (number % 11 == 5)
        *bounds = (struct tree_bounds){-0.1, 0.25};
    return o;
}

static void the_best_threshold_is_that_of_all(void **state)
{
    uint32_t with_missing = 0, found = 0;
    (void)state;

    for (uint64_t i = 0; i < 4000; i++) {
        const struct node node = made_node(i, 2 + (uint32_t)(draw(i, 5000) * 20), false);
        const int8_t direction = i % 2 ? 1 : -1;
        struct tree_bounds bounds = no_bounds;
        const struct tree_split_options o = drawn_options(i, &direction, &bounds);
        const struct tree_split best = best_of(&node, &o, bounds);

        CHECK(fabs(best.gain - slow_threshold(&node, &o, bounds)) < 1e-9);
        CHECK(best.gain == 0 || (best.bin >= 1 && best.bin + 2u <= node.column.bins));
        check_split(&node, &best, 0, &o, bounds);
        with_missing += best.missing_left;
        found += best.gain > 0;
    }
    CHECK(with_missing > 500 && found > 2000);
}

static void the_best_word_is_that_of_all(void **state)
{
    (void)state;

    for (uint64_t i = 0; i < 2000; i++) {
        const struct node node = made_node(i, 1 + (uint32_t)(draw(i, 5000) * WORDS_MOST), true);
        struct tree_bounds bounds = no_bounds;
        struct tree_split_options o = drawn_options(i, NULL, &bounds);
        struct tree_split best;

        o.directions = NULL;
        o.max_cat_to_onehot = WORDS_MOST;
        o.cat_l2 = 3; /* where words are sorted alone */
        best = best_of(&node, &o, bounds);
        CHECK(fabs(best.gain - slow_set(&node, 1, 0, &o, bounds)) < 1e-9);
        check_split(&node, &best, 0, &o, bounds);
    }
}

/* Without penalties the best of all sets is one of those in order. */
static void the_best_set_is_that_of_all(void **state)
{
    uint32_t of_many = 0;
    (void)state;

    for (uint64_t i = 0; i < 300; i++) {
        const struct node node = made_node(i, 1 + (uint32_t)(draw(i, 5000) * WORDS_MOST), true);
        struct tree_split_options o = plain_options();
        struct tree_split best;

        o.lambda = 0;
        o.max_cat_to_onehot = 1;
        best = best_of(&node, &o, no_bounds);
        CHECK(fabs(best.gain - slow_set(&node, WORDS_MOST, 0, &o, no_bounds)) < 1e-9);
        check_split(&node, &best, 0, &o, no_bounds);
        of_many += __builtin_popcountll(best.set[0]) > 1;
    }
    CHECK(of_many > 50);
}

/* Sets in order: smoothed ranks, a penalty of their own, and few words on the smaller side. */
static void sets_are_as_small_as_the_statement_wants(void **state)
{
    (void)state;

    for (uint64_t i = 0; i < 300; i++) {
        const struct node node = made_node(i, 40, true);
        struct tree_bounds bounds = no_bounds;
        struct tree_split_options o = drawn_options(i, NULL, &bounds);
        struct tree_split best, few;
        uint32_t words = 0;

        o.directions = NULL;
        o.cat_l2 = 2;
        o.cat_smooth = 4;
        best = best_of(&node, &o, bounds);
        check_split(&node, &best, 2, &o, bounds);
        o.max_cat_threshold = 1 + (uint32_t)(i % 5);
        few = best_of(&node, &o, bounds);
        check_split(&node, &few, 2, &o, bounds);
        CHECK(few.gain <= best.gain);
        for (uint32_t b = 1; b < node.column.bins; b++)
            words += tree_split_goes_left(&few, NULL, (uint8_t)b);
        CHECK(words <= o.max_cat_threshold);
        if (few.gain < best.gain)
            CHECK(best.gain > 0);
    }
}

static void few_words_are_on_the_side_that_is_ranked_highest_too(void **state)
{
    struct node node = {.column = {.is_category = true, .bins = 9, .words = 8},
                        .units = {1, 1, 1, 0}};
    struct tree_split_options o = plain_options();
    struct tree_split best;
    (void)state;

    for (uint32_t b = 1; b < 9; b++) {
        node.histogram[b] = (struct tree_sums){b == 3 || b == 6 ? 50 : -2 - (int64_t)b % 2, 10};
        node.total.gradient += node.histogram[b].gradient;
        node.total.hessian += node.histogram[b].hessian;
    }
    o.max_cat_threshold = 2;
    best = best_of(&node, &o, no_bounds);
    CHECK(best.by_set && !best.missing_left);
    CHECK_INT(best.set[0], 1 << 3 | 1 << 6);
    CHECK_INT(best.left.gradient, 100);
}

/* Words 7 and 8 have few rows, and gradients that seem to belong to either side. */
static void words_of_few_rows_are_not_told_apart(void **state)
{
    struct node node = {.column = {.is_category = true, .bins = 10, .words = 9},
                        .units = {1, 1, 1, 0}};
    (void)state;

    for (uint32_t b = 1; b < 10; b++) {
        const int64_t gradient = b < 4 ? -20 : b == 7 ? 3 : b == 8 ? -3 : 20;

        node.histogram[b] = (struct tree_sums){gradient, b == 7 || b == 8 ? 1 : 20};
        node.total.gradient += gradient;
        node.total.hessian += node.histogram[b].hessian;
    }
    for (int limit = 0; limit < 3; limit++) {
        struct tree_split_options o = plain_options();
        struct tree_split best;

        o.min_child_weight = limit == 1 ? 2 : 0;
        o.cat_smooth = limit == 2 ? 2 : 0;
        best = best_of(&node, &o, no_bounds);
        CHECK(tree_split_goes_left(&best, NULL, 1) != tree_split_goes_left(&best, NULL, 4));
        CHECK((tree_split_goes_left(&best, NULL, 7) != tree_split_goes_left(&best, NULL, 8)) ==
              (limit == 0));
    }
}

static void splits_that_are_found_have_the_same_bytes(void **state)
{
    const struct tree_split_options o = plain_options();
    (void)state;

    for (uint64_t i = 0; i < 100; i++) {
        const struct node node = made_node(i, 20, i % 2);
        struct tree_split zero, other;

        memset(&zero, 0, sizeof zero);
        memset(&other, 0xa5, sizeof other);
        other.gain = 0;
        tree_split_find(&node.column, 0, node.histogram, node.total, node.units, &o, no_bounds,
                        NULL, &zero);
        tree_split_find(&node.column, 0, node.histogram, node.total, node.units, &o, no_bounds,
                        NULL, &other);
        CHECK(zero.gain == 0 || memcmp(&zero, &other, sizeof zero) == 0);
    }
}

/* ---- which of equal ones ---- */

static void of_equal_splits_the_lowest_is_taken(void **state)
{
    struct node node = {.column = {.bins = 8, .cuts = cuts}, .units = {1, 1, 1, 0}};
    const struct tree_split_options o = plain_options();
    struct tree_split best;
    (void)state;

    /* Bins 3 to 5 are empty, and so is that of missing values: the middle of cuts 1, 2, 3, 100. */
    cuts[4] = 100;
    node.histogram[2] = (struct tree_sums){-8, 4};
    node.histogram[6] = (struct tree_sums){8, 4};
    node.total = (struct tree_sums){0, 8};
    best = best_of(&node, &o, no_bounds);
    cuts[4] = 4;
    CHECK_INT(best.bin, 4);
    CHECK(!best.missing_left);
    CHECK(best.gain == 2 * 64.0 / 5);
    CHECK_INT(best.left.gradient, -8);
    best = best_of(&node, &o, no_bounds);
    CHECK_INT(best.bin, 3);

    tree_split_find(&node.column, 3, node.histogram, node.total, node.units, &o, no_bounds, NULL,
                    &best);
    CHECK_INT(best.column, 0);
    best.column = 5;
    tree_split_find(&node.column, 3, node.histogram, node.total, node.units, &o, no_bounds, NULL,
                    &best);
    CHECK_INT(best.column, 3);
    best.gain *= 2;
    tree_split_find(&node.column, 1, node.histogram, node.total, node.units, &o, no_bounds, NULL,
                    &best);
    CHECK_INT(best.column, 3);
}

static void values_are_parted_from_missing_ones(void **state)
{
    struct node node = {.column = {.bins = 6, .cuts = cuts}, .units = {1, 1, 1, 0}};
    const struct tree_split_options o = plain_options();
    struct tree_split best;
    (void)state;

    node.histogram[0] = (struct tree_sums){-8, 4};
    node.histogram[1] = (struct tree_sums){8, 4};
    node.total = (struct tree_sums){0, 8};
    best = best_of(&node, &o, no_bounds);
    CHECK_INT(best.bin, 4); /* whatever values there are */
    CHECK(!best.missing_left);
    node.column = (struct tree_column){.is_category = true, .bins = 3};
    best = best_of(&node, &o, no_bounds);
    CHECK(best.by_set);
    CHECK_INT(best.set[0], 1 << 1);
    CHECK(!best.missing_left);
    CHECK_INT(best.left.gradient, 8);
}

/* Words in order, too: no word is on the smaller side. */
static void words_are_parted_from_missing_ones(void **state)
{
    struct node node = {.column = {.is_category = true, .bins = 7}, .units = {1, 1, 1, 0}};
    const struct tree_split_options o = plain_options();
    struct tree_split best;
    (void)state;

    node.histogram[0] = (struct tree_sums){-48, 24};
    for (uint32_t b = 1; b < 7; b++)
        node.histogram[b] = (struct tree_sums){8, 4};
    node.total = (struct tree_sums){0, 48};
    best = best_of(&node, &o, no_bounds);
    CHECK(best.by_set && best.missing_left);
    CHECK_INT(best.set[0], 0);
    CHECK_INT(best.left.gradient, -48);
    CHECK_INT(best.right.hessian, 24);
}

static void a_node_without_a_difference_is_not_split(void **state)
{
    struct node node = {.column = {.bins = 200, .cuts = cuts},
                        .units = {0x1.921fb6p-13, 0x1.5bf0a8p-9, 1, 0}};
    struct tree_split_options o = plain_options();
    (void)state;

    o.lambda = 0;
    for (uint32_t b = 0; b < 200; b++) {
        node.histogram[b] = (struct tree_sums){-3 * (int64_t)(b + 7), 5 * (int64_t)(b + 7)};
        node.total.gradient += node.histogram[b].gradient;
        node.total.hessian += node.histogram[b].hessian;
    }
    CHECK(best_of(&node, &o, no_bounds).gain == 0);
    node.histogram[9].gradient += 10; /* rounding so many rows can make as much */
    node.total.gradient += 10;
    CHECK(best_of(&node, &o, no_bounds).gain == 0);
    node.histogram[9].gradient += 90;
    node.total.gradient += 90;
    CHECK(best_of(&node, &o, no_bounds).gain > 0);
}

/* Rows of a hessian of .7, rounded down by chance in each of two bins: their true sum is the limit.
 */
static void a_rounded_hessian_reaches_what_it_may_stand_for(void **state)
{
    struct node node = {.column = {.bins = 5, .cuts = cuts}, .units = {1, 0.01, 1. / 70, 0}};
    struct tree_split_options o = plain_options();
    (void)state;

    for (uint32_t b = 1; b < 3; b++) {
        node.histogram[b] = (struct tree_sums){b == 1 ? -1000 : 1000, 139}; /* two rows of .7 */
        node.total.gradient += node.histogram[b].gradient;
        node.total.hessian += node.histogram[b].hessian;
    }
    o.min_child_weight = 1.4;
    CHECK(best_of(&node, &o, no_bounds).gain == 0);
    o.has_exact_hessians = false;
    CHECK(best_of(&node, &o, no_bounds).gain > 0);
    o.min_child_weight = 1.5;
    CHECK(best_of(&node, &o, no_bounds).gain == 0);
}

static void a_column_of_one_bin_has_no_split(void **state)
{
    struct node node = {.column = {.bins = 1}, .units = {1, 1, 1, 0}};
    struct tree_split_options o = plain_options();
    (void)state;

    node.histogram[0] = node.total = (struct tree_sums){5, 5};
    CHECK(best_of(&node, &o, no_bounds).gain == 0);
    node.column.is_category = true;
    CHECK(best_of(&node, &o, no_bounds).gain == 0);
    o.max_cat_to_onehot = 0;
    CHECK(best_of(&node, &o, no_bounds).gain == 0);
}

/* Sums of 2^32 rows of 2^30 each. */
static void sums_of_any_number_of_rows_are_exact(void **state)
{
    struct node node = {.column = {.bins = 257 - 1, .cuts = cuts},
                        .units = {0x1p-30, 0x1p-30, 0x1p-30, 0}};
    const int64_t a_bin = ((int64_t)1 << 62) / 256;
    const struct tree_split_options o = plain_options();
    struct tree_split best;
    (void)state;

    for (uint32_t b = 0; b < 256; b++)
        node.histogram[b] = (struct tree_sums){b < 100 ? -a_bin + 1 : a_bin - (b > 200), a_bin};
    for (uint32_t b = 0; b < 256; b++) {
        node.total.gradient += node.histogram[b].gradient;
        node.total.hessian += node.histogram[b].hessian;
    }
    best = best_of(&node, &o, no_bounds);
    CHECK_INT(best.bin, 99);
    CHECK(best.missing_left);
    CHECK_INT(best.left.gradient, 100 * (1 - a_bin));
    CHECK_INT(best.left.hessian, 100 * a_bin);
    CHECK_INT(best.right.gradient, 156 * a_bin - 55);
    check_split(&node, &best, 0, &o, no_bounds);
}

/* ---- constraints ---- */

static void bounds_keep_what_is_below_in_order(void **state)
{
    const int8_t directions[] = {1, -1, 0};
    const struct tree_units units = {0.5, 0.25, 1, 0};
    struct tree_split_options o = plain_options();
    struct tree_split split = {.left = {6, 8}, .right = {-20, 12}};
    const double of_left = -3.0 / 3, of_right = 10.0 / 4, middle = (of_left + of_right) / 2;
    struct tree_bounds left, right;
    (void)state;

    o.directions = directions;
    tree_split_bounds(&split, units, &o, no_bounds, &left, &right);
    CHECK(left.least == -INFINITY && left.most == middle);
    CHECK(right.least == middle && right.most == INFINITY);

    split.column = 1;
    split.right.gradient = 40;
    tree_split_bounds(&split, units, &o, (struct tree_bounds){-4, 2}, &left, &right);
    CHECK(left.least == (of_left - 4) / 2 && left.most == 2);
    CHECK(right.least == -4 && right.most == (of_left - 4) / 2);

    /* In the wrong order: one side has missing values alone. */
    split.column = 0;
    tree_split_bounds(&split, units, &o, (struct tree_bounds){-7, 2}, &left, &right);
    CHECK(left.least == -7 && left.most == 2 && right.least == -7 && right.most == 2);

    split.column = 2;
    tree_split_bounds(&split, units, &o, (struct tree_bounds){-7, 2}, &left, &right);
    CHECK(left.least == -7 && left.most == 2 && right.least == -7 && right.most == 2);
    o.directions = NULL;
    split.column = 0;
    tree_split_bounds(&split, units, &o, no_bounds, &left, &right);
    CHECK(left.most == INFINITY && right.least == -INFINITY);
}

static void a_leaf_has_the_value_of_least_loss(void **state)
{
    struct tree_split_options o = plain_options();
    const double none = tree_leaf_value(0, 5, &o, false, no_bounds);
    (void)state;

    CHECK(tree_leaf_value(-6, 2, &o, false, no_bounds) == 2);
    CHECK(none == 0 && !signbit(none));
    CHECK(tree_leaf_value(-6, 0, &o, false, no_bounds) == 0);
    CHECK(tree_leaf_value(-6, 2, &o, false, (struct tree_bounds){-1, 1.5}) == 1.5);
    CHECK(tree_leaf_value(6, 2, &o, false, (struct tree_bounds){-1, 1.5}) == -1);
    o.alpha = 3;
    CHECK(tree_leaf_value(-6, 2, &o, false, no_bounds) == 1);
    CHECK(tree_leaf_value(6, 2, &o, false, no_bounds) == -1);
    CHECK(tree_leaf_value(-2, 2, &o, false, no_bounds) == 0);
    o.max_delta_step = 0.5;
    CHECK(tree_leaf_value(-6, 2, &o, false, no_bounds) == 0.5);
    CHECK(tree_leaf_value(6, 2, &o, false, no_bounds) == -0.5);
    CHECK(tree_leaf_value(6, 2, &o, false, (struct tree_bounds){1, 2}) == 1);
    CHECK(tree_leaf_value(-6, 2, &o, false, (struct tree_bounds){1, 2}) == 1);
    CHECK(tree_leaf_value(-6, 2, &o, false, (struct tree_bounds){-2, -1}) == -1);
}

/* ---- columns ---- */

static uint32_t count_of(const uint8_t *allowed, uint32_t count)
{
    uint32_t sum = 0;

    for (uint32_t c = 0; c < count; c++) {
        CHECK(allowed[c] <= 1);
        sum += allowed[c];
    }
    return sum;
}

static void so_many_columns_are_drawn_as_the_share_says(void **state)
{
    enum { COLUMNS = 30, DRAWS = 3000 };
    uint8_t from[COLUMNS], allowed[COLUMNS], again[COLUMNS];
    uint32_t times[COLUMNS] = {0};
    (void)state;

    for (uint32_t c = 0; c < COLUMNS; c++)
        from[c] = c % 3 != 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        tree_columns_draw(from, COLUMNS, 0.37, 4, RANDOM_NODE_COLUMNS, i, allowed);
        CHECK_INT(count_of(allowed, COLUMNS), 7); /* 7 of 20: 7.4 are wanted */
        for (uint32_t c = 0; c < COLUMNS; c++) {
            CHECK(allowed[c] <= from[c]);
            times[c] += allowed[c];
        }
    }
    for (uint32_t c = 0; c < COLUMNS; c++)
        if (from[c]) /* 7 / 20 of 3000: 1050, and five deviations of 26 */
            CHECK(times[c] > 1050 - 130 && times[c] < 1050 + 130);
    memcpy(again, from, sizeof again);
    tree_columns_draw(again, COLUMNS, 0.37, 4, RANDOM_NODE_COLUMNS, DRAWS - 1, again);
    CHECK(memcmp(again, allowed, COLUMNS) == 0);
    tree_columns_draw(from, COLUMNS, 0.37, 4, RANDOM_TREE_COLUMNS, DRAWS - 1, again);
    CHECK(memcmp(again, allowed, COLUMNS) != 0);
    tree_columns_draw(from, COLUMNS, 0.37, 5, RANDOM_NODE_COLUMNS, DRAWS - 1, again);
    CHECK(memcmp(again, allowed, COLUMNS) != 0);
}

static void one_column_is_drawn_at_least_and_all_at_most(void **state)
{
    const uint8_t from[] = {0, 1, 1, 0, 1}, none[5] = {0};
    uint8_t allowed[5];
    (void)state;

    tree_columns_draw(from, 5, 0.001, 4, RANDOM_LEVEL_COLUMNS, 0, allowed);
    CHECK_INT(count_of(allowed, 5), 1);
    tree_columns_draw(from, 5, 1, 4, RANDOM_LEVEL_COLUMNS, 0, allowed);
    CHECK(memcmp(allowed, from, 5) == 0);
    tree_columns_draw(none, 5, 0.5, 4, RANDOM_LEVEL_COLUMNS, 0, allowed);
    CHECK(memcmp(allowed, none, 5) == 0);
}

/* Each side of a set in order has rows enough, as their hessians tell; and leaves of such splits
 * have the penalty that their gain was measured with. */
static void sets_have_rows_enough(void **state)
{
    uint32_t found = 0;
    (void)state;

    for (uint64_t i = 0; i < 300; i++) {
        const struct node node = made_node(i, 40, true);
        struct tree_split_options o = plain_options();
        struct tree_split best;
        double rows[2] = {0};

        o.min_group_rows = 30;
        o.cat_l2 = 2;
        best = best_of(&node, &o, no_bounds);
        if (best.gain == 0)
            continue;
        found++;
        check_split(&node, &best, 2, &o, no_bounds);
        for (uint32_t b = 0; b < node.column.bins; b++)
            rows[tree_split_goes_left(&best, NULL, (uint8_t)b)] +=
                (double)node.histogram[b].hessian * node.units.rows_of_hessian;
        CHECK(best.set[0] == 0 || (rows[0] >= 29 && rows[1] >= 29));
        CHECK(tree_split_is_by_order(&node.column, &o));
        CHECK(tree_leaf_value(-6, 2, &o, true, no_bounds) == 6.0 / 5);
    }
    CHECK(found > 20);
}

/* ---- wide columns ---- */

#define WIDE_MOST 5000

struct wide_node {
    struct tree_column column;
    struct tree_sums histogram[WIDE_MOST], total;
};

/* Sums of few different values, so that ranks are equal, too. */
static void make_wide(struct wide_node *node, uint64_t number, uint32_t bins)
{
    *node = (struct wide_node){
        .column = {.is_category = true, .bins = bins, .words = bins - 1},
    };
    for (uint32_t b = 0; b < bins; b++) {
        struct tree_sums *sums = &node->histogram[b];

        if (draw(number, 10 * b) < 0.25)
            continue;
        sums->hessian = 4096 * (1 + (int64_t)(draw(number, 10 * b + 1) * 20));
        sums->gradient = 100 * (int64_t)((draw(number, 10 * b + 2) - 0.5) * 200);
        node->total.gradient += sums->gradient;
        node->total.hessian += sums->hessian;
    }
}

struct slow_word {
    double rank;
    uint16_t bin;
};

static int compare_words(const void *a, const void *b)
{
    const struct slow_word *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->bin > y->bin) - (x->bin < y->bin);
}

/* All words sorted, as the header says. */
static uint32_t sort_words(const struct wide_node *node, const struct tree_split_options *o,
                           struct tree_units units, struct slow_word *words)
{
    uint32_t count = 0;

    for (uint32_t b = 1; b < node->column.bins; b++) {
        const double h = (double)node->histogram[b].hessian * units.hessian;

        if (h == 0 || h + 0.5 < o->cat_smooth)
            continue;
        words[count++] = (struct slow_word){
            h < o->min_child_weight ? 0
                                    : (double)node->histogram[b].gradient * units.gradient /
                                          (h + (o->cat_smooth > 0 ? o->cat_smooth : o->lambda)),
            (uint16_t)b};
    }
    qsort(words, count, sizeof *words, compare_words);
    return count;
}

static double score_of(double g, double h, double lambda)
{
    return h > 0 ? g * g / (h + lambda) : 0;
}

/* The best of the sets of one end of the order, with and without missing values. */
static double slow_end(const struct wide_node *node, const struct tree_split_options *o,
                       struct tree_units units, const struct slow_word *words, uint32_t count,
                       bool is_last, uint32_t longest)
{
    const double l2 = o->lambda + o->cat_l2, all_g = (double)node->total.gradient * units.gradient,
                 all_h = (double)node->total.hessian * units.hessian;
    const double missing_g = (double)node->histogram[0].gradient * units.gradient,
                 missing_h = (double)node->histogram[0].hessian * units.hessian;
    const uint32_t half = is_last ? count / 2 : count - count / 2;
    const uint32_t most = o->max_cat_threshold < longest ? o->max_cat_threshold : longest;
    double g = 0, h = 0, added = 0, best = 0;

    for (uint32_t i = 0; i < half && i < most; i++) {
        const struct tree_sums *word = &node->histogram[words[is_last ? count - 1 - i : i].bin];

        g += (double)word->gradient * units.gradient;
        h += (double)word->hessian * units.hessian;
        added += (double)word->hessian * units.hessian;
        if (added + 0.5 < o->min_group_rows)
            continue;
        if (all_h - missing_h - h + 0.5 < o->min_group_rows)
            break;
        added = 0;
        for (int with = 0; with < 2; with++) {
            const double left_g = g + with * missing_g, left_h = h + with * missing_h;

            if (left_h >= o->min_child_weight && all_h - left_h >= o->min_child_weight)
                best = fmax(best, score_of(left_g, left_h, l2) +
                                      score_of(all_g - left_g, all_h - left_h, l2) -
                                      score_of(all_g, all_h, o->lambda));
        }
    }
    return best;
}

static void check_wide(const struct wide_node *node, const struct tree_split_options *o)
{
    static struct slow_word words[WIDE_MOST];
    const struct tree_units units = {0x1p-10, 0x1p-12, 0x1p-12, 0};
    const uint32_t count = sort_words(node, o, units, words);
    const double best = fmax(slow_end(node, o, units, words, count, false, 64),
                             slow_end(node, o, units, words, count, true, 64));
    struct tree_split split = {0};
    struct tree_sums left = {0, 0};
    uint32_t lefts = 0;

    tree_split_find(&node->column, 0, node->histogram, node->total, units, o, no_bounds, NULL,
                    &split);
    CHECK(split.gain >= best - 1e-9); /* or missing values alone */
    CHECK(split.bin == 0 || fabs(split.gain - best) < 1e-9);
    CHECK(split.gain == 0 || (split.by_set && split.has_list));
    for (uint32_t b = 0; b < node->column.bins; b++)
        if (tree_split_goes_left(&split, NULL, (uint16_t)b)) {
            left.gradient += node->histogram[b].gradient;
            left.hessian += node->histogram[b].hessian;
            lefts += b > 0;
        }
    CHECK(split.left.gradient == left.gradient && split.left.hessian == left.hessian);
    CHECK_INT(lefts, split.bin);
    for (uint32_t i = split.bin; i < TREE_LIST_WORDS; i++)
        CHECK_INT(split.list[i], 0);         /* equal splits have equal bytes */
    for (uint32_t i = 0; i < split.bin; i++) /* the first of equal ranks, or the last ones */
        CHECK(split.list[i] == words[i].bin || split.list[i] == words[count - 1 - i].bin);
}

static void thousands_of_words_are_parted_in_order(void **state)
{
    struct wide_node *node = malloc(sizeof *node);
    (void)state;

    assert_non_null(node);
    for (uint64_t i = 0; i < 400; i++) {
        struct tree_split_options o = plain_options();

        o.lambda = (double)(i % 3);
        o.cat_smooth = i % 4 == 1 ? 6 : 0;
        o.cat_l2 = i % 5 == 2 ? 10 : 0;
        o.min_group_rows = i % 6 == 3 ? 100 : 0;
        o.min_child_weight = i % 7 == 4 ? 3 : 0;
        o.max_cat_threshold = i % 8 == 5 ? 256 : i % 8 == 6 ? 7 : 32;
        make_wide(node, i, i % 10 == 9 ? WIDE_MOST : 257 + (uint32_t)(draw(i, 5000) * 700));
        check_wide(node, &o);
    }
    free(node);
}

/* ---- long sets ---- */

/* Do scores of the words, each alone, exceed those of words that tell nothing? */
static bool words_differ(const struct wide_node *node, const struct tree_split_options *o,
                         struct tree_units units, const struct slow_word *words, uint32_t count)
{
    double scores = 0;

    for (uint32_t i = 0; i < count; i++)
        scores += score_of((double)node->histogram[words[i].bin].gradient * units.gradient,
                           (double)node->histogram[words[i].bin].hessian * units.hessian, 0);
    return scores - score_of((double)node->total.gradient * units.gradient,
                             (double)node->total.hessian * units.hessian, o->lambda) >
           units.dispersion * (count + 2 * sqrt(2. * count));
}

/* The greatest gain of any first or last words of the order. */
static double slow_long(const struct wide_node *node, const struct tree_split_options *o,
                        struct tree_units units, const struct slow_word *words, uint32_t count)
{
    double best = 0;

    for (int is_last = 0; is_last < 2; is_last++) {
        struct tree_split_options all = *o;

        all.max_cat_threshold = count;
        best = fmax(best, slow_end(node, &all, units, words, count, is_last, count));
    }
    return best;
}

static struct tree_sums sums_of_list(const struct wide_node *node, const struct tree_split *split,
                                     const uint16_t *words)
{
    struct tree_sums left = split->missing_left ? node->histogram[0] : (struct tree_sums){0, 0};

    for (uint32_t i = 0; i < tree_split_list_length(split); i++) {
        const struct tree_sums word = node->histogram[tree_split_list(split, words)[i]];

        left.gradient += word.gradient;
        left.hessian += word.hessian;
    }
    return left;
}

/* Half of what the words score each. */
static double dispersion_of(const struct wide_node *node)
{
    double squares = 0, count = 0;

    for (uint32_t b = 1; b < node->column.bins; b++) {
        const double gradient = (double)node->histogram[b].gradient * 0x1p-10;

        if (node->histogram[b].hessian == 0)
            continue;
        squares += gradient * gradient / ((double)node->histogram[b].hessian * 0x1p-12);
        count++;
    }
    return squares / count / 2;
}

static bool check_long(const struct wide_node *node, const struct tree_split_options *o,
                       double dispersion)
{
    static struct slow_word sorted[WIDE_MOST];
    static struct tree_ranked_word space[WIDE_MOST];
    static uint16_t words[WIDE_MOST];
    const struct tree_units units = {0x1p-10, 0x1p-12, 0x1p-12, dispersion};
    const uint32_t count = sort_words(node, o, units, sorted);
    const double chance = 2 / 3.14159265358979 * count * dispersion;
    const double best = words_differ(node, o, units, sorted, count)
                            ? slow_long(node, o, units, sorted, count) - chance
                            : 0;
    struct tree_split shorter = {0}, split = {0};
    struct tree_sums left;

    tree_split_find(&node->column, 0, node->histogram, node->total, units, o, no_bounds, NULL,
                    &shorter);
    tree_split_find(&node->column, 0, node->histogram, node->total, units, o, no_bounds, space,
                    &split);
    CHECK(fabs(split.gain - fmax(best, shorter.gain)) < 1e-9);
    if (best > shorter.gain + 1e-9)
        CHECK(tree_split_has_long_list(&split));
    if (!tree_split_has_long_list(&split))
        return false;
    CHECK(split.many.count > TREE_LIST_WORDS && split.many.count <= o->max_cat_threshold);
    tree_split_write_list(&node->column, node->histogram, units, o, &split, space, words);
    for (uint32_t i = 0; i < split.many.count; i++)
        CHECK_INT(words[i], sorted[split.many.is_last ? count - 1 - i : i].bin);
    left = sums_of_list(node, &split, words);
    CHECK(left.gradient == split.left.gradient && left.hessian == split.left.hessian);
    return true;
}

static void as_many_words_go_together_as_gain_more_than_chance(void **state)
{
    struct wide_node *node = malloc(sizeof *node);
    uint32_t found = 0;
    (void)state;

    assert_non_null(node);
    for (uint64_t i = 0; i < 200; i++) {
        struct tree_split_options o = plain_options();

        o.lambda = (double)(i % 3);
        o.min_child_weight = i % 7 == 4 ? 3 : 0;
        o.min_group_rows = i % 6 == 3 ? 100 : 0;
        o.max_cat_threshold = TREE_WIDE_BINS_MAX;
        make_wide(node, i, i % 10 == 9 ? WIDE_MOST : 257 + (uint32_t)(draw(i, 5000) * 700));
        found += check_long(node, &o, (double)(i % 4) * dispersion_of(node) / 2);
    }
    CHECK(found > 20 && found < 180);
    free(node);
}

/* Gradients of words are what their rows happen to have. */
static void words_that_tell_nothing_are_not_parted_by_the_thousand(void **state)
{
    struct wide_node *node = calloc(1, sizeof *node);
    struct tree_split_options o = plain_options();
    const struct tree_units free_of_charge = {0x1p-10, 0x1p-12, 0x1p-12, 0};
    struct tree_units units = free_of_charge;
    static struct tree_ranked_word space[WIDE_MOST];
    double squares = 0;
    (void)state;

    assert_non_null(node);
    node->column = (struct tree_column){.is_category = true, .bins = WIDE_MOST, .words = WIDE_MOST};
    o.max_cat_threshold = TREE_WIDE_BINS_MAX;
    for (uint32_t b = 1; b < WIDE_MOST; b++)
        for (uint32_t row = 0; row < 4; row++) { /* a row has 1 or -1 */
            const int64_t gradient = draw(77, 10 * b + row) < 0.5 ? 1024 : -1024;

            node->histogram[b].gradient += gradient;
            node->histogram[b].hessian += 4096;
            node->total.gradient += gradient;
            node->total.hessian += 4096;
            squares += 1;
        }
    units.dispersion = squares / ((double)node->total.hessian * units.hessian);
    for (int is_charged = 0; is_charged < 2; is_charged++) {
        struct tree_split split = {0};

        tree_split_find(&node->column, 0, node->histogram, node->total,
                        is_charged ? units : free_of_charge, &o, no_bounds, space, &split);
        CHECK(tree_split_has_long_list(&split) == !is_charged);
    }
    free(node);
}

/* A column of few words has bits of a set in place of lists. */
static void a_long_set_of_few_words_is_a_set_of_bits(void **state)
{
    struct node node = {.column = {.is_category = true, .bins = 241, .words = 240},
                        .units = {1, 1, 1, 0}};
    struct tree_split_options o = plain_options();
    struct tree_ranked_word space[TREE_BINS_MAX];
    struct tree_split shorter = {0}, split = {0};
    uint32_t lefts = 0;
    (void)state;

    o.max_cat_threshold = TREE_BINS_MAX;
    for (uint32_t b = 1; b < 241; b++) {
        node.histogram[b] = (struct tree_sums){b % 2 ? 1 : -1, 1};
        node.total.gradient += node.histogram[b].gradient;
        node.total.hessian += 1;
    }
    tree_split_find(&node.column, 0, node.histogram, node.total, node.units, &o, no_bounds, NULL,
                    &shorter);
    tree_split_find(&node.column, 0, node.histogram, node.total, node.units, &o, no_bounds, space,
                    &split);
    CHECK(split.gain > shorter.gain && !split.has_list);
    for (uint32_t b = 1; b < 241; b++) {
        lefts += tree_split_goes_left(&split, NULL, (uint16_t)b);
        CHECK(tree_split_goes_left(&split, NULL, (uint16_t)b) ==
              tree_split_goes_left(&split, NULL, (uint16_t)(b % 2 ? 1 : 2)));
    }
    CHECK_INT(lefts, 120);
}

int main(void)
{
    for (uint32_t b = 0; b < TREE_BINS_MAX; b++)
        cuts[b] = (float)b;

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_have_rows_enough),
        cmocka_unit_test(the_best_threshold_is_that_of_all),
        cmocka_unit_test(the_best_word_is_that_of_all),
        cmocka_unit_test(the_best_set_is_that_of_all),
        cmocka_unit_test(sets_are_as_small_as_the_statement_wants),
        cmocka_unit_test(few_words_are_on_the_side_that_is_ranked_highest_too),
        cmocka_unit_test(words_of_few_rows_are_not_told_apart),
        cmocka_unit_test(splits_that_are_found_have_the_same_bytes),
        cmocka_unit_test(of_equal_splits_the_lowest_is_taken),
        cmocka_unit_test(values_are_parted_from_missing_ones),
        cmocka_unit_test(words_are_parted_from_missing_ones),
        cmocka_unit_test(a_node_without_a_difference_is_not_split),
        cmocka_unit_test(a_rounded_hessian_reaches_what_it_may_stand_for),
        cmocka_unit_test(a_column_of_one_bin_has_no_split),
        cmocka_unit_test(sums_of_any_number_of_rows_are_exact),
        cmocka_unit_test(bounds_keep_what_is_below_in_order),
        cmocka_unit_test(a_leaf_has_the_value_of_least_loss),
        cmocka_unit_test(so_many_columns_are_drawn_as_the_share_says),
        cmocka_unit_test(one_column_is_drawn_at_least_and_all_at_most),
        cmocka_unit_test(thousands_of_words_are_parted_in_order),
        cmocka_unit_test(as_many_words_go_together_as_gain_more_than_chance),
        cmocka_unit_test(words_that_tell_nothing_are_not_parted_by_the_thousand),
        cmocka_unit_test(a_long_set_of_few_words_is_a_set_of_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
