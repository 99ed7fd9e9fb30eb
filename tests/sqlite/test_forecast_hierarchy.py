"""Totals over the columns of a group, that add up at every level: exactly, and by whomever they were computed."""

import math
import pathlib
import random
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

BOTTOM_UP = ", forecast.hierarchy = 'bottom-up'"
MINT = ", forecast.hierarchy = 'mint'"


class HierarchyCase(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.fill(series.rows(4, 3, 60))

    def fill(self, rows):
        self.run_all("DROP TABLE IF EXISTS t")
        self.run_all(f"CREATE TABLE {series.TABLE}")
        self.run_all("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        self.run_all("COMMIT")

    def train(self, more=MINT, estimator="AutoETS", horizon=7, **named):
        return self.run_all(series.statement(estimator, more=more, horizon=horizon, **named))

    def forecast(self, model="m"):
        """{(store, item, day): (value, lower, upper)}"""
        return {row[:3]: row[3:] for row in self.run_all(f"FORECAST {model}")}

    def fails(self, sql, message, hint=""):
        done = self.run_program(self.path, "--progress=none", "-c", sql)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, message)
        self.assertIn(hint, done.stderr)

    def check_sums(self, found):
        """In any order of the parts, to the last bit."""
        for day in {day for _, _, day in found}:
            stores = {store for store, _, known in found if known == day and store is not None}
            whole = []
            for store in stores:
                parts = [value[0] for key, value in found.items() if key[0] == store and key[1] is not None and key[2] == day]
                for seed in range(3):
                    random.Random(seed).shuffle(parts)
                    self.assertEqual(sum(parts), found[store, None, day][0], (store, day))
                whole += parts
            random.Random(day).shuffle(whole)
            self.assertEqual(sum(whole), found[None, None, day][0], day)


class Sums(HierarchyCase):
    def test_every_level_is_there_and_adds_up(self):
        for more in (BOTTOM_UP, MINT, MINT + ", forecast.lower = 0, forecast.round = true"):
            for estimator in ("AutoETS", "Forecast"):
                with self.subTest(more, estimator=estimator):
                    self.train(more, estimator)
                    found = self.forecast()
                    self.assertEqual(len(found), 7 * (1 + 4 + 12))
                    self.check_sums(found)
                    for value, lower, upper in found.values():
                        self.assertTrue(lower < value < upper)
                    if "round" in more:
                        self.assertTrue(all(value == int(value) for row in found.values() for value in row))

    def test_bottom_up_has_the_parts_as_they_are_by_themselves(self):
        self.train(", forecast.backtest = 0", into="plain")
        self.train(BOTTOM_UP + ", forecast.backtest = 0")
        plain, found = self.forecast("plain"), self.forecast()
        for key, numbers in plain.items():
            for known, wanted in zip(found[key], numbers):
                self.assertTrue(math.isclose(known, wanted, rel_tol=1e-12), (key, known, wanted))

    def test_totals_have_deviations_of_their_own(self):
        """The interval of a total is that of the series of its sums."""
        self.train(BOTTOM_UP + ", forecast.backtest = 0")
        self.run_all("CREATE TABLE whole AS SELECT 'all' AS store, 0 AS item, day, sum(sales) AS sales FROM t GROUP BY day")
        self.train(", forecast.backtest = 0", rows="whole", into="whole_model")
        found, whole = self.forecast(), self.forecast("whole_model")
        for (_, _, day), (_, lower, upper) in whole.items():
            self.assertAlmostEqual(found[None, None, day][2] - found[None, None, day][1], upper - lower, places=3)

    def test_mint_is_nearer_to_a_total_that_is_told_better_than_its_parts(self):
        """Parts that are chance around a half of a total that is a line."""
        rows = []
        for i, day in enumerate(series.days(80)):
            share = random.Random(i).uniform(-40, 40)
            rows += [("a", 0, day.isoformat(), 100 + i + share), ("a", 1, day.isoformat(), 100 + i - share)]
        self.fill(rows)
        missed = {}
        for more in (BOTTOM_UP, MINT):
            self.train(more)
            missed[more] = sum(abs(value[0] - 2 * (180 + i)) for i, (key, value) in
                               enumerate(sorted((key, value) for key, value in self.forecast().items() if key[0] is None)))
            self.check_sums(self.forecast())
        self.assertLess(missed[MINT], missed[BOTTOM_UP] / 4)

    def test_errors_of_the_past_are_those_of_what_adds_up(self):
        """The last value again, by hand: parts that go up by 1 and 2, and their total by 3."""
        self.fill([(store, 0, day.isoformat(), float(step * i)) for store, step in (("a", 1), ("b", 2))
                   for i, day in enumerate(series.days(10))])
        measured = harness.validated(self.train(BOTTOM_UP + ", forecast.season = 1", "Naive", 2, group="'store'"))
        self.assertAlmostEqual(measured["MASE"], 1.5)
        self.assertAlmostEqual(measured["Bias"], (3 + 6 + 3 * 3) / (17 + 34 + 51))

    def test_one_column_has_one_total(self):
        self.fill([row for row in series.rows(3, 1, 40)])
        self.train(MINT, group="'store'")
        rows = self.run_all("FORECAST m FOR 1")
        self.assertEqual([row[0] for row in rows], [None, "s0", "s1", "s2"])
        self.assertEqual(rows[0][2], sum(row[2] for row in rows[1:]))

    def test_series_that_begin_later_and_end_before(self):
        self.fill(series.rows(3, 2, 60, lambda store, item, i: (store, item) == (0, 1) and i < 40 or (store, item) == (1, 0) and i > 54))
        for gaps in ("line", "zero", "last"):
            rows = self.train(MINT + f", forecast.gaps = '{gaps}'")
            self.assertIn("5 values are missing between others", " ".join(harness.notices(rows)))
            found = self.forecast()
            self.assertEqual({key[2] for key in found}, {f"2024-03-0{day}" for day in range(1, 8)})
            self.check_sums(found)

    def test_values_of_all_sizes(self):
        big = [("a", 0, day.isoformat(), 1e15 * (i % 3)) for i, day in enumerate(series.days(30))]
        small = [("b", 1, day.isoformat(), 1e-9 * (i % 4)) for i, day in enumerate(series.days(30))]
        nothing = [("b", 2, day.isoformat(), 0.0) for day in series.days(30)]
        self.fill(big + small + nothing + [("c", 0, "2024-01-07", -3.25), ("c", 1, "2024-01-07", None)])
        for estimator in ("Naive", "AutoETS", "Croston", "Theta"):
            self.train(MINT, estimator)
            self.check_sums(self.forecast())


class Rows(HierarchyCase):
    def setUp(self):
        super().setUp()
        self.train()
        self.run_all("CREATE TABLE q AS SELECT NULL AS store, NULL AS item, '2024-03-01' AS day, 5000.0 AS sales UNION ALL "
                     "SELECT 's1', NULL, '2024-03-02', 300 UNION ALL SELECT 's1', 2, '2024-03-02', 100")

    def test_predict_and_evaluate_name_totals_by_null(self):
        found = self.forecast()
        rows = self.run_all("SELECT store, item, day FROM q TO PREDICT f USING m")
        self.assertEqual([row[3] for row in rows], [found[tuple(row[:3])][0] for row in rows])
        cursor = self.database.execute("SELECT * FROM q TO EVALUATE m WITH validation.metrics = 'MAE'")
        measured = dict(zip([column[0] for column in cursor.description], cursor.fetchone()))
        wanted = sum(abs(sales - found[store, item, day][0]) for store, item, day, sales in self.run_all("SELECT * FROM q")) / 3
        self.assertAlmostEqual(measured["MAE"], wanted, places=3)
        checked = self.run_all("SELECT * FROM q TO PREDICT checked.sales USING m") and self.run_all("SELECT * FROM checked")
        self.assertEqual([row[8] for row in checked], [1, 1, 1])
        self.assertEqual(self.run_all("SELECT totrain_predict('m', NULL, NULL, '2024-03-01')"), [(found[None, None, "2024-03-01"][0],)])

    def test_a_word_that_is_not_known_is_no_total(self):
        rows = "SELECT 's9' AS store, NULL AS item, '2024-03-01' AS day UNION ALL SELECT 's1', 77, '2024-03-01' UNION ALL SELECT NULL, 1, '2024-03-01'"
        self.assertEqual([row[3] for row in self.run_all(f"SELECT * FROM ({rows}) TO PREDICT f USING m")], [None] * 3)

    def test_one_series_is_looked_up(self):
        found = self.forecast()
        for name, key in (("[null,null]", (None, None)), ('["s2",null]', ("s2", None)), ('["s2","1"]', ("s2", 1))):
            rows = self.run_all(f"SELECT time, value FROM totrain_forecast('m') WHERE series = '{name}'")
            self.assertEqual(rows, [(day, found[*key, day][0]) for day in sorted({key[2] for key in found})])
        self.assertEqual(self.run_all("SELECT * FROM totrain_forecast('m') WHERE series = '[null,\"1\"]'"), [])

    def test_what_is_shown(self):
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual((shown["hierarchy"], shown["series"]), ("mint, totals among the series", 17))
        explained = dict(self.run_all("EXPLAIN " + series.statement("AutoETS", more=MINT)))
        self.assertEqual(explained["forecasts"], "autoets, 10 steps of each series, and of their totals, which add up (mint)")

    def test_a_damaged_model_is_refused(self):
        for rowid, data in self.run_all("SELECT rowid, data FROM m WHERE part = 'tensor' AND name = 'ids'"):
            self.run_all("CREATE TABLE damaged AS SELECT * FROM m")
            self.run_all("UPDATE damaged SET data = ? WHERE rowid = ?", bytes(len(data)), rowid)
            with self.assertRaises(sqlite3.Error):
                self.run_all("SELECT store, item, day FROM q TO PREDICT f USING damaged")

    def test_history_is_kept_of_totals_too(self):
        self.train(MINT + ", forecast.history = 5")
        rows = self.run_all("SELECT NULL AS store, NULL AS item, day, sum(sales) AS sales FROM t GROUP BY day ORDER BY day DESC LIMIT 6 "
                            "TO PREDICT f.sales USING m") and self.run_all("SELECT expected, sales FROM f")
        self.assertTrue(all(abs(expected - sales) < 100 for expected, sales in rows[:5]), rows)
        self.assertIsNone(rows[5][0])


class SameBits(HierarchyCase):
    def test_any_number_of_workers_and_any_order_of_rows(self):
        rows = series.rows(4, 3, 60, series.sparse)
        self.fill(rows)
        self.train(MINT + ", job.max_workers = 1", into="one")
        for workers in (2, 3, 8):
            self.train(f"{MINT}, job.min_workers = {workers}, job.max_workers = {workers}", into="several")
            self.assertEqual(self.model_digest("several"), self.model_digest("one"), workers)
        random.Random(5).shuffle(rows)
        self.fill(rows)
        self.train(into="two")
        self.assertEqual(self.model_digest("two"), self.model_digest("one"))
        self.train(BOTTOM_UP, into="two")
        self.assertNotEqual(self.model_digest("two"), self.model_digest("one"))

    def test_a_worker_that_is_killed_leaves_the_digest_as_it_is(self):
        self.fill(series.rows(60, 3, 8))
        self.train(MINT + ", job.lanes = 4", "Theta", 2, into="wanted")
        process = self.paced(series.statement(
            "Theta", horizon=2, more=MINT + ", job.lanes = 4, job.min_workers = 2, job.max_workers = 2"))
        self.end_without_a_worker(process)
        self.assertEqual(self.model_digest("m"), self.model_digest("wanted"))


class Refusals(HierarchyCase):
    def refuse(self, message, hint="", **named):
        self.fails(series.statement("Naive", **named), message, hint)

    def test_what_cannot_add_up(self):
        self.refuse("forecast.upper has no use with forecast.hierarchy", "forecast.lower = 0", more=MINT + ", forecast.upper = 9")
        self.refuse("forecast.lower is 0 with forecast.hierarchy", "forecast.lower = 0", more=MINT + ", forecast.lower = -1")
        self.refuse("forecast.hierarchy.*'mnt'", "mint", more=", forecast.hierarchy = 'mnt'")
        self.fails("SELECT day, sum(sales) AS sales FROM t GROUP BY day TO TRAIN Naive WITH forecast.time = 'day', "
                   "forecast.horizon = 3, forecast.hierarchy = 'mint' LABEL sales INTO m", "forecast.hierarchy needs forecast.group")

    def test_times_that_are_not_those_of_the_others(self):
        self.fill([(store, 0, f"2024-01-{day + offset:02}", 1.0) for store, offset in (("a", 0), ("b", 3)) for day in (1, 8, 15, 22)])
        self.refuse("series store = 'a', item = '0': its steps do not lead to 2024-01-25, the last time of all series",
                    "date_trunc", more=MINT, horizon=2)

    def test_numbers_are_no_regressors_of_totals(self):
        rows = self.run_all("SELECT store, item, day, length(day) + sales AS price, sales FROM t TO TRAIN Naive WITH forecast.time = 'day', "
                            f"forecast.group = ['store', 'item'], forecast.horizon = 3{MINT} LABEL sales INTO m")
        self.assertIn('column "price" is not used by a forecast with totals', " ".join(harness.notices(rows)))


if __name__ == "__main__":
    harness.main()
