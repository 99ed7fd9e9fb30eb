#include "runtime/learn/trees/growth/tree_split_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vectors.h"
#include "runtime/learn/trees/growth/tree_categories.h"
#include "scoring/numbers/elementary.h"

#define ROUNDING 0x1p-40 /* part of a score: more than double loses of it, less than rows gain */
/* Gradients and hessians are integers that were rounded at random, each by a variance of 1/4 at
 * most. Rows that are all alike gain by a split what the rounding makes, 1/4 times a number of
 * chi-square's distribution with one degree of freedom, which hardly any of so many splits gets
 * above 32. */
#define NOISE 8.0
#define LANES 8 /* maxima side by side */

/* ---- leaves ---- */

static struct penalties penalties_of(const struct tree_split_options *options, double lambda,
                                     struct tree_bounds bounds)
{
    struct penalties penalties = {lambda, options->alpha, bounds.least, bounds.most};

    if (options->max_delta_step > 0) {
        const double step = options->max_delta_step;

        /* The step first, then the bounds, which no step may leave. */
        penalties.least = fmin(fmax(-step, bounds.least), bounds.most);
        penalties.most = fmax(fmin(step, bounds.most), bounds.least);
    }
    return penalties;
}

/* Neither calls nor ways that part, so that loops over many sides become vectors. */

/* G' of the header. */
static inline double shrunk(double gradient, double alpha)
{
    const double above = gradient - alpha, below = gradient + alpha;

    return above > 0 ? above : below < 0 ? below : 0;
}

static inline double value_of(double gradient, double hessian, const struct penalties *penalties)
{
    const double best = 0 - shrunk(gradient, penalties->alpha) / (hessian + penalties->lambda);
    const double value = hessian > 0 ? best : 0;
    const double below = value < penalties->most ? value : penalties->most;

    return below > penalties->least ? below : penalties->least;
}

static inline double score_of(double gradient, double hessian, const struct penalties *penalties)
{
    const double weight = hessian + penalties->lambda;
    const double rest = shrunk(gradient, penalties->alpha);
    const double value = value_of(gradient, hessian, penalties);
    const double of_cut =
        -(2 * gradient * value + weight * value * value) - 2 * penalties->alpha * fabs(value);
    const double score = value == 0 - rest / weight ? rest * rest / weight : of_cut;

    return hessian > 0 ? score : 0;
}

double tree_leaf_value(double gradient, double hessian, const struct tree_split_options *options,
                       bool is_by_order, struct tree_bounds bounds)
{
    const double lambda = options->lambda + (is_by_order ? options->cat_l2 : 0);
    const struct penalties penalties = penalties_of(options, lambda, bounds);

    return value_of(gradient, hessian, &penalties) + 0.0; /* no -0 */
}

static double value_of_sums(struct tree_sums sums, struct tree_units units,
                            const struct tree_split_options *options, struct tree_bounds bounds)
{
    return tree_leaf_value((double)sums.gradient * units.gradient,
                           (double)sums.hessian * units.hessian, options, false, bounds);
}

void tree_split_bounds(const struct tree_split *split, struct tree_units units,
                       const struct tree_split_options *options, struct tree_bounds bounds,
                       struct tree_bounds *left, struct tree_bounds *right)
{
    /* Only missing values may be on the wrong side, of a split from which nothing follows. */
    const int direction = options->directions ? options->directions[split->column] : 0;
    const double of_left = value_of_sums(split->left, units, options, bounds);
    const double of_right = value_of_sums(split->right, units, options, bounds);
    const double middle = (of_left + of_right) / 2;

    *left = *right = bounds;
    if (direction > 0 && of_left <= of_right)
        left->most = right->least = middle;
    if (direction < 0 && of_left >= of_right)
        left->least = right->most = middle;
}

/* ---- gains ---- */

/* Integers, of both sides of each parting. */
struct sides {
    double gradients[TREE_BINS_MAX], hessians[TREE_BINS_MAX];
    double other_gradients[TREE_BINS_MAX], other_hessians[TREE_BINS_MAX];
};

