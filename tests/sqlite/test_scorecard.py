"""Score cards, from the statement to a row's points."""

import pathlib
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import scorecards  # noqa: E402  pylint: disable=wrong-import-position


class ScoreCards(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, c REAL, kind TEXT, bad INTEGER)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", scorecards.rows())

    def train(self, settings="model.bins = 10", into="m", rows="t", label="bad", more=""):
        return harness.facts(self.run_all(f"SELECT a, b, c, kind, {label}{more} FROM {rows} TO TRAIN ScoreCard WITH "
                                          f"train.test_size = 0, {settings} LABEL {label} INTO {into}"))

    def train_as(self, name, more=""):
        bins, smoothing, l2, score, odds, pdo = scorecards.SETTINGS[name]
        return self.train(f"model.bins = {bins}, model.smoothing = {smoothing}, model.l2 = {l2}, model.base_score = {score}, "
                          f"model.base_odds = {odds}, model.pdo = {pdo}{more}")

    def card(self):
        return self.run_all("SELECT * FROM t TO EXPLAIN m USING scorecard")

    def test_the_card_is_what_counting_and_scikit_learn_make(self):
        for name, wanted in scorecards.REFERENCE.items():
            with self.subTest(name):
                self.train_as(name)
                base, *card = self.card()
                self.assertEqual((base[0], base[1], base[7]), ("(base)", None, wanted["base"]))
                for i, column in enumerate(scorecards.INPUTS):
                    bins = [row for row in card if row[0] == column]
                    if column == "kind":
                        bins.sort(key=lambda row: row[1])
                    self.check_near([part for row in bins for part in (row[2], row[3], row[5], row[7])],
                                    sum(wanted["bins"][i], []))
                    self.check_near([sum(row[6] for row in bins)], [wanted["iv"][i]])
                shown = self.run_all("SELECT * FROM t TO EXPLAIN m USING coefficients")
                self.assertEqual([row[0] for row in shown], ["(intercept)", *scorecards.INPUTS])
                self.check_near([row[1] for row in shown], wanted["coefficients"], 1e-5)
                self.check_near([row[2] for row in shown[1:]], wanted["iv"])

    def test_points_are_the_sum_of_the_card(self):
        for name, wanted in scorecards.REFERENCE.items():
            with self.subTest(name):
                self.train_as(name)
                rows = self.run_all("SELECT totrain_points('m', a, b, c, kind), totrain_probability('m', a, b, c, kind) "
                                    "FROM t LIMIT 5")
                self.assertEqual([row[0] for row in rows], wanted["points"])
                self.check_near([row[1] for row in rows], wanted["probabilities"])

    def test_buckets_are_quantiles_and_nulls_are_a_bin(self):
        self.train()
        card = self.card()
        self.assertEqual({row[1] for row in card if row[0] == "kind"}, {"p", "q", "r", "s"})
        of_c = [row for row in card if row[0] == "c"]
        self.assertEqual(of_c[-1][1:3], ("NULL", self.run_all("SELECT count(*) FROM t WHERE c IS NULL")[0][0]))
        self.assertEqual(len(of_c), 11)
        low, high = of_c[1][1].strip("[)").split(", ")
        counted = self.run_all(f"SELECT count(*), sum(bad) FROM t WHERE c >= {low} AND c < {high}")
        self.assertEqual(counted, [of_c[1][2:4]])

    def test_the_positive_class_is_what_is_bad(self):
        self.run_all("ALTER TABLE t ADD COLUMN state TEXT")
        self.run_all("UPDATE t SET state = CASE bad WHEN 1 THEN 'bad' ELSE 'good' END")
        self.train()
        card, points = self.card(), self.run_all("SELECT totrain_points('m', a, b, c, kind) FROM t")
        self.train("model.positive = 'bad'", label="state")
        for row, other in zip(self.card(), card, strict=True):
            self.assertEqual(row[:4] + row[7:], other[:4] + other[7:])
        self.assertEqual(self.run_all("SELECT totrain_points('m', a, b, c, kind) FROM t"), points)
        guessed = self.run_all("SELECT totrain_predict('m', a, b, c, kind), totrain_probability('m', a, b, c, kind) FROM t")
        self.assertEqual({row[0] for row in guessed if row[1] > .5}, {"bad"})

    def test_predict_adds_points_in_a_session_and_on_workers(self):
        self.train()
        for settings in ("", ", job.max_workers = 2"):
            with self.subTest(settings):
                self.run_all(f"SELECT * FROM t TO PREDICT p.guess WITH extra_outputs = 'points,probability'{settings} USING m")
                different = self.run_all("SELECT count(*) FROM p WHERE points <> totrain_points('m', a, b, c, kind) OR "
                                         "probability <> totrain_probability('m', a, b, c, kind)")
                self.assertEqual(different, [(0,)])
        self.run_all("SELECT a, b, bad FROM t TO TRAIN LinearClassifier LABEL bad INTO l")
        with self.assertRaisesRegex(sqlite3.OperationalError, "a LinearClassifier has no points"):
            self.run_all("SELECT totrain_points('l', a, b) FROM t")

    def test_a_word_that_was_not_seen_has_no_points(self):
        self.train()
        base = self.card()[0][7]
        found = self.run_all("SELECT totrain_points('m', NULL, NULL, NULL, 'new')")
        of_null = [row[7] for row in self.card() if row[:2] == ("c", "NULL")]
        self.assertEqual(found, [(base + of_null[0],)])

    def test_rows_of_weight_two_are_rows_that_are_there_twice(self):
        self.run_all("ALTER TABLE t ADD COLUMN w REAL")
        self.run_all("UPDATE t SET w = 1 + rowid % 2")
        self.run_all("CREATE VIEW twice AS SELECT * FROM t UNION ALL SELECT * FROM t WHERE w = 2")
        columns = "COLUMN BUCKET(a, [-1, 0, 1]), kind"
        for rows, settings in (("t", ", train.sample_weight = 'w'"), ("twice", "")):
            self.run_all(f"SELECT a, kind, bad, w FROM {rows} TO TRAIN ScoreCard WITH train.test_size = 0{settings} "
                         f"{columns} LABEL bad INTO {rows}_card")
        weighted, twice = (self.run_all(f"SELECT * FROM t TO EXPLAIN {name}_card USING scorecard") for name in ("t", "twice"))
        self.assertEqual(weighted, twice)
        self.assertEqual([row[1] for row in weighted if row[0] == "BUCKET(a)"][1], "[-1, 0)")

    def test_any_number_of_workers_and_any_order_make_the_same_table(self):
        self.check_workers_and_order(self.train)

    def test_columns_that_tell_the_classes_apart_have_a_card(self):
        self.run_all("CREATE TABLE apart AS SELECT bad + 0.0 AS a, b, c, kind, bad FROM t")
        self.assertEqual(self.train(rows="apart")["Accuracy"], 1)

    def test_it_is_evaluated_explained_and_shown_as_others_are(self):
        self.assertGreater(self.train()["AUC"], .7)
        self.assertGreater(self.run_all("SELECT * FROM t TO EVALUATE m")[0][1], .6)
        self.assertEqual({row[0] for row in self.run_all("SELECT * FROM t TO EXPLAIN m")}, set(scorecards.INPUTS))
        self.assertIn(("kind", "ScoreCard"), self.run_all("SHOW MODEL m"))

    def test_what_it_does_not_do_is_refused(self):
        for settings, message in (("train.epoch = 3", "train.epoch"), ("model.bins = 1", "model.bins"),
                                  ("model.pdo = 0", "model.pdo")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.OperationalError, message):
                self.train(settings)
        with self.assertRaisesRegex(sqlite3.OperationalError, "needs two classes, not 4"):
            self.run_all("SELECT a, b, kind FROM t TO TRAIN ScoreCard LABEL kind INTO m")


if __name__ == "__main__":
    harness.main()
