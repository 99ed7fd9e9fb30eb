"""tune.trials: values of attributes are drawn, trained with and judged; the best model is written."""

import json
import os
import random
import signal
import sqlite3
import subprocess

import harness
import search_reference

NETWORK = ("SELECT a, b, colour, y FROM t TO TRAIN DNNClassifier WITH tune.trials = 4, model.hidden_units = [[4], [8, 4]], "
           "optimizer.learning_rate = RANGE(1e-3, 1e-1), train.epoch = 4{} LABEL y INTO m")
# A search for each kind of model, and the same statement with values in their place.
KINDS = (
    ("DNNClassifier", "a, b, y", "model.hidden_units = [[4], [8, 4]], optimizer.learning_rate = RANGE(1e-3, 1e-1), "
     "model.activation = ['relu', 'tanh'], train.batch_size = RANGE(8, 64)", "train.epoch = 4", "LABEL y"),
    ("LinearRegressor", "a, b, colour, z", "model.l2 = RANGE(1e-6, 1)", "train.epoch = 5", "LABEL z"),
    ("XGBRegressor", "a, b, z", "max_depth = RANGE(2, 4), eta = RANGE(0.05, 0.5)", "train.num_boost_round = 5", "LABEL z"),
    ("RandomForestClassifier", "a, b, y", "max_depth = [2, 4, 6]", "num_parallel_tree = 5", "LABEL y"),
    ("WideAndDeepClassifier", "a, colour, y", "model.embedding_dimension = [2, 4]", "hidden_units = [4], train.epoch = 2",
     "LABEL y"),
    ("DNNClassifier", "a, y", "train.class_weight = [[1, 1], [1, 3], 'balanced']", "hidden_units = [4], train.epoch = 2",
     "LABEL y"),
    ("KMeans", "a, b", "model.n_clusters = RANGE(2, 5)", "model.n_init = 2", ""),
)


def trials(rows):
    """Number, value, metric and settings of each trial of a result of TRAIN."""
    return [(int(row[0].split()[1]), *row[1:]) for row in rows if row[0].startswith("trial ")]


