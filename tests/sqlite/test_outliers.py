"""Codes and huge values among a column's numbers: networks and linear models learn from the rest, and say so."""

import json
import math
import random
import re

import harness

NETWORK = "TO TRAIN DNNRegressor WITH train.test_size = 0, train.epoch = 30 LABEL y INTO m"


class Outliers(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def make(self, spoilt, rows=1200):
        choice = random.Random(5)
        self.database.execute("CREATE TABLE t (a REAL, b REAL, y REAL)")
        self.database.execute("BEGIN")
        for number in range(rows):
            a, b = choice.random(), choice.random()
            y = 3 * math.sin(4 * a) + b
            self.database.execute("INSERT INTO t VALUES (?, ?, ?)", (spoilt(number, a), b, y))
        self.database.execute("COMMIT")
        self.database.execute("CREATE TABLE clean AS SELECT * FROM t WHERE a BETWEEN 0 AND 1")

    def train(self, statement="SELECT * FROM t " + NETWORK):
        return self.database.execute(statement).fetchall()

    def error(self):
        return self.database.execute("SELECT * FROM clean TO EVALUATE m WITH validation.metrics = 'RMSE'").fetchone()[0]

    def inputs(self):
        meta = self.database.execute("SELECT data FROM m WHERE part = 'meta'").fetchone()[0]
        return json.loads(meta)["inputs"], json.loads(meta)["format"]

    def notices(self, train=NETWORK):
        self.train("SELECT * FROM t " + train)
        meta = json.loads(self.database.execute("SELECT data FROM m WHERE part = 'meta'").fetchone()[0])
        return [notice for notice in meta.get("notices", []) if "alone explains" not in str(notice)]  # a line is no wave

    def test_one_huge_value_does_not_hide_the_others(self):
        self.make(lambda number, a: 1e9 if number == 700 else a)
        notices = self.notices()
        self.assertLess(self.error(), 0.3)  # 1.6 where a tells nothing
        self.assertIn('column "a": a few values are far from all others', str(notices))
        (a, b), version = self.inputs()
        self.assertEqual((a["limit"], "limit" in b, version), (5, False, 4))
        self.assertTrue(0.3 < a["scale"] < 0.45 and 0.4 < a["mean"] < 0.6)

    def test_far_values_of_several_columns_are_one_notice(self):
        self.make(lambda number, a: 1e9 if number == 700 else a)
        self.database.execute("UPDATE t SET b = -1e8 WHERE rowid = 12")
        said, = self.notices()
        self.assertRegex(said["text"], "^in 2 columns a few values are far from all others: they are scaled by their middle halves, "
                                       'and farther values count as the last: "a" beyond -[0-9.]+ and [0-9.]+, "b" beyond -[0-9.]+ and [0-9.]+$')
        self.assertEqual(said["hint"], "If they stand for missing values, make NULL of them, as by nullif(column, -999).")

    def test_a_code_among_the_numbers_is_a_missing_value(self):
        self.make(lambda number, a: -999 if number % 10 == 0 else a)
        for model, most, limit in (("DNNRegressor", 0.4, 5), ("LinearRegressor", 1.54, 64)):  # 1.53 without codes
            with self.subTest(model=model):
                said, = self.notices(f"TO TRAIN {model} WITH train.test_size = 0 LABEL y INTO m")
                self.assertIn('column "a": -999 is far from all others, and in 120 of 1200 rows', said["text"])
                self.assertEqual(said["hint"], "NUMERIC(a) in COLUMN keeps it as a number.")
                self.assertLess(self.error(), most)
                (a, b), version = self.inputs()
                self.assertEqual((a["code"], a["has_nulls"], a["limit"], version), (-999, True, limit, 6))
                self.assertTrue("code" not in b and 0.27 < a["scale"] < 0.31 and 0.4 < a["mean"] < 0.6)

    def test_scoring_reads_the_code_as_training_did(self):
        self.make(lambda number, a: -999 if number % 10 == 0 else a)
        self.train()
        (missing,), (code,), (integer,), (text,), (other,) = [
            self.database.execute(f"SELECT totrain_predict('m', {a}, 0.5)").fetchone()
            for a in ("NULL", "-999.0", "-999", "'-999'", "-998")]
        self.assertEqual({missing, code, integer, text}, {missing})
        self.assertNotEqual(other, missing)
        self.train("SELECT NULLIF(a, -999) AS a, b FROM t TO PREDICT n.y USING m")
        self.train("SELECT a, b FROM t TO PREDICT c.y USING m")
        predicted = [self.database.execute(f"SELECT y FROM {table} ORDER BY rowid").fetchall() for table in "nc"]
        self.assertEqual(*predicted)
        evaluated = [self.train(f"SELECT {a} AS a, b, y FROM t TO EVALUATE m") for a in ("a", "NULLIF(a, -999)")]
        self.assertEqual(*evaluated)

    def test_a_column_that_is_said_to_be_numeric_keeps_its_codes(self):
        self.make(lambda number, a: -999 if number % 10 == 0 else a)
        said, = self.notices(NETWORK.replace("LABEL", "COLUMN NUMERIC(a), b LABEL"))
        self.assertRegex(str(said), re.escape("nullif(column, -999)"))
        (a, b), version = self.inputs()
        self.assertEqual(("code" in a, a["has_nulls"], a["limit"], version), (False, False, 5, 4))

    def test_a_code_of_half_of_the_rows(self):
        self.make(lambda number, a: 9999 if number % 2 == 0 else a)
        self.train()
        self.assertEqual(self.inputs()[0][0]["code"], 9999)
        self.assertLess(self.error(), 0.4)

    def test_clusters_keep_it(self):
        self.make(lambda number, a: -999 if number % 10 == 0 else a)
        self.train("SELECT a, b FROM t TO TRAIN KMeans WITH model.n_clusters = 2 INTO m")
        self.assertEqual(["code" in column for column in self.inputs()[0]], [False, False])

    def test_what_is_far_away_counts_as_what_is_at_the_limit(self):
        self.make(lambda number, a: 1e9 if number == 700 else a)
        self.train()
        predicted = [self.database.execute("SELECT totrain_predict('m', ?, 0.5)", (a,)).fetchone()[0]
                     for a in (50, 1e9, 1e300)]
        self.assertEqual(len(set(predicted)), 1)

    def test_order_and_workers_change_no_bit(self):
        self.make(lambda number, a: -999 if number % 10 == 0 else a, rows=6000)
        self.train()
        first = self.digest(self.database, "m")
        self.database.execute("CREATE TABLE mixed AS SELECT * FROM t ORDER BY rowid * 7919 % 6007")
        self.assertEqual(self.inputs()[0][0]["code"], -999)
        for more in ("", "job.max_workers = 2, "):
            self.train("SELECT * FROM mixed " + NETWORK.replace("WITH ", "WITH " + more))
            self.assertEqual(self.digest(self.database, "m"), first)

    def test_without_shuffle_the_same_is_done(self):
        self.make(lambda number, a: 1e9 if number % 500 == 0 else -999 if number % 7 == 0 else a, rows=6000)
        self.train("SELECT * FROM t " + NETWORK.replace("train.test_size = 0,", "train.test_size = 0.2, train.shuffle = false,"))
        self.assertEqual([self.inputs()[0][0][name] for name in ("limit", "code")], [5, -999])
        self.assertLess(self.error(), 0.3)

    def test_a_line_is_not_bent_by_one_huge_value(self):
        linear = "TO TRAIN LinearRegressor WITH train.test_size = 0 LABEL y INTO m"
        self.make(lambda number, a: 1e9 if number == 700 else 3e5 if number in (5, 900) else a)
        self.train("SELECT * FROM clean " + linear)
        clean = self.error()
        said, = self.notices(linear)
        self.assertIn('column "a": a few values are far from all others', said["text"])
        self.assertEqual(said["hint"], "If they are wrong, leave them out or make NULL of them. NUMERIC(a) in COLUMN keeps "
                                       "them as they are.")
        self.assertAlmostEqual(self.error(), clean, delta=0.01)
        self.assertEqual(([column.get("limit") for column in self.inputs()[0]], self.inputs()[1]), ([5, None], 4))
        self.assertEqual(self.notices(linear.replace("LABEL", "COLUMN NUMERIC(a), b LABEL")), [])
        self.assertGreater(self.error(), clean + 0.05)
        self.assertEqual((["limit" in column for column in self.inputs()[0]], self.inputs()[1]), ([False, False], 2))

    def test_a_long_tail_is_a_part_of_the_line(self):
        self.make(lambda number, a: math.exp(12 * a))  # the largest is 160,000, of a median of 400
        self.train("SELECT * FROM t TO TRAIN LinearRegressor LABEL y INTO m")
        self.assertEqual((["limit" in column for column in self.inputs()[0]], self.inputs()[1]), ([False, False], 2))
        self.train("SELECT * FROM t " + NETWORK)
        self.assertEqual(["limit" in column for column in self.inputs()[0]], [True, False])

    def test_plain_columns_are_as_they_were(self):
        self.make(lambda number, a: a)
        self.train("SELECT * FROM clean " + NETWORK)
        self.assertEqual((["limit" in column for column in self.inputs()[0]], self.inputs()[1]), ([False, False], 2))


if __name__ == "__main__":
    harness.main()
