"""EVALUATE WITH evaluate.report = 'drift': what a model keeps of its training rows, and how far others are from it."""

import json
import math
import pathlib
import random
import sqlite3
import unittest

import harness

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sql" / "watching.sql"
LEAST = 0.0001
COLUMNS = ["input", "psi", "verdict", "unseen", "nulls_then", "nulls_now", "mean_then", "mean_now", "median_then",
           "median_now"]
MODELS = {
    "trees": "XGBClassifier WITH n_estimators = 3",
    "linear": "LogisticRegression",
    "network": "DNNClassifier WITH model.hidden_units = [4], train.epoch = 2",
    "bayes": "NaiveBayes",
}


def index_of(then, now):
    """The population stability index of rows of bins."""
    shares = [[max(count / sum(counts), LEAST) for count in counts] for counts in (then, now)]
    return sum((q - p) * math.log(q / p) for p, q in zip(*shares))


def deciles(values):
    """The bounds of bins of sorted numbers: each decile once."""
    values = sorted(values)
    found = []
    for i in range(1, 10):
        bound = values[-(-i * len(values) // 10) - 1]
        if not found or bound > found[-1]:
            found.append(bound)
    return found


def bins_of(values, bounds):
    counts = [0] * (len(bounds) + 2)
    for value in values:
        counts[-1 if value is None else sum(value > bound for bound in bounds)] += 1
    return counts


class Drift(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def named(self, sql):
        cursor = self.database.execute(sql)
        return [dict(zip([column[0] for column in cursor.description], row)) for row in cursor]

    def drift(self, model, table):
        found = self.named(f"SELECT * FROM {table} TO EVALUATE {model} WITH evaluate.report = 'drift'")
        self.assertEqual(list(found[0]), COLUMNS)
        return {row["input"]: row for row in found}

    def make(self, table, rows, seed, shift=0.0, new=0.0, nulls=0.05):
        """x normal, k a few whole numbers, word of a few, dense of all x of the first; y depends on x."""
        draw = random.Random(seed)
        self.run_all(f"CREATE TABLE {table} (x REAL, k INTEGER, word TEXT, y TEXT)")
        values = []
        for _ in range(rows):
            x = draw.gauss(shift, 1)
            word = draw.choice("abcde") * 3 if draw.random() >= new else "new"
            values.append((None if draw.random() < nulls else round(x, 3), draw.randrange(4), word,
                           "yes" if x + draw.gauss(0, 1) > shift else "no"))
        self.database.execute("BEGIN")
        self.database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", values)
        self.database.execute("COMMIT")
        return values

    def train(self, kind="trees", more="", into="m", table="t"):
        joined = MODELS[kind] + (", " if "WITH" in MODELS[kind] else " WITH ") + "train.test_size = 0"
        self.run_all(f"SELECT * FROM {table} TO TRAIN {joined}{more} LABEL y INTO {into}")

    def test_the_index_is_that_of_its_formula(self):
        then = self.make("t", 900, 1)
        now = self.make("later", 700, 2, shift=0.7, new=0.2, nulls=0.3)
        for kind in MODELS:
            with self.subTest(kind):
                self.train(kind)
                found = self.drift("m", "later")
                xs = [[row[0] for row in rows] for rows in (then, now)]
                there = [[x for x in values if x is not None] for values in xs]
                bounds = deciles(there[0])
                row = found["x"]
                self.assertAlmostEqual(row["psi"], index_of(*(bins_of(values, bounds) for values in xs)), 9)
                for i, when in enumerate(("then", "now")):
                    self.assertAlmostEqual(row["nulls_" + when], 1 - len(there[i]) / len(xs[i]), 9)
                    self.assertAlmostEqual(row["mean_" + when], sum(there[i]) / len(there[i]), 5)
                    middle = sorted(there[i])
                    self.assertAlmostEqual(row["median_" + when],
                                           (middle[(len(middle) - 1) // 2] + middle[len(middle) // 2]) / 2, 5)
                words = [[row[2] for row in rows] for rows in (then, now)]
                counts = [[values.count(word * 3) for word in "abcde"] + [values.count("new")] for values in words]
                self.assertAlmostEqual(found["word"]["psi"], index_of(*counts), 9)
                self.assertAlmostEqual(found["word"]["unseen"], words[1].count("new") / len(now), 9)
                self.assertIsNone(found["word"]["mean_now"])
                self.assertIsNone(found["x"]["unseen"])
                predicted = [[row[0] for row in self.run_all(f"SELECT totrain_probability('m', x, k, word) FROM {table}")]
                             for table in ("t", "later")]
                self.assertAlmostEqual(found["(prediction)"]["psi"],
                                       index_of(*(bins_of(values, deciles(predicted[0])) for values in predicted)), 9)
                self.assertAlmostEqual(found["(prediction)"]["mean_now"], sum(predicted[1]) / len(now), 9)

    def test_rows_that_have_not_moved_are_near_the_expected_index_and_stable(self):
        self.make("t", 8000, 3)
        self.train()
        found = []
        for seed in range(10, 22):
            self.make("later", 2000, seed)
            rows = self.drift("m", "later")
            self.run_all("DROP TABLE later")
            self.assertEqual({row["verdict"] for row in rows.values()}, {"stable"})
            found.append(rows["x"]["psi"])
        expected = 10 * (1 / 8000 + 1 / 2000)  # ten bins of numbers, one of NULLs: a chi square of 10 degrees
        error = math.sqrt(2 * 10) * (1 / 8000 + 1 / 2000) / math.sqrt(len(found))
        self.assertLess(abs(sum(found) / len(found) - expected), 4 * error)

    def test_what_has_moved_is_said_first(self):
        self.make("t", 2000, 4)
        self.train()
        self.make("shifted", 1000, 5, shift=1.5)
        rows = self.named("SELECT x, k, word FROM shifted TO EVALUATE m WITH evaluate.report = 'drift'")
        self.assertEqual([row["input"] for row in rows][:2], ["(prediction)", "x"])
        self.assertEqual(rows[1]["verdict"], "shifted")
        self.assertEqual({row["verdict"] for row in rows[2:]}, {"stable"})
        self.make("some", 1000, 6, shift=0.4)
        self.assertEqual(self.drift("m", "some")["x"]["verdict"], "moderate")
        self.assertEqual(self.drift("m", "t")["x"]["psi"], 0)

    def test_statistics_and_report_are_the_same_of_any_workers_and_order(self):
        self.make("t", 3000, 7)
        self.make("later", 500, 8, shift=0.3)
        self.run_all("CREATE TABLE turned AS SELECT * FROM later ORDER BY random()")
        kept, found = set(), set()
        for workers in (1, 3):
            for table in ("t", "(SELECT * FROM t ORDER BY random())"):
                self.train(more=f", job.max_workers = {workers}, job.min_workers = {workers}", table=table)
                kept.add(str(self.run_all("SELECT position, name, data FROM m WHERE part = 'statistics' ORDER BY 1")))
                found |= {str(self.drift("m", rows)) for rows in ("later", "turned")}
        self.assertEqual((len(kept), len(found)), (1, 1))

    def test_the_table_keeps_a_row_of_each_input_and_of_the_predictions(self):
        self.make("t", 500, 9)
        self.train()
        rows = self.run_all("SELECT name, data FROM m WHERE part = 'statistics' ORDER BY position")
        self.assertEqual([name for name, _ in rows], ["x", "k", "word", "(prediction)"])
        for _, data in rows:
            self.assertLess(len(data), 2048)
            kept = json.loads(data)
            self.assertEqual(kept["nulls"] + sum(kept["counts"]), 500)
        before = self.drift("m", "t")
        self.run_all("ALTER TABLE m RENAME TO moved")
        self.assertEqual(self.drift("moved", "t"), before)

    def test_every_kind_of_prediction_has_statistics(self):
        self.make("t", 400, 10, nulls=0)
        self.make("later", 300, 11, shift=2.0, nulls=0)
        statements = {
            "numbers": ("SELECT x, k FROM {} ", "TO TRAIN XGBRegressor WITH train.test_size = 0 LABEL x INTO m", "k, x"),
            "classes": ("SELECT x, word FROM {} ", "TO TRAIN XGBClassifier WITH train.test_size = 0 LABEL word INTO m", "x"),
            "margins": ("SELECT x, y FROM {} ", "TO TRAIN LinearClassifier WITH model.loss = 'hinge', train.test_size = 0 LABEL y INTO m", "x"),
            "clusters": ("SELECT x, k FROM {} ", "TO TRAIN KMeans WITH n_clusters = 3 INTO m", "x, k"),
            "components": ("SELECT x, k FROM {} ", "TO TRAIN PCA WITH n_components = 1 INTO m", "x, k"),
            "outliers": ("SELECT x, k FROM {} ", "TO TRAIN OneClassSVM INTO m", "x, k"),
        }
        for name, (select, train, columns) in statements.items():
            with self.subTest(name):
                self.run_all(select.format("t") + train)
                found = self.named(f"SELECT {columns} FROM later TO EVALUATE m WITH evaluate.report = 'drift'")
                self.assertEqual(found[0]["input"], "(prediction)")
                if name != "numbers":
                    self.assertGreater(found[0]["psi"], 0.25)
                is_category = name in ("classes", "clusters")
                self.assertEqual(found[0]["mean_now"] is None, is_category)

    def test_calibrated_probabilities_are_those_that_are_compared(self):
        self.make("t", 4000, 12)
        self.run_all("SELECT * FROM t TO TRAIN XGBClassifier WITH n_estimators = 20, train.test_size = 0.3, "
                     "train.calibration = 'sigmoid' LABEL y INTO m")
        found = self.drift("m", "t")["(prediction)"]
        mean = self.run_all("SELECT avg(totrain_probability('m', x, k, word)) FROM t")[0][0]
        self.assertAlmostEqual(found["mean_now"], mean, 9)
        self.assertAlmostEqual(found["mean_then"], mean, 2)

    def test_texts_lists_dates_and_crosses_have_indices(self):
        draw = random.Random(13)
        rows = [(" ".join(draw.choice("abcdefgh") * 4 for _ in range(draw.randrange(1, 9))), f"{draw.random()},{draw.random()}",
                 f"2024-{draw.randrange(1, 13):02}-{draw.randrange(1, 28):02}", draw.choice("pq"), draw.choice("rs"),
                 draw.randrange(2)) for _ in range(400)]
        self.run_all("CREATE TABLE t (text TEXT, list TEXT, day TEXT, p TEXT, q TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        self.run_all("SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [4], train.epoch = 2, "
                     "train.test_size = 0 COLUMN TEXT(text), DENSE(list, 2, comma), day, p, q, CROSS([p, q], 8) "
                     "LABEL y INTO m")
        same = self.drift("m", "t")
        self.assertGreater(len(same), 8)
        self.assertEqual({row["psi"] for row in same.values()}, {0})
        self.run_all("UPDATE t SET text = 'aaaa', list = '9,9', day = '2031-05-05', p = 'p', q = 'r'")
        moved = self.drift("m", "t")
        for name, row in moved.items():
            if name != "(prediction)":
                self.assertGreater(row["psi"], 0.25, name)

    def test_it_is_written_into_a_table_and_bad_rows_do_not_count(self):
        self.make("t", 500, 14)
        self.train()
        self.run_all("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'drift' INTO watched")
        self.assertEqual({row["input"]: row for row in self.named("SELECT * FROM watched")}, self.drift("m", "t"))
        before = self.drift("m", "t")
        self.run_all("INSERT INTO t VALUES (1e999, 1, 'aaa', 'yes')")
        found = self.named("SELECT * FROM t TO EVALUATE m WITH evaluate.report = 'drift', evaluate.bad_rows = 'skip'")
        self.assertEqual({row["input"]: row for row in found}, before)

    def test_a_model_without_statistics_is_refused(self):
        self.make("t", 300, 15)
        self.train()
        meta = self.run_all("SELECT data FROM m WHERE part = 'meta'")[0][0]
        older = json.loads(meta)
        older.pop("statistics")
        self.run_all("CREATE TABLE old AS SELECT * FROM m WHERE part <> 'statistics'")
        self.run_all("UPDATE old SET data = ? WHERE part = 'meta'", json.dumps(older))
        with self.assertRaisesRegex(sqlite3.Error, "model old keeps no statistics of its training rows"):
            self.drift("old", "t")
        self.assertEqual(self.run_all("SELECT totrain_predict('old', x, k, word) FROM t"),
                         self.run_all("SELECT totrain_predict('m', x, k, word) FROM t"))
        self.run_all("CREATE TABLE less AS SELECT * FROM m WHERE name <> '(prediction)'")
        with self.assertRaisesRegex(sqlite3.Error, "1 rows of its statistics are missing"):
            self.drift("less", "t")
        self.run_all("CREATE TABLE odd AS SELECT * FROM m")
        self.run_all("UPDATE odd SET data = replace(data, '\"nulls\":', '\"nulls\":1') WHERE part = 'statistics'")
        with self.assertRaisesRegex(sqlite3.Error, 'statistics of "x"'):
            self.drift("odd", "t")

    def test_the_example_runs(self):
        harness.load_csv(self.database, "breast_cancer")
        done = self.run_program(self.path, "-f", EXAMPLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("verdict", "AUC_lower", "mean_radius"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
