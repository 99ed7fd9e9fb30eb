"""The tables that trees are judged on: those of examples/data, and made ones whose rows are the same everywhere."""

import pathlib

import numpy
import pandas
import sklearn.datasets

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
CLASSES, NUMBER = "classification", "regression"
ROWS = 4000


def _numbers(random, columns, rows=ROWS):
    return pandas.DataFrame(random.normal(size=(rows, columns)), columns=[f"x{i}" for i in range(columns)])


def _drawn(random, logit):
    return (random.random(len(logit)) < 1 / (1 + numpy.exp(-logit))).astype(int)


def friedman():
    inputs, label = sklearn.datasets.make_friedman1(ROWS, 10, noise=1.0, random_state=0)
    return pandas.DataFrame(inputs, columns=[f"x{i}" for i in range(10)]).assign(label=label)


def missing():
    """A fifth of the numbers are missing, in one column more often where the label is 1."""
    random = numpy.random.default_rng(1)
    x = _numbers(random, 10)
    label = _drawn(random, x.x0 * x.x1 + x.x2 - numpy.abs(x.x3) + numpy.sin(2 * x.x4))
    gone = random.random(x.shape) < 0.2
    gone[:, 5] = random.random(ROWS) < numpy.where(label == 1, 0.4, 0.1)
    return x.mask(gone).assign(label=label)


def classes():
    inputs, label = sklearn.datasets.make_classification(ROWS, 20, n_informative=10, n_redundant=4, n_classes=5,
                                                         class_sep=1.5, random_state=2)
    return pandas.DataFrame(inputs, columns=[f"x{i}" for i in range(20)]).assign(label=label)


def counts():
    random = numpy.random.default_rng(3)
    x = _numbers(random, 8)
    rate = numpy.exp(0.5 + 0.5 * x.x0 + 0.4 * numpy.abs(x.x1) - 0.3 * x.x2 * (x.x3 > 0))
    return x.assign(label=random.poisson(rate).astype(float))


def claims():
    """Most labels are 0, the others have a long tail."""
    random = numpy.random.default_rng(4)
    x = _numbers(random, 8)
    mean = numpy.exp(0.6 * x.x0 - 0.4 * x.x1 + 0.3 * x.x2 * x.x3)
    number = random.poisson(0.5 * mean)
    return x.assign(label=[float(random.gamma(2, 50, n).sum()) for n in number])


def words():
    """Texts of 5, 40 and 400 words, each of which moves the label, beside four numbers."""
    random = numpy.random.default_rng(5)
    x, logit = _numbers(random, 4), numpy.zeros(ROWS)
    for column, count in enumerate((5, 40, 400)):
        rank = numpy.minimum((numpy.exp(random.random(ROWS) * numpy.log(count + 1)) - 1).astype(int), count - 1)
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
