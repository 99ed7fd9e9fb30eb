#include "runtime/learn/sums/newton_steps.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/learn/sums/symmetric_inverse.h"

/* The share of a weight's second derivative that rounding leaves, once the weights before it are
 * taken away, where it follows from them. */
#define LEFT_LEAST   1e-10
#define LOSS_GREATER 1e-12 /* share of the loss: growth by less is rounding */

enum status newton_steps_init(struct newton_steps *steps, uint32_t weights, struct error *err)
{
    *steps = (struct newton_steps){.weights = weights};
    steps->order = calloc(weights, sizeof *steps->order);
    steps->second = calloc((size_t)weights * weights, sizeof *steps->second);
    steps->step = calloc(weights, sizeof *steps->step);
    steps->squares = calloc(weights, sizeof *steps->squares);
    steps->is_used = calloc(weights, sizeof *steps->is_used);
    if (!steps->order || !steps->second || !steps->step || !steps->squares || !steps->is_used)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < weights; i++)
        steps->order[i] = i;
    return STATUS_OK;
}

void newton_steps_deinit(struct newton_steps *steps)
{
    free(steps->order);
    free(steps->second);
    free(steps->step);
    free(steps->squares);
    free(steps->is_used);
    *steps = (struct newton_steps){.weights = 0};
}

struct newton_place newton_place_of(double *state, uint32_t weights)
{
    return (struct newton_place){.weights = state,
                                 .before = state + weights,
                                 .loss = state + 2 * (size_t)weights,
                                 .has_loss = state + 2 * (size_t)weights + 1};
}

/* Returns the square of the step, in units of the second derivatives. */
static double find_step(struct newton_steps *steps, const double *gradient, const double *lower)
{
    const size_t count = steps->weights;
    double square = 0;

    row_products_unfold(steps->weights, lower, steps->second, count);
    for (size_t i = 0; i < count; i++)
        steps->is_used[i] = true;
    symmetric_invert(steps->weights, steps->order, LEFT_LEAST, steps->second, steps->is_used,
                     steps->squares);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;

        for (size_t j = 0; j < count && steps->is_used[i]; j++)
            if (steps->is_used[j])
                sum -= steps->second[i * count + j] * gradient[j];
        steps->step[i] = sum;
        square -= sum * gradient[i];
    }
    return square;
}

bool newton_steps_move(struct newton_steps *steps, const double *sums, double nearest,
                       struct newton_place *place)
{
    const double loss = *sums;
    const bool has_grown =
        *place->has_loss > 0 && loss > *place->loss + fabs(*place->loss) * LOSS_GREATER;

    if (!has_grown && find_step(steps, sums + 1, sums + 1 + steps->weights) <= nearest)
        return true;
    for (uint32_t i = 0; i < steps->weights; i++) {
        if (has_grown) {
            place->weights[i] = place->before[i] + (place->weights[i] - place->before[i]) / 2;
            continue;
        }
        place->before[i] = place->weights[i];
        place->weights[i] += steps->step[i];
    }
    if (!has_grown)
        *place->loss = loss, *place->has_loss = 1;
    return false;
}
