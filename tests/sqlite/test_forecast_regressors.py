"""Forecasts with columns that are known of the future: what they explain, how rows are asked for, and what is refused."""

import json
import pathlib
import random
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

DAYS, HORIZON = 80, 7


class RegressorCase(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.make(series.promoted(3, 2, DAYS + HORIZON))

    def make(self, rows, table="t"):
        """Rows up to DAYS in the table, those behind them, as if they were still to come, in TABLE_next."""
        last = series.days(DAYS)[-1].isoformat()
        self.run_all("BEGIN")
        for name, known in ((table, True), (f"{table}_next", False)):
            self.run_all(f"DROP TABLE IF EXISTS {name}")
            self.run_all(f"CREATE TABLE {series.PROMOTED.replace('t (', name + ' (', 1)}")
            self.database.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?, ?)", [row for row in rows if (row[2] <= last) == known])
        self.run_all("COMMIT")

    def train(self, estimator="Forecast", columns="promo, price, ", more="", into="m", rows="t"):
        return self.run_all(series.regression(estimator, columns, HORIZON, more, into, rows))

    def fails(self, sql, message, hint=""):
        done = self.run_program(self.path, "--progress=none", "-c", sql)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, message)
        self.assertIn(hint, done.stderr)

    def shown(self, model="m"):
        return dict(self.run_all(f"SHOW MODEL {model}"))


class WhatTheyExplain(RegressorCase):
    def test_errors_are_smaller_than_without_them(self):
        plain = harness.validated(self.train(columns=""))
        for estimator in ("Forecast", "AutoETS", "ARIMA_PLUS_XREG", "AutoARIMA", "ARIMA", "Theta", "MSTL", "SeasonalNaive"):
            with self.subTest(estimator):
                measured = harness.validated(self.train(estimator, more=", forecast.season = 7"))
                self.assertLess(measured["MASE"], 0.6 * plain["MASE"])
                self.assertLess(abs(measured["Bias"]), 0.05)
                self.assertGreater(measured["Coverage"], 0.8)

    def test_what_came_is_near_to_the_forecast_of_rows(self):
        self.train()
        rows = self.run_all("SELECT * FROM t_next TO PREDICT f WITH predict.extra_outputs = 'quantiles' USING m")
        self.assertEqual(len(rows), 6 * HORIZON)
        covered = 0
        for row in rows:
            lower, middle, upper = json.loads(row[-1]).values()
            self.assertTrue(lower < middle == row[-2] < upper)
            self.assertLess(abs(row[-2] - row[3]), 25, row)
            covered += lower <= row[3] <= upper
        self.assertGreater(covered, 0.8 * len(rows))
        cursor = self.database.execute("SELECT * FROM t_next TO EVALUATE m WITH validation.metrics = 'MAE'")
        measured = dict(zip([column[0] for column in cursor.description], cursor.fetchone()))
        self.assertLess(measured["MAE"], 10)
        self.assertAlmostEqual(measured["MAE"], sum(abs(row[-2] - row[3]) for row in rows) / len(rows), places=3)

    def test_a_promotion_more_adds_its_coefficient(self):
        self.train("AutoETS")
        found = [row[0] for row in self.run_all("SELECT totrain_predict('m', 's0', 1, '2024-03-21', n, 5) FROM "
                                                "(SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2)")]
        self.assertAlmostEqual(found[2] - found[1], found[1] - found[0])
        self.assertAlmostEqual(found[1] - found[0], 30, delta=3)

    def test_coefficients_are_shown(self):
        self.train()
        promo, price = self.shown()["regressors"].split(", ")
        self.assertRegex(promo, r"^promo [23]\d(\.\d+)? in 6 series$")
        self.assertRegex(price, r"^price -[34](\.\d+)? in 6$")
        self.train(columns="")
        self.assertNotIn("regressors", self.shown())
        explained = dict(self.run_all("EXPLAIN " + series.regression("Forecast", "promo, price, ", HORIZON)))
        self.assertEqual(explained["forecasts"], f"forecast, {HORIZON} steps of each series, with 2 regressors")

    def test_booleans_and_other_names(self):
        rows = "(SELECT store, item, day, sales, CASE WHEN promo THEN 't' ELSE 'f' END AS promo, price FROM t)"
        self.train("ARIMA_PLUS_XREG", into="words", rows=rows)
        self.train("AutoARIMA")
        self.assertEqual(self.shown("words")["regressors"], self.shown()["regressors"])

    def test_gaps_and_ends_of_series(self):
        rows = [row for i, row in enumerate(series.promoted(2, 1, DAYS + HORIZON)) if i % 11 != 3]
        rows[20] = (*rows[20][:3], None, None, None)
        self.make(rows)
        for gaps in ("line", "zero", "last"):
            self.train("AutoARIMA", more=f", forecast.gaps = '{gaps}'")
            found = self.run_all("SELECT * FROM t_next TO PREDICT f USING m")
            self.assertTrue(found and all(row[-1] is not None for row in found), gaps)


