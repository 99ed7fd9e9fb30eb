"""Prints what scikit-learn measures in ten folds, for test_folds.py: means over three seeds of mean and deviation.

    python3 -m venv /tmp/environment && /tmp/environment/bin/pip install scikit-learn==1.9.1
    /tmp/environment/bin/python tests/sqlite/folds_reference.py
"""

import csv
import pathlib

import numpy
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"


def load(name):
    with open(DATA / f"{name}.csv", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return numpy.array([row[:-1] for row in rows], float), numpy.array([row[-1] for row in rows])


def measure(name, folds, model, scoring):
    inputs, labels = load(name)
    labels = labels.astype(float) if name == "boston" else numpy.unique(labels, return_inverse=True)[1]
    deals = [folds(10, shuffle=True, random_state=seed) for seed in range(3)]
    scores = [abs(cross_val_score(model, inputs, labels, cv=deal, scoring=scoring)) for deal in deals]
    print(name, scoring, numpy.mean([one.mean() for one in scores]).round(4),
          numpy.mean([one.std(ddof=1) for one in scores]).round(4))


logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
measure("breast_cancer", StratifiedKFold, logistic, "accuracy")
measure("breast_cancer", StratifiedKFold, logistic, "roc_auc")
measure("iris", StratifiedKFold, logistic, "accuracy")
measure("boston", KFold, LinearRegression(), "neg_root_mean_squared_error")
