/*
 * schedule.h - how the learning rate changes from step to step.
 *
 * With t = 0, 1, ... the steps, D = decay_steps (0: the steps of the job) and s = min(t, D) / D,
 * the rate of step t is learning_rate times
 *
 *     constant      1
 *     linear        1 - s
 *     cosine        (1 + cos(pi s)) / 2
 *     trapezoidal   1 for three quarters of D, then a line to zero
 *     exponential   decay_rate^(t / D)
 *     step          decay_rate^floor(t / D)
 *     polynomial    (1 - e) (1 - s)^power + e       with e = end_rate / learning_rate
 *
 * as in Keras' schedules of these names. In the first warmup_steps it is (t + 1) / warmup_steps of
 * that.
 */
#pragma once

#include "runtime/learn/optimizer/descent_settings.h"

/* steps: of the job. cool_from: a step from which a line to zero leads to the last one, whatever
 * the schedule is; 0: none. */
double schedule_factor(const struct descent_settings *settings, uint64_t steps, uint64_t cool_from,
                       uint64_t t);
