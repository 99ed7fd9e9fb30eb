#!/usr/bin/env python3
"""Likelihoods and forecasts of statsforecast on 200 drawn series: the lines of tests/unit/forecast_peers.h.

    forecast_peers.py > tests/unit/forecast_peers.h     (with statsforecast in its environment; then make format)

The series are integers that tests/unit/test_forecast_peers.c draws, too. Each has -2 log likelihood of four models of
exponential smoothing (infinite where there is none), and the first and the twelfth forecast of three methods: Theta's, or
Croston's where most values are 0. Made with statsforecast 2.1.1.
"""

import warnings

import numpy

SERIES, HORIZON = 200, 12
SEASONS = (12, 4, 1, 1)  # by the series' number; the last kind is demand that is mostly 0
FORMS = {True: (("ANA", False), ("AAA", False), ("MNM", False), ("MAM", False)),
         False: (("ANN", False), ("AAN", False), ("AAN", True), ("MNN", False))}


HEAD = """/* forecast_peers.h - what statsforecast makes of 200 drawn series, as tests/quality/forecast_peers.py prints it. */
#ifndef TESTS_UNIT_FORECAST_PEERS_H
#define TESTS_UNIT_FORECAST_PEERS_H

#include <math.h>

struct peer {
    double likelihoods[4]; /* -2 log likelihood of four models; INFINITY: there is none */
    double means[6];       /* the first and the last forecast of three methods */
};
"""


def draw(number, place, least, count):
    """One of `count` integers from `least` on: the bits of a product of 32."""
    mixed = ((number * 7919 + place * 104729 + 12345) * 2654435761) % 2 ** 32
    mixed = ((mixed ^ mixed >> 15) * 2246822519) % 2 ** 32
    return least + (mixed >> 16) % count


def values_of(number):
    season = SEASONS[number % 4]
    count = 3 * season + 24 + draw(number, 0, 0, 40)
    trend, walk, made = draw(number, 1, -1, 4), 0, []
    for i in range(count):
        walk += draw(number, 1000 + i, -3, 7)
        value = 400 + trend * i + walk + draw(number, 2000 + i, -12, 25)
        if season > 1:
            value += draw(number, 3000 + i % season, -60, 121)
        if number % 4 == 3:
            value = draw(number, 4000 + i, 1, 20) if draw(number, 5000 + i, 0, 3) == 0 else 0
        made.append(max(value, 0 if number % 4 == 3 else 20))
    return numpy.array(made, float), season


def likelihood(model):
    """Not of a model that lies outside of where it may: statsforecast's search leaves it where beta is above alpha."""
    alpha, beta, gamma, _ = model["par"][:4]
    return "INFINITY" if beta > alpha or gamma > 1 - alpha else f"{-2 * model['loglik']:.3f}"


def fit(number, models):
    values, season = values_of(number)
    if number % 4 == 3:
        likelihoods = ["INFINITY"] * 4
        methods = models.CrostonClassic(), models.CrostonSBA(), models.TSB(alpha_d=0.1, alpha_p=0.1)
    else:
        likelihoods = [likelihood(models.AutoETS(season_length=season, model=form, damped=damped).fit(values).model_)
                       for form, damped in FORMS[season > 1]]
        methods = (models.Theta(season_length=season), models.OptimizedTheta(season_length=season),
                   models.DynamicOptimizedTheta(season_length=season))
    means = [method.forecast(y=values, h=HORIZON)["mean"] for method in methods]
    return likelihoods, [float(mean[step]) for mean in means for step in (0, HORIZON - 1)]


def main():
    from statsforecast import models
    warnings.filterwarnings("ignore")
    print(HEAD)
    print(f"static const struct peer peers[{SERIES}] = {{")
    for number in range(SERIES):
        likelihoods, means = fit(number, models)
        print(f"    {{{{{', '.join(likelihoods)}}},", flush=True)
        print(f"     {{{', '.join(f'{value:.4f}' for value in means)}}}}},", flush=True)
    print("};\n\n#endif")


if __name__ == "__main__":
    main()
