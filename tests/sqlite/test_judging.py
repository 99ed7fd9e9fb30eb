"""Judging a model: reports, thresholds, the positive class, metrics of many classes, importance."""

import pathlib
import random
import sqlite3
import threading

import harness

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sql" / "judging.sql"
WAYS = ("", ", job.max_workers = 2")
REPORTS = ("confusion", "classes", "roc", "pr", "calibration")


class Judging(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def named(self, sql):
        cursor = self.database.execute(sql)
        return [dict(zip([column[0] for column in cursor.description], row)) for row in cursor]

    def fails(self, sql, message):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.run_all(sql)

    def make_two(self, rows=600):
        draw = random.Random(5)
        self.run_all("CREATE TABLE t (a REAL, b REAL, kind TEXT)")
        values = []
        for _ in range(rows):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            values.append((a, b, "fraud" if a + b / 2 + draw.gauss(0, 1) > 1 else "legit"))
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?)", values)

    def train(self, more="", into="m"):
        return self.named(f"SELECT * FROM t TO TRAIN LinearClassifier WITH train.epoch = 5{more} LABEL kind INTO {into}")

    def evaluate(self, more, table="t", model="m"):
        return self.named(f"SELECT * FROM {table} TO EVALUATE {model} WITH {more}")

    def test_the_positive_class_is_chosen_and_kept_in_the_model(self):
        self.make_two()
        names = [row["name"] for row in self.train(", model.positive = 'fraud'")]
        self.assertEqual(list(dict.fromkeys(names))[:5], ["loss", "Accuracy", "LogLoss", "AUC", "F1"])
        self.train(into="greater")
        frauds = self.run_all("SELECT totrain_probability('m', a, b), totrain_probability('greater', a, b), "
                              "totrain_predict('m', a, b), totrain_predict('greater', a, b) FROM t")
        for mine, other, predicted, same in frauds:
            self.assertAlmostEqual(mine, 1 - other, 12)
            self.assertEqual(predicted, same)
        both = [self.evaluate("validation.metrics = 'Recall,AUC'", model=model)[0] for model in ("m", "greater")]
        self.assertAlmostEqual(both[0]["AUC"], both[1]["AUC"], 12)
        for name, row in zip(("fraud", "legit"), both):
            found = self.run_all(f"SELECT avg(totrain_predict('m', a, b) = '{name}') FROM t WHERE kind = '{name}'")
            self.assertAlmostEqual(row["Recall"], found[0][0], 12)
        digests = dict(self.run_all("SELECT name, digest FROM totrain_models"))
        self.assertNotEqual(digests["m"], digests["greater"])
        self.train(", model.positive = 'legit'", "said")
        digests = dict(self.run_all("SELECT name, digest FROM totrain_models"))
        self.assertEqual(digests["said"], digests["greater"])

    def test_a_positive_class_that_no_row_has_is_refused_with_the_labels(self):
        self.make_two()
        train = "SELECT {0} FROM t TO TRAIN LinearClassifier WITH model.positive = {1} LABEL kind INTO m"
        self.fails(train.format("*", "'froud'"), "model.positive is 'froud', and no row has that label")
        with self.assertRaisesRegex(sqlite3.Error, "'fraud' and 'legit'"):
            self.run_all(train.format("*", "'froud'"))
        self.fails(train.format("a, b, CASE WHEN a > 1 THEN 'c' ELSE kind END AS kind", "fraud"), "has 3")
        for label in ("1", "true", "1.0", "'1'"):
            self.run_all(train.format("a, b, kind = 'fraud' AS kind", label))
        self.run_all(train.format("a, b, kind = 'fraud' AS kind", "0"))
        self.fails(train.format("a, b, kind = 'fraud' AS kind", "2"), "are 0 and 1")
        self.fails("SELECT a, b FROM t TO TRAIN LinearRegressor WITH model.positive = 1 LABEL b INTO m", "has no use with")

    def test_reports_are_the_same_from_workers_and_in_any_order_of_the_rows(self):
        self.make_two()
        self.train(", model.positive = 'fraud'")
        self.run_all("CREATE TABLE turned AS SELECT * FROM t ORDER BY b")
        for report in REPORTS:
            with self.subTest(report):
                found = self.evaluate(f"evaluate.report = '{report}'")
                self.assertEqual(self.evaluate(f"evaluate.report = '{report}', job.max_workers = 2"), found)
                self.assertEqual(self.evaluate(f"evaluate.report = '{report}'", "turned"), found)
                for way in WAYS:
                    done = self.named(f"SELECT * FROM t TO EVALUATE m WITH evaluate.report = '{report}'{way} INTO r")
                    self.assertEqual((done[0]["table"], done[0]["rows"]), ("r", len(found)))
                    self.assertEqual(self.named("SELECT * FROM r"), found)

    def test_a_detached_job_writes_its_report(self):
        self.make_two()
        self.train()
        found = self.evaluate("evaluate.report = 'classes'")
        job = self.run_all("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'classes', job.wait = false INTO r")[0][0]
        done = self.run_program("wait", job)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.named("SELECT * FROM r"), found)

    def test_a_confusion_matrix_is_that_of_the_predictions(self):
        self.make_two()
        self.train()
        self.run_all("SELECT * FROM t TO PREDICT p.guess USING m")  # the label stands beside the prediction
        counted = self.run_all("SELECT kind, guess, count(*) FROM p GROUP BY 1, 2")
        found = [tuple(row.values()) for row in self.evaluate("evaluate.report = 'confusion'")]
        self.assertEqual([row for row in found if row[2] > 0], counted)
        self.assertEqual(len(found), 4)
        self.run_all("INSERT INTO t VALUES (0, 0, 'new')")
        self.assertEqual([row["rows"] for row in self.evaluate("evaluate.report = 'confusion'")
                          if row["actual"] is None], [1])

    def test_a_threshold_decides_predictions_and_metrics(self):
        self.make_two()
        for positive in ("fraud", "legit"):
            self.train(f", model.positive = '{positive}'")
            for threshold in (0, 0.2, 0.9, 1):
                for way in WAYS:
                    self.run_all(f"SELECT * FROM t TO PREDICT p.guess WITH predict.threshold = {threshold}, "
                                 f"predict.extra_outputs = 'probability'{way} USING m")
                    wrong = self.run_all(f"SELECT count(*) FROM p WHERE (guess = '{positive}') <> (probability >= {threshold})")
                    self.assertEqual(wrong, [(0,)])
                    right = self.run_all("SELECT avg(guess = kind) FROM p")[0][0]
                    found = self.evaluate(f"validation.metrics = Accuracy, evaluate.threshold = {threshold}{way}")
                    self.assertAlmostEqual(found[0]["Accuracy"], right, 12)
        rows = self.run_all("SELECT a, b FROM t LIMIT 5 TO PREDICT WITH predict.threshold = 1 USING m")
        self.assertEqual([row[2] for row in rows], ["fraud"] * 5)

    def test_each_point_of_a_curve_is_what_its_threshold_gives(self):
        self.make_two()
        self.train(", model.positive = 'fraud'")
        curve = self.evaluate("evaluate.report = 'roc'")
        self.assertEqual((curve[0]["threshold"], curve[0]["true_positive_rate"]), (None, 0))
        for point in curve[1::97]:
            found = self.evaluate(f"validation.metrics = Recall, evaluate.threshold = {point['threshold']!r}")
            self.assertAlmostEqual(found[0]["Recall"], point["true_positive_rate"], 12)
        area = sum((b["false_positive_rate"] - a["false_positive_rate"]) *
                   (a["true_positive_rate"] + b["true_positive_rate"]) / 2 for a, b in zip(curve, curve[1:]))
        self.assertAlmostEqual(area, self.evaluate("validation.metrics = AUC")[0]["AUC"], 9)

    def test_many_classes_are_averaged_and_ranked(self):
        self.run_all("CREATE TABLE t AS WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 299) "
                     "SELECT i % 7 AS a, i % 11 AS b, 'k' || (i % 5 % 3) AS kind FROM s")
        names = [row["name"] for row in self.train()]
        self.assertEqual(names[:4], ["loss", "Accuracy", "LogLoss", "seconds"])
        more = "validation.metrics = 'AUC,PRAUC,F1,MCC,BalancedAccuracy', evaluate.average = '{}'{}"
        values = {}
        for average in ("macro", "weighted", "micro"):
            found = self.evaluate(more.format(average, ""))
            self.assertEqual(self.evaluate(more.format(average, WAYS[1])), found)
            self.assertTrue(0 < found[0]["AUC"] <= 1 and 0 < found[0]["PRAUC"] <= 1)
            values[average] = found[0]["F1"]
        self.assertEqual(len(set(values.values())), 3)
        trained = harness.facts(self.train(", validation.metrics = 'AUC,F1', validation.average = 'weighted'"))
        self.assertAlmostEqual(trained["F1"], values["weighted"], 12)
        self.assertAlmostEqual(trained["AUC"], self.evaluate("validation.metrics = AUC")[0]["AUC"], 12)
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'roc'", "is of two classes, and model m has 3")
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.threshold = 0.3", "is of two classes")
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'residuals'", "is of a regressor")

    def test_residuals_are_counted(self):
        self.make_two()
        self.run_all("SELECT a, b FROM t TO TRAIN LinearRegressor LABEL b INTO m")
        found = self.evaluate("evaluate.report = 'residuals'")
        self.assertEqual(self.evaluate("evaluate.report = 'residuals', job.max_workers = 2"), found)
        bars = [row for row in found if row["part"] == "histogram"]
        self.assertEqual(sum(row["rows"] for row in bars), 600)
        least = self.run_all("SELECT min(b - totrain_predict('m', a)), max(b - totrain_predict('m', a)) FROM t")[0]
        self.assertAlmostEqual(bars[0]["low"], least[0], 6)
        self.assertAlmostEqual(bars[-1]["high"], least[1], 6)
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'classes'", "is of a classifier")
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.average = 'micro'", "no use with a regressor")
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'residuals', validation.metrics = 'MSE'",
                   "no use with the report")

    def explain(self, more="", table="t", model="m"):
        return self.named(f"SELECT * FROM {table} TO EXPLAIN {model}{more}")

    def test_importance_is_what_a_linear_model_must_lose(self):
        """y = 3 a - b and c is noise: without the order of an input with variance 1 the squared error
        grows by twice the square of its weight."""
        draw = random.Random(9)
        self.run_all("CREATE TABLE t (a REAL, b REAL, c REAL, y REAL)")
        rows = [tuple(draw.gauss(0, 1) for _ in range(3)) for _ in range(2000)]
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [(a, b, c, 3 * a - b) for a, b, c in rows])
        self.run_all("SELECT * FROM t TO TRAIN LinearRegressor WITH train.epoch = 100 LABEL y INTO m")
        found = self.explain(" WITH explain.metric = 'MSE', explain.repeats = 20")
        self.assertEqual([row["input"] for row in found], ["a", "b", "c"])
        for row, expected in zip(found, (18, 2, 0)):
            self.assertAlmostEqual(row["importance"], expected, delta=0.05 * expected + 0.05)
            self.assertEqual(row["metric"], "MSE")
        again = self.explain(" WITH explain.metric = 'MSE', explain.repeats = 20, explain.seed = 1")
        self.assertNotEqual(again[0]["importance"], found[0]["importance"])
        self.assertEqual(again[0]["baseline"], found[0]["baseline"])
        self.assertEqual([row["metric"] for row in self.explain()], ["RMSE"] * 3)

    def test_importance_does_not_depend_on_the_order_of_rows_and_columns(self):
        self.make_two()
        self.run_all("ALTER TABLE t ADD COLUMN word TEXT")
        self.run_all("UPDATE t SET word = CASE WHEN kind = 'fraud' AND a < 1 THEN 'x' ELSE 'y' END")
        self.train()
        self.run_all("CREATE TABLE turned AS SELECT word, kind, b, a FROM t ORDER BY b")
        for rows in (100000, 600, 100):
            found = self.explain(f" WITH explain.rows = {rows}")
            self.assertEqual(self.explain(f" WITH explain.rows = {rows}", "turned"), found)
            self.assertEqual([row["metric"] for row in found], ["AUC"] * 3)
            self.assertGreater(found[0]["importance"], 0)
        done = self.run_program(self.path, "--format=csv", "-c", "SELECT * FROM t TO EXPLAIN m WITH explain.rows = 100")
        self.assertEqual(done.stdout.count("input,importance"), 1)  # the header stands there once
        self.assertIn("importance is measured on 100 of 600 rows", done.stderr)

    def test_importance_goes_into_a_table(self):
        self.make_two()
        self.train()
        found = self.explain()
        done = self.named("SELECT * FROM t TO EXPLAIN m INTO why")
        self.assertEqual((done[0]["table"], done[0]["rows"]), ("why", 2))
        self.assertEqual(self.named("SELECT * FROM why"), found)
        self.run_all("SELECT * FROM t TO EXPLAIN m INTO why")
        self.fails("SELECT * FROM t TO EXPLAIN m INTO t", "exists, and EVALUATE did not make it")
        self.fails("SELECT * FROM t TO EXPLAIN m INTO m", "is the model itself")
        self.fails("SELECT * FROM t WHERE 0 TO EXPLAIN m", "no rows")
        self.fails("SELECT * FROM t WHERE kind = 'fraud' TO EXPLAIN m", "AUC is not defined on these rows")

    def test_clusters_are_explained_by_their_inertia(self):
        self.make_two()
        self.run_all("SELECT a, b FROM t TO TRAIN KMeans WITH model.n_clusters = 3 INTO m")
        found = self.explain()
        self.assertEqual({row["metric"] for row in found}, {"Inertia"})
        self.assertTrue(all(row["importance"] > 0 for row in found))

    def test_an_explanation_is_interrupted(self):
        self.make_two()
        self.train()
        database = self.connect(isolation_level=None, check_same_thread=False)
        seen = []

        def interrupt():
            while not seen:  # before the statement has begun there is nothing to interrupt
                database.interrupt()

        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            with self.assertRaisesRegex(sqlite3.OperationalError, "interrupted"):
                for _ in range(100):
                    database.execute("SELECT * FROM t TO EXPLAIN m WITH explain.repeats = 1000").fetchall()
        finally:
            seen.append(True)
            thread.join()

    def test_the_example_runs(self):
        harness.load_csv(self.database, "breast_cancer")
        done = self.run_program(self.path, "-f", EXAMPLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("actual | predicted | rows", done.stdout)
        self.assertIn("mean_predicted", done.stdout)
        self.assertIn("importance", done.stdout)


harness.main()
