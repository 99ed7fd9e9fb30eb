"""Forecasts of many series from the statement to the table: what is trained, what is predicted, and what is refused."""

import datetime
import json
import math
import pathlib
import random
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

QUANTILES = "WITH predict.extra_outputs = 'quantiles' "


class ForecastCase(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def make(self, rows, table="t"):
        self.run_all(f"DROP TABLE IF EXISTS {table}")
        self.run_all(f"CREATE TABLE {series.TABLE.replace('t (', table + ' (', 1)}")
        self.run_all("BEGIN")
        self.database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)
        self.run_all("COMMIT")

    def train(self, *arguments, **named):
        return self.run_all(series.statement(*arguments, **named))

    def predict(self, rows, model="m"):
        """{(store, item, day): value, or None}"""
        return {row[:3]: row[3] for row in self.run_all(f"SELECT store, item, day FROM {rows} TO PREDICT f USING {model}")}

    def fails(self, sql, message, hint=""):
        """The program's error and its hint."""
        done = self.run_program(self.path, "--progress=none", "-c", sql)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, message)
        self.assertIn(hint, done.stderr)

    def refuse(self, message, hint="", **named):
        self.fails(series.statement(**named), message, hint)


class WhatIsForecast(ForecastCase):
    def made_of_each(self, horizon, arguments=""):
        """Forecasts by the function for one series, of each series: {(store, item, day): (value, lower, upper)}"""
        found = {}
        for store, item, text in self.run_all(
                f"SELECT store, item, totrain_forecast_series(day, sales, {horizon}{arguments}) FROM t GROUP BY 1, 2"):
            for step in json.loads(text):
                found[store, item, step["time"]] = step["value"], step["lower"], step["upper"]
        return found

    def check_as_each(self, estimator, more, horizon=10, arguments=None):
        # Without errors of the past the bounds are the model's own, too.
        self.train(estimator, more=more + ", forecast.backtest = 0", horizon=horizon, into="f")
        method = json.dumps(arguments) if arguments else estimator.lower()
        wanted = self.made_of_each(horizon, f", '{method}'")
        self.run_all("DROP TABLE IF EXISTS future")
        self.run_all("CREATE TABLE future (store, item, day)")
        self.database.executemany("INSERT INTO future VALUES (?, ?, ?)", wanted)
        found = self.run_all(f"SELECT * FROM future TO PREDICT f {QUANTILES} USING f")
        self.assertEqual(len(found), len(wanted))
        for store, item, day, value, quantiles in found:
            with self.subTest(estimator, store=store, item=item, day=day):
                known = wanted[store, item, day]
                lower, middle, upper = json.loads(quantiles).values()
                self.assertEqual((value, middle), (known[0], known[0]))
                self.assertTrue(series.close(lower, known[1]) and series.close(upper, known[2]), (lower, upper, known))

    def test_each_series_is_forecast_as_by_itself(self):
        self.make(series.rows(2, 1, 50))
        for estimator, more in series.ESTIMATORS.items():
            arguments = estimator == "ARIMA" and {"method": "arima", "order": [1, 1, 1], "seasonal_order": [1, 0, 0],
                                                  "season": 7}
            self.check_as_each(estimator, more, arguments=arguments)

    def test_gaps_and_nulls_are_no_zeros(self):
        rows = series.rows(2, 1, 50, lambda store, item, i: i > 8 and (i * 5 + store) % 9 == 4)
        rows[30] = (*rows[30][:3], None)
        self.make(rows)
        for estimator in ("Forecast", "SeasonalNaive"):
            self.check_as_each(estimator, "")
        self.assertTrue(any("values are missing between others" in notice for notice in
                            harness.notices(self.train("Naive"))))

    def test_the_last_season_comes_again(self):
        """By hand, and not by what the product says elsewhere."""
        self.make(series.rows(1, 1, 28))
        self.train("SeasonalNaive", horizon=14)
        found = list(self.predict("(SELECT 's0' AS store, 0 AS item, date('2024-01-28', i || ' days') AS day FROM "
                                  "(SELECT value AS i FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14]')))").values())
        last = [series.value(0, 0, i) for i in range(21, 28)]
        self.assertEqual(found, last + last)

    def test_a_series_of_one_number_goes_on(self):
        self.make([("a", 1, day.isoformat(), 0.1) for day in series.days(30)] + [("b", 1, "2024-01-05", 1e17)])
        for estimator in ("Forecast", "AutoETS", "Naive"):
            self.train(estimator, horizon=3)
            self.run_all("CREATE TABLE IF NOT EXISTS q AS SELECT 'a' AS store, 1 AS item, '2024-01-31' AS day "
                         "UNION ALL SELECT 'b', 1, '2024-01-06'")
            rows = self.run_all(f"SELECT * FROM q TO PREDICT f {QUANTILES} USING m")
            self.assertEqual([row[3] for row in rows], [0.1, 1e17], estimator)
            self.assertEqual(set(json.loads(rows[0][4]).values()), {0.1}, estimator)

    def test_values_keep_all_their_digits(self):
        for number in (1e17 + 16, -123456789.123456789, 2.0**-40, 1 / 3):
            self.make([("a", 1, day.isoformat(), number) for day in series.days(5)])
            self.train("Naive", horizon=1)
            self.assertEqual(list(self.predict("(SELECT 'a' AS store, 1 AS item, '2024-01-06' AS day)").values()), [number])

    def test_croston_of_many_zeros(self):
        rows = [("a", 1, day.isoformat(), 6.0 if i % 3 == 0 else 0.0) for i, day in enumerate(series.days(60))]
        self.make(rows)
        self.train("Croston", horizon=2)
        value, = self.predict("(SELECT 'a' AS store, 1 AS item, '2024-03-01' AS day)").values()
        # Intervals of 3 after a first one of 1, smoothed by a tenth.
        self.assertAlmostEqual(value, 6 / (3 - 2 * .9**19))

    def test_the_statement_of_sqlflows_document(self):
        """Two seasons, and a rest that ARIMA carries on: half of each value before it."""
        days, rest = series.days(153, datetime.date(2014, 4, 1)), 0
        self.run_all("CREATE TABLE fund (time TEXT, purchase REAL)")
        for i, day in enumerate(days):
            rest = 0.5 * rest + (i * 7919 % 13 - 6) / 4
            self.run_all("INSERT INTO fund VALUES (?, ?)", day.isoformat(), 500 + 10 * (i % 7) + i % 30 + rest)
        rows = self.run_all(
            "SELECT time, purchase FROM fund TO TRAIN sqlflow_models.ARIMAWithSTLDecomposition WITH model.order=[7, 0, 2], model.period=[7, 30], "
            "model.date_format=\"%Y-%m-%d\", model.forecast_start='2014-09-01', model.forecast_end='2014-09-30' LABEL purchase INTO m")
        self.assertIn("30 steps are forecast, one for each day from 2014-09-01 to 2014-09-30", " ".join(harness.notices(rows)))
        found = self.run_all("FORECAST m")
        self.assertEqual([row[0] for row in found], [day.isoformat() for day in series.days(30, datetime.date(2014, 9, 1))])
        for i, row in enumerate(found):
            self.assertAlmostEqual(row[1], 500 + 10 * ((153 + i) % 7) + (153 + i) % 30, delta=8)

    def test_what_is_known_of_the_model(self):
        self.make(series.rows())
        rows = self.train("AutoETS", more=", forecast.season = 7")
        measured = harness.validated(rows)
        self.assertEqual(list(measured), ["MASE", "NaiveMASE", "sMAPE", "WAPE", "RMSSE", "Bias", "Coverage"])
        self.assertTrue(0 < measured["MASE"] < 2 and 0.8 < measured["Coverage"] <= 1, measured)
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["kind"], "AutoETS")
        self.assertEqual((shown["forecast.time"], shown["forecast.horizon"]), ("'day'", "10"))
        self.assertIn("MASE, validation", shown)
        explained = dict(self.run_all("EXPLAIN " + series.statement("AutoETS")))
        self.assertEqual(explained["forecasts"], "autoets, 10 steps of each series")
        self.assertIn("input day.age", explained)

    def test_no_backtest_measures_nothing(self):
        self.make(series.rows())
        rows = self.train("Naive", more=", forecast.backtest = 0")
        self.assertEqual(harness.validated(rows), {})

    def test_a_horizon_or_a_season_that_the_history_does_not_tell(self):
        self.make(series.rows(2, 1, 40))
        far, unknown = "forecast.horizon is 41 steps, and the longest series has 40", "no series is forecast with a season of 30 steps"
        for horizon, season, expected in ((41, 7, [far]), (40, 7, []), (4, 30, [unknown]), (41, 30, [far, unknown])):
            told = " ".join(harness.notices(self.train("SeasonalNaive", horizon=horizon,
                                                       more=f", forecast.season = {season}, forecast.backtest = 0")))
            self.assertEqual([notice for notice in (far, unknown) if notice in told], expected, told)

    def test_errors_of_the_past_by_hand(self):
        """The last value again: of four values that go up by 2 the next two are 2 and 4 below what came."""
        self.make([("a", 1, day.isoformat(), float(2 * i)) for i, day in enumerate(series.days(6))])
        measured = harness.validated(self.train("Naive", horizon=2, more=", forecast.season = 1"))
        self.assertEqual(measured["MASE"], (2 + 4) / 2 / 2)
        self.assertEqual(measured["NaiveMASE"], measured["MASE"])
        self.assertAlmostEqual(measured["WAPE"], 6 / 18)
        self.assertAlmostEqual(measured["Bias"], 6 / 18)
        self.assertAlmostEqual(measured["sMAPE"], 100 * (2 * 2 / (8 + 6) + 2 * 4 / (10 + 6)) / 2)
        self.assertAlmostEqual(measured["RMSSE"], ((4 + 16) / 4 / 2) ** .5)


