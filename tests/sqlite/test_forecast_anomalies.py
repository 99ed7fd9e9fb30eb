"""Values that came beside what a forecast expects of them: expectation, bounds, probability and verdict."""

import math
import pathlib
import random
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

JUMP = ("s1", 0, "2024-03-10")
COLUMNS = ["store", "item", "day", "sales", "expected", "lower", "upper", "anomaly_probability", "is_anomaly"]


def with_a_jump(stores=3, items=2, count=80):
    return [(*row[:3], row[3] + 300 * (row[:3] == JUMP)) for row in series.rows(stores, items, count)]


class Anomalies(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all(f"CREATE TABLE {series.TABLE}")
        self.fill(with_a_jump())

    def fill(self, rows):
        self.run_all("DELETE FROM t")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)

    def train(self, estimator="AutoETS", history=40, **named):
        more = named.pop("more", "") + (f", forecast.history = {history}" if history else "")
        return self.run_all(series.statement(estimator, more=more, **named))

    def check(self, more="", rows="t", model="m"):
        """{(store, item, day): (sales, expected, lower, upper, probability, is_anomaly)}"""
        self.run_all(f"SELECT * FROM {rows} TO PREDICT checked.sales {more} USING {model}")
        return {row[:3]: row[3:] for row in self.run_all("SELECT * FROM checked")}

    def fails(self, sql, message, hint=""):
        done = self.run_program(self.path, "--progress=none", "-c", sql)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, message)
        self.assertIn(hint, done.stderr)

    def test_a_jump_within_the_history_is_found(self):
        self.train()
        checked = self.check()
        self.assertEqual([row[1] for row in self.run_all("PRAGMA table_info(checked)")], COLUMNS)
        self.assertEqual(len(checked), 3 * 2 * 80)
        sales, expected, lower, upper, probability, verdict = checked[JUMP]
        self.assertEqual((sales > 400, verdict), (True, 1))
        self.assertTrue(50 < expected < 250 and lower < expected < upper < sales and probability > .999, checked[JUMP])
        # A series without a jump has few, and the first forty days have no expectation.
        verdicts = [row[5] for key, row in checked.items() if key[0] != "s1"]
        self.assertEqual(verdicts.count(None), 2 * 2 * 40)
        self.assertLess(verdicts.count(1), 0.15 * 2 * 2 * 40)

    def test_verdicts_are_those_of_bounds_and_probability(self):
        for estimator in ("AutoETS", "Croston", "Naive"):
            self.train(estimator)
            for level in (0.5, 0.8, 0.97):
                checked = [row for row in self.check(f"WITH forecast.anomaly = {level}").values() if row[1] is not None]
                self.assertEqual(len(checked), 3 * 2 * 40)
                for sales, _, lower, upper, probability, verdict in checked:
                    self.assertEqual(verdict, probability > level)
                    if abs(probability - level) > 1e-9:
                        self.assertEqual(verdict, not lower <= sales <= upper, (sales, lower, upper, probability))

    def test_what_is_expected_by_hand(self):
        self.fill([("a", 1, day.isoformat(), float(i * i)) for i, day in enumerate(series.days(12))])
        self.train("Naive", history=5, horizon=2, more=", forecast.backtest = 0")
        checked = self.check()
        squares = [2 * i + 1 for i in range(11)]
        deviation = math.sqrt(sum(square * square for square in squares) / 11)
        for i, (_, (sales, expected, lower, upper, probability, _)) in enumerate(sorted(checked.items())):
            if i < 7:
                self.assertEqual((expected, lower, probability), (None, None, None))
                continue
            self.assertEqual(expected, (i - 1) ** 2)
            self.assertAlmostEqual(upper - expected, 1.959963984540054 * deviation, delta=1e-5)
            self.assertAlmostEqual(expected - lower, upper - expected, delta=1e-9)
            self.assertAlmostEqual(probability, math.erf((sales - expected) / deviation / math.sqrt(2)), delta=1e-6)

    def test_days_to_come_are_checked_without_a_history(self):
        self.train(history=0)
        coming = ("(SELECT store, item, date(day, '+1 day') AS day, CASE WHEN item = 1 THEN 1000.0 ELSE sales END AS sales "
                  "FROM t WHERE day = (SELECT max(day) FROM t))")
        checked = self.check(rows=coming)
        self.assertEqual({key[1]: row[5] for key, row in checked.items()}, {0: 0, 1: 1})
        # Nothing is expected of days that the model was trained with.
        self.assertEqual({row[1:] for row in self.check().values()}, {(None,) * 5})

    def test_a_value_that_is_missing_has_bounds_alone(self):
        self.train()
        checked = self.check(rows="(SELECT store, item, day, NULL AS sales FROM t WHERE day > '2024-03-01')")
        for sales, expected, lower, upper, probability, verdict in checked.values():
            self.assertTrue(lower < expected < upper)
            self.assertEqual((sales, probability, verdict), (None, None, None))
        self.fails("SELECT store, item, day, 'many' AS sales FROM t TO PREDICT checked.sales USING m", 'column "sales" holds \'many\'')

    def test_no_value_is_below_zero_where_none_was(self):
        self.train("Forecast")
        rows = self.check(rows="(SELECT store, item, day, -0.5 AS sales FROM t WHERE day > '2024-03-01')")
        self.assertEqual({row[4:] for row in rows.values()}, {(1.0, 1)})

    def test_workers_and_functions_have_the_same_bits(self):
        self.train("Forecast")
        alone = self.check("WITH forecast.anomaly = 0.8")
        self.assertEqual(self.check("WITH forecast.anomaly = 0.8, job.min_workers = 3, job.max_workers = 3"), alone)
        called = self.run_all(
            "SELECT store, item, day, sales, totrain_predict('m', store, item, day), "
            + ", ".join(f"totrain_{name}('m', store, item, day, sales, 0.8)"
                        for name in ("forecast_lower", "forecast_upper", "anomaly_probability", "is_anomaly")) + " FROM t")
        self.assertEqual({row[:3]: row[3:] for row in called}, alone)

    def test_the_history_changes_nothing_else(self):
        self.train(history=0, into="without")
        for workers in ("", ", job.min_workers = 3, job.max_workers = 3"):
            self.train(history=40, more=workers, into="kept")
            self.assertEqual(self.run_all("SELECT * FROM totrain_forecast('kept')"), self.run_all("SELECT * FROM totrain_forecast('without')"))
        self.train(history=40, into="other", rows="(SELECT * FROM t ORDER BY sales)")
        digests = [dict(self.run_all(f"SHOW MODEL {name}"))["digest"] for name in ("kept", "other", "without")]
        self.assertEqual((digests[0] == digests[1], digests[0] == digests[2]), (True, False))

    def test_a_table_with_these_names_has_others(self):
        self.train()
        self.run_all("SELECT *, 1 AS lower, 2 AS expected FROM t TO PREDICT checked.sales USING m")
        self.assertEqual([row[1] for row in self.run_all("PRAGMA table_info(checked)")],
                         COLUMNS[:4] + ["lower", "expected", "sales_expected", "sales_lower"] + COLUMNS[6:])

    def test_evaluate_measures_one_step_of_the_history(self):
        self.train("SeasonalNaive", history=20, more=", forecast.season = 7")
        measured = self.run_all("SELECT * FROM t WHERE day > '2024-03-05' TO EVALUATE m WITH validation.metrics = 'MSE'")[0][1]
        week = {key: row[0] for key, row in self.check().items()}
        errors = [(sales - week[store, item, (series.datetime.date.fromisoformat(day) - series.datetime.timedelta(7)).isoformat()]) ** 2
                  for (store, item, day), sales in week.items() if day > "2024-03-05"]
        self.assertAlmostEqual(measured, sum(errors) / len(errors))

    def test_explain_counts_what_is_kept(self):
        explained = dict(self.run_all("EXPLAIN " + series.statement(more=", forecast.history = 40")))
        self.assertEqual(explained["forecasts"], "forecast, 10 steps of each series, and what is expected at the last 40")

    def test_calls_that_do_not_fit(self):
        self.train()
        self.fails("SELECT totrain_is_anomaly('m', 's0', 0, '2024-03-01', 5, 2)", "a probability from 0.5 to 0.99999, not 2")
        self.fails("SELECT totrain_is_anomaly('m', 5)", "one value per column, the value that came and a level")
        self.run_all("SELECT sales, item FROM t TO TRAIN LinearRegressor LABEL item INTO line")
        self.fails("SELECT totrain_is_anomaly('line', 5, 2, 0.9)", "a LinearRegressor forecasts nothing", "TO TRAIN Forecast")


