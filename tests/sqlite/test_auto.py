"""TO TRAIN AUTO: kinds of models are the trials of a search, judged by the same rows; the best is written."""

import json
import random
import sqlite3

import harness

KINDS = ["Linear", "XGB", "RandomForest", "DNN"]


class Auto(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, colour TEXT, note TEXT, y TEXT, z REAL)")
        draw = random.Random(4)
        for _ in range(240):
            a, b, colour = draw.random(), draw.random(), draw.choice("rgb")
            y = "high" if (a > 0.5) != (b > 0.5) else "low"  # no linear model knows it
            self.database.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)",
                                  (a, b, colour, f"some words {colour}", y, 3 * a + b + draw.random() / 9))

    def train(self, settings, columns="a, b, colour, y", more="", into="m", model="AUTO"):
        return self.run_all(f"SELECT {columns} FROM t TO TRAIN {model} WITH {settings} {more} LABEL {columns[-1]} INTO {into}")

    def shown(self, model="m"):
        return [dict(zip(("trial", "state", "metric", "value", "epochs", "settings", "error", "deviation"), row))
                for row in self.run_all(f"SHOW TRIALS {model}")]

    def meta(self, model="m"):
        return json.loads(self.run_all(f"SELECT data FROM {model} WHERE part = 'meta'")[0][0])

    def notices(self, model="m"):
        return " ".join(one["text"] for one in self.meta(model).get("notices", []))

    def check_best(self, rows):
        """The model is that of the best trial's own statement, to the bit."""
        shown = self.shown()
        best, = [trial for trial in shown if trial["state"] == "best"]
        self.assertEqual(best["value"], min(trial["value"] for trial in shown))
        estimator, _, values = best["settings"].partition(" WITH ")
        self.assertEqual(dict(self.run_all("SHOW MODEL m"))["kind"], estimator)
        self.train(", ".join(filter(None, [rows, values])), into="alone", model=estimator)
        self.assertEqual(self.digest(self.database, "alone"), self.digest(self.database, "m"))

    def test_kinds_are_tried_as_they_are_and_with_drawn_values(self):
        rows = self.train("tune.trials = 6")
        shown = self.shown()
        self.assertEqual([one["settings"] for one in shown[:4]], [f"{kind}Classifier" for kind in KINDS])
        self.assertRegex(shown[4]["settings"], r"^LinearClassifier WITH model.l2 = [\d.e-]+, optimizer.learning_rate = [\d.e-]+$")
        self.assertRegex(shown[5]["settings"], "^XGBClassifier WITH max_depth = ")
        for row, one in zip([row for row in rows if row[0].startswith("trial")], shown, strict=True):
            self.assertAlmostEqual(row[1], one["value"], 12)
        self.assertGreater(shown[0]["value"], 0.6)  # the linear model
        self.check_best("train.test_size = 0.2")
        for trial in shown[1], shown[5]:  # each trial is its own statement, whatever was trained before it
            _, _, values = trial["settings"].partition(" WITH ")
            alone = self.train(", ".join(filter(None, ["train.test_size = 0.2", values])), into="other", model="XGBClassifier")
            value, = [row[1] for row in alone if row[0] == "LogLoss" and row[2] == "validation"]
            self.assertAlmostEqual(value, trial["value"], 12)

    def test_folds_and_workers(self):
        self.train("tune.trials = 4, train.folds = 3")
        digest, shown = self.digest(self.database, "m"), self.shown()
        self.assertTrue(all(one["deviation"] > 0 for one in shown))
        self.check_best("train.folds = 3")
        self.train("tune.trials = 4, train.folds = 3, job.min_workers = 2")
        self.assertEqual((self.digest(self.database, "m"), self.shown()), (digest, shown))
        self.train("tune.trials = 2, train.folds = 3, train.calibration = 'sigmoid'")
        self.assertEqual(self.meta()["final"]["rows"], 240)

    def test_numbers_are_regressions_and_all_rows_tell(self):
        self.train("tune.trials = 4", "a, b, z")
        self.assertEqual([one["settings"] for one in self.shown()], [f"{kind}Regressor" for kind in KINDS])
        self.assertEqual({one["metric"] for one in self.shown()}, {"RMSE"})
        self.run_all("CREATE TABLE late AS WITH n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n LIMIT 1300) "
                     "SELECT i % 50 AS x, CASE WHEN i < 1000 THEN i % 2 ELSE i END AS y FROM n")
        self.run_all("SELECT * FROM late TO TRAIN AUTO WITH tune.trials = 1 LABEL y INTO m")
        self.assertEqual(dict(self.run_all("SHOW MODEL m"))["kind"], "LinearRegressor")

    def test_a_kind_that_cannot_take_the_rows_is_left_out_with_a_notice(self):
        self.train("tune.trials = 5", "a, note, y", "COLUMN a, TEXT(note)")
        self.assertEqual([one["settings"].split()[0] for one in self.shown()], ["LinearClassifier", "DNNClassifier", "LinearClassifier"])
        self.assertIn("AUTO does not try XGBClassifier: it makes other inputs of these columns than LinearClassifier",
                      self.notices())
        self.train("tune.trials = 4, model.l2 = 0.001")
        self.assertNotIn("XGB", " ".join(one["settings"] for one in self.shown()))
        self.assertIn('AUTO does not try XGBClassifier: attribute "model.l2" has no use with XGBClassifier', self.notices())

    def test_no_trial_begins_when_time_is_up(self):
        self.train("tune.max_seconds = 0.001")
        states = [one["state"] for one in self.shown()]
        self.assertEqual((len(states), states[0], set(states[1:])), (12, "best", {"skipped"}))
        with self.assertRaisesRegex(sqlite3.Error, "no use with tune.method = 'halving'"):
            self.train("tune.trials = 3, tune.max_seconds = 1, tune.method = 'halving', eta = RANGE(0.1, 0.3)", model="XGBClassifier")

    def test_mistakes(self):
        for settings, message in (("max_depth = RANGE(1, 3)", "AUTO draws from ranges of its own"),
                                  ("tune.method = 'halving'", "tune.method is not supported yet with AUTO"),
                                  ("max_depth = 3", '"max_depth" has no use with LinearClassifier'),
                                  ("tune.trials = 0", "tune.trials takes"),
                                  ("job.wait = false", "job.wait")):
            with self.assertRaisesRegex(sqlite3.Error, message):
                self.train(settings)
        with self.assertRaisesRegex(sqlite3.Error, "AUTO needs a LABEL"):
            self.run_all("SELECT a, b FROM t TO TRAIN AUTO INTO m")
        with self.assertRaisesRegex(sqlite3.Error, "is not among the columns of the query"):
            self.run_all("SELECT a, b FROM t TO TRAIN AUTO LABEL nothing INTO m")


if __name__ == "__main__":
    harness.main()