class Times(ForecastCase):
    def next_times(self, times, candidates, kind="TEXT", horizon=3):
        """Those of the candidates that are forecast of a series with these times."""
        self.run_all("DROP TABLE IF EXISTS u")
        self.run_all(f"CREATE TABLE u (at {kind}, y REAL)")
        self.database.executemany("INSERT INTO u VALUES (?, ?)", [(at, float(i % 5)) for i, at in enumerate(times)])
        self.run_all(f"SELECT at, y FROM u TO TRAIN Naive WITH forecast.time = 'at', forecast.horizon = {horizon} "
                     "LABEL y INTO n")
        self.run_all("DROP TABLE IF EXISTS v")
        self.run_all(f"CREATE TABLE v (at {kind})")
        self.database.executemany("INSERT INTO v VALUES (?)", [(at,) for at in candidates])
        return [at for at, y in self.run_all("SELECT at FROM v TO PREDICT y USING n") if y is not None]

    def test_days(self):
        near = [day.isoformat() for day in series.days(20, datetime.date(2024, 2, 20))]
        self.assertEqual(self.next_times(["2024-02-25", "2024-02-26", "2024-02-28"], near),
                         ["2024-02-29", "2024-03-01", "2024-03-02"])
        self.assertEqual(self.next_times(["2024-02-21", "2024-02-28"], near, horizon=1), ["2024-03-06"])

    def test_weekdays(self):
        near = [day.isoformat() for day in series.days(30, datetime.date(2024, 5, 1))]
        times = [day for day in near[:10] if datetime.date.fromisoformat(day).weekday() < 5]
        self.assertEqual(times[-1], "2024-05-10")  # a Friday
        self.assertEqual(self.next_times(times, near), ["2024-05-13", "2024-05-14", "2024-05-15"])

    def test_first_days_and_last_days_of_months(self):
        near = [day.isoformat() for day in series.days(150, datetime.date(2023, 12, 1))]
        self.assertEqual(self.next_times(["2023-10-01", "2023-11-01", "2024-01-01"], near),
                         ["2024-02-01", "2024-03-01", "2024-04-01"])
        self.assertEqual(self.next_times(["2023-10-31", "2023-11-30", "2024-01-31"], near),
                         ["2024-02-29", "2024-03-31"] + (["2024-04-30"] if "2024-04-30" in near else []))
        self.assertEqual(self.next_times(["2023-06-15", "2023-09-15"], near, horizon=2), ["2023-12-15", "2024-03-15"])

    def test_timestamps(self):
        hours = [f"2024-05-01 {hour:02}:00:00" for hour in range(24)]
        self.assertEqual(self.next_times(hours[:5], hours + ["2024-05-01 05:30:00"]), hours[5:8])
        quarters = ["2024-05-01T00:00", "2024-05-01T00:15"]
        self.assertEqual(self.next_times(quarters, hours, horizon=2), [])
        self.assertEqual(self.next_times(quarters, hours, horizon=3), hours[1:2])

    def test_whole_numbers(self):
        self.assertEqual(self.next_times([1990, 1994, 2000], range(1980, 2010), "INTEGER"), [2002, 2004, 2006])
        self.assertEqual(self.next_times([-5, -4], range(-9, 9), "INTEGER"), [-3, -2, -1])
        far = 2**53
        self.assertEqual(self.next_times([far - 9, far - 8], range(far - 9, far), "INTEGER"), [far - 7, far - 6, far - 5])
        self.assertEqual(self.next_times([1990.0, 1991.0], [1992.0, 1992.5, 1993.0], "REAL"), [1992, 1993])

    def test_the_end_of_time(self):
        for times, kind in ((["9999-12-29", "9999-12-30"], "TEXT"), ([2**53 - 2, 2**53 - 1], "INTEGER")):
            with self.assertRaisesRegex(sqlite3.Error, "beyond the year 9999, or 2.53"):
                self.next_times(times, times, kind, 2)


