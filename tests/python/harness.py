"""The common parts of the tests of the package: a folder of their own, iris. They run in the environment of
make_environment."""

import csv
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from own_case import DATA, OwnCase, load_csv, typed  # noqa: E402  pylint: disable=wrong-import-position
from waiting import wait_for, wait_until_nothing_runs  # noqa: E402,F401  pylint: disable=wrong-import-position

# Packages that are there look for pyarrow when they are imported: the tests run with it and without.
WITHOUT_ARROW = "TOTRAIN_WITHOUT_ARROW" in os.environ
if WITHOUT_ARROW:
    sys.modules["pyarrow"] = None

import totrain  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ["TOTRAIN_BUILD"])
WHEEL = next((BUILD / "python" / "dist").glob("*.whl"))
TRAIN = "TO TRAIN DNNClassifier WITH hidden_units = [8], epochs = 20 LABEL class INTO m"
# Goes on until it is ended, on any machine.
TRAIN_LONG = "TO TRAIN DNNClassifier WITH hidden_units = [64, 64], epochs = 1000000, batch_size = 1 LABEL class INTO m"
DEADLINE = 60  # seconds: a broken promise, not a slow machine


def read_iris():
    """The columns of iris by their names: lists of float, and of int for the class."""
    with open(DATA / "iris.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {name: typed(column)[1] for name, column in zip(header, zip(*rows))}


def load_iris(connection, table="iris"):
    load_csv(connection, "iris", table)


def copy_iris(connection):
    """Into PostgreSQL, by a connection of psycopg 3."""
    columns = read_iris()
    connection.execute("CREATE TABLE iris (" + ", ".join(
        f"{name} {'int' if name == 'class' else 'float8'}" for name in columns) + ")")
    with connection.cursor().copy("COPY iris FROM STDIN") as copy:
        for row in zip(*columns.values()):
            copy.write_row(row)


class Case(OwnCase):
    def connect(self, path=None, **options):
        connection = totrain.connect(path or self.path, **options)
        self.addCleanup(connection.close)
        return connection

    def digest(self, connection, model="m"):
        return connection.execute("SELECT digest FROM totrain_models WHERE name = ?", (model,)).fetchone()[0]

    def check_nothing_runs(self):
        wait_until_nothing_runs(self.state)


def main():
    unittest.main(verbosity=2)
