/*
 * forecast_limits.h - the numbers that forecasts may be: forecast.lower, forecast.upper,
 * forecast.round.
 *
 * A forecast is made without them, and how far intervals reach is measured without them. Each
 * number is limited when it is told: it becomes a whole one, then the limit that it is beyond.
 */
#pragma once

#include <math.h>
#include <stdbool.h>

struct forecast_limits {
    double lower, upper; /* -INFINITY and INFINITY: none */
    bool is_whole;
};

static const struct forecast_limits forecast_unlimited = {-INFINITY, INFINITY, false};

static inline bool forecast_is_limited(const struct forecast_limits *limits)
{
    return limits->is_whole || isfinite(limits->lower) || isfinite(limits->upper);
}

static inline double forecast_within(const struct forecast_limits *limits, double number)
{
    return number < limits->lower ? limits->lower : number > limits->upper ? limits->upper : number;
}

/* A number of an interval; NAN stays NAN. */
static inline double forecast_limited_lower(const struct forecast_limits *limits, double number)
{
    return forecast_within(limits, limits->is_whole ? floor(number) : number);
}
static inline double forecast_limited_value(const struct forecast_limits *limits, double number)
{
    return forecast_within(limits, limits->is_whole ? floor(number + 0.5) : number);
}
static inline double forecast_limited_upper(const struct forecast_limits *limits, double number)
{
    return forecast_within(limits, limits->is_whole ? ceil(number) : number);
}
