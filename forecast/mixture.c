#include "forecast/mixture.h"

#include <string.h>

enum status mixture_init(struct mixture *mixture, const struct fitting *fitting, struct error *err)
{
    mixture->next_means = ARENA_NEW(fitting->arena, double, fitting->horizon);
    mixture->next_variances = ARENA_NEW(fitting->arena, double, fitting->horizon);
    return mixture->next_means && mixture->next_variances ? STATUS_OK : fail_no_memory(err);
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