class Predictions(ForecastCase):
    def setUp(self):
        super().setUp()
        self.make(series.rows())
        self.train()
        self.run_all("CREATE TABLE q AS SELECT 's1' AS store, 1 AS item, '2024-03-01' AS day, 130.0 AS sales UNION ALL "
                     "SELECT 's1', 1, '2024-03-10', 128 UNION ALL SELECT 's1', 1, '2024-03-11', 1 UNION ALL "
                     "SELECT 's1', 1, '2024-02-29', 1 UNION ALL SELECT 's1', 7, '2024-03-01', 1 UNION ALL "
                     "SELECT 'S1', 1, '2024-03-01', 1 UNION ALL SELECT NULL, 1, '2024-03-01', 1 UNION ALL "
                     "SELECT 's1', 1, NULL, 1 UNION ALL SELECT 's1', 1, '2024-03-01 12:00', 1 UNION ALL SELECT 's1', 1, '1000-01-01', 1")

    def test_null_where_there_is_none(self):
        found = [row[-1] for row in self.run_all("SELECT store, item, day FROM q TO PREDICT f USING m")]
        self.assertTrue(all(number is not None for number in found[:2]), found)
        self.assertEqual(found[2:], [None] * 8)
        rows = self.run_all(f"SELECT store, item, day FROM q TO PREDICT f {QUANTILES} USING m")
        self.assertEqual([row[3] for row in rows], found)
        for number, quantiles in [row[3:] for row in rows[:2]]:
            lower, middle, upper = json.loads(quantiles).values()
            self.assertTrue(lower < middle == number < upper)
        self.assertEqual([row[4] for row in rows[2:]], [None] * 8)

    def test_into_a_table_by_any_number_of_workers(self):
        found = self.run_all("SELECT store, item, day FROM q TO PREDICT f USING m")
        for workers in (0, 1, 2):
            more = f"WITH job.max_workers = {workers}, job.min_workers = {workers} " if workers else ""
            self.run_all("DROP TABLE IF EXISTS p")
            self.run_all(f"SELECT store, item, day FROM q TO PREDICT p.f {more}USING m")
            self.assertEqual([tuple(row) for row in self.run_all("SELECT store, item, day, f FROM p")],
                             [tuple(row) for row in found])

    def test_evaluate_refuses_rows_without_a_forecast_or_leaves_them_out(self):
        self.fails("SELECT * FROM q TO EVALUATE m", "row 3: the model has no number for it", "evaluate.bad_rows = 'skip'")
        predicted = [row[3] for row in self.run_all("SELECT store, item, day FROM q LIMIT 2 TO PREDICT f USING m")]
        wanted = sum((known - value) ** 2 for known, value in zip((130, 128), predicted)) / 2
        for sql in ("SELECT * FROM q LIMIT 2 TO EVALUATE m WITH validation.metrics = 'MSE'",
                    "SELECT * FROM q TO EVALUATE m WITH validation.metrics = 'MSE', evaluate.bad_rows = 'skip'",
                    "SELECT * FROM q TO EVALUATE m WITH validation.metrics = 'MSE', evaluate.bad_rows = 'skip', job.max_workers = 2"):
            with self.subTest(sql):
                cursor = self.database.execute(sql)
                found = dict(zip([column[0] for column in cursor.description], cursor.fetchone()))
                self.assertAlmostEqual(found["MSE"], wanted, places=4)

    def test_a_copy_of_the_table_predicts_the_same(self):
        found = self.run_all("SELECT store, item, day FROM q TO PREDICT f USING m")
        script = "\n".join(self.database.iterdump())
        other = str(self.folder / "other.db")
        with sqlite3.connect(other) as database:
            database.executescript(script)
        database.close()
        self.assertEqual(self.connect(other).execute("SELECT store, item, day FROM q TO PREDICT f USING m").fetchall(), found)

    def test_what_cannot_be_written_as_a_file_is_refused(self):
        for file in ("m.json", "m.txt", "m.sql", "m.c"):
            self.fails(f"EXPORT MODEL m TO '{self.folder / file}'",
                       'a model of kind "forecast" is not exported|Forecast has no trees that could be exported')

    def test_a_damaged_model_is_refused(self):
        rows = self.run_all("SELECT rowid, name, data FROM m WHERE part = 'tensor'")
        self.assertTrue({"forecasts", "facts", "ids"} <= {name for _, name, _ in rows}, rows)
        for rowid, name, data in rows:
            with self.subTest(name):
                self.run_all("DROP TABLE IF EXISTS damaged")
                self.run_all("CREATE TABLE damaged AS SELECT * FROM m")
                middle = len(data) // 2
                self.run_all("UPDATE damaged SET data = ? WHERE rowid = ?",
                             data[:middle] + bytes([data[middle] ^ 8]) + data[middle + 1:], rowid)
                with self.assertRaises(sqlite3.Error):
                    self.run_all("SELECT store, item, day FROM q TO PREDICT f USING damaged")


