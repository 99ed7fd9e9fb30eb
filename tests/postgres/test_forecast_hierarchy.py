"""Totals that add up in PostgreSQL: the bits of SQLite, and rows that name a total by NULL, as ROLLUP does; transforms."""

import pathlib
import sys

from psycopg2 import extras

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import forecast_rows as series  # noqa: E402  pylint: disable=wrong-import-position

ROWS = series.rows(3, 2, 50, series.sparse)
MINT = ", forecast.hierarchy = 'mint'"


class Hierarchy(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE t (store text, item integer, day date, sales double precision)")
        extras.execute_values(cursor, "INSERT INTO t VALUES %s", ROWS)

    def setUp(self):
        super().setUp()
        self.cursor = self.connect().cursor()

    def rows(self, sql):
        return [tuple(row.values()) for row in harness.run_statement(self.cursor, sql)]

    def train(self, more=MINT, **named):
        harness.run_statement(self.cursor, series.statement("AutoETS", more=more, **named))

    def test_the_bits_are_those_of_sqlite(self):
        for hierarchy in ("mint", "bottom-up"):
            more = f", forecast.hierarchy = '{hierarchy}', forecast.lower = 0"
            wanted = self.train_in_sqlite(series.TABLE, ROWS, series.statement("AutoETS", more=more))["digest"]
            for workers in ("", ", job.min_workers = 3, job.max_workers = 3"):
                with self.subTest(hierarchy, workers=workers):
                    self.train(more + workers, rows="(SELECT * FROM t ORDER BY md5(sales::text))")
                    self.assertEqual(self.digest("m"), wanted)

    def test_transforms_have_the_bits_of_sqlite(self):
        for transform in ("log", "auto"):
            more = f", forecast.transform = '{transform}', forecast.history = 3"
            wanted = self.train_in_sqlite(series.TABLE, ROWS, series.statement("Theta", more=more))["digest"]
            harness.run_statement(self.cursor, series.statement("Theta", more=more + ", job.min_workers = 2, job.max_workers = 2"))
            self.assertEqual(self.digest("m"), wanted)
        for value, lower, upper in [row[3:] for row in self.rows("FORECAST m")]:
            self.assertTrue(0 < lower <= value <= upper)

    def test_series_move_on_with_the_bits_of_sqlite(self):
        for more, rows in (("", "t"), (MINT + ", forecast.keep_values = 60", "(SELECT * FROM t WHERE day >= '2024-02-14')")):
            self.move_on(more, rows)

    def move_on(self, more, rows):
        early = series.statement("AutoETS", more=more + ", forecast.keep_parameters = true", rows="(SELECT * FROM t WHERE day < '2024-02-14')")
        late = series.statement("AutoETS", rows=rows, into="n").replace(" INTO n", " USING m INTO n")
        wanted = self.train_in_sqlite(series.TABLE, ROWS, f"{early}; {late}", model="n")["digest"]
        for workers in ("", ", job.min_workers = 3, job.max_workers = 3"):
            harness.run_statement(self.cursor, early)
            harness.run_statement(self.cursor, late.replace(" LABEL", workers + " LABEL"))
            self.assertEqual(self.digest("n"), wanted)
        shown = dict(self.rows("SHOW MODEL n"))
        self.assertIn("moved on by new rows", shown["going on"])

    def test_sums_are_exact_and_rows_of_a_rollup_are_known(self):
        self.train()
        self.rows("FORECAST m INTO ahead")
        self.cursor.execute("SELECT count(*), count(*) FILTER (WHERE a.sales <> b.sales) FROM ahead a JOIN (SELECT store, item, day, sum(sales) AS sales "
                            "FROM ahead WHERE item IS NOT NULL GROUP BY day, ROLLUP (store, item)) b "
                            "ON a.store IS NOT DISTINCT FROM b.store AND a.item IS NOT DISTINCT FROM b.item AND a.day = b.day")
        self.assertEqual(tuple(self.cursor.fetchone()), (100, 0))
        rolled = "SELECT store, item, day, sum(sales) AS sales FROM ahead WHERE item IS NOT NULL GROUP BY day, ROLLUP (store, item)"
        predicted = self.rows(f"SELECT * FROM ({rolled}) r TO PREDICT f USING m")
        self.assertEqual([row[3] for row in predicted], [row[4] for row in predicted])
        measured = harness.run_statement(self.cursor, f"SELECT * FROM ({rolled}) r TO EVALUATE m WITH validation.metrics = 'MAE'")
        self.assertLess(measured[0]["MAE"], 1e-4)

    def test_one_total_is_looked_up(self):
        self.train()
        self.cursor.execute("""SELECT time, value FROM totrain.forecast('m', 3, NULL, '["s1",null]')""")
        found = self.cursor.fetchall()
        self.assertEqual([tuple(row) for row in found],
                         [(str(row[2]), row[3]) for row in self.rows("FORECAST m FOR 3") if row[:2] == ("s1", None)])
        self.assertEqual(len(found), 3)


if __name__ == "__main__":
    harness.main()
