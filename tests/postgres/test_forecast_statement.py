"""FORECAST m and totrain.forecast(): the rows of a stored forecast, in their types, in PostgreSQL."""

import datetime

from psycopg2 import errors

import harness

SERIES = ((7, "north"), (10, "south"), (9, "it's"))
TRAIN = "TO TRAIN SeasonalNaive WITH forecast.time = 'day', forecast.horizon = 3, forecast.season = 7, forecast.backtest = 0"


class ForecastStatement(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE history (store int, region text, day date, sales float8)")
        cursor.execute("CREATE TABLE values_of (store int, region text)")
        for store, region in SERIES:
            cursor.execute("INSERT INTO history SELECT %s, %s, date '2024-01-01' + i, %s * 10 + i %% 7 + 0.1 FROM generate_series(0, 27) i", (store, region, store))
            cursor.execute("INSERT INTO values_of VALUES (%s, %s)", (store, region))

    def train(self, select="SELECT store, day, sales FROM history", group=", forecast.group = 'store'", more=""):
        self.execute("SELECT * FROM totrain.run($$ %s %s%s%s LABEL sales INTO m $$)" % (select, TRAIN, group, more))

    def check_refused(self, sql, part, kind=errors.InvalidParameterValue, user=harness.SUPERUSER):
        with self.assertRaisesRegex(kind, part):
            self.execute(sql, user)

    def test_psql_shows_names_types_and_order_of_the_history(self):
        self.train()
        self.assertEqual(self.check_psql("FORECAST m FOR 1").splitlines()[1][:19], "9|2024-01-29|90.1|9")
        self.assertIn("store |    day     | sales", self.psql("FORECAST m FOR 1;").stdout)
        rows = self.check_psql("FORECAST m").splitlines()
        self.assertEqual([row.split("|")[:3] for row in rows],
                         [[str(store), f"2024-01-{29 + i}", str(store * 10 + i + 0.1)] for store in (7, 9, 10) for i in range(3)])

    def test_one_series_that_is_named_is_looked_up(self):
        self.train()
        wanted = self.execute("SELECT * FROM totrain.forecast('m', 2) WHERE series = '9'")
        self.assertEqual((len(wanted), self.execute("SELECT * FROM totrain.forecast('m', 2, NULL, '9')")), (2, wanted))
        for _ in range(12):  # from its ninth series on a model is read whole
            self.assertEqual(self.execute("SELECT * FROM totrain.forecast('m', 2, NULL, '9')"), wanted)
            self.assertEqual(self.execute("SELECT * FROM totrain.forecast('m', 2, NULL, '8')"), [])
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.forecast('m', 2, 0.8, '11')"), [(0,)])
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.forecast('m', 2, 0.8, NULL)"), [(0,)])
        joined = self.execute("SELECT v.store, f.value FROM values_of v, LATERAL totrain.forecast('m', 1, NULL, v.store::text) f ORDER BY 1")
        self.assertEqual(joined, [(7, 70.1), (9, 90.1), (10, 100.1)])
        self.train(select="SELECT region, store, day, sales FROM history", group=", forecast.group = ['region', 'store']")
        self.assertEqual(self.execute("SELECT value FROM totrain.forecast('m', 1, NULL, '[\"it''s\",\"9\"]')"), [(90.1,)])

    def test_damage_to_the_words_of_a_series_is_told(self):
        self.train()
        self.execute("DELETE FROM m WHERE part = 'vocabulary' AND data = '9'")
        self.check_refused("SELECT * FROM totrain.forecast('m', 2, NULL, '9')", 'model "m" is damaged', errors.DataException)

    def test_the_function_of_statements_gives_objects(self):
        self.train()
        rows = harness.run_statement(self.connect().cursor(), "FORECAST m FOR 1")
        self.assertEqual([(row["store"], row["day"], row["sales"]) for row in rows], [(s, "2024-01-29", s * 10 + 0.1) for s in (7, 9, 10)])
        with self.assertRaisesRegex(errors.Error, "totrain.rows"):
            self.execute("SELECT * FROM totrain.run($$ FORECAST m $$)")

    def test_a_table_is_made_in_the_background(self):
        self.train()
        job = self.execute("SELECT totrain.submit($$FORECAST m FOR 2 WITH forecast.level = 0.8 INTO later$$)")[0][0]
        self.eventually(f"SELECT state, error FROM totrain.jobs WHERE id = {job}", [("done", None)])
        self.assertEqual(self.execute("SELECT * FROM later ORDER BY store, day"),
                         self.execute("SELECT series::int, time::date, value, lower, upper FROM totrain.forecast('m', 2, 0.8) ORDER BY 1, 2"))
        self.check_refused("SELECT totrain.submit($$FORECAST m FOR 2$$)", "statements that write INTO a table", errors.FeatureNotSupported)

    def test_a_table_has_the_types_of_the_history(self):
        self.train()
        written, = harness.run_statement(self.connect().cursor(), "FORECAST m FOR 2 INTO coming")
        self.assertEqual((written["table"], written["rows"]), ("coming", 6))
        self.assertEqual(self.execute("SELECT attname::text, atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'coming'::regclass AND attnum > 0 ORDER BY attnum"),
                         [("store", "bigint"), ("day", "date"), ("sales", "double precision"), ("lower", "double precision"), ("upper", "double precision")])
        self.assertEqual(self.execute("SELECT store, day, sales FROM coming ORDER BY 1, 2")[:2],
                         [(7, datetime.date(2024, 1, 29), 70.1), (7, datetime.date(2024, 1, 30), 71.1)])
        self.check_psql("FORECAST m FOR 1 INTO coming")
        self.assertEqual(self.execute("SELECT count(*) FROM coming"), [(3,)])
        with self.assertRaisesRegex(errors.Error, "history"):
            self.execute("SELECT * FROM totrain.run($$ FORECAST m INTO history $$)")

    def test_times_are_of_the_kind_that_they_were(self):
        for time, kind, first in (("day + time '06:30'", "timestamp without time zone", datetime.datetime(2024, 1, 29, 6, 30)),
                                  ("extract(day FROM day)::int", "bigint", 29), ("day - 400000", "date", None)):
            self.train(f"SELECT store, {time} AS day, sales FROM history")
            self.check_psql("DROP TABLE IF EXISTS coming; FORECAST m FOR 1 INTO coming")
            self.assertEqual(self.execute("SELECT DISTINCT pg_typeof(day)::text FROM coming"), [(kind,)])
            if first:
                self.assertEqual(self.execute("SELECT DISTINCT day FROM coming"), [(first,)])
                self.assertEqual(self.execute("SELECT DISTINCT \"time\" FROM totrain.forecast('m', 1)"), [(str(first),)])
            else:
                self.assertEqual(self.execute("SELECT DISTINCT (date '2024-01-29' - day)::int FROM coming"), [(400000,)])

    def test_several_columns_tell_a_series(self):
        self.train("SELECT region, store, day, sales FROM history", ", forecast.group = ['region', 'store']")
        self.assertEqual([row.split("|")[:2] for row in self.check_psql("FORECAST m FOR 1").splitlines()], [["it's", "9"], ["north", "7"], ["south", "10"]])
        self.assertEqual(self.execute("SELECT series, value FROM totrain.forecast('m', 1)"),
                         [('["it\'s","9"]', 90.1), ('["north","7"]', 70.1), ('["south","10"]', 100.1)])

    def test_without_a_group_there_is_one_series(self):
        self.train("SELECT day, sales FROM history WHERE store = 7", "")
        self.assertEqual(self.execute("SELECT series, \"time\", value FROM totrain.forecast('m')"), [(None, f"2024-01-{29 + i}", 70.1 + i) for i in range(3)])
        self.assertEqual(self.check_psql("FORECAST m FOR 1")[:16], "2024-01-29|70.1|")

    def test_the_function_is_for_joins_and_views(self):
        self.train()
        self.execute("CREATE VIEW coming AS SELECT s.region, f.\"time\"::date AS day, f.value FROM values_of s JOIN totrain.forecast('m', 2) f ON f.series = s.store::text")
        self.assertEqual(self.execute("SELECT * FROM coming WHERE region = 'south' ORDER BY day"),
                         [("south", datetime.date(2024, 1, 29), 100.1), ("south", datetime.date(2024, 1, 30), 101.1)])
        self.assertEqual(self.execute("SELECT (totrain.forecast('m', 1)).value"), [(70.1,), (90.1,), (100.1,)])
        self.assertEqual(self.execute("SELECT f.value FROM (VALUES ('m'), (NULL)) v(name), LATERAL totrain.forecast(v.name, 1, NULL) f LIMIT 1"), [(70.1,)])
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.forecast(NULL)"), [(0,)])
        for level, half in ((0.99, 2.5758), (0.5, 0.6745)):
            lower, upper = self.execute(f"SELECT min(upper - lower), max(upper - lower) FROM totrain.forecast('m', 1, {level})")[0]
            self.assertAlmostEqual(lower, upper, delta=1e-9 + half * 1e-3)

    def test_what_there_is_not_is_refused(self):
        self.train()
        self.execute("SELECT * FROM totrain.run($$ SELECT store, sales FROM history TO TRAIN LinearRegressor LABEL sales INTO line $$)")
        self.check_refused("SELECT * FROM totrain.forecast('m', 4)", "1 to 3 steps, not 4")
        self.check_refused("SELECT * FROM totrain.forecast('m', 0)", "1 to 3 steps, not 0")
        self.check_refused("SELECT * FROM totrain.forecast('m', 1, 1)", "0.5 to 0.999")
        self.check_refused("SELECT * FROM totrain.forecast('line')", "is not a forecast but a LinearRegressor")
        self.check_refused("SELECT * FROM totrain.forecast('line', 1, NULL, 'a')", "is not a forecast but a LinearRegressor")
        with self.assertRaisesRegex(errors.Error, "values of another type for column 1"):
            self.execute("SELECT * FROM totrain.forecast_rows('m', 1, 0.9) AS q (store text, day date, sales float8, lower float8, upper float8)")
        with self.assertRaisesRegex(errors.Error, "rows have 5 columns, not 1"):
            self.execute("SELECT * FROM totrain.forecast_rows('m', 1, 0.9) AS q (store int8)")
        shown = self.psql("FORECAST m FOR 4;").stderr
        self.assertIn("ERROR:  the model forecasts 1 to 3 steps, not 4\nLINE 1: FORECAST m FOR 4;\n                       ^", shown)
        self.assertIn("HINT:  Train it with a larger forecast.horizon: 4.", shown)
        self.assertIn("is not a forecast but a LinearRegressor", self.psql("FORECAST line;").stderr)

    def test_rows_are_those_who_may_read_the_model(self):
        self.train()
        for role in ("reader", "nobody"):
            self.execute(f"DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN")
        self.execute("GRANT totrain_reader TO reader; GRANT SELECT ON m TO reader")
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.forecast('m')", "reader"), [(9,)])
        self.assertEqual(len(self.check_psql("FORECAST m", user="reader").splitlines()), 9)
        self.assertIn("permission denied", self.psql("FORECAST m INTO coming;", user="reader").stderr)
        self.execute("REVOKE SELECT ON m FROM reader")
        self.check_refused("SELECT * FROM totrain.forecast('m')", "permission denied", errors.InsufficientPrivilege, "reader")
        self.check_refused("SELECT * FROM totrain.forecast('m')", "permission denied", errors.InsufficientPrivilege, "nobody")

    def test_a_long_one_ends_when_its_time_is_over(self):
        self.execute("SELECT * FROM totrain.run($$ SELECT i AS store, day, i % 7 AS sales FROM generate_series(1, 1500) i, generate_series(1, 3) day "
                     "TO TRAIN Naive WITH forecast.time = 'day', forecast.group = 'store', forecast.horizon = 2000, forecast.backtest = 0 "
                     "LABEL sales INTO m $$)")
        with self.connect().cursor() as cursor:
            cursor.execute("SELECT count(*) FROM totrain.forecast('m', 1)")
            self.assertEqual(cursor.fetchall(), [(1500,)])  # the session holds the model now
            cursor.execute("SET statement_timeout = 50")
            with self.assertRaises(errors.QueryCanceled):
                cursor.execute("SELECT count(*) FROM totrain.forecast('m')")
            cursor.execute("RESET statement_timeout; SELECT count(*) FROM totrain.forecast('m', 1)")
            self.assertEqual(cursor.fetchall(), [(1500,)])

    def test_the_same_rows_as_in_sqlite_have_the_same_bits(self):
        self.train(more=", forecast.level = 0.8")
        rows = [(store, f"2024-01-{day + 1:02}", store * 10 + day % 7 + 0.1) for store, _ in SERIES for day in range(28)]
        meta = self.train_in_sqlite("history (store INTEGER, day TEXT, sales REAL)", rows,
                                    f"SELECT store, day, sales FROM history {TRAIN}, forecast.group = 'store', forecast.level = 0.8 LABEL sales INTO m")
        self.assertEqual(self.digest("m"), meta["digest"])


if __name__ == "__main__":
    harness.main()
