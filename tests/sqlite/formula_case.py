"""Rows and models for programs that predict as the extension does, and the comparison with it."""

import math
import pathlib
import re
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formulas"))
import formula_rows as rows  # noqa: E402  pylint: disable=wrong-import-position


class FormulaCase(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        columns = ", ".join(f"{rows.quoted(name)} {kind}" for name, kind in zip(rows.COLUMNS, rows.TYPES))
        self.run_all("BEGIN")
        self.run_all(f"CREATE TABLE t ({columns}, number REAL, two TEXT, three INTEGER, positive REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.training())
        plain = ", ".join(map(rows.quoted, rows.COLUMNS))
        self.run_all(f"CREATE TABLE hostile (id INTEGER PRIMARY KEY, {plain})")
        self.database.executemany("INSERT INTO hostile VALUES (NULL, ?, ?, ?, ?, ?, ?)", rows.hostile())
        self.run_all(f"CREATE TABLE refused ({plain})")
        self.database.executemany("INSERT INTO refused VALUES (?, ?, ?, ?, ?, ?)", rows.refused())
        self.run_all("COMMIT")

    def train(self, model):
        self.run_all(rows.statement(model))

    def inputs(self, name):
        """The columns of the model, in its order, without those that are labels."""
        call = self.run_all(f"SELECT totrain_call('{name}')")[0][0]
        return [column.replace('""', '"') for column in re.findall(r'"((?:[^"]|"")+)"', call)]

    def wanted(self, model, table="hostile"):
        """The extension's answer for each row: the prediction, and a number that tells how sure it is."""
        name, _, _, label, _ = model
        inputs = ", ".join(map(rows.quoted, self.inputs(name)))
        if name in rows.COMPONENTS:
            second = f"totrain_distance('{name}', {inputs})"
            first = f"totrain_component('{name}', {inputs}, 1)"
        else:
            first = f"totrain_predict('{name}', {inputs})"
            second = (f"totrain_distance('{name}', {inputs})" if not label else "0" if label in ("number", "positive") else
                      f"totrain_probability('{name}', {inputs})")
        return self.run_all(f"SELECT {first}, {second} FROM {table} ORDER BY id")

    def check(self, model, found, wanted):
        """found: the same of a program."""
        name, _, _, label, _ = model
        self.assertEqual(len(found), len(wanted))
        for i, (mine, other) in enumerate(zip(found, wanted)):
            with self.subTest(model=name, row=self.run_all("SELECT * FROM hostile WHERE id = ?", i + 1)):
                self.assertTrue(rows.near(mine[1], other[1]), (mine, other))
                if name in rows.COMPONENTS or label in ("number", "positive"):
                    self.assertTrue(rows.near(mine[0], other[0]), (mine, other))
                elif (label != "two" or abs(other[1] - 0.5) > 1e-5) and (
                        name not in rows.DETECTORS or abs(other[1]) > 1e-5) and other[1] < rows.FAR.get(name, math.inf):
                    self.assertEqual(mine[0], other[0])
