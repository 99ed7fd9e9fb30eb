/*
 * optimizer.h - how a gradient moves the parameters.
 *
 * With g the gradient of the data's loss plus that of the penalty
 * l1 sum |w| + l2/2 sum w^2 (weights only, never biases; sign(0) = 0), and
 * a = learning_rate x schedule(t), as in PyTorch's documentation:
 *
 *     SGD       w -= a g
 *     Momentum  v = mu v + g                     w -= a v
 *     Nesterov  v = mu v + g                     w -= a (g + mu v)
 *     Adagrad   s += g^2                         w -= a g / (sqrt(s) + eps)
 *     Adam      m = b1 m + (1 - b1) g            w -= a / (1 - b1^t) m /
 *               v = b2 v + (1 - b2) g^2                (sqrt(v) / sqrt(1 - b2^t) + eps)
 *
 * Elementwise in float, what is one number a step in double.
 */
#ifndef RUNTIME_LEARN_OPTIMIZER_H
#define RUNTIME_LEARN_OPTIMIZER_H

#include <stddef.h>
#include <stdint.h>

#include "params/terms.h"

#define OPTIMIZER_SLOTS_MAX 2

/* How a model is descended to; whoever opens it says it (differentiable.h). */
struct descent_settings {
    enum optimizer_kind optimizer;
    enum schedule schedule;
    double learning_rate, momentum, beta1, beta2, epsilon, initial_accumulator;
    double l1, l2;
};

struct optimizer {
    enum optimizer_kind kind;
    enum schedule schedule;
    double learning_rate, momentum, beta1, beta2, epsilon, initial_accumulator;
    uint64_t steps;     /* where the schedule ends */
    uint64_t cool_from; /* a step from which a line to zero leads there; 0: none */
};

/* The numbers of one step, the same for all parameters. */
struct optimizer_step {
    enum optimizer_kind kind;
    float rate, momentum, beta1, beta2, rest1, rest2, epsilon; /* rest = 1 - beta */
    float correction;                                          /* Adam: sqrt(1 - b2^t) */
};

struct optimizer optimizer_of(const struct descent_settings *settings, uint64_t steps);

/* What the values start as that an optimizer keeps for each parameter (optimizer_slots). */
float optimizer_slot_start(const struct optimizer *optimizer);

/* Until cool_from, schedule(t): 1; 1 - t/steps; (1 + cos(pi t/steps)) / 2. t = 0, 1, ... */
double optimizer_schedule(const struct optimizer *optimizer, uint64_t t);
struct optimizer_step optimizer_step_at(const struct optimizer *optimizer, uint64_t t);

/* What a step does to some of the parameters. */
struct optimizer_update {
    const struct optimizer_step *step;
    float l1, l2;
    size_t count;
    const float *gradient;
    float *parameters, *first, *second; /* slots: NULL where there are none */
};

/* Sums of words as in base/words.h; mixed: of the parameters. */
struct optimizer_sums {
    uint32_t parameters, slots, mixed;
};

/* Updates the parameters and their slots. Adds to `before` the sums of what it read, and to `after`
 * those of what it wrote: both are in a register here, where another pass would read them from
 * memory. `before` has no sum of mixed words. */
void optimizer_update(const struct optimizer_update *update, struct optimizer_sums *before,
                      struct optimizer_sums *after);

/*
 * ----- rows of a table that are moved in some steps only (descent_table.h) -----
 *
 * What a gradient does in the steps that follow, where the row has none, it does at once:
 *
 *     SGD, Adagrad        as above: it does nothing later
 *     Momentum, Nesterov  w -= a / (1 - mu) g           the velocities add up to that
 *     Adam                w -= a g / (sqrt(v) / sqrt(1 - b2^t) + eps)
 *
 * What the penalty alone did in the n steps since the row was moved, with p = l1 sign(w) + l2 w, is
 * done before, and takes no weight beyond 0:
 *
 *     SGD, Momentum, Nesterov  w -= n a p
 *     Adagrad                  s += n p^2                         w -= n a p / (sqrt(s) + eps)
 *     Adam                     v = b2^n v + (1 - b2^n) p^2        w -= n a p / (sqrt(v) / ... +
 * eps)
 */

/* dense: optimizer_step_at. */
struct optimizer_step optimizer_row_step_at(const struct optimizer *optimizer, uint64_t t,
                                            const struct optimizer_step *dense);

#define OPTIMIZER_ROW_STEPS_MAX 65536 /* more count as so many */

/* base^n = high[n / 256] low[n % 256] for n below OPTIMIZER_ROW_STEPS_MAX */
struct optimizer_powers {
    double low[256], high[256];
};
void optimizer_powers_init(struct optimizer_powers *powers, double base);

/* What is known of a row's words: their sums. */
struct optimizer_row_sums {
    uint32_t parameters;
    uint32_t slots; /* and of the step that moved it last */
};

/* What a step does to rows of a table. Adam's mean is not kept. */
struct optimizer_rows {
    const struct optimizer_step *step;     /* optimizer_row_step_at */
    const struct optimizer_powers *powers; /* of beta2 */
    float l1, l2;
    uint32_t now; /* how many steps there are with this one, modulo 2^32 */
    uint32_t count, width;
    const uint32_t *rows;  /* (count) */
    const float *gradient; /* (count, width): of the data */
    float *parameters, *first,
        *second;                      /* (table's rows, width); slots: NULL where there are none */
    uint32_t *row_steps;              /* (table's rows): when each was moved last */
    struct optimizer_row_sums *known; /* (table's rows) */
};

/* What rows were and are: sums over all of them. */
struct optimizer_rows_change {
    struct optimizer_sums before, after;
    struct optimizer_row_sums known; /* what was known before */
};

/* Moves the rows, and writes down their new sums. Adds to `change`. */
void optimizer_update_rows(const struct optimizer_rows *update,
                           struct optimizer_rows_change *change);

#endif
