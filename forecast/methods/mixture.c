#include "forecast/methods/mixture.h"

#include <math.h>
#include <string.h>

#include "scoring/numbers/elementary.h"

#define WEIGHT_LEAST 1e-3 /* a model's least weight, relative to the greatest */

enum status mixture_init(struct mixture *mixture, const struct fitting *fitting, struct error *err)
{
    mixture->next_means = ARENA_NEW(fitting->arena, double, fitting->horizon);
    mixture->next_variances = ARENA_NEW(fitting->arena, double, fitting->horizon);
    return mixture->next_means && mixture->next_variances ? STATUS_OK : fail_no_memory(err);
}

void mixture_weigh(double *weights, uint32_t count, bool is_best_alone)
{
    double least = INFINITY, sum = 0;

    for (uint32_t i = 0; i < count; i++)
        least = weights[i] < least ? weights[i] : least;
    for (uint32_t i = 0; i < count; i++) {
        const double weight = exponential_double((least - weights[i]) / 2);
        const bool is_left_out =
            weight < (is_best_alone ? 1 : WEIGHT_LEAST) || (is_best_alone && sum > 0);

        weights[i] = is_left_out ? 0 : weight;
        sum += weights[i];
    }
    for (uint32_t i = 0; i < count; i++)
        weights[i] /= sum;
}

/* The last one of the least weights above 0. */
static uint32_t least_of(const double *weights, uint32_t count)
{
    uint32_t least = count;

    for (uint32_t i = 0; i < count; i++)
        if (weights[i] > 0 && (least == count || weights[i] <= weights[least]))
            least = i;
    return least;
}

void mixture_limit(double *weights, uint32_t count, uint32_t most)
{
    uint32_t left = 0;
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        left += weights[i] > 0;
    for (; left > most; left--)
        weights[least_of(weights, count)] = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    for (uint32_t i = 0; i < count && sum > 0; i++)
        weights[i] /= sum;
}

void mixture_begin(struct mixture *mixture, uint32_t horizon, double *means, double *variances)
{
    mixture->means = means;
    mixture->variances = variances;
    mixture->weight = 0;
    mixture->horizon = horizon;
    memset(means, 0, horizon * sizeof *means);
    if (variances)
        memset(variances, 0, horizon * sizeof *variances);
}

void mixture_add(struct mixture *mixture, double weight)
{
    const double before = mixture->weight, share = weight / (before + weight);

    for (uint32_t h = 0; h < mixture->horizon; h++) {
        const double moved = mixture->next_means[h] - mixture->means[h];

        mixture->means[h] += share * moved;
        if (mixture->variances)
            mixture->variances[h] += share * (mixture->next_variances[h] - mixture->variances[h] +
                                              (1 - share) * moved * moved);
    }
    mixture->weight = before + weight;
}
