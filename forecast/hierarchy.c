#include "forecast/hierarchy.h"

#include <math.h>
#include <stdlib.h>

#define LEVELS_MAX   32
#define SUM_BITS     51 /* bits of a double's 53: one for the sum of the roundings, one to spare */
#define EXPONENT_MIN -149 /* exponent of the least float above 0: models keep numbers as floats */

enum status hierarchy_init(struct hierarchy *hierarchy, const uint32_t *levels, uint32_t count,
                           struct error *err)
{
    uint32_t last[LEVELS_MAX] = {0};

    *hierarchy = (struct hierarchy){.count = count};
    hierarchy->parents = calloc((size_t)count + 1, sizeof *hierarchy->parents);
    hierarchy->are_totals = calloc((size_t)count + 1, sizeof *hierarchy->are_totals);
    hierarchy->means = calloc((size_t)count + 1, sizeof(double));
    hierarchy->variances = calloc((size_t)count + 1, sizeof(double));
    hierarchy->part_means = calloc((size_t)count + 1, sizeof(double));
    hierarchy->part_spread = calloc((size_t)count + 1, sizeof(double));
    if (!hierarchy->parents || !hierarchy->are_totals || !hierarchy->means ||
        !hierarchy->variances || !hierarchy->part_means || !hierarchy->part_spread) {
        hierarchy_deinit(hierarchy);
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t level = levels[i];

        hierarchy->parents[i] = level > 0 ? last[level - 1] : HIERARCHY_NO_PARENT;
        if (level > 0)
            hierarchy->are_totals[last[level - 1]] = true;
        last[level] = i;
    }
    return STATUS_OK;
}

void hierarchy_deinit(struct hierarchy *hierarchy)
{
    free(hierarchy->parents);
    free(hierarchy->are_totals);
    free(hierarchy->means);
    free(hierarchy->variances);
    free(hierarchy->part_means);
    free(hierarchy->part_spread);
    *hierarchy = (struct hierarchy){.count = 0};
}

/* The power of two above all of them. */
static int exponent_of(const double *numbers, uint32_t count)
{
    double most = 0;
    int exponent = 0;

    for (uint32_t i = 0; i < count; i++)
        most = fabs(numbers[i]) > most ? fabs(numbers[i]) : most;
    (void)frexp(most, &exponent);
    return exponent;
}

/* The mean of a member by its own forecast and by the sum of its parts. */
static void weigh_member(struct hierarchy *hierarchy, uint32_t i, double value, double variance)
{
    const double parts = hierarchy->part_means[i], spread = hierarchy->part_spread[i];
    const double share = spread > 0 ? spread / (spread + variance) : 0; /* share of its own */

    hierarchy->means[i] = value;
    hierarchy->variances[i] = variance;
    if (!hierarchy->are_totals[i])
        return;
    hierarchy->means[i] = share == 1 ? value : parts + share * (value - parts);
    hierarchy->variances[i] = share * variance;
}

void hierarchy_weigh(struct hierarchy *hierarchy, double *values, const double *deviations)
{
    const int exponent = exponent_of(deviations, hierarchy->count);

    for (uint32_t i = 0; i < hierarchy->count; i++)
        hierarchy->part_means[i] = hierarchy->part_spread[i] = 0;
    for (uint32_t i = hierarchy->count; i-- > 0;) {
        const uint32_t parent = hierarchy->parents[i];
        const double deviation = ldexp(deviations[i], -exponent);

        weigh_member(hierarchy, i, values[i], deviation * deviation);
        if (parent == HIERARCHY_NO_PARENT)
            continue;
        hierarchy->part_means[parent] += hierarchy->means[i];
        hierarchy->part_spread[parent] += hierarchy->variances[i];
    }
    for (uint32_t i = 0; i < hierarchy->count; i++) {
        const uint32_t parent = hierarchy->parents[i];

        values[i] = hierarchy->means[i];
        if (parent == HIERARCHY_NO_PARENT || !(hierarchy->part_spread[parent] > 0))
            continue;
        values[i] += hierarchy->variances[i] / hierarchy->part_spread[parent] *
                     (values[parent] - hierarchy->part_means[parent]);
    }
}

void hierarchy_add_up(const struct hierarchy *hierarchy, double *values)
{
    double sum = 0;
    int exponent;

    for (uint32_t i = 0; i < hierarchy->count; i++)
        sum += hierarchy->are_totals[i] ? 0 : fabs(values[i]);
    (void)frexp(sum, &exponent);
    exponent = exponent - SUM_BITS > EXPONENT_MIN ? exponent - SUM_BITS : EXPONENT_MIN;
    for (uint32_t i = 0; i < hierarchy->count; i++)
        values[i] = hierarchy->are_totals[i]
                        ? 0
                        : ldexp(floor(ldexp(values[i], -exponent) + 0.5), exponent);
    for (uint32_t i = hierarchy->count; i-- > 0;)
        if (hierarchy->parents[i] != HIERARCHY_NO_PARENT)
            values[hierarchy->parents[i]] += values[i];
}
