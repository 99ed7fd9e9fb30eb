"""Linear models by coordinate descent, from the statement to the table."""

import json
import pathlib
import re
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import linear_models  # noqa: E402  pylint: disable=wrong-import-position


class Linear(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, c REAL, kind TEXT, y INTEGER, k TEXT, z REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", linear_models.rows())

    def train(self, label, settings, into="m", model="xgboost.gblinear"):
        return harness.facts(self.run_all(
            f"SELECT a, b, c, kind, {label} FROM t TO TRAIN {model} WITH {settings} LABEL {label} INTO {into}"))

    def predicted(self, label):
        """Predictions of the first rows: the number, or the probability of the second of two classes, or of each of
        more."""
        function = "predict" if label == "z" else "probabilities"
        found = [row[0] for row in self.run_all(
            f"SELECT totrain_{function}('m', a, b, c, kind) FROM t LIMIT {linear_models.SHOWN}")]
        if label == "z":
            return [[number] for number in found]
        classes = [json.loads(text) for text in found]
        return [[row["1"]] if label == "y" else [row[word] for word in ("high", "low", "middle")] for row in classes]

    def test_predictions_are_those_of_xgboost(self):
        for name, (label, told, rounds) in linear_models.SETTINGS.items():
            with self.subTest(name):
                settings = ", ".join(f"{key} = {value!r}" for key, value in told.items())
                self.train(label, f"{settings}, num_boost_round = {rounds}, train.test_size = 0")
                wanted = [row if isinstance(row, list) else [row] for row in linear_models.REFERENCE[name]]
                for row, other in zip(self.predicted(label), wanted, strict=True):
                    for number, reference in zip(row, other, strict=True):
                        self.assertAlmostEqual(number / reference, 1, delta=2e-6 if label == "z" else 2e-5)

    def test_the_booster_of_a_name_of_xgboost_makes_the_same_model(self):
        for name, model, rounds in (("numbers", "XGBRegressor", 100), ("two classes", "XGBClassifier", 100),
                                    ("three classes", "XGBClassifier", 7)):
            label, told, _ = linear_models.SETTINGS[name]
            settings = ", ".join(f"{key} = {value!r}" for key, value in told.items())
            self.train(label, f"{settings}, num_boost_round = {rounds}, reg_lambda = 0.01", "one")
            more = "" if rounds == 100 else f", n_estimators = {rounds}"
            self.train(label, f"booster = 'gblinear', {settings}, reg_lambda = 0.01{more}", "other", model)
            self.assertEqual(self.run_all("SELECT a, totrain_predict('one', a, b, c, kind) FROM t"),
                             self.run_all("SELECT a, totrain_predict('other', a, b, c, kind) FROM t"))
        for settings, message in (("booster = 'gblinear', max_depth = 3", "max_depth"),
                                  ("booster = 'gblinear', objective = 'reg:gamma'", "not supported yet"),
                                  ("booster = 'gbtree', updater = 'shotgun'", "updater")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.Error, message):
                self.train("z", settings, model="XGBRegressor")

    def test_rows_of_weight_two_are_rows_that_are_there_twice(self):
        self.run_all("ALTER TABLE t ADD COLUMN w REAL")
        self.run_all("UPDATE t SET w = 1 + rowid % 2")
        columns = "a, b, c, kind, z"
        settings = "WITH train.test_size = 0, lambda = 0.1, train.sample_weight = 'w' LABEL z INTO m"
        self.run_all(f"SELECT {columns}, w FROM t TO TRAIN xgboost.gblinear {settings}")
        weighted = self.predicted("z")
        self.run_all(f"SELECT {columns}, 1 AS w FROM t UNION ALL SELECT {columns}, 1 FROM t WHERE w = 2 "
                     f"TO TRAIN xgboost.gblinear {settings}")
        for row, other in zip(weighted, self.predicted("z"), strict=True):
            self.assertAlmostEqual(row[0], other[0], places=4)

    def test_any_number_of_workers_makes_the_same_table(self):
        self.check_workers(lambda *settings: self.train("k", *settings))

    def test_what_the_booster_does_not_do_is_refused_by_name(self):
        for settings, message in (
                ("feature_selector = 'greedy'", "feature_selector = 'greedy' is not supported yet"),
                ("objective = 'count:poisson'", "objective = 'count:poisson' is not supported yet"),
                ("objective = 'binary:logistic', booster = 'gbtree'", "booster = 'gbtree'"),
                ("eta = 0", "eta must be above 0"),
                ("objective = 'binary:logistic', base_score = 2", "base_score must be a probability"),
                ("max_depth = 3", "max_depth"), ("train.epoch = 3", "train.epoch")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.OperationalError, re.escape(message)):
                self.train("y", settings)
        self.train("y", "updater = 'shotgun'")

    def test_too_many_words_are_refused_with_what_to_do(self):
        self.run_all("CREATE TABLE words (word TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO words VALUES (?, ?)", ((f"w{i % 2100}", i % 3 == 0) for i in range(6300)))
        with self.assertRaisesRegex(sqlite3.OperationalError, r"(?s)columns.*LinearClassifier"):
            self.run_all("SELECT word, y FROM words TO TRAIN xgboost.gblinear COLUMN VOCABULARY(word, 5000) LABEL y INTO m")


if __name__ == "__main__":
    harness.main()
