"""Least squares and logistic regression with standard errors, from the statement to what is said of the model."""

import math
import pathlib
import random
import re
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import regressions  # noqa: E402  pylint: disable=wrong-import-position

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "simple-models.md"
RELATIVE = 2e-6  # labels are stored as floats


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

    def test_what_tells_classes_apart_perfectly_has_no_error_and_a_notice(self):
        self.run_all("CREATE VIEW apart AS SELECT a, a > 0 AS y FROM t")
        told = harness.notices(self.run_all("SELECT * FROM apart TO TRAIN LogisticRegression LABEL y INTO m"))
        self.assertIn('the coefficient of "a" has no finite best value', str(told))
        for _, _, coefficient, *rest in self.inside("coefficients"):
            self.assertIsNotNone(coefficient)
            self.assertEqual(rest, [None] * 5)
        facts = harness.facts(self.run_all(
            "SELECT * FROM apart TO TRAIN LogisticRegression WITH model.l2 = 1 LABEL y INTO m"))
        self.assertGreater(facts["Accuracy"], .97)

    def make_rare(self, labels):
        self.run_all(f"""CREATE TABLE words AS WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM r WHERE i<999)
            SELECT i*7919%1000/1000.0 a, CASE WHEN i<3 THEN 'rare' ELSE 'w'||(i%5) END s, {labels} y FROM r""")
        told = harness.notices(self.run_all("SELECT * FROM words TO TRAIN Logit WITH test_size = 0 LABEL y INTO m"))
        rows = self.inside("coefficients")
        return str(told), {tuple(row[:2]): row[2:] for row in rows}, dict(self.inside("fit"))["log-likelihood"]

    def test_a_word_that_one_class_alone_has_is_named_and_the_others_are_learned(self):
        told, found, likelihood = self.make_rare("(i*7919%1000+i*104729%700>850 OR i<3)*1")
        self.assertIn('the coefficient of "s=rare" has no finite best value, and no error: only rows of class 1', told)
        self.assertEqual(told.count("no finite best value"), 1)
        self.assertEqual(found["s=rare", "1"][1:], (None,) * 5)
        self.assertGreater(found["s=rare", "1"][0], 10)
        # sm.GLM(y, [1, a, words], sm.families.Binomial()).fit().llf of statsmodels 0.14, and its a of the rows without
        # the word
        self.assertAlmostEqual(likelihood, -362.60054421935945, delta=1e-5)
        self.run_all("DELETE FROM words WHERE s = 'rare'")
        self.run_all("SELECT * FROM words TO TRAIN Logit WITH test_size = 0 LABEL y INTO m")
        for row in self.inside("coefficients"):
            for number, other in zip(row[2:], found[tuple(row[:2])], strict=True):
                if number is not None:
                    self.assertAlmostEqual(other, number, delta=1e-5 * abs(number))

    def test_a_word_that_one_of_three_classes_has_has_no_errors_in_any_equation(self):
        told, found, _ = self.make_rare("CASE WHEN i<3 THEN 2 ELSE (i*7919%1000+i*104729%700)%3 END")
        self.assertIn('the coefficient of "s=rare" has no finite best value, and no error: no rows of class 0', told)
        self.assertEqual(told.count("no finite best value"), 1)
        self.assertEqual({key for key, row in found.items() if row[0] is not None and row[1] is None},
                         {("s=rare", "1"), ("s=rare", "2")})

    def test_labels_that_lie_on_a_line_have_no_errors_to_speak_of(self):
        self.run_all("CREATE VIEW line AS SELECT a, 2 * a + 1 AS z FROM t")
        self.run_all("SELECT * FROM line TO TRAIN OLS LABEL z INTO m")
        (_, intercept, *_), (_, slope, error, *_) = self.inside("coefficients")
        self.assertAlmostEqual(intercept, 1, delta=1e-6)
        self.assertAlmostEqual(slope, 2, delta=1e-6)
        self.assertLess(error, 1e-6)
        self.assertAlmostEqual(dict(self.inside("fit"))["R2"], 1, delta=1e-9)

    def insert(self, table, rows):
        self.run_all("BEGIN")
        self.database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        self.run_all("COMMIT")

    def train_near(self, share):
        """x, u and z = x + share * v, where x, u, v and the noise are orthogonal waves of deviation 1. The label is
        x + 2 u - 3 v + noise."""
        self.run_all("DROP TABLE IF EXISTS near")
        self.run_all("CREATE TABLE near (x REAL, u REAL, z REAL, y REAL)")
        rows = []
        for i in range(1000):
            x, u, v = (2 ** .5 * math.cos(math.pi * k * (2 * i + 1) / 1000) for k in (1, 2, 3))
            noise = 2 ** .5 * math.cos(math.pi * 4 * (2 * i + 1) / 1000)
            rows.append((x, u, x + share * v, x + 2 * u - 3 * v + noise))
        self.insert("near", rows)
        facts = harness.facts(self.run_all("SELECT * FROM near TO TRAIN OLS WITH test_size = 0 LABEL y INTO m"))
        found = {row[0]: row[1:] for row in self.inside("coefficients")}
        _, rmse, _, r2, *_ = self.run_all("SELECT * FROM near TO EVALUATE m")[0]
        return found, facts, rmse, r2

    def test_columns_that_are_nearly_the_same_have_coefficients_of_their_own(self):
        for share in (1e-2, 1e-3, 1e-4, 3e-5, 1e-6):
            with self.subTest(share):
                found, facts, rmse, r2 = self.train_near(share)
                error = math.sqrt(1 / (1000 - 4))  # error of a wave: the deviation of the noise is 1
                for name, value, wanted in (("x", 1 + 3 / share, math.sqrt(1 + share ** -2)), ("u", 2, 1),
                                            ("z", -3 / share, 1 / share)):
                    self.assertAlmostEqual(found[name][0] / value, 1, delta=1e-6, msg=name)
                    self.assertAlmostEqual(found[name][1] / (wanted * error), 1, delta=1e-6, msg=name)
                for number in (facts["R2"], r2):
                    self.assertAlmostEqual(number, 1 - 1 / 15, delta=1e-6)
                self.assertAlmostEqual(rmse, 1, delta=1e-6)

    def test_two_columns_of_times_tell_what_their_difference_does(self):
        self.run_all("CREATE TABLE times (began REAL, ended REAL, y REAL)")
        chance, rows = random.Random(1), []
        for _ in range(2000):
            began, took = 1.6e9 + chance.uniform(0, 3e7), chance.expovariate(1 / 60)
            rows.append((began, began + took, 5 + took / 2 + chance.gauss(0, 1)))
        self.insert("times", rows)
        facts = harness.facts(self.run_all("SELECT * FROM times TO TRAIN OLS WITH test_size = 0 LABEL y INTO m"))
        found = {row[0]: row[1] for row in self.inside("coefficients")}
        self.assertAlmostEqual(found["ended"], .5, delta=2e-3)
        self.assertAlmostEqual(found["began"], -.5, delta=2e-3)
        self.assertGreater(facts["R2"], .998)
        self.assertAlmostEqual(self.run_all("SELECT * FROM times TO EVALUATE m")[0][3],
                               facts["R2"], delta=1e-9)

    def test_a_constant_that_is_added_changes_the_intercept_alone(self):
        for estimator, label in (("OLS", "z"), ("LogisticRegression", "y")):
            self.train(label, estimator, into=f"m_{label}")
            wanted = {row[0]: row[-6:] for row in self.inside("coefficients", model=f"m_{label}")}
            for offset in (-1e6, 1e9):
                with self.subTest(f"{estimator}, inputs and {offset}"):
                    self.run_all(f"SELECT a + {offset} a, b + {offset} b, c, kind, {label} FROM t TO TRAIN {estimator} "
                                 f"WITH train.test_size = 0 LABEL {label} INTO moved_{label}")
                    for name, *_, value, error, _, _, low, high in self.inside("coefficients", model=f"moved_{label}"):
                        if wanted[name][0] is not None and name != "(intercept)":
                            for number, other in zip((value, error, low, high),
                                                     (*wanted[name][:2], *wanted[name][4:]), strict=True):
                                self.assertAlmostEqual(number, other, delta=abs(offset) * 1e-15 + 1e-6 * abs(other))

    def test_a_factor_divides_the_coefficient(self):
        self.train("z", "OLS")
        wanted = {row[0]: row[1:] for row in self.inside("coefficients")}
        for factor in (1e-8, 1e9):
            self.run_all(f"SELECT a * {factor} a, b, c, kind, z * 1000 + 1e9 AS z FROM t TO TRAIN OLS "
                         "WITH train.test_size = 0 LABEL z INTO moved")
            found = {row[0]: row[1:] for row in self.inside("coefficients", model="moved")}
            self.assertAlmostEqual(found["a"][0] * factor / 1000 / wanted["a"][0], 1, delta=1e-6)
            self.assertAlmostEqual(found["a"][1] * factor / 1000 / wanted["a"][1], 1, delta=1e-6)
            self.assertAlmostEqual(found["b"][0] / 1000 / wanted["b"][0], 1, delta=1e-6)
            self.assertAlmostEqual((found["(intercept)"][0] - 1e9) / 1000, wanted["(intercept)"][0], delta=1e-6)

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
        for using, message in (("shapley", "unknown explainer \"shapley\""), ("fit", "explain.repeats needs USING permutation")):
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

    def test_too_many_classes_are_not_called_words(self):
        self.run_all("CREATE TABLE classes (a REAL, b REAL, y TEXT)")
        self.database.executemany("INSERT INTO classes VALUES (?, ?, ?)", ((i % 7, i % 11, f"c{i % 300}") for i in range(1200)))
        with self.assertRaisesRegex(sqlite3.OperationalError, "897 coefficients of 300 classes, where one that has .*at most 512"):
            self.run_all("SELECT * FROM classes TO TRAIN Logit WITH test_size = 0 LABEL y INTO m")


if __name__ == "__main__":
    harness.main()
