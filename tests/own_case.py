"""The common parts of the tests of SQLite, of its doors and of the package for Python: a folder of their own, and
tables of CSV files."""

import csv
import os
import pathlib
import shutil
import tempfile
import unittest

DATA = pathlib.Path(__file__).resolve().parents[1] / "examples" / "data"


def typed(values):
    """INTEGER, REAL or TEXT, and the values so converted; empty cells are NULL."""
    for kind, convert in (("INTEGER", int), ("REAL", float)):
        try:
            return kind, [None if value == "" else convert(value) for value in values]
        except ValueError:
            pass
    return "TEXT", [None if value == "" else value for value in values]


def load_csv(database, name, table=None, limit=None):
    with open(DATA / f"{name}.csv", newline="") as file:
        header, *rows = csv.reader(file)
    columns = [typed(column) for column in zip(*rows[:limit])]
    declared = ", ".join(f'"{title}" {kind}' for title, (kind, _) in zip(header, columns))
    database.execute(f'CREATE TABLE "{table or name}" ({declared})')
    marks = ", ".join("?" * len(header))
    database.executemany(f'INSERT INTO "{table or name}" VALUES ({marks})',
                         zip(*(values for _, values in columns)))
    database.commit()


class OwnCase(unittest.TestCase):
    """A test with a folder that is removed, the jobs' state and a database's file in it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.state = self.folder / "state"
        os.environ["TOTRAIN_STATE"] = str(self.state)
        self.path = str(self.folder / "test.db")
