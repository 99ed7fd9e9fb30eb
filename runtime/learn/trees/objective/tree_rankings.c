#include "runtime/learn/trees/objective/tree_rankings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scoring/metrics/ranked_labels.h"
#include "scoring/numbers/elementary.h"

#define HESSIAN_LEAST  1e-16 /* a pair's hessian, before its weight */
#define DISTANCE_LEAST 0.01

/* In the order of their ranks. */
struct ranked_row {
    float score, label;
    uint32_t row; /* index in the group */
    double gain, discount;
    double relevant,
        precision; /* for rank:map: relevant rows up to this one; sum of 1 / rank of these */
    double gradient, hessian;
};

/* The same in the order of their labels, the greatest first. */
struct ranked_label {
    float label;
    uint32_t rank;
};

/* A group that is ranked. */
struct ranked_group {
    const struct ranking *ranking;
    struct ranked_row *rows;     /* (n) */
    struct ranked_label *labels; /* (n) */
    uint32_t n;
    double inverse_ideal; /* 1 / the ideal DCG; 0 where no row is relevant */
    double lambdas;       /* absolute gradients so far */
};

/* ---- groups ---- */

enum status tree_groups_init(struct tree_groups *groups, uint32_t rows, struct error *err)
{
    *groups = (struct tree_groups){.starts = malloc((rows + 1ull) * sizeof *groups->starts)};
    return groups->starts ? STATUS_OK : fail_no_memory(err);
}

void tree_groups_add(struct tree_groups *groups, const struct dataset_part *part, uint64_t first,
                     uint32_t rows, uint32_t at, uint64_t *last)
{
    for (uint32_t i = 0; i < rows; i++) {
        const uint64_t group = part->hashes[first + i].high;

        if (groups->count == 0 || group != *last)
            groups->starts[groups->count++] = at + i;
        *last = group;
    }
}

enum status tree_groups_end(struct tree_groups *groups, uint32_t rows, struct error *err)
{
    uint32_t most = 0;

    groups->starts[groups->count] = rows;
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->starts[i + 1] - groups->starts[i] > most)
            most = groups->starts[i + 1] - groups->starts[i];
    if (most > RANKED_ROWS_MAX) {
        fail(err, STATUS_INVALID, "a group has %u rows, where at most %d are ranked", most,
             RANKED_ROWS_MAX);
        return error_hint(err, "train.group names the column with the id of each row's query.");
    }
    groups->rows = malloc((most + 1ull) * sizeof *groups->rows);
    groups->labels = malloc((most + 1ull) * sizeof *groups->labels);
    groups->ordered = malloc(2 * (most + 1ull) * sizeof *groups->ordered);
    return groups->rows && groups->labels && groups->ordered ? STATUS_OK : fail_no_memory(err);
}

void tree_groups_deinit(struct tree_groups *groups)
{
    free(groups->starts);
    free(groups->rows);
    free(groups->labels);
    free(groups->ordered);
    *groups = (struct tree_groups){.starts = NULL};
}

/* ---- ranks ---- */

