"""Tables and reference numbers for tests/sqlite/test_tree_quality.py: what XGBoost and LightGBM make of them on rows that
they have not seen, five folds of each table. A learner of trees that became worse is seen there.

    tree_tables.py     makes the numbers again, with numpy, xgboost and lightgbm (3.2.0 and 4.7.0 wrote what is there)
"""

import csv
import math
import pathlib
import random

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
FOLDS = 5
# By library and table: the measure, and its mean over the folds.
REFERENCE = {"xgboost": {
    "boston": 3.0959,
    "breast_cancer": 0.0888,
    "numbers": 2.1868,
    "words": 0.6225,
    "classes": 0.5337,
    "counts": 2.0066,
}, "lightgbm": {
    "boston": 3.4540,
    "breast_cancer": 0.0964,
    "numbers": 2.1853,
    "words": 0.6209,
    "classes": 0.5030,
    "counts": 2.0204,
}}


def draw_of(name):
    return random.Random(f"trees {name}")


def from_file(name, label):
    """Texts stay so; the label is the last column."""
    with open(DATA / f"{name}.csv", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    at = names.index(label)

    def value(text):
        try:
            return float(text)
        except ValueError:
            return text

    return [[value(text) for i, text in enumerate(row) if i != at] + [value(row[at])] for row in rows]


def numbers():
    """Friedman's first function; a tenth of the values are missing."""
    draw = draw_of("numbers")
    for _ in range(1500):
        x = [draw.random() for _ in range(8)]
        label = 10 * math.sin(math.pi * x[0] * x[1]) + 20 * (x[2] - .5) ** 2 + 10 * x[3] + 5 * x[4] + draw.gauss(0, 1)
        yield [None if draw.random() < 0.1 else v for v in x] + [label]


def words():
    """A text of 5 words and one of 30, each with an effect of its own, and their product with a number."""
    draw = draw_of("words")
    few, many = [draw.gauss(0, 1) for _ in range(5)], [draw.gauss(0, 1) for _ in range(30)]
    for _ in range(1500):
        x, a, b = draw.gauss(0, 1), draw.randrange(5), min(int(draw.expovariate(0.15)), 29)
        yield [x, draw.gauss(0, 1), f"a{a}", f"b{b}", int(draw.random() < 1 / (1 + math.exp(-few[a] * x - 1.5 * many[b])))]


def classes():
    """Four classes by distance: two lie on each axis."""
    draw = draw_of("classes")
    for _ in range(1500):
        x = [draw.gauss(0, 1) for _ in range(6)]
        yield x + [2 * (abs(x[0]) > abs(x[1])) + (x[2] + x[3] * x[0] > 0.5 * draw.gauss(0, 1))]


def counts():
    draw = draw_of("counts")
    for _ in range(1500):
        x = [draw.gauss(0, 1) for _ in range(5)]
        below, limit, count = draw.random(), math.exp(-math.exp(0.8 + 0.6 * x[0] - 0.4 * x[1] * (x[2] > 0))), 0
        while below > limit and count < 100:
            below *= draw.random()
            count += 1
        yield x + [float(count)]


# name: rows, task, attributes, measure of EVALUATE, of how many classes (0: a number)
TABLES = {
    "boston": (lambda: from_file("boston", "medv"), "Regressor", "", "RMSE", 0),
    "breast_cancer": (lambda: from_file("breast_cancer", "benign"), "Classifier", "", "LogLoss", 2),
    "numbers": (numbers, "Regressor", "", "RMSE", 0),
    "words": (words, "Classifier", "", "LogLoss", 2),
    "classes": (classes, "Classifier", "", "LogLoss", 4),
    "counts": (counts, "Regressor", "objective = 'count:poisson', ", "RMSE", 0),
}
ESTIMATORS = {"xgboost": "XGB", "lightgbm": "LGBM"}
PARAMETERS = {
    "xgboost": "train.num_boost_round = 60, eta = 0.15, max_depth = 4, lambda = 1, max_bin = 64",
    "lightgbm": "train.num_boost_round = 60, learning_rate = 0.1, num_leaves = 15, max_bin = 63",
}


def folds(rows):
    """(train, test) of each fold: each fifth row is held out."""
    for fold in range(FOLDS):
        yield ([row for i, row in enumerate(rows) if i % FOLDS != fold],
               [row for i, row in enumerate(rows) if i % FOLDS == fold])


def xgboost_predictions(inputs, labels, categories, others, n_classes, is_count):
    import xgboost

    parameters = dict(eta=0.15, max_depth=4, max_bin=64, objective="binary:logistic" if n_classes == 2 else
                      "multi:softprob" if n_classes else "count:poisson" if is_count else "reg:squarederror",
                      **({"num_class": n_classes} if n_classes > 2 else {}))
    kinds = ["c" if i in categories else "float" for i in range(inputs.shape[1])]
    trained = xgboost.DMatrix(inputs, label=labels, feature_types=kinds, enable_categorical=True)
    return xgboost.train(parameters, trained, 60).predict(
        xgboost.DMatrix(others, feature_types=kinds, enable_categorical=True))


def lightgbm_predictions(inputs, labels, categories, others, n_classes, is_count):
    import lightgbm

    parameters = dict(learning_rate=0.1, num_leaves=15, max_bin=63, verbosity=-1, objective="binary" if n_classes == 2 else
                      "multiclass" if n_classes else "poisson" if is_count else "regression",
                      **({"num_class": n_classes} if n_classes > 2 else {}))
    return lightgbm.train(parameters, lightgbm.Dataset(inputs, labels, categorical_feature=categories), 60).predict(others)


def mean_of(library, name):
    import numpy

    made, _, attributes, measure, n_classes = TABLES[name]
    predictions = xgboost_predictions if library == "xgboost" else lightgbm_predictions
    found = []
    for train, test in folds([list(row) for row in made()]):
        words_of = {i: sorted({row[i] for row in train}) for i, value in enumerate(train[0][:-1]) if isinstance(value, str)}

        def cells(rows, words_of=words_of):
            return numpy.array([[numpy.nan if v is None else v if i not in words_of else
                                 words_of[i].index(v) if v in words_of[i] else numpy.nan
                                 for i, v in enumerate(row[:-1])] for row in rows], dtype=float)

        labels = numpy.array([row[-1] for row in test])
        predicted = predictions(cells(train), [row[-1] for row in train], list(words_of), cells(test), n_classes,
                                bool(attributes))
        if measure == "RMSE":
            found.append(math.sqrt(numpy.mean((predicted - labels) ** 2)))
        elif n_classes == 2:
            found.append(-numpy.mean(numpy.log(numpy.where(labels == 1, predicted, 1 - predicted))))
        else:
            found.append(-numpy.mean(numpy.log(predicted[numpy.arange(len(labels)), labels.astype(int)])))
    return sum(found) / FOLDS


def main():
    for library in ESTIMATORS:
        for name in TABLES:
            print(f'    "{name}": {mean_of(library, name):.4f},')


if __name__ == "__main__":
    main()
