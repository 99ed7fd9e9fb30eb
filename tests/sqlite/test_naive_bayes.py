"""Naive Bayes, from the statement to its probabilities and what it consists of."""

import json
import math
import pathlib
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import naive_bayes  # noqa: E402  pylint: disable=wrong-import-position


class NaiveBayes(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, c REAL, kind TEXT, y INTEGER, k TEXT, z REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", naive_bayes.rows())

    def train(self, label, settings="model.alpha = 1", into="m", rows="t", more=""):
        return harness.facts(self.run_all(f"SELECT a, b, c, kind, {label}{more} FROM {rows} TO TRAIN NaiveBayes "
                                          f"WITH train.test_size = 0, {settings} LABEL {label} INTO {into}"))

    def probabilities(self, inputs="a, b, c, kind", limit=5):
        return [list(json.loads(text).values()) for text, in self.run_all(
            f"SELECT totrain_probabilities('m', {inputs}) FROM t LIMIT {limit}")]

    def test_probabilities_are_those_of_scikit_learn(self):
        for name, (label, alpha) in naive_bayes.SETTINGS.items():
            with self.subTest(name):
                self.train(label, f"alpha = {alpha}")
                for row, wanted in zip(self.probabilities(), naive_bayes.REFERENCE[name], strict=True):
                    for number, other in zip(row, wanted, strict=True):
                        self.assertAlmostEqual(number / other, 1, delta=1e-5)

    def test_a_null_and_an_unknown_word_say_nothing(self):
        self.run_all("UPDATE t SET c = NULL WHERE rowid % 7 = 0")
        self.train("y")
        # The joint probabilities, from the classes' shares and densities alone.
        shown = {row[:2]: row[2:] for row in self.run_all("SELECT * FROM t TO EXPLAIN m USING likelihoods")}
        joint = []
        for name in ("0", "1"):
            joint.append(math.log(shown["(class)", name][2]))
            for column, value in (("a", 1), ("b", 55)):
                mean, deviation, _ = shown[column, name]
                joint[-1] -= math.log(deviation) + (value - mean) ** 2 / 2 / deviation ** 2
        wanted = 1 / (1 + math.exp(joint[0] - joint[1]))
        self.assertAlmostEqual(self.probabilities("1.0, 55.0, NULL, 'never seen'", 1)[0][1], wanted, delta=1e-5)

    def test_what_it_consists_of_are_counts_means_and_deviations(self):
        self.train("k", "alpha = 2")
        shown = {row[:2]: row[2:] for row in self.run_all("SELECT * FROM t TO EXPLAIN m USING likelihoods")}
        for label, count, mean, square, words in self.run_all(
                "SELECT k, count(*), avg(b), avg(b * b), sum(kind = 'p') FROM t GROUP BY k"):
            self.assertAlmostEqual(shown["(class)", label][2], count / len(naive_bayes.rows()), delta=1e-7)
            self.assertAlmostEqual(shown["b", label][0], mean, delta=1e-5)
            self.assertAlmostEqual(shown["b", label][1], (square - mean ** 2) ** .5, delta=1e-4)
            self.assertAlmostEqual(shown["kind=p", label][2], (words + 2) / (count + 8), delta=1e-6)
        self.assertEqual(len(shown), 3 * (1 + 3 + 4))

    def test_rows_of_weight_two_are_rows_that_are_there_twice(self):
        self.run_all("ALTER TABLE t ADD COLUMN w REAL")
        self.run_all("UPDATE t SET w = 1 + rowid % 2")
        self.run_all("CREATE VIEW twice AS SELECT * FROM t UNION ALL SELECT * FROM t WHERE w = 2")
        self.train("y", "train.sample_weight = 'w'", more=", w")
        weighted = self.probabilities()
        self.train("y", rows="twice")
        for row, other in zip(weighted, self.probabilities(), strict=True):
            self.assertAlmostEqual(row[0], other[0], delta=1e-5)

    def test_any_number_of_workers_and_any_order_make_the_same_table(self):
        self.check_workers_and_order(lambda *settings: self.train("k", *settings))

    def test_it_is_evaluated_explained_and_shown_as_others_are(self):
        self.assertGreater(self.train("y")["AUC"], .7)
        self.assertGreater(self.run_all("SELECT * FROM t TO EVALUATE m")[0][1], .6)
        self.assertEqual({row[0] for row in self.run_all("SELECT * FROM t TO EXPLAIN m")}, {"a", "b", "c", "kind"})
        self.assertIn(("kind", "NaiveBayes"), self.run_all("SHOW MODEL m"))
        self.assertEqual(len(self.run_all("SHOW TRAIN m")), 2)
        self.run_all("SELECT * FROM t TO PREDICT p.guess USING m")
        self.assertEqual(self.run_all("SELECT count(*) FROM p WHERE guess <> totrain_predict('m', a, b, c, kind)"), [(0,)])

    def test_far_numbers_give_probabilities_of_0_and_1(self):
        self.train("k")
        for far in (1e30, -1e30):
            row = self.probabilities(f"{far}, {far}, {far}, kind", 1)[0]
            self.assertAlmostEqual(sum(row), 1)

    def test_what_it_does_not_do_is_refused(self):
        for settings in ("train.epoch = 3", "model.var_smoothing = 0", "alpha = -1"):
            with self.subTest(settings), self.assertRaises(sqlite3.OperationalError):
                self.train("y", settings)


if __name__ == "__main__":
    harness.main()
