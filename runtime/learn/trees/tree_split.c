#include "runtime/learn/trees/tree_split.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vectors.h"
#include "scoring/elementary.h"

#define ROUNDING 0x1p-40 /* part of a score: more than double loses of it, less than rows gain */
/* Gradients and hessians are integers that were rounded at random, each by a variance of 1/4 at
 * most. Rows that are all alike gain by a split what the rounding makes, 1/4 times a number of
 * chi-square's distribution with one degree of freedom, which hardly any of so many splits gets
 * above 32. */
#define NOISE 8.0
#define LANES 8 /* maxima side by side */

/* ---- leaves ---- */

/* The penalties and limits of a leaf's value: `least` and `most` by bounds and max_delta_step. */
struct penalties {
    double lambda, alpha, least, most;
};

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

/*
 * The ways to part a node's rows that have a value: each names one of two parts. Rows whose value
 * is missing are apart from it, or with it.
 */
struct partings {
    uint32_t count;
    struct tree_sums parts[TREE_BINS_MAX];
    double gains_apart[TREE_BINS_MAX], gains_with[TREE_BINS_MAX]; /* 0: it may not be */
};

/* Integers, of both sides of each parting. */
struct sides {
    double gradients[TREE_BINS_MAX], hessians[TREE_BINS_MAX];
    double other_gradients[TREE_BINS_MAX], other_hessians[TREE_BINS_MAX];
};

struct rules {
    struct penalties penalties;
    struct tree_units units;
    double parent; /* score of both sides in one */
    double noise;  /* gain that rounding may make */
    double min_child_weight, min_rows;
    double hessian_most; /* hessian, at most, that 1 may stand for */
    int direction;
    uint32_t unordered; /* the parting to which the direction does not matter */
    bool is_plain;      /* neither L1 penalty nor limits of values */
};

static struct tree_sums sum_of(struct tree_sums a, struct tree_sums b)
{
    return (struct tree_sums){a.gradient + b.gradient, a.hessian + b.hessian};
}

static struct tree_sums difference_of(struct tree_sums a, struct tree_sums b)
{
    return (struct tree_sums){a.gradient - b.gradient, a.hessian - b.hessian};
}

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

/* The facts by which a column's split is found. */
struct finding {
    const struct tree_column *column;
    uint32_t number;
    const struct tree_sums *histogram;
    struct tree_sums total;
    const struct tree_split_options *options;
    struct rules rules;
};

static bool has_missing(const struct finding *finding)
{
    return finding->histogram[0].hessian != 0 || finding->histogram[0].gradient != 0;
}

/* The parting of greatest gain, the first of equal ones. */
struct choice {
    double gain; /* 0: none */
    uint32_t parting;
    bool is_with; /* missing values with the part */
};

static struct choice choose(const struct finding *finding, struct partings *partings)
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

/* Takes the split if it is the best one so far. `left` has no missing values. */
static bool take(const struct finding *finding, double gain, struct tree_sums left,
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
    choice = choose(finding, &cuts.partings);
    if (choice.gain == 0)
        return;
    if (take(finding, choice.gain, parts[choice.parting], choice.is_with, best))
        best->bin = (uint8_t)(middle_of(finding, &cuts, choice.parting) + 1);
}

/* ---- categories ---- */

/* One more that goes left. */
static void put_bin(const struct finding *finding, struct tree_split *split, uint16_t bin)
{
    if (finding->column->bins > TREE_BINS_MAX)
        split->list[split->bin++] = bin;
    else
        split->set[bin / 64] |= (uint64_t)1 << bin % 64;
}

/* Each word is a part; last no word, which missing values may be with. */
static void find_word(const struct finding *finding, struct tree_split *best)
{
    const uint32_t words = finding->column->bins - 1;
    struct partings partings;
    struct choice choice;

    partings.count = words + 1;
    memcpy(partings.parts, finding->histogram + 1, words * sizeof *partings.parts);
    partings.parts[words] = (struct tree_sums){0, 0};
    choice = choose(finding, &partings);
    if (choice.gain == 0)
        return;
    if (!take(finding, choice.gain, partings.parts[choice.parting], choice.is_with, best))
        return;
    best->by_set = true;
    if (choice.parting < words)
        put_bin(finding, best, (uint16_t)(choice.parting + 1));
}

static double rows_of(const struct finding *finding, struct tree_sums sums)
{
    return (double)sums.hessian * finding->rules.units.rows_of_hessian;
}

/* A word's rank: the value of its rows as a leaf, with the opposite sign. Chance decides about few
 * rows: their word ranks 0, between words of which more is known. */