class Gaps(harness.Case):
    """Days without a row: what fills them lies on a line to the value behind them, which nothing before it knows."""

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def train(self, value, missing, more):
        self.run_all("DROP TABLE IF EXISTS s")
        self.run_all("CREATE TABLE s (d TEXT, y REAL)")
        self.database.executemany("INSERT INTO s VALUES (date('2024-01-01', ? || ' days'), ?)",
                                  [(i, value(i)) for i in range(60) if i not in missing])
        return {row[0]: row[1] for row in self.run_all(
            f"SELECT * FROM s TO TRAIN AutoETS WITH forecast.time = 'd', forecast.horizon = 5, {more} LABEL y INTO m")}

    def test_a_value_behind_a_gap_is_expected_of_those_before_it(self):
        draw = random.Random(3)
        values = [10 + draw.gauss(0, 1) for _ in range(60)]
        values[50] += 40
        for length in (0, 3):
            with self.subTest(length):
                self.train(values.__getitem__, range(50 - length, 50), "forecast.history = 20")
                self.run_all("SELECT * FROM s TO PREDICT checked.y WITH forecast.anomaly = 0.9 USING m")
                expected, found = self.run_all("SELECT expected, is_anomaly FROM checked WHERE d = '2024-02-20'")[0]
                self.assertLess(expected, 25)  # the line to the value itself: 38
                self.assertTrue(found)

    def test_a_value_behind_a_gap_longer_than_the_horizon_is_not_expected(self):
        self.train(lambda i: 10. + i % 3, range(40, 50), "forecast.history = 20")
        self.run_all("SELECT * FROM s TO PREDICT checked.y USING m")
        found = dict(self.run_all("SELECT d, expected FROM checked WHERE d >= '2024-02-20'"))
        self.assertIsNone(found["2024-02-20"])
        self.assertIsNotNone(found["2024-02-21"])

    def test_an_origin_in_a_gap_is_compared_step_by_step(self):
        for missing in ((), (52, 53, 54), (51, 52, 53, 54, 55, 57)):
            with self.subTest(missing):
                facts = self.train(lambda i: 10. + 2 * i, missing, "forecast.backtest = 2")
                self.assertAlmostEqual(facts["MASE"], 0, places=6)
                self.assertAlmostEqual(facts["Bias"], 0, places=6)


if __name__ == "__main__":
    harness.main()
