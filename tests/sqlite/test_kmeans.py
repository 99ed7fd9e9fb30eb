"""KMeans from the statement to the table: clusters without a label."""

import pathlib
import random
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import clusters  # noqa: E402  pylint: disable=wrong-import-position

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sql" / "clusters.sql"


class Clusters(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def make(self, name):
        rows = clusters.SETS[name][0]()
        columns = ", ".join(f"c{i} REAL" for i in range(len(rows[0])))
        self.run_all(f"CREATE TABLE {name} ({columns})")
        marks = ", ".join("?" * len(rows[0]))
        self.database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)

    def train(self, name, into="k", more=""):
        _, count, standardized, _ = clusters.SETS[name]
        return harness.facts(self.run_all(
            f"SELECT * FROM {name} TO TRAIN KMeans WITH model.n_clusters = {count}, "
            f"model.standardize = {'true' if standardized else 'false'}{more} INTO {into}"))

    def test_inertia_is_that_of_scikit_learn(self):
        for name, (_, _, _, reference) in clusters.SETS.items():
            with self.subTest(name):
                self.make(name)
                self.assertLess(abs(self.train(name)["Inertia"] / reference - 1), 0.01)

    def test_any_number_of_workers_makes_the_same_table(self):
        self.make("generated")
        self.train("generated", "one")
        for workers in (2, 3, 8):
            self.train("generated", f"m{workers}",
                       f", job.min_workers = {workers}, job.max_workers = {workers}")
            self.assertEqual(self.model_digest(f"m{workers}"), self.model_digest("one"))

    def test_the_order_of_the_rows_makes_no_difference(self):
        self.make("iris")
        self.train("iris", "one")
        self.run_all("CREATE TABLE other AS SELECT * FROM iris ORDER BY c2 DESC, c0")
        self.run_all("SELECT * FROM other TO TRAIN KMeans WITH model.n_clusters = 3, "
                     "model.standardize = false INTO two")
        self.assertEqual(self.model_digest("two"), self.model_digest("one"))

    def test_a_row_gets_its_cluster_and_the_distance_to_it(self):
        self.make("iris")
        trained = self.train("iris")
        rows = self.run_all("SELECT * FROM iris TO PREDICT WITH predict.extra_outputs = 'score' USING k")
        self.assertEqual({row[4] for row in rows}, {0, 1, 2})
        self.assertTrue(all(isinstance(row[4], int) for row in rows))
        self.assertAlmostEqual(sum(row[5] ** 2 for row in rows), trained["Inertia"], places=4)
        self.run_all("SELECT * FROM iris TO PREDICT p.part WITH predict.extra_outputs = 'score' USING k")
        self.assertEqual([tuple(row) for row in self.run_all("SELECT * FROM p")],
                         [tuple(row) for row in rows])
        self.assertEqual([row[1:3] for row in self.run_all("PRAGMA table_info(p)")][4:],
                         [("part", "INTEGER"), ("score", "REAL")])
        self.run_all("SELECT * FROM iris TO PREDICT w.part WITH predict.extra_outputs = 'score', "
                     "job.max_workers = 2 USING k")
        self.assertEqual(self.run_all("SELECT * FROM w"), self.run_all("SELECT * FROM p"))

    def test_evaluate_measures_without_a_label(self):
        self.make("iris")
        trained = self.train("iris")
        found = self.run_all("SELECT * FROM iris TO EVALUATE k")
        self.assertAlmostEqual(found[0][0], trained["Inertia"] / 150, places=9)
        self.assertAlmostEqual(found[0][1], trained["Inertia"], places=6)
        self.assertAlmostEqual(found[0][2], trained["Silhouette"], places=9)
        self.assertEqual(self.run_all("SELECT * FROM iris TO EVALUATE k WITH job.max_workers = 2"), found)
        self.run_all("CREATE TABLE bad AS SELECT * FROM iris UNION ALL SELECT 'x', 1, 1, 1")
        self.assertEqual(self.run_all("SELECT * FROM bad TO EVALUATE k WITH evaluate.bad_rows = 'skip'"),
                         found)

    def test_the_silhouette_is_that_of_scikit_learn(self):
        """The measure over all rows of iris, and over a sample of the 1,200 that are generated."""
        for name, places in (("iris", 7), ("generated", 2)):
            with self.subTest(name):
                self.make(name)
                inertia = self.train(name)["Inertia"]
                found = self.run_all(f"SELECT * FROM {name} TO EVALUATE k WITH validation.metrics = 'silhouette_score'")
                self.assertLess(abs(inertia / clusters.SETS[name][3] - 1), 1e-6)
                self.assertAlmostEqual(found[0][1], clusters.SILHOUETTES[name], places=places)
                self.run_all(f"CREATE TABLE turned AS SELECT * FROM {name} ORDER BY c1 DESC, c0")
                for workers in (0, 1, 2, 3):
                    more = f", job.max_workers = {workers}, job.min_workers = {workers}" if workers else ""
                    other = self.run_all(
                        "SELECT * FROM turned TO EVALUATE k WITH validation.metrics = 'silhouette_score'" + more)
                    self.assertEqual(other[0][1], found[0][1])
                self.run_all("DROP TABLE turned")

    def make_words(self):
        """Three groups that two categories tell, most often, and a number that says nothing."""
        draw = random.Random(5)
        self.run_all("CREATE TABLE words (x REAL, a TEXT, b TEXT, g INTEGER)")
        self.database.executemany("INSERT INTO words VALUES (?, ?, ?, ?)", (
            (draw.gauss(0, .5), "pqr"[g] if draw.random() < .9 else draw.choice("pqr"),
             None if draw.random() < .03 else "uvw"[g] if draw.random() < .9 else draw.choice("uvw"), g) for g in [0, 1, 2] * 200))

    def test_words_are_columns_of_0_and_1(self):
        self.make_words()
        options = "WITH model.n_clusters = 3, model.standardize = false"
        words = harness.facts(self.run_all(f"SELECT x, a, b FROM words TO TRAIN KMeans {options} INTO k"))
        columns = ", ".join(f"(a IS '{word}') * 1.0 AS a{word}" for word in "pqr") + ", " + ", ".join(
            f"(b IS {word}) * 1.0 AS b{i}" for i, word in enumerate(("'u'", "'v'", "'w'", "NULL")))
        numbers = harness.facts(self.run_all(f"SELECT x, {columns} FROM words TO TRAIN KMeans {options} INTO n"))
        self.assertLess(abs(words["Inertia"] / numbers["Inertia"] - 1), 1e-3)
        self.assertLess(abs(words["Silhouette"] - numbers["Silhouette"]), 1e-2)
        measured = dict(self.run_all("SELECT g, max(count) FROM (SELECT g, totrain_predict('k', x, a, b) AS c, count(*) AS count "
                                     "FROM words GROUP BY 1, 2) GROUP BY g"))
        self.assertGreater(min(measured.values()), 150)
        [(_, inertia, silhouette, _)] = self.run_all("SELECT x, a, b FROM words TO EVALUATE k")
        self.assertAlmostEqual(inertia, words["Inertia"], 9)
        self.assertAlmostEqual(silhouette, words["Silhouette"], 9)
        self.run_all("SELECT x, a, b FROM words TO EVALUATE k WITH job.max_workers = 2")
        [(seen, unseen)] = self.run_all("SELECT totrain_distance('k', 0, 'p', 'u'), totrain_distance('k', 0, 'p', 'never')")
        self.assertLess(seen, unseen)

    def test_clusters_of_words_are_the_same_in_any_order_by_any_workers(self):
        self.make_words()
        digests = set()
        for rows in ("words", "(SELECT * FROM words ORDER BY random())"):
            for workers in (1, 3):
                self.run_all(f"SELECT x, a, b FROM {rows} TO TRAIN KMeans WITH model.n_clusters = 3, job.min_workers = {workers}, "
                             f"job.max_workers = {workers} INTO k")
                digests.add(self.model_digest("k"))
        self.assertEqual(len(digests), 1)

    def test_show_has_no_label(self):
        self.make("iris")
        self.train("iris")
        items = [row[0] for row in self.run_all("SHOW MODEL k")]
        self.assertNotIn("label", items)
        self.assertIn("Inertia, training", items)

    def test_validation_rows_need_no_label(self):
        self.make("iris")
        rows = self.run_all("SELECT * FROM iris TO TRAIN KMeans WITH model.n_clusters = 3, "
                            "validation.select = 'SELECT * FROM iris WHERE c0 > 6' INTO k")
        self.assertTrue(0 < harness.validated(rows)["Inertia"] < harness.facts(rows)["Inertia"])
        self.run_all("SELECT * FROM iris TO TRAIN KMeans WITH model.n_clusters = 3, "
                     "train.test_size = 0.2 INTO k")

    def test_the_example_finds_the_flowers_that_lie_together(self):
        self.make_iris()
        done = self.run_program(self.path, "-f", EXAMPLE, "--format", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = self.run_all("SELECT class, count(DISTINCT cluster), count(*) FROM iris_clustered GROUP BY class")
        self.assertEqual(found, [(0, 1, 50), (1, 2, 50), (2, 2, 50)])
        self.assertIn("loss,Inertia,Silhouette", done.stdout)

    def test_functions_say_what_they_are_not_for(self):
        self.make("iris")
        self.train("iris")
        for function, message in (("probability", "has no probabilities"), ("logits", "has no logits")):
            with self.assertRaisesRegex(sqlite3.OperationalError, message):
                self.run_all(f"SELECT totrain_{function}('k', c0, c1, c2, c3) FROM iris")

    def test_more_clusters_than_rows_are_refused(self):
        self.make("iris")
        with self.assertRaisesRegex(sqlite3.OperationalError, "200 clusters of 150 rows"):
            self.run_all("SELECT * FROM iris TO TRAIN KMeans WITH model.n_clusters = 200 INTO k")



harness.main()
