#include "runtime/learn/networks/start.h"

#include <math.h>

#include "base/random.h"
#include "scoring/numbers/elementary.h"

void start_uniform(uint64_t seed, uint32_t tensor, uint64_t first, uint64_t count, double limit,
                   float *values)
{
    for (uint64_t i = 0; i < count; i++) {
        const double uniform = random_uniform(seed, RANDOM_INITIAL, tensor, first + i);

        values[i] = (float)((2 * uniform - 1) * limit);
    }
}

double start_limit(double in, double out, enum activation next)
{
    const double some = in > 1 ? in : 1;

    switch (next) {
    case ACTIVATION_RELU:
    case ACTIVATION_ELU:
    case ACTIVATION_LEAKY_RELU:
    case ACTIVATION_GELU:
    case ACTIVATION_SWISH:
        return sqrt(6 / some);
    case ACTIVATION_SELU:
        return sqrt(3 / some);
    default:
        return sqrt(6 / (in + out));
    }
}

/* The logarithm of the class's rows over those of class 0, both weighted; exactly 0 where there are
 * as many. */
static double class_logarithm(const struct dataset *dataset, uint32_t class)
{
    return logarithm_double((double)dataset->class_counts[class] *
                            (double)dataset->class_weights[class] /
                            ((double)dataset->class_counts[0] * (double)dataset->class_weights[0]));
}

/* The constant of the least squared hinge loss. */
static float best_margin(const struct dataset *dataset)
{
    const double first = (double)dataset->class_counts[0] * (double)dataset->class_weights[0];
    const double second = (double)dataset->class_counts[1] * (double)dataset->class_weights[1];

    return (float)((second - first) / (second + first));
}

void start_outputs(const struct loss_head *head, const struct dataset *dataset, float *bias)
{
    const uint32_t outputs = head->outputs;
    double mean = 0;

    for (uint32_t j = 0; j < outputs; j++)
        bias[j] = head->start;
    if (head->task != TASK_CLASSIFICATION)
        return;
    if (loss_head_has_margins(head)) {
        *bias = best_margin(dataset);
        return;
    }
    if (outputs == 1) {
        *bias = (float)class_logarithm(dataset, 1);
        return;
    }
    for (uint32_t j = 0; j < outputs; j++)
        mean += class_logarithm(dataset, j) / outputs;
    for (uint32_t j = 0; j < outputs; j++)
        bias[j] = (float)(class_logarithm(dataset, j) - mean);
}
