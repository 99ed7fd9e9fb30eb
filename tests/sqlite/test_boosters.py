"""dart and goss: names, digests with any number of workers, what they learn, and what is refused."""

import random
import sqlite3

import harness


class Boosters(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        draw = random.Random(9)
        self.run_all("CREATE TABLE t (a REAL, b REAL, kind TEXT, y INTEGER, z REAL)")
        for _ in range(800):
            a, b, kind = draw.random(), draw.random(), draw.choice("pqrs")
            self.database.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)",
                                  (a, b if draw.random() < .9 else None, kind, int((a > .5) != (b > .5)),
                                   3 * a + b * b + (kind == "p")))

    def train(self, model, settings="", label="y", into="m"):
        return harness.facts(self.run_all(f"SELECT a, b, kind, {label} FROM t TO TRAIN {model} "
                                          f"{settings and 'WITH ' + settings} LABEL {label} INTO {into}"))

    def test_names_and_parameters_of_libraries_learn(self):
        for model, settings in (("xgboost.dart", "rate_drop = 0.1, skip_drop = 0.5, num_round = 30"),
                                ("lightgbm.dart", "num_iterations = 40"),
                                ("lightgbm.goss", "num_iterations = 40, learning_rate = 0.3"),
                                ("LGBMClassifier", "boosting_type = 'goss', learning_rate = 0.5, n_estimators = 30"),
                                ("XGBClassifier", "booster = 'dart', one_drop = 1, n_estimators = 30")):
            with self.subTest(model):
                self.assertGreater(self.train(model, settings)["Accuracy"], .85)
        self.assertGreater(self.train("lightgbm.dart", "num_iterations = 60", "z")["R2"], .8)

    def test_any_number_of_workers_makes_the_same_table(self):
        for model, settings in (("xgboost.dart", "rate_drop = 0.4, subsample = 0.8"),
                                ("LGBMRegressor", "data_sample_strategy = 'goss', eta = 0.5, n_estimators = 6")):
            label = "z" if model == "LGBMRegressor" else "y"
            self.train(model, settings, label, "one")
            for job in ("job.min_workers = 2, job.max_workers = 2", "job.threads = 3"):
                self.train(model, f"{settings}, {job}", label, "other")
                self.assertEqual(self.model_digest("other"), self.model_digest("one"))

    def test_what_does_not_belong_together_is_refused(self):
        for model, settings, message in (
                ("XGBClassifier", "rate_drop = 0.1", "no use here"),
                ("XGBClassifier", "top_rate = 0.1", "no use here"),
                ("LGBMClassifier", "boosting = 'goss', bagging_fraction = 0.5", "goss, which draws rows"),
                ("lightgbm.goss", "top_rate = 0.9, other_rate = 0.2", "together at most 1"),
                ("LGBMRegressor", "boosting = 'goss', objective = 'quantile', alpha = 0.3", "does not go together"),
                ("lightgbm.dart", "uniform_drop = true", "unknown attribute")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.Error, message):
                self.train(model, settings, "z" if model == "LGBMRegressor" else "y")

    def test_early_stopping_keeps_the_weights_of_the_best_round(self):
        self.train("xgboost.dart", "rate_drop = 0.3, num_round = 200, early_stopping_rounds = 5, eta = 1")
        losses = [row[3] for row in self.run_all("SHOW TRAIN m")]
        self.train("xgboost.dart", f"rate_drop = 0.3, num_round = {losses.index(min(losses)) + 1}, eta = 1",
                   into="same")
        self.assertEqual(self.run_all("SELECT count(*) FROM t WHERE totrain_predict('m', a, b, kind) <> "
                                      "totrain_predict('same', a, b, kind)"), [(0,)])


harness.main()
