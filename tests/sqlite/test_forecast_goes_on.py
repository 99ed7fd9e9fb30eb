"""TO TRAIN ... USING of forecasts: series that new rows move on with the parameters that they had."""

import pathlib
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

KEEP = ", forecast.keep_parameters = true"
THREE = ", job.min_workers = 3, job.max_workers = 3"


class GoingOn(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all(f"CREATE TABLE {series.TABLE}")
        self.fill(series.rows())

    def fill(self, rows):
        self.run_all("BEGIN")
        self.run_all("DELETE FROM t")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        self.run_all("COMMIT")

    def train(self, estimator="Theta", more="", **named):
        return self.run_all(series.statement(estimator, more=more + KEEP, **named))

    def go_on(self, estimator="Theta", more="", old="m", into="n", **named):
        sql = series.statement(estimator, more=more, into=into, **named)
        return self.run_all(sql.replace(f" INTO {into}", f" USING {old} INTO {into}"))

    def fails(self, sql, message, hint=""):
        done = self.run_program(self.path, "--progress=none", "-c", sql)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, message)
        self.assertIn(hint, done.stderr)

    def forecast(self, model):
        return self.run_all(f"FORECAST {model}")

    def notices(self, result):
        return "\n".join(row[3] for row in result if row[0] == "notice")

    def digest(self, model):
        return dict(self.run_all(f"SHOW MODEL {model}"))["digest"]


