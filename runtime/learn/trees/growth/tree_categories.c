#include "runtime/learn/trees/growth/tree_categories.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"

/* One more that goes left. */
static void put_bin(const struct finding *finding, struct tree_split *split, uint16_t bin)
{
    if (finding->column->bins > TREE_BINS_MAX)
        split->list[split->bin++] = bin;
    else
        split->set[bin / 64] |= (uint64_t)1 << bin % 64;
}

/* Each word is a part; last no word, which missing values may be with. */
void tree_split_find_word(const struct finding *finding, struct tree_split *best)
{
    const uint32_t words = finding->column->bins - 1;
    struct partings partings;
    struct choice choice;

    partings.count = words + 1;
    memcpy(partings.parts, finding->histogram + 1, words * sizeof *partings.parts);
    partings.parts[words] = (struct tree_sums){0, 0};
    choice = tree_split_choose(finding, &partings);
    if (choice.gain == 0)
        return;
    if (!tree_split_take(finding, choice.gain, partings.parts[choice.parting], choice.is_with,
                         best))
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

/* The first words of an order, that become more. */
struct growing_set {
    struct tree_sums sum;
    uint32_t words;
    double added;   /* rows since it was measured */
    bool has_ended; /* the rest has too few rows */
};

/* One word more: those sets are measured of which enough rows are on both sides, and enough more
 * than in the one before. */
static void add_word(const struct finding *finding, uint32_t bin, struct growing_set *set,
                     struct word_sets *sets)
{
    struct partings *partings = &sets->partings;
    const double least = finding->options->min_group_rows;
    const struct tree_sums words = difference_of(finding->total, finding->histogram[0]);

    set->sum = sum_of(set->sum, finding->histogram[bin]);
    set->added += rows_of(finding, finding->histogram[bin]);
    set->words++;
    if (set->added + 0.5 < least)
        return;
    if (rows_of(finding, difference_of(words, set->sum)) + 0.5 < least) {
        set->has_ended = true;
        return;
    }
    set->added = 0;
    sets->words[partings->count] = set->words;
    partings->parts[partings->count++] = set->sum;
}

/* Sets that grow by one of the bins after the other. */
static void add_sets(const struct finding *finding, const uint16_t *bins, uint32_t longest,
                     struct word_sets *sets)
{
    struct growing_set set = {.words = 0};

    while (set.words < longest && !set.has_ended)
        add_word(finding, bins[set.words], &set, sets);
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Sets of no more than TREE_SHORT_WORDS words. */
static void find_short_set(const struct finding *finding, const struct ranked_bins *ranked,
                           struct tree_split *best)
{
    const uint32_t most = least_of(finding->options->max_cat_threshold, TREE_SHORT_WORDS);
    const uint32_t half = ranked->count / 2;
    struct word_sets sets;
    struct choice choice;

    sets.partings.count = 0;
    add_sets(finding, ranked->firsts, least_of(ranked->count - half, most), &sets);
    sets.firsts = sets.partings.count;
    add_sets(finding, ranked->lasts, least_of(half, most), &sets);
    sets.words[sets.partings.count] = 0;
    sets.partings.parts[sets.partings.count++] = (struct tree_sums){0, 0};
    choice = tree_split_choose(finding, &sets.partings);
    if (choice.gain == 0 ||
        !tree_split_take(finding, choice.gain, sets.partings.parts[choice.parting], choice.is_with,
                         best))
        return;
    best->by_set = true;
    best->has_list = finding->column->bins > TREE_BINS_MAX;
    for (uint32_t i = 0; i < sets.words[choice.parting]; i++)
        put_bin(finding, best, choice.parting < sets.firsts ? ranked->firsts[i] : ranked->lasts[i]);
}

/* ---- long sets ---- */

bool tree_split_has_long_sets(const struct tree_column *column,
                              const struct tree_split_options *options)
{
    return tree_split_is_by_order(column, options) &&
           options->max_cat_threshold > TREE_SHORT_WORDS && column->bins - 1 > 2 * TREE_SHORT_WORDS;
}

/* The first word is first where ranks are equal. */
static int compare_ranks(const void *a, const void *b)
{
    const struct tree_ranked_word *first = a, *second = b;

    if (first->rank != second->rank)
        return first->rank < second->rank ? -1 : 1;
    return (first->bin > second->bin) - (first->bin < second->bin);
}

/* All words of the node's rows in their order, to the space; how many. */
static uint32_t sort_words(const struct finding *finding)
{
    const int64_t least = least_ranked(finding);
    uint32_t count = 0;

    for (uint32_t bin = 1; bin < finding->column->bins; bin++)
        if (finding->histogram[bin].hessian >= least)
            finding->space[count++] =
                (struct tree_ranked_word){rank_of(finding, finding->histogram[bin]), bin};
    qsort(finding->space, count, sizeof *finding->space, compare_ranks);
    return count;
}

/* The best of long sets. */
struct long_set {
    double gain;
    struct tree_sums sum;
    uint32_t words;
    bool is_last, is_with;
};

/* Word i of the first or of the last ones. */
static uint32_t word_at(const struct finding *finding, uint32_t count, uint32_t i, bool is_last)
{
    return finding->space[is_last ? count - 1 - i : i].bin;
}

/* One end of the order, in as many pieces as partings have room for. */
static void find_end(const struct finding *finding, uint32_t count, bool is_last,
                     struct long_set *best)
{
    const uint32_t half = is_last ? count / 2 : count - count / 2;
    const uint32_t longest = least_of(half, finding->options->max_cat_threshold);
    struct growing_set set = {.words = 0};
    struct word_sets sets;

    while (set.words < longest && !set.has_ended) {
        struct choice choice;

        sets.partings.count = 0;
        while (set.words < longest && !set.has_ended && sets.partings.count < TREE_BINS_MAX)
            add_word(finding, word_at(finding, count, set.words, is_last), &set, &sets);
        choice = tree_split_choose(finding, &sets.partings);
        if (choice.gain > best->gain)
            *best = (struct long_set){choice.gain, sets.partings.parts[choice.parting],
                                      sets.words[choice.parting], is_last, choice.is_with};
    }
}

/* Gain that parting so many words has by chance: tree_split.h. */
static double chance_of(const struct finding *finding, uint32_t words)
{
    return 0x1.45f306dc9c883p-1 * words * finding->rules.units.dispersion;
}

/* Do the words differ by more than chance? Then their scores, each alone, are more together than
 * dispersions times a chi-square's of so many, which hardly gets so far above its mean. Else there
 * is nothing to sort them for. */
static bool words_differ(const struct finding *finding, uint32_t words)
{
    const struct tree_units units = finding->rules.units;
    const double unit = units.gradient * units.gradient / units.hessian;
    const int64_t least = least_ranked(finding);
    double scores = 0;

    for (uint32_t bin = 1; bin < finding->column->bins; bin++) {
        const struct tree_sums sums = finding->histogram[bin];
        const double gradient = (double)sums.gradient;

        if (sums.hessian >= least)
            scores += gradient * gradient / (double)sums.hessian;
    }
    return scores * unit - finding->rules.parent >
           units.dispersion * (words + 2 * sqrt(2. * words));
}

static void put_long_set(const struct finding *finding, uint32_t count, const struct long_set *set,
                         struct tree_split *best)
{
    best->by_set = true;
    if (finding->column->bins <= TREE_BINS_MAX || set->words <= TREE_LIST_WORDS) {
        best->has_list = finding->column->bins > TREE_BINS_MAX;
        for (uint32_t i = 0; i < set->words; i++)
            put_bin(finding, best, (uint16_t)word_at(finding, count, i, set->is_last));
        return;
    }
    best->has_list = true;
    best->bin = TREE_LIST_LONG;
    best->many = (struct tree_long_list){0, set->words, set->is_last};
}

static void find_long_set(const struct finding *finding, struct tree_split *best)
{
    const uint32_t count = sort_words(finding);
    struct long_set set = {.gain = 0};
    double gain;

    find_end(finding, count, false, &set);
    find_end(finding, count, true, &set);
    gain = set.gain - chance_of(finding, count);
    if (gain > 0 && tree_split_take(finding, gain, set.sum, set.is_with, best))
        put_long_set(finding, count, &set, best);
}

void tree_split_write_list(const struct tree_column *column, const struct tree_sums *histogram,
                           struct tree_units units, const struct tree_split_options *options,
                           const struct tree_split *split, struct tree_ranked_word *space,
                           uint16_t *words)
{
    const struct finding finding = {.column = column,
                                    .histogram = histogram,
                                    .options = options,
                                    .rules = {.units = units},
                                    .space = space};
    const uint32_t count = sort_words(&finding);

    for (uint32_t i = 0; i < split->many.count; i++)
        words[i] = (uint16_t)word_at(&finding, count, i, split->many.is_last);
}

void tree_split_find_set(const struct finding *finding, struct tree_split *best)
{
    const bool is_wide = finding->column->bins > TREE_BINS_MAX;
    const uint32_t most = least_of(finding->options->max_cat_threshold, TREE_SHORT_WORDS);
    struct ranked_bins ranked;

    if (is_wide)
        rank_many(finding, most, &ranked);
    else
        rank_bins(finding, &ranked);
    find_short_set(finding, &ranked, best);
    if (finding->space && ranked.count > 2 * TREE_SHORT_WORDS &&
        words_differ(finding, ranked.count))
        find_long_set(finding, best);
}