static double rank_of(const struct finding *finding, struct tree_sums sums)
{
    const struct tree_split_options *options = finding->options;
    const struct tree_units units = finding->rules.units;
    const double hessian = (double)sums.hessian * units.hessian;

    if (!tree_hessian_reaches((double)sums.hessian, options->min_child_weight, units, options))
        return 0;
    return (double)sums.gradient * units.gradient /
           (hessian + (options->cat_smooth > 0 ? options->cat_smooth : options->lambda));
}

/* Is the bin one that is sorted? */
static bool is_ranked(const struct finding *finding, struct tree_sums sums)
{
    return sums.hessian != 0 && rows_of(finding, sums) + 0.5 >= finding->options->cat_smooth;
}

/* The words of the node's rows, in the order of their ranks; of equal ones the first is first. */
struct ranked_bins {
    uint32_t count;
    uint16_t firsts[TREE_BINS_MAX]; /* bins from the first on, as many as sets may have */
    uint16_t lasts[TREE_BINS_MAX];  /* bins from the last one back */
};

/* Each has the place that so many others give it: of few words that is the fastest order. */
struct placed_bins {
    uint32_t count;
    double ranks[TREE_BINS_MAX];
    int64_t places[TREE_BINS_MAX];
    uint16_t bins[TREE_BINS_MAX];
};

static void list_bins(const struct finding *finding, struct placed_bins *placed)
{
    placed->count = 0;
    for (uint32_t bin = 1; bin < finding->column->bins; bin++) {
        const struct tree_sums sums = finding->histogram[bin];

        if (!is_ranked(finding, sums))
            continue;
        placed->ranks[placed->count] = rank_of(finding, sums);
        placed->bins[placed->count++] = (uint16_t)bin;
    }
}

WIDE_VECTORS
static void place_bins(struct placed_bins *placed)
{
    const uint32_t count = placed->count;

    memset(placed->places, 0, count * sizeof *placed->places);
    for (uint32_t i = 0; i < count; i++) {
        const double rank = placed->ranks[i];

        for (uint32_t j = 0; j < i; j++)
            placed->places[j] += rank < placed->ranks[j];
        for (uint32_t j = i + 1; j < count; j++)
            placed->places[j] += rank <= placed->ranks[j];
    }
}

static void rank_bins(const struct finding *finding, struct ranked_bins *ranked)
{
    struct placed_bins placed;

    list_bins(finding, &placed);
    place_bins(&placed);
    ranked->count = placed.count;
    for (uint32_t i = 0; i < placed.count; i++) {
        ranked->firsts[placed.places[i]] = placed.bins[i];
        ranked->lasts[placed.count - 1 - placed.places[i]] = placed.bins[i];
    }
}

/* The least integer of hessians that a sorted bin may have: is_ranked, which grows with it, without
 * an arithmetic for each of thousands of bins. */
static int64_t least_ranked(const struct finding *finding)
{
    const double rows = finding->options->cat_smooth - 0.5;
    const double hessian = rows / finding->rules.units.rows_of_hessian;
    int64_t least = hessian >= 0x1p62 ? INT64_MAX : hessian > 1 ? (int64_t)hessian : 1;

    while (least > 1 && is_ranked(finding, (struct tree_sums){0, least - 1}))
        least--;
    while (least < INT64_MAX && !is_ranked(finding, (struct tree_sums){0, least}))
        least++;
    return least;
}

/* Those that come first in an order, of thousands: no more of them than sets may have, `most`. */
struct leaders {
    uint32_t count, most;
    double ranks[TREE_LIST_WORDS];
    uint16_t bins[TREE_LIST_WORDS];
};

/* Bins come one after the other. Equal ranks keep this order, or (is_last_first) the new one comes
 * before those that were there. */
static void lead(struct leaders *leaders, double rank, uint16_t bin, bool is_last_first)
{
    uint32_t at = leaders->count;

    if (at == leaders->most) {
        const double last = leaders->ranks[at - 1];

        if (is_last_first ? rank > last : rank >= last)
            return;
        at--;
    } else {
        leaders->count++;
    }
    for (; at > 0 &&
           (rank < leaders->ranks[at - 1] || (is_last_first && rank == leaders->ranks[at - 1]));
         at--) {
        leaders->ranks[at] = leaders->ranks[at - 1];
        leaders->bins[at] = leaders->bins[at - 1];
    }
    leaders->ranks[at] = rank;
    leaders->bins[at] = bin;
}

/* Both ends of the order are all that sets are made of, so nothing is sorted between them. most: at
 * each end, 1 to TREE_LIST_WORDS. */