/*
 * The nearest double of any integer, by what vectors of all processors can: its halves are the low
 * bits of 2^84 (with 2^63 added, for the sign) and of 2^52. What is above them is taken off, which
 * is exact, and the sum is rounded once.
 */
static inline double real_of(int64_t integer)
{
    const uint64_t bits = (uint64_t)integer;
    const double high = double_of((bits >> 32) ^ 0x4530000080000000);
    const double low = double_of((bits & UINT32_MAX) | 0x4330000000000000);

    return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
}

WIDE_VECTORS
static void take_sides(const struct partings *restrict partings, struct tree_sums with,
                       struct tree_sums total, struct sides *restrict sides)
{
    const uint32_t count = partings->count;

    for (uint32_t i = 0; i < count; i++) {
        const struct tree_sums side = sum_of(partings->parts[i], with);
        const struct tree_sums other = difference_of(total, side);

        sides->gradients[i] = real_of(side.gradient);
        sides->hessians[i] = real_of(side.hessian);
        sides->other_gradients[i] = real_of(other.gradient);
        sides->other_hessians[i] = real_of(other.hessian);
    }
}

/* May a side have so much? hessian: in integers, which are no less than 0. */
static inline bool is_enough(double hessian, const struct rules *rules)
{
    return (hessian > 0) & (hessian * rules->hessian_most >= rules->min_child_weight) &
           (hessian * rules->units.rows_of_hessian + 0.5 >= rules->min_rows);
}

/* The gain of both sides over both in one; 0: there is none. */
static inline double gain_of(double score, const struct rules *rules, bool may_be)
{
    const double gain = score - rules->parent;

    return may_be & (gain > fabs(score) * ROUNDING) & (gain > rules->noise) ? gain : 0;
}

/* With rules of its own, which no gain that is written can change. */
WIDE_VECTORS
static void gain_plainly(const struct sides *restrict sides, uint32_t count,
                         const struct rules *restrict rules, double *restrict gains)
{
    const struct rules own = *rules;
    const struct tree_units units = own.units;
    const double lambda = own.penalties.lambda;

    for (uint32_t i = 0; i < count; i++) {
        const double g = sides->gradients[i] * units.gradient;
        const double other_g = sides->other_gradients[i] * units.gradient;
        const double h = sides->hessians[i] * units.hessian + lambda;
        const double other_h = sides->other_hessians[i] * units.hessian + lambda;

        gains[i] = gain_of(g * g / h + other_g * other_g / other_h, &own,
                           is_enough(sides->hessians[i], &own) &
                               is_enough(sides->other_hessians[i], &own));
    }
}

WIDE_VECTORS
static void gain_by_rules(const struct sides *restrict sides, uint32_t count,
                          const struct rules *restrict rules, double *restrict gains)
{
    const struct rules own = *rules;
    const struct tree_units units = own.units;
    const struct penalties *penalties = &own.penalties;

    for (uint32_t i = 0; i < count; i++) {
        const double g = sides->gradients[i] * units.gradient;
        const double other_g = sides->other_gradients[i] * units.gradient;
        const double h = sides->hessians[i] * units.hessian;
        const double other_h = sides->other_hessians[i] * units.hessian;
        const double rise = value_of(other_g, other_h, penalties) - value_of(g, h, penalties);

        gains[i] = gain_of(score_of(g, h, penalties) + score_of(other_g, other_h, penalties), &own,
                           is_enough(sides->hessians[i], &own) &
                               is_enough(sides->other_hessians[i], &own) &
                               ((rise * own.direction >= 0) | (i == own.unordered)));
    }
}

static void measure(const struct partings *partings, struct tree_sums with, struct tree_sums total,
                    const struct rules *rules, double *gains)
{
    struct sides sides;

    take_sides(partings, with, total, &sides);
    if (rules->is_plain)
        gain_plainly(&sides, partings->count, rules, gains);
    else
        gain_by_rules(&sides, partings->count, rules, gains);
}

