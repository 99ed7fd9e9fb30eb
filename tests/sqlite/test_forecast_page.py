"""The SQL of docs/forecast.md runs as it stands there, on SQLite."""

import pathlib
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import tutorial  # noqa: E402  pylint: disable=wrong-import-position

TABLES = """
CREATE TABLE history AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
  SELECT store, date('2024-01-01', i || ' days') AS day, date('2024-01-01', i || ' days') AS month, 10.0 * (i % 7) + i % 5 AS sales
  FROM n, (SELECT 'north' AS store UNION ALL SELECT 'south');
CREATE TABLE promotions AS SELECT store, day, substr(day, 9, 2) % 5 = 0 AS promo, 5 + substr(day, 9, 2) % 7 AS price,
  sales + 20 * (substr(day, 9, 2) % 5 = 0) AS sales FROM history;
CREATE TABLE planned AS SELECT store, '2024-03-01' AS day, 1 AS promo, 6 AS price FROM history GROUP BY store;
CREATE TABLE holidays (day TEXT, name TEXT);
INSERT INTO holidays VALUES ('2024-01-20', 'Easter'), ('2024-02-11', 'Easter'), ('2024-02-20', 'Carnival');
CREATE TABLE shops AS SELECT 'all' AS region, store, day, sales FROM history
  UNION ALL SELECT 'north', 'n' || store, day, sales + 5 FROM history;
CREATE TABLE new_shops AS SELECT DISTINCT region, store, '2024-03-01' AS day, 30.0 AS sales FROM shops;
CREATE TABLE stores AS SELECT DISTINCT store, upper(store) AS city FROM history;
CREATE TABLE days_to_come AS SELECT DISTINCT store, '2024-03-01' AS day FROM history;
CREATE TABLE days_that_came AS SELECT store, day, 30.0 AS sales FROM days_to_come;
CREATE TABLE new_days AS SELECT store, day, 1000.0 AS sales FROM days_to_come;
"""


class Page(harness.Case):
    def test_every_block_of_sql(self):
        self.database = self.connect()
        self.database.executescript(TABLES)
        rows = [self.run_all(statement)
                for block in tutorial.steps(tutorial.FORECAST.read_text(encoding="utf-8"), "sqlite")
                for statement in tutorial.statements("\n".join(line.split("  --")[0] for line in block.body.splitlines()))]
        levels, measured = rows[3], rows[5]
        self.assertEqual(len(levels), 7 * 28)
        self.assertEqual(levels[0][3], sum(row[3] for row in levels[28::28] if row[1] is not None))
        self.assertEqual(len(measured), 1)
        del rows[2:6]
        self.assertEqual([len(result) for result in rows[6:8]], [56, 120])
        self.assertRegex(dict(self.run_all("SHOW MODEL festive"))["holidays"], "Carnival .* in 2 series, Easter .* in 2")
        del rows[5:8]
        self.assertTrue(any("2 series moved on" in notice for notice in harness.notices(rows[8])), rows[8])
        del rows[7:9]
        week, _, _, _, _, moved, shared, whole, table = rows[1:10]
        self.assertEqual(shared[0][0], "MASE")
        self.assertTrue(any("2 have no new ones" in notice for notice in harness.notices(moved)), moved)
        self.assertEqual((len(week), len(whole), len(table)), (14, 56, 1))
        promoted = self.run_all("SELECT sales FROM f")
        self.assertTrue(len(promoted) == 2 and all(sales > 20 for sales, in promoted), promoted)
        self.assertRegex(dict(self.run_all("SHOW MODEL with_holidays"))["regressors"], "easter .* in 2 series, eve .* in 2")
        cities, predicted, evaluated, *checked, parts, _, in_query = rows[10:]
        self.assertEqual({city for city, _, _ in cities}, {"NORTH", "SOUTH"})
        self.assertEqual((len(cities), len(predicted), len(evaluated), len(in_query)), (14, 1, 1, 24))
        self.assertEqual([[row[:2] for row in result] for result in checked], [[("checked", 2)]] * 2)
        self.assertEqual(self.run_all("SELECT sum(is_anomaly), sum(sales) FROM checked"), [(2, 2000)])
        self.assertEqual((len(parts), self.run_all("SELECT count(season_7) FROM parts")), (120, [(120,)]))
        self.assertEqual(self.run_all("SELECT count(*) FROM next_week"), [(14,)])
        self.assertEqual(self.run_all("SELECT count(sales) FROM plan"), [(2,)])


if __name__ == "__main__":
    harness.main()