class Search(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (id INTEGER PRIMARY KEY, colour TEXT, a REAL, b REAL, y TEXT, z REAL)")
        draw = random.Random(4)
        for i in range(300):
            a, b, colour = draw.random(), draw.random(), draw.choice("rgb")
            self.database.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)",
                                  (i, colour, a, b, "high" if a + draw.random() > 1 else "low", 3 * a + b * b + draw.random()))

    def shown(self, model="m"):
        return [dict(zip(("trial", "state", "metric", "value", "epochs", "settings", "error", "deviation"), row))
                for row in self.run_all(f"SHOW TRIALS {model}")]

    def test_the_model_is_that_of_the_best_values_to_the_bit(self):
        for model, columns, search, others, label in KINDS:
            with self.subTest(model):
                rows = self.run_all(f"SELECT {columns} FROM t TO TRAIN {model} WITH {search}, {others}, tune.trials = 3 "
                                    f"{label} INTO m")
                found = trials(rows)
                shown = self.shown()
                best = [trial for trial in shown if trial["state"] == "best"]
                self.assertEqual(len(best), 1)
                self.assertEqual(len(found), len(shown))
                for trial, row in zip(shown, found):
                    self.assertAlmostEqual(trial["value"], row[1], 12)
                is_loss = best[0]["metric"] in ("LogLoss", "RMSE")
                self.assertEqual(best[0]["value"], (min if is_loss else max)(trial["value"] for trial in shown))
                held_out = ", train.test_size = 0.2" if label else ""
                again = self.run_all(f"SELECT {columns} FROM t TO TRAIN {model} WITH {best[0]['settings']}, {others}"
                                     f"{held_out} {label} INTO by_hand")
                self.assertEqual(self.model_digest(), self.model_digest("by_hand"))
                value = {(row[0], row[2]): row[1] for row in again}[best[0]["metric"],
                                                                   "validation" if label else "training"]
                self.assertIn(value, [row[1] for row in found])
                self.assertAlmostEqual(value, best[0]["value"], 12)

    def test_each_trial_is_judged_as_its_statement_is(self):
        self.run_all(NETWORK.format(""))
        for trial in self.shown():
            rows = self.run_all("SELECT a, b, colour, y FROM t TO TRAIN DNNClassifier WITH train.epoch = 4, "
                                f"train.test_size = 0.2, {trial['settings']} LABEL y INTO by_hand")
            self.assertAlmostEqual(harness.validated(rows)["LogLoss"], trial["value"], 12)

    def test_workers_threads_and_the_order_of_rows_change_no_bit(self):
        self.run_all("CREATE TABLE turned AS SELECT * FROM t ORDER BY random()")
        first = trials(self.run_all(NETWORK.format("")))
        digest = self.model_digest()
        for others in (", job.min_workers = 2, job.max_workers = 2", ", job.min_workers = 3, job.max_workers = 3",
                       ", job.threads = 3"):
            found = trials(self.run_all(NETWORK.replace("FROM t ", "FROM turned ").format(others)))
            self.assertEqual(found, first)
            self.assertEqual(self.model_digest(), digest)
        self.assertNotEqual(trials(self.run_all(NETWORK.format(", train.seed = 1"))), first)

    def test_halving_lets_the_best_third_learn_three_times_as_long(self):
        for others in ("", ", job.min_workers = 2, job.max_workers = 2"):
            self.run_all("SELECT a, b, y FROM t TO TRAIN XGBClassifier WITH tune.trials = 9, tune.method = 'halving', "
                         f"eta = RANGE(0.01, 0.5), train.num_boost_round = 27{others} LABEL y INTO m")
            shown = self.shown()
            self.assertEqual(sorted((trial["state"], trial["epochs"]) for trial in shown),
                             [("best", 27)] + 6 * [("stopped", 3)] + 2 * [("stopped", 9)])
            if others:
                self.assertEqual(shown, first)
            first = shown
        best = [trial for trial in shown if trial["state"] == "best"][0]
        self.run_all("SELECT a, b, y FROM t TO TRAIN XGBClassifier WITH train.num_boost_round = 27, train.test_size = 0.2, "
                     f"{best['settings']} LABEL y INTO whole")
        self.assertEqual(self.model_digest(), self.model_digest("whole"))

    def test_rows_of_a_select_of_their_own_judge(self):
        self.run_all("SELECT a, b, y FROM t WHERE id < 200 TO TRAIN XGBClassifier WITH tune.trials = 2, max_depth = [2, 4], "
                     "num_boost_round = 3, tune.metric = 'AUC', validation.select = 'SELECT * FROM t WHERE id >= 200' "
                     "LABEL y INTO m")
        for trial in self.shown():
            rows = self.run_all("SELECT a, b, y FROM t WHERE id < 200 TO TRAIN XGBClassifier WITH num_boost_round = 3, "
                                f"validation.select = 'SELECT * FROM t WHERE id >= 200', {trial['settings']} "
                                "LABEL y INTO by_hand")
            self.assertAlmostEqual(harness.validated(rows)["AUC"], trial["value"], 12)

    def test_results_stay_with_the_model(self):
        self.run_all(NETWORK.format(""))
        first = self.shown()
        self.run_all("CREATE TABLE copy AS SELECT * FROM m")
        self.assertEqual(self.shown("copy"), first)
        model = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(model["best trial"], [trial for trial in first if trial["state"] == "best"][0]["settings"])
        self.assertIn("RANGE", model["optimizer.learning_rate"])
        self.run_all("SELECT a, y FROM t TO TRAIN LinearClassifier LABEL y INTO plain")
        self.assertEqual(self.shown("plain"), [])
        self.assertNotIn("best trial", dict(self.run_all("SHOW MODEL plain")))

    def test_a_trial_that_diverges_is_a_row_and_ends_nothing(self):
        rows = self.run_all("SELECT a, z FROM t TO TRAIN DNNRegressor WITH tune.trials = 2, train.epoch = 3, "
                            "model.optimizer = 'sgd', hidden_units = [8, 8], optimizer.learning_rate = [0.01, 100] "
                            "LABEL z INTO m")
        shown = {trial["state"]: trial for trial in self.shown()}
        self.assertEqual(set(shown), {"best", "failed"})
        self.assertIn("not finite", shown["failed"]["error"])
        self.assertIsNone(shown["failed"]["value"])
        self.assertIn("100", shown["failed"]["settings"])
        self.assertEqual(len([row for row in trials(rows) if "(failed: " in row[3]]), 1)
        digest = self.model_digest()
        with self.assertRaisesRegex(sqlite3.Error, "each trial has failed; trial 1: .*not finite"):
            self.run_all("SELECT a, z FROM t TO TRAIN DNNRegressor WITH tune.trials = 2, train.epoch = 3, "
                         "model.optimizer = 'sgd', hidden_units = [8, 8], optimizer.learning_rate = [90, 100] "
                         "LABEL z INTO m")
        self.assertEqual(self.model_digest(), digest)

    def test_the_jobs_of_the_trials_leave_nothing(self):
        rows = self.run_all(NETWORK.format(""))
        self.assertEqual([row[0] for row in self.run_all("SELECT id FROM totrain_jobs")], [harness.facts(rows)["job"]])
        self.assertEqual([job for job in (self.state / "jobs").iterdir() if list(job.glob("*.spool"))], [])

    def test_ctrl_c_in_a_trial_keeps_the_old_model(self):
        self.run_all("SELECT a, y FROM t TO TRAIN LinearClassifier LABEL y INTO m")
        digest = self.model_digest()
        process = subprocess.Popen(
            ["sqlite3", "-interactive", self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.kill)
        jobs = len(self.jobs_started())
        process.stdin.write(f".load {harness.EXTENSION}\nSELECT a, b, y FROM t TO TRAIN DNNClassifier WITH tune.trials = 3, "
                            "model.hidden_units = [[64, 64], [64]], train.epoch = 1000000, train.batch_size = 1 "
                            "LABEL y INTO m;\n")
        process.stdin.flush()
        harness.wait_for(lambda: len(self.jobs_started()) > jobs and harness.processes_of(self.state), "a trial that runs")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate("SELECT 'still' || ' here';\n", timeout=harness.DEADLINE)
        self.assertIn("interrupted", err)
        self.assertIn("still here", out)
        self.check_nothing_runs()
        self.assertEqual(self.model_digest(), digest)
        self.assertEqual([job for job in (self.state / "jobs").iterdir() if list(job.glob("*.spool"))], [])

    def test_a_worker_that_is_killed_in_a_trial_changes_no_bit(self):
        train = NETWORK.format(", job.min_workers = 2, job.max_workers = 3")
        self.run_all(train)
        digest, shown = self.model_digest(), self.shown()
        self.end_without_a_worker(self.paced(train))
        self.assertEqual(self.model_digest(), digest)
        self.assertEqual(self.shown(), shown)

    def test_a_session_that_is_killed_ends_its_trial_and_keeps_the_old_model(self):
        self.run_all(NETWORK.format(""))
        digest = self.model_digest()
        process = self.paced(NETWORK.format(", train.seed = 7"))
        process.kill()
        process.communicate()
        self.check_nothing_runs()
        self.assertEqual(self.model_digest(), digest)
        self.run_all(NETWORK.format(""))
        self.assertEqual(self.model_digest(), digest)
        self.assertEqual([job for job in (self.state / "jobs").iterdir() if list(job.glob("*.spool"))], [])

    def test_progress_says_which_trial_it_is_and_the_best_so_far(self):
        done = self.run_program(self.path, "--progress=json", "-c", NETWORK.format(""))
        stages = [json.loads(line).get("stage") for line in done.stderr.splitlines()]
        said = [stage for i, stage in enumerate(stages) if i == 0 or stage != stages[i - 1]]
        self.assertEqual(len(said), 5, said)
        self.assertEqual(said[0], "trial 1 of 4")
        self.assertRegex(said[3], r"trial 4 of 4, best LogLoss 0\.\d+")
        self.assertIsNone(said[4])

    def folded(self, others=""):
        """Trials of a statement with folds, as TRAIN and as SHOW TRIALS has them."""
        found = trials(self.run_all(NETWORK.format(", train.folds = 3" + others)))
        return found, self.shown(), self.model_digest()

    def test_with_folds_a_trial_is_judged_by_their_mean(self):
        rows = self.run_all(NETWORK.format(", train.folds = 3, validation.metrics = 'Accuracy,LogLoss', tune.metric = 'LogLoss'"))
        shown = self.shown()
        digest = self.model_digest()
        self.assertEqual(len(shown), 4)
        for trial in shown:
            by_hand = self.run_all("SELECT a, b, colour, y FROM t TO TRAIN DNNClassifier WITH train.epoch = 4, train.folds = 3, "
                                   f"validation.metrics = 'Accuracy,LogLoss', {trial['settings']} LABEL y INTO by_hand")
            values = {(row[0], row[2]): row[1] for row in by_hand}
            self.assertAlmostEqual(trial["value"], values["LogLoss", "folds"], 12)
            self.assertAlmostEqual(trial["deviation"], values["LogLoss", "deviation"], 12)
            self.assertGreater(trial["deviation"], 0)
            if trial["state"] == "best":
                self.assertEqual(self.model_digest("by_hand"), digest)
                best = {(row[0], row[2]): row[1] for row in rows}
                for key in values:
                    if key[1] in ("folds", "deviation"):
                        self.assertEqual(best[key], values[key])
        self.assertEqual([trial["state"] for trial in sorted(shown, key=lambda trial: trial["value"])],
                         ["best"] + 3 * ["done"])

    def test_with_folds_workers_and_the_order_of_rows_change_no_bit(self):
        self.run_all("CREATE TABLE turned AS SELECT * FROM t ORDER BY random()")
        first = self.folded()
        for workers in (2, 3, 8):
            self.assertEqual(self.folded(f", job.min_workers = {workers}, job.max_workers = {workers}"), first)
        self.run_all("DROP TABLE m")
        self.run_all(NETWORK.replace("FROM t ", "FROM turned ").format(", train.folds = 3"))
        self.assertEqual((self.shown(), self.model_digest()), first[1:])

    def test_with_folds_halving_shortens_the_models_of_all_folds(self):
        train = ("SELECT a, b, y FROM t TO TRAIN XGBClassifier WITH tune.trials = 9, tune.method = 'halving', train.folds = 2, "
                 "eta = RANGE(0.01, 0.5), train.num_boost_round = 9 LABEL y INTO m")
        self.run_all(train)
        shown = self.shown()
        self.assertEqual(sorted((trial["state"], trial["epochs"]) for trial in shown),
                         [("best", 9)] + 6 * [("stopped", 1)] + 2 * [("stopped", 3)])
        best = [trial for trial in shown if trial["state"] == "best"][0]
        self.run_all("SELECT a, b, y FROM t TO TRAIN XGBClassifier WITH train.num_boost_round = 9, train.folds = 2, "
                     f"{best['settings']} LABEL y INTO whole")
        self.assertEqual(self.model_digest(), self.model_digest("whole"))
        self.assertIn(": up to 27 trainings in all", dict(self.run_all("EXPLAIN " + train))["search"])

    def test_with_folds_groups_stay_whole_and_trials_stop_early(self):
        search = ("train.folds = 3, train.group = 'colour', train.early_stopping = 2, train.num_boost_round = 12")
        self.run_all(f"SELECT a, b, colour, z FROM t TO TRAIN XGBRegressor WITH tune.trials = 2, max_depth = [2, 4], {search} "
                     "LABEL z INTO m")
        for trial in self.shown():
            rows = self.run_all(f"SELECT a, b, colour, z FROM t TO TRAIN XGBRegressor WITH {trial['settings']}, {search} "
                                "LABEL z INTO by_hand")
            values = {(row[0], row[2]): row[1] for row in rows}
            self.assertAlmostEqual(trial["value"], values["RMSE", "folds"], 12)
            if trial["state"] == "best":
                self.assertEqual(self.model_digest(), self.model_digest("by_hand"))

    def test_penalties_are_ranked_as_by_scikit_learn(self):
        """The order is that of search_reference.py, in each of ten deals."""
        made = search_reference.rows()
        names = [f"x{i}" for i in range(len(made[0]) - 1)]
        self.run_all(f"CREATE TABLE few ({', '.join(names)}, label REAL)")
        self.database.executemany(f"INSERT INTO few VALUES ({', '.join('?' * len(made[0]))})", made)
        self.run_all("SELECT * FROM few TO TRAIN LinearRegressor WITH tune.trials = 3, train.folds = 5, train.epoch = 300, "
                     f"model.l2 = {list(search_reference.PENALTIES)} LABEL label INTO m")
        ranked = sorted(self.shown(), key=lambda trial: trial["value"])
        self.assertEqual([float(trial["settings"].split(" = ")[1]) for trial in ranked], [3, 100, 0.001])

    def test_with_folds_a_worker_that_is_killed_changes_no_bit(self):
        others = ", job.min_workers = 2, job.max_workers = 3"
        _, shown, digest = self.folded(others)
        self.end_without_a_worker(self.paced(NETWORK.format(", train.folds = 3" + others)))
        self.assertEqual((self.shown(), self.model_digest()), (shown, digest))
        self.assertEqual([job for job in (self.state / "jobs").iterdir() if list(job.glob("*.spool"))], [])

    def test_with_folds_a_trial_that_diverges_is_a_row(self):
        self.run_all("SELECT a, z FROM t TO TRAIN DNNRegressor WITH tune.trials = 2, train.folds = 2, train.epoch = 3, "
                     "model.optimizer = 'sgd', hidden_units = [8, 8], optimizer.learning_rate = [0.01, 100] LABEL z INTO m")
        shown = {trial["state"]: trial for trial in self.shown()}
        self.assertEqual(set(shown), {"best", "failed"})
        self.assertRegex(shown["failed"]["error"], "^fold 1 of 2: .*not finite")
        self.assertIsNone(shown["failed"]["deviation"])

    def test_with_folds_progress_and_explain_say_so(self):
        train = NETWORK.format(", train.folds = 2")
        done = self.run_program(self.path, "--progress=json", "-c", train)
        stages = [json.loads(line).get("stage") for line in done.stderr.splitlines()]
        said = [stage for i, stage in enumerate(stages) if i == 0 or stage != stages[i - 1]]
        self.assertEqual(len(said), 9, said)
        self.assertEqual(said[:2], ["trial 1 of 4, fold 1 of 2", "trial 1 of 4, fold 2 of 2"])
        self.assertRegex(said[7], r"^trial 4 of 4, best LogLoss 0\.\d+, fold 2 of 2$")
        lines = dict(self.run_all("EXPLAIN " + train))
        self.assertEqual(lines["search"], "4 trials, judged by LogLoss of the folds, in the mean; then the model of the best: "
                         "9 trainings in all")
        self.assertIn("2 jobs of each trial, each without ", lines["folds"])

    def test_rows_that_compare_trials_are_not_learned_from(self):
        said = "the model of the best trial has not learned from the rows that are held out to compare trials"
        for more, times in (("", 1), (", train.folds = 2", 0)):
            for statement in ("EXPLAIN " + NETWORK.format(more), NETWORK.format(more)):
                notices = [row for row in self.run_all(statement) if said in str(row)]
                self.assertEqual(len(notices), times, statement)

    def test_explain_tells_the_space_and_what_it_takes(self):
        lines = dict(self.run_all("EXPLAIN " + NETWORK.format("")))
        self.assertEqual(lines["search"], "4 trials, judged by LogLoss of the rows that are held out; then the model of the "
                         "best")
        self.assertEqual(lines["model.hidden_units"], "[4] or [8, 4]")
        self.assertEqual(lines["optimizer.learning_rate"], "1e-3 to 1e-1, by its logarithm")
        self.assertIn("on one processor", lines["expected time"])


harness.main()