static void rank_many(const struct finding *finding, uint32_t most, struct ranked_bins *ranked)
{
    const int64_t least = least_ranked(finding);
    struct leaders firsts = {.most = most}, lasts = {.most = most};

    ranked->count = 0;
    for (uint32_t bin = 1; bin < finding->column->bins; bin++) {
        const struct tree_sums sums = finding->histogram[bin];
        double rank;

        if (sums.hessian < least)
            continue;
        rank = rank_of(finding, sums);
        lead(&firsts, rank, (uint16_t)bin, false);
        lead(&lasts, -rank, (uint16_t)bin, true);
        ranked->count++;
    }
    memcpy(ranked->firsts, firsts.bins, sizeof firsts.bins);
    memcpy(ranked->lasts, lasts.bins, sizeof lasts.bins);
}

/* Sets of words: the first so many of the order, then the last so many; last no word, which missing
 * values may be with. */
struct word_sets {
    struct partings partings; /* the sets are the parts */
    uint32_t firsts;          /* partings that are the first words of the order */
    uint32_t words[TREE_BINS_MAX];
};

/* Sets that grow by one of the bins after the other; those of which enough rows are on both sides,
 * and enough more than in the one before. */
static void add_sets(const struct finding *finding, const uint16_t *bins, uint32_t longest,
                     struct word_sets *sets)
{
    struct partings *partings = &sets->partings;
    const double least = finding->options->min_group_rows;
    const struct tree_sums words = difference_of(finding->total, finding->histogram[0]);
    struct tree_sums sum = {0, 0};
    double added = 0;

    for (uint32_t i = 0; i < longest; i++) {
        const struct tree_sums word = finding->histogram[bins[i]];

        sum = sum_of(sum, word);
        added += rows_of(finding, word);
        if (added + 0.5 < least)
            continue;
        if (rows_of(finding, difference_of(words, sum)) + 0.5 < least)
            return;
        added = 0;
        sets->words[partings->count] = i + 1;
        partings->parts[partings->count++] = sum;
    }
}

static void find_set(const struct finding *finding, struct tree_split *best)
{
    const bool is_wide = finding->column->bins > TREE_BINS_MAX;
    uint32_t most = finding->options->max_cat_threshold, half;
    struct ranked_bins ranked;
    struct word_sets sets;
    struct choice choice;

    most = is_wide && most > TREE_LIST_WORDS ? TREE_LIST_WORDS : most;
    if (is_wide)
        rank_many(finding, most, &ranked);
    else
        rank_bins(finding, &ranked);
    half = ranked.count / 2;
    sets.partings.count = 0;
    add_sets(finding, ranked.firsts, ranked.count - half < most ? ranked.count - half : most,
             &sets);
    sets.firsts = sets.partings.count;
    add_sets(finding, ranked.lasts, half < most ? half : most, &sets);
    sets.words[sets.partings.count] = 0;
    sets.partings.parts[sets.partings.count++] = (struct tree_sums){0, 0};
    choice = choose(finding, &sets.partings);
    if (choice.gain == 0 ||
        !take(finding, choice.gain, sets.partings.parts[choice.parting], choice.is_with, best))
        return;
    best->by_set = true;
    best->has_list = is_wide;
    for (uint32_t i = 0; i < sets.words[choice.parting]; i++)
        put_bin(finding, best, choice.parting < sets.firsts ? ranked.firsts[i] : ranked.lasts[i]);
}

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
                     struct tree_bounds bounds, struct tree_split *best)
{
    const bool is_sorted = tree_split_is_by_order(column, options);
    const struct penalties of_parent = penalties_of(options, options->lambda, bounds);
    struct finding finding = {column, number, histogram, total, options, .rules = {.units = units}};
    struct rules *rules = &finding.rules;

    rules->penalties = of_parent;
    rules->penalties.lambda += is_sorted ? options->cat_l2 : 0;
    rules->parent = score_of((double)total.gradient * units.gradient,
                             (double)total.hessian * units.hessian, &of_parent);
    rules->noise = noise_of(total, units, options, rules->penalties.lambda);
    rules->min_child_weight = options->min_child_weight;
    rules->hessian_most =
        units.hessian * (options->has_exact_hessians ? 1 : 1 + units.rows_of_hessian);
    rules->min_rows = options->min_rows;
    rules->direction = options->directions ? options->directions[number] : 0;
    rules->is_plain = options->alpha == 0 && rules->direction == 0 &&
                      rules->penalties.least == -INFINITY && rules->penalties.most == INFINITY;
    assert(rules->direction == 0 || !column->is_category);
    if (!column->is_category)
        find_threshold(&finding, best);
    else if (is_sorted)
        find_set(&finding, best);
    else
        find_word(&finding, best);
}

/* ---- columns ---- */

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
