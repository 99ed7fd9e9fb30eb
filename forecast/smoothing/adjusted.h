/*
 * adjusted.h - a method on the series without its seasonal pattern, which its forecast gets again.
 *
 * For seasons that are too long to be states of a model, hours of a week among them.
 */
#pragma once

#include "forecast/methods/method.h"
#include "forecast/methods/seasons.h"

struct adjusted {
    struct pattern pattern;
    struct series series; /* without it */
    const struct method *method;
    void *fitted;
};

/* Is the season too long for states of a model, and found? A fit that is read tells that it was. */
bool adjusted_suits(const struct series *series, const struct fitting *fitting);

/* Needs two seasons. */
enum status adjusted_fit(const struct method *method, const struct series *series,
                         const struct fitting *fitting, struct adjusted *adjusted,
                         struct error *err);
void adjusted_project(const struct adjusted *adjusted, uint32_t origin, uint32_t horizon,
                      double *means, double *variances);
