"""train.folds: metrics by cross-validation, and a model of all rows."""

import json
import math
import os
import random
import signal
import sqlite3
import subprocess

import harness

NETWORK = ("DNNClassifier", "model.hidden_units = [8], train.epoch = 6, train.batch_size = 8", "y")
BY_HAND = (NETWORK,
           ("LinearRegressor", "train.epoch = 12", "z"),
           ("XGBRegressor", "train.num_boost_round = 4, min_child_weight = 0.5", "z"),
           ("xgboost.gblinear", "train.num_boost_round = 3", "z"))
# Table, model, label, mean and deviation of metrics, of folds_reference.py.
SCIKIT_LEARN = (("breast_cancer", "LinearClassifier", "benign", {"Accuracy": (.9783, .0212), "AUC": (.9954, .0090)}),
                ("iris", "LinearClassifier", "class", {"Accuracy": (.9533, .0483)}),
                ("boston", "LinearRegressor", "medv", {"RMSE": (4.7529, 1.0684)}))


# One model of each kind that recognises a patient's word: model, settings, label, metric.
BY_GROUP = (("LinearClassifier", "train.epoch = 40", "y", "AUC"),
            ("LinearRegressor", "train.epoch = 40", "z", "R2"),
            ("DNNClassifier", "model.hidden_units = [8], train.epoch = 40", "y", "AUC"),
            ("WideAndDeepClassifier", "model.hidden_units = [8], train.epoch = 40", "y", "AUC"),
            ("xgboost.gblinear", "train.num_boost_round = 30", "y", "AUC"),
            ("LogisticRegression", "", "y", "AUC"),
            ("OLS", "", "z", "R2"),
            ("NaiveBayes", "", "y", "AUC"),
            ("ScoreCard", "", "y", "AUC"),
            ("XGBClassifier", "train.num_boost_round = 30", "y", "AUC"),
            ("RandomForestClassifier", "", "y", "AUC"))


