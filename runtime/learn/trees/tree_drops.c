#include "runtime/learn/trees/tree_drops.h"

#include <stdlib.h>

#include "base/random.h"

#define WHETHER UINT32_MAX /* where a round's number is, of the bits that are of no other round */
#define WHICH   (UINT32_MAX - 1)

enum status tree_drops_init(struct tree_drops *drops, const struct trees_params *params,
                            uint64_t seed, struct error *err)
{
    *drops = (struct tree_drops){.params = params, .seed = seed};
    drops->weights = calloc(params->rounds + (size_t)1, sizeof *drops->weights);
    drops->are_dropped = calloc(params->rounds + (size_t)1, sizeof *drops->are_dropped);
    return drops->weights && drops->are_dropped ? STATUS_OK : fail_no_memory(err);
}

void tree_drops_deinit(struct tree_drops *drops)
{
    free(drops->weights);
    free(drops->are_dropped);
    *drops = (struct tree_drops){0};
}

static double draw(const struct tree_drops *drops, uint32_t what)
{
    return random_uniform(drops->seed, RANDOM_TREE_DROP, drops->rounds, what);
}

static bool is_weighted(const struct tree_drops *drops)
{
    return drops->params->sample_type == TREE_SAMPLE_WEIGHTED;
}

static double sum_weights(const struct tree_drops *drops)
{
    double sum = 0;

    for (uint32_t i = 0; i < drops->rounds; i++)
        sum += drops->weights[i];
    return sum;
}

/* Where the random share ends among the rounds, or their weights. */
static uint32_t round_at(const struct tree_drops *drops, double share)
{
    double left = share * sum_weights(drops);
    uint32_t i = 0;

    if (!is_weighted(drops))
        return (uint32_t)(share * drops->rounds);
    while (i + 1 < drops->rounds && left >= drops->weights[i])
        left -= drops->weights[i++];
    return i;
}

/* Each round by itself, in their order, until there are enough. */
static void choose(struct tree_drops *drops)
{
    const struct trees_params *params = drops->params;
    const uint32_t most = params->max_drop > 0 ? params->max_drop : UINT32_MAX;
    const double mean = drops->rounds > 0 ? sum_weights(drops) / drops->rounds : 1;
    double rate = params->rate_drop;

    drops->dropped = 0;
    for (uint32_t i = 0; i < drops->rounds; i++)
        drops->are_dropped[i] = false;
    if (drops->rounds == 0 || draw(drops, WHETHER) < params->skip_drop)
        return;
    if (rate * drops->rounds > most)
        rate = (double)most / drops->rounds;
    for (uint32_t i = 0; i < drops->rounds && drops->dropped < most; i++) {
        const double chance = is_weighted(drops) ? rate * drops->weights[i] / mean : rate;

        drops->are_dropped[i] = draw(drops, i) < chance;
        drops->dropped += drops->are_dropped[i];
    }
    if (drops->dropped > 0 || !params->one_drop)
        return;
    drops->are_dropped[round_at(drops, draw(drops, WHICH))] = true;
    drops->dropped = 1;
}

/* The next round's weight, and the factor by which dropped rounds' weights are multiplied. */
static void share(const struct tree_drops *drops, double *weight, double *factor)
{
    const double k = drops->dropped, eta = drops->params->eta;
    double sum = k + eta;

    if (drops->params->normalize_type == TREE_NORMALIZE_FOREST) {
        *weight = *factor = 1 / (1 + eta);
        return;
    }
    if (drops->params->normalize_type == TREE_NORMALIZE_LIGHTGBM)
        sum = k + 1;
    *weight = 1 / sum;
    *factor = k / sum;
}

static void add_round(struct tree_drops *drops)
{
    double weight = 1, factor = 1;

    if (drops->dropped > 0)
        share(drops, &weight, &factor);
    for (uint32_t i = 0; i < drops->rounds; i++)
        if (drops->are_dropped[i])
            drops->weights[i] *= factor;
    drops->weights[drops->rounds++] = weight;
}

void tree_drops_move(struct tree_drops *drops, uint32_t rounds)
{
    if (drops->rounds > rounds)
        drops->rounds = drops->dropped = 0;
    if (drops->rounds == 0)
        choose(drops);
    while (drops->rounds < rounds) {
        add_round(drops);
        choose(drops);
    }
}