static double greatest_of(const double *gains, uint32_t count)
{
    double lanes[LANES] = {0}, greatest = 0;
    uint32_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (uint32_t j = 0; j < LANES; j++)
            lanes[j] = gains[i + j] > lanes[j] ? gains[i + j] : lanes[j];
    for (; i < count; i++)
        greatest = gains[i] > greatest ? gains[i] : greatest;
    for (uint32_t j = 0; j < LANES; j++)
        greatest = lanes[j] > greatest ? lanes[j] : greatest;
    return greatest;
}

static bool has_missing(const struct finding *finding)
{
    return finding->histogram[0].hessian != 0 || finding->histogram[0].gradient != 0;
}

struct choice tree_split_choose(const struct finding *finding, struct partings *partings)
{
    const uint32_t count = partings->count;
    struct choice choice = {0};

    measure(partings, (struct tree_sums){0, 0}, finding->total, &finding->rules,
            partings->gains_apart);
    choice.gain = greatest_of(partings->gains_apart, count);
    if (has_missing(finding)) {
        measure(partings, finding->histogram[0], finding->total, &finding->rules,
                partings->gains_with);
        choice.gain = fmax(choice.gain, greatest_of(partings->gains_with, count));
    }
    if (choice.gain == 0)
        return choice;
    while (partings->gains_apart[choice.parting] < choice.gain &&
           !(has_missing(finding) && partings->gains_with[choice.parting] == choice.gain))
        choice.parting++;
    choice.is_with = partings->gains_apart[choice.parting] < choice.gain;
    return choice;
}

bool tree_split_is_better(const struct tree_split *a, const struct tree_split *b)
{
    return a->gain > b->gain || (a->gain == b->gain && a->column < b->column);
}

bool tree_split_take(const struct finding *finding, double gain, struct tree_sums left,
                     bool missing_left, struct tree_split *best)
{
    struct tree_split split;

    memset(&split, 0, sizeof split);
    split.gain = gain;
    split.column = finding->number;
    split.missing_left = missing_left && has_missing(finding);
    if (gain < finding->options->gamma || !tree_split_is_better(&split, best))
        return false;
    split.left = split.missing_left ? sum_of(left, finding->histogram[0]) : left;
    split.right = difference_of(finding->total, split.left);
    memcpy(best, &split, sizeof split);
    return true;
}

/* ---- numbers ---- */

/* Partings by a number, each for the cuts between which no row of the node lies: `last` is the last
 * of these, and the first is behind the last one of the parting before. A small node has few. */
struct cut_partings {
    struct partings partings;
    uint8_t last[TREE_BINS_MAX];
};

/* Bins 1 to b are a part, for each b that has a cut above it. The last of these parts all values
 * from those that are missing, but for FLT_MAX. */
static void list_cuts(const struct finding *finding, struct cut_partings *cuts)
{
    const uint32_t bins = finding->column->bins, count = bins < 2 ? 0 : bins - 2;
    struct tree_sums sum = {0, 0};
    uint32_t at = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct tree_sums bin = finding->histogram[i + 1];

        if (i > 0 && (bin.gradient | bin.hessian) == 0)
            continue;
        if (i > 0)
            cuts->last[at++] = (uint8_t)(i - 1);
        cuts->partings.parts[at] = sum = sum_of(sum, bin);
    }
    if (count > 0)
        cuts->last[at++] = (uint8_t)(count - 1);
    cuts->partings.count = at;
}

/* The middle one of a parting's cuts; or the last one, which parts all values from those that are
 * missing. */
static uint32_t middle_of(const struct finding *finding, const struct cut_partings *partings,
                          uint32_t parting)
{
    const float *cuts = finding->column->cuts;
    const uint32_t first = parting > 0 ? partings->last[parting - 1] + 1u : 0;
    uint32_t last = partings->last[parting];
    double middle;

    if (parting + 1 == partings->partings.count)
        return last;
    middle = ((double)cuts[first] + (double)cuts[last]) / 2;
    while (last > first && middle - (double)cuts[last - 1] <= (double)cuts[last] - middle)
        last--;
    return last;
}

