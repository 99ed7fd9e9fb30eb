"""Judging a model: reports, thresholds, the positive class, metrics of many classes, importance."""

import math
import pathlib
import random
import sqlite3
import statistics
import threading

import harness

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sql" / "judging.sql"
WAYS = ("", ", job.max_workers = 2")
REPORTS = ("confusion", "classes", "roc", "pr", "thresholds", "gain", "calibration")


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

    def insert(self, statement, rows):
        self.database.execute("BEGIN")
        self.database.executemany(statement, rows)
        self.database.execute("COMMIT")

    def make_two(self, rows=600):
        draw = random.Random(5)
        self.run_all("CREATE TABLE t (a REAL, b REAL, kind TEXT)")
        values = []
        for _ in range(rows):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            values.append((a, b, "fraud" if a + b / 2 + draw.gauss(0, 1) > 1 else "legit"))
        self.insert("INSERT INTO t VALUES (?, ?, ?)", values)

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

    def test_the_threshold_that_costs_least_is_the_one_to_predict_by(self):
        self.make_two()
        self.train(", model.positive = 'fraud'")
        points = self.evaluate("evaluate.report = 'thresholds', evaluate.costs = [1, 5]")
        for more in WAYS:
            self.assertEqual(self.evaluate(f"evaluate.report = 'thresholds', evaluate.costs = [1, 5]{more}"), points)
        self.assertEqual(list(points[0]), ["threshold", "precision", "recall", "f1", "predicted_share", "cost"])
        for point in points[::60] + [min(points, key=lambda point: point["cost"])]:
            [measured] = self.evaluate(f"validation.metrics = 'Precision,Recall,F1', evaluate.threshold = {point['threshold']!r}")
            for name in ("Precision", "Recall", "F1"):
                self.assertAlmostEqual(point[name.lower()], measured[name], 12)
            self.run_all(f"SELECT * FROM t TO PREDICT p.guess WITH predict.threshold = {point['threshold']!r} USING m")
            [(share, cost)] = self.run_all("SELECT avg(guess = 'fraud'), sum(guess = 'fraud' AND kind = 'legit') + 5 * sum(guess = 'legit' AND kind = 'fraud') FROM p")
            self.assertAlmostEqual(point["predicted_share"], share, 12)
            self.assertEqual(point["cost"], cost)
        mistakes = self.evaluate("evaluate.report = 'thresholds'")
        self.assertEqual(mistakes[-1]["cost"], self.run_all("SELECT sum(kind = 'legit') FROM t")[0][0])

    def test_tenths_of_the_rows_have_their_share_of_the_positives(self):
        self.make_two(605)
        self.train(", model.positive = 'fraud'")
        found = self.evaluate("evaluate.report = 'gain'")
        self.assertEqual([row["rows"] for row in found], [60, 61] * 5)
        sorted_rows = self.run_all("SELECT totrain_probability('m', a, b), kind = 'fraud' FROM t ORDER BY 1 DESC")
        frauds, at = sum(fraud for _, fraud in sorted_rows), 0
        for row in found:
            tenth = sorted_rows[at:at + row["rows"]]
            at += row["rows"]
            self.assertAlmostEqual(row["threshold"], tenth[-1][0], 12)
            self.assertAlmostEqual(row["positives"], sum(fraud for _, fraud in tenth), 9)
            self.assertAlmostEqual(row["lift"], row["positives"] / row["rows"] * 605 / frauds, 9)
            self.assertAlmostEqual(row["gain"], sum(fraud for _, fraud in sorted_rows[:at]) / frauds, 9)

    def make_models(self):
        self.make_two()
        self.train()
        for model, columns, name in (("XGBClassifier", "a, b", "x"), ("LinearClassifier", "b", "half")):
            self.run_all(f"SELECT {columns}, kind FROM t TO TRAIN {model} LABEL kind INTO {name}")

    def test_several_models_are_measured_on_the_same_rows(self):
        self.make_models()
        for more in ("", " WITH validation.metrics = 'Recall, AUC, BalancedAccuracy', evaluate.threshold = 0.7"):
            found = self.named(f"SELECT * FROM t TO EVALUATE x, m, main.half{more}")
            self.assertEqual([row.pop("model") for row in found], ["x", "m", "main.half"])
            self.assertEqual(found, [self.named(f"SELECT * FROM t TO EVALUATE {name}{more}")[0] for name in ("x", "m", "half")])
        drawn = self.named("SELECT * FROM t ORDER BY random() LIMIT 100 TO EVALUATE m, m, m")
        self.assertEqual(drawn, drawn[:1] * 3)
        self.run_all("SELECT * FROM t TO EVALUATE half, x INTO compared")
        self.assertEqual(self.named("SELECT * FROM compared"), self.named("SELECT * FROM t TO EVALUATE half, x"))
        shown = self.run_all("EXPLAIN SELECT * FROM t TO EVALUATE half, x")
        self.assertEqual([name for name, _ in shown if name.startswith(("model", "input"))], ["model", "model", "input b", "input a"])

    def test_a_row_that_is_bad_for_one_of_several_models_is_left_out_for_all(self):
        self.make_models()
        self.run_all("CREATE TABLE some AS SELECT CASE WHEN rowid % 10 THEN a ELSE 'far' END AS a, b, kind FROM t")
        self.fails("SELECT * FROM some TO EVALUATE half, m", "far")
        self.assertEqual(self.named("SELECT * FROM some TO EVALUATE half, m WITH evaluate.bad_rows = 'skip'"),
                         self.named("SELECT * FROM t WHERE rowid % 10 TO EVALUATE half, m"))
        self.run_all("SELECT * FROM some TO EVALUATE half, m WITH evaluate.bad_rows = 'quarantine' INTO compared")
        self.assertEqual(self.run_all("SELECT count(*) FROM compared_bad_rows"), [(60,)])
        self.fails("SELECT * FROM some WHERE a = 'far' TO EVALUATE half, m WITH evaluate.bad_rows = 'skip'", "no rows to evaluate")

    def test_models_that_cannot_be_compared_are_refused(self):
        self.make_models()
        self.train(", model.positive = 'fraud'", "fraud")
        self.run_all("SELECT a, b FROM t TO TRAIN LinearRegressor LABEL b INTO r")
        self.run_all("SELECT a, b FROM t TO TRAIN xgboost.gbtree WITH objective = 'reg:quantileerror', quantile_alpha = 0.5 LABEL b INTO q")
        self.run_all("SELECT a, b, kind AS other FROM t TO TRAIN LinearClassifier LABEL other INTO o")
        for models, message in (("m, r", "model r is a regressor, and model m is a classifier"), ("m, fraud", "different positive classes"),
                                ("r, q", "no metric in common"), ("x, o", "label column \"other\" is not among")):
            self.fails(f"SELECT * FROM t TO EVALUATE {models}", message)
        self.fails("SELECT *, kind AS other FROM t TO EVALUATE m, o", "the label of model o is other, and that of model m is kind")
        self.assertEqual(len(self.named("SELECT * FROM t TO EVALUATE m, o LABEL kind")), 2)
        for row in self.named("SELECT * FROM t TO EVALUATE r, q WITH metrics = 'MAE'"):
            [alone] = self.named(f"SELECT * FROM t TO EVALUATE {row['model']} WITH metrics = 'MAE'")
            self.assertEqual((row["loss"], row["MAE"]), (None, alone["MAE"]))

    def test_models_of_three_and_of_two_classes_have_some_metrics_in_common(self):
        self.make_models()
        self.run_all("CREATE TABLE three AS SELECT a, b, CASE WHEN a > 1 THEN 'legit' WHEN b > 1 THEN 'fraud' ELSE 'none' END AS kind FROM t")
        self.run_all("SELECT * FROM three TO TRAIN LinearClassifier LABEL kind INTO three_model")
        self.assertEqual(list(self.named("SELECT * FROM three TO EVALUATE m, three_model")[0]), ["model", "loss", "Accuracy", "LogLoss", "notice"])

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
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'roc'", "needs two classes, and model m has 3")
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.threshold = 0.3", "needs two classes")
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'residuals'", "needs a regressor")

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
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'classes'", "needs a classifier")
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
        self.insert("INSERT INTO t VALUES (?, ?, ?, ?)", [(a, b, c, 3 * a - b) for a, b, c in rows])
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

    def test_importance_is_measured_by_what_a_model_learns(self):
        """The baseline is what EVALUATE measures: of quantiles their loss, of hazards the order of events, and
        metrics that are measured where they are named, with their number."""
        self.make_aims()
        self.run_all("DELETE FROM r WHERE rowid > 300")
        for columns, label, objective, metric in (("a, b, z", "z", "'reg:quantileerror', quantile_alpha = 0.8", "Pinball"),
                                                  ("a, b, signed", "signed", "'survival:cox'", "Concordance")):
            self.named(f"SELECT {columns} FROM r TO TRAIN XGBRegressor WITH objective = {objective}, n_estimators = 10 "
                       f"LABEL {label} INTO m")
            table = f"(SELECT {columns} FROM r)"
            found = self.explain(table=table)
            self.assertEqual([row["metric"] for row in found], [metric] * 2)
            self.assertAlmostEqual(found[0]["baseline"],
                                   self.evaluate(f"validation.metrics = '{metric}'", table)[0][metric], 12)
            self.assertGreater(found[0]["importance"], 0)
        self.run_all("CREATE TABLE counts AS SELECT a, b, abs(CAST(z * 4 AS INTEGER)) AS n FROM r")
        self.named("SELECT * FROM counts TO TRAIN XGBRegressor WITH objective = 'count:poisson', n_estimators = 10 "
                   "LABEL n INTO m")
        for metric in ("RMSLE", "TweedieNLogLik@1.2", "TweedieNLogLik@1.8", "PoissonNLogLik"):
            found = self.explain(f" WITH explain.metric = '{metric}'", "counts")
            baseline = self.evaluate(f"validation.metrics = '{metric}'", "counts")[0][metric]
            self.assertEqual([row["metric"] for row in found], [metric] * 2)
            self.assertAlmostEqual(found[0]["baseline"], baseline, 12)  # the rows are added up in another order
        self.fails("SELECT * FROM counts TO EXPLAIN m WITH explain.metric = 'Pinball'", "does not fit this model")

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
        self.assertIn("the model is explained by 100 of 600 rows", done.stderr)

    def test_copies_of_a_row_are_drawn_one_by_one(self):
        """Twenty different rows have 400 copies each; those with the least hash were one row, 400 times."""
        self.run_all("CREATE TABLE r AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7999) "
                     "SELECT i % 5 AS a, 'w' || (i % 4) AS b, (i % 20) * 7 % 11 * 1.0 AS y FROM n")
        self.run_all("SELECT * FROM r TO TRAIN LinearRegressor WITH test_size = 0 LABEL y INTO m")
        whole = self.evaluate("validation.metrics = 'RMSE'", "r")[0]["RMSE"]
        found = self.explain(" WITH explain.rows = 400", "r")
        self.assertAlmostEqual(found[0]["baseline"] / whole, 1, delta=.15)
        self.run_all("CREATE TABLE turned AS SELECT * FROM r ORDER BY y, a")
        self.assertEqual(self.explain(" WITH explain.rows = 400", "turned"), found)

    def test_importance_goes_into_a_table(self):
        self.make_two()
        self.train()
        found = self.explain()
        done = self.named("SELECT * FROM t TO EXPLAIN m INTO why")
        self.assertEqual((done[0]["table"], done[0]["rows"]), ("why", 2))
        self.assertEqual(self.named("SELECT * FROM why"), found)
        self.run_all("SELECT * FROM t TO EXPLAIN m INTO why")
        self.fails("SELECT * FROM t TO EXPLAIN m INTO t", "exists, and no EVALUATE or EXPLAIN made it")
        self.fails("SELECT * FROM t TO EXPLAIN m INTO m", "is the model itself")
        self.fails("SELECT * FROM t WHERE 0 TO EXPLAIN m", "no rows")
        self.fails("SELECT * FROM t WHERE kind = 'fraud' TO EXPLAIN m", "AUC is not defined on these rows")

    def test_every_kind_of_model_is_explained(self):
        """b is noise, and a and the word say what the label is."""
        draw = random.Random(3)
        self.run_all("CREATE TABLE t (a REAL, b REAL, word TEXT, y INTEGER)")
        rows = [(draw.gauss(0, 1), draw.gauss(0, 1), draw.choice("uvw")) for _ in range(600)]
        self.insert("INSERT INTO t VALUES (?, ?, ?, ?)",
                    [(a, b, word, int(a + (word == "u") > 0.3)) for a, b, word in rows])
        for model, more in (("LinearClassifier", ""), ("LinearRegressor", ""), ("DNNClassifier", ""), ("DNNRegressor", ""),
                            ("XGBClassifier", "n_estimators = 5"), ("RandomForestRegressor", "n_estimators = 5"),
                            ("DecisionTreeClassifier", ""), ("xgboost.gblinear", "objective = 'binary:logistic'"),
                            ("WideAndDeepClassifier", ""), ("DeepFMClassifier", ""), ("DCNClassifier", "")):
            with self.subTest(model):
                self.run_all(f"SELECT * FROM t TO TRAIN {model}{' WITH ' if more else ''}{more} LABEL y INTO m")
                found = {row["input"]: row["importance"] for row in self.explain()}
                self.assertEqual(set(found), {"a", "b", "word"})
                self.assertGreater(found["a"], 5 * abs(found["b"]))
                self.assertGreater(found["word"], 2 * abs(found["b"]))

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

    # ----- rankings, quantiles, survival -----

    def make_aims(self):
        """Table r: queries with relevance, a number, times until events that were seen or not."""
        draw = random.Random(11)
        self.run_all("CREATE TABLE r (query TEXT, a REAL, b REAL, relevance INTEGER, z REAL, lower REAL, upper REAL, "
                     "signed REAL)")
        values = []
        for _ in range(900):
            a, b = draw.random(), draw.random()
            time = round(1 + 5 * a * draw.random() + b, 2)
            seen = draw.random() < .6
            values.append((f"q{draw.randrange(90)}", a, b, min(3, int(4 * a * draw.random() + b / 2)),
                           a + draw.gauss(0, 1) * b, time, time if seen else None, time if seen else -time))
        self.insert("INSERT INTO r VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def both_ways(self, query, model, more):
        """EVALUATE by the session, by workers, and of the rows in another order: the same bits."""
        found = [self.named(f"{query}{order} TO EVALUATE {model} WITH {more}{way}")[0]
                 for order, way in (("", ""), ("", ", job.max_workers = 2"))]
        self.assertEqual(found[0], found[1])
        turned = self.named(f"{query} ORDER BY a TO EVALUATE {model} WITH {more}")[0]
        for name, value in found[0].items():
            if isinstance(value, float):
                self.assertAlmostEqual(turned[name], value, 12)
        return found[0]

    def test_a_ranking_is_measured_by_its_groups(self):
        self.make_aims()
        self.named("SELECT query, a, b, relevance FROM r TO TRAIN XGBRanker WITH train.group = 'query', "
                   "n_estimators = 8 LABEL relevance INTO m")
        query = "SELECT query, a, b, relevance FROM r"
        usual = self.named(f"{query} TO EVALUATE m")[0]
        self.assertEqual(list(usual), ["loss", "NDCG", "MAP", "MRR", "notice"])
        self.assertAlmostEqual(usual["loss"], 1 - usual["NDCG"], 12)
        found = self.both_ways(query, "m", "validation.metrics = 'NDCG@3,MAP@2,MRR,NDCG,RMSE'")
        groups = {}
        for name, label, score in self.run_all("SELECT query, relevance, totrain_predict('m', a, b) FROM r"):
            groups.setdefault(name, []).append((score, label))
        def gain(labels, first):
            return sum((2 ** label - 1) / math.log2(rank + 2) for rank, label in enumerate(labels[:first]))
        def ndcg(first):
            values = []
            for rows in groups.values():
                labels = [label for _, label in sorted(rows, reverse=True)]
                best = gain(sorted(labels, reverse=True), first)
                values.append(gain(labels, first) / best if best else 1)
            return sum(values) / len(values)
        # rows of equal scores lie by their hashes there, by their labels here
        self.assertAlmostEqual(found["NDCG"], ndcg(None), delta=.02)
        self.assertAlmostEqual(found["NDCG@3"], ndcg(3), delta=.03)
        self.run_all("CREATE TABLE renamed AS SELECT query AS other, a, b, relevance FROM r")
        self.fails("SELECT * FROM renamed TO EVALUATE m", "group column \"query\"")
        self.assertEqual(self.named("SELECT * FROM renamed TO EVALUATE m WITH evaluate.group = 'other'")[0], usual)
        self.assertEqual(list(self.named("SELECT * FROM renamed TO EVALUATE m WITH validation.metrics = 'RMSE'")[0]),
                         ["loss", "RMSE", "notice"])
        self.run_all("UPDATE renamed SET other = NULL WHERE rowid = 5")
        self.fails("SELECT * FROM renamed TO EVALUATE m WITH evaluate.group = 'other'",
                   'row 5: group column "other" is NULL')

    def test_rankings_without_equal_scores_have_the_metrics_of_their_order(self):
        self.run_all("CREATE TABLE few (query INTEGER, a REAL, relevance INTEGER)")
        draw = random.Random(2)
        rows = [(query, draw.random(), draw.randrange(4)) for query in range(40) for _ in range(3)]
        self.insert("INSERT INTO few VALUES (?, ?, ?)", rows)
        self.named("SELECT * FROM few TO TRAIN XGBRanker WITH train.group = 'query', n_estimators = 30, max_depth = 10, "
                   "min_child_weight = 0, train.test_size = 0 LABEL relevance INTO m")
        groups = {}
        for name, label, score in self.run_all("SELECT query, relevance, totrain_predict('m', a) FROM few"):
            groups.setdefault(name, []).append((score, label))
        names = ", ".join(str(name) for name, found in groups.items() if len({score for score, _ in found}) == 3)
        found = self.named(f"SELECT * FROM few WHERE query IN ({names}) TO EVALUATE m WITH "
                           "validation.metrics = 'mrr,map,map@1'")[0]
        reciprocal, precision, first = [], [], []
        for name, rows in groups.items():
            if len({score for score, _ in rows}) < 3:
                continue
            relevant = [label > 0 for _, label in sorted(rows, reverse=True)]
            hits = [sum(relevant[:rank + 1]) / (rank + 1) for rank in range(3) if relevant[rank]]
            reciprocal.append(1 / (1 + relevant.index(True)) if hits else 1)
            precision.append(sum(hits) / len(hits) if hits else 1)
            first.append(float(relevant[0]) if hits else 1)
        self.assertGreater(len(first), 10)
        for name, values in (("MRR", reciprocal), ("MAP", precision), ("MAP@1", first)):
            self.assertAlmostEqual(found[name], sum(values) / len(values), 12)

    def test_a_quantile_is_measured_by_its_loss_and_what_it_covers(self):
        self.make_aims()
        self.named("SELECT a, b, z FROM r TO TRAIN XGBRegressor WITH objective = 'reg:quantileerror', "
                   "quantile_alpha = 0.8, n_estimators = 20 LABEL z INTO m")
        found = self.both_ways("SELECT a, b, z FROM r", "m", "validation.metrics = 'quantile,Coverage,MAE'")
        pairs = self.run_all("SELECT z, totrain_predict('m', a, b) FROM r")
        loss = sum((.8 if z >= p else -.2) * (z - p) for z, p in pairs) / len(pairs)
        self.assertAlmostEqual(found["Pinball"], loss, 9)
        self.assertEqual(found["loss"], found["Pinball"])
        self.assertAlmostEqual(found["Coverage"], sum(z <= p for z, p in pairs) / len(pairs), 12)
        self.assertAlmostEqual(found["Coverage"], .8, delta=.05)
        self.assertEqual(list(self.named("SELECT a, b, z FROM r TO EVALUATE m")[0]),
                         ["loss", "Pinball", "Coverage", "notice"])

    def concordance(self, rows):
        """rows: lower, upper (None: not seen), the greater the later."""
        right = pairs = 0
        for lower, upper, score in rows:
            for other, other_upper, other_score in rows:
                first = upper is not None and (upper < other or (upper == other == lower and other_upper != other))
                pairs += first
                right += first * ((score < other_score) + (score == other_score) / 2)
        return right / pairs

    def test_survival_is_measured_by_the_order_of_events(self):
        self.make_aims()
        self.run_all("DELETE FROM r WHERE rowid > 300")
        self.named("SELECT a, b, lower, upper FROM r TO TRAIN XGBRegressor WITH objective = 'survival:aft', "
                   "label_upper_bound = 'upper', aft_loss_distribution_scale = 0.7, n_estimators = 10 "
                   "LABEL lower INTO aft")
        self.named("SELECT a, b, signed FROM r TO TRAIN XGBRegressor WITH objective = 'survival:cox', n_estimators = 10 "
                   "LABEL signed INTO cox")
        times = self.both_ways("SELECT a, b, lower, upper FROM r", "aft", "validation.metrics = 'cindex,aft-nloglik'")
        rows = self.run_all("SELECT lower, upper, totrain_predict('aft', a, b) FROM r")
        self.assertAlmostEqual(times["Concordance"], self.concordance(rows), 12)
        normal = statistics.NormalDist()
        losses = []
        for lower, upper, predicted in rows:
            place = (math.log(lower) - math.log(predicted)) / .7
            losses.append(-math.log(normal.pdf(place) / (.7 * lower) if upper is not None else 1 - normal.cdf(place)))
        self.assertAlmostEqual(times["AFTNLogLik"], sum(losses) / len(losses), 5)
        self.assertEqual(times["loss"], times["AFTNLogLik"])
        self.fails("SELECT a, b, lower FROM r TO EVALUATE aft", "upper bound column \"upper\"")
        self.fails("SELECT a, b, lower, upper FROM r TO EVALUATE aft WITH evaluate.group = 'a'", "has no use here")
        hazards = self.both_ways("SELECT a, b, signed FROM r", "cox", "validation.metrics = 'cox-nloglik,cindex'")
        rows = self.run_all("SELECT abs(signed), CASE WHEN signed > 0 THEN signed END, totrain_predict('cox', a, b) FROM r")
        self.assertAlmostEqual(hazards["Concordance"], self.concordance([(t, u, -h) for t, u, h in rows]), 12)
        partial = [math.log(sum(h for t, _, h in rows if t >= time)) - math.log(hazard)
                   for time, upper, hazard in rows if upper is not None]
        self.assertAlmostEqual(hazards["CoxNLogLik"], sum(partial) / len(partial), 6)

    def test_metrics_of_another_aim_are_refused(self):
        self.make_aims()
        self.named("SELECT a, b, z FROM r TO TRAIN XGBRegressor WITH n_estimators = 2 LABEL z INTO m")
        self.fails("SELECT a, b, z FROM r TO EVALUATE m WITH validation.metrics = 'ndcg'",
                   "metric NDCG does not fit this model")
        self.fails("SELECT a, b, z FROM r TO EVALUATE m WITH evaluate.group = 'a'", "has no use here")
        found = self.named("SELECT a, b, z FROM r WHERE z > 0 TO EVALUATE m WITH validation.metrics = 'rmsle,R2'")[0]
        pairs = self.run_all("SELECT z, totrain_predict('m', a, b) FROM r WHERE z > 0")
        squares = [(math.log1p(max(p, -1 + 1e-16)) - math.log1p(z)) ** 2 for z, p in pairs]
        self.assertAlmostEqual(found["RMSLE"], math.sqrt(sum(squares) / len(squares)), 9)


harness.main()
