"""EXPORT MODEL as SQL, in a server: views of a database without the extension predict as the extension does, on rows of
any kind and of several types.
"""

import contextlib
import math
import os
import pathlib
import re
import subprocess
import sys

import psycopg2
from psycopg2 import extras

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "formulas"))
import formula_rows as rows  # noqa: E402  pylint: disable=wrong-import-position
import word_rows as words  # noqa: E402  pylint: disable=wrong-import-position

TYPES = ("double precision", "double precision", "text", "text", "text", "bigint")
TABLES = {  # rows to score: types that differ, and the rows
    "hostile": ({}, lambda: map(typed, rows.hostile())),
    "texts": (dict.fromkeys(range(6), "text"),
              lambda: ([None if cell is None else str(cell) for cell in row] for row in rows.hostile(2000, seed=4))),
    "others": ({0: "numeric", 1: "real", 2: "integer", 4: "timestamp with time zone", 5: "smallint"},
               lambda: (row[:6] for row in rows.training(500, seed=5)))}
# Models without a label tell how sure they are by a distance.
DISTANCE = {"kmeans", "words", "isolation", *rows.COMPONENTS, *rows.DETECTORS}
NUMBERS = {"number", "positive"}  # labels


def columns(types):
    return ", ".join(f"{rows.quoted(name)} {types.get(i, kind)}" for i, (name, kind) in enumerate(zip(rows.COLUMNS, TYPES)))


def in_type(cell, kind):
    """The cell, where a column of this type holds it; else NULL."""
    if cell is None or kind == "text":
        return None if cell is None else str(cell)
    try:
        return int(cell) if kind == "bigint" else float(cell)
    except ValueError:
        return None


def typed(cells):
    return [in_type(cell, kind) for cell, kind in zip(cells, TYPES)]


