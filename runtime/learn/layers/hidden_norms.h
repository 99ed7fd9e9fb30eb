/*
 * hidden_norms.h - the norms behind the hidden layers of a network (batch_norm.h): where their
 * parameters lie, room to compute them in, and how they become weights.
 *
 *     hidden layer --a--> norm --y--> its taker: the next layer, or rows of it
 *
 * All hidden layers together have one tensor each of gammas, betas, running means and running
 * variances, so that tensors are few. They lie behind all other parameters of the network.
 *
 * A norm that no longer learns is a line a unit. It goes into the weights and biases of its taker,
 * so that a stored model has no norms. The weights of takers are folded in a copy, and the copy is
 * no larger than they need: the table of words, or any other first layer, is not in it.
 */
#pragma once

#include "arithmetic/affine.h"
#include "arithmetic/batch_norm.h"
#include "runtime/learn/layers/differentiable.h"

#define NORM_TENSORS 4

struct hidden_norms {
    /* ---- given ---- */
    uint32_t count;                          /* hidden layers; 0: there are no norms */
    struct affine takers[HIDDEN_LAYERS_MAX]; /* each layer's; its rows are the layer's units */
    uint32_t copied_from;                    /* all takers lie in the parameters from here on */

    /* ---- what follows: hidden_norms_init ---- */
    struct batch_norm layers[HIDDEN_LAYERS_MAX];
    uint32_t first; /* where the norms' parameters begin */
    float *copy;    /* (first - copied_from): weights with the norms in them */
    double *sums;   /* (widest taker): its biases, while a norm goes into its weights */
};

/* The norms' parameters begin at `first`, as their tensors say. UNSUPPORTED where the job goes on
 * from an old model: its weights are those of a network without norms. */
enum status hidden_norms_init(struct hidden_norms *norms, const struct dataset *dataset,
                              uint32_t first, struct tensor tensors[NORM_TENSORS],
                              struct error *err);
void hidden_norms_deinit(struct hidden_norms *norms);

/* Gammas and running variances 1; the others 0, as they are. */
void hidden_norms_start(const struct hidden_norms *norms, float *parameters);

/* Makes the copy from these parameters; without norms there is none. */
void hidden_norms_fold(struct hidden_norms *norms, const float *parameters);
/* A stored model's parameters from `at` on: those of the copy where they are in it. */
const float *hidden_norms_folded(const struct hidden_norms *norms, const float *parameters,
                                 uint32_t at);

/* Room for a chunk of rows. */
struct hidden_norms_space {
    float *y[HIDDEN_LAYERS_MAX]; /* (chunk, units); NULL: there are no norms */
    struct batch_norm_room rooms[HIDDEN_LAYERS_MAX];
};

/* False: no memory. What was made is freed by deinit. */
bool hidden_norms_space_init(struct hidden_norms_space *space, const struct hidden_norms *norms);
void hidden_norms_space_deinit(struct hidden_norms_space *space);

/* Returns what layer `l`, which gave a (n, units), is to what is behind it: y, or without norms a
 * itself. */
const float *hidden_norms_forward(const struct hidden_norms *norms, uint32_t l,
                                  const float *parameters, uint32_t n, bool learns, const float *a,
                                  struct hidden_norms_space *space);
/* The same again, where forward has been. */
static inline const float *hidden_norms_above(const struct hidden_norms_space *space, uint32_t l,
                                              const float *a)
{
    return space->y[l] ? space->y[l] : a;
}
/* Does what batch_norm_backward does; nothing without norms. */
void hidden_norms_backward(const struct hidden_norms *norms, uint32_t l, const float *parameters,
                           uint32_t n, double share, const float *a,
                           const struct hidden_norms_space *space, bool is_first, float *delta,
                           float *gradient);
