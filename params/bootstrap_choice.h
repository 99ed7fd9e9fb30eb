/*
 * bootstrap_choice.h - the intervals of metrics that a statement asks for, as plan, job spec and
 * scoring have them (scoring/bootstrap.h).
 */
#pragma once

#include <stdint.h>

#define BOOTSTRAP_RESAMPLES_MIN 100
#define BOOTSTRAP_RESAMPLES_MAX 100000

/* Zeros: none. */
struct bootstrap_choice {
    double level; /* share of the resamples that lie within the interval; 0: there is none */
    uint32_t resamples;
    uint64_t seed;
};
