"""Series that are forecast as their logarithms or powers."""

import math
import pathlib
import random
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position


def growing(stores=2, items=2, count=90):
    """Values that grow by a twentieth a week, and vary by as much of themselves at all times."""
    return [(store, item, day, 1000 * 1.05**(i // (stores * items) / 7) * (1 + known % 13 / 40))
            for i, (store, item, day, known) in enumerate(sorted(series.rows(stores, items, count), key=lambda row: row[2]))]


class Transforms(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.fill(growing())

    def fill(self, rows):
        self.run_all("DROP TABLE IF EXISTS t")
        self.run_all(f"CREATE TABLE {series.TABLE}")
        self.run_all("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        self.run_all("COMMIT")

    def train(self, transform="log", estimator="AutoETS", more="", **named):
        return self.run_all(series.statement(estimator, more=f", forecast.transform = '{transform}'{more}", **named))

    def forecast(self, model="m"):
        return {row[:3]: row[3:] for row in self.run_all(f"FORECAST {model}")}

    def refuse(self, message, hint="", estimator="AutoETS", **named):
        done = self.run_program(self.path, "--progress=none", "-c", series.statement(estimator, **named))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, message)
        self.assertIn(hint, done.stderr)

    def test_a_logarithm_is_that_of_a_table_of_logarithms(self):
        """Back by hand: exp of the bounds, and exp of the middle and half the variance."""
        for estimator in ("AutoETS", "Theta", "Forecast"):
            self.train("log", estimator, ", forecast.backtest = 0")
            self.run_all("DROP TABLE IF EXISTS logs")
            self.run_all("CREATE TABLE logs AS SELECT store, item, day, sales FROM t WHERE 0")
            self.run_all("BEGIN")
            self.database.executemany("INSERT INTO logs VALUES (?, ?, ?, ?)", [(*row[:3], math.log(row[3])) for row in growing()])
            self.run_all("COMMIT")
            self.run_all(series.statement(estimator, rows="logs", more=", forecast.backtest = 0", into="logs_model"))
            found, logs = self.forecast(), self.forecast("logs_model")
            for key, (middle, lower, upper) in logs.items():
                deviation = (upper - lower) / 2 / 1.959964
                wanted = math.exp(middle + deviation**2 / 2), math.exp(lower), math.exp(upper)
                for known, number in zip(found[key], wanted):
                    self.assertTrue(math.isclose(known, number, rel_tol=1e-6), (estimator, key, found[key], wanted))

    def test_the_mean_is_above_the_middle_and_near_the_mean_of_what_comes(self):
        """exp of chance with a deviation of 1: its middle is 1, its mean 1.65."""
        rows = [(f"s{store}", 0, day.isoformat(), math.exp(random.Random(store * 1000 + i).gauss(0, 1)))
                for store in range(30) for i, day in enumerate(series.days(120))]
        self.fill(rows)
        self.train("log", "ETS", ", forecast.season = 1", horizon=2)
        numbers = self.forecast().values()
        self.assertAlmostEqual(sum(row[0] for row in numbers) / len(numbers), math.exp(0.5), delta=0.15)

    def test_growth_is_forecast_with_smaller_errors(self):
        plain = harness.validated(self.run_all(series.statement("AutoETS", horizon=14)))
        for transform in ("log", "box-cox", "auto"):
            measured = harness.validated(self.train(transform, horizon=14))
            self.assertLess(measured["sMAPE"], plain["sMAPE"] * 1.02, transform)
            self.assertGreater(measured["Coverage"], 0.8)
            for value, lower, upper in self.forecast().values():
                self.assertTrue(0 < lower < value < upper)

    def test_auto_leaves_series_with_zeros_as_they_are(self):
        rows = growing() + [("z", 1, day.isoformat(), float(i % 4)) for i, day in enumerate(series.days(90))]
        self.fill(rows)
        self.train("auto", more=", forecast.backtest = 0")
        transformed = self.forecast()
        self.run_all(series.statement("AutoETS", more=", forecast.backtest = 0", into="plain"))
        plain = self.forecast("plain")
        self.assertTrue(all((transformed[key] == plain[key]) == (key[0] == "z") for key in plain))

    def test_a_series_of_one_number_has_it_again(self):
        self.fill(growing(1, 1) + [("c", 1, day.isoformat(), 0.1) for day in series.days(20)])
        for transform in ("log", "box-cox", "auto"):
            self.train(transform, "Forecast", horizon=2)
            self.assertEqual({row for key, row in self.forecast().items() if key[0] == "c"}, {(0.1, 0.1, 0.1)})

    def test_regressors_multiply(self):
        """A promotion that doubles what is sold."""
        self.run_all("DROP TABLE t")
        self.run_all("CREATE TABLE t (day TEXT, promo INTEGER, sales REAL)")
        rows = [(day.isoformat(), int(i * 7 % 11 < 3), (100 + i) * 2 ** int(i * 7 % 11 < 3)) for i, day in enumerate(series.days(120))]
        self.run_all("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        self.run_all("COMMIT")
        self.run_all("SELECT * FROM t TO TRAIN AutoETS WITH forecast.time = 'day', forecast.horizon = 5, forecast.transform = 'log' LABEL sales INTO m")
        without, promoted = (self.run_all(f"SELECT totrain_predict('m', '2024-05-01', {promo})")[0][0] for promo in (0, 1))
        self.assertAlmostEqual(promoted / without, 2, delta=0.05)
        self.assertAlmostEqual(without, 221, delta=8)

    def test_limits_and_anomalies_are_of_values(self):
        self.train("log", more=", forecast.round = true, forecast.lower = 1200, forecast.history = 20")
        for value, lower, upper in self.forecast().values():
            self.assertTrue(min(value, lower, upper) >= 1200 and value == int(value))
        self.run_all("CREATE TABLE q AS SELECT store, item, day, sales FROM t WHERE day > '2024-03-20'")
        self.run_all("SELECT * FROM q TO PREDICT checked.sales USING m")
        for sales, lower, upper, probability, anomaly in self.run_all(
                "SELECT sales, lower, upper, anomaly_probability, is_anomaly FROM checked"):
            self.assertEqual(bool(anomaly), not lower <= sales <= upper, (sales, lower, upper, probability))
        self.run_all("UPDATE q SET sales = CASE item WHEN 0 THEN -5 ELSE 0 END")
        self.run_all("SELECT * FROM q TO PREDICT checked.sales WITH predict.replace = true USING m")
        self.assertEqual(self.run_all("SELECT DISTINCT is_anomaly, anomaly_probability FROM checked"), [(1, 1.0)])

    def test_any_number_of_workers(self):
        self.train("box-cox", "Forecast", into="one", more=", job.max_workers = 1")
        self.train("box-cox", "Forecast", into="three", more=", job.min_workers = 3, job.max_workers = 3")
        self.assertEqual(self.model_digest("three"), self.model_digest("one"))

    def test_what_has_no_logarithm_is_refused(self):
        self.fill(growing(1, 1) + [("z", 1, "2024-01-02", 0.0), ("z", 1, "2024-01-01", 3.5)])
        for transform in ("log", "box-cox"):
            self.refuse("series store = 'z', item = '1': the value of 2024-01-02 is 0, and forecast.transform = "
                        f"'{transform}' takes values above 0", "'auto' leaves such series as they are",
                        more=f", forecast.transform = '{transform}'")
        self.refuse("forecast.transform has no use with croston", "zeros", "Croston", more=", forecast.transform = 'auto'")
        self.refuse("forecast.transform has no use with forecast.hierarchy", "logarithms do not",
                    more=", forecast.transform = 'auto', forecast.hierarchy = 'mint'")


if __name__ == "__main__":
    harness.main()
