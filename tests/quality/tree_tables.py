"""Tables and reference numbers for tests/sqlite/test_tree_quality.py: what XGBoost makes of them on rows that it has not
seen, five folds of each table. A learner of trees that became worse is seen there.

    tree_tables.py     makes the numbers again, with numpy and xgboost (3.2.0 wrote what is there)
"""

import csv
import math
import pathlib
import random

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
FOLDS = 5
# By table: the measure, and its mean over the folds.
REFERENCE = {
    "boston": 3.0959,
    "breast_cancer": 0.0888,
    "numbers": 2.1868,
    "words": 0.6225,
    "classes": 0.5337,
    "counts": 2.0066,
}


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


# name: rows, estimator, attributes, measure of EVALUATE, of how many classes (0: a number)
TABLES = {
    "boston": (lambda: from_file("boston", "medv"), "XGBRegressor", "", "RMSE", 0),
    "breast_cancer": (lambda: from_file("breast_cancer", "benign"), "XGBClassifier", "", "LogLoss", 2),
    "numbers": (numbers, "XGBRegressor", "", "RMSE", 0),
    "words": (words, "XGBClassifier", "", "LogLoss", 2),
    "classes": (classes, "XGBClassifier", "", "LogLoss", 4),
    "counts": (counts, "XGBRegressor", "objective = 'count:poisson', ", "RMSE", 0),
}
PARAMETERS = "train.num_boost_round = 60, eta = 0.15, max_depth = 4, lambda = 1, max_bin = 64"


def folds(rows):
    """(train, test) of each fold: each fifth row is held out."""
    for fold in range(FOLDS):
        yield ([row for i, row in enumerate(rows) if i % FOLDS != fold],
               [row for i, row in enumerate(rows) if i % FOLDS == fold])


def mean_of_xgboost(name):
    import numpy
    import xgboost

    made, _, attributes, measure, n_classes = TABLES[name]
    parameters = dict(eta=0.15, max_depth=4, max_bin=64, objective="binary:logistic" if n_classes == 2 else
                      "multi:softprob" if n_classes else "count:poisson" if attributes else "reg:squarederror",
                      **({"num_class": n_classes} if n_classes > 2 else {}))
    found = []
    for train, test in folds([list(row) for row in made()]):
        kinds = ["c" if isinstance(value, str) else "float" for value in train[0][:-1]]
        words_of = [sorted({row[i] for row in train}) if kind == "c" else None for i, kind in enumerate(kinds)]

        def matrix(rows, kinds=kinds, words_of=words_of):
            cells = [[numpy.nan if v is None else words_of[i].index(v) if kinds[i] == "c" and v in words_of[i] else
                      numpy.nan if kinds[i] == "c" else v for i, v in enumerate(row[:-1])] for row in rows]
            return xgboost.DMatrix(numpy.array(cells, dtype=float), label=[row[-1] for row in rows], feature_types=kinds,
                                   enable_categorical=True)

        predicted = xgboost.train(parameters, matrix(train), 60).predict(matrix(test))
        labels = numpy.array([row[-1] for row in test])
        if measure == "RMSE":
            found.append(math.sqrt(numpy.mean((predicted - labels) ** 2)))
        elif n_classes == 2:
            found.append(-numpy.mean(numpy.log(numpy.where(labels == 1, predicted, 1 - predicted))))
        else:
            found.append(-numpy.mean(numpy.log(predicted[numpy.arange(len(labels)), labels.astype(int)])))
    return sum(found) / FOLDS


def main():
    for name in TABLES:
        print(f'    "{name}": {mean_of_xgboost(name):.4f},')


if __name__ == "__main__":
    main()
