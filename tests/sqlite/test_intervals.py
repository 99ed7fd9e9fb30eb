"""EVALUATE WITH evaluate.interval: bounds of metrics by the bootstrap."""

import math
import random
import sqlite3
import statistics
import unittest

import harness


def auc_of(rows):
    """The share of pairs of a positive and a negative that are in order; equal scores count half."""
    ranked, place, total = sorted(score for _, score in rows), {}, 0.0
    for i, score in enumerate(ranked):
        first, _ = place.get(score, (i, i))
        place[score] = (first, i)
    for positive, score in rows:
        if positive:
            total += sum(place[score]) / 2 + 1
    positives = sum(positive for positive, _ in rows)
    return (total - positives * (positives + 1) / 2) / (positives * (len(rows) - positives))


def accuracy_of(rows):
    return sum(positive == (score >= 0.5) for positive, score in rows) / len(rows)


def percentile(values, share):
    values, at = sorted(values), share * (len(values) - 1)
    below = int(at)
    return values[below] + (at - below) * (values[min(below + 1, len(values) - 1)] - values[below])


class Intervals(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.make("learned", 600, 1)
        self.run_all("SELECT * FROM learned TO TRAIN LogisticRegression WITH train.test_size = 0 LABEL y INTO m")

    def make(self, table, rows, seed):
        draw = random.Random(seed)
        self.run_all(f"CREATE TABLE {table} (x REAL, z REAL, y TEXT)")
        values = []
        for _ in range(rows):
            x, z = draw.gauss(0, 1), draw.gauss(0, 1)
            values.append((x, z, "yes" if x + z / 2 + draw.gauss(0, 1) > 0.5 else "no"))
        self.database.execute("BEGIN")
        self.database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", values)
        self.database.execute("COMMIT")

    def named(self, sql):
        cursor = self.database.execute(sql)
        return [dict(zip([column[0] for column in cursor.description], row)) for row in cursor]

    def bounds(self, more="", table="t", model="m"):
        return self.named(f"SELECT * FROM {table} TO EVALUATE {model} WITH evaluate.interval = 0.95{more}")

    def fails(self, sql, message):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.run_all(sql)

    def test_bounds_stand_behind_their_metric_and_metrics_are_those_without(self):
        self.make("t", 300, 2)
        plain = self.named("SELECT * FROM t TO EVALUATE m")[0]
        found = self.bounds()[0]
        self.assertEqual(list(found), ["loss", *(name + end for name in ("Accuracy", "LogLoss", "AUC", "F1")
                                                 for end in ("", "_lower", "_upper")), "notice"])
        for name, value in plain.items():
            self.assertEqual(found[name], value)
        for name in ("Accuracy", "LogLoss", "AUC", "F1"):
            self.assertLess(found[name + "_lower"], found[name])
            self.assertGreater(found[name + "_upper"], found[name])

    def test_they_are_those_of_a_plain_bootstrap(self):
        self.make("t", 400, 3)
        rows = [(y == "yes", p) for y, p in self.run_all("SELECT y, totrain_probability('m', x, z) FROM t")]
        draw = random.Random(4)
        resamples = [[rows[draw.randrange(len(rows))] for _ in rows] for _ in range(4000)]
        found = self.bounds(", evaluate.bootstrap = 4000")[0]
        for name, measure in (("AUC", auc_of), ("Accuracy", accuracy_of)):
            values = [measure(resample) for resample in resamples]
            self.assertAlmostEqual(measure(rows), found[name], 9)
            deviation = statistics.pstdev(values)
            for end, share in (("_lower", 0.025), ("_upper", 0.975)):
                # A quantile at .025 of 4,000 has an error of some .04 deviations, and there are two.
                self.assertLess(abs(percentile(values, share) - found[name + end]), 0.25 * deviation)

    def test_wider_levels_have_wider_bounds_and_seeds_others(self):
        self.make("t", 300, 5)
        widths = []
        for level in (0.5, 0.9, 0.99):
            row = self.named(f"SELECT * FROM t TO EVALUATE m WITH evaluate.interval = {level}")[0]
            widths.append(row["AUC_upper"] - row["AUC_lower"])
        self.assertEqual(widths, sorted(widths))
        self.assertNotEqual(self.bounds(), self.bounds(", evaluate.seed = 1"))
        self.assertEqual(self.bounds(), self.bounds(", evaluate.seed = 0"))

    def test_bits_are_the_same_by_workers_and_in_any_order(self):
        self.make("t", 700, 6)
        self.run_all("CREATE TABLE turned AS SELECT * FROM t ORDER BY random()")
        self.run_all("CREATE TABLE classes AS SELECT x, z, CASE WHEN x > 0.5 THEN 'a' WHEN z > 0 THEN 'b' ELSE 'c' END AS y FROM t")
        self.run_all("SELECT * FROM classes TO TRAIN XGBClassifier WITH n_estimators = 2 LABEL y INTO three")
        self.run_all("SELECT * FROM learned TO TRAIN LinearRegressor LABEL x INTO numbers")
        self.run_all("SELECT * FROM learned TO TRAIN XGBRegressor WITH objective = 'reg:quantileerror', quantile_alpha = [0.1, 0.9], "
                     "n_estimators = 2 LABEL x INTO quantiles")
        for model, tables in (("m", ("t", "turned")), ("numbers", ("t", "turned")), ("quantiles", ("t", "turned")),
                              ("three", ("classes", "(SELECT * FROM classes ORDER BY random())"))):
            more = ", evaluate.bootstrap = 100" + (", validation.metrics = 'AUC, F1, LogLoss'" if model == "three" else "")
            found = {str([value for name, value in row.items() if name.endswith("er")])
                     for table in tables for way in ("", ", job.min_workers = 3, job.max_workers = 3")
                     for row in self.bounds(more + way, table, model)}
            self.assertEqual(len(found), 1, found)
            self.assertNotIn("None", next(iter(found)))

    def test_a_detached_job_writes_them(self):
        self.make("t", 300, 7)
        found = self.bounds()
        job = self.run_all("SELECT * FROM t TO EVALUATE m WITH evaluate.interval = 0.95, job.wait = false INTO r")[0][0]
        done = self.run_program("wait", job)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.named("SELECT * FROM r"), found)

    def test_several_models_have_bounds_of_the_same_resamples(self):
        self.make("t", 300, 8)
        self.run_all("SELECT * FROM learned TO TRAIN XGBClassifier WITH n_estimators = 3 LABEL y INTO trees")
        both = self.bounds(model="m, trees")
        self.assertEqual([row.pop("model") for row in both], ["m", "trees"])
        self.assertEqual(both, [self.bounds(model="m")[0], self.bounds(model="trees")[0]])
        self.run_all("SELECT * FROM t TO EVALUATE m, trees WITH evaluate.interval = 0.95 INTO r")
        self.assertEqual(self.run_all("SELECT AUC_lower FROM r"), [(row["AUC_lower"],) for row in both])

    def test_they_cover_the_truth_about_as_often_as_they_say(self):
        self.make("large", 40000, 9)
        truth = self.named("SELECT * FROM large TO EVALUATE m")[0]
        covered = {"AUC": 0, "Accuracy": 0, "LogLoss": 0}
        draws = 160
        for i in range(draws):
            rows = f"(SELECT * FROM large WHERE rowid % {draws} = {i})"  # 250 rows each
            row = self.bounds(", evaluate.bootstrap = 200", rows)[0]
            for name in covered:
                covered[name] += row[name + "_lower"] <= truth[name] <= row[name + "_upper"]
        for name, count in covered.items():
            error = math.sqrt(0.95 * 0.05 / draws)
            self.assertLess(abs(count / draws - 0.94), 3.5 * error, (name, count))

    def test_what_has_no_bounds_is_null_or_refused(self):
        self.run_all("CREATE TABLE t AS SELECT * FROM learned WHERE y = 'no'")
        row = self.bounds()[0]
        self.assertIsNone(row["AUC_lower"])
        self.assertIn("AUC is NULL", row["notice"])
        self.assertIsNotNone(row["Accuracy_lower"])
        self.run_all("CREATE TABLE ranked AS SELECT x, z, rowid / 20 AS q, (x > 0) + (z > 0) AS y FROM learned")
        self.run_all("SELECT * FROM ranked TO TRAIN XGBRanker WITH qid = 'q', n_estimators = 2 LABEL y INTO ranks")
        self.fails("SELECT * FROM ranked TO EVALUATE ranks WITH evaluate.interval = 0.95",
                   "intervals of a ranking's metrics are not supported yet")
        self.named("SELECT * FROM ranked TO EVALUATE ranks WITH evaluate.interval = 0.95, validation.metrics = 'RMSE'")

    def test_an_interrupt_ends_the_resamples(self):
        self.make("t", 20000, 10)
        asked = []

        def ask():
            asked.append(1)
            return len(asked) > 200
        self.database.set_progress_handler(ask, 1000)
        self.fails("SELECT * FROM t TO EVALUATE m WITH evaluate.interval = 0.95, evaluate.bootstrap = 100000", "interrupted")


if __name__ == "__main__":
    unittest.main()
