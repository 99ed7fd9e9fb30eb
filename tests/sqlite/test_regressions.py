"""Least squares and logistic regression with standard errors, from the statement to what is said of the model."""

import pathlib
import re
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import regressions  # noqa: E402  pylint: disable=wrong-import-position

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "simple-models.md"
RELATIVE = 2e-6  # inputs are stored as floats


class Regressions(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (a REAL, b REAL, c REAL, kind TEXT, y INTEGER, k TEXT, z REAL, w REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)", regressions.rows())

    def train(self, label, estimator="LogisticRegression", settings="", into="m"):
        weight = ", w" if "sample_weight" in settings else ""
        told = f"WITH train.test_size = 0, {settings}" if settings else "WITH train.test_size = 0"
        return harness.facts(self.run_all(f"SELECT a, b, c, kind, {label}{weight} FROM t "
                                          f"TO TRAIN {estimator} {told} LABEL {label} INTO {into}"))

    def inside(self, using, into="", model="m"):
        return self.run_all(f"SELECT * FROM t TO EXPLAIN {model} USING {using}{into}")

    def check_near(self, found, wanted, scale, what):
        self.assertAlmostEqual(found, wanted, delta=RELATIVE * max(abs(wanted), scale), msg=what)

    def check_coefficients(self, reference, model, has_classes):
        found = {}
        for name, *rest in self.inside("coefficients", model=model):
            class_name = rest.pop(0) if has_classes else ""
            found[class_name, name] = rest
        for class_name, wanted in reference.items():
            for name, numbers in wanted.items():
                estimate, error, _, p_value, low, high = found.pop((class_name, name))
                self.check_near(estimate, numbers[0], abs(numbers[0]) if len(numbers) == 1 else numbers[1], name)
                if len(numbers) == 1:
                    self.assertEqual((error, p_value, low, high), (None,) * 4)
                    continue
                for number, other in zip((error, low, high), (numbers[1], *numbers[3:]), strict=True):
                    self.check_near(number, other, numbers[1], name)
                self.assertAlmostEqual(p_value / numbers[2], 1, delta=1e-4, msg=name)
        for key, numbers in found.items():  # the word that the others compare with
            self.assertEqual((key[1], *numbers), ("kind=r",) + (None,) * 6)

    def test_what_is_said_of_a_model_is_what_statsmodels_says(self):
        for name, (label, estimator, settings) in regressions.SETTINGS.items():
            with self.subTest(name):
                self.train(label, estimator, settings, f"m_{label}")
                reference = regressions.REFERENCE[name]
                self.check_coefficients(reference["coefficients"], f"m_{label}", label != "z")
                found = dict(self.inside("fit", model=f"m_{label}"))
                for what, number in reference["fit"].items():
                    self.assertAlmostEqual(found[what] / number, 1, delta=1e-4 if "p-value" in what else RELATIVE)

    def test_predictions_follow_the_coefficients(self):
        self.train("z", "OLS")
        of = dict(row[:2] for row in self.inside("coefficients"))
        for a, b, c, kind, guess in self.run_all(
                "SELECT a, b, c, kind, totrain_predict('m', a, b, c, kind) FROM t WHERE c IS NOT NULL LIMIT 20"):
            wanted = of["(intercept)"] + a * of["a"] + b * of["b"] + c * of["c"] + (of[f"kind={kind}"] or 0)
            self.assertAlmostEqual(guess, wanted, delta=1e-5)

    def test_a_column_that_follows_from_others_is_left_out(self):
        self.run_all("CREATE VIEW more AS SELECT a, b, a + 2 * b AS both, 7 AS always, z FROM t")
        told = harness.notices(self.run_all("SELECT * FROM more TO TRAIN OLS WITH train.test_size = 0 LABEL z INTO m"))
        self.assertIn('"both" has no coefficient of its own: it follows from other columns', str(told))
        self.assertNotIn('"a" has no coefficient', str(told))
        found = {row[0]: row[1:] for row in self.inside("coefficients")}
        self.assertEqual(found["both"], (None,) * 6)
        self.assertEqual(dict(self.inside("fit"))["coefficients"], 3)
        self.run_all("SELECT a, b, z FROM t TO TRAIN OLS WITH train.test_size = 0 LABEL z INTO m")
        for row in self.inside("coefficients"):
            for number, other in zip(row[1:], found[row[0]], strict=True):
                self.assertAlmostEqual(number, other, delta=1e-6 * abs(number) + 1e-12)

    def test_classes_told_apart_perfectly_are_refused_unless_penalised(self):
        self.run_all("CREATE VIEW apart AS SELECT a, a > 0 AS y FROM t")
        with self.assertRaisesRegex(sqlite3.OperationalError, r"(?s)35 steps of Newton.*model.l2 = 1"):
            self.run_all("SELECT * FROM apart TO TRAIN LogisticRegression LABEL y INTO m")
        facts = harness.facts(self.run_all(
            "SELECT * FROM apart TO TRAIN LogisticRegression WITH model.l2 = 1 LABEL y INTO m"))
        self.assertGreater(facts["Accuracy"], .97)

    def test_labels_that_lie_on_a_line_have_no_errors_to_speak_of(self):
        self.run_all("CREATE VIEW line AS SELECT a, 2 * a + 1 AS z FROM t")
        self.run_all("SELECT * FROM line TO TRAIN OLS LABEL z INTO m")
        (_, intercept, *_), (_, slope, error, *_) = self.inside("coefficients")
        self.assertAlmostEqual(intercept, 1, delta=1e-6)
        self.assertAlmostEqual(slope, 2, delta=1e-6)
        self.assertLess(error, 1e-6)
        self.assertAlmostEqual(dict(self.inside("fit"))["R2"], 1, delta=1e-9)

    def test_any_number_of_workers_makes_the_same_table(self):
        self.check_workers(lambda *settings: self.train("k", "LogisticRegression", *settings))
        self.check_workers(lambda *settings: self.train("z", "OLS", *settings))

    def test_the_order_of_rows_does_not_matter(self):
        self.train("z", "OLS")
        digest = self.digest(self.database, "m")
        self.run_all("SELECT a, b, c, kind, z FROM (SELECT * FROM t ORDER BY random()) "
                     "TO TRAIN OLS WITH train.test_size = 0 LABEL z INTO m")
        self.assertEqual(self.digest(self.database, "m"), digest)

    def test_what_is_shown_goes_into_a_table(self):
        self.train("y")
        self.inside("coefficients", " INTO shown")
        self.assertEqual(self.run_all("SELECT name, class, coefficient FROM shown"),
                         [row[:3] for row in self.inside("coefficients")])

    def test_models_are_evaluated_explained_and_shown_as_others_are(self):
        self.train("k")
        self.assertGreater(self.run_all("SELECT * FROM t TO EVALUATE m")[0][1], .5)
        self.assertEqual({row[0] for row in self.run_all("SELECT * FROM t TO EXPLAIN m")}, {"a", "b", "c", "kind"})
        self.assertIn(("kind", "LogisticRegression"), self.run_all("SHOW MODEL m"))
        self.assertEqual(len(self.run_all("SELECT * FROM t TO PREDICT guess USING m")), 400)

    def test_the_statements_of_the_page_run(self):
        harness.load_csv(self.database, "iris")
        for block in re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL):
            for statement in block.split(";\n")[:-1]:
                with self.subTest(statement):
                    self.assertTrue(self.run_all(statement))

    def test_what_cannot_be_is_refused_by_name(self):
        self.train("y")
        for using, message in (("shapley", "unknown explainer \"shapley\""), ("fit", "explain.repeats is of USING permutation")):
            with self.subTest(using), self.assertRaisesRegex(sqlite3.OperationalError, re.escape(message)):
                self.run_all(f"SELECT * FROM t TO EXPLAIN m WITH explain.repeats = 2 USING {using}")
        self.run_all("SELECT a, y FROM t TO TRAIN LinearClassifier LABEL y INTO m")
        with self.assertRaisesRegex(sqlite3.OperationalError, "unknown explainer \"fit\""):
            self.inside("fit")
        for settings in ("train.epoch = 3", "train.class_weight = 'balanced'", "optimizer.learning_rate = 1"):
            with self.subTest(settings), self.assertRaises(sqlite3.OperationalError):
                self.train("y", settings=settings)

    def test_too_many_words_are_refused_with_what_to_do(self):
        self.run_all("CREATE TABLE words (word TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO words VALUES (?, ?)", ((f"w{i % 600}", i % 3 == 0) for i in range(2400)))
        with self.assertRaisesRegex(sqlite3.OperationalError, r"(?s)coefficients, of which.*at most 512.*LinearClassifier"):
            self.run_all("SELECT word, y FROM words TO TRAIN Logit COLUMN VOCABULARY(word, 5000) LABEL y INTO m")


if __name__ == "__main__":
    harness.main()
