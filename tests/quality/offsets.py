#!/usr/bin/env python3
"""Models of XGBoost with base_margin, LightGBM with init_score and statsmodels' GLM with offset and exposure.

Rows are those of tree_references.py, with an offset o and an exposure e. LEARNED: of each model who learns it, the
label, what it is told, and the rounds; PREDICTED its predictions of the first rows, with their offsets.

As a program, with xgboost, lightgbm, statsmodels and numpy in its environment, it prints them anew (made with xgboost
3.2.0, lightgbm 4.7.0 and statsmodels 0.15.0).
"""

import json
import math

import tree_references
from tree_references import LIGHTGBM, SHOWN, XGBOOST

# A label q that is above 0, and a count n, both by exposure.
LEARNED = {
    "xgboost squares": ("xgboost", "z", {"objective": "reg:squarederror"}, 6),
    "xgboost two classes": ("xgboost", "y", {"objective": "binary:logistic"}, 6),
    "xgboost poisson": ("xgboost", "n", {"objective": "count:poisson"}, 8),
    "xgboost gamma": ("xgboost", "q", {"objective": "reg:gamma"}, 8),
    "xgboost tweedie": ("xgboost", "n", {"objective": "reg:tweedie", "tweedie_variance_power": 1.3}, 8),
    "xgboost absolute": ("xgboost", "z", {"objective": "reg:absoluteerror"}, 6),
    "xgboost quantile": ("xgboost", "z", {"objective": "reg:quantileerror", "quantile_alpha": .25}, 6),
    "xgboost pseudo-huber": ("xgboost", "z", {"objective": "reg:pseudohubererror", "huber_slope": 2.0}, 6),
    "lightgbm squares": ("lightgbm", "z", {"objective": "regression"}, 6),
    "lightgbm two classes": ("lightgbm", "y", {"objective": "binary"}, 6),
    "lightgbm huber": ("lightgbm", "z", {"objective": "huber", "alpha": 2.5}, 6),
}

PREDICTED = {
    "xgboost squares": [31.247591, 37.432873, 15.645815, 6.9022746, 22.058859, 5.8099995],
    "xgboost two classes": [0.9002341, 0.9503305, 0.45835751, 0.1037712, 0.76980698, 0.19268875],
    "xgboost poisson": [5.9992933, 10.803676, 2.0545065, 0.80898631, 9.6005583, 1.8847866],
    "xgboost gamma": [9.5932045, 15.816525, 3.5481982, 1.2648226, 15.816525, 3.4381444],
    "xgboost tweedie": [7.362937, 10.293489, 1.8139324, 0.88635486, 11.448305, 1.8835425],
    "xgboost absolute": [22.525934, 23.025934, 14.26676, 6.5082893, 23.025934, 4.5730829],
    "xgboost quantile": [19.944983, 21.743105, 6.8585482, 5.8585482, 20.444983, 2.9966595],
    "xgboost pseudo-huber": [34.667706, 44.459187, 22.043144, 8.5474043, 18.979326, 7.2933273],
    "lightgbm squares": [30.943894, 36.572969, 11.710282, 6.4501124, 20.373112, 5.5004562],
    "lightgbm two classes": [0.89391482, 0.9328533, 0.50217008, 0.10096815, 0.78114398, 0.24205003],
    "lightgbm huber": [5.2554291, 5.7554291, 4.1882684, 3.1882684, 5.7554291, 4.1882684],
}

# Coefficients of glm(): (intercept), a, c.
GLM = {
    "numbers": [4.976363862, 2.79307271, 0.5846686228],
    "two classes": [-2.046369934, 0.1970962212, 0.1035501775],
    "poisson": [-0.7212446096, 0.2134623022, 0.1519887648],
    "gamma": [-0.1802558776, 0.1748499995, 0.1409027102],
    "tweedie": [-0.7711313419, 0.2173442667, 0.1537853691],
}


def rows():
    """Those of tree_references, and behind them an offset, an exposure, a number above 0 and a count."""
    made = []
    for number, row in enumerate(tree_references.rows()):
        exposure = (.5, 1, 2, 4)[number * 7 % 4]
        offset = (row[0] - 3) / 4 + (number % 3) / 2
        rate = 1 + row[0] * row[2] / 9
        made.append(row + (offset, exposure, exposure * rate * (1 + number % 5 / 8),
                           float(math.floor(exposure * rate * (.4 + number % 7 / 5)))))
    return made


def column(made, name):
    return [row["a b c z y k p o e q n".split().index(name)] for row in made]


def learned():
    import lightgbm  # pylint: disable=import-outside-toplevel,import-error
    import numpy  # pylint: disable=import-outside-toplevel,import-error
    import xgboost  # pylint: disable=import-outside-toplevel,import-error
    made = rows()
    inputs, offset = tree_references.data_of(made), numpy.array(column(made, "o"))
    found = {}
    for name, (program, label, told, rounds) in LEARNED.items():
        targets = numpy.array(column(made, label))
        if program == "xgboost":
            data = xgboost.DMatrix(inputs, targets, base_margin=offset)
            predicted = xgboost.train({**XGBOOST, **told, "nthread": 1}, data, rounds).predict(data)
        else:
            data = lightgbm.Dataset(inputs, targets, init_score=offset)
            booster = lightgbm.train({**LIGHTGBM, **told, "verbose": -1, "num_threads": 1}, data, rounds)
            predicted = booster.predict(inputs, raw_score=True) + offset
            if told["objective"] == "binary":
                predicted = 1 / (1 + numpy.exp(-predicted))
        found[name] = [float(f"{number:.8g}") for number in predicted[:SHOWN].tolist()]
    return found


def glm():
    """Coefficients of linear models of a and c, of all rows: (intercept), a, c."""
    import numpy  # pylint: disable=import-outside-toplevel,import-error
    import statsmodels.api  # pylint: disable=import-outside-toplevel,import-error
    families = statsmodels.api.families
    made = rows()
    inputs = statsmodels.api.add_constant(numpy.array([[row[0], row[2]] for row in made]))
    offset, exposure = numpy.array(column(made, "o")), numpy.array(column(made, "e"))
    told = {
        "numbers": ("z", families.Gaussian(), {"offset": offset}),
        "two classes": ("y", families.Binomial(), {"offset": offset}),
        "poisson": ("n", families.Poisson(), {"exposure": exposure}),
        "gamma": ("q", families.Gamma(families.links.Log()), {"exposure": exposure}),
        "tweedie": ("n", families.Tweedie(families.links.Log(), var_power=1.3), {"exposure": exposure}),
    }
    return {name: [float(f"{number:.10g}") for number in statsmodels.api.GLM(
        numpy.array(column(made, label), float), inputs, family=family, **more).fit(tol=1e-14, maxiter=500).params]
            for name, (label, family, more) in told.items()}


if __name__ == "__main__":
    print(json.dumps({"learned": learned(), "glm": glm()}, indent=4))
