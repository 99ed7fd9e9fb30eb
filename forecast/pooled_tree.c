#include "forecast/pooled_tree.h"

#include <string.h>

int64_t pooled_gradient(double target, double score)
{
    const double gradient = (target - score) * POOLED_ONE;

    return (int64_t)(gradient < 0 ? gradient - 0.5 : gradient + 0.5);
}

uint32_t pooled_open(const struct pooled_node *tree, uint32_t level, uint32_t *open)
{
    const uint32_t first = (1u << level) - 1;
    uint32_t count = 0;

    for (uint32_t node = first; node <= 2 * first; node++)
        if (level == 0 || tree[(node - 1) / 2].feature > 0)
            open[count++] = node;
    return count;
}

uint32_t pooled_descend(const struct pooled_node *tree, uint32_t node, const uint8_t *bins)
{
    while (tree[node].feature > 0)
        node = 2 * node + ((tree[node].left >> bins[tree[node].feature - 1] & 1) ? 1 : 2);
    return node;
}

double pooled_score(const struct pooled_trees *trees, const uint8_t *bins)
{
    const uint32_t slot = pooled_slot(trees->depth);
    double score = 0;

    for (uint32_t i = 0; i < trees->count; i++) {
        const struct pooled_node *tree = trees->nodes + (size_t)i * slot;

        score += tree[pooled_descend(tree, 0, bins)].value;
    }
    return score;
}

/* ----- the splits of a node ----- */

/* Sums of some bins. */
struct side {
    double gradient, count;
};

struct split {
    double gain;
    uint32_t feature; /* from 1; 0: there is none */
    uint64_t left;
    struct side sides[2];
};

static struct side side_of(const int64_t *sums)
{
    return (struct side){(double)sums[POOLED_GRADIENT] / POOLED_ONE, (double)sums[POOLED_COUNT]};
}

/* By how much the node's value makes its squares smaller. */
static double worth(const struct pooled_growth *growth, const struct side *side)
{
    const double weight = side->count + growth->lambda;

    return weight > 0 ? side->gradient * side->gradient / weight : 0;
}

/* Words are ordered by what their rows have in common: then one of the splits of the order is the
 * best of all. Those of equal means stay in the order of their bins. */
static void order_words(const struct pooled_growth *growth, const int64_t *sums, uint8_t *order)
{
    double means[POOLED_BINS];

    for (uint32_t bin = 0; bin < POOLED_BINS; bin++) {
        const struct side side = side_of(sums + (size_t)bin * POOLED_SUMS);
        const double weight = side.count + growth->lambda;
        uint32_t at = bin;

        means[bin] = weight > 0 ? side.gradient / weight : 0;
        for (; at > 0 && means[order[at - 1]] > means[bin]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)bin;
    }
}

static void search_feature(const struct pooled_growth *growth, uint32_t feature,
                           const int64_t *sums, const struct side *whole, struct split *best)
{
    uint8_t order[POOLED_BINS];
    struct side left = {0, 0};
    uint64_t bins = 0;

    for (uint32_t i = 0; i < POOLED_BINS; i++)
        order[i] = (uint8_t)i;
    if (feature >= growth->ordered)
        order_words(growth, sums, order);
    for (uint32_t i = 0; i + 1 < POOLED_BINS; i++) {
        const struct side bin = side_of(sums + (size_t)order[i] * POOLED_SUMS);
        struct side right;
        double gain;

        bins |= UINT64_C(1) << order[i];
        left.gradient += bin.gradient;
        left.count += bin.count;
        right = (struct side){whole->gradient - left.gradient, whole->count - left.count};
        if (bin.count == 0 || left.count < growth->least_rows || right.count < growth->least_rows ||
            right.count == 0)
            continue;
        gain = worth(growth, &left) + worth(growth, &right) - worth(growth, whole);
        if (gain > best->gain)
            *best = (struct split){gain, feature + 1, bins, {left, right}};
    }
}

bool pooled_split(const struct pooled_growth *growth, struct pooled_node *tree, uint32_t level,
                  const int64_t *sums)
{
    const size_t bins = (size_t)POOLED_BINS * POOLED_SUMS;
    uint32_t open[1 << POOLED_DEPTH_MAX];
    const uint32_t count = pooled_open(tree, level, open);
    bool is_any = false;

    for (uint32_t i = 0; i < count; i++, sums += growth->features * bins) {
        struct pooled_node *node = &tree[open[i]];
        struct split best = {.gain = 1e-9};
        struct side whole = {0, 0};

        for (uint32_t bin = 0; bin < POOLED_BINS; bin++) {
            const struct side side = side_of(sums + (size_t)bin * POOLED_SUMS);

            whole.gradient += side.gradient;
            whole.count += side.count;
        }
        for (uint32_t feature = 0; feature < growth->features; feature++)
            search_feature(growth, feature, sums + feature * bins, &whole, &best);
        node->feature = best.feature;
        node->left = best.left;
        is_any = is_any || best.feature > 0;
        for (uint32_t child = 0; child < 2 && best.feature > 0; child++) {
            const struct side *side = &best.sides[child];

            tree[2 * open[i] + 1 + child].value =
                growth->eta * side->gradient / (side->count + growth->lambda);
        }
    }
    return is_any;
}
