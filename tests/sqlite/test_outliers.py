"""Codes and huge values among a column's numbers: networks learn from the rest, and say so."""

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

    def notices(self):
        self.train()
        return json.loads(self.database.execute("SELECT data FROM m WHERE part = 'meta'").fetchone()[0])["notices"]

    def test_one_huge_value_does_not_hide_the_others(self):
        self.make(lambda number, a: 1e9 if number == 700 else a)
        notices = self.notices()
        self.assertLess(self.error(), 0.3)  # 1.6 where a tells nothing
        self.assertIn('column "a": a few values are far from all others', str(notices))
        (a, b), version = self.inputs()
        self.assertEqual((a["limit"], "limit" in b, version), (5, False, 4))
        self.assertTrue(0.3 < a["scale"] < 0.45 and 0.4 < a["mean"] < 0.6)

    def test_a_code_among_the_numbers_does_not_either(self):
        self.make(lambda number, a: -999 if number % 10 == 0 else a)
        self.assertRegex(str(self.notices()), re.escape("nullif(column, -999)"))
        self.assertLess(self.error(), 0.4)

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
        for more in ("", "job.max_workers = 2, "):
            self.train("SELECT * FROM mixed " + NETWORK.replace("WITH ", "WITH " + more))
            self.assertEqual(self.digest(self.database, "m"), first)

    def test_without_shuffle_the_same_is_done(self):
        self.make(lambda number, a: 1e9 if number % 500 == 0 else a, rows=6000)
        self.train("SELECT * FROM t " + NETWORK.replace("train.test_size = 0,", "train.test_size = 0.2, train.shuffle = false,"))
        self.assertEqual(self.inputs()[0][0]["limit"], 5)
        self.assertLess(self.error(), 0.3)

    def test_linear_models_and_plain_columns_are_as_they_were(self):
        self.make(lambda number, a: 1e9 if number == 700 else a)
        self.train("SELECT * FROM t TO TRAIN LinearRegressor LABEL y INTO m")
        self.assertEqual((["limit" in column for column in self.inputs()[0]], self.inputs()[1]), ([False, False], 2))
        self.train("SELECT * FROM clean " + NETWORK)
        self.assertEqual((["limit" in column for column in self.inputs()[0]], self.inputs()[1]), ([False, False], 2))


if __name__ == "__main__":
    harness.main()
