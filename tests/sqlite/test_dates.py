"""Columns of dates enter a model as their parts, in training and wherever it scores."""

import pathlib
import random
import sqlite3
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import dated_rows  # noqa: E402  pylint: disable=wrong-import-position

ROWS = 1500


def as_text(value):
    return None if value is None else str(value)


class Dates(harness.Case):
    def setUp(self):
        super().setUp()
        self.rows = list(dated_rows.made(ROWS))
        self.database = self.connect(isolation_level=None)
        self.fill("t", [(as_text(born), as_text(seen), x, y) for born, seen, x, y in self.rows])

    def fill(self, table, rows):
        self.database.execute(f"CREATE TABLE {table} (born TEXT, seen TEXT, x REAL, y INTEGER)")
        self.database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)

    def train(self, table="t", more="", model="m"):
        return self.database.execute(dated_rows.TRAIN.format(table, more, model)).fetchall()

    def accuracy(self, table="t", model="m"):
        return self.database.execute(f"SELECT * FROM {table} TO EVALUATE {model} "
                                     "WITH validation.metrics = 'Accuracy'").fetchall()[0][1]

    def inputs(self, model="m"):
        found = self.database.execute(f"SELECT i.value ->> 'name' FROM {model} AS m, json_each(m.data, '$.inputs') AS i WHERE m.part = 'meta'")
        return [name for name, in found.fetchall()]

    def test_a_linear_model_learns_what_depends_on_the_weekday(self):
        self.train(more=", train.test_size = 0.3")
        self.assertGreater(self.accuracy(), 0.97)
        self.assertEqual(self.inputs(), ["born.age", "born.month", "born.weekday", "seen.age", "seen.month", "seen.weekday",
                                         "seen.hour", "x"])
        weights = dict(self.database.execute("SELECT name, value FROM m WHERE part = 'weight'").fetchall())
        by_weekday = sorted((value, name) for name, value in weights.items() if name.startswith("seen.weekday="))
        self.assertEqual({name for _, name in by_weekday[-2:]}, {"seen.weekday=Wed", "seen.weekday=Sat"})

    def test_the_order_of_the_rows_their_zones_and_the_number_of_workers_change_no_bit(self):
        self.train()
        choice = random.Random(1)
        rows = [(as_text(born), dated_rows.in_zone(seen, choice.choice((-345, 0, 60, 330))), x, y)
                for born, seen, x, y in self.rows]
        choice.shuffle(rows)
        self.fill("mixed", rows)
        self.train("mixed", model="m1")
        self.train("mixed", more=", job.min_workers = 2", model="m2")
        self.assertEqual({self.digest(self.database, model) for model in ("m1", "m2")}, {self.digest(self.database, "m")})

    def test_every_door_to_a_prediction_takes_the_column_and_gives_the_same(self):
        self.train()
        wanted = [(y,) for y, in self.database.execute("SELECT totrain_predict('m', born, seen, x) FROM t")]
        self.database.execute("SELECT * FROM t TO PREDICT p.guess USING m").fetchall()
        self.assertEqual(self.database.execute("SELECT guess FROM p").fetchall(), wanted)
        self.database.execute("SELECT * FROM t TO PREDICT w.guess WITH job.min_workers = 2 USING m").fetchall()
        self.assertEqual(self.database.execute("SELECT guess FROM w").fetchall(), wanted)
        rows = self.database.execute("SELECT x, seen, born FROM t TO PREDICT guess USING m").fetchall()
        self.assertEqual([row[-1:] for row in rows], wanted)
        alone = self.accuracy()
        by_workers = self.database.execute("SELECT * FROM t TO EVALUATE m WITH validation.metrics = 'Accuracy', "
                                           "job.min_workers = 2").fetchall()[0][1]
        self.assertEqual(by_workers, alone)
        with self.assertRaisesRegex(sqlite3.OperationalError, "takes 3 values after its name, not 2(.|\n)*born, seen, x"):
            self.database.execute("SELECT totrain_predict('m', born, seen) FROM t").fetchall()

    def test_the_functions_choose_the_parts(self):
        self.train(more="COLUMN DATE(seen, 'weekday'), DATE(born, 'day', 'age'), x")
        self.assertEqual(self.inputs(), ["born.age", "born.day", "seen.weekday", "x"])
        self.train(more="COLUMN VOCABULARY(seen), x")
        self.assertEqual(self.inputs(), ["seen", "x"])

    def test_validation_rows_are_read_by_the_same_parts(self):
        found = self.train(more=", validation.select = 'SELECT y, x, seen, born FROM t'")
        losses = [row[1] for row in found if row[0] == "loss"]
        self.assertEqual(len(losses), 2)
        self.assertAlmostEqual(*losses, places=12)

    def test_what_is_no_date_is_a_bad_row(self):
        late = [(None, "2024-02-30", 0.0, 1), (None, "soon", 0.0, 0)]
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", late)
        with self.assertRaisesRegex(sqlite3.OperationalError, "row 1501: column \"seen\" holds '2024-02-30', where a date was "
                                    "expected(.|\n)*train.bad_rows(.|\n)*VOCABULARY"):
            self.train()
        self.train(more=", train.bad_rows = 'quarantine'")
        self.assertEqual(self.database.execute("SELECT seen FROM m_bad_rows").fetchall(), [("2024-02-30",), ("soon",)])
        with self.assertRaisesRegex(sqlite3.OperationalError, "holds '2024-02-30', where a date was expected"):
            self.database.execute("SELECT * FROM t TO PREDICT USING m").fetchall()
        self.database.execute("SELECT * FROM t TO PREDICT p.y WITH predict.bad_rows = 'quarantine' USING m").fetchall()
        self.assertEqual(self.database.execute("SELECT count(*) FROM p_bad_rows").fetchone(), (2,))
        self.assertGreater(self.database.execute(
            "SELECT * FROM t TO EVALUATE m WITH evaluate.bad_rows = 'skip', validation.metrics = 'Accuracy'").fetchall()[0][1], 0.97)

    def digest_of(self, table, order=""):
        self.train(f"(SELECT * FROM {table} {order})")
        return self.digest(self.database, "m")

    def test_all_rows_decide_in_any_order(self):
        """The first 1,000 rows say one thing, all of them another."""
        cases = {"words": ("CASE WHEN n > 1000 THEN 'w' || n % 7 ELSE seen END", "category"),
                 "dates": ("CASE WHEN n < 50 OR n > 1000 THEN seen ELSE '?' END", "date"),
                 "nulls": ("CASE WHEN n > 1000 THEN seen END", "date"),
                 "times": ("CASE WHEN n > 1000 THEN seen ELSE substr(seen, 1, 10) END", "date"),
                 "numbers": ("CASE WHEN n > 1000 THEN n ELSE seen END", "category")}
        for name, (cell, kind) in cases.items():
            with self.subTest(name):
                self.database.execute(f"CREATE TABLE {name} AS SELECT n, born, {cell} AS seen, x, y FROM "
                                      "(SELECT rowid AS n, * FROM t)")
                digests = {self.digest_of(name, f"ORDER BY {order}") for order in ("n", "n DESC")}
                self.assertEqual(len(digests), 1)
                self.assertEqual("seen.weekday" in self.inputs(), kind == "date")
                self.assertEqual("seen.hour" in self.inputs(), kind == "date")

    def test_a_missing_value_is_null_wherever_it_stands(self):
        for row, spelling in ((1, "n/a"), (1200, " NULL "), (ROWS, "?")):
            for table, value in (("spelled", f"'{spelling}'"), ("plain", "NULL")):
                self.database.execute(f"CREATE TABLE {table} AS SELECT born, iif(rowid = {row}, {value}, seen) AS seen, x, y FROM t")
            self.assertEqual(self.digest_of("spelled"), self.digest_of("plain"))
            self.train("spelled")
            self.assertIn(("notice", f"column \"seen\": of {ROWS} rows 1 is read as NULL: '{spelling.strip().lower()}' 1"),
                          [(row[0], row[3]) for row in self.train("spelled")])
            self.database.execute("DROP TABLE spelled")
            self.database.execute("DROP TABLE plain")

    def test_the_statement_says_which_parts_it_took(self):
        def notices(more):
            rows = self.database.execute("EXPLAIN " + dated_rows.TRAIN.format("t", more, "m")).fetchall()
            return [row[1] for row in rows if row[0] == "notice"]
        self.assertEqual(notices(""), [
            'column "born" holds dates: the model uses their age, month and weekday. COLUMN DATE(born, \'day\', ...) chooses '
            'other parts, VOCABULARY(born) reads the dates as words.',
            'column "seen" holds dates: the model uses their age, month, weekday and hour. COLUMN DATE(seen, \'day\', ...) '
            'chooses other parts, VOCABULARY(seen) reads the dates as words.'])
        self.assertEqual(notices("COLUMN DATE(seen), x"), [])

    def test_the_importance_of_a_column_is_that_of_its_parts(self):
        self.train()
        found = {row[0]: row[1] for row in self.database.execute("SELECT * FROM t TO EXPLAIN m").fetchall()}
        self.assertEqual(max(found, key=found.get), "seen")
        self.assertGreater(found["seen"], 0.2)

    def test_clusters_take_the_age(self):
        self.database.execute("SELECT born, x FROM t TO TRAIN KMeans WITH model.n_clusters = 3 INTO k").fetchall()
        self.assertEqual(self.inputs("k"), ["born.age", "x"])


if __name__ == "__main__":
    harness.main()