class GoesOn(GoingOn):
    def test_without_new_rows_the_forecast_is_the_same(self):
        for estimator, more in series.ESTIMATORS.items():
            with self.subTest(estimator):
                self.train(estimator, more)
                self.assertIn("0 series moved on by new rows with the parameters that they had, 6 have no new ones",
                              self.notices(self.go_on(estimator, more)))
                self.assertEqual(self.forecast("n"), self.forecast("m"))

    def test_new_rows_move_on_whoever_computes_it(self):
        for estimator, more in (("Forecast", ""), ("AutoETS", ", forecast.transform = 'log'")):
            self.fill(series.rows())
            self.train(estimator, more)
            self.fill(series.rows(count=64)[::-1])
            told = self.notices(self.go_on(estimator, more))
            self.assertIn("6 series moved on", told)
            alone = self.digest("n")
            self.go_on(estimator, more + THREE)
            self.assertEqual(self.digest("n"), alone)
            self.assertEqual(min(row[2] for row in self.forecast("n")), "2024-03-05")

    def test_each_night_has_the_parameters_of_the_first(self):
        self.train()
        for count in (61, 62, 65):
            self.fill(series.rows(count=count))
            self.go_on(into="m")
        self.fill(series.rows())
        self.train(into="first")
        self.fill(series.rows(count=65))
        self.go_on(old="first")
        self.assertEqual(self.forecast("m"), self.forecast("n"))
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["keeps"], "the parameters of each series")
        self.assertEqual(shown["going on"], "6 moved on by new rows, 0 stayed, 0 fitted anew, 0 not in the old model")

    def test_series_that_come_and_go(self):
        self.train()
        self.fill(series.rows(stores=4, count=63, missing=lambda store, item, i:
                              store == 0 or (store == 1 and i > 59) or (store, item) == (2, 0) and i < 3))
        told = self.notices(self.go_on())
        self.assertIn("1 series moved on by new rows with the parameters that they had, 2 have no new ones, and 2 are not in the old model", told)
        self.assertIn("1 series are fitted anew", told)
        self.assertIn("2 series of the old model have no rows, and are left out", told)
        old = {row[:3]: row[3:] for row in self.forecast("m")}
        new = {row[:3]: row[3:] for row in self.forecast("n")}
        self.assertEqual({row[0] for row in new}, {"s1", "s2", "s3"})
        stayed = [key for key in new if key[0] == "s1"]
        self.assertEqual([new[key] for key in stayed], [old[key] for key in stayed])
        self.run_all(series.statement("Theta", into="fresh", rows="(SELECT * FROM t WHERE store = 's3' OR (store = 's2' AND item = 0))"))
        fresh = {row[:3]: row[3] for row in self.forecast("fresh")}
        self.assertEqual({key: new[key][0] for key in fresh}, fresh)

    def test_intervals_of_many_series_stay_as_wide_as_they_were(self):
        self.fill(series.rows(stores=20, count=40))
        self.train("Naive")
        self.fill(series.rows(stores=20, count=43))
        told = self.go_on("Naive")
        metrics = {row[0]: row[1] for row in told if row[2] == "validation"}
        self.assertTrue(0.5 < metrics["Coverage"] <= 1 and metrics["MASE"] > 0)
        reach = [self.run_all(f"SELECT name, data FROM {model} WHERE part = 'tensor' AND name LIKE 'reaches%' ORDER BY name") for model in "mn"]
        self.assertEqual([name for name, _ in reach[0]], ["reaches", "reaches_below"])
        self.assertEqual(*reach)

    def test_regressors_move_on(self):
        self.run_all("DROP TABLE t")
        self.run_all(f"CREATE TABLE {series.PROMOTED}")
        rows = series.promoted(count=64)
        self.run_all("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        self.run_all("COMMIT")
        early = "(SELECT * FROM t WHERE day < '2024-03-01')"
        self.run_all(series.regression("AutoETS", "promo, price, ", 5, KEEP, rows=early))
        sql = series.regression("AutoETS", "promo, price, ", 5, into="n").replace(" INTO n", " USING m INTO n")
        self.assertIn("6 series moved on", self.notices(self.run_all(sql)))
        shown = {model: dict(self.run_all(f"SHOW MODEL {model}"))["regressors"] for model in "mn"}
        self.assertEqual(shown["m"], shown["n"])
        self.fails(sql.replace("promo, price, ", "price, "), "the old model has another group, time or other regressors")

    def test_what_is_refused(self):
        using = series.statement("Theta", into="n").replace(" INTO n", " USING m INTO n")
        self.run_all(series.statement("Theta"))
        self.fails(using, 'model "m" keeps no parameters', "Train it once WITH forecast.keep_parameters = true")
        self.train()
        for more, message in ((", forecast.season = 5", r"model \"m\" has forecast.season = .*, and learning goes on with that"),
                              (", forecast.transform = 'log'", "model \"m\" has forecast.transform = 'none'|forecast.transform"),
                              (", forecast.horizon = 3", "horizon")):
            self.fails(using.replace(", forecast.horizon = 10", "" if "horizon" in more else ", forecast.horizon = 10").replace(
                " LABEL", more + " LABEL"), message)
        self.fails(using.replace("TRAIN Theta", "TRAIN AutoETS"), "forecast.method")
        self.fails(using.replace("['store', 'item']", "'item'").replace("item, day", "item, date(day, '+' || row_number() OVER () || ' days') AS day"),
                   "the old model has another group")
        self.fails(using.replace("FROM t AS q", "FROM t AS q WHERE strftime('%w', day) = '1'"), "another step than those of the old model")
        self.fill(series.rows(count=80, missing=lambda store, item, i: i < 60))
        self.fails(using, r"series store = 's\d', item = '\d': its rows begin at 2024-03-01, and those of the old model at 2024-01-01",
                   "Select all rows of a series")
        self.fails(using.replace(" LABEL", ", forecast.hierarchy = 'mint' LABEL"), "has forecast.hierarchy = .*none.*, and learning goes on with that",
                   "Leave forecast.hierarchy out")


class NewRowsAlone(GoingOn):
    """Models that keep values: the new rows give what all rows give, bit by bit."""

    VALUES = ", forecast.keep_values = 80"
    NEW = "(SELECT * FROM t WHERE day > '2024-02-20')"

    def train(self, estimator="Theta", more="", **named):
        return super().train(estimator, more + self.VALUES, rows=named.pop("rows", "(SELECT * FROM t WHERE day <= '2024-02-20')"), **named)

    def both(self, estimator="Theta", more=""):
        """Results of TRAIN of all rows and of the new ones, each with its forecast."""
        found = []
        for into, rows in (("whole", "t"), ("alone", self.NEW)):
            result = self.go_on(estimator, more, into=into, rows=rows)
            measured = {row[0]: row[1] for row in result if row[2] == "validation"}
            found.append((measured, self.notices(result), self.forecast(into)))
        return found

    def test_without_new_rows_the_forecast_is_the_same(self):
        self.train()
        self.go_on(rows="(SELECT DISTINCT store, item, '2024-02-21' AS day, NULL AS sales FROM t)")
        self.assertEqual(self.forecast("n"), self.forecast("m"))

    def test_new_rows_move_on_whoever_computes_it(self):
        for estimator, more in (("Forecast", ""), ("AutoETS", ", forecast.transform = 'log'"), ("AutoARIMA", ", forecast.history = 12"), ("TSB", ""),
                                ("Theta", ", forecast.gaps = 'zero'"), ("MSTL", ", forecast.season = 7, forecast.gaps = 'last'")):
            with self.subTest(estimator):
                self.fill(series.rows(missing=lambda store, item, i: i % 11 == 3 + store))
                self.train(estimator, more)
                whole, alone = self.both(estimator, more)
                self.assertEqual(whole, alone)
                self.assertIn("6 series moved on by new rows", alone[1])
                self.go_on(estimator, more + THREE, into="three", rows=self.NEW)
                self.assertEqual(self.digest("three"), self.digest("alone"))

    def test_night_after_night(self):
        self.fill(series.rows())
        self.train("AutoETS")
        for day in ("2024-02-21", "2024-02-22", "2024-02-23"):
            self.go_on("AutoETS", old="m", into="m", rows=f"(SELECT * FROM t WHERE day = '{day}')")
        self.train("AutoETS", into="first")
        self.go_on("AutoETS", old="first", into="whole", rows="(SELECT * FROM t WHERE day <= '2024-02-23')")
        self.assertEqual(self.forecast("m"), self.forecast("whole"))
        self.assertIn("and its last 80 values", dict(self.run_all("SHOW MODEL m"))["keeps"])

    def test_one_row_has_the_step_of_the_old_model(self):
        months = "(SELECT store, item, date('2020-01-01', (julianday(day) - julianday('2024-01-01')) || ' months') AS day, sales FROM t)"
        self.train(rows=f"(SELECT * FROM {months} WHERE day <= '2024-06-01')")
        self.go_on(rows=f"(SELECT * FROM {months} WHERE day = '2024-07-01')")
        self.assertEqual(self.forecast("n")[0][2], "2024-08-01")
        self.fails(self.using(f"(SELECT * FROM {months} WHERE day = '2024-07-01' UNION ALL SELECT 's9', 1, '2024-07-01', 1 UNION ALL SELECT 's9', 1, '2024-07-09', 1)"),
                   "the time 2024-07-09 is between two steps of the old model", "without USING")

    def using(self, rows, more=""):
        return series.statement("Theta", rows=rows, more=more, into="n").replace(" INTO n", " USING m INTO n")

    def test_rows_that_came_before_are_refused(self):
        """A job that runs again would fit series to its own rows alone, and lose the past."""
        self.train()
        night = "(SELECT * FROM t WHERE day = '2024-02-21')"
        self.go_on(rows=night)
        self.go_on(old="n", into="m", rows="(SELECT * FROM t WHERE day = '2024-02-22')")
        for rows in (night, "(SELECT * FROM t WHERE day >= '2024-02-22')"):
            self.fails(self.using(rows), "its rows begin at 2024-02-2[12], among those of the old model, which are from 2024-01-01 to 2024-02-22",
                       "the rows behind those, or all rows")

    def test_what_is_refused(self):
        self.VALUES = ", forecast.keep_values = 50"
        self.train()
        self.fails(self.using(self.NEW), "series store = 's[0-2]', item = '[01]': its rows begin behind those of the old model, which had 51 values and keeps 50",
                   "greater forecast.keep_values")
        self.go_on(rows="t")
        self.fails(self.using("t", ", forecast.keep_values = 60"), 'has forecast.keep_values = 50', "Leave forecast.keep_values out")
        self.fails(series.statement("Theta", more=self.VALUES), "forecast.keep_values needs forecast.keep_parameters")
        self.fails(series.regression("Theta", "price, ", 10, KEEP + self.VALUES, rows="(SELECT *, sales / 2 AS price FROM t)"),
                   "forecast.keep_values does not go together with regressors", "select all rows with USING")


class Totals(GoingOn):
    """A hierarchy goes on as its series do, and what it forecasts adds up."""

    MINT = ", forecast.hierarchy = 'mint'"
    OLD = "(SELECT * FROM t WHERE day <= '2024-02-20')"
    NEW = "(SELECT * FROM t WHERE day > '2024-02-20')"

    def train(self, estimator="Theta", more="", **named):
        return super().train(estimator, more + ", forecast.keep_values = 80", rows=named.pop("rows", self.OLD),
                             **named)

    def check_sums(self, model):
        found = {row[:3]: row[3] for row in self.forecast(model)}
        for day in {key[2] for key in found}:
            parts = [value for key, value in found.items() if key[2] == day and key[1] is not None]
            self.assertEqual(sum(parts), found[None, None, day])

    def test_new_rows_alone_are_all_rows_whoever_computes_it(self):
        for estimator, more, gaps in (("AutoETS", ", forecast.gaps = 'zero'", 11), ("MSTL", ", forecast.season = 7, forecast.history = 5", 13)):
            with self.subTest(estimator):
                self.fill(series.rows(missing=lambda store, item, i: i % gaps == 3 + store or (store, item) == (2, 1) and i > 47))
                self.train(estimator, self.MINT + more)
                found = []
                for into, rows in (("whole", "t"), ("alone", f"(SELECT * FROM {self.NEW} UNION ALL SELECT 's2', 1, '2024-02-21', NULL)")):
                    result = self.go_on(estimator, more, into=into, rows=rows)
                    measured = {row[0]: row[1] for row in result if row[2] == "validation"}
                    found.append((measured, self.forecast(into)))
                    self.assertIn("10 series moved on by new rows with the parameters that they had, 0 have no new ones, and 0 are not in",
                                  self.notices(result))
                self.assertEqual(*found)
                self.assertGreater(found[0][0]["MASE"], 0)
                self.go_on(estimator, more + THREE, into="three", rows="t")
                self.assertEqual(self.digest("three"), self.digest("whole"))
                self.check_sums("alone")

    def test_without_new_rows_the_forecast_is_the_same(self):
        for estimator in ("Theta", "AutoETS"):
            self.train(estimator, self.MINT)
            told = self.go_on(estimator, rows="(SELECT DISTINCT store, item, '2024-02-21' AS day, NULL AS sales FROM t)")
            self.assertIn("0 series moved on by new rows with the parameters that they had, 10 have no new ones", self.notices(told))
            self.assertEqual(self.forecast("n"), self.forecast("m"))
            self.go_on(estimator, rows=self.OLD)
            self.assertEqual(self.forecast("n"), self.forecast("m"))

    def test_parameters_are_those_of_the_first_night(self):
        self.train("AutoETS", self.MINT)
        for day in ("2024-02-21", "2024-02-22", "2024-02-23"):
            self.go_on("AutoETS", into="m", rows=f"(SELECT * FROM t WHERE day = '{day}')")
        self.train("AutoETS", self.MINT, into="first")
        self.go_on("AutoETS", old="first", into="whole", rows="(SELECT * FROM t WHERE day <= '2024-02-23')")
        self.assertEqual(self.forecast("m"), self.forecast("whole"))
        self.check_sums("m")
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual((shown["hierarchy"], shown["going on"]),
                         ("mint, totals among the series", "10 moved on by new rows, 0 stayed, 0 fitted anew, 0 not in the old model"))

    def test_errors_are_those_of_the_old_model(self):
        """Forecasts that add up, compared with what came, totals among them."""
        self.train("AutoETS", ", forecast.hierarchy = 'bottom-up'")
        errors = values = 0
        for store, item, day, value, *_ in self.forecast("m"):
            rows = self.run_all("SELECT total(sales), count(*) FROM t WHERE day = ? AND (store = ? OR ? IS NULL) AND (item = ? OR ? IS NULL)",
                                day, store, store, item, item)
            if rows[0][1] > 0:
                errors += abs(rows[0][0] - value)
                values += abs(rows[0][0])
        measured = harness.validated(self.go_on("AutoETS", rows="t"))
        self.assertAlmostEqual(measured["WAPE"], errors / values, places=9)

    def test_totals_of_other_parts_are_fitted_anew(self):
        self.train("Theta", self.MINT)
        self.run_all("UPDATE t SET store = 's7' WHERE store = 's2' AND item = 1")
        told = self.notices(self.go_on(rows="t"))
        self.assertIn("7 series moved on by new rows with the parameters that they had, 0 have no new ones, and 2 are not in the old model", told)
        self.assertIn("2 series are fitted anew", told)
        self.assertIn("or are totals of other series", told)
        self.assertIn("1 series of the old model have no rows", told)
        self.train("Theta", self.MINT, rows="t", into="fresh")
        fresh, new = ({row[:3]: row[4] for row in self.forecast(model)} for model in ("fresh", "n"))
        self.assertEqual({key for key in new if new[key] == fresh[key] and key[2] == "2024-03-01"}, set())
        self.check_sums("n")

    def test_a_part_that_opens_leaves_parameters_of_its_totals(self):
        self.train("Theta", self.MINT)
        self.run_all("INSERT INTO t SELECT 's2', 9, day, sales FROM t WHERE store = 's0' AND item = 0 AND day > '2024-02-21'")
        told = self.notices(self.go_on(rows=self.NEW))
        self.assertIn("10 series moved on by new rows with the parameters that they had, 0 have no new ones, and 1 are not in the old model", told)
        self.assertNotIn("anew", told)
        self.check_sums("n")

    def test_rows_that_come_late(self):
        """A series that had ended before the others: its days that are missing still come."""
        self.fill(series.rows(missing=lambda store, item, i: (store, item) == (1, 0) and i > 45))
        self.train("Theta", self.MINT)
        self.fill(series.rows())
        late = f"(SELECT * FROM {self.NEW} UNION ALL SELECT * FROM t WHERE store = 's1' AND item = 0 AND day BETWEEN '2024-02-16' AND '2024-02-20')"
        self.go_on(rows=late, into="alone")
        self.go_on(rows="t", into="whole")
        self.assertEqual(self.forecast("alone"), self.forecast("whole"))
        self.fails(series.statement("Theta", rows="(SELECT * FROM t WHERE store = 's1' AND item = 0 AND day > '2024-02-14')", into="n").replace(" INTO n", " USING m INTO n"),
                   "its rows begin at 2024-02-15, among those of the old model, which are from 2024-01-01 to 2024-02-15")

    def test_an_earlier_end_fits_all_anew(self):
        self.train("Theta", self.MINT)
        told = self.go_on(rows="(SELECT * FROM t WHERE day < '2024-02-15')")
        self.assertIn("10 series are fitted anew", self.notices(told))
        self.assertGreater(harness.validated(told)["MASE"], 0)
        self.check_sums("n")


if __name__ == "__main__":
    harness.main()
