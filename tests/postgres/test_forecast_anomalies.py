"""Values that came beside what a forecast expects of them, in PostgreSQL: types, the digits of SQLite, functions, roles."""

import datetime
import decimal
import pathlib
import sqlite3
import sys

from psycopg2 import errors, extras

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

ROWS = [(*row[:3], row[3] + 300 * (row[:3] == ("s1", 0, "2024-03-10"))) for row in series.rows(2, 2, 80)]
TRAIN = series.statement("Forecast", more=", forecast.history = 40")
TYPES = [("store", "text"), ("item", "integer"), ("day", "date"), ("sales", "double precision"), ("expected", "double precision"),
         ("lower", "double precision"), ("upper", "double precision"), ("anomaly_probability", "double precision"), ("is_anomaly", "boolean")]


class Anomalies(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE t (store text, item integer, day date, sales double precision)")
        extras.execute_values(cursor, "INSERT INTO t VALUES %s", ROWS)
        harness.run_statement(cursor, TRAIN)

    def setUp(self):
        super().setUp()
        self.cursor = self.connect().cursor()

    def check(self, more="", rows="t"):
        harness.run_statement(self.cursor, f"SELECT * FROM {rows} TO PREDICT checked.sales {more} USING m")
        self.cursor.execute("SELECT * FROM checked ORDER BY 1, 2, 3")
        return self.cursor.fetchall()

    def in_sqlite(self, made="SELECT * FROM t TO PREDICT checked.sales USING m"):
        """The same statements there: the table `checked`, or the rows of another statement."""
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.enable_load_extension(True)
        database.load_extension(str(harness.BUILD / "totrain"))
        database.execute(f"CREATE TABLE {series.TABLE}")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
        database.execute(TRAIN).fetchall()
        rows = database.execute(made).fetchall()
        if "PREDICT" not in made:
            return rows
        return database.execute("SELECT * FROM checked ORDER BY 1, 2, 3").fetchall()

    def test_the_digits_are_those_of_sqlite(self):
        found = [(*row[:2], row[2].isoformat(), *row[3:]) for row in self.check()]
        self.assertEqual(found, [(*row[:8], None if row[8] is None else bool(row[8])) for row in self.in_sqlite()])
        self.assertEqual(sum(row[8] is True for row in found if row[:3] == ("s1", 0, "2024-03-10")), 1)

    def test_parts_have_the_digits_of_sqlite(self):
        wanted = self.in_sqlite("SELECT * FROM t TO EXPLAIN m")
        rows = harness.run_statement(self.cursor, "SELECT * FROM t TO EXPLAIN m")
        self.assertEqual(list(rows[0]), ["store", "item", "day", "sales", "trend", "season_7", "remainder", "level_shift"])
        self.assertEqual([tuple(row.values()) for row in rows], wanted)
        harness.run_statement(self.cursor, "SELECT * FROM t TO EXPLAIN m INTO parts")
        self.cursor.execute("SELECT store, item, day::text, sales, trend, season_7, remainder, level_shift FROM parts")
        self.assertEqual(self.cursor.fetchall(), wanted)
        self.assertIn("level_shift", self.psql("SELECT * FROM t WHERE store = 's0' TO EXPLAIN m;").stdout)

    def test_workers_give_the_same(self):
        alone = self.check("WITH forecast.anomaly = 0.8")
        self.assertEqual(self.check("WITH forecast.anomaly = 0.8, job.min_workers = 2, job.max_workers = 2"), alone)

    def test_types_of_the_table(self):
        for more in ("", "WITH job.min_workers = 2, job.max_workers = 2"):
            self.check(more)
            self.cursor.execute("SELECT attname::text, atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'checked'::regclass AND attnum > 0 ORDER BY attnum")
            self.assertEqual(self.cursor.fetchall(), TYPES)

    def test_functions_take_values_of_any_type_of_numbers(self):
        wanted = {row[:3]: row[4:] for row in self.check("WITH forecast.anomaly = 0.9")}
        for kind in ("float8", "numeric", "text", "real"):
            self.cursor.execute(
                f"SELECT store, item, day, totrain.predict('m', q.*, NULL::float8), totrain.forecast_lower('m', q.*, q.sales::{kind}, 0.9), "
                f"totrain.forecast_upper('m', q.*, q.sales::{kind}, 0.9), totrain.anomaly_probability('m', q.*, q.sales::{kind}, 0.9), "
                f"totrain.is_anomaly('m', q.*, q.sales::{kind}, 0.9) FROM t AS q")
            self.assertEqual({row[:3]: row[3:] for row in self.cursor.fetchall()}, wanted, kind)
        self.cursor.execute("SELECT totrain.is_anomaly('m', q.*, 1000), totrain.is_anomaly('m', q.*, NULL::float8), totrain.forecast_lower('m', q.*, NULL::int) > 0 "
                            "FROM (SELECT 's0' AS store, 0 AS item, date '2024-03-20' AS day) q")
        self.assertEqual(self.cursor.fetchone(), (True, None, True))

    def test_a_column_of_another_type_keeps_it(self):
        rows = self.check(rows="(SELECT store, item, day::timestamp, sales::numeric FROM t WHERE day > '2024-03-15') q")
        self.assertEqual({(type(row[2]), type(row[3]), type(row[8])) for row in rows}, {(datetime.datetime, decimal.Decimal, bool)})

    def test_what_does_not_fit(self):
        for sql, message in (("totrain.is_anomaly('m', q.*, 5, 2)", "a probability from 0.5 to 0.99999, not 2"),
                             ("totrain.is_anomaly('m', q.*, 'much'::text)", "column \"sales\" holds 'much'")):
            with self.assertRaisesRegex(errors.DatabaseError, message):
                self.execute(f"SELECT {sql} FROM t q")


if __name__ == "__main__":
    harness.main()
