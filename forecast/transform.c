#include "forecast/transform.h"

#include <stdbool.h>

#include "scoring/numbers/elementary.h"

#define LAMBDA_STEPS 10
#define SPANS_LEAST  2 /* seasons that a choice takes */
#define SPAN_LEAST   4 /* values of a span: fewer have hardly a deviation */
#define NEXT_TO_ZERO 0x1p-60

/* ---- values ---- */

double transform_value(double lambda, double y)
{
    double x;

    if (lambda == TRANSFORM_NONE || isnan(y))
        return y;
    x = logarithm_double(y);
    if (lambda > 0)
        x = (exponential_double(lambda * x) - 1) / lambda;
    return x == 0 ? NEXT_TO_ZERO : x;
}

double transform_back(double lambda, double x)
{
    double y;

    if (lambda == TRANSFORM_NONE)
        return x;
    if (lambda > 0) {
        x = lambda * x + 1;
        x = x > 0 ? logarithm_double(x) / lambda : -INFINITY;
    }
    y = x < -700 ? 0 : x > 88 ? TRANSFORM_MOST : exponential_double(x);
    return y < TRANSFORM_MOST ? y : TRANSFORM_MOST;
}

double transform_mean(double lambda, double x, double deviation)
{
    const double variance = deviation * deviation;
    double y, base;

    if (lambda == TRANSFORM_NONE)
        return x;
    if (lambda == 0)
        return transform_back(0, x + 0.5 * variance);
    y = transform_back(lambda, x);
    base = lambda * x + 1;
    if (!(base > 0))
        return y;
    y *= 1 + 0.5 * variance * (1 - lambda) / (base * base);
    return y < TRANSFORM_MOST ? y : TRANSFORM_MOST;
}

/* ---- the choice ---- */

struct span {
    double mean, deviation;
};

static bool measure_span(const double *values, uint32_t count, struct span *span)
{
    double sum = 0, squares = 0, known = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            known++;
        }
    span->mean = sum / known;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            squares += (values[i] - span->mean) * (values[i] - span->mean);
    span->deviation = known > 1 ? sqrt(squares / (known - 1)) : 0;
    return known > 1 && span->mean > 0;
}

/* The variation of deviation / mean^(1 - lambda) over spans, by its own mean; count of spans. */
static double variation_of(const double *values, uint32_t count, uint32_t length, double lambda,
                           uint32_t *spans)
{
    double sum = 0, squares = 0, mean, variance;
    struct span span;

    *spans = 0;
    for (uint32_t i = count % length; i < count; i += length) {
        double ratio;

        if (!measure_span(values + i, length, &span))
            continue;
        ratio = span.deviation * exponential_double((lambda - 1) * logarithm_double(span.mean));
        sum += ratio;
        squares += ratio * ratio;
        ++*spans;
    }
    if (*spans < SPANS_LEAST || !(sum > 0))
        return INFINITY;
    mean = sum / *spans;
    variance = (squares - *spans * mean * mean) / (*spans - 1);
    return sqrt(variance > 0 ? variance : 0) / mean;
}

double transform_choose(const double *values, uint32_t count, uint32_t season)
{
    const uint32_t length = season > SPAN_LEAST ? season : SPAN_LEAST;
    double best = TRANSFORM_NONE, least = INFINITY;
    uint32_t spans;

    for (int i = LAMBDA_STEPS; i >= 0; i--) {
        const double lambda = (double)i / LAMBDA_STEPS;
        const double variation = variation_of(values, count, length, lambda, &spans);

        if (variation < least) {
            least = variation;
            best = lambda;
        }
    }
    return best;
}
