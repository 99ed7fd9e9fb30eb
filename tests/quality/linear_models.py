#!/usr/bin/env python3
"""Rows for linear models, and what XGBoost's booster gblinear predicts of the first of them.

SETTINGS: of each model the label, what XGBoost is told, and REFERENCE its predictions. As a program, with xgboost and
numpy in its environment, it prints REFERENCE anew (made with xgboost 3.2.0).
"""

import collections
import json
import random

SHOWN = 5  # rows whose predictions are kept


def rows(count=400):
    """a, b, c numbers of unlike scales, c of some rows missing; kind a word; y two classes, k three, z a number."""
    draw = random.Random(7)
    made = []
    for _ in range(count):
        a, b, c, kind = draw.gauss(0, 1), draw.gauss(50, 10), draw.gauss(-3, .1), draw.choice("pqqrrrs")
        z = 2 * a + .1 * b - 4 * c + (kind == "p") * 3 + draw.gauss(0, 1)
        y = int(z + draw.gauss(0, 2) > 17.5)
        k = "low" if z < 16 else "high" if z > 19 else "middle"
        made.append((a, b, c if draw.random() < .85 else None, kind, y, k, z))
    return made


SETTINGS = {
    "numbers": ("z", {"objective": "reg:squarederror"}, 10),
    "numbers with penalties": ("z", {"objective": "reg:squarederror", "lambda": .1, "alpha": .05}, 10),
    "slow": ("z", {"objective": "reg:squarederror", "eta": .1, "base_score": .5}, 20),
    "two classes": ("y", {"objective": "binary:logistic"}, 10),
    "two classes with penalties": ("y", {"objective": "binary:logistic", "lambda": .01, "alpha": .01}, 10),
    "three classes": ("k", {"objective": "multi:softprob"}, 10),
}

REFERENCE = {
    "numbers": [16.951466, 18.577526, 20.519701, 16.449514, 14.232347],
    "numbers with penalties": [17.186165, 18.639662, 19.390341, 16.838526, 14.906766],
    "slow": [14.377481, 18.971243, 16.791737, 18.462286, 14.408455],
    "two classes": [0.38882527, 0.61610353, 0.91472161, 0.3550559, 0.120037],
    "two classes with penalties": [0.42878911, 0.62285006, 0.78890532, 0.42235392, 0.19146457],
    "three classes": [
        [0.11609556, 0.25968999, 0.62421447],
        [0.33656132, 0.054025352, 0.60941327],
        [0.78280765, 0.0062999502, 0.21089239],
        [0.10950024, 0.40775013, 0.48274967],
        [0.0088724429, 0.84289616, 0.14823136],
    ],
}


def words_of(made):
    """In the order that they are columns in: the frequent ones first."""
    counts = collections.Counter(row[3] for row in made)
    return sorted(counts, key=lambda word: (-counts[word], word))


def reference():
    import numpy  # pylint: disable=import-outside-toplevel,import-error
    import xgboost  # pylint: disable=import-outside-toplevel,import-error
    made = rows()
    words = words_of(made)
    inputs = numpy.array([[numpy.nan if number is None else number for number in row[:3]] +
                          [1.0 if row[3] == word else numpy.nan for word in words] for row in made])
    labels = {"y": [row[4] for row in made], "k": [["high", "low", "middle"].index(row[5]) for row in made],
              "z": [row[6] for row in made]}
    found = {}
    for name, (label, settings, rounds) in SETTINGS.items():
        told = dict(settings, booster="gblinear", updater="coord_descent", nthread=1)
        if label == "k":
            told["num_class"] = 3
        data = xgboost.DMatrix(inputs, labels[label])
        found[name] = xgboost.train(told, data, rounds).predict(data)[:SHOWN].astype(float).tolist()
    return found


if __name__ == "__main__":
    print(json.dumps(reference(), indent=4))
