"""What the tests of the package share: a folder of their own, iris. They run in the environment of make_environment."""

import csv
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from waiting import processes_of, wait_for  # noqa: E402,F401  pylint: disable=wrong-import-position

import totrain  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ["TOTRAIN_BUILD"])
DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
WHEEL = next((BUILD / "python" / "dist").glob("*.whl"))
TRAIN = "TO TRAIN DNNClassifier WITH hidden_units = [8], epochs = 20 LABEL class INTO m"
# Goes on until it is ended, on any machine.
TRAIN_LONG = "TO TRAIN DNNClassifier WITH hidden_units = [64, 64], epochs = 1000000, batch_size = 1 LABEL class INTO m"
DEADLINE = 60  # seconds: a broken promise, not a slow machine


def read_iris():
    """The columns of iris by their names: lists of float, and of int for the class."""
    with open(DATA / "iris.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {name: [int(value) if name == "class" else float(value) for value in column]
            for name, column in zip(header, zip(*rows))}


def load_iris(connection, table="iris"):
    columns = read_iris()
    declared = ", ".join(f"{name} {'INTEGER' if name == 'class' else 'REAL'}" for name in columns)
    connection.execute(f"CREATE TABLE {table} ({declared})")
    connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", list(zip(*columns.values())))
    connection.commit()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.state = self.folder / "state"
        os.environ["TOTRAIN_STATE"] = str(self.state)
        self.path = str(self.folder / "test.db")

    def connect(self, path=None, **options):
        connection = totrain.connect(path or self.path, **options)
        self.addCleanup(connection.close)
        return connection

    def digest(self, connection, model="m"):
        return connection.execute("SELECT digest FROM totrain_models WHERE name = ?", (model,)).fetchone()[0]

    def check_nothing_runs(self):
        wait_for(lambda: not processes_of(self.state), "the end of all processes of the job")


def main():
    unittest.main(verbosity=2)
