"""Forecasts of many series in PostgreSQL: its types of times, the bits of SQLite, and what a session sees of it."""

import datetime
import pathlib
import sys

from psycopg2 import errors, extras

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

SPARSE = series.rows(missing=series.sparse)
COLUMNS = "store text, item integer, day {}, sales double precision"


class Forecasts(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        for table, kind in (("t", "date"), ("texts", "text")):
            cursor.execute(f"CREATE TABLE {table} ({COLUMNS.format(kind)})")
            extras.execute_values(cursor, f"INSERT INTO {table} VALUES %s", SPARSE)

    def setUp(self):
        super().setUp()
        self.cursor = self.connect().cursor()

    def train(self, *arguments, **named):
        return harness.run_statement(self.cursor, series.statement(*arguments, **named))

    def rows(self, sql):
        return [tuple(row.values()) for row in harness.run_statement(self.cursor, sql)]

    def make_daily(self, count, kind="date", of="d"):
        self.cursor.execute(f"CREATE TABLE {of} AS SELECT (date '2024-01-01' + i)::{kind} AS day, i % 7 + i / 4.0 AS sales "
                            f"FROM generate_series(0, {count - 1}) i")

    def test_the_bits_are_those_of_sqlite(self):
        for estimator in ("Forecast", "ARIMA", "MSTL", "ForecastTrees"):
            more = series.ESTIMATORS.get(estimator, series.SMALL_TREES) + (
                ", forecast.lower = 90, forecast.round = true" if estimator == "MSTL" else "")
            wanted = self.train_in_sqlite(series.TABLE, SPARSE, series.statement(estimator, more=more))["digest"]
            for rows, workers in (("t", ""), ("texts", ""), ("(SELECT * FROM t ORDER BY md5(sales::text))", ""),
                                  ("t", ", job.min_workers = 3, job.max_workers = 3")):
                with self.subTest(estimator, rows=rows, workers=workers):
                    self.train(estimator, rows=rows, more=more + workers)
                    self.assertEqual(self.digest("m"), wanted)

    def make_promoted(self, promo="promo::integer"):
        rows = series.promoted(2, 2, 70)
        self.cursor.execute("DROP TABLE IF EXISTS u")
        self.cursor.execute("CREATE TABLE u (store text, item integer, day date, sales double precision, promo integer, price numeric(9, 2))")
        extras.execute_values(self.cursor, "INSERT INTO u VALUES %s", rows)
        return f"(SELECT store, item, day, sales, {promo} AS promo, price FROM u WHERE day < '2024-03-04')"

    def test_regressors_have_the_bits_of_sqlite(self):
        for promo, workers in (("promo", ""), ("promo = 1", ", job.min_workers = 3, job.max_workers = 3")):
            rows = self.make_promoted(promo)
            known = [row for row in series.promoted(2, 2, 70) if row[2] < "2024-03-04"]
            for estimator in ("Forecast", "ARIMA_PLUS_XREG"):
                with self.subTest(promo, estimator=estimator):
                    wanted = self.train_in_sqlite(series.PROMOTED, known, series.regression(estimator, "promo, price, ", 7))["digest"]
                    harness.run_statement(self.cursor, series.regression(estimator, "promo, price, ", 7, workers, rows=rows))
                    self.assertEqual(self.digest("m"), wanted)
        self.assertRegex(dict(self.rows("SHOW MODEL m"))["regressors"], r"^promo [23]\d.* in 4 series, price -[34].* in 4$")

    def test_rows_with_regressors_are_asked_for(self):
        rows = self.make_promoted()
        harness.run_statement(self.cursor, series.regression("AutoETS", "promo, price, ", 7, rows=rows))
        found = self.rows("SELECT * FROM u WHERE day >= '2024-03-04' AND day < '2024-03-11' TO PREDICT f USING m")
        self.assertEqual(len(found), 28)
        self.assertTrue(all(abs(row[-1] - row[3]) < 25 for row in found), found)
        self.cursor.execute("SELECT totrain.predict('m', ROW('s0', 1, date '2024-03-05', promo, 5), NULL::float8) FROM generate_series(0, 1) promo")
        without, promoted = (row[0] for row in self.cursor.fetchall())
        self.assertAlmostEqual(promoted - without, 30, delta=3)
        for sql, message in (("FORECAST m", "the model has 2 regressors, whose future values must be given"),
                             ("SELECT * FROM totrain.forecast('m')", "the model has 2 regressors"),
                             ("SELECT store, item, day, promo, NULL::float8 AS price FROM u WHERE day = '2024-03-05' TO PREDICT f USING m",
                              "series store = 's0', item = '0': regressor \"price\" is NULL at 2024-03-05"),
                             (series.regression("Naive", "nullif(promo, 1) AS promo, ", 7, rows=rows), "regressor \"promo\" is NULL at 2024-")):
            with self.subTest(message), self.assertRaisesRegex(errors.DatabaseError, message):
                if sql.startswith("SELECT * FROM totrain"):
                    self.cursor.execute(sql)
                else:
                    self.rows(sql)

    def test_rows_to_predict(self):
        self.train("AutoETS")
        found = self.rows("SELECT store, item, day + 10 AS day FROM t WHERE day = '2024-02-27' TO PREDICT f USING m")
        self.assertTrue(found)
        for store, item, day, value in found:
            # The tenth step behind the last of the first item, and none of another one.
            self.assertEqual((day, value is None), (datetime.date(2024, 3, 8).isoformat(), False), (store, item))
        self.assertEqual(self.rows("SELECT 's0' AS store, 0 AS item, date '2030-01-01' AS day TO PREDICT f USING m")[0][3], None)
        self.cursor.execute("SELECT totrain.run($$SELECT store, item, day + 10 AS day FROM t WHERE day = '2024-02-27' TO PREDICT p.f USING m$$)")
        self.cursor.execute("SELECT count(*), count(f) FROM p")
        self.assertEqual(self.cursor.fetchone(), (len(found), len(found)))

    def test_evaluate_refuses_rows_without_a_forecast(self):
        self.train("Naive")
        with self.assertRaisesRegex(errors.DatabaseError, "the model has no number for it"):
            self.rows("SELECT * FROM t TO EVALUATE m")

    def test_times_of_many_types(self):
        for kind, after, none in (("date", "2024-02-10", "2024-02-20"), ("timestamp", "2024-02-10", "2024-02-10 12:00"),
                                  ("timestamptz", "2024-02-10 00:00+00", "2024-02-10 03:00+00"), ("text", "2024-02-10", "2024-02-11 01:00")):
            with self.subTest(kind):
                self.cursor.execute("DROP TABLE IF EXISTS d; SET timezone = 'UTC'")
                self.make_daily(40, kind)
                self.rows("SELECT * FROM d TO TRAIN Naive WITH forecast.time = 'day', forecast.horizon = 3 LABEL sales INTO n")
                found = self.rows(f"SELECT '{after}'::{kind} AS day UNION ALL SELECT '{none}'::{kind} TO PREDICT f USING n")
                self.assertEqual([row[1] is None for row in found], [False, True])
        self.cursor.execute("DROP TABLE d")
        for kind in ("smallint", "integer", "bigint", "numeric", "real", "double precision"):
            with self.subTest(kind):
                self.cursor.execute(f"CREATE TABLE d AS SELECT (2 * i)::{kind} AS day, i AS sales FROM generate_series(1, 9) i")
                self.rows("SELECT * FROM d TO TRAIN Naive WITH forecast.time = 'day', forecast.horizon = 3 LABEL sales INTO n")
                found = self.rows(f"SELECT i::{kind} AS day FROM generate_series(18, 26) i TO PREDICT f USING n")
                self.assertEqual([float(row[0]) for row in found if row[1] is not None], [20, 22, 24])
                self.cursor.execute("DROP TABLE d")

    def test_the_zone_of_the_session_makes_no_difference(self):
        self.make_daily(40, "timestamptz")
        digests = set()
        for zone in ("UTC", "America/New_York", "Asia/Kolkata"):
            self.cursor.execute(f"SET timezone = '{zone}'")
            self.rows("SELECT * FROM d TO TRAIN AutoETS WITH forecast.time = 'day', forecast.horizon = 3 LABEL sales INTO n")
            digests.add(self.digest("n"))
        self.assertEqual(len(digests), 1)

    def test_errors_have_hints(self):
        self.cursor.execute("INSERT INTO t SELECT * FROM t WHERE day = '2024-02-01'")
        for named, message, hint in (
                ({}, "series store = 's[0-9]', item = '[01]': two values have the time 2024-02-01", "forecast.duplicates = 'sum'"),
                ({"group": "'shop'"}, 'group column "shop" is not among', "The query has"),
                ({"rows": "(SELECT store, item, nullif(day, '2024-02-02') AS day, sales FROM t)"}, 'time column "day" is NULL', "WHERE day IS NOT NULL"),
                ({"rows": "(SELECT nullif(store, 's1') AS store, item, day, sales FROM t)"}, 'group column "store" is NULL', "WHERE store IS NOT NULL"),
                ({"rows": "(SELECT store, item, to_char(day, 'Mon') AS day, sales FROM t)"}, "neither dates nor whole numbers", "first day"),
                ({"horizon": 10001}, "from 1 to 10000", "")):
            with self.subTest(message):
                with self.assertRaisesRegex(errors.DatabaseError, message) as caught:
                    self.train(**named)
                self.assertIn(hint, caught.exception.diag.message_hint or "")

    def test_without_waiting_and_trained_again(self):
        self.train("Theta", into="waited")
        wanted = self.digest("waited")
        version = "SELECT version FROM totrain.models WHERE relation = to_regclass('m')"
        self.execute(f"SELECT totrain.submit($${series.statement('Theta')}$$)")
        self.eventually(version, [(1,)])
        self.assertEqual(self.digest("m"), wanted)
        self.train("Theta")
        self.eventually(version, [(2,)])
        self.assertEqual(self.digest("m"), wanted)

    def test_show_and_explain(self):
        self.train("AutoETS")
        shown = dict(self.rows("SHOW MODEL m"))
        self.assertEqual((shown["kind"], shown["forecast.time"]), ("AutoETS", "'day'"))
        self.assertEqual(dict(self.rows("EXPLAIN " + series.statement("AutoETS")))["forecasts"], "autoets, 10 steps of each series")


if __name__ == "__main__":
    harness.main()
