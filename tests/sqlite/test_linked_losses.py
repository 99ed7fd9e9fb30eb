"""Losses whose predictions are e to the output, or margins without probabilities: beside scikit-learn's models."""

import json
import pathlib
import sqlite3
import struct
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import linked_losses  # noqa: E402  pylint: disable=wrong-import-position

# All rows in each step, and the end at the least loss.
CONVERGED = "train.test_size = 0, batch_size = 500, train.epoch = 1500, learning_rate = 0.03"


class LinkedLosses(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, n INTEGER, g REAL, s REAL, k TEXT)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", linked_losses.rows())

    def train(self, label, settings, model="LinearRegressor", into="m"):
        return harness.facts(self.run_all(
            f"SELECT a, b, {label} FROM t TO TRAIN {model} WITH {settings} LABEL {label} INTO {into}"))

    def shown(self, function="predict"):
        return [row[0] for row in self.run_all(
            f"SELECT totrain_{function}('m', a, b) FROM t LIMIT {linked_losses.SHOWN}")]

    def refuse(self, message, sql):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.run_all(sql)

    def test_linear_models_predict_what_scikit_learn_predicts(self):
        for loss, (label, place, more) in linked_losses.SETTINGS.items():
            with self.subTest(loss):
                has_margins = place == 5
                l2 = linked_losses.PENALTY if has_margins else 0
                self.train(label, f"loss = '{loss}'{more}, model.l2 = {l2}, {CONVERGED}",
                           "LinearClassifier" if has_margins else "LinearRegressor")
                found = self.shown("logits" if has_margins else "predict")
                for number, wanted in zip(found, linked_losses.REFERENCE[loss], strict=True):
                    if has_margins:
                        self.assertAlmostEqual(json.loads(number)[0], wanted, delta=0.03 if loss == "hinge" else 0.003)
                    else:
                        self.assertAlmostEqual(number / wanted, 1, delta=0.001)

    def tensor(self, name, *shape):
        data, = self.run_all("SELECT data FROM m WHERE part = 'tensor' AND name = ?", name)[0]
        numbers = struct.unpack(f"<{(len(data) - 8) // 4}f", data[8:])
        return [list(numbers[i:i + shape[-1]]) for i in range(0, len(numbers), shape[-1])]

    def test_a_network_goes_the_steps_of_scikit_learns(self):
        """From its own first weights; the steps themselves are scikit-learn's, from weights that are given."""
        made = linked_losses.rows()
        for step, wanted in zip(linked_losses.network_steps(made, *linked_losses.start_weights(), linked_losses.STEPS),
                                linked_losses.NETWORK, strict=True):
            for number, other in zip(step, wanted, strict=True):
                self.assertAlmostEqual(number / other, 1, delta=1e-6)
        units = linked_losses.UNITS
        settings = (f"loss = 'poisson', hidden_units = [{units}], activation = 'tanh', optimizer = 'SGD', "
                    "schedule = 'constant', model.l2 = 0, train.test_size = 0, batch_size = 500")
        self.train("n", f"{settings}, learning_rate = 1e-12, max_steps = 1", "DNNRegressor")
        weights = [self.tensor("layer0/weights", 2, units), self.tensor("layer1/weights", units, 1)]
        biases = [self.tensor("layer0/bias", units)[0], self.tensor("layer1/bias", 1)[0]]
        for bias in (*biases[0], *biases[1]):  # the mean's logarithm, as labels are divided by it
            self.assertAlmostEqual(bias, 0, 10)
        steps = linked_losses.network_steps(made, weights, biases, linked_losses.STEPS)
        for number, wanted in enumerate(steps, 1):
            self.train("n", f"{settings}, learning_rate = {linked_losses.RATE}, max_steps = {number}", "DNNRegressor")
            for value, other in zip(self.shown(), wanted, strict=True):
                self.assertAlmostEqual(value / other, 1, delta=2e-6)

    def test_weights_are_of_the_logarithm(self):
        self.train("n", f"loss = 'poisson', {CONVERGED}")
        worst, = self.run_all(
            "WITH w AS (SELECT name, value FROM m WHERE part = 'weight') SELECT max(abs(totrain_predict('m', a, b) / "
            "exp((SELECT value FROM w WHERE name = '(intercept)') + (SELECT value FROM w WHERE name = 'a') * a + "
            "(SELECT value FROM w WHERE name = 'b') * b) - 1)) FROM t")[0]
        self.assertLess(worst, 1e-5)

    def test_the_unit_of_the_label_changes_predictions_by_it_alone(self):
        """All rows in each step: the label is in their hashes, which order them."""
        for loss, power in (("poisson", 1), ("gamma", 0), ("tweedie", 0.5)):
            settings = f"loss = '{loss}', train.test_size = 0, batch_size = 500, train.epoch = 40, optimizer = 'SGD'"
            self.train("g", settings)
            one, losses = self.shown(), self.run_all("SHOW TRAIN m")
            self.run_all(f"SELECT a, b, g * 1024 AS g FROM t TO TRAIN LinearRegressor WITH {settings} LABEL g INTO m")
            for number, other in zip(self.shown(), one, strict=True):
                self.assertAlmostEqual(number / other / 1024, 1, 4)
            for number, other in zip(self.run_all(f"SHOW TRAIN m -- {loss}"), losses, strict=True):
                self.assertAlmostEqual(number[2] / other[2] / 1024 ** power, 1, 4)

    def test_any_number_of_workers_makes_the_same_table(self):
        for loss, label, model in (("tweedie", "s", "DNNRegressor"), ("squared_hinge", "k", "DNNClassifier"),
                                   ("poisson", "n", "DeepFMRegressor"), ("hinge", "k", "WideAndDeepClassifier")):
            with self.subTest(loss):
                columns = f"a, CAST(b / 10 AS INTEGER) || 'x' AS word, {label}"
                for into, more in (("one", ""), ("three", ", job.min_workers = 3, job.max_workers = 3")):
                    self.run_all(f"SELECT {columns} FROM t TO TRAIN {model} WITH loss = '{loss}', train.epoch = 2{more} "
                                 f"LABEL {label} INTO {into}")
                self.assertEqual(self.digest(self.database, "three"), self.digest(self.database, "one"))

    def test_numbers_are_measured_by_the_metrics_of_their_loss(self):
        facts = self.train("s", "loss = 'tweedie', tweedie_power = 1.3, "
                                "validation.metrics = 'TweedieNLogLik, TweedieNLogLik@1.3, RMSE'")
        self.assertEqual(facts["TweedieNLogLik"], facts["TweedieNLogLik@1.3"])
        for metric in ("PoissonNLogLik", "RMSE"):
            self.train("n", f"loss = 'poisson', validation.metrics = '{metric}'")
        loss, = self.run_all("SELECT a, b, n FROM t TO EVALUATE m WITH validation.metrics = 'MSE'")[0][:1]
        self.assertGreater(loss, 0)

    def test_margins_have_no_probabilities(self):
        facts = self.train("k", "loss = 'hinge'", "LinearClassifier")
        self.assertGreater(facts["Accuracy"], 0.7)
        self.assertGreater(facts["AUC"], 0.75)
        self.assertNotIn("LogLoss", facts)
        query = "SELECT a, b, k FROM t"
        self.refuse("learned by a hinge loss has no probabilities", "SELECT totrain_probability('m', 1.0, 50.0)")
        self.refuse("'probability' has no use with a LinearClassifier",
                    f"{query} TO PREDICT WITH predict.extra_outputs = 'probability' USING m")
        self.refuse("predict.threshold is a probability, and model m has none",
                    f"{query} TO PREDICT WITH predict.threshold = 0.3 USING m")
        self.refuse("metric LogLoss does not fit this model",
                    f"{query} TO EVALUATE m WITH validation.metrics = 'LogLoss'")
        self.refuse("the report 'calibration' needs probabilities, and model m has none",
                    f"{query} TO EVALUATE m WITH evaluate.report = 'calibration'")
        self.refuse("metric LogLoss does not fit this model",
                    f"{query} TO EXPLAIN m WITH explain.metric = 'LogLoss'")
        self.refuse("metric LogLoss does not fit this model",
                    f"{query} TO TRAIN LinearClassifier WITH loss = 'hinge', validation.metrics = 'LogLoss' LABEL k INTO o")
        evaluated = self.database.execute(f"{query} TO EVALUATE m")
        names, values = [name[0] for name in evaluated.description], evaluated.fetchone()
        measured = dict(zip(names, values))
        self.assertNotIn("LogLoss", measured)
        hinge, = self.run_all("SELECT avg(max(0, 1 - (CASE k WHEN 'yes' THEN 1 ELSE -1 END) * "
                              "json_extract(totrain_logits('m', a, b), '$[0]'))) FROM t")[0]
        self.assertAlmostEqual(measured["loss"], hinge, places=9)
        first = self.run_all(f"{query} TO EVALUATE m WITH evaluate.report = 'roc'")[1]
        greatest, = self.run_all("SELECT max(json_extract(totrain_logits('m', a, b), '$[0]')) FROM t")[0]
        self.assertAlmostEqual(first[0], greatest, places=6)

    def test_labels_that_a_loss_is_not_of_are_refused(self):
        for loss, sql, message in (
                ("poisson", "SELECT a, b, n - 1 AS y FROM t", 'label column "y" has the number -1, and the loss poisson'),
                ("gamma", "SELECT a, b, n AS y FROM t", "has the number 0, and the loss gamma learns numbers above 0"),
                ("poisson", "SELECT a, b, 0 * n AS y FROM t", 'no label of column "y" is above 0')):
            for shuffle in ("true", "false"):  # without it rows are taken into memory, and their file is closed
                self.refuse(message, f"{sql} TO TRAIN LinearRegressor WITH loss = '{loss}', train.shuffle = {shuffle} LABEL y INTO m")
        self.refuse('the loss hinge needs two classes, and label column "y" has 3',
                    "SELECT a, b, min(n, 2) AS y FROM t TO TRAIN DNNClassifier WITH loss = 'hinge' LABEL y INTO m")


if __name__ == "__main__":
    harness.main()