class Trees(ForecastCase):
    """One model of trees that all series share."""

    def test_what_the_series_have_in_common_is_learned(self):
        """The first of each month sells 50 more: no season of days has that, and no series alone tells it well."""
        self.make([(f"s{store}", 0, day.isoformat(), 100.0 * (store + 1) + (50 if day.day == 1 else 0) * (store + 1) / 2 +
                    (i * 7919 + store * 31) % 7) for store in range(12) for i, day in enumerate(series.days(150))])  # to the 29th of May
        measured = harness.validated(self.train("ForecastTrees", horizon=5, more=", n_estimators = 40, learning_rate = 0.1"))
        self.assertEqual(list(measured), ["MASE", "NaiveMASE", "sMAPE", "WAPE", "RMSSE", "Bias", "Coverage"])
        found = {(row[0], row[2]): row[3] for row in self.run_all("FORECAST m")}
        for store in range(12):
            self.assertGreater(found[f"s{store}", "2024-06-01"], 100 * (store + 1) + 10 * (store + 1), store)
            self.assertLess(abs(found[f"s{store}", "2024-05-30"] - 103 - 100 * store), 6 * (store + 1), store)

    def test_they_beat_the_last_season_where_it_is_noise(self):
        self.make(series.rows(6, 2, 80))
        measured = harness.validated(self.train("ForecastTrees", more=", n_estimators = 40, learning_rate = 0.1"))
        self.assertLess(measured["MASE"], 0.8 * measured["NaiveMASE"])

    def forecasts(self):
        return [row[3:] for row in self.run_all("FORECAST m")]

    def test_values_times_a_number_have_forecasts_times_it(self):
        rows = series.rows(4, 2, 60)
        self.make(rows)
        self.train("ForecastTrees", more=series.SMALL_TREES)
        known = self.forecasts()
        for by in (1024.0, 3.0):
            self.make([(*row[:3], row[3] * by) for row in rows])
            self.train("ForecastTrees", more=series.SMALL_TREES)
            for one, other in zip(known, self.forecasts(), strict=True):
                for before, after in zip(one, other, strict=True):
                    self.assertTrue(series.close(before * by, after, 1e-6), (by, before, after))

    def test_short_series_constants_and_gaps(self):
        rows = series.rows(3, 2, 60, series.sparse)
        self.make(rows + [("one", 1, "2024-01-05", 4.5), ("constant", 1, "2024-01-05", 0.1), ("none", 1, "2024-01-05", None)] +
                  [("constant", 1, day.isoformat(), 0.1) for day in series.days(9, datetime.date(2024, 1, 6))] +
                  [("four", 1, day.isoformat(), float(i)) for i, day in enumerate(series.days(4))])
        told = " ".join(harness.notices(self.train("ForecastTrees", horizon=3, more=series.SMALL_TREES)))
        for notice in ("1 of 10 series have no value", "values are missing between others", "have fewer than 8 values"):
            self.assertIn(notice, told)
        found = {(row[0], row[2]): row[3:] for row in self.run_all("FORECAST m")}
        self.assertEqual(found["one", "2024-01-06"], (4.5, 4.5, 4.5))
        self.assertEqual(found["constant", "2024-01-15"], (0.1, 0.1, 0.1))
        self.assertEqual(found["four", "2024-01-05"][0], 3.0)
        self.make([("one", 1, "2024-01-05", 4.5)])  # nothing to grow a tree from
        self.train("ForecastTrees", horizon=2)
        self.assertEqual([row[3] for row in self.run_all("FORECAST m")], [4.5, 4.5])

    def test_totals_transforms_history_and_times_that_are_numbers(self):
        self.make(series.rows(3, 2, 60))
        for more in (", forecast.hierarchy = 'mint'", ", forecast.transform = 'log'", ", forecast.history = 5, forecast.season = [7, 14]"):
            self.train("ForecastTrees", horizon=3, more=more + series.SMALL_TREES)
            found = self.run_all("FORECAST m FOR 1")
            if "mint" in more:
                self.assertEqual(found[0][3], sum(row[3] for row in found if row[1] is not None))
        rows = self.run_all("SELECT store, item, day, sales FROM t WHERE day = '2024-02-29' TO PREDICT sales USING m")
        self.assertTrue(all(row[4] is not None for row in rows), rows)  # expected
        self.run_all("CREATE TABLE u AS SELECT CAST(julianday(day) AS INTEGER) AS at, store, item, sales FROM t")
        self.run_all("SELECT store, item, at, sales FROM u TO TRAIN ForecastTrees WITH forecast.time = 'at', forecast.group = "
                     f"['store', 'item'], forecast.horizon = 2{series.SMALL_TREES} LABEL sales INTO n")
        self.assertEqual(len(self.run_all("FORECAST n")), 12)

    def test_regressors(self):
        rows = series.promoted(3, 2, 80)
        self.run_all("CREATE TABLE p (store TEXT, item INTEGER, day TEXT, sales REAL, promo INTEGER, price REAL)")
        self.database.executemany("INSERT INTO p VALUES (?, ?, ?, ?, ?, ?)", rows)
        self.run_all(series.regression("ForecastTrees", "promo, price, ", 5, series.SMALL_TREES, rows="p"))
        found = [row[-1] for row in self.run_all("SELECT 's0' AS store, 0 AS item, '2024-03-21' AS day, value AS promo, 5 AS price "
                                                 "FROM json_each('[0, 1]') TO PREDICT f USING m")]
        self.assertAlmostEqual(found[1] - found[0], 30, delta=4)

    def test_holidays_of_series_too_short_for_effects_of_their_own(self):
        """Each series has ten values and a feast among them, on another day: none can tell its effect, and all together do."""
        feasts = {store: datetime.date(2024, 1, 4) + datetime.timedelta(store * 11) for store in range(30)}
        rows = [(f"s{store}", 0, day.isoformat(), 50.0 + (i * 5 + store) % 7 + (40 if day == feasts[store] else 0))
                for store in range(30) for i, day in enumerate(series.days(10, feasts[store] - datetime.timedelta(5)))]
        self.make(rows)
        last = max(row[2] for row in rows if row[0] == "s3")
        coming = datetime.date.fromisoformat(last) + datetime.timedelta(3)
        self.run_all("CREATE TABLE feasts (day TEXT, name TEXT)")
        self.database.executemany("INSERT INTO feasts VALUES (?, 'feast')", [(day.isoformat(),) for day in (*feasts.values(), coming)])
        trees = ", n_estimators = 60, max_depth = 3, learning_rate = 0.2, min_data_in_leaf = 5, forecast.backtest = 0"
        values = {}
        for more in ("", ", forecast.holidays = 'feasts'"):
            told = harness.notices(self.train("ForecastTrees", horizon=5, more=trees + more))
            self.assertEqual('holiday "feast" has no effect of its own in any series' in " ".join(told), more != "", told)
            values[more] = {row[2]: row[3] for row in self.run_all("FORECAST m") if row[0] == "s3"}[coming.isoformat()]
        self.assertLess(values[""], 60)
        self.assertGreater(values[", forecast.holidays = 'feasts'"], 75)

    def test_attributes_of_trees_belong_to_trees(self):
        self.make(series.rows(2, 1, 30))
        self.refuse("max_depth belongs to ForecastTrees, not to theta", "TO TRAIN ForecastTrees", estimator="Theta", more=", max_depth = 2")
        self.refuse("forecast.keep_parameters does not go together with trees", "trained anew", estimator="ForecastTrees",
                    more=", forecast.keep_parameters = true")
        self.refuse("max_depth", "8", estimator="ForecastTrees", more=", max_depth = 9")
        self.fails("SELECT totrain_forecast_series(day, sales, 3, 'trees') FROM t WHERE store = 's0'",
                   "trees are learned from many series", "TO TRAIN ForecastTrees")