static int by_score(const void *a, const void *b)
{
    const struct ranked_row *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static double gain_of(const struct ranking *ranking, float label)
{
    return ranked_gain((double)label, !ranking->exp_gain || ranking->name == TREE_RANK_MAP);
}

static int by_label(const void *a, const void *b)
{
    const struct ranked_label *x = a, *y = b;

    if (x->label != y->label)
        return x->label > y->label ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static double inverse_of_ideal(const struct ranked_group *group)
{
    const struct ranking *ranking = group->ranking;
    const uint32_t most = ranking->name == TREE_LAMBDARANK && ranking->pair_count < group->n
                              ? ranking->pair_count
                              : group->n;
    double ideal = 0;

    for (uint32_t i = 0; i < most; i++)
        ideal += group->rows[group->labels[i].rank].gain * group->rows[i].discount;
    return ideal > 0 ? 1 / ideal : 0;
}

static void count_relevant(struct ranked_group *group)
{
    double relevant = 0, precision = 0;

    for (uint32_t i = 0; i < group->n; i++) {
        if (group->rows[i].label > 0) {
            relevant++;
            precision += 1 / (i + 1.);
        }
        group->rows[i].relevant = relevant;
        group->rows[i].precision = precision;
    }
}

static void order_rows(struct ranked_row *rows, uint32_t n, const float *labels,
                       const float *scores)
{
    for (uint32_t i = 0; i < n; i++)
        rows[i] = (struct ranked_row){.score = scores[i], .label = labels[i], .row = i};
    qsort(rows, n, sizeof *rows, by_score);
}

static void rank_rows(struct ranked_group *group, const float *labels, const float *scores)
{
    order_rows(group->rows, group->n, labels, scores);
    for (uint32_t i = 0; i < group->n; i++) {
        group->rows[i].gain = gain_of(group->ranking, group->rows[i].label);
        group->rows[i].discount = ranked_discount(i);
        group->labels[i] = (struct ranked_label){group->rows[i].label, i};
    }
    qsort(group->labels, group->n, sizeof *group->labels, by_label);
    group->inverse_ideal = inverse_of_ideal(group);
    if (group->ranking->name == TREE_RANK_MAP)
        count_relevant(group);
}

/* ---- losses ---- */

static double average_precision(const struct ranked_group *group)
{
    const double relevant = group->rows[group->n - 1].relevant;
    double sum = 0;

    for (uint32_t i = 0; i < group->n; i++)
        if (group->rows[i].label > 0)
            sum += group->rows[i].relevant / (i + 1.);
    return relevant > 0 ? sum / relevant : 1;
}

static double ndcg(const struct ranked_group *group)
{
    double found = 0, ideal = 0;

    for (uint32_t i = 0; i < group->n; i++) {
        found += group->rows[i].gain * group->rows[i].discount;
        ideal += group->rows[group->labels[i].rank].gain * group->rows[i].discount;
    }
    return ideal > 0 ? found / ideal : 1;
}

static double loss_of(const struct ranked_group *group)
{
    const double loss =
        1 - (group->ranking->name == TREE_RANK_MAP ? average_precision(group) : ndcg(group));

    return loss < 0 ? 0 : loss;
}

/* ---- pairs ---- */

/* The change of the average precision if ranks i < j, of which one is relevant, are swapped. */
static double precision_change(const struct ranked_group *group, uint32_t i, uint32_t j)
{
    const struct ranked_row *rows = group->rows;
    const bool is_first = rows[i].label > 0;
    const double first = (rows[i].relevant + (is_first ? 0 : 1)) / (i + 1.);
    const double between = rows[j - 1].precision - rows[i].precision;

    return (first - rows[j].relevant / (j + 1.) + between) / rows[group->n - 1].relevant;
}

static double change_of(const struct ranked_group *group, uint32_t i, uint32_t j)
{
    const struct ranked_row *a = &group->rows[i], *b = &group->rows[j];
    double change;

    if (group->ranking->name == TREE_RANK_PAIRS)
        change = 1;
    else
        change = group->ranking->name == TREE_RANK_MAP
                     ? precision_change(group, i < j ? i : j, i < j ? j : i)
                     : (a->gain - b->gain) * (a->discount - b->discount) * group->inverse_ideal;
    if (group->rows[0].score == group->rows[group->n - 1].score)
        return fabs(change);
    return fabs(change) / (fabs((double)a->score - (double)b->score) + DISTANCE_LEAST);
}

/* The rows of ranks i and j. */
static void add_pair(struct ranked_group *group, uint32_t i, uint32_t j)
{
    const double weight = group->ranking->name == TREE_LAMBDARANK ? 1 : 2;
    struct ranked_row *high = &group->rows[i], *low = &group->rows[j];
    double change, p, lambda, hessian;

    if (high->label == low->label)
        return;
    if (high->label < low->label) {
        high = &group->rows[j];
        low = &group->rows[i];
    }
    change = change_of(group, i, j);
    p = 1 / (1 + exponential_double((double)low->score - (double)high->score));
    lambda = (p - 1) * change;
    hessian = p * (1 - p);
    hessian = weight * (hessian > HESSIAN_LEAST ? hessian : HESSIAN_LEAST) * change;
    high->gradient += lambda;
    low->gradient -= lambda;
    high->hessian += hessian;
    low->hessian += hessian;
    group->lambdas -= 2 * lambda;
}

static void pair_first(struct ranked_group *group)
{
    for (uint32_t i = 0; i < group->n && i < group->ranking->pair_count; i++)
        for (uint32_t j = i + 1; j < group->n; j++)
            add_pair(group, i, j);
}

/* The rows of labels[first, end), which have the same label, with others. */
static void pair_label(struct ranked_group *group, const uint32_t *keys, uint32_t first,
                       uint32_t end)
{
    const struct ranking *ranking = group->ranking;
    const uint32_t others = group->n - (end - first);

    for (uint32_t i = first; others > 0 && i < end; i++) {
        const uint32_t rank = group->labels[i].rank;
        const uint64_t key = (uint64_t)keys[group->rows[rank].row] << 32;

        for (uint32_t pair = 0; pair < ranking->pair_count; pair++) {
            const uint64_t bits =
                random_bits(ranking->seed, RANDOM_PAIR, ranking->round, key | pair);
            const uint32_t other = (uint32_t)((unsigned __int128)bits * others >> 64);

            add_pair(group, rank, group->labels[other < first ? other : other - first + end].rank);
        }
    }
}

static void pair_all(struct ranked_group *group, const uint32_t *keys)
{
    for (uint32_t first = 0, end; first < group->n; first = end) {
        for (end = first + 1;
             end < group->n && group->labels[end].label == group->labels[first].label;)
            end++;
        pair_label(group, keys, first, end);
    }
}

static void derive(struct ranked_group *group, const uint32_t *keys, float *gradients,
                   float *hessians)
{
    const struct ranking *ranking = group->ranking;
    const bool is_mean = ranking->pairs == TREE_PAIRS_MEAN;
    double factor = 1;

    if (is_mean)
        pair_all(group, keys);
    else
        pair_first(group);
    if (is_mean)
        factor = 1. / ranking->pair_count;
    else if (group->lambdas > 0)
        factor = logarithm_double(1 + group->lambdas) / logarithm_double(2) / group->lambdas;
    for (uint32_t i = 0; i < group->n; i++) {
        gradients[group->rows[i].row] = (float)(factor * group->rows[i].gradient);
        hessians[group->rows[i].row] = (float)(factor * group->rows[i].hessian);
    }
}

int64_t tree_rankings(const struct ranking *ranking, const struct tree_groups *groups,
                      const float *labels, const float *scores, const uint32_t *keys, double unit,
                      float *gradients, float *hessians)
{
    int64_t loss = 0;

    for (uint32_t i = 0; i < groups->count; i++) {
        const uint32_t first = groups->starts[i];
        struct ranked_group group = {.ranking = ranking,
                                     .rows = groups->rows,
                                     .labels = groups->labels,
                                     .n = groups->starts[i + 1] - first};

        rank_rows(&group, labels + first, scores + first);
        loss += (int64_t)(loss_of(&group) / unit + 0.5);
        if (gradients)
            derive(&group, keys + first, gradients + first, hessians + first);
    }
    return loss;
}

static int from_greatest(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x < y) - (x > y);
}

void tree_rankings_each(const struct tree_groups *groups, const float *labels, const float *scores,
                        void (*take)(void *context, const float *ranked, const float *best,
                                     uint32_t n),
                        void *context)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        const uint32_t first = groups->starts[i], n = groups->starts[i + 1] - first;
        float *ranked = groups->ordered, *best = groups->ordered + n;

        order_rows(groups->rows, n, labels + first, scores + first);
        for (uint32_t j = 0; j < n; j++)
            ranked[j] = best[j] = groups->rows[j].label;
        qsort(best, n, sizeof *best, from_greatest);
        take(context, ranked, best, n);
    }
}
