/*
 * descent_settings.h - how a model is descended to; whoever opens it says it (differentiable.h).
 */
#pragma once

#include <stdint.h>

#include "params/terms.h"

struct descent_settings {
    enum optimizer_kind optimizer;
    double learning_rate;
    double momentum;              /* Momentum, Nesterov, RMSprop */
    double beta1, beta2;          /* Adam and what is made of it */
    double rho;                   /* Adadelta, RMSprop */
    double epsilon;               /* where there is a divisor */
    double initial_accumulator;   /* Adagrad, FTRL */
    bool centered;                /* RMSprop */
    double weight_decay;          /* AdamW */
    double rate_power;            /* FTRL: 0 or less */
    double ftrl_l1, ftrl_l2;      /* FTRL's own */
    double l1, l2;                /* in the loss, of all optimizers */
    double clip_norm, clip_value; /* bounds of the data's gradient; 0: none */

    enum schedule schedule;
    uint64_t decay_steps; /* where the schedule ends; 0: where training does */
    double decay_rate;    /* exponential, step */
    double power;         /* polynomial */
    double end_rate;      /* polynomial */
    uint64_t warmup_steps;
};
