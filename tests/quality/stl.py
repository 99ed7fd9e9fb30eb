#!/usr/bin/env python3
"""Reference numbers of STL: what statsmodels makes of a series with one season, and with two in turns as its MSTL takes them.

The rows are those of tests/unit/test_stl.c. Windows and jumps are those of forecast/methods/stl.c; statsmodels has no jumps
unless it is told.

As a program, with statsmodels in its environment, it prints the lines of that test's tables (made with statsmodels
0.15.0): the season, or each of the two, and the trend, or the rest, at places 0, 5, 60 and the last.
"""

import math

import numpy

ONE = numpy.array([200 + i + [17, 3, -4, -11, 0, 25, 31, 8, -6, -20, -22, -21][i % 12] + (i * 7919 % 13) - 6 for i in range(96)], float)
TWO = numpy.array([50 + i % 7 * 3 + (i % 30) * (29 - i % 30) / 9 + i / 8 + (i * 7919 % 13) for i in range(200)], float)


def split(values, season, window):
    from statsmodels.tsa.seasonal import STL
    trend = math.ceil(1.5 * season / (1 - 1.5 / window)) | 1
    low = (season + 1) | 1
    return STL(values, season, seasonal=window, trend=trend, low_pass=low, trend_jump=-(-trend // 10),
               low_pass_jump=-(-low // 10)).fit(inner_iter=2, outer_iter=0)


def shown(series):
    return ", ".join(f"{series[i]:.8f}" for i in (0, 5, 60, -1))


def main():
    for window in (7, 11):
        made = split(ONE, 12, window)
        print(f"    {{{window}, {{{shown(made.seasonal)}}}, {{{shown(made.trend)}}}}},")
    rest, parts = TWO.copy(), [numpy.zeros(200), numpy.zeros(200)]
    for _ in range(2):
        for at, season in enumerate((7, 30)):
            rest += parts[at]
            parts[at] = split(rest, season, 11 + 4 * at).seasonal
            rest -= parts[at]
    for series in (*parts, rest):
        print(f"    {{{shown(series)}}},")


if __name__ == "__main__":
    main()