class Formulas(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute(f"CREATE TABLE t ({columns({})}, number float8, two text, three int, positive float8)")
        extras.execute_values(cursor, "INSERT INTO t VALUES %s", [typed(row[:6]) + row[6:] for row in rows.training()])
        for model in rows.MODELS:
            harness.run_statement(cursor, rows.statement(model))
        cls.fill(cursor)
        cls.fill_words(cursor, "w", words.rows(500, 1))
        for model in words.MODELS:
            harness.run_statement(cursor, words.statement(model).replace(f"INTO {model[0]}", f"INTO of_{model[0]}"))
        cls.server.execute("CREATE DATABASE plain")  # without the extension
        with contextlib.closing(cls.server.connect("plain")) as plain:
            cls.fill(plain.cursor())

    @staticmethod
    def fill_words(cursor, table, made):
        cursor.execute(f"CREATE TABLE {table} (id serial PRIMARY KEY, note text, c text, k text, n float8, y float8, two text)")
        extras.execute_values(cursor, f"INSERT INTO {table} (note, c, k, n, y, two) VALUES %s",
                              [[None if cell is None else str(cell) for cell in row[:3]] + row[3:] for row in made])

    @classmethod
    def fill(cls, cursor):
        cls.fill_words(cursor, "unlike", words.hostile(1000, 2))
        cursor.execute("SET TimeZone = 'Asia/Kolkata'")
        for name, (types, made) in TABLES.items():
            cursor.execute(f"CREATE TABLE {name} (id serial PRIMARY KEY, {columns(types)})")
            extras.execute_values(cursor, f"INSERT INTO {name} ({rows.names()}) VALUES %s", made())

    def in_plain(self, sql):
        return self.server.execute(sql, "plain")

    def load(self, name, scored):
        """A schema of the plain database, into which psql has read the model's views; NAME_rows selects `scored`."""
        text = self.execute(f"SELECT totrain.export_text('{name}', 'sql')")[0][0]
        schema = f"schema_{self.in_plain('SELECT count(*) FROM pg_namespace')[0][0]}"
        self.in_plain(f"CREATE SCHEMA {schema}")
        self.in_plain(f"CREATE VIEW {schema}.{name}_rows AS {scored}")
        done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1"], capture_output=True, check=False,
                              input=f"SET search_path = {schema};\n{text}", text=True, timeout=4 * harness.DEADLINE,
                              env={**os.environ, "LC_ALL": "C.UTF-8", **self.server.variables("plain")})
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return schema

    def wanted(self, model, table):
        """The extension's answer for each row: the prediction, and a number that tells how sure it is."""
        name, _, _, label, _ = model
        first = f"totrain.component('{name}', r, 1)" if name in rows.COMPONENTS else f"totrain.predict('{name}', r)"
        second = (f"totrain.distance('{name}', r)" if name in DISTANCE else
                  "0" if label in NUMBERS else f"totrain.probability('{name}', r)")
        return self.execute(f"SELECT {first}, {second} FROM {table} AS r ORDER BY id")

    def found(self, model, schema):
        name, _, _, label, _ = model
        first = "component_1" if name in rows.COMPONENTS else "prediction"
        second = "distance" if name in DISTANCE else "0" if label in NUMBERS else "probability"
        return self.in_plain(f"SELECT {first}, {second} FROM {schema}.{name}_predictions ORDER BY id")

    def check(self, model, table):
        name, _, _, label, _ = model
        found = self.found(model, self.load(name, f"SELECT * FROM {table}"))
        wanted = self.wanted(model, table)
        self.assertEqual(len(found), len(wanted))
        for i, (mine, other) in enumerate(zip(found, wanted)):
            with self.subTest(model=name, table=table, row=i + 1):
                self.assertTrue(rows.near(mine[1], other[1]), (mine, other))
                if other[1] > rows.FAR.get(name, math.inf):
                    continue
                if not label or label in NUMBERS:
                    self.assertTrue(rows.near(float(mine[0]), float(other[0])), (mine, other))
                elif label != "two" or abs(other[1] - 0.5) > 1e-5:
                    self.assertEqual(str(mine[0]), str(other[0]))

    def test_bytes_and_text_are_the_same(self):
        self.assertEqual(self.execute("SELECT convert_from(totrain.export_model('trees', f), 'UTF8') = totrain.export_text('trees', f) "
                                      "FROM unnest(ARRAY['sql', 'sqlite', 'c', 'xgboost', 'lightgbm']) AS f"), [(True,)] * 5)
        with self.assertRaisesRegex(psycopg2.Error, "format xgboost_ubj is bytes, and no text"):
            self.execute("SELECT totrain.export_text('trees', 'xgboost_ubj')")

    def test_onnx_is_bytes_that_begin_with_their_format(self):
        (data,), = self.execute("SELECT totrain.export_model('trees', 'onnx')")
        self.assertEqual(bytes(data[:2]), b"\x08\x0a")
        self.assertIn(b"TreeEnsemble", bytes(data))
        with self.assertRaisesRegex(psycopg2.Error, "format onnx is bytes, and no text"):
            self.execute("SELECT totrain.export_text('trees', 'onnx')")

    def test_words_by_their_hash_and_free_text(self):
        for model in words.MODELS:
            name, label = model[0], model[-1]
            function, column = ("predict", "prediction") if label == "y" else ("probability", "probability")
            wanted = self.execute(f"SELECT totrain.{function}('of_{name}', r) FROM unlike AS r ORDER BY id")
            schema = self.load(f"of_{name}", "SELECT * FROM unlike")
            found = self.in_plain(f"SELECT {column} FROM {schema}.of_{name}_predictions ORDER BY id")
            self.assertEqual(len(found), len(wanted))
            for i, (mine, other) in enumerate(zip(found, wanted)):
                with self.subTest(model=name, row=i + 1):
                    self.assertTrue(rows.near(float(mine[0]), float(other[0])), (mine, other))

    def test_a_hash_takes_no_operator_of_others(self):
        schema = self.load("of_hashed", "SELECT * FROM unlike")
        ask = f"SELECT {schema}.of_hashed_hash('abcdefghijk')"
        wanted = self.in_plain(ask)
        self.in_plain("CREATE SCHEMA others; CREATE FUNCTION others.none(bigint, int) RETURNS bigint LANGUAGE sql AS 'SELECT 42::bigint'; "
                      "CREATE OPERATOR others.& (LEFTARG = bigint, RIGHTARG = int, FUNCTION = others.none)")
        self.assertEqual(self.in_plain(f"SET search_path = public, others; {ask}"), wanted)

    def test_numbers_of_many_digits_are_words_as_the_extension_writes_them(self):
        schema = self.load("of_hashed", "SELECT * FROM unlike")
        for number in ("2450091188952918.5", "-1500771194059539.2", "1e+20", "1e-05", "0.30000000000000004", "12.5"):
            ask = f"SELECT {schema}.of_hashed_word('{number}'::float8)"
            with self.subTest(number=number):
                self.assertEqual(self.in_plain(ask), [(number,)])
        with self.assertRaisesRegex(psycopg2.Error, "extra_float_digits is below 1: 0.3"):
            self.in_plain(f"SET extra_float_digits = 0; SELECT {schema}.of_hashed_word(0.1::float8 + 0.2::float8)")

    def test_one_row_is_found_by_its_index(self):
        schema = self.load("trees", "SELECT * FROM hostile")
        plan = self.in_plain(f"EXPLAIN SELECT prediction FROM {schema}.trees_predictions WHERE id = 5")
        self.assertIn("Index Scan", plan[1][0] + plan[2][0])

    def test_a_deep_tree_can_be_explained(self):
        schema = self.load("deep", "SELECT * FROM hostile")
        self.assertTrue(self.in_plain(f"EXPLAIN (VERBOSE) SELECT prediction FROM {schema}.deep_predictions"))

    def test_a_cell_that_cannot_be_read_is_an_error_that_shows_it(self):
        for column, cell in rows.REFUSED:
            if not isinstance(cell, str):
                continue
            with self.subTest(column=rows.COLUMNS[column], cell=cell):
                row = [None] * len(rows.COLUMNS)
                row[column] = cell
                values = ", ".join(f"{'NULL' if value is None else rows.literal(value)}::text AS {rows.quoted(name)}"
                                   for value, name in zip(row, rows.COLUMNS))
                schema = self.load("trees", f"SELECT {values}")
                with self.assertRaisesRegex(psycopg2.Error, re.escape(cell)):
                    self.in_plain(f"SELECT * FROM {schema}.trees_predictions")
                with self.assertRaisesRegex(psycopg2.Error, re.escape(cell)):
                    self.execute(f"SELECT totrain.predict('trees', r) FROM (SELECT {values}) AS r")


def add(model):
    def test(self):
        for table in TABLES:
            self.check(model, table)

    setattr(Formulas, f"test_{model[0]}", test)


for each in rows.MODELS:
    add(each)


if __name__ == "__main__":
    harness.main()
