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
 *     AdamW     as Adam, and before              w -= a weight_decay w
 *     AMSGrad   as Adam, by the greatest v that there was
 *     Adamax    m as Adam                        w -= a / (1 - b1^t) m / u
 *               u = max(b2 u, |g| + eps)
 *     Nadam     m, v as Adam; c(t) = b1 (1 - 0.96^(0.004 t) / 2), C(t) = c(1) ... c(t)
 *               w -= a ((1 - c(t)) / (1 - C(t)) g + c(t + 1) / (1 - C(t + 1)) m) /
 *                    (sqrt(v) / sqrt(1 - b2^t) + eps)
 *     Adadelta  v = rho v + (1 - rho) g^2        w -= a d
 *               d = sqrt(u + eps) / sqrt(v + eps) g, then u = rho u + (1 - rho) d^2
 *     RMSprop   v = rho v + (1 - rho) g^2        w -= a g / (sqrt(v) + eps)
 *               centred: c = rho c + (1 - rho) g, and v - c^2 for v in the divisor
 *               with momentum: b = mu b + g / (sqrt(v) + eps)     w -= a b
 *
 * and as in TensorFlow's, with p = -learning_rate_power:
 *
 *     FTRL      z += g - ((s + g^2)^p - s^p) / a w, then s += g^2
 *               w = 0 where |z| <= l1', else -(z - sign(z) l1') / (s^p / a + 2 l2')
 *
 * where l1' and l2' are its own strengths. A weight decay and FTRL's strengths are of weights,
 * never of biases.
 *
 * Elementwise in float, what is one number a step in double.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/learn/optimizer/descent_settings.h"

#define OPTIMIZER_SLOTS_MAX 3

struct optimizer {
    struct descent_settings settings;
    uint64_t steps;     /* where the schedule ends */
    uint64_t cool_from; /* a step from which a line to zero leads there; 0: none */
};

/* The numbers of one step, the same for all parameters. */
struct optimizer_step {
    enum optimizer_kind kind;
    float rate, momentum, beta1, beta2, rest1, rest2, epsilon; /* rest = 1 - beta */
    float correction;                                          /* Adam: sqrt(1 - b2^t) */
    float gradient_rate;                                       /* Nadam */
    float decay;                                               /* AdamW: rate x weight_decay */
    float ftrl_l1, ftrl_l2;                                    /* FTRL */
    double power;                                              /* FTRL: -learning_rate_power */
    bool centered;                                             /* RMSprop */
};

struct optimizer optimizer_of(const struct descent_settings *settings, uint64_t steps);

/* How many values it keeps for each parameter. */
uint32_t optimizer_slots_of(const struct descent_settings *settings);
/* Sets the first values for weights w: 0, the initial accumulator, or FTRL's z that gives w, which
 * is 0, as in TensorFlow, where w is. */
void optimizer_start(const struct optimizer *optimizer, bool is_bias, size_t count, const float *w,
                     float *const slots[OPTIMIZER_SLOTS_MAX]);

/* schedule_factor() of its settings. t = 0, 1, ... */
double optimizer_schedule(const struct optimizer *optimizer, uint64_t t);
struct optimizer_step optimizer_step_at(const struct optimizer *optimizer, uint64_t t);
/* The same for biases. */
struct optimizer_step optimizer_step_of_biases(struct optimizer_step step);

/* A step's update of some of the parameters. */
struct optimizer_update {
    const struct optimizer_step *step;
    float l1, l2;
    size_t count;
    const float *gradient;
    float *parameters;
    float *slots[OPTIMIZER_SLOTS_MAX]; /* NULL where there is none */
};

/* Sums of words as in base/sums/words.h; mixed: of the parameters. */
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
 *     FTRL                as above: it does nothing later, as its rate does not change
 *
 * The others have no such rule: all rows of theirs are moved in every step.
 *
 * What the penalty alone did in the n steps since the row was moved, with p = l1 sign(w) + l2 w, is
 * done before, and takes no weight beyond 0:
 *
 *     SGD, Momentum, Nesterov  w -= n a p
 *     Adagrad                  s += n p^2                         w -= n a p / (sqrt(s) + eps)
 *     Adam                v = b2^n v + (1 - b2^n) p^2        w -= n a p / (sqrt(v) / ... + eps)
 */

/* Is there such a rule, for penalties in the loss that are not 0? */
bool optimizer_moves_rows(enum optimizer_kind kind, bool has_penalty);

/* dense: optimizer_step_at. */
struct optimizer_step optimizer_row_step_at(const struct optimizer *optimizer, uint64_t t,
                                            const struct optimizer_step *dense);

#define OPTIMIZER_ROW_STEPS_MAX 65536 /* more count as so many */

/* base^n = high[n / 256] low[n % 256] for n below OPTIMIZER_ROW_STEPS_MAX */
struct optimizer_powers {
    double low[256], high[256];
};
void optimizer_powers_init(struct optimizer_powers *powers, double base);

/* The known sums of a row's words. */
struct optimizer_row_sums {
    uint32_t parameters;
    uint32_t slots; /* slots and the row's row_steps */
};

/* A step's update of rows of a table. Adam's mean is not kept. */
struct optimizer_rows {
    const struct optimizer_step *step;     /* optimizer_row_step_at */
    const struct optimizer_powers *powers; /* powers of beta2 */
    float l1, l2;
    /* The first weights of a row may have an optimizer of their own, with the same beta2. */
    uint32_t linear;                          /* how many */
    const struct optimizer_step *linear_step; /* likewise; of 0 weights it is not read */
    float linear_l1, linear_l2;
    uint32_t now; /* how many steps there are with this one, modulo 2^32 */
    uint32_t count, width;
    const uint32_t *rows;  /* (count) */
    const float *gradient; /* (count, width): of the data */
    float *parameters, *first,
        *second;                      /* (table's rows, width); slots: NULL where there are none */
    uint32_t *row_steps;              /* (table's rows): when each was moved last */
    struct optimizer_row_sums *known; /* (table's rows) */
};

/* Sums over all moved rows, before and after. */
struct optimizer_rows_change {
    struct optimizer_sums before, after;
    struct optimizer_row_sums known; /* the sums that were known before */
};

/* Moves the rows, and writes down their new sums. Adds to `change`. */
void optimizer_update_rows(const struct optimizer_rows *update,
                           struct optimizer_rows_change *change);
