"""FORECAST m and totrain_forecast(): the rows of a stored forecast, as a statement and in any query."""

import contextlib
import json
import sqlite3

import harness

STORES = ((7, "north"), (10, "south"), (9, "it's"))
NAIVE = "TO TRAIN SeasonalNaive WITH forecast.time = 'day', forecast.horizon = 3, forecast.season = 7, forecast.backtest = 0"
# 28 days of January: the season of 7 goes on with what was on days 22 to 24.
DAYS = ("2024-01-29", "2024-01-30", "2024-01-31")


def sales(store, step):
    return store * 10 + (step % 7) + 0.1


class ForecastStatement(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect()
        self.database.execute("CREATE TABLE history (store INTEGER, region TEXT, day TEXT, sales REAL)")
        for store, region in STORES:
            self.database.executemany("INSERT INTO history VALUES (?, ?, ?, ?)",
                                      [(store, region, f"2024-01-{i + 1:02}", sales(store, i)) for i in range(28)])

    def train(self, select="SELECT store, day, sales FROM history", group=", forecast.group = 'store'", more="", model="m"):
        self.database.execute(f"{select} {NAIVE}{group}{more} LABEL sales INTO {model}").fetchall()

    def rows(self, sql):
        return self.database.execute(sql).fetchall()

    def check_refused(self, sql, *parts):
        with self.assertRaises(sqlite3.Error) as raised:
            self.rows(sql)
        for part in parts:
            self.assertIn(part, str(raised.exception))

    def test_rows_have_the_names_the_types_and_the_order_of_the_history(self):
        self.train()
        cursor = self.database.execute("FORECAST m")
        self.assertEqual([column[0] for column in cursor.description], ["store", "day", "sales", "lower", "upper"])
        rows = cursor.fetchall()
        self.assertEqual([row[:3] for row in rows], [(store, day, sales(store, i)) for store in (7, 9, 10) for i, day in enumerate(DAYS)])
        for _, _, value, lower, upper in rows:
            self.assertLessEqual(lower, value)
            self.assertLessEqual(value, upper)

    def test_fewer_steps_are_the_first_ones(self):
        self.train()
        every = self.rows("FORECAST m")
        self.assertEqual(self.rows("FORECAST m FOR 3"), every)
        self.assertEqual(self.rows("FORECAST m FOR 1"), [row for row in every if row[1] == DAYS[0]])

    def test_the_level_is_that_of_the_bounds(self):
        self.database.execute("UPDATE history SET sales = sales + (rowid * 7919 % 13)")
        self.train()
        wide, narrow = (self.rows(f"FORECAST m WITH forecast.level = {level}")[0] for level in (0.99, 0.5))
        self.assertEqual(wide[:3], narrow[:3])
        self.assertLess(wide[3], narrow[3])
        self.assertLess(narrow[4], wide[4])
        self.assertEqual(self.rows("FORECAST m WITH level = 0.95"), self.rows("FORECAST m"))

    def test_words_that_are_no_integers_are_texts_and_numbers_come_by_value(self):
        self.database.execute("UPDATE history SET region = CASE store WHEN 7 THEN '1.5' WHEN 9 THEN '10' ELSE '2' END")
        self.train("SELECT region, day, sales FROM history", ", forecast.group = 'region'")
        self.assertEqual([row[0] for row in self.rows("FORECAST m FOR 1")], ["1.5", "2", "10"])
        self.database.execute("UPDATE history SET region = 'a' WHERE region = '2'")
        self.train("SELECT region, day, sales FROM history", ", forecast.group = 'region'")
        self.assertEqual([row[0] for row in self.rows("FORECAST m FOR 1")], ["1.5", "10", "a"])

    def test_several_columns_tell_a_series(self):
        self.train("SELECT region, store, day, sales FROM history", ", forecast.group = ['region', 'store']")
        self.assertEqual([row[:2] for row in self.rows("FORECAST m FOR 1")], [("it's", 9), ("north", 7), ("south", 10)])
        names = [row[0] for row in self.rows("SELECT series FROM totrain_forecast('m', 1)")]
        self.assertEqual([json.loads(name) for name in names], [["it's", "9"], ["north", "7"], ["south", "10"]])
        for name in names:
            found = self.database.execute("SELECT series, value FROM totrain_forecast('m', 1) WHERE series = ?", (name,)).fetchall()
            self.assertEqual(found, [(name, sales(int(json.loads(name)[1]), 0))])
        for name in ("north", '["north"]', '["north", "7"]', '["north","7","7"]', '["north","8"]', "[", '["north",7]', ""):
            self.assertEqual(self.database.execute("SELECT * FROM totrain_forecast('m', 1) WHERE series = ?", (name,)).fetchall(), [], name)

    def test_one_series_is_the_same_alone_and_of_the_model(self):
        """The first of a connection are read without the others."""
        self.run_all("CREATE TABLE many AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11) "
                     "SELECT 's' || i AS store, d.day, i * 100 + d.step AS sales FROM n, "
                     "(SELECT '2024-01-0' || (i + 1) AS day, i AS step FROM n WHERE i < 6) d")
        self.run_all("SELECT * FROM many TO TRAIN Theta WITH forecast.time = 'day', forecast.group = 'store', forecast.horizon = 3 "
                     "LABEL sales INTO of_many")
        whole = self.rows("SELECT series, time, value, lower, upper FROM totrain_forecast('of_many', 3, 0.8)")
        self.database.commit()
        for again in range(2):
            with contextlib.closing(self.connect()) as database:
                for name in [f"s{i}" for i in range(12)] + ["s99"]:
                    found = database.execute("SELECT series, time, value, lower, upper FROM totrain_forecast('of_many', 3, 0.8) WHERE series = ?", (name,))
                    self.assertEqual(found.fetchall(), [row for row in whole if row[0] == name], (again, name))
        self.run_all("UPDATE of_many SET data = substr(data, 1, length(data) - 1) || x'7f' WHERE part = 'tensor' AND name = 'facts'")
        self.database.commit()
        with contextlib.closing(self.connect()) as database:
            with self.assertRaisesRegex(sqlite3.Error, 'model "of_many" is damaged: tensor "facts" 0 does not match its checksum'):
                database.execute("SELECT * FROM totrain_forecast('of_many') WHERE series = 's1'").fetchall()

    def test_damage_to_the_words_of_a_series_is_told(self):
        self.train()
        self.run_all("CREATE TABLE whole AS SELECT * FROM m")
        for change in ("DELETE FROM m WHERE part = 'vocabulary' AND data = '9'",
                       "UPDATE m SET data = 'nine' WHERE part = 'vocabulary' AND data = '9'",
                       "UPDATE m SET data = iif(data = '9', '10', '9') WHERE part = 'vocabulary' AND data IN ('9', '10')"):
            self.run_all("DELETE FROM m")
            self.run_all("INSERT INTO m SELECT * FROM whole")
            self.run_all(change)
            self.database.commit()
            self.check_refused("SELECT * FROM totrain_forecast('m') WHERE series = '9'", 'model "m" is damaged')
        self.run_all("DROP TABLE m")
        self.run_all("CREATE TABLE m (part TEXT, name TEXT, position TEXT, value, data)")
        self.run_all("INSERT INTO m SELECT * FROM whole")
        self.database.commit()
        self.check_refused("SELECT * FROM totrain_forecast('m') WHERE series = '9'", 'model "m" is damaged')

    def test_models_asked_in_turn_are_read_whole_as_one_is(self):
        self.train()
        self.run_all("CREATE TABLE other AS SELECT * FROM m")
        self.database.commit()
        for size, most in ((0, 1000), ("128Mi", 120)):
            traced = []
            self.rows(f"SELECT totrain_config('model_cache', '{size}')")
            self.database.set_trace_callback(traced.append)
            found = self.rows("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39) SELECT "
                              "(SELECT sum(value) FROM totrain_forecast('m') WHERE series = CAST(7 + 0 * i AS TEXT)), "
                              "(SELECT sum(value) FROM totrain_forecast('other') WHERE series = CAST(7 + 0 * i AS TEXT)) FROM n")
            self.database.set_trace_callback(None)
            self.assertEqual((len(found), len(set(found))), (40, 1))
            self.assertLess(sum("position >=" in sql for sql in traced), most, size)

    def test_without_a_group_there_is_one_series(self):
        self.train("SELECT day, sales FROM history WHERE store = 7", "")
        self.assertEqual([row[:2] for row in self.rows("FORECAST m")], [(day, sales(7, i)) for i, day in enumerate(DAYS)])
        self.assertEqual(self.rows("SELECT series, time, value FROM totrain_forecast('m', 1)"), [(None, DAYS[0], sales(7, 0))])
        self.assertEqual(self.rows("SELECT count(*) FROM totrain_forecast('m', 1) WHERE series = 'm'"), [(0,)])

    def test_times_are_of_the_kind_that_they_were(self):
        for time, first in (("CAST(substr(day, 9) AS INTEGER)", 29), ("day || ' 06:30:00'", "2024-01-29 06:30:00"),
                            ("CAST(substr(day, 9) AS INTEGER) * -2", -58)):
            order = "DESC" if first == -58 else "ASC"
            self.train(f"SELECT store, {time} AS day, sales FROM history ORDER BY day {order}")
            made = self.rows("FORECAST m FOR 1")[0][1]
            self.assertEqual(made, 0 if first == -58 else first)
            self.assertEqual(self.rows("SELECT time FROM totrain_forecast('m', 1)")[0][0], made)

    def test_bounds_do_not_take_the_names_of_the_history(self):
        self.train("SELECT store AS lower, day, sales FROM history", ", forecast.group = 'lower'")
        cursor = self.database.execute("FORECAST m")
        self.assertEqual([column[0] for column in cursor.description], ["lower", "day", "sales", "sales_lower", "sales_upper"])

    def test_a_table_is_made_and_made_anew(self):
        self.train()
        for steps in (2, 3):
            (table, rows, _), = self.rows(f"FORECAST m FOR {steps} INTO coming")
            self.assertEqual((table, rows), ("coming", 3 * steps))
            self.assertEqual(self.rows("SELECT * FROM coming"), self.rows(f"FORECAST m FOR {steps}"))
        self.assertEqual(self.rows("SELECT name, type FROM pragma_table_info('coming')"),
                         [("store", "INTEGER"), ("day", "TEXT"), ("sales", "REAL"), ("lower", "REAL"), ("upper", "REAL")])
        self.check_refused("FORECAST m INTO history", '"history" exists', "LINE 1")
        self.check_refused("FORECAST m INTO m", "the model itself")
        self.rows("FORECAST m FOR 1 WITH forecast.replace = true INTO history")
        self.assertEqual(self.rows("SELECT count(*) FROM history"), [(3,)])

    def test_what_there_is_not_is_refused_at_its_place(self):
        self.train()
        self.check_refused("FORECAST m FOR 4", "1 to 3 steps, not 4", "LINE 1: FORECAST m FOR 4\n                       ^", "forecast.horizon: 4")
        self.check_refused("FORECAST m FOR 0", "1 to 3 steps, not 0")
        self.check_refused("FORECAST m FOR 1.5", "whole number, not 1.5")
        self.check_refused("FORECAST m WITH forecast.level = 1", "0.5 to 0.999")
        self.check_refused("FORECAST m WITH train.epoch = 1", "no use in FORECAST")
        self.check_refused("FORECAST nothing", "nothing", "LINE 1")
        self.check_refused("FORECAST history", "is no model")
        self.rows("SELECT store, sales FROM history TO TRAIN LinearRegressor LABEL sales INTO line")
        self.check_refused("FORECAST line", "is not a forecast but a LinearRegressor", "LINE 1: FORECAST line\n                 ^", "TO TRAIN Forecast")
        self.check_refused("SELECT * FROM totrain_forecast('line')", "is not a forecast but a LinearRegressor", "HINT")
        self.check_refused("SELECT * FROM totrain_forecast", "model's name")
        self.check_refused("SELECT * FROM totrain_forecast(NULL)", "model's name")
        self.check_refused("SELECT * FROM totrain_forecast('m', 4)", "1 to 3 steps, not 4")
        self.check_refused("SELECT * FROM totrain_forecast('m', 0)", "1 to 3 steps, not 0")
        self.check_refused("SELECT * FROM totrain_forecast('m', 'x')", "whole number of steps")
        self.check_refused("SELECT * FROM totrain_forecast('m', 1, 0)", "0.5 to 0.999")

    def test_the_function_is_for_joins_and_views(self):
        self.train()
        self.database.execute("CREATE VIEW coming AS SELECT s.region, f.time, f.value FROM (SELECT DISTINCT store, region FROM history) s "
                              "JOIN totrain_forecast('m', 2) f ON f.series = s.store")
        self.assertEqual(self.rows("SELECT * FROM coming WHERE region = 'south' ORDER BY time"),
                         [("south", day, sales(10, i)) for i, day in enumerate(DAYS[:2])])
        of_each = self.rows("SELECT s.store, (SELECT value FROM totrain_forecast('m', 1) WHERE series = s.store) FROM "
                            "(SELECT DISTINCT store FROM history) s ORDER BY 1")
        self.assertEqual(of_each, [(store, sales(store, 0)) for store in (7, 9, 10)])
        self.assertEqual(self.rows("SELECT DISTINCT series, model, steps, level FROM totrain_forecast('m', 2, 0.9) LIMIT 1"), [("7", "m", 2, 0.9)])
        self.assertEqual(self.rows("SELECT f.value FROM sqlite_schema t, totrain_forecast(t.name, NULL, NULL) f WHERE t.name = 'm' LIMIT 1"),
                         [(sales(7, 0),)])

    def test_a_statement_sees_the_model_as_it_is(self):
        self.train()
        self.database.execute("UPDATE history SET sales = sales + 1")
        before = self.rows("FORECAST m")
        self.train()
        self.assertEqual([row[2] for row in self.rows("FORECAST m")], [row[2] + 1 for row in before])
        self.rows("ROLLBACK MODEL m TO 1")
        self.assertEqual(self.rows("FORECAST m"), before)

    def test_a_statement_that_was_prepared_before_a_retraining(self):
        self.train()
        names = [column[0] for column in self.database.execute("FORECAST m").description]
        self.database.commit()
        self.train("SELECT region, day, sales FROM history", ", forecast.group = 'region'")
        self.assertEqual([column[0] for column in self.database.execute("FORECAST m").description], ["region", *names[1:]])

    def test_all_doors_give_the_same(self):
        self.train()
        rows = [dict(zip(("store", "day", "sales", "lower", "upper"), row)) for row in self.rows("FORECAST m")]
        self.assertEqual(json.loads(self.rows("SELECT totrain('FORECAST m')")[0][0]), rows)
        self.database.commit()
        done = self.run_program(self.path, "-c", "FORECAST m FOR 1", "--format", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split(",")[:3] for line in done.stdout.splitlines()],
                         [["store", "day", "sales"]] + [[str(row["store"]), row["day"], str(row["sales"])] for row in rows[::3]])
        self.assertIn("9|2024-01-29|90.1", self.shell("FORECAST m FOR 1;")[0])
        done = self.run_program(self.path, "-c", "FORECAST m FOR 1 INTO by_program")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("SELECT store, day, sales FROM by_program"), [tuple(row.values())[:3] for row in rows[::3]])

    def test_show_model_tells_what_was_found(self):
        self.train()
        shown = dict(self.rows("SHOW MODEL m"))
        self.assertEqual((shown["series"], shown["steps"], shown["level"]), (3, "3 of 1 day", 0.95))
        self.assertEqual(shown["seasons"], "7 in 3 series")

    def test_a_forecast_is_no_formula(self):
        self.train()
        for form in ("sql", "c"):
            self.check_refused(f"EXPORT MODEL m TO '{self.folder}/m.{form}' FORMAT {form}", "is not exported as a program", "LINE 1")


if __name__ == "__main__":
    harness.main()