class Folds(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (id INTEGER PRIMARY KEY, colour TEXT, a REAL, b REAL, g TEXT, y TEXT, z REAL)")
        draw = random.Random(4)
        for i in range(400):
            a, b, colour = draw.random(), draw.random(), draw.choice("rgb")
            self.database.execute(
                "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)",
                (i, colour, a, b if draw.random() < .9 else None, f"g{i % 7}",
                 "high" if a + draw.random() > 1 else "low", 3 * a + b * b + (colour == "g") + draw.random()))

    def train(self, model, settings, label, into="m", rows="t", select="colour, a, b, {}"):
        return self.run_all(f"SELECT {select.format(label)} FROM {rows} TO TRAIN {model} WITH {settings} "
                            f"LABEL {label} INTO {into}")

    def assert_by_hand(self, rows, by_hand):
        """by_hand: the metrics of each fold on its rows."""
        crossed = harness.crossed(rows)
        self.assertGreater(len(crossed), 1)
        for name, found in crossed.items():
            values = sorted(metrics[name] for metrics in by_hand)
            mean = sum(values) / len(values)
            with self.subTest(name):
                self.assertEqual(found[0], mean)
                self.assertAlmostEqual(
                    found[1], math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1)), 12)

    def test_one_row_a_fold_is_what_validation_select_of_each_row_measures(self):
        self.run_all("CREATE TABLE few AS SELECT * FROM t WHERE id < 5")
        self.run_all("INSERT INTO few SELECT * FROM t WHERE id = 3")
        for model, settings, label in BY_HAND:
            metrics = "'Accuracy, LogLoss'" if label == "y" else "'RMSE, MAE'"
            settings += f", validation.metrics = {metrics}"
            with self.subTest(model):
                rows = self.train(model, settings + ", train.folds = 6", label, rows="few")
                by_hand = [harness.validated(self.train(
                    model, f"{settings}, validation.select = 'SELECT * FROM few WHERE rowid = {row}'", label,
                    "by_hand", f"few WHERE rowid <> {row}")) for row in range(1, 7)]
                self.assert_by_hand(rows, by_hand)

    def test_one_group_a_fold_is_what_validation_select_of_each_group_measures(self):
        settings = "train.num_boost_round = 3, train.group = 'g'"
        select = "colour, a, b, g, {}"
        rows = self.train("XGBClassifier", settings + ", train.folds = 7", "y", select=select)
        by_hand = [harness.validated(self.train(
            "XGBClassifier", f"{settings}, validation.select = 'SELECT * FROM t WHERE id % 7 = {group}'", "y",
            "by_hand", f"t WHERE id % 7 <> {group}", select)) for group in range(7)]
        self.assert_by_hand(rows, by_hand)

    def make_patients(self):
        """20 rows of each of 60 patients, who are sick or well whatever their word says."""
        draw = random.Random(4)
        self.run_all("CREATE TABLE p (patient INTEGER, who TEXT, a REAL, y TEXT, z REAL)")
        for patient in range(60):
            for _ in range(20):
                sick = patient % 2 if draw.random() < .95 else 1 - patient % 2
                self.database.execute("INSERT INTO p VALUES (?, ?, ?, ?, ?)", (
                    patient, f"p{patient}", draw.random(), "sick" if sick else "well", 3 * sick + draw.random()))

    def test_ids_that_leak_tell_nothing_by_group_whatever_the_kind(self):
        self.make_patients()
        for model, settings, label, metric in BY_GROUP:
            with self.subTest(model):
                settings += ", " if settings else ""
                leak = self.train(model, settings + "train.folds = 5", label, rows="p", select="who, a, {}")
                groups = self.train(model, settings + "train.folds = 5, train.group = 'patient'", label, rows="p",
                                    select="who, a, patient, {}")
                self.assertGreater(harness.crossed(leak)[metric][0], .9 if metric == "AUC" else .7)
                self.assertLess(harness.crossed(groups)[metric][0], .6 if metric == "AUC" else .1)

    def test_a_share_is_held_out_by_group_whatever_the_kind(self):
        self.make_patients()
        for model, settings, label, metric in BY_GROUP:
            with self.subTest(model):
                settings = ", ".join(part for part in (
                    settings, "train.test_size = 0.3, train.group = 'patient', train.seed = 1") if part)
                found = harness.validated(self.train(model, settings, label, rows="p", select="who, a, patient, {}"))
                self.assertLess(found[metric], .65 if metric == "AUC" else .1)

    def test_groups_and_workers_change_no_bit(self):
        self.make_patients()
        for model, settings, label, _ in BY_GROUP[:4]:
            digests = set()
            for workers in (1, 3):
                self.train(model, f"{settings}, train.group = 'patient', job.min_workers = {workers}, "
                           f"job.max_workers = {workers}", label, rows="p", select="who, a, patient, {}")
                digests.add(self.model_digest("m"))
            with self.subTest(model):
                self.assertEqual(len(digests), 1)
        with self.assertRaisesRegex(sqlite3.Error, "train.group does not go together with train.shuffle = false"):
            self.train("DNNClassifier", "train.group = 'patient', train.shuffle = false", "y", rows="p",
                       select="who, a, patient, {}")

    def test_the_model_is_that_of_all_rows(self):
        for model, settings, label in BY_HAND:
            with self.subTest(model):
                rows = self.train(model, settings + ", train.folds = 3", label)
                self.train(model, settings + ", train.test_size = 0", label, "whole")
                self.assertEqual(self.model_digest("m"), self.model_digest("whole"))
                self.assertEqual(harness.facts(rows)["rows"], 400)
                self.assertEqual(harness.validated(rows), {})

    def test_workers_threads_and_the_order_of_rows_change_no_bit(self):
        self.run_all("CREATE TABLE turned AS SELECT * FROM t ORDER BY random()")
        model, settings, label = NETWORK
        first = harness.crossed(self.train(model, settings + ", train.folds = 4", label))
        digest = self.model_digest("m")
        for others in ("job.min_workers = 2, job.max_workers = 2", "job.threads = 3"):
            rows = self.train(model, f"{settings}, train.folds = 4, {others}", label, rows="turned")
            self.assertEqual(harness.crossed(rows), first)
            self.assertEqual(self.model_digest("m"), digest)
        self.assertNotEqual(harness.crossed(self.train(model, settings + ", train.folds = 5", label)), first)
        self.assertNotEqual(
            harness.crossed(self.train(model, settings + ", train.folds = 4, train.seed = 1", label)), first)

    def test_early_stopping_of_the_folds_says_how_long_the_model_learns(self):
        for model, settings, length in (
                ("DNNClassifier", "model.hidden_units = [16], train.epoch = 80, optimizer.learning_rate = 0.05",
                 "train.epoch"),
                ("XGBClassifier", "train.num_boost_round = 60", "train.num_boost_round")):
            with self.subTest(model):
                rows = self.train(model, settings + ", train.early_stopping = 2, train.folds = 3", "y")
                said = self.run_all("SELECT max(epoch) FROM totrain_metrics WHERE id = (SELECT id FROM totrain_models "
                                    "WHERE name = 'm' ORDER BY version DESC LIMIT 1)")[0][0]
                self.assertLess(said, 60)
                start, _, end = settings.partition(length)
                self.train(model, f"{start}{length} = {said}{end[end.find(','):] if ',' in end else ''}, "
                           "train.test_size = 0", "y", "whole")
                self.assertEqual(self.model_digest("m"), self.model_digest("whole"))
                self.assertEqual(len(harness.crossed(rows)), 5)

    def test_results_stay_with_the_model(self):
        model, settings, label = NETWORK
        rows = self.train(model, settings + ", train.folds = 3", label)
        crossed = harness.crossed(rows)
        self.assertEqual(set(crossed), {"loss", "Accuracy", "LogLoss", "AUC", "F1"})
        self.assertTrue(all(0 < mean and 0 < deviation < .2 for mean, deviation in crossed.values()))
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertAlmostEqual(shown["AUC, folds"], crossed["AUC"][0], 12)
        self.assertAlmostEqual(shown["AUC, deviation"], crossed["AUC"][1], 12)
        shown = [row for row in self.run_all("SHOW MODELS") if row[0] == "m"][0]
        self.assertIn("folds", shown)
        self.assertAlmostEqual(shown[shown.index("Accuracy") + 1], crossed["Accuracy"][0], 12)

    def test_the_jobs_of_the_folds_leave_nothing(self):
        before = {row[0] for row in self.run_all("SELECT id FROM totrain_jobs")}
        self.train(*NETWORK[:2], "y")
        rows = self.train(NETWORK[0], NETWORK[1] + ", train.folds = 3", "y")
        left = {row[0] for row in self.run_all("SELECT id FROM totrain_jobs")} - before
        self.assertEqual(len(left), 2)
        self.assertIn(harness.facts(rows)["job"], left)

    def test_a_failure_names_the_fold_and_leaves_the_old_model(self):
        self.run_all("CREATE TABLE small AS SELECT * FROM t WHERE id < 4")
        with self.assertRaisesRegex(sqlite3.Error, "5 folds need as many rows, and there are 4"):
            self.train(NETWORK[0], NETWORK[1] + ", train.folds = 5", "y", rows="small")
        with self.assertRaisesRegex(sqlite3.Error, r"8 folds need as many groups, and the rows have 7(?s:.*)WITH train.folds = 7 has"):
            self.train("XGBRegressor", "train.group = 'g', train.folds = 8", "z", select="a, g, {}")
        self.run_all("UPDATE small SET y = CASE WHEN id = 0 THEN 'other' ELSE 'low' END")
        with self.assertRaisesRegex(sqlite3.Error, r"fold \d of 2: "):
            self.train(NETWORK[0], NETWORK[1] + ", train.folds = 2", "y", rows="small")
        self.assertEqual(self.run_all("SELECT name FROM sqlite_master WHERE name = 'm'"), [])

    def test_ctrl_c_in_a_fold_ends_the_statement_and_publishes_nothing(self):
        process = subprocess.Popen(
            ["sqlite3", "-interactive", self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.kill)
        process.stdin.write(f".load {harness.EXTENSION}\nSELECT a, b, y FROM t TO TRAIN DNNClassifier WITH "
                            "model.hidden_units = [64, 64], train.epoch = 1000000, train.batch_size = 1, "
                            "train.folds = 3 LABEL y INTO m;\n")
        process.stdin.flush()
        self.wait_until_training()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate("SELECT 'still' || ' here';\n", timeout=harness.DEADLINE)
        self.assertIn("interrupted", err)
        self.assertIn("still here", out)
        self.check_nothing_runs()
        self.assertEqual(self.run_all("SELECT name FROM sqlite_master WHERE name = 'm'"), [])
        self.assertEqual([job for job in (self.state / "jobs").iterdir() if list(job.glob("*.spool"))], [])

    def test_a_worker_that_is_killed_in_a_fold_changes_no_bit(self):
        train = ("SELECT colour, a, b, y FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 6, "
                 "train.folds = 2, job.min_workers = 2, job.max_workers = 3 LABEL y INTO m")
        wanted = harness.crossed(self.run_all(train))
        digest = self.model_digest()
        self.end_without_a_worker(self.paced(train))
        self.assertEqual(self.model_digest(), digest)
        shown = dict(self.run_all("SHOW MODEL m"))
        for name, (mean, deviation) in wanted.items():
            self.assertAlmostEqual(shown[f"{name}, folds"], mean, 12)
            self.assertAlmostEqual(shown[f"{name}, deviation"], deviation, 12)

    def test_weights_of_rows_go_with_the_folds(self):
        self.run_all("CREATE TABLE weighed AS SELECT a, b, z, 1 + id % 3 AS w FROM t WHERE id < 4")
        settings = "train.epoch = 12, train.sample_weight = 'w'"
        rows = self.train("LinearRegressor", settings + ", train.folds = 4", "z", rows="weighed", select="a, b, w, {}")
        by_hand = [harness.validated(self.train(
            "LinearRegressor", f"{settings}, validation.select = 'SELECT * FROM weighed WHERE rowid = {row}'", "z",
            "by_hand", f"weighed WHERE rowid <> {row}", "a, b, w, {}")) for row in range(1, 5)]
        crossed = {name: value for name, value in harness.crossed(rows).items() if name != "R2"}
        self.assertEqual({name: mean for name, (mean, _) in crossed.items()},
                         {name: sum(sorted(metrics[name] for metrics in by_hand)) / 4 for name in crossed})

    def test_ten_folds_measure_what_scikit_learn_measures(self):
        for table, model, label, metrics in SCIKIT_LEARN:
            harness.load_csv(self.database, table)
            crossed = harness.crossed(self.train(model, "train.folds = 10", label, rows=table, select="*"))
            for metric, (mean, deviation) in metrics.items():
                with self.subTest(table=table, metric=metric):
                    found = crossed[metric]
                    # The mean of ten has a standard error of a third of the deviation, in both of them.
                    self.assertAlmostEqual(found[0], mean, delta=deviation / 2)
                    self.assertTrue(deviation / 3 < found[1] < 3 * deviation, found)

    def test_progress_says_which_fold_it_is(self):
        done = self.run_program(self.path, "--progress=json", "-c", "SELECT a, b, y FROM t TO TRAIN DNNClassifier WITH "
                                "model.hidden_units = [8], train.epoch = 3, train.folds = 2 LABEL y INTO m")
        stages = [json.loads(line).get("stage") for line in done.stderr.splitlines()]
        self.assertEqual([stage for i, stage in enumerate(stages) if i == 0 or stage != stages[i - 1]],
                         ["fold 1 of 2", "fold 2 of 2", None])

    def test_a_metric_that_a_fold_does_not_have_is_told_with_the_reason(self):
        select = "a, b, g, CASE WHEN g < 'g3' THEN 1 ELSE 0 END AS y"
        rows = self.train("LogisticRegression", "train.folds = 5, train.group = 'g'", "y", select=select)
        self.assertIsNone([row[1] for row in rows if row[0] == "AUC" and row[2] == "folds"][0])
        said = [row[3] for row in rows if row[0] == "notice" and "of the folds is NULL" in row[3]]
        self.assertEqual(len(said), 1, rows)
        self.assertRegex(said[0], "^AUC of the folds is NULL: [2-5] of 5 folds have none, where all rows have the same class. ")
        rows = self.train("LogisticRegression", "train.folds = 5", "y", select=select.replace("g, CASE", "CASE"))
        self.assertNotIn("of the folds is NULL", str(rows))

    def test_each_class_is_spread_over_the_folds(self):
        self.run_all("CREATE TABLE rare AS SELECT a, CASE WHEN id % 80 = 0 THEN 'rare' ELSE 'common' END AS y FROM t")
        rows = self.train("DNNClassifier", NETWORK[1] + ", train.folds = 5, validation.metrics = 'Accuracy'", "y",
                          rows="rare", select="a, {}")
        # One of the five in each fold of 80: whoever always says the other has the same accuracy in all.
        self.assertEqual(harness.crossed(rows)["Accuracy"], (79 / 80, 0))


harness.main()
