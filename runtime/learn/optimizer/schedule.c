#include "runtime/learn/optimizer/schedule.h"

#include "runtime/learn/optimizer/pairs.h"
#include "scoring/numbers/elementary.h"

/* base^exponent of reals, base >= 0. */
static double power_of(double base, double exponent)
{
    if (exponent == 0)
        return 1;
    return base > 0 ? exponential_double(exponent * logarithm_double(base)) : 0;
}

/* share: of the decay's steps, at most 1. */
static double polynomial(const struct descent_settings *settings, double share)
{
    const double end = settings->end_rate / settings->learning_rate;

    return (1 - end) * power_of(1 - share, settings->power) + end;
}

static double factor_of(const struct descent_settings *settings, uint64_t steps, uint64_t t)
{
    const double pi = 0x1.921fb54442d18p+1;
    const uint64_t decay = settings->decay_steps > 0 ? settings->decay_steps : steps;
    const double share = (double)(t < decay ? t : decay) / (double)decay;

    switch (settings->schedule) {
    case SCHEDULE_CONSTANT:
        return 1;
    case SCHEDULE_LINEAR:
        return 1 - share;
    case SCHEDULE_COSINE:
        return (1 + pairs_cosine(pi * share)) / 2;
    case SCHEDULE_TRAPEZOIDAL: /* full for three quarters, then a line to zero */
        return share <= 0.75 ? 1 : 4 * (1 - share);
    case SCHEDULE_EXPONENTIAL:
        return power_of(settings->decay_rate, (double)t / (double)decay);
    case SCHEDULE_STEP:
        return pairs_power(settings->decay_rate, t / decay);
    case SCHEDULE_POLYNOMIAL:
        return polynomial(settings, share);
    }
    return 1;
}

double schedule_factor(const struct descent_settings *settings, uint64_t steps, uint64_t cool_from,
                       uint64_t t)
{
    const uint64_t warmup = settings->warmup_steps;
    const double factor = cool_from > 0 && t >= cool_from
                              ? 1 - (double)(t - cool_from) / (double)(steps - cool_from)
                              : factor_of(settings, steps, t);

    return t < warmup ? factor * ((double)(t + 1) / (double)warmup) : factor;
}