class SameBits(ForecastCase):
    def test_any_number_of_workers_and_any_order_of_rows(self):
        self.make(series.rows(missing=series.sparse))
        for estimator, more in (("Forecast", ""), ("Theta", ""), ("ForecastTrees", series.SMALL_TREES)):
            self.train(estimator, more=more + ", job.max_workers = 1", into="one")
            for workers in (2, 3, 8):
                self.train(estimator, into="several",
                           more=f"{more}, job.min_workers = {workers}, job.max_workers = {workers}")
                self.assertEqual(self.model_digest("several"), self.model_digest("one"), (estimator, workers))
            rows = series.rows(missing=series.sparse)
            random.Random(5).shuffle(rows)
            self.make(rows, "other")
            self.train(estimator, more=more, rows="other", into="two")
            self.assertEqual(self.model_digest("two"), self.model_digest("one"), estimator)

    def test_of_two_thousand_series(self):
        rows = series.rows(500, 4, 12, lambda store, item, i: (store + i * 3) % 7 == 5)
        self.make(rows)
        facts = harness.facts(self.train("Theta", horizon=3, more=", job.max_workers = 1", into="one"))
        self.assertEqual(facts["rows"], len(rows))
        self.train("Theta", horizon=3, more=", job.min_workers = 3, job.max_workers = 3", into="three")
        self.assertEqual(self.model_digest("three"), self.model_digest("one"))
        self.run_all("CREATE TABLE future AS SELECT DISTINCT store, item, '2024-01-13' AS day FROM t")
        found = self.predict("future", "three")
        self.assertEqual(len(found), 2000)
        # Some series end on the 11th or 10th, and all have a forecast of the 13th.
        self.assertTrue(all(number is not None for number in found.values()))

    def test_trained_again_it_is_version_two_with_the_same_bits(self):
        self.make(series.rows())
        self.train("Theta")
        first = self.model_digest()
        self.train("Theta")
        self.assertEqual(self.run_all("SELECT version, digest FROM totrain_models WHERE name = 'm'"), [(2, first)])

    def test_without_waiting(self):
        self.addCleanup(self.end_what_is_left)
        self.make(series.rows())
        self.train("Theta", into="waited")
        wanted = self.model_digest("waited")
        done = self.run_program(self.path, "--format=csv", "--progress=none", "-c",
                                series.statement("Theta", more=", job.wait = false"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.eventually("SELECT digest FROM totrain_models WHERE name = 'm'", [(wanted,)])

    def test_a_worker_that_is_killed_leaves_the_digest_as_it_is(self):
        """In the middle of the series, of which each step fits some, or of the trees."""
        self.make(series.rows(100, 3, 8))
        for estimator, more in (("Theta", ", job.lanes = 4"), ("ForecastTrees", ", job.lanes = 4, n_estimators = 5, max_depth = 2")):
            self.train(estimator, horizon=2, more=more, into="wanted")
            process = self.paced(series.statement(estimator, horizon=2, more=more + ", job.min_workers = 2, job.max_workers = 2"))
            self.end_without_a_worker(process)
            self.assertEqual(self.model_digest("m"), self.model_digest("wanted"))


class Limits(ForecastCase):
    def rows_of(self, more, columns=""):
        self.run_all(f"SELECT store, item, day, {columns}sales FROM t TO TRAIN AutoETS WITH forecast.time = 'day', "
                     f"forecast.group = ['store', 'item'], forecast.horizon = 10{more} LABEL sales INTO m")
        return self.run_all("FORECAST m")

    def test_numbers_are_within_them_and_whole(self):
        self.make(series.rows())
        plain = self.rows_of("")
        self.assertNotIn("limits", dict(self.run_all("SHOW MODEL m")))
        limited = self.rows_of(", forecast.lower = 105.5, forecast.upper = 130, forecast.round = true")
        self.assertEqual(dict(self.run_all("SHOW MODEL m"))["limits"], "105.5 to 130, whole numbers")
        self.assertEqual([row[:3] for row in plain], [row[:3] for row in limited])
        for before, after in zip(plain, limited):
            value, lower, upper = before[3:]
            wanted = [min(max(number, 105.5), 130) for number in (math.floor(value + 0.5), math.floor(lower), math.ceil(upper))]
            self.assertEqual(list(after[3:]), wanted)
        self.assertTrue({105.5, 130} < {number for row in limited for number in row[3:]})
        predicted = self.run_all("SELECT store, item, date(day, '10 days') AS day FROM t WHERE day = '2024-02-29' TO PREDICT f USING m")
        known = {row[:3]: row[3] for row in limited}
        self.assertEqual([row[3] for row in predicted], [known[row[:3]] for row in predicted])

    def test_one_side_alone(self):
        self.make(series.rows(1, 1))
        self.assertEqual(min(row[4] for row in self.rows_of(", forecast.lower = 110")), 110)
        self.assertEqual(dict(self.run_all("SHOW MODEL m"))["limits"], "110 or more")
        self.assertEqual(max(row[5] for row in self.rows_of(", forecast.upper = -3e5")), -3e5)
        self.assertEqual(dict(self.run_all("SHOW MODEL m"))["limits"], "-300000 or less")
        self.assertTrue(all(number == int(number) for row in self.rows_of(", forecast.round = true") for number in row[3:]))
        self.assertEqual(dict(self.run_all("SHOW MODEL m"))["limits"], "whole numbers")

    def test_regressors_add_before_them(self):
        self.make(series.rows(1, 1))
        self.run_all("SELECT store, item, day, length(day) + rowid % 3 AS third, sales FROM t TO TRAIN AutoETS WITH forecast.time = 'day', "
                     "forecast.group = 'store, item', forecast.horizon = 3, forecast.lower = 0, forecast.upper = 9 LABEL sales INTO m")
        self.assertEqual(self.run_all("SELECT totrain_predict('m', 's0', 0, '2024-03-01', third) FROM (SELECT -1e9 AS third UNION ALL SELECT 1e9) "
                                      "ORDER BY 1"), [(0,), (9,)])

    def test_limits_that_leave_nothing(self):
        self.make(series.rows(1, 1))
        self.refuse("forecast.upper is above forecast.lower, and 1 is not above 2", "forecast.lower = 0",
                    more=", forecast.lower = 2, forecast.upper = 1")
        self.refuse("forecast.lower is one number, not a list of 2", more=", forecast.lower = [1, 2]")


class Duplicates(ForecastCase):
    def test_two_values_of_one_time(self):
        rows = series.rows(2, 1, 30)
        self.make(rows + [("s1", 0, "2024-01-10", 4.0)])
        self.refuse("series store = 's1', item = '0': two values have the time 2024-01-10", "forecast.duplicates = 'sum'")
        future = "(SELECT store, item, '2024-02-02' AS day FROM t GROUP BY 1, 2)"
        for rule, function in (("sum", "sum"), ("mean", "avg")):
            self.train("AutoETS", more=f", forecast.duplicates = '{rule}'")
            self.train("AutoETS", rows=f"(SELECT store, item, day, {function}(sales) AS sales FROM t GROUP BY 1, 2, 3)",
                       into="made")
            found = self.predict(future)
            self.assertEqual(len(found), 2)
            self.assertEqual(found, self.predict(future, "made"), rule)

    def test_a_value_beside_a_missing_one_is_one(self):
        rows = series.rows(1, 1, 30)
        self.make(rows + [(*rows[4][:3], None)])
        self.train("Naive")


class Refused(ForecastCase):
    def setUp(self):
        super().setUp()
        self.make(series.rows(2, 2, 20))

    def test_what_is_missing(self):
        for settings, message, hint in (
                ("forecast.time = 'day'", "Forecast needs forecast.horizon", "Four weeks of days are WITH forecast.horizon = 28"),
                ("forecast.horizon = 3", "Forecast needs forecast.time", "WITH forecast.time = 'day'")):
            self.fails(f"SELECT * FROM t TO TRAIN Forecast WITH {settings} LABEL sales INTO m", message, hint)
        self.fails("SELECT * FROM t TO TRAIN Forecast WITH forecast.time = 'day', forecast.horizon = 3 INTO m", "LABEL is missing")

    def test_columns_that_there_are_not(self):
        self.refuse('group column "stor" is not among', "Did you mean store", group="'stor'")
        self.refuse('column "store" is named twice', group="'store, store'")
        self.refuse('column "sales" is the label', group="['store', 'sales']")
        self.refuse('column "day" is named twice', group="['store', 'day']")
        self.fails("SELECT * FROM t TO TRAIN Forecast WITH forecast.time = 'dya', forecast.horizon = 3 LABEL sales INTO m",
                   'time column "dya" is not among', "Did you mean day")
        nine = ", ".join(f"{i} AS c{i}" for i in range(9))
        self.fails(f"SELECT {nine}, day, sales FROM t TO TRAIN Forecast WITH forecast.time = 'day', forecast.horizon = 3, "
                   "forecast.group = 'c0,c1,c2,c3,c4,c5,c6,c7,c8' LABEL sales INTO m", "forecast.group has 8 columns at most")

    def test_times_that_are_none(self):
        self.fails("SELECT store AS day, sales FROM t TO TRAIN Forecast WITH forecast.time = 'day', forecast.horizon = 3 "
                   "LABEL sales INTO m", "holds neither dates nor whole numbers", "of months select the first day")
        self.refuse('time column "day" is NULL in some rows', "WHERE day IS NOT NULL",
                    rows="(SELECT store, item, nullif(day, '2024-01-05') AS day, sales FROM t)")
        self.refuse('group column "store" is NULL in some rows', "WHERE store IS NOT NULL",
                    rows="(SELECT nullif(store, 's1') AS store, item, day, sales FROM t)")
        self.refuse("a time is no whole number, or out of range", "Select whole numbers",
                    rows="(SELECT store, item, rowid / 2.0 AS day, sales FROM t)")
        self.refuse("series store = 's0', item = '0': 2 times would be .* steps, of which most have no value", "even step",
                    rows="(SELECT store, item, CASE WHEN item = 0 AND store = 's0' THEN CASE day WHEN '2024-01-01' THEN '1990-01-01' "
                         "ELSE '2024-01-20' END ELSE day END AS day, sales FROM t)", more=", forecast.duplicates = 'sum'")

    def test_settings_that_do_not_fit(self):
        self.refuse("a whole number from 1 to 10000", horizon=10001)
        self.refuse("a whole number from 1 to 10000", horizon=0)
        self.refuse("forecast.order belongs to ARIMA", "TO TRAIN ARIMA", estimator="AutoETS", more=", forecast.order = [1, 0, 0]")
        self.refuse("MSTL needs a season", "forecast.season = 12", estimator="MSTL",
                    rows="(SELECT store, item, rowid AS day, sales FROM t)")
        self.refuse("COLUMN has no use with Forecast", "forecast.group the columns that identify a series",
                    more=" COLUMN store")
        self.refuse("forecast.duplicates takes 'error', 'sum' or 'mean', not 'max'", more=", forecast.duplicates = 'max'")
        self.refuse("\"train.epoch\" has no use with Forecast", more=", train.epoch = 3")
        self.refuse("\"forecast.method\" has no use in a model of one method", estimator="Theta", more=", forecast.method = 'ets'")

    def test_values_that_are_none(self):
        self.refuse("label column \"sales\" holds text that is not a number", rows="(SELECT store, item, day, store AS sales FROM t)")
        self.refuse("no series has a value that is not NULL", "LABEL names the column",
                    rows="(SELECT store, item, day, CAST(NULL AS REAL) AS sales FROM t)")
        self.refuse("the SELECT returned no rows", rows="(SELECT * FROM t WHERE item > 5)")

    def test_a_forecast_that_takes_more_memory_than_there_is(self):
        self.make(series.rows(50, 2, 4))
        self.refuse("the forecasts of 100 series take .* bytes", "Lower forecast.horizon", horizon=10000,
                    more=", job.memory = '16Mi'", estimator="Naive")

    def test_a_series_without_a_value_is_told(self):
        notices = harness.notices(self.train("Naive", rows="(SELECT store, item, day, CASE WHEN item = 0 AND store = 's0' THEN NULL "
                                             "ELSE sales END AS sales FROM t)"))
        self.assertTrue(any("1 of 4 series have no value that is not NULL" in notice for notice in notices), notices)

    def test_no_importance_is_measured(self):
        self.train("Naive")
        self.fails("SELECT * FROM t TO EXPLAIN m USING permutation", "a Naive has no inputs whose importance could be measured",
                   "trend, seasons and remainder")

    def test_other_columns_are_told(self):
        notices = harness.notices(self.train("Naive", group="'store'", more=", forecast.duplicates = 'mean'",
                                             rows="(SELECT store, 'i' || item AS item, day, sales FROM t)"))
        self.assertTrue(any('column "item" is not used by a forecast' in notice for notice in notices), notices)


if __name__ == "__main__":
    harness.main()
