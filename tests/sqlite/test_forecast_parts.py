"""TO EXPLAIN of a forecast: the rows of series as trend, seasons, remainder, and where a new level begins."""

import pathlib
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

SEASON = [8, 0, -3, -5, 1, 12, -13]
COLUMNS = ["store", "item", "day", "sales", "trend", "season_7", "remainder", "level_shift"]
SHIFT = "2024-03-15"


def rows(stores=2, count=140):
    """A line, a season and a little noise; the first store's level rises by fifty."""
    return [(f"s{store}", 1, day.isoformat(), 100.0 + i / 4 + SEASON[i % 7] + (i * 7919) % 13 / 13 + 50 * (store == 0 and day.isoformat() >= SHIFT))
            for store in range(stores) for i, day in enumerate(series.days(count))]


class Parts(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all(f"CREATE TABLE {series.TABLE}")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows())
        self.run_all(series.statement("AutoETS", more=", forecast.season = 7, forecast.backtest = 0", horizon=7))

    def fails(self, sql, message, hint=""):
        done = self.run_program(self.path, "--progress=none", "-c", sql)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, message)
        self.assertIn(hint, done.stderr)

    def explain(self, select="SELECT * FROM t"):
        cursor = self.database.execute(f"{select} TO EXPLAIN m")
        self.assertEqual([column[0] for column in cursor.description], COLUMNS)
        return cursor.fetchall()

    def test_parts_add_up_and_are_what_the_rows_were_made_of(self):
        found = self.explain()
        self.assertEqual([row[:4] for row in found], sorted(rows()))
        for i, (store, _, day, sales, trend, season, remainder, _) in enumerate(found):
            self.assertAlmostEqual(trend + season + remainder, sales, places=9)
            self.assertAlmostEqual(season, SEASON[i % 140 % 7], delta=1)
            self.assertAlmostEqual(trend, 100.5 + i % 140 / 4 + 50 * (store == "s0" and day >= SHIFT), delta=1)
        shifts = [(row[0], row[2], round(row[7])) for row in found if row[7] is not None]
        self.assertEqual(shifts, [("s0", SHIFT, 50)])

    def test_the_order_of_the_rows_makes_no_difference(self):
        self.assertEqual(self.explain("SELECT * FROM t ORDER BY sales"), self.explain())

    def test_a_gap_has_a_trend(self):
        found = {row[2]: row for row in self.explain(f"SELECT * FROM t WHERE store = 's1' AND day <> '2024-02-02'")}
        self.assertEqual((len(found), found["2024-02-02"][3], found["2024-02-02"][6]), (140, None, None))
        self.assertAlmostEqual(found["2024-02-02"][4], 100.5 + 32 / 4, delta=1)
        nulls = self.explain("SELECT store, item, day, CASE WHEN day <> '2024-02-02' THEN sales END AS sales FROM t WHERE store = 's1'")
        self.assertEqual(nulls, list(found.values()))

    def test_into_a_table_which_is_replaced(self):
        for _ in range(2):
            table, written, _ = self.run_all("SELECT * FROM t TO EXPLAIN m INTO parts")[0]
            self.assertEqual((table, written), ("parts", 280))
        self.assertEqual(self.run_all("SELECT * FROM parts"), self.explain())
        self.fails("SELECT * FROM t TO EXPLAIN m INTO t", "exists, and no EVALUATE or EXPLAIN made it")

    def test_the_program_shows_them(self):
        done = self.run_program(self.path, "--progress=none", "-c", "SELECT * FROM t WHERE store = 's0' TO EXPLAIN m")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("level_shift", done.stdout)

    def test_names_that_the_history_has_are_others(self):
        self.run_all("SELECT store AS trend, day, sales FROM t TO TRAIN SeasonalNaive WITH forecast.time = 'day', forecast.season = 7, "
                     "forecast.group = 'trend', forecast.horizon = 3 LABEL sales INTO named")
        cursor = self.database.execute("SELECT store AS trend, day, sales FROM t TO EXPLAIN named")
        self.assertEqual([column[0] for column in cursor.description],
                         ["trend", "day", "sales", "sales_trend", "season_7", "remainder", "level_shift"])

    def test_numbers_without_a_season_and_a_group(self):
        self.run_all("SELECT rowid AS n, sales FROM t WHERE store = 's1' TO TRAIN Naive WITH forecast.time = 'n', forecast.horizon = 3 LABEL sales INTO one")
        cursor = self.database.execute("SELECT rowid AS n, sales FROM t WHERE store = 's1' TO EXPLAIN one")
        self.assertEqual([column[0] for column in cursor.description], ["n", "sales", "trend", "remainder", "level_shift"])
        self.assertEqual([row[0] for row in cursor.fetchall()], list(range(141, 281)))

    def test_rows_that_do_not_fit(self):
        notices = self.run_program(self.path, "--progress=auto", "-c", "SELECT * FROM t UNION ALL SELECT 'x', 1, '2024-01-01', 5 TO EXPLAIN m").stderr
        self.assertIn("1 rows belong to series that the model does not know, and are skipped", notices)
        self.fails("SELECT 'x' AS store, 1 AS item, '2024-01-01' AS day, 5.0 AS sales TO EXPLAIN m",
                   "the SELECT returned no rows of series that the model knows", "FORECAST their names")
        self.fails("SELECT * FROM t UNION ALL SELECT 's0', 1, '2024-01-01', 5 TO EXPLAIN m", "two values of a series have the time 2024-01-01",
                   "sum(sales)")
        self.fails("SELECT store, item, NULL AS day, sales FROM t TO EXPLAIN m", "row 1: time .* is NULL", "Leave such rows out")
        self.fails("SELECT store, item, day, 'much' AS sales FROM t TO EXPLAIN m", 'column "sales" holds \'much\'')
        self.fails("SELECT store, item, day FROM t TO EXPLAIN m", 'label column "sales" is not among')
        self.fails("SELECT * FROM t TO EXPLAIN m USING permutation", "an AutoETS has no inputs|a AutoETS has no inputs", "trend, seasons and remainder")
        self.fails("SELECT * FROM t TO EXPLAIN m WITH explain.repeats = 3", "explain.repeats has no use with a forecast", "leave explain.repeats out")


if __name__ == "__main__":
    harness.main()
