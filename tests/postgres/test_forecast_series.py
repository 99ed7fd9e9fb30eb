"""totrain.forecast_series(): forecasts of a series that nobody trained, as an aggregate in any query."""

import datetime
import pathlib
import re

from psycopg2 import errors

import harness

# The same rows as in SQLite, and the same bits of their forecast.
SEASON = [17, 3, -4, -11, 0, 25, 31, 8, -6, -20, -22, -21]
SALES = [200 + 2 * i + SEASON[i % 12] + (i * 7919 % 13) - 6 for i in range(72)]
IN_SQLITE = pathlib.Path(__file__).resolve().parents[1] / "sqlite" / "test_forecast_series.py"


class ForecastSeries(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE t (store text, day date, sales numeric)")
        cursor.execute("GRANT SELECT ON t TO PUBLIC")
        for i, sales in enumerate(SALES):
            cursor.execute("INSERT INTO t VALUES ('a', %s, %s)", (datetime.date(2015 + i // 12, i % 12 + 1, 1), sales))

    def one(self, sql):
        return self.execute(sql)[0]

    def forecast(self, arguments="day, sales, 12", rows="t"):
        return self.one(f"SELECT totrain.forecast_series({arguments}) FROM {rows}")[0]

    def check_refused(self, part, arguments="day, sales, 12", rows="t", kind=errors.InvalidParameterValue):
        with self.assertRaisesRegex(kind, part):
            self.forecast(arguments, rows)

    def test_the_bits_are_those_of_sqlite(self):
        first = dict(eval(re.search(r"^FIRST = (.*)$", IN_SQLITE.read_text(), re.M).group(1)))  # noqa: S307
        self.assertEqual(self.forecast("day, sales, 1"), [first])
        last = dict(eval(re.search(r"^LAST = ({.*})", IN_SQLITE.read_text(), re.M).group(1)))  # noqa: S307
        self.assertEqual({method: self.forecast(f"day, sales, 12, '{method}'")[11]["value"] for method in last}, last)

    def test_rows_of_each_group_come_in_the_types_that_are_asked_for(self):
        self.execute("CREATE TABLE two AS SELECT * FROM t UNION ALL SELECT 'b', day, 5 FROM t")
        rows = self.execute("SELECT store, f.* FROM (SELECT store, totrain.forecast_series(day, sales, 2) AS made FROM two GROUP BY store) q, "
                            "LATERAL json_to_recordset(made) AS f(time date, value float8, lower float8, upper float8) ORDER BY 1, 2")
        self.assertEqual([row[:2] for row in rows],
                         [(store, datetime.date(2021, month, 1)) for store in "ab" for month in (1, 2)])
        self.assertEqual(rows[2][2:], (5, 5, 5))

    def test_the_order_of_rows_changes_no_bit(self):
        text = self.one("SELECT totrain.forecast_series(day, sales, 12)::text FROM t")
        for order in ("day DESC", "sales", "md5(sales::text)"):
            self.assertEqual(self.one(f"SELECT totrain.forecast_series(day, sales, 12 ORDER BY {order})::text FROM t"), text)

    def test_times_are_of_many_types(self):
        for start, step, kind, after in (("'2024-01-31'", "'1 day'", "date", "2024-03-11"), ("'2024-01-31'", "'1 hour'", "timestamp", "2024-02-01 16:00:00"),
                                         ("'2024-01-31+00'", "'1 hour'", "timestamptz", "2024-02-01 16:00:00+00")):
            rows = f"(SELECT (timestamp {start} + i * interval {step})::{kind} AS at FROM generate_series(0, 39) i) q"
            if kind == "timestamptz":
                rows = rows.replace(f"timestamp {start}", f"timestamptz {start}")
            self.assertEqual(self.forecast("at, 1, 1", rows), [{"time": after, "value": 1, "lower": 1, "upper": 1}])
        for kind in ("int2", "int4", "int8", "numeric", "float8"):
            self.assertEqual(self.forecast(f"i::{kind}, 1, 1", "generate_series(1990, 2010, 4) i"), [{"time": 2014, "value": 1, "lower": 1, "upper": 1}])
        self.assertEqual(self.forecast("day::text, 7, 1")[0]["time"], "2021-01-01")

    def test_methods_and_options(self):
        self.assertEqual([row["value"] for row in self.forecast("day, sales, 12, 'seasonalnaive'")], SALES[60:])
        self.assertEqual(self.forecast("day, sales, 3, NULL"), self.forecast("day, sales, 3"))
        both = "(SELECT * FROM t UNION ALL SELECT * FROM t) q"
        self.assertEqual(self.forecast("day, sales, 3, '{\"duplicates\": \"mean\"}'", both), self.forecast("day, sales, 3"))
        self.assertEqual([row["value"] for row in self.forecast("day, sales, 3, '{\"method\": \"naive\", \"season\": [4, 12]}'")], SALES[-1:] * 3)

    def test_nothing_of_nothing(self):
        self.assertIsNone(self.forecast(rows="t WHERE false"))
        self.assertIsNone(self.forecast("day, NULL, 3"))

    def test_what_cannot_be_forecast_is_said(self):
        self.check_refused("two values have the time 2015-01-01", rows="(SELECT * FROM t UNION ALL SELECT * FROM t) q")
        self.check_refused("a value is infinite", "day, 'infinity'::float8, 3")
        self.check_refused("out of range, or of a type that is no time|no whole number", "'infinity'::date, sales, 3")
        self.check_refused("a time is NULL", "NULL::date, sales, 3")
        self.check_refused("the horizon is a whole number from 1 to 10000", "day, sales, NULL")
        self.check_refused("there is no method \"teta\"", "day, sales, 3, 'teta'")
        self.check_refused("a time is out of range, or of a type that is no time|is no date", "ARRAY[1], sales, 3")
        with self.assertRaisesRegex(errors.FeatureNotSupported, "window function"):
            self.forecast("day, sales, 3) OVER (ORDER BY day")

    def test_a_statement_that_is_cancelled_ends(self):
        with self.assertRaises(errors.QueryCanceled):
            self.execute("SET statement_timeout = '50ms'; SELECT totrain.forecast_series(i, sin(i), 3, 'autoets') "
                         "FROM generate_series(1, 500000) i")

    def test_users_of_the_extension_may_call_it(self):
        self.execute("CREATE ROLE forecast_user LOGIN; GRANT totrain_user TO forecast_user; CREATE ROLE forecast_nobody LOGIN")
        try:
            self.assertEqual(len(self.execute("SELECT json_array_elements(totrain.forecast_series(day, sales, 2)) FROM t", user="forecast_user")), 2)
            with self.assertRaises(errors.InsufficientPrivilege):
                self.execute("SELECT totrain.forecast_series(day, sales, 2) FROM t", user="forecast_nobody")
        finally:
            self.execute("DROP ROLE forecast_user; DROP ROLE forecast_nobody")


if __name__ == "__main__":
    harness.main()
