#!/usr/bin/env python3
"""Rows for trees, and what XGBoost and LightGBM learn of them.

The columns have few values, so that all three programs find the same bins, and trees can be the same trees: then
predictions are the same numbers. LEARNED: of each model who learns it, the label, what it is told, and the rounds;
PREDICTED its predictions of the first rows. ROUNDS: models that stop early; MEASURED what XGBoost measures of each
round, and which of them is the best.

As a program, with xgboost, lightgbm and numpy in its environment, it prints them anew (made with xgboost 3.2.0 and
lightgbm 4.7.0).
"""

import json
import random

SHOWN = 6  # rows whose predictions are kept
HELD_OUT = 300  # the last rows


def rows(count=900):
    """a, b, c numbers of few values, b of some rows missing; z a number, y two classes, k three, p from 2 on."""
    draw = random.Random(11)
    made = []
    for _ in range(count):
        a, b, c = draw.randrange(8), draw.randrange(6), draw.randrange(10)
        z = 3 * a + (b - 2) * c + (draw.gauss(0, 1) if draw.random() < .9 else draw.gauss(0, 20)) + 5
        y = int(z + draw.gauss(0, 8) > 20)
        k = "low" if z < 10 else "high" if z > 25 else "middle"
        made.append((float(a), float(b) if draw.random() < .9 else None, float(c), z, y, k, abs(z) + 2))
    return made


XGBOOST = {"max_depth": 3, "eta": .3}
LIGHTGBM = {"num_leaves": 6, "learning_rate": .3, "min_data_in_leaf": 10, "min_data_in_bin": 1}

LEARNED = {
    "three quantiles": ("xgboost", "z", {"objective": "reg:quantileerror", "quantile_alpha": [.1, .5, .9]}, 6),
    "one quantile": ("xgboost", "z", {"objective": "reg:quantileerror", "quantile_alpha": .25}, 6),
    "huber": ("lightgbm", "z", {"objective": "huber", "alpha": 2.5}, 6),
    "fair": ("lightgbm", "z", {"objective": "fair", "fair_c": 3.0}, 6),
}

# LightGBM's mape takes the row before the median as the value of a leaf: only the error can be the same.
ERRORS = {"mape": ("lightgbm", "p", {"objective": "mape"}, 30, "MAPE", 0.18959)}

ROUNDS = {
    "two classes": ("y", {"objective": "binary:logistic", "eval_metric": ["auc", "error", "logloss"]}),
    "three classes": ("k", {"objective": "multi:softprob", "eval_metric": ["merror", "mlogloss"]}),
    "numbers": ("z", {"objective": "reg:squarederror", "eval_metric": ["mae", "rmse"]}),
}
ROUNDS_MOST, PATIENCE = 60, 4

PREDICTED = {
    "three quantiles": [
        [17.30229, 30.980721, 42.620193],
        [17.30229, 30.980721, 50.243763],
        [5.4418492, 17.343639, 31.814127],
        [5.4418492, 10.804606, 21.432453],
        [16.818029, 26.645809, 30.038036],
        [-5.6599278, 10.654567, 21.697496],
    ],
    "one quantile": [21.157663, 21.927496, 10.732882, 7.51195, 21.157663, 3.3520839],
    "huber": [21.613098, 21.613098, 18.102535, 15.235568, 20.918373, 14.78987],
    "fair": [44.046401, 43.989936, 12.697343, 11.692946, 26.462311, 11.692946],
}

