"""Principal components, from the statement to the columns that PREDICT adds."""

import json
import pathlib
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import components  # noqa: E402  pylint: disable=wrong-import-position

STANDARDISED = {"standardised": "true", "as they are": "false"}


class Components(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all(f"CREATE TABLE t ({', '.join(f'{name} REAL' for name in components.COLUMNS)})")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", components.rows())

    def train(self, settings="n_components = 4", into="m", rows="t"):
        return harness.facts(self.run_all(f"SELECT * FROM {rows} TO TRAIN PCA WITH train.test_size = 0, {settings} "
                                          f"INTO {into}"))

    def test_loadings_variances_and_rows_are_those_of_scikit_learn(self):
        for name, wanted in components.REFERENCE.items():
            with self.subTest(name):
                self.train(f"n_components = 4, model.standardize = {STANDARDISED[name]}")
                shown = self.run_all("SELECT * FROM t TO EXPLAIN m USING components")
                self.assertEqual([row[:2] for row in shown],
                                 [(i, column) for i in range(1, 5) for column in components.COLUMNS])
                self.check_near([row[2] for row in shown], sum(wanted["loadings"], []))
                shown = self.run_all("SELECT * FROM t TO EXPLAIN m USING explained_variance")
                self.check_near([row[1] for row in shown], wanted["variances"][:4])
                self.check_near([row[2] for row in shown], wanted["ratios"][:4])
                self.assertAlmostEqual(shown[-1][3], 1)
                placed = self.run_all("SELECT * FROM t TO PREDICT WITH predict.extra_outputs = 'score' USING m")
                for row, other in zip(placed, wanted["rows"]):
                    self.check_near(row[5:9], other, 1e-5)

    def test_the_distance_and_the_metrics_are_of_what_the_components_leave(self):
        for name, wanted in components.REFERENCE.items():
            with self.subTest(name):
                trained = self.train(f"n_components = {components.KEPT}, model.standardize = {STANDARDISED[name]}")
                distances = self.run_all("SELECT totrain_distance('m', a, b, c, z, s) FROM t LIMIT 5")
                self.check_near([row[0] for row in distances], wanted["distances"], 1e-5)
                self.check_near([trained["ReconstructionError"], trained["ExplainedVariance"]],
                                [wanted["error"], sum(wanted["ratios"][:components.KEPT])], 1e-5)
                self.check_near(self.run_all("SELECT * FROM t TO EVALUATE m")[0][:3],
                                [trained["ReconstructionError"], trained["ReconstructionError"],
                                 trained["ExplainedVariance"]])

    def test_predict_adds_a_column_of_each_component(self):
        self.train("n_components = 2")
        for settings in ("", "WITH job.max_workers = 2"):
            with self.subTest(settings):
                self.run_all(f"SELECT * FROM t TO PREDICT placed.pca {settings} USING m")
                self.assertEqual([row[1:3] for row in self.run_all("PRAGMA table_info(placed)")][5:],
                                 [("pca_1", "REAL"), ("pca_2", "REAL")])
                different = ("SELECT count(*) FROM placed WHERE pca_1 <> totrain_component('m', a, b, c, z, s, 1) "
                             "OR pca_2 <> totrain_component('m', a, b, c, z, s, 2)")
                self.assertEqual(self.run_all(different), [(0,)])
        text, = self.run_all("SELECT totrain_predict('m', a, b, c, z, s) FROM t LIMIT 1")[0]
        self.assertEqual(tuple(json.loads(text)), self.run_all("SELECT pca_1, pca_2 FROM placed LIMIT 1")[0])
        cursor = self.database.execute("SELECT * FROM t TO PREDICT USING m")
        self.assertEqual([column[0] for column in cursor.description][5:], ["component_1", "component_2"])

    def test_the_components_are_inputs_of_another_model(self):
        self.train("n_components = 2")
        self.run_all("SELECT * FROM t TO PREDICT placed.p USING m")
        fitted = harness.facts(self.run_all("SELECT p_1, p_2, z FROM placed TO TRAIN OLS WITH train.test_size = 0 "
                                            "LABEL z INTO fit"))
        self.assertGreater(fitted["R2"], .8)

    def test_nulls_are_the_mean_and_say_nothing_else(self):
        self.run_all("UPDATE t SET c = NULL WHERE rowid % 3 = 0")
        self.train("n_components = 5")
        shown = self.run_all("SELECT * FROM t TO EXPLAIN m USING components")
        self.assertEqual({row[1] for row in shown}, set(components.COLUMNS))
        mean, = self.run_all("SELECT avg(c) FROM t")[0]
        null, = self.run_all("SELECT totrain_component('m', a, b, NULL, z, s, 3) FROM t LIMIT 1")[0]
        of_mean, = self.run_all(f"SELECT totrain_component('m', a, b, {mean}, z, s, 3) FROM t LIMIT 1")[0]
        self.assertAlmostEqual(null, of_mean, delta=1e-6)

    def test_rows_of_weight_two_are_rows_that_are_there_twice(self):
        self.run_all("ALTER TABLE t ADD COLUMN w REAL")
        self.run_all("UPDATE t SET w = 1 + rowid % 2")
        self.run_all("CREATE VIEW twice AS SELECT a, b, c, z, s FROM t UNION ALL SELECT a, b, c, z, s FROM t WHERE w = 2")
        self.train("n_components = 3, model.standardize = false, train.sample_weight = 'w'")
        weighted = self.run_all("SELECT * FROM t TO EXPLAIN m USING explained_variance")
        self.train("n_components = 3, model.standardize = false", rows="twice")
        for row, other in zip(weighted, self.run_all("SELECT * FROM t TO EXPLAIN m USING explained_variance"), strict=True):
            self.check_near(row, other)

    def test_columns_of_any_units_keep_their_digits(self):
        self.run_all("CREATE TABLE far AS SELECT a * 1e12 AS a, b * 1e-9 AS b FROM t")
        self.train("n_components = 2, model.standardize = false", rows="far")
        for variance, column in zip(self.run_all("SELECT * FROM far TO EXPLAIN m USING explained_variance"), "ab"):
            wanted, = self.run_all(f"SELECT (avg({column} * {column}) - avg({column}) * avg({column})) * count(*) / "
                                   "(count(*) - 1) FROM far")[0]
            if column == "a":
                self.assertAlmostEqual(variance[1] / wanted, 1, delta=1e-5)

    def make_words(self):
        self.run_all("CREATE TABLE words (a REAL, z REAL, w TEXT, v TEXT)")
        self.database.executemany("INSERT INTO words VALUES (?, ?, ?, ?)", components.word_rows())

    def test_words_are_columns_of_0_and_1_as_behind_one_hot_encoding(self):
        self.make_words()
        self.train("model.n_components = 'auto'", rows="words")
        shown = self.run_all("SELECT * FROM words TO EXPLAIN m USING explained_variance")
        self.check_near([row[1] for row in shown], components.OF_WORDS["variances"], 1e-5)  # one less than words for each
        names = {row[1] for row in self.run_all("SELECT * FROM words TO EXPLAIN m USING components")}
        self.assertEqual(names, {"a", "z", "w=p", "w=q", "w=r", "v=u", "v=v", "v is null"})
        placed = self.run_all("SELECT * FROM words LIMIT 5 TO PREDICT USING m")
        for row, other in zip(placed, components.OF_WORDS["rows"], strict=True):
            self.check_near([abs(number) for number in row[4:7]], other, 1e-5)
        trained = self.train(f"n_components = {components.KEPT}", rows="words")
        distances = self.run_all("SELECT totrain_distance('m', a, z, w, v) FROM words LIMIT 5")
        self.check_near([row[0] for row in distances], components.OF_WORDS["distances"], 1e-5)
        self.assertAlmostEqual(self.run_all("SELECT * FROM words TO EVALUATE m")[0][1], trained["ReconstructionError"], 9)
        unseen = self.run_all("SELECT totrain_component('m', 0, 0, 'never', 'u', 1) - totrain_component('m', 0, 0, 'q', 'u', 1)")
        loadings = {row[:2]: row[2] for row in self.run_all("SELECT * FROM words TO EXPLAIN m USING components")}
        self.assertAlmostEqual(-unseen[0][0], loadings[1, "w=q"], delta=1e-6)
        self.run_all("SELECT w, v FROM words TO TRAIN PCA INTO alone")
        self.assertEqual(len(self.run_all("SELECT * FROM words TO EXPLAIN alone USING explained_variance")), 4)

    def test_words_by_any_number_of_workers_in_any_order_make_the_same_table(self):
        self.make_words()
        self.run_all("DROP TABLE t")
        self.run_all("ALTER TABLE words RENAME TO t")
        self.check_workers_and_order(self.train)

    def test_more_components_and_words_than_there_is_room_for_are_refused(self):
        self.make_words()
        with self.assertRaisesRegex(sqlite3.OperationalError, "(?s)n_components = 7, where there are 6 inputs.*words but one"):
            self.train("n_components = 7", rows="words")
        with self.assertRaisesRegex(sqlite3.OperationalError, "5001 inputs.*are of 1024 at most"):
            self.run_all("SELECT a, w FROM words TO TRAIN PCA COLUMN CATEGORY_HASH(w, 5000) INTO m")

    def test_any_number_of_workers_and_any_order_make_the_same_table(self):
        self.check_workers_and_order(self.train)

    def test_it_is_explained_and_shown_as_others_are(self):
        self.train()
        self.assertEqual({row[0] for row in self.run_all("SELECT * FROM t TO EXPLAIN m")}, set(components.COLUMNS))
        self.assertIn(("kind", "PCA"), self.run_all("SHOW MODEL m"))
        self.assertEqual(self.run_all("SHOW MODELS")[0][:2], ("m", "PCA"))

    def test_what_it_does_not_do_is_refused(self):
        for settings, message in (("n_components = 6", "model.n_components = 6, where there are 5 inputs"),
                                  ("n_components = 0", "n_components"), ("train.epoch = 3", "train.epoch")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.OperationalError, message):
                self.train(settings)
        self.run_all("CREATE TABLE flat AS SELECT 1.0 AS x, 2.0 AS y FROM t")
        with self.assertRaisesRegex(sqlite3.OperationalError, "all inputs are constant"):
            self.train("n_components = 1", rows="flat")
        self.train("n_components = 2")
        for number in (0, 3):
            with self.subTest(number), self.assertRaisesRegex(sqlite3.OperationalError, "where the model has 2"):
                self.run_all(f"SELECT totrain_component('m', a, b, c, z, s, {number}) FROM t LIMIT 1")


if __name__ == "__main__":
    harness.main()
