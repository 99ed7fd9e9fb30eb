"""Settings of how networks and linear models are learned, from the statement to the table."""

import math
import random
import sqlite3

import harness


class Optimizers(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, noise REAL, word TEXT, y INTEGER)")
        draw = random.Random(5)
        rows = [(draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1), f"w{draw.randrange(1500)}") for _ in range(4500)]
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", (
            (*row, int(2 * row[0] - row[1] + draw.gauss(0, 0.5) > 0)) for row in rows))

    def train(self, settings, into="m", columns="a, b, noise, y", model="LinearClassifier"):
        return harness.facts(self.run_all(
            f"SELECT {columns} FROM t TO TRAIN {model} WITH {settings} LABEL y INTO {into}"))

    def test_any_number_of_workers_makes_the_same_table(self):
        """Words are moved by touched rows with FTRL, all together with AMSGrad."""
        for optimizer in ("FTRL", "AMSGrad"):
            with self.subTest(optimizer):
                settings = f"optimizer = '{optimizer}', clipnorm = 0.5, clipvalue = 0.2, train.epoch = 1"
                self.train(settings, "one", "*")
                self.train(f"{settings}, job.min_workers = 3, job.max_workers = 3", "three", "*")
                self.assertEqual(self.digest(self.database, "three"), self.digest(self.database, "one"))

    def test_ftrl_gives_a_column_that_says_nothing_the_weight_0(self):
        for strength, differs in ((0, True), (30, False)):
            accuracy = self.train(f"optimizer = 'FTRL', l1_regularization_strength = {strength}")["Accuracy"]
            one, other = self.run_all("SELECT totrain_probability('m', 0.1, 0.1, n) FROM (SELECT -3.0 n UNION SELECT 3.0)")
            self.assertEqual(one != other, differs)
            self.assertGreater(accuracy, 0.9)

    def test_a_row_of_weight_two_is_two_rows_and_one_of_weight_0_none(self):
        """Labels of rows of weight 0 are wrong; the steps of a job are few and of all rows."""
        self.run_all("CREATE TABLE weighed AS SELECT a, b, y, 3.0 * (rowid % 2 + 1) AS w FROM t "
                     "UNION ALL SELECT a, b, 1 - y, 0 FROM t")
        settings = ("train.test_size = 0, train.batch_size = 100000, train.epoch = 100, model.l2 = 0, "
                    "optimizer.learning_rate = 0.3")
        facts = harness.facts(self.run_all(f"SELECT * FROM weighed TO TRAIN LinearClassifier WITH {settings}, "
                                           "train.sample_weight = 'w' LABEL y INTO weighted"))
        self.assertLess(facts["Accuracy"], 0.6)  # metrics are of all rows alike
        self.run_all("SELECT a, b, y FROM weighed WHERE w > 0 UNION ALL SELECT a, b, y FROM weighed WHERE w > 3 "
                     f"TO TRAIN LinearClassifier WITH {settings} LABEL y INTO repeated")
        for a, b in ((0, 0), (1, 1), (-1, 0.5), (0.2, 0.9)):
            one, other = (self.run_all(f"SELECT totrain_probability('{model}', ?, ?)", a, b)[0][0]
                          for model in ("weighted", "repeated"))
            self.assertAlmostEqual(one, other, delta=0.01)

    def test_weights_are_those_of_their_rows_with_any_number_of_workers(self):
        settings = "train.sample_weight = 'noise', train.epoch = 1"
        self.run_all("UPDATE t SET noise = abs(noise)")
        for model in ("LinearRegressor", "DNNClassifier"):
            self.train(settings, "one", model=model)
            self.train(f"{settings}, job.min_workers = 3, job.max_workers = 3", "three", model=model)
            self.assertEqual(self.digest(self.database, "three"), self.digest(self.database, "one"))

    def test_every_schedule_trains(self):
        for settings in ("schedule = 'exponential', decay_rate = 0.5", "schedule = 'step', decay_steps = 100, decay_rate = 0.8",
                         "schedule = 'polynomial', power = 2, end_learning_rate = 0.001", "warmup_steps = 100",
                         "schedule = 'cosine', decay_steps = 500"):
            with self.subTest(settings):
                self.assertGreater(self.train(f"{settings}, train.max_steps = 300")["Accuracy"], 0.9)


