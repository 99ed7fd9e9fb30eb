/*
 * newton_steps.h - Newton's steps to the least of a convex function of some weights, of which each
 * phase sums loss, gradient and second derivatives over all rows.
 *
 * A step that makes the loss grow is taken back by halves. Weights that follow from those before
 * them, so that no step can tell them apart, stay as they are (symmetric_inverse.h).
 */
#pragma once

#include "base/error.h"
#include "runtime/learn/sums/row_products.h"

struct newton_steps {
    uint32_t weights;
    uint32_t *order;                 /* (weights) */
    double *second, *step, *squares; /* (weights, weights), (weights), (weights) */
    bool *is_used;                   /* (weights) */
};

/* In the state, which begins with zeros. */
struct newton_place {
    double *weights, *before; /* (weights) each: now, and where the last step began */
    double *loss;             /* there */
    double *has_loss;         /* 0: no step was taken yet */
};

enum status newton_steps_init(struct newton_steps *steps, uint32_t weights, struct error *err);
void newton_steps_deinit(struct newton_steps *steps); /* also of zeros */

/* Numbers of the state that a place takes. */
static inline size_t newton_place_count(uint32_t weights)
{
    return 2 * (size_t)weights + 2;
}
struct newton_place newton_place_of(double *state, uint32_t weights);

/* How many numbers a phase sums: loss, gradient, and the products of all pairs of weights. */
static inline size_t newton_step_sums(uint32_t weights)
{
    return 1 + weights + row_pairs(weights);
}

/* Moves on by the sums of a phase, penalties and all. True: the next step would be no more than
 * `nearest` in units of the second derivatives, squared; nothing is moved. */
bool newton_steps_move(struct newton_steps *steps, const double *sums, double nearest,
                       struct newton_place *place);
