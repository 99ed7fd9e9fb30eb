"""The tables that trees are judged on: those of examples/data, and made ones whose rows are the same everywhere.

A made table has other rows of the same kind for each `draw`; draw 0 is the one that SETS names.
"""

import pathlib

import numpy
import pandas
import sklearn.datasets

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
CLASSES, NUMBER = "classification", "regression"
ROWS = 4000


def _random(number, draw):
    return numpy.random.default_rng([number, draw] if draw else number)


def _numbers(random, columns, rows):
    return pandas.DataFrame(random.normal(size=(rows, columns)), columns=[f"x{i}" for i in range(columns)])


def _drawn(random, logit):
    return (random.random(len(logit)) < 1 / (1 + numpy.exp(-logit))).astype(int)


def friedman(draw=0, rows=ROWS):
    inputs, label = sklearn.datasets.make_friedman1(rows, 10, noise=1.0, random_state=100 * draw)
    return pandas.DataFrame(inputs, columns=[f"x{i}" for i in range(10)]).assign(label=label)


def missing(draw=0, rows=ROWS):
    """A fifth of the numbers are missing, in one column more often where the label is 1."""
    random = _random(1, draw)
    x = _numbers(random, 10, rows)
    label = _drawn(random, x.x0 * x.x1 + x.x2 - numpy.abs(x.x3) + numpy.sin(2 * x.x4))
    gone = random.random(x.shape) < 0.2
    gone[:, 5] = random.random(rows) < numpy.where(label == 1, 0.4, 0.1)
    return x.mask(gone).assign(label=label)


def classes(draw=0, rows=ROWS):
    inputs, label = sklearn.datasets.make_classification(rows, 20, n_informative=10, n_redundant=4, n_classes=5,
                                                         class_sep=1.5, random_state=2 + 100 * draw)
    return pandas.DataFrame(inputs, columns=[f"x{i}" for i in range(20)]).assign(label=label)


def counts(draw=0, rows=ROWS):
    random = _random(3, draw)
    x = _numbers(random, 8, rows)
    rate = numpy.exp(0.5 + 0.5 * x.x0 + 0.4 * numpy.abs(x.x1) - 0.3 * x.x2 * (x.x3 > 0))
    return x.assign(label=random.poisson(rate).astype(float))


def claims(draw=0, rows=ROWS):
    """Most labels are 0, the others have a long tail."""
    random = _random(4, draw)
    x = _numbers(random, 8, rows)
    mean = numpy.exp(0.6 * x.x0 - 0.4 * x.x1 + 0.3 * x.x2 * x.x3)
    number = random.poisson(0.5 * mean)
    return x.assign(label=[float(random.gamma(2, 50, n).sum()) for n in number])


def words(draw=0, rows=ROWS):
    """Texts of 5, 40 and 400 words, each of which moves the label, beside four numbers."""
    random = _random(5, draw)
    x, logit = _numbers(random, 4, rows), numpy.zeros(rows)
    for column, count in enumerate((5, 40, 400)):
        rank = numpy.minimum((numpy.exp(random.random(rows) * numpy.log(count + 1)) - 1).astype(int), count - 1)
        logit += random.normal(size=count)[rank]
        x[f"c{column}"] = [f"w{i}" for i in rank]
    return x.assign(label=_drawn(random, logit + x.x0 * x.x1))


def read(name, label):
    frame = pandas.read_csv(DATA / f"{name}.csv").rename(columns={label: "label"})
    return frame[[c for c in frame if c != "label"] + ["label"]]


# name, task, table, objective as XGBoost and as LightGBM names it ("": found by the label)
SETS = [
    ("iris", CLASSES, lambda: read("iris", "class"), "", ""),
    ("breast_cancer", CLASSES, lambda: read("breast_cancer", "benign"), "", ""),
    ("titanic", CLASSES, lambda: read("titanic", "survived"), "", ""),
    ("missing", CLASSES, missing, "", ""),
    ("classes", CLASSES, classes, "", ""),
    ("words", CLASSES, words, "", ""),
    ("boston", NUMBER, lambda: read("boston", "medv"), "", ""),
    ("diamonds", NUMBER, lambda: read("diamonds", "price"), "", ""),
    ("friedman", NUMBER, friedman, "", ""),
    ("counts", NUMBER, counts, "count:poisson", "poisson"),
    ("claims", NUMBER, claims, "reg:tweedie", "tweedie"),
]

MADE = {"missing": missing, "classes": classes, "words": words, "friedman": friedman, "counts": counts, "claims": claims}
