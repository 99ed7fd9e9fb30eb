"""totrain_forecast_series(): forecasts of a series that nobody trained, as an aggregate in any query."""

import json
import math
import random
import sqlite3

import harness

MONTHS = [f"{2015 + i // 12}-{i % 12 + 1:02}-01" for i in range(72)]
# The same bits in PostgreSQL: tests/postgres/test_forecast_series.py has the same rows and the same digits.
SEASON = [17, 3, -4, -11, 0, 25, 31, 8, -6, -20, -22, -21]
SALES = [200 + 2 * i + SEASON[i % 12] + (i * 7919 % 13) - 6 for i in range(72)]
FIRST = {"time": "2021-01-01", "value": 357.42801292346576, "lower": 341.92347630124425, "upper": 372.93254954568727}
LAST = {"autoarima": 351.6029624517514, "arima": 351.05729471256296, "mstl": 345.1016720211417}  # the twelfth value


class ForecastSeries(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect()
        self.database.execute("CREATE TABLE t (store TEXT, day, sales)")
        self.database.executemany("INSERT INTO t VALUES ('a', ?, ?)", zip(MONTHS, SALES))

    def forecast(self, arguments="day, sales, 12", rows="t"):
        text, = self.database.execute(f"SELECT totrain_forecast_series({arguments}) FROM {rows}").fetchone()
        return text and json.loads(text)

    def check_refused(self, part, arguments="day, sales, 12", rows="t"):
        with self.assertRaisesRegex(sqlite3.Error, part):
            self.forecast(arguments, rows)

    def test_a_trend_and_a_season_are_carried_on(self):
        made = self.forecast()
        self.assertEqual([row["time"] for row in made], [f"2021-{i + 1:02}-01" for i in range(12)])
        for i, row in enumerate(made):
            self.assertAlmostEqual(row["value"], 200 + 2 * (72 + i) + SEASON[i], delta=12)
            self.assertLess(row["lower"], row["value"])
            self.assertLess(row["value"], row["upper"])

    def test_the_order_of_rows_changes_no_bit(self):
        text = self.database.execute("SELECT totrain_forecast_series(day, sales, 12) FROM t").fetchone()
        for order in ("day DESC", "sales", "sales * 7919 % 31"):
            self.assertEqual(self.database.execute(
                f"SELECT totrain_forecast_series(day, sales, 12) FROM (SELECT * FROM t ORDER BY {order})").fetchone(), text)

    def test_each_group_has_its_own(self):
        self.database.execute("INSERT INTO t SELECT 'b', day, 5 FROM t")
        rows = self.database.execute(
            "SELECT store, f.value ->> 'time', f.value ->> 'value' FROM (SELECT store, totrain_forecast_series(day, sales, 2) AS made FROM t "
            "GROUP BY store) q, json_each(q.made) f ORDER BY 1, 2").fetchall()
        self.assertEqual([row[:2] for row in rows], [(store, time) for store in "ab" for time in ("2021-01-01", "2021-02-01")])
        self.assertEqual([row[2] for row in rows[2:]], [5, 5])

    def test_methods_are_chosen_by_name(self):
        made = {}
        for method in ("forecast", "autoets", "ets", "autoarima", "arima", "mstl", "theta", "optimizedtheta", "dynamictheta", "dynamicoptimizedtheta",
                       "seasonalnaive", "naive", "croston", "sba", "tsb"):
            made[method] = [row["value"] for row in self.forecast(f"day, sales, 12, '{method}'")]
            self.assertEqual(made[method], [row["value"] for row in self.forecast(f"day, sales, 12, '{{\"method\": \"{method.upper()}\"}}'")])
        self.assertEqual(made["seasonalnaive"], SALES[60:])
        self.assertEqual(made["naive"], SALES[-1:] * 12)
        self.assertEqual(made["forecast"], [row["value"] for row in self.forecast()])
        self.assertEqual(made.pop("tsb"), made["croston"])  # each value has demand
        self.assertEqual(len({tuple(values) for values in made.values()}), len(made))

    def test_the_order_of_arima_is_given_or_found(self):
        def made(**options):
            return [row["value"] for row in self.forecast(f"day, sales, 3, '{json.dumps({'method': 'arima', **options})}'")]
        self.assertEqual(made(order=[0, 1, 0]), SALES[-1:] * 3)
        step = (SALES[-1] - SALES[0]) / 71
        for h, value in enumerate(made(order=[0, 1, 0], constant=True)):
            self.assertAlmostEqual(value, SALES[-1] + step * (h + 1), 9)
        self.assertEqual(made(order=[0, 0, 0], seasonal_order=[0, 1, 0], constant=False), SALES[60:63])
        mean = sum(SALES) / 72
        for value in made(order=[0, 0, 0]):
            self.assertAlmostEqual(value, mean, 9)
        airline = made(order=[0, 1, 1], seasonal_order=[0, 1, 1], season=12)
        self.assertNotEqual(airline, made(order=[0, 1, 1], seasonal_order=[0, 1, 1], season=6))
        for value, truth in zip(airline, (361, 349, 344), strict=True):
            self.assertAlmostEqual(value, truth, delta=12)
        self.check_refused('"seasonal_order" needs a season',
                           """CAST(julianday(day) AS INTEGER) % 7000, sales, 3, '{"method": "arima", "order": [0,1,1], "seasonal_order": [0,1,1]}'""")

    def test_hours_have_a_day_and_a_week_at_once(self):
        self.database.execute("DELETE FROM t")
        hours = [20 + (i % 24) * (23 - i % 24) / 12 + 9 * (i // 24 % 7 > 4) + i * 7919 % 5 / 4 for i in range(24 * 7 * 5)]
        self.database.executemany("INSERT INTO t (day, sales) VALUES (?, ?)", (
            (f"2024-{1 + i // 744:02}-{1 + i % 744 // 24:02} {i % 24:02}:00", value) for i, value in enumerate(hours[:24 * 7 * 4])))
        made = {}
        for options in ('mstl', '{"method": "mstl", "seasons": [168, 24]}', '{"method": "mstl", "season": 24}'):
            made[options] = [row["value"] for row in self.forecast(f"day, sales, 168, '{options}'")]
        first, second, day = made.values()
        self.assertEqual(first, second)
        def error(values):
            return sum(abs(value - truth) for value, truth in zip(values, hours[24 * 7 * 4:], strict=True)) / 168
        self.assertLess(error(first), 1)
        self.assertGreater(error(day), 2)

    def test_the_level_is_that_of_a_normal_distribution(self):
        def reach(level):
            row = self.forecast(f"day, sales, 1, '{{\"method\": \"theta\", \"level\": {level}}}'")[0]
            return row["upper"] - row["value"]
        self.assertAlmostEqual(reach(.8) / reach(.95), 1.2815515655446004 / 1.959963984540054, 12)

    def test_times_are_numbers_months_days_and_hours(self):
        for times, after in ((range(1990, 2014, 2), 2014), ([f"2023-{i:02}" for i in range(1, 13)], "2024-01"),
                             ([f"2024-02-{i:02}" for i in range(18, 30)], "2024-03-01"),
                             ([f"2024-02-28 {i:02}:00" for i in range(12, 24)], "2024-02-29 00:00:00")):
            self.database.execute("DELETE FROM t")
            self.database.executemany("INSERT INTO t (day, sales) VALUES (?, ?)", ((time, 1 + i % 5) for i, time in enumerate(times)))
            self.assertEqual(self.forecast("day, sales, 1")[0]["time"], after)

    def test_gaps_are_filled_and_missing_ends_forecast(self):
        whole = self.forecast("day, sales, 3, 'naive'", "(SELECT * FROM t WHERE day < '2020-11')")
        self.database.execute("UPDATE t SET sales = NULL WHERE day IN ('2016-03-01', '2020-11-01', '2020-12-01')")
        self.assertEqual([row["time"] for row in self.forecast("day, sales, 3, 'naive'")], [row["time"] for row in whole])
        with_null = self.forecast("day, sales, 3")
        self.database.execute("DELETE FROM t WHERE sales IS NULL")
        self.assertEqual(self.forecast("day, sales, 3"), with_null)

    def test_nothing_of_nothing(self):
        self.assertIsNone(self.forecast(rows="t WHERE 0"))
        self.assertIsNone(self.forecast("day, NULL, 3"))

    def test_what_cannot_be_forecast_is_said(self):
        self.check_refused("two values have the time 2015-01-01(.|\n)*duplicates", rows="(SELECT * FROM t UNION ALL SELECT * FROM t)")
        self.check_refused("the value 'x' is a text", "day, 'x', 3")
        self.check_refused("a value is infinite", "day, 9e999, 3")
        self.check_refused("the time 'x' is no date", "'x', sales, 3")
        self.check_refused("a time is NULL", "NULL, sales, 3")
        self.check_refused("is no whole number", "julianday(day) + .25, sales, 3")
        self.check_refused("the horizon is a whole number from 1 to 10000", "day, sales, 0")
        self.check_refused("the horizon is a whole number from 1 to 10000", "day, sales, 10001")
        self.check_refused("there is no method \"teta\"(.|\n)*\"theta\"", "day, sales, 3, 'teta'")
        self.check_refused("there is no option \"sesson\"(.|\n)*\"season\"", "day, sales, 3, '{\"sesson\": 3}'")
        self.check_refused("wrong number of arguments", "day, sales")
        self.check_refused("may not be used as a window function", "day, sales, 3) OVER (ORDER BY day")

    def test_doubled_times_are_added_where_that_is_wanted(self):
        rows = "(SELECT * FROM t UNION ALL SELECT * FROM t)"
        double = self.forecast("day, sales * 2, 3")
        self.assertEqual(self.forecast("day, sales, 3, '{\"duplicates\": \"sum\"}'", rows), double)
        self.assertEqual(self.forecast("day, sales, 3, '{\"duplicates\": \"mean\"}'", rows), self.forecast("day, sales, 3"))

    def test_hours_have_days_and_weeks(self):
        chance = random.Random(3)
        self.database.execute("DELETE FROM t")
        shape = [math.sin(i / 24 * 2 * math.pi) * (2 if i // 24 % 7 < 5 else .5) for i in range(24 * 7 * 7)]
        self.database.executemany("INSERT INTO t (day, sales) VALUES (datetime('2024-01-01', ? || ' hours'), ?)",
                                  ((i, 10 + 3 * shape[i] + chance.gauss(0, .1)) for i in range(24 * 7 * 6)))
        made = self.forecast("day, sales, 168")
        self.assertLess(max(abs(row["value"] - 10 - 3 * wanted) for row, wanted in zip(made, shape[24 * 7 * 6:], strict=True)), .6)

    def test_the_bits_are_those_of_postgresql(self):
        made = self.forecast("day, sales, 1")[0]
        self.assertEqual(made, FIRST)
        self.assertEqual({method: self.forecast(f"day, sales, 12, '{method}'")[11]["value"] for method in LAST}, LAST)


if __name__ == "__main__":
    harness.main()
