"""The SQL of docs/forecast.md runs as it stands there, on PostgreSQL."""

import pathlib
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import tutorial  # noqa: E402  pylint: disable=wrong-import-position

TABLES = """
CREATE TABLE history AS
  SELECT store, DATE '2024-01-01' + i AS day, DATE '2024-01-01' + i AS month, 10.0::float8 * (i % 7) + i % 5 AS sales
  FROM generate_series(0, 59) i, (VALUES ('north'), ('south')) s(store);
CREATE TABLE promotions AS SELECT store, day, extract(day FROM day)::int % 5 = 0 AS promo, 5 + extract(day FROM day)::int % 7 AS price,
  sales + CASE WHEN extract(day FROM day)::int % 5 = 0 THEN 20 ELSE 0 END AS sales FROM history;
CREATE TABLE planned AS SELECT store, DATE '2024-03-01' AS day, true AS promo, 6 AS price FROM history GROUP BY store;
CREATE TABLE holidays (day date, name text);
INSERT INTO holidays VALUES ('2024-01-20', 'Easter'), ('2024-02-11', 'Easter'), ('2024-02-20', 'Carnival');
CREATE TABLE shops AS SELECT 'all' AS region, store, day, sales FROM history
  UNION ALL SELECT 'north', 'n' || store, day, sales + 5 FROM history;
CREATE TABLE new_shops AS SELECT DISTINCT region, store, DATE '2024-03-01' AS day, 30.0::float8 AS sales FROM shops;
CREATE TABLE stores AS SELECT DISTINCT store, upper(store) AS city FROM history;
CREATE TABLE days_to_come AS SELECT DISTINCT store, DATE '2024-03-01' AS day FROM history;
CREATE TABLE days_that_came AS SELECT store, day, 30.0::float8 AS sales FROM days_to_come;
CREATE TABLE new_days AS SELECT store, day, 1000.0::float8 AS sales FROM days_to_come;
"""


class Page(harness.Case):
    def test_every_block_of_sql(self):
        blocks = tutorial.steps(tutorial.FORECAST.read_text(encoding="utf-8"), "postgres")
        out = self.check_psql(TABLES + "".join(block.body for block in blocks)).splitlines()
        for part, count in (("north|2024-03-01|", 3), ("NORTH|2024-03-01|", 1), ("south|2024-04-", 0)):
            self.assertGreaterEqual(len([line for line in out if line.startswith(part)]), count, out)
        self.assertEqual(self.execute("SELECT count(*) FROM checked WHERE is_anomaly AND sales = 1000"), [(2,)])
        self.assertEqual(self.execute("SELECT count(*) FROM north WHERE region = 'north' AND store IS NULL AND sales > 0"), [(2,)])
        self.assertEqual(self.execute("SELECT count(season_7) FROM parts"), [(120,)])
        self.assertEqual(self.execute("SELECT count(*) FROM next_week"), [(14,)])
        self.assertEqual(self.execute("SELECT count(sales) FROM plan"), [(2,)])
        self.assertEqual(self.execute("SELECT count(*) FROM f WHERE sales > 20"), [(2,)])


if __name__ == "__main__":
    harness.main()
