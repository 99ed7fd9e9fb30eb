"""Weights of the rows of each class: balanced, a list, by label; with all kinds of classifiers and any number of
workers."""

import random
import sqlite3

import harness

MODELS = (("LinearClassifier", "train.epoch = 2"), ("DNNClassifier", "hidden_units = [4], train.epoch = 2"),
          ("XGBClassifier", "n_estimators = 4, max_depth = 3"), ("xgboost.gblinear", "objective = 'multi:softprob'"))


class ClassWeights(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        draw = random.Random(8)
        self.run_all("CREATE TABLE t (a REAL, b REAL, k TEXT, n INTEGER)")
        for _ in range(400):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            k = "rare" if a + b + draw.gauss(0, 1) > 2.4 else "some" if a > 0 else "many"
            self.database.execute("INSERT INTO t VALUES (?, ?, ?, ?)", (a, b, k, int(k == "rare")))

    def train(self, model, settings, into="m", label="k"):
        return harness.facts(self.run_all(f"SELECT a, b, {label} FROM t TO TRAIN {model} WITH {settings}, "
                                          f"train.test_size = 0 LABEL {label} INTO {into}"))

    def test_a_list_and_names_are_the_weights_that_balanced_finds(self):
        counts = dict(self.run_all("SELECT k, count(*) FROM t GROUP BY k"))
        weights = {k: 400 / (3 * count) for k, count in sorted(counts.items())}
        named = ", ".join(f'"{k}": {weight!r}' for k, weight in weights.items())
        for model, settings in MODELS:
            with self.subTest(model):
                self.train(model, f"{settings}, class_weight = 'balanced'", "one")
                for value in (list(weights.values()), f"'{{{named}}}'"):
                    for job in ("", ", job.min_workers = 2, job.max_workers = 2"):
                        self.train(model, f"{settings}, class_weight = {value}{job}", "other")
                        self.assertEqual(self.model_digest("other"), self.model_digest("one"))

    def test_classes_that_are_not_named_weigh_one(self):
        for model, settings in MODELS[2:]:
            self.train(model, f"{settings}, class_weight = '{{\"rare\": 7}}'", "one")
            self.train(model, f"{settings}, class_weight = [1, 7, 1]", "other")
            self.assertEqual(self.model_digest("other"), self.model_digest("one"))

    def test_a_heavier_class_is_predicted_more_often_and_numbers_are_named(self):
        found = []
        for weight in (1, 30):
            self.train("XGBClassifier", f"n_estimators = 4, class_weight = '{{\"1\": {weight}}}'", label="n")
            found.append(self.run_all("SELECT sum(totrain_predict('m', a, b)) FROM t")[0][0])
        self.assertGreater(found[1], 1.5 * found[0])

    def test_losses_are_means_over_the_weights(self):
        for model, settings in MODELS[2:]:
            losses = []
            for weight in (1, 1000):
                self.train(model, f"{settings}, lambda = 0, min_child_weight = 0, class_weight = [{weight}, {weight}, {weight}]"
                           if model == "XGBClassifier" else f"{settings}, class_weight = [{weight}, {weight}, {weight}]",
                           f"m{weight}")
                found = self.database.execute(f"SHOW TRAIN m{weight}")
                place = [column[0] for column in found.description].index("train_loss")
                losses.append([row[place] for row in found.fetchall()])
            for one, other in zip(*losses, strict=True):
                self.assertAlmostEqual(one, other, 4)

    def test_mistakes_say_what_is_wanted(self):
        for value, message in (("[1, 2]", "2 weights, and label column \"k\" has 3 classes"),
                               ("'{\"seldom\": 2}'", "names 'seldom', and no row has that label"),
                               ("[0, 0, 0]", "0 for all rows to learn from"), ("[1, -2, 3]", "from 0 to 1000000000"),
                               ("'{rare: 2}'", "as '{\"yes\": 5}'"), ("'balancd'", "Did you mean 'balanced'"),
                               ("2", "'balanced', a list of numbers")):
            with self.subTest(value), self.assertRaisesRegex(sqlite3.Error, message.replace("{", "\\{")) as caught:
                self.train("XGBClassifier", f"class_weight = {value}")
            if "names" in message or "weights, and" in message:
                self.assertIn("'many', 'rare' and 'some'", str(caught.exception))


harness.main()