MEASURED = {
    "two classes": {
        "best": 8,
        "train error": [0.2216667, 0.2216667, 0.2083333, 0.2066667, 0.195, 0.2016667, 0.195, 0.1933333, 0.19,
            0.1933333, 0.1866667, 0.1866667],
        "train logloss": [0.5990398, 0.5500862, 0.5188744, 0.4949867, 0.4803578, 0.4665993, 0.4555659, 0.4479031,
            0.4429698, 0.4371939, 0.4329595, 0.4286602],
        "validation auc": [0.7959097, 0.8081092, 0.8170748, 0.8310362, 0.8366787, 0.8387305, 0.8434587, 0.8418752,
            0.8383291, 0.8366341, 0.8377046, 0.8360319],
        "validation error": [0.2766667, 0.2766667, 0.2733333, 0.2633333, 0.2566667, 0.26, 0.2566667, 0.2566667,
            0.2533333, 0.25, 0.25, 0.24],
        "validation logloss": [0.6198935, 0.579844, 0.5532822, 0.5325939, 0.5216656, 0.5090599, 0.5023657, 0.4999377,
            0.5020882, 0.5031605, 0.5010591, 0.5008947],
    },
    "three classes": {
        "best": 23,
        "train merror": [0.3716667, 0.2166667, 0.2083333, 0.1716667, 0.1516667, 0.1533333, 0.1366667, 0.14, 0.1266667,
            0.1216667, 0.1116667, 0.1133333, 0.1116667, 0.115, 0.1133333, 0.1133333, 0.1133333, 0.1133333, 0.115,
            0.11, 0.1116667, 0.1116667, 0.1116667, 0.105, 0.1066667, 0.105, 0.105],
        "train mlogloss": [0.8686204, 0.7493823, 0.6698956, 0.6093406, 0.5646699, 0.5272145, 0.5008748, 0.4794897,
            0.460999, 0.4474352, 0.4320604, 0.4229654, 0.4121792, 0.4051179, 0.3982542, 0.3901511, 0.3842187,
            0.3798312, 0.3760839, 0.3729541, 0.3682701, 0.3652586, 0.3625329, 0.3593334, 0.3558195, 0.3534542,
            0.3506587],
        "validation merror": [0.39, 0.2433333, 0.2433333, 0.2233333, 0.22, 0.22, 0.2133333, 0.2066667, 0.19,
            0.2033333, 0.18, 0.18, 0.17, 0.18, 0.18, 0.1833333, 0.1833333, 0.18, 0.1766667, 0.18, 0.1766667,
            0.1766667, 0.1766667, 0.18, 0.1766667, 0.1866667, 0.1866667],
        "validation mlogloss": [0.887181, 0.7819506, 0.7166109, 0.6671364, 0.6311982, 0.6064605, 0.5895933, 0.5746525,
            0.5537679, 0.5486981, 0.5334602, 0.5274872, 0.5174538, 0.5147767, 0.5102319, 0.5074924, 0.5021935,
            0.4999441, 0.4972872, 0.4956323, 0.4936739, 0.4936564, 0.4926481, 0.4951695, 0.4978862, 0.4993718,
            0.5010627],
    },
    "numbers": {
        "best": 16,
        "train mae": [8.3798478, 7.0742284, 6.1239372, 5.4451233, 4.9873802, 4.5921982, 4.3300925, 4.0914961,
            3.9345457, 3.7909464, 3.6666085, 3.5981485, 3.5511567, 3.4961521, 3.4600066, 3.4410816, 3.4358597,
            3.4255847, 3.4017837, 3.3863286],
        "train rmse": [11.354497, 9.9674485, 9.1435443, 8.5032765, 8.1186609, 7.7504954, 7.5317066, 7.3426259,
            7.2271267, 7.1523011, 7.0797831, 7.0373549, 6.9907283, 6.9511969, 6.921593, 6.8967022, 6.8746009,
            6.8584179, 6.8211042, 6.8034532],
        "validation mae": [7.9195078, 6.7499433, 5.9661567, 5.2768431, 4.8501203, 4.4186294, 4.1725319, 3.9565676,
            3.7809127, 3.633935, 3.4627835, 3.3814456, 3.33561, 3.3174492, 3.2549514, 3.2356458, 3.25715, 3.2470601,
            3.2751267, 3.2623004],
        "validation rmse": [10.548596, 9.2439545, 8.4696898, 7.7798632, 7.4088137, 6.980145, 6.7820295, 6.6277188,
            6.5244004, 6.4246463, 6.3327453, 6.3021309, 6.2786791, 6.2932039, 6.2515, 6.2414371, 6.2548027, 6.2581549,
            6.2955254, 6.2884874],
    },
}


def labels(made, label):
    return [["high", "low", "middle"].index(row[5]) if label == "k" else row["zykp".index(label) + 3] for row in made]


def data_of(made):
    import numpy  # pylint: disable=import-outside-toplevel,import-error
    return numpy.array([[numpy.nan if number is None else number for number in row[:3]] for row in made])


def learned():
    import lightgbm  # pylint: disable=import-outside-toplevel,import-error
    import xgboost  # pylint: disable=import-outside-toplevel,import-error
    made = rows()
    found = {}
    for name, (program, label, told, rounds) in LEARNED.items():
        inputs, targets = data_of(made), labels(made, label)
        if program == "xgboost":
            data = xgboost.DMatrix(inputs, targets)
            predicted = xgboost.train({**XGBOOST, **told, "nthread": 1}, data, rounds).predict(data)
        else:
            data = lightgbm.Dataset(inputs, targets)
            predicted = lightgbm.train({**LIGHTGBM, **told, "verbose": -1, "num_threads": 1}, data, rounds).predict(inputs)
        found[name] = predicted[:SHOWN].astype(float).tolist()
    return found


def errors():
    """The mean of |prediction - label| / max(1, |label|)."""
    import lightgbm  # pylint: disable=import-outside-toplevel,import-error
    import numpy  # pylint: disable=import-outside-toplevel,import-error
    made = rows()
    found = {}
    for name, (_, label, told, rounds, *_) in ERRORS.items():
        inputs, targets = data_of(made), numpy.array(labels(made, label))
        booster = lightgbm.train({**LIGHTGBM, **told, "verbose": -1, "num_threads": 1},
                                 lightgbm.Dataset(inputs, targets), rounds)
        found[name] = float(numpy.mean(abs(booster.predict(inputs) - targets) / numpy.maximum(1, abs(targets))))
    return found


def measured():
    """Metrics of each model's rounds by their names, and the number of the best round, from 1."""
    import xgboost  # pylint: disable=import-outside-toplevel,import-error
    made = rows()
    found = {}
    for name, (label, told) in ROUNDS.items():
        told = {**XGBOOST, **told, "nthread": 1, **({"num_class": 3} if label == "k" else {})}
        train, held_out = (xgboost.DMatrix(data_of(part), labels(part, label))
                           for part in (made[:-HELD_OUT], made[-HELD_OUT:]))
        told_of_rounds = {}
        booster = xgboost.train(told, train, ROUNDS_MOST, [(train, "train"), (held_out, "validation")],
                                early_stopping_rounds=PATIENCE, evals_result=told_of_rounds, verbose_eval=False)
        found[name] = {"best": booster.best_iteration + 1,
                       **{f"{part} {metric}": [round(value, 7) for value in values]
                          for part, of_part in told_of_rounds.items() for metric, values in of_part.items()}}
    return found


if __name__ == "__main__":
    print(json.dumps({"learned": learned(), "errors": errors(), "measured": measured()}, indent=4))
