#!/usr/bin/env python3
"""A score card of the rows of linear_models.py: what plain counting and scikit-learn's logistic regression make of it.

REFERENCE: by settings the coefficients, information values, and of each bin rows, bad rows, weight of evidence, points;
and points and probabilities of the first rows. As a program, with scikit-learn in its environment, it prints REFERENCE
anew (made with scikit-learn 1.9.1).
"""

import bisect
import json
import math

import linear_models

INPUTS = ("a", "b", "c", "kind")
# bins, smoothing, l2, base score, base odds, points to double the odds
SETTINGS = {
    "defaults": (10, 1, 1, 600, 20, 20),
    "others": (4, .5, .1, 500, 1, 50),
}


def rows():
    """The four inputs, c of some rows missing, and 1 for bad."""
    return [row[:5] for row in linear_models.rows()]


def bounds_of(values, bins):
    values = sorted(value for value in values if value is not None)
    size, rest = divmod(len(values), bins)
    return [values[size * b + rest * b // bins] for b in range(1, bins)]


def bins_of(column, bins):
    if isinstance(column[0], str):
        return column
    bounds = bounds_of(column, bins)
    return [None if value is None else bisect.bisect_right(bounds, value) for value in column]


def evidence(column, bad, smoothing):
    """The rows, bad rows, weight of evidence, and share of the information value of each bin."""
    all_bad, count = sum(bad), len(bad)
    share = all_bad / count
    found = {}
    for name in set(column):
        inside = [is_bad for value, is_bad in zip(column, bad) if value == name]
        b, g = sum(inside), len(inside) - sum(inside)
        woe = math.log((b + smoothing * share) / (g + smoothing * (1 - share))) - math.log(all_bad / (count - all_bad))
        found[name] = (len(inside), b, woe, (b / all_bad - g / (count - all_bad)) * woe)
    return found


REFERENCE = {
    "defaults": {
        "base": 510,
        "coefficients": [0.1403911186, 1.170260696, 1.231862736, 0.1808615322, 1.459633979],
        "iv": [1.041580044, 0.3277704124, 0.05445989646, 0.2638284665],
        "bins": [
            [
                [40, 7, -1.64081705, 55],
                [40, 7, -1.64081705, 55],
                [40, 18, -0.3423337477, 12],
                [40, 21, -0.04897613836, 2],
                [40, 15, -0.6442325278, 22],
                [40, 22, 0.04915673762, -2],
                [40, 28, 0.6782126735, -23],
                [40, 31, 1.053558492, -36],
                [40, 30, 0.9208757977, -31],
                [40, 36, 1.95234778, -66],
            ],
            [
                [40, 12, -0.9701454812, 34],
                [40, 15, -0.6442325278, 23],
                [40, 17, -0.4413441595, 16],
                [40, 22, 0.04915673762, -2],
                [40, 21, -0.04897613836, 2],
                [40, 20, -0.1466236624, 5],
                [40, 22, 0.04915673762, -2],
                [40, 30, 0.9208757977, -33],
                [40, 29, 0.7962976019, -28],
                [40, 27, 0.5653584666, -20],
            ],
            [
                [32, 16, -0.1457367407, 1],
                [33, 20, 0.2720622378, -1],
                [32, 17, -0.02435849534, 0],
                [33, 19, 0.1504944002, -1],
                [32, 14, -0.3892923331, 2],
                [33, 20, 0.2720622378, -1],
                [32, 14, -0.3892923331, 2],
                [33, 17, -0.08702582469, 0],
                [32, 20, 0.349246145, -2],
                [33, 19, 0.1504944002, -1],
                [75, 39, -0.06931694961, 0],
            ],
            [
                [60, 49, 1.313366918, -55],
                [120, 62, -0.08290134929, 3],
                [171, 79, -0.3008567514, 13],
                [49, 25, -0.1072755756, 5],
            ],
        ],
        "points": [523, 489, 469, 505, 582],
        "probabilities": [0.4235915436, 0.7022670857, 0.8261724916, 0.5743129893, 0.08460917126],
    },
    "others": {
        "base": 490,
        "coefficients": [0.1384316479, 1.218800293, 1.481296392, 0.05527463558, 1.454080932],
        "iv": [0.9478666745, 0.264694983, 0.01397427817, 0.2664827205],
        "bins": [
            [
                [100, 20, -1.526115002, 134],
                [100, 48, -0.2291788245, 20],
                [100, 66, 0.5102972711, -45],
                [100, 81, 1.290942801, -113],
            ],
            [
                [100, 36, -0.7218155665, 77],
                [100, 51, -0.1097293827, 12],
                [100, 57, 0.1309092833, -14],
                [100, 71, 0.7409373969, -79],
            ],
            [
                [81, 45, 0.07241273981, 0],
                [81, 41, -0.1248207049, 0],
                [81, 42, -0.07570778379, 0],
                [82, 48, 0.1933631807, -1],
                [75, 39, -0.06977517199, 0],
            ],
            [
                [60, 49, 1.328307731, -139],
                [120, 62, -0.08324466045, 9],
                [171, 79, -0.3017372354, 32],
                [49, 25, -0.1083568711, 11],
            ],
        ],
        "points": [528, 489, 318, 439, 644],
        "probabilities": [0.4038176218, 0.5386490698, 0.9259068479, 0.6997903923, 0.1197820299],
    },
}


def reference():
    # pylint: disable=import-outside-toplevel,import-error
    import numpy
    from sklearn import linear_model
    made = rows()
    bad = [row[4] for row in made]
    found = {}
    for name, (bins, smoothing, l2, base_score, base_odds, pdo) in SETTINGS.items():
        columns = [bins_of([row[i] for row in made], bins) for i in range(len(INPUTS))]
        cards = [evidence(column, bad, smoothing) for column in columns]
        inputs = numpy.array([[card[value][2] for card, value in zip(cards, row)] for row in zip(*columns)])
        fit = linear_model.LogisticRegression(C=1 / l2, tol=1e-12, max_iter=10000).fit(inputs, bad)
        factor = pdo / math.log(2)
        base = round(base_score + factor * (-fit.intercept_[0] - math.log(base_odds)))
        points = [{key: round(-factor * weight * bin[2]) for key, bin in card.items()}
                  for card, weight in zip(cards, fit.coef_[0])]
        found[name] = {
            "base": base,
            "coefficients": [fit.intercept_[0], *fit.coef_[0]],
            "iv": [sum(bin[3] for bin in card.values()) for card in cards],
            "bins": [[[*card[key][:3], points[i][key]] for key in sorted(card, key=lambda key: (key is None, key))]
                     for i, card in enumerate(cards)],
            "points": [base + sum(part[value] for part, value in zip(points, row))
                       for row in list(zip(*columns))[:linear_models.SHOWN]],
            "probabilities": fit.predict_proba(inputs)[:linear_models.SHOWN, 1].tolist(),
        }
    return found


if __name__ == "__main__":
    print(json.dumps(reference(), indent=4))
