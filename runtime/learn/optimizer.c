#include "runtime/learn/optimizer.h"

#include <math.h>

#include "base/vectors.h"
#include "runtime/learn/pairs.h"

struct optimizer optimizer_of(const struct jobspec *spec, uint64_t steps)
{
    return (struct optimizer){
        .kind = spec->optimizer,
        .schedule = spec->schedule,
        .learning_rate = spec->learning_rate,
        .momentum = spec->momentum,
        .beta1 = spec->beta1,
        .beta2 = spec->beta2,
        .epsilon = spec->epsilon,
        .initial_accumulator = spec->initial_accumulator,
        .steps = steps,
    };
}

uint32_t optimizer_slots(enum optimizer_kind kind)
{
    switch (kind) {
    case OPTIMIZER_SGD:
        return 0;
    case OPTIMIZER_MOMENTUM:
    case OPTIMIZER_NESTEROV:
    case OPTIMIZER_ADAGRAD:
        return 1;
    case OPTIMIZER_ADAM:
        return 2;
    }
    return 0;
}

float optimizer_slot_start(const struct optimizer *optimizer)
{
    return optimizer->kind == OPTIMIZER_ADAGRAD ? (float)optimizer->initial_accumulator : 0;
}

double optimizer_schedule(const struct optimizer *optimizer, uint64_t t)
{
    const double pi = 0x1.921fb54442d18p+1;
    const double share = (double)t / (double)optimizer->steps;
    const uint64_t from = optimizer->cool_from;

    if (from > 0 && t >= from)
        return 1 - (double)(t - from) / (double)(optimizer->steps - from);

    switch (optimizer->schedule) {
    case SCHEDULE_CONSTANT:
        return 1;
    case SCHEDULE_LINEAR:
        return 1 - share;
    case SCHEDULE_COSINE:
        return (1 + pairs_cosine(pi * share)) / 2;
    case SCHEDULE_TRAPEZOIDAL: /* full for three quarters, then a line to zero */
        return share <= 0.75 ? 1 : 4 * (1 - share);
    }
    return 1;
}

struct optimizer_step optimizer_step_at(const struct optimizer *optimizer, uint64_t t)
{
    double rate = optimizer->learning_rate * optimizer_schedule(optimizer, t);
    double correction = 1;

    if (optimizer->kind == OPTIMIZER_ADAM) {
        rate /= 1 - pairs_power(optimizer->beta1, t + 1);
        correction = sqrt(1 - pairs_power(optimizer->beta2, t + 1));
    }
    return (struct optimizer_step){
        .kind = optimizer->kind,
        .rate = (float)rate,
        .momentum = (float)optimizer->momentum,
        .beta1 = (float)optimizer->beta1,
        .beta2 = (float)optimizer->beta2,
        .rest1 = (float)(1 - optimizer->beta1),
        .rest2 = (float)(1 - optimizer->beta2),
        .epsilon = (float)optimizer->epsilon,
        .correction = (float)correction,
    };
}

/* The gradient with the penalty's. */
static inline float penalised(float g, float w, float l1, float l2)
{
    return g + (l2 * w + (w > 0 ? l1 : w < 0 ? -l1 : 0));
}

WIDE_VECTORS
static void sgd(struct optimizer_step step, float l1, float l2, size_t count,
                const float *restrict gradient, float *restrict w)
{
    for (size_t i = 0; i < count; i++)
        w[i] -= step.rate * penalised(gradient[i], w[i], l1, l2);
}

WIDE_VECTORS
static void momentum(struct optimizer_step step, float l1, float l2, size_t count,
                     const float *restrict gradient, float *restrict w, float *restrict v)
{
    for (size_t i = 0; i < count; i++) {
        v[i] = step.momentum * v[i] + penalised(gradient[i], w[i], l1, l2);
        w[i] -= step.rate * v[i];
    }
}

WIDE_VECTORS
static void nesterov(struct optimizer_step step, float l1, float l2, size_t count,
                     const float *restrict gradient, float *restrict w, float *restrict v)
{
    for (size_t i = 0; i < count; i++) {
        float g = penalised(gradient[i], w[i], l1, l2);

        v[i] = step.momentum * v[i] + g;
        w[i] -= step.rate * (g + step.momentum * v[i]);
    }
}

WIDE_VECTORS
static void adagrad(struct optimizer_step step, float l1, float l2, size_t count,
                    const float *restrict gradient, float *restrict w, float *restrict s)
{
    for (size_t i = 0; i < count; i++) {
        float g = penalised(gradient[i], w[i], l1, l2);

        s[i] += g * g;
        w[i] -= step.rate * g / (sqrtf(s[i]) + step.epsilon);
    }
}

WIDE_VECTORS
static void adam(struct optimizer_step step, float l1, float l2, size_t count,
                 const float *restrict gradient, float *restrict w, float *restrict m,
                 float *restrict v)
{
    for (size_t i = 0; i < count; i++) {
        float g = penalised(gradient[i], w[i], l1, l2);

        m[i] = step.beta1 * m[i] + step.rest1 * g;
        v[i] = step.beta2 * v[i] + step.rest2 * (g * g);
        w[i] -= step.rate * m[i] / (sqrtf(v[i]) / step.correction + step.epsilon);
    }
}

void optimizer_update(const struct optimizer_step *step, float l1, float l2, size_t count,
                      const float *gradient, float *parameters, float *first, float *second)
{
    switch (step->kind) {
    case OPTIMIZER_SGD:
        sgd(*step, l1, l2, count, gradient, parameters);
        return;
    case OPTIMIZER_MOMENTUM:
        momentum(*step, l1, l2, count, gradient, parameters, first);
        return;
    case OPTIMIZER_NESTEROV:
        nesterov(*step, l1, l2, count, gradient, parameters, first);
        return;
    case OPTIMIZER_ADAGRAD:
        adagrad(*step, l1, l2, count, gradient, parameters, first);
        return;
    case OPTIMIZER_ADAM:
        adam(*step, l1, l2, count, gradient, parameters, first, second);
        return;
    }
}