static void find_threshold(struct finding *finding, struct tree_split *best)
{
    struct cut_partings cuts;
    const struct tree_sums *parts = cuts.partings.parts;
    struct choice choice;

    list_cuts(finding, &cuts);
    finding->rules.unordered = finding->histogram[finding->column->bins - 1].hessian == 0
                                   ? cuts.partings.count - 1
                                   : UINT32_MAX;
    choice = tree_split_choose(finding, &cuts.partings);
    if (choice.gain == 0)
        return;
    if (tree_split_take(finding, choice.gain, parts[choice.parting], choice.is_with, best))
        best->bin = (uint8_t)(middle_of(finding, &cuts, choice.parting) + 1);
}

/* ---- columns ---- */

/* The more rows, the more of them were rounded. `total` is of the node. */
static double noise_of(struct tree_sums total, struct tree_units units,
                       const struct tree_split_options *options, double lambda)
{
    const double hessian = (double)total.hessian * units.hessian;
    const double rows = (double)total.hessian * units.rows_of_hessian;
    const double value = (double)total.gradient * units.gradient / (hessian + lambda);
    const double of_hessian = options->has_exact_hessians ? 0 : value * units.hessian;

    return hessian > 0 ? NOISE * (units.gradient * units.gradient + of_hessian * of_hessian) *
                             rows / (hessian + lambda)
                       : 0;
}

bool tree_split_is_by_order(const struct tree_column *column,
                            const struct tree_split_options *options)
{
    return column->is_category && column->bins - 1 >= options->max_cat_to_onehot;
}

void tree_split_find(const struct tree_column *column, uint32_t number,
                     const struct tree_sums *histogram, struct tree_sums total,
                     struct tree_units units, const struct tree_split_options *options,
                     struct tree_bounds bounds, struct tree_ranked_word *space,
                     struct tree_split *best)
{
    const bool is_sorted = tree_split_is_by_order(column, options);
    const struct penalties of_parent = penalties_of(options, options->lambda, bounds);
    struct finding finding = {
        column, number, histogram, total, options, .rules = {.units = units}, .space = space};
    struct rules *rules = &finding.rules;

    rules->penalties = of_parent;
    rules->penalties.lambda += is_sorted ? options->cat_l2 : 0;
    rules->parent = score_of((double)total.gradient * units.gradient,
                             (double)total.hessian * units.hessian, &of_parent);
    rules->noise = noise_of(total, units, options, rules->penalties.lambda);
    rules->min_child_weight = options->min_child_weight;
    rules->hessian_most =
        units.hessian * (options->has_exact_hessians ? 1 : 1 + units.rows_of_hessian);
    /* Whatever a row weighs, a side that weighs anything has one. */
    rules->min_rows = options->min_rows > 1 ? options->min_rows : 0;
    rules->direction = options->directions ? options->directions[number] : 0;
    rules->is_plain = options->alpha == 0 && rules->direction == 0 &&
                      rules->penalties.least == -INFINITY && rules->penalties.most == INFINITY;
    assert(rules->direction == 0 || !column->is_category);
    if (!column->is_category)
        find_threshold(&finding, best);
    else if (is_sorted)
        tree_split_find_set(&finding, best);
    else
        tree_split_find_word(&finding, best);
}

/* ---- draws ---- */

uint32_t tree_columns_drawn(uint32_t from, double share)
{
    const uint32_t wanted = (uint32_t)floor(share * from + 0.5);

    return wanted == 0 && from > 0 ? 1 : wanted;
}

/* One after the other, each by the share of those that are still wanted among those to come. */
void tree_columns_draw(const uint8_t *from, uint32_t column_count, double share, uint64_t seed,
                       enum random_purpose purpose, uint64_t number, uint8_t *allowed)
{
    uint32_t left = 0, wanted;

    for (uint32_t c = 0; c < column_count; c++)
        left += from[c];
    wanted = tree_columns_drawn(left, share);
    for (uint32_t c = 0; c < column_count; c++) {
        const bool is_there = from[c];
        const uint64_t bits = random_bits(seed, purpose, number, c);

        allowed[c] = is_there && (uint64_t)((unsigned __int128)bits * left >> 64) < wanted;
        left -= is_there;
        wanted -= allowed[c];
    }
}