class WhatIsExpected(RegressorCase):
    def check(self, rows="t", more=""):
        """{(store, item, day): (promo, sales, expected, lower, upper, probability, is_anomaly)}"""
        self.run_all(f"SELECT store, item, day, promo, price, sales FROM {rows} TO PREDICT checked.sales {more} USING m")
        return {row[:3]: (row[3], *row[5:]) for row in self.run_all("SELECT * FROM checked")}

    def test_a_promotion_is_no_anomaly_and_sales_without_one_are(self):
        days = [day.isoformat() for day in series.days(DAYS)]
        jump = next(("s1", 0, row[2]) for row in self.run_all("SELECT * FROM t WHERE store = 's1' AND item = 0 AND NOT promo")
                    if row[2] > days[-20])
        self.run_all(f"UPDATE t SET sales = sales + 40 WHERE store = 's1' AND item = 0 AND day = '{jump[2]}'")
        for estimator in ("Forecast", "AutoETS"):
            self.train(estimator, more=", forecast.history = 40")
            checked = self.check()
            self.assertEqual(sum(row[2] is not None for row in checked.values()), 6 * 40)
            self.assertEqual(checked[jump][-1], 1, checked[jump])
            others = [row for key, row in checked.items() if row[2] is not None and key[:2] != jump[:2]]
            promoted = [row for row in others if row[0]]
            self.assertGreater(len(promoted), 20)
            self.assertLess(sum(row[-1] for row in promoted), 0.2 * len(promoted), estimator)
            self.assertLess(max(abs(row[1] - row[2]) for row in promoted), 25)
            # The same values, but for the promotions that explain them.
            silent = self.check("(SELECT store, item, day, 0 AS promo, price, sales FROM t)")
            self.assertGreater(sum(silent[key][-1] for key, row in checked.items() if row[0] and row[2] is not None),
                               0.6 * sum(1 for row in checked.values() if row[0] and row[2] is not None))

    def test_verdicts_are_those_of_bounds(self):
        for more in ("", ", forecast.round = true", ", forecast.lower = 90, forecast.upper = 150"):
            self.train(more=", forecast.history = 30" + more)
            for rows in ("t", "t_next"):
                for _, sales, expected, lower, upper, probability, verdict in self.check(rows, "WITH forecast.anomaly = 0.8").values():
                    if expected is not None and abs(probability - 0.8) > 1e-9:
                        self.assertEqual((verdict, verdict), (probability > 0.8, not lower <= sales <= upper), (sales, lower, upper, more))

    def test_the_history_changes_no_forecast(self):
        self.train()
        found = self.run_all("SELECT * FROM t_next TO PREDICT f USING m")
        for workers in ("", ", job.min_workers = 3, job.max_workers = 3"):
            self.train(more=", forecast.history = 30" + workers)
            self.assertEqual(self.run_all("SELECT * FROM t_next TO PREDICT f USING m"), found)

    def test_a_row_without_a_regressor(self):
        self.train(more=", forecast.history = 30")
        self.run_all("UPDATE t SET promo = NULL WHERE day < '2024-01-20'")  # nothing is expected there
        self.check()
        self.run_all("UPDATE t SET promo = NULL WHERE day = (SELECT max(day) FROM t)")
        self.fails("SELECT * FROM t TO PREDICT checked.sales USING m", 'regressor "promo" is NULL at', "bad_rows = 'quarantine'")
        found = self.check(more="WITH predict.bad_rows = 'quarantine'")
        self.assertEqual(len(found), 6 * (DAYS - 1))

    def test_effects_are_parts_of_the_values(self):
        self.train()
        cursor = self.database.execute("SELECT * FROM t ORDER BY sales TO EXPLAIN m")
        names = [column[0] for column in cursor.description]
        self.assertEqual(names, ["store", "item", "day", "sales", "trend", "season_7", "effect_promo", "effect_price", "remainder", "level_shift"])
        parts = {row[:3]: dict(zip(names, row)) for row in cursor}
        rows = self.run_all("SELECT store, item, day, sales, promo, price FROM t")
        self.assertEqual(len(parts), len(rows))
        effects = {}
        for *key, sales, promo, price in rows:
            part = parts[tuple(key)]
            self.assertEqual(part["sales"], sales)
            self.assertAlmostEqual(sales, sum(part[name] for name in names[4:-1]))
            self.assertEqual(part["effect_promo"] == 0, promo == 0)
            effects.setdefault(key[0], []).append((part["effect_promo"] if promo else 30, part["effect_price"] / price))
        for of_store in effects.values():
            for promo, price in of_store:
                self.assertTrue(abs(promo - 30) < 5 and abs(price + 4) < 1, (promo, price))

    def test_a_gap_has_no_effects_and_a_value_needs_them(self):
        self.train()
        self.run_all("UPDATE t SET promo = NULL, sales = NULL WHERE day = '2024-02-02'")
        gaps = [row for row in self.run_all("SELECT * FROM t TO EXPLAIN m") if row[2] == "2024-02-02"]
        self.assertEqual({row[3:4] + row[6:9] for row in gaps}, {(None,) * 4})
        self.run_all("UPDATE t SET promo = NULL WHERE day = (SELECT max(day) FROM t)")
        self.fails("SELECT * FROM t TO EXPLAIN m", 'row \\d+: regressor "promo" is NULL beside a value', "coalesce(promo, 0)")

    def test_a_picture_of_one_series(self):
        self.train()
        select = ("SELECT promo, price, store, item, day, sales FROM (SELECT * FROM t UNION ALL SELECT store, item, day, NULL, promo, price "
                  "FROM t_next) WHERE store = 's1' {} ORDER BY day")
        done = self.run_program("picture", self.path, "m", "forecast", "-c", select.format("AND item = 0"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("actual and expected values", done.stdout)
        done = self.run_program("picture", self.path, "m", "forecast", "-c", select.format(""))
        self.assertIn("the rows belong to several series, or not in the order of their times", done.stderr)

    def test_logarithms_have_no_sums_of_effects(self):
        self.train("AutoETS", more=", forecast.transform = 'log'")
        cursor = self.database.execute("SELECT * FROM t TO EXPLAIN m")
        self.assertNotIn("effect_promo", [column[0] for column in cursor.description])


class WhatIsTold(RegressorCase):
    def notices(self, **named):
        return harness.notices(self.train("AutoETS", **named))

    def test_regressors_that_tell_nothing(self):
        told = self.notices(columns="promo, 7 AS seven, 2 * promo + 1 AS twice, CASE WHEN store = 's0' THEN price ELSE 1.5 END AS dear, ")
        self.assertTrue(any('regressor "seven" has no information in 6 of 6 series' in notice for notice in told), told)
        self.assertTrue(any('regressor "twice" has no information in 6 of 6 series' in notice for notice in told), told)
        self.assertTrue(any('regressor "dear" has no information in 4 of 6 series' in notice for notice in told), told)
        self.assertFalse(any('"promo"' in notice for notice in told), told)

    def test_without_any_that_varies_the_forecast_is_the_same(self):
        self.train(columns="", into="plain")
        self.train(columns="7 AS seven, ")
        found = [[row[-1] for row in self.run_all(f"SELECT *, 9 AS seven FROM t_next TO PREDICT f USING {model}")] for model in ("plain", "m")]
        self.assertEqual(*found)

    def test_columns_that_are_none(self):
        told = self.notices(columns="promo, store || '!' AS words, date(day, '-1 year') AS since, rowid AS id, ")
        for name in ("words", "since", "id"):
            self.assertTrue(any(f'column "{name}" is not used by a forecast' in notice for notice in told), (name, told))
        self.assertIn("promo", self.shown()["regressors"])
        told = harness.notices(self.train("Croston"))
        self.assertTrue(any('column "promo" is not used by Croston' in notice for notice in told), told)
        self.assertTrue(self.run_all("FORECAST m"))


class WhatIsRefused(RegressorCase):
    def test_a_forecast_without_rows(self):
        self.train()
        wanted = "the model has 2 regressors, whose future values must be given"
        self.fails("FORECAST m FOR 3", wanted, "SELECT store, item, day, promo, price FROM days_to_come TO PREDICT f.sales USING")
        with self.assertRaisesRegex(sqlite3.Error, wanted):
            self.run_all("SELECT * FROM totrain_forecast('m')")

    def test_rows_that_lack_a_value(self):
        self.train()
        null = "(SELECT store, item, day, promo, CASE WHEN day = '2024-03-22' AND store = 's1' THEN NULL ELSE price END AS price FROM t_next)"
        message = "series store = 's1', item = '0': regressor \"price\" is NULL at 2024-03-22"
        self.fails(f"SELECT * FROM {null} TO PREDICT f USING m", message)
        self.fails(f"SELECT * FROM {null} TO PREDICT p.f USING m", message)
        self.run_all(f"SELECT * FROM {null} TO PREDICT p.f WITH predict.bad_rows = 'quarantine' USING m")
        self.assertEqual(self.run_all("SELECT count(*), count(f) FROM p"), [(6 * HORIZON - 2, 6 * HORIZON - 2)])
        self.assertEqual(self.run_all("SELECT count(*) FROM p_bad_rows"), [(2,)])
        self.fails("SELECT store, item, day, promo FROM t_next TO PREDICT f USING m", "price")
        # A time that has no forecast has none, whatever else is known.
        row, = self.run_all("SELECT 's0' AS store, 0 AS item, '2024-01-01' AS day, 1 AS promo, NULL AS price TO PREDICT f USING m")
        self.assertIsNone(row[-1])

    def test_a_past_that_lacks_a_value(self):
        self.fails(series.regression("Forecast", "nullif(promo, 1) AS promo, ", HORIZON),
                   "series store = 's[0-2]', item = '[01]': regressor \"promo\" is NULL at 2024-", "coalesce(promo, 0) AS promo")

    def test_too_many(self):
        many = "".join(f"price + {i} AS p{i}, " for i in range(65))
        self.fails(series.regression("Forecast", many, HORIZON), "a forecast has 64 regressors at most", "select fewer")


class Holidays(RegressorCase):
    """Days of a table, with names: known to the model when it is trained, those to come, too."""

    FEASTS = ("2024-01-17", "2024-02-07", "2024-02-28", "2024-03-05", "2024-03-22")
    TRAIN = ", forecast.holidays = 'feasts'"

    def setUp(self):
        super().setUp()
        self.run_all("CREATE TABLE feasts (id INTEGER, on_day TEXT, called TEXT)")
        self.run_all("INSERT INTO feasts VALUES (1, '2024-02-10', 'other'), (2, '2024-02-10', 'other')")
        for day in self.FEASTS:
            self.run_all(f"INSERT INTO feasts VALUES (0, '{day}', 'feast')")
            for table in ("t", "t_next"):
                self.run_all(f"UPDATE {table} SET sales = sales + 60 WHERE day = '{day}'")

    def values(self, model="m", day="2024-03-22"):
        return self.run_all(f"SELECT series, value, lower, upper FROM totrain_forecast('{model}') WHERE time = '{day}' ORDER BY 1")

    def test_the_forecast_has_the_effect_of_a_day_to_come(self):
        self.train(columns="", into="without")
        self.train(columns="", more=self.TRAIN)
        for (_, plain, *_), (_, value, lower, upper) in zip(self.values("without"), self.values(), strict=True):
            self.assertTrue(30 < value - plain < 90 and lower < value < upper, (plain, value))
        for (_, plain, *_), (_, value, *_) in zip(self.values("without", "2024-03-23"), self.values(day="2024-03-23"), strict=True):
            self.assertAlmostEqual(value, plain, delta=25)
        self.assertRegex(self.shown()["holidays"], r"^feast [56]\d.* in 6 series, other .* in 6$")
        self.assertEqual(self.run_all("FORECAST m"), self.run_all("FORECAST m"))

    def test_regressors_are_beside_them(self):
        self.train("AutoETS", more=self.TRAIN + ", forecast.history = 30")
        rows = self.run_all("SELECT store, item, day, sales, promo, price FROM t_next WHERE day = '2024-03-22' TO PREDICT f USING m")
        for row in rows:
            self.assertLess(abs(row[-1] - row[3]), 25, row)
        self.run_all("SELECT store, item, day, sales, promo, price FROM t WHERE day = '2024-03-05' TO PREDICT f.sales USING m")
        self.assertEqual(self.run_all("SELECT count(*), sum(is_anomaly) FROM f"), [(6, 0)])

    def test_effects_are_parts(self):
        self.train("AutoETS", columns="", more=self.TRAIN)
        cursor = self.database.execute("SELECT store, item, day, sales FROM t TO EXPLAIN m")
        names = [column[0] for column in cursor.description]
        self.assertIn("effect_feast", names)
        for row in (dict(zip(names, row)) for row in cursor.fetchall()):
            self.assertEqual(row["effect_feast"] > 30, row["day"] in self.FEASTS, row)
            parts = sum(row[name] for name in names if name in ("trend", "remainder") or name.startswith(("season_", "effect_")))
            self.assertAlmostEqual(parts, row["sales"])

    def test_effects_of_names_that_differ_in_case_are_columns_of_their_own(self):
        self.run_all("UPDATE feasts SET called = 'Feast' WHERE called = 'other'")
        self.train("Theta", columns="", more=self.TRAIN)
        self.run_all("SELECT store, item, day, sales FROM t TO EXPLAIN m INTO parts")
        names = [row[0] for row in self.run_all("SELECT name FROM pragma_table_info('parts')")]
        self.assertEqual([name for name in names if name.startswith("effect")], ["effect_Feast", "effect_feast_2"])

    def test_a_name_with_a_zero_byte_is_refused(self):
        self.run_all("INSERT INTO feasts VALUES (4, '2024-02-11', 'a' || char(0) || 'b')")
        self.fails(series.regression("Theta", "", HORIZON, self.TRAIN), "its name has a zero byte", "leaves such rows out")

    def test_a_model_goes_on_with_the_holidays_of_now(self):
        more = self.TRAIN + ", forecast.keep_parameters = true"
        self.run_all("DELETE FROM feasts WHERE on_day = '2024-03-22'")
        notice = "\n".join(str(row[3]) for row in self.train("AutoETS", columns="", more=more))
        self.assertIn("no holiday is later than the last value, 2024-03-20", notice)
        plain = self.values()
        self.run_all("INSERT INTO feasts VALUES (9, '2024-03-22', 'feast')")
        statement = series.regression("AutoETS", "", HORIZON, more, "n").replace(" INTO n", " USING m INTO n")
        self.run_all(statement)
        for (_, before, *_), (_, value, *_) in zip(plain, self.values("n"), strict=True):
            self.assertTrue(30 < value - before < 90)
        self.run_all("UPDATE feasts SET called = 'feasts' WHERE called = 'feast'")
        self.fails(statement, 'model "m" was trained with other holidays', "the same names")
        self.fails(statement.replace(self.TRAIN, ""), 'model "m" was trained with holidays', "name it by forecast.holidays")

    def test_the_digest_is_that_of_any_number_of_workers(self):
        self.train("Theta", columns="", more=self.TRAIN + ", job.max_workers = 1", into="one")
        self.train("Theta", columns="", more=self.TRAIN + ", job.min_workers = 3, job.max_workers = 3", into="three")
        self.assertEqual(self.model_digest("three"), self.model_digest("one"))
        self.run_all("DELETE FROM feasts WHERE called = 'other'")
        self.train("Theta", columns="", more=self.TRAIN, into="less")
        self.assertNotEqual(self.model_digest("less"), self.model_digest("one"))

    def test_holidays_that_tell_nothing(self):
        self.run_all("INSERT INTO feasts VALUES (3, '2031-01-01', 'far')")
        notice = "\n".join(str(row[3]) for row in self.train("Theta", columns="", more=self.TRAIN))
        self.assertIn('holiday "far" has no effect in any series', notice)

    def test_a_table_that_is_none(self):
        for name, message in (("nowhere", "no such table: nowhere"), ("main.nowhere", "no such table: main.nowhere"), ("t; DROP TABLE t", "no such table"),
                              ("gone", "has no rows")):
            self.run_all("CREATE TABLE IF NOT EXISTS gone (day TEXT)")
            self.fails(series.regression("Theta", "", HORIZON, f", forecast.holidays = '{name}'"), message, "forecast.holidays")
        self.assertTrue(self.run_all("SELECT count(*) > 0 FROM t")[0][0])


class SameBits(RegressorCase):
    def test_any_number_of_workers_and_any_order_of_rows(self):
        self.train(more=", job.max_workers = 1", into="one")
        wanted = self.model_digest("one")
        for workers in (2, 3, 8):
            self.train(more=f", job.min_workers = {workers}, job.max_workers = {workers}", into="several")
            self.assertEqual(self.model_digest("several"), wanted, workers)
        rows = series.promoted(3, 2, DAYS + HORIZON)
        random.Random(7).shuffle(rows)
        self.make(rows, "other")
        self.train(rows="other", into="two")
        self.assertEqual(self.model_digest("two"), wanted)

    def test_a_worker_that_is_killed_leaves_the_digest_as_it_is(self):
        self.make(series.promoted(60, 2, 30))
        more = ", job.lanes = 4"
        self.train("Theta", more=more, into="wanted")
        process = self.paced(series.regression("Theta", "promo, price, ", HORIZON, more + ", job.min_workers = 2, job.max_workers = 2"))
        self.end_without_a_worker(process)
        self.assertEqual(self.model_digest("m"), self.model_digest("wanted"))

    def test_rows_of_one_time_are_what_the_rule_says(self):
        for rule, function in (("sum", "sum"), ("mean", "avg")):
            twice = "(SELECT * FROM t UNION ALL SELECT store, item, day, sales / 2, promo, price + 1 FROM t)"
            self.train("AutoETS", rows=twice, more=f", forecast.duplicates = '{rule}'")
            self.train("AutoETS", into="made", rows=f"(SELECT store, item, day, {function}(sales) AS sales, avg(promo) AS promo, "
                                                    f"avg(price) AS price FROM {twice} GROUP BY 1, 2, 3)")
            found = [[row[-1] for row in self.run_all(f"SELECT * FROM t_next TO PREDICT f USING {model}")] for model in ("m", "made")]
            self.assertEqual(*found)


if __name__ == "__main__":
    harness.main()