class Norms(harness.Case):
    """model.batch_norm: rows of two classes in two rings, which no line parts."""

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, y INTEGER)")
        draw = random.Random(3)
        for _ in range(2000):
            angle, y = draw.uniform(0, 6.3), draw.randint(0, 1)
            size = 1 + y + draw.gauss(0, 0.15)
            self.run_all("INSERT INTO t VALUES (?, ?, ?)", 500 + 40 * size * math.cos(angle), size * math.sin(angle), y)

    def train(self, settings="", into="m", rows="t"):
        return harness.facts(self.run_all(
            f"SELECT * FROM {rows} TO TRAIN DNNClassifier WITH model.hidden_units = [16, 8], model.batch_norm = true, "
            f"model.activation = 'relu', train.epoch = 8 {',' if settings else ''} {settings} LABEL y INTO {into}"))

    def test_it_learns(self):
        self.assertGreater(self.train("train.test_size = 0.2")["Accuracy"], 0.97)

    def test_workers_threads_and_order_change_no_bit(self):
        self.check_workers_and_order(self.train)
        self.train("job.min_workers = 8, job.max_workers = 8", "several")
        self.assertEqual(self.digest(self.database, "several"), self.digest(self.database, "one"))

    def test_predictions_are_those_of_the_model_that_was_measured(self):
        """The norms are in the stored weights: what TRAIN measured is what the function says."""
        facts = self.train("train.test_size = 0", "m")
        right = self.run_all("SELECT avg(totrain_predict('m', a, b) = y) FROM t")[0][0]
        self.assertAlmostEqual(right, facts["Accuracy"], delta=1e-12)

    def test_small_batches_and_a_last_batch_of_few_rows_learn(self):
        self.assertGreater(self.train("train.batch_size = 16, train.test_size = 0.2")["Accuracy"], 0.95)
        self.assertGreater(self.train("train.batch_size = 999, train.test_size = 0.2")["Accuracy"], 0.6)

    def test_early_stopping_and_clipping_go_with_it(self):
        for settings in ("train.early_stopping = 2, train.test_size = 0.2", "clipnorm = 0.5", "model.dropout = 0.2",
                         "optimizer = 'Adagrad'", "optimizer = 'FTRL'", "optimizer = 'AdamW'"):
            with self.subTest(settings):
                self.train(settings, "one")
                self.train(f"{settings}, job.min_workers = 3, job.max_workers = 3", "three")
                self.assertEqual(self.digest(self.database, "three"), self.digest(self.database, "one"))

    def test_what_has_no_norms_says_so(self):
        self.train()
        with self.assertRaisesRegex(sqlite3.Error, "model.batch_norm has no use with USING"):
            self.run_all("SELECT * FROM t TO TRAIN DNNClassifier WITH model.batch_norm = true LABEL y USING m INTO n")
        self.run_all("SELECT * FROM t TO TRAIN DNNClassifier LABEL y USING m INTO n")  # its weights are a network's
        with self.assertRaisesRegex(sqlite3.Error, "without hidden layers"):
            self.run_all("SELECT * FROM t TO TRAIN LinearClassifier WITH model.batch_norm = true LABEL y INTO n")


class Time(harness.Case):
    def test_training_ends_with_the_step_in_which_the_time_is_over(self):
        """More than can ever be done: that it ends is what the test is about."""
        self.database = self.connect(isolation_level=None)
        self.make_iris()
        for more in ("", ", job.min_workers = 2, job.max_workers = 2", ", test_size = 0.2"):
            with self.subTest(more):
                result = self.run_all("SELECT * FROM iris TO TRAIN DNNClassifier WITH train.epoch = 1000000, batch_size = 4, "
                                      f"train.max_seconds = 0.5, save_checkpoints_steps = 10{more} LABEL class INTO m")
                notice, = [text for text in harness.notices(result) if "training ended after" in text]
                self.assertRegex(notice, "after [1-9][0-9]* of [0-9]+ steps, as the time was over: train.max_seconds is 0.5")
                self.assertEqual(len(self.run_all("SELECT totrain_predict('m', 1, 2, 3, 4)")), 1)
        with self.assertRaisesRegex(sqlite3.Error, "max_seconds"):
            self.run_all("SELECT * FROM iris TO TRAIN XGBClassifier WITH train.max_seconds = 5 LABEL class INTO m")


class Losses(harness.Case):
    """1,000 rows whose noise has a long tail on one side: mean, median and quantiles are known."""

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (x REAL, y REAL, kind TEXT)")
        draw = random.Random(7)
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", (
            (x := draw.uniform(-1, 1), 100 * x + draw.expovariate(0.1), "high" if x + draw.gauss(0, 0.3) > 0.8 else "low")
            for _ in range(1000)))

    def shift(self, loss):
        """How far predictions are above the line 100 x."""
        self.run_all(f"SELECT x, y FROM t TO TRAIN LinearRegressor WITH loss = {loss}, train.test_size = 0, "
                     "optimizer.learning_rate = 0.01, model.l2 = 0, batch_size = 1000, train.epoch = 600 LABEL y INTO m")
        return self.run_all("SELECT avg(totrain_predict('m', x) - 100 * x) FROM t")[0][0]

    def test_each_loss_predicts_what_it_is_for(self):
        """Constants learned from an exponential distribution with mean 10: the median is 6.93, the quantile .9 is
        23.03."""
        for loss, wanted in (("'mse'", 10), ("'mae'", 6.93), ("'log_cosh'", 6.93), ("'quantile', quantile_level = 0.9", 23.03)):
            with self.subTest(loss):
                self.assertAlmostEqual(self.shift(loss), wanted, delta=wanted / 10)
        share = self.run_all("SELECT avg(y <= totrain_predict('m', x)) FROM t")[0][0]
        self.assertAlmostEqual(share, 0.9, delta=0.01)
        self.assertLess(self.shift("'huber', huber_delta = 2"), self.shift("'huber', huber_delta = 1000") - 1)

    def test_losses_of_classes_make_probabilities_milder(self):
        """A focal loss and smoothed labels ask for less from rows that are right."""
        found = {}
        for loss in ("'log_loss'", "'focal'", "'log_loss', label_smoothing = 0.2"):
            self.run_all(f"SELECT x, kind FROM t TO TRAIN LinearClassifier WITH loss = {loss}, train.test_size = 0, "
                         "model.l2 = 0 LABEL kind INTO m")
            found[loss] = self.run_all("SELECT totrain_probability('m', -1.0)")[0][0]
        plain, *milder = found.values()
        self.assertLess(min(plain, 1 - plain), 0.02)
        for probability in milder:
            self.assertGreater(min(probability, 1 - probability), min(plain, 1 - plain))


if __name__ == "__main__":
    harness.main()
