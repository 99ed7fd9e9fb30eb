#!/usr/bin/env python3
"""Reference numbers of ARIMA by conditional squares: statsforecast's (R's `arima`, method CSS) where it has no lags of values, and
otherwise the least squares that scipy finds from many starts.

R's conditional squares leave the first errors out where there are lags of values; ours have none before the first
value, so that orders of all kinds have the same number of errors. The same rows are in tests/unit/test_arima.c.

As a program, with statsforecast in its environment, it prints the lines of that test's table (made with statsforecast
2.1.1 and scipy 1.17.1): order, sum of squares, and the first, second and last of twelve forecasts.
"""

import numpy

SEASON = [17, 3, -4, -11, 0, 25, 31, 8, -6, -20, -22, -21]
VALUES = numpy.array([200 + i + SEASON[i % 12] + 9 * (i % 7 < 3) + (i * 7919 % 13) - 6 for i in range(96)], float)
ORDERS = (((0, 1, 1), (0, 1, 1), False), ((0, 1, 2), (0, 1, 0), False), ((0, 1, 1), (0, 0, 0), True), ((0, 0, 2), (0, 0, 0), True),
          ((1, 1, 1), (0, 1, 1), False), ((2, 0, 0), (1, 1, 0), True), ((3, 1, 0), (0, 0, 2), False),
          ((0, 2, 2), (0, 0, 0), False))
M, HORIZON = 12, 12


def polynomial(coefficients, lag):
    made = numpy.zeros(len(coefficients) * lag + 1)
    made[0] = 1
    made[lag::lag] = coefficients
    return made


def parts(x, order, seasonal):
    bounds = numpy.cumsum([order[0], seasonal[0], order[2], seasonal[2]])
    ar, seasonal_ar, ma, seasonal_ma, mean = numpy.split(x, bounds)
    return (numpy.convolve(polynomial(-ar, 1), polynomial(-seasonal_ar, M)), numpy.convolve(polynomial(ma, 1), polynomial(seasonal_ma, M)),
            mean[0] if len(mean) else 0)


def differenced(order, seasonal):
    w = VALUES
    for lag in [M] * seasonal[1] + [1] * order[1]:
        w = w[lag:] - w[:-lag]
    return w


def searched(order, seasonal, constant):
    from scipy import optimize, signal
    w = differenced(order, seasonal)
    count = order[0] + order[2] + seasonal[0] + seasonal[2]

    def errors(x):
        ar, ma, mean = parts(x, order, seasonal)
        if min(numpy.abs(numpy.roots(p[::-1])).min(initial=9) for p in (ar, ma)) < 1 + 1e-5:
            return numpy.full(len(w), 1e3)
        return signal.lfilter(ar, ma, w - mean)

    draw = numpy.random.default_rng(1)
    found = [optimize.least_squares(errors, numpy.append(draw.uniform(-.6, .6, count), [w.mean()] * constant), xtol=1e-12, ftol=1e-12,
                                    gtol=1e-12) for _ in range(40)]
    return min(found, key=lambda one: one.cost).x, errors


def fitted_by_r(order, seasonal, constant):
    from statsforecast.arima import arima
    drift = numpy.arange(1, len(VALUES) + 1.0).reshape(-1, 1) if constant and order[1] + seasonal[1] else None
    made = arima(VALUES, order=order, seasonal={"order": seasonal, "period": M}, method="CSS", xreg=drift,
                 include_mean=constant and drift is None)
    return numpy.array(list(made["coef"].values()))


def ahead(x, order, seasonal, errors):
    ar, ma, mean = parts(x, order, seasonal)
    past, e = list(differenced(order, seasonal) - mean), list(errors(x))
    values = list(VALUES)
    for _ in range(HORIZON):
        e.append(0)
        past.append(-sum(a * past[-i] for i, a in enumerate(ar[1:], 1)) + sum(a * e[-i - 1] for i, a in enumerate(ma[1:], 1)))
        full = numpy.array([1.0])
        for lag in [M] * seasonal[1] + [1] * order[1]:
            full = numpy.convolve(full, polynomial([-1], lag))
        values.append(past[-1] + mean - sum(a * values[-i] for i, a in enumerate(full[1:], 1)))
    return values[len(VALUES):]


def main():
    for order, seasonal, constant in ORDERS:
        x, errors = searched(order, seasonal, constant)
        if order[0] + seasonal[0] == 0:
            other = fitted_by_r(order, seasonal, constant)
            print(f"    /* statsforecast: {numpy.round(other, 4).tolist()}, {numpy.sum(errors(other) ** 2):.3f} */")
        made = ahead(x, order, seasonal, errors)
        shown = [order[0], order[1], order[2], seasonal[0], seasonal[1], seasonal[2]]
        print(f"    {{{{{', '.join(map(str, shown))}, {str(constant).lower()}}}, {numpy.sum(errors(x) ** 2):.3f}, "
              f"{{{made[0]:.3f}, {made[1]:.3f}, {made[-1]:.3f}}}}}, /* {numpy.round(x, 4).tolist()} */")


if __name__ == "__main__":
    main()
