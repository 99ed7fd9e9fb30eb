"""Forests of several classes beside scikit-learn's, with the defaults of both: 100 trees.

Statement to model, with staging, measuring and storing, against the fit alone, each as a program of its own.
"""

import json
import sqlite3
import subprocess
import sys

import numpy
from sklearn import datasets

FIT = """
import json, sqlite3, sys, time
import numpy
from sklearn.ensemble import RandomForestClassifier
with sqlite3.connect(sys.argv[1]) as database:
    rows = numpy.array(database.execute(f"SELECT * FROM {sys.argv[2]}").fetchall())
started = time.perf_counter()
RandomForestClassifier(random_state=1).fit(rows[:, :-1], rows[:, -1])
print(json.dumps(time.perf_counter() - started))
"""
BAR = 3


def digits():
    return datasets.load_digits(return_X_y=True)


def classes_43():
    """3,000 rows of four columns."""
    draw = numpy.random.default_rng(1)
    labels = draw.integers(0, 43, 3000)
    return draw.normal(size=(43, 4))[labels] * 2 + draw.normal(size=(3000, 4)), labels


TABLES = {"digits": digits, "classes_43": classes_43}


def fill(path, name):
    rows, labels = TABLES[name]()
    with sqlite3.connect(path) as database:
        columns = ", ".join(f"x{i} REAL" for i in range(rows.shape[1]))
        database.execute(f"CREATE TABLE {name} ({columns}, y INTEGER)")
        database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * (rows.shape[1] + 1))})",
                             [(*map(float, row), int(label)) for row, label in zip(rows, labels)])


def fit(path, name):
    done = subprocess.run([sys.executable, "-c", FIT, path, name], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def speed(bench, table):
    path = bench.folder / "forests.db"
    for name in TABLES:
        fill(path, name)
        statement = f"SELECT * FROM {name} TO TRAIN RandomForestClassifier WITH train.test_size = 0 LABEL y INTO m"
        table.ratio(f"{name}: RandomForestClassifier, statement to model", "scikit-learn's fit",
                    [(bench.ours(path, statement)[0], fit(path, name)) for _ in range(bench.runs)], BAR)
