#!/usr/bin/env python3
"""Reference numbers of regressions with ARIMA errors: the conditional least squares that scipy finds over the coefficients of ARIMA
and regressors at once, from many starts, and beside them what the exact likelihood of statsmodels' SARIMAX says.

The same rows are in tests/unit/test_regressors.c. As a program, with statsmodels in its environment, it prints the
lines of that test's table (made with statsmodels 0.14 and scipy 1.17): order, the two coefficients, and the value that
is expected of the first and the last of twelve steps where both regressors are 0.
"""

import arima
import numpy

PROMO = numpy.array([i * i * 7 % 11 < 3 for i in range(96)], float)
PRICE = numpy.array([10 + i * 37 % 17 / 8 for i in range(96)])
X = numpy.column_stack([PROMO, PRICE])
VALUES = arima.VALUES + 40 * PROMO - 12.5 * PRICE
ORDERS = (((1, 0, 0), (0, 0, 0), True), ((0, 1, 1), (0, 0, 0), False), ((1, 0, 0), (0, 1, 0), True), ((0, 1, 1), (1, 0, 0), False))


def searched(order, seasonal, constant):
    from scipy import optimize, signal
    draw = numpy.random.default_rng(1)
    count = order[0] + order[2] + seasonal[0] + seasonal[2]

    def differenced(w):
        for lag in [arima.M] * seasonal[1] + [1] * order[1]:
            w = w[lag:] - w[:-lag]
        return w

    def errors(x):
        ar, ma, mean = arima.parts(x[2:], order, seasonal)
        if min(numpy.abs(numpy.roots(p[::-1])).min(initial=9) for p in (ar, ma)) < 1 + 1e-5:
            return numpy.full(len(differenced(VALUES)), 1e3)
        return signal.lfilter(ar, ma, differenced(VALUES - X @ x[:2]) - mean)

    first = numpy.linalg.lstsq(numpy.diff(X, axis=0), numpy.diff(VALUES), rcond=None)[0]
    mean = [differenced(VALUES - X @ first).mean()] * constant
    found = [optimize.least_squares(errors, numpy.concatenate([first, draw.uniform(-.6, .6, count), mean]), xtol=1e-12, ftol=1e-12,
                                    gtol=1e-12) for _ in range(20)]
    return min(found, key=lambda one: one.cost).x


def likely(order, seasonal, constant):
    from statsmodels.tsa.statespace.sarimax import SARIMAX
    mean = constant and not order[1] + seasonal[1]
    exog = numpy.column_stack([X, numpy.ones(96)]) if mean else X
    drift = "c" if constant and not mean else "n"
    return SARIMAX(VALUES, exog=exog, order=order, seasonal_order=(*seasonal, arima.M), trend=drift).fit(disp=False).params


def main():
    for order, seasonal, constant in ORDERS:
        x = searched(order, seasonal, constant)
        plain, arima.VALUES = arima.VALUES, VALUES - X @ x[:2]
        _, errors = arima.searched(order, seasonal, constant)
        made = arima.ahead(x[2:], order, seasonal, errors)
        arima.VALUES = plain
        other = likely(order, seasonal, constant)
        first = 1 if constant and order[1] + seasonal[1] else 0  # a drift stands before the regressors
        shown = [order[0], order[1], order[2], seasonal[0], seasonal[1], seasonal[2]]
        print(f"    /* statsmodels: {numpy.round(other[first:first + 2], 3).tolist()} */")
        print(f"    {{{{{', '.join(map(str, shown))}, {str(constant).lower()}}}, {{{x[0]:.4f}, {x[1]:.4f}}}, "
              f"{{{made[0]:.2f}, {made[-1]:.2f}}}}}, /* {numpy.round(x[2:], 4).tolist()} */")


if __name__ == "__main__":
    main()
