"""Trees of categories with hundreds and thousands of words, each of which is learned.

What LightGBM 4.7 and XGBoost 3.2 reach is beside the numbers that are asked for, where it was measured on the table.
"""

import math
import random

import harness

REGRESSORS = ("XGBRegressor", "LGBMRegressor", "HistGradientBoostingRegressor")
CLASSIFIERS = ("XGBClassifier", "LGBMClassifier", "HistGradientBoostingClassifier")


class Words(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def fill(self, words, each=20):
        """Table t: each word has a label that nothing else tells, and which is above 0 for half of the words."""
        self.run_all(f"""CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {words * each - 1})
            SELECT 'zip' || (i % {words}) AS zip, (i * 7919 % 1009) / 1009.0 AS z, ((i % {words}) * 613 % {words}) * 2.0 / {words} - 1 AS y,
            ((i % {words}) * 613 % {words}) * 2 > {words} AS c FROM n""")

    def train(self, select, model, label, settings="", into="m", column=""):
        """The metrics of the held-out rows, and all notices."""
        settings = settings and f"WITH {settings} "
        rows = self.run_all(f"{select} TO TRAIN {model} {settings}{column} LABEL {label} INTO {into}")
        return ({row[0]: row[1] for row in rows if row[2] == "validation"},
                [row[3] for row in rows if row[0] == "notice"])

    def test_as_many_words_as_there_are_tell_the_label(self):
        # XGBoost reaches 1.0 with 1,000 words, LightGBM .946
        for words, each, models in ((300, 20, 2), (1000, 20, 3), (3000, 8, 1)):
            self.fill(words, each)
            for regressor, classifier in zip(REGRESSORS[:models], CLASSIFIERS):
                with self.subTest(f"{regressor}, {classifier} of {words} words"):
                    found, notices = self.train("SELECT zip, z, y FROM t", regressor, "y")
                    self.assertGreater(found["R2"], .999)
                    self.assertFalse([notice for notice in notices if "different words" in notice])
                    self.assertGreater(self.train("SELECT zip, z, c FROM t", classifier, "c")[0]["AUC"], .999)
            self.run_all("DROP TABLE t")

    def test_words_of_fewer_rows_than_cat_smooth_are_told(self):
        self.fill(400, 6)
        found, notices = self.train("SELECT zip, z, y FROM t", "LGBMRegressor", "y")
        self.assertIn('column "zip" has 400 different words: 400 of them, of 2160 rows, are one to the trees. A word of fewer '
                      "rows than cat_smooth, 10 here, is not distinguished from others.", notices)
        self.assertLess(found["R2"], .1)
        found, notices = self.train("SELECT zip, z, y FROM t", "LGBMRegressor", "y", "cat_smooth = 2, min_data_per_group = 5")
        self.assertFalse([notice for notice in notices if "are one to the trees" in notice])
        self.assertGreater(found["R2"], .9)

    def test_explain_says_that_a_sample_decides_what_all_rows_may_decide_otherwise(self):
        self.fill(1500)  # the first 1,000 rows have a word each
        self.database.execute("DELETE FROM t WHERE rowid > 12000")
        said = [row for row in self.run_all("EXPLAIN SELECT zip, z, y FROM t TO TRAIN XGBRegressor LABEL y INTO m") if row[0] == "notice"]
        self.assertIn('column "zip" is skipped: nearly all of its texts are different, like a key, in the sample; all '
                      "rows decide when it is trained", said[0][1])
        found, _ = self.train("SELECT zip, z, y FROM t", "XGBRegressor", "y")
        self.assertGreater(found["R2"], .9)

    def test_bins_of_numbers_are_none_of_words(self):
        self.fill(400)
        found, _ = self.train("SELECT zip, z, y FROM t", "XGBRegressor", "y", "max_bin = 4")
        self.assertGreater(found["R2"], .999)

    def test_words_and_a_number_tell_together_what_none_tells_alone(self):
        self.fill(300, 40)
        self.run_all("CREATE TABLE x AS SELECT zip, z, c <> (z > 0.5) AS d FROM t")
        for model in CLASSIFIERS[:2]:
            self.assertGreater(self.train("SELECT * FROM x", model, "d")[0]["AUC"], .97)

    def test_any_number_of_workers_and_order_of_rows_makes_the_same_table(self):
        self.fill(1000, 5)
        for model, settings in (("XGBRegressor", "n_estimators = 4, "), ("xgboost.dart", "num_boost_round = 4, "),
                                ("RandomForestRegressor", "n_estimators = 4, "),
                                ("LGBMRegressor", "n_estimators = 4, min_data_per_group = 5, cat_smooth = 1, ")):
            with self.subTest(model):
                self.check_workers_and_order(lambda more, into, rows, model=model, settings=settings: self.run_all(
                    f"SELECT zip, z, y FROM {rows} TO TRAIN {model} WITH {settings}{more} LABEL y INTO {into}"))

    def fill_drawn(self, words, rows, effect, noise):
        """Tables t and e: a normal number of the word, part of a sine, and noise; e is to be judged."""
        draw = random.Random(3)
        of_word = [draw.gauss(0, effect) for _ in range(words)]
        for table, count in (("t", rows), ("e", 4000)):
            self.run_all(f"CREATE TABLE {table} (w TEXT, a REAL, y REAL)")
            self.run_all("BEGIN")
            drawn = [(draw.randrange(words), draw.random()) for _ in range(count)]
            self.database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", [
                (f"w{word}", a, of_word[word] + .5 * math.sin(6 * a) + draw.gauss(0, noise)) for word, a in drawn])
            self.run_all("COMMIT")

    def judge(self, model, settings="test_size = 0"):
        self.train("SELECT * FROM t", model, "y", settings)
        found = self.database.execute(f"SELECT * FROM e TO EVALUATE m -- {model} {settings}")
        return dict(zip((column[0] for column in found.description), found.fetchone()))["R2"]

    def test_forests_and_single_trees_learn_thousands_of_words(self):
        # with at most 64 words on a side .79, .73, .89; scikit-learn's forest and tree on a TargetEncoder .92, .84
        self.fill_drawn(2000, 20000, 1, .25)
        for model, least in (("RandomForestRegressor", .90), ("DecisionTreeRegressor", .89),
                             ("GradientBoostingRegressor", .92)):
            with self.subTest(model):
                settings = "test_size = 0" + (", n_estimators = 20" if "Forest" in model else "")
                self.assertGreater(self.judge(model, settings), least)
                self.assertLess(self.judge(model, settings + ", max_cat_threshold = 64"), least)

    def test_words_that_tell_nothing_are_not_learned_by_the_thousand(self):
        """The same model as where at most 64 words go together: R2 is .05 and .2 lower where nothing is charged."""
        self.fill_drawn(5000, 20000, 0, .5)
        for model in ("DecisionTreeRegressor", "GradientBoostingRegressor"):
            with self.subTest(model):
                self.assertGreaterEqual(self.judge(model), self.judge(model, "test_size = 0, max_cat_threshold = 64") - .005)

    def test_a_forest_of_long_lists_predicts_the_same_from_files(self):
        self.fill(900, 8)
        self.train("SELECT zip, z, y FROM t", "DecisionTreeRegressor", "y", "test_size = 0")
        for file in ("xgboost", "lightgbm"):
            self.run_all("SELECT totrain_import_model('back', totrain_export_model('m', ?), ?)", file, file)
            self.assertLessEqual(self.run_all("SELECT max(abs(totrain_predict('m', zip, z) - totrain_predict('back', zip, z))) FROM t")[0][0], 1e-6)

    def test_a_column_of_words_alone(self):
        self.fill(400, 10)
        self.assertGreater(self.train("SELECT zip, y FROM t", "XGBRegressor", "y")[0]["R2"], .999)
        self.assertGreater(self.train("SELECT zip, y FROM t", "RandomForestRegressor", "y")[0]["R2"], .99)

    def test_a_model_predicts_what_it_was_measured_by_also_from_files(self):
        self.fill(500)
        self.run_all("UPDATE t SET zip = NULL, y = 3 WHERE rowid % 50 = 0")
        for name in ("XGBRegressor", "LGBMRegressor"):
            with self.subTest(name):
                self.train("SELECT zip, z, y FROM t", name, "y", "test_size = 0")
                found = self.database.execute(f"SELECT * FROM t TO EVALUATE m -- {name}")
                measured = dict(zip((column[0] for column in found.description), found.fetchone()))
                rows = self.run_all("SELECT y, totrain_predict('m', zip, z) FROM t")
                mse = sum((p - y) ** 2 for y, p in rows) / len(rows)
                self.assertAlmostEqual(measured["RMSE"] ** 2, mse, delta=1e-9 + 1e-6 * mse)
                self.assertLess(mse, .01)
                self.assertEqual(*self.run_all("SELECT totrain_predict('m', 'elsewhere', 0.5), totrain_predict('m', NULL, 0.5)")[0])
                for file in ("xgboost", "xgboost_ubj", "lightgbm"):
                    self.run_all("SELECT totrain_import_model('back', totrain_export_model('m', ?), ?)", file, file)
                    far = self.run_all("SELECT max(abs(totrain_predict('m', zip, z) - totrain_predict('back', zip, z))) FROM t")
                    self.assertLessEqual(far[0][0], 1e-6)

    def test_words_of_a_single_row_do_not_hide_the_others(self):
        """Nearly a third of the rows have a word of their own."""
        draw = random.Random(1)
        effect = [draw.gauss(0, 1) for _ in range(280)]
        self.run_all("CREATE TABLE t (w TEXT, x REAL, y REAL)")
        for i in range(4000):
            alone = draw.random() < .3
            self.run_all("INSERT INTO t VALUES (?, ?, ?)", f"n{i}" if alone else f"w{i % 280}", draw.random(),
                         (0 if alone else effect[i % 280]) + draw.gauss(0, .5))
        found, notices = self.train("SELECT * FROM t", "XGBRegressor", "y")
        self.assertGreater(found["R2"], .5)
        self.assertEqual(len([notice for notice in notices if "are one to the trees" in notice]), 1)

    def test_words_that_are_not_told_apart_have_a_notice(self):
        self.fill(400)
        _, notices = self.train("SELECT zip, z, y FROM t", "XGBRegressor", "y", column="COLUMN VOCABULARY(zip, 300)")
        told = [notice for notice in notices if "different words" in notice]
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], 'column "zip" has 400 different words: 100 of them, of 1[0-9]{3} rows, are one to the trees')
        self.assertIn("COLUMN VOCABULARY(zip, 400) keeps them all", told[0])
        _, notices = self.train("SELECT zip, z, y FROM t", "XGBRegressor", "y", "n_estimators = 1",
                                 column="COLUMN CATEGORY_HASH(zip, 70000)")
        self.assertEqual(len([notice for notice in notices if "has 70000 buckets: those from 65534 on" in notice]), 1)


if __name__ == "__main__":
    harness.main()
