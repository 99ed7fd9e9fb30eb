"""Trees of numbers far from 0: labels, columns and thresholds whose differences floats would lose.

What a constant that is added to labels, or to a column, must do needs no other program to tell.
"""

import itertools
import json
import math
import sqlite3

import harness

BOOSTERS = ("XGBRegressor", "LGBMRegressor", "HistGradientBoostingRegressor", "GradientBoostingRegressor",
            "BoostedTreesRegressor", "xgboost.gbtree", "lightgbm.gbdt", "xgboost.dart", "lightgbm.goss")
FORESTS = ("RandomForestRegressor", "DecisionTreeRegressor", "XGBRFRegressor", "lightgbm.rf")
OBJECTIVES = ("reg:squarederror", "reg:pseudohubererror", "reg:absoluteerror", "reg:quantileerror", "huber", "fair", "mape",
              "reg:squaredlogerror")
FAR = 5411000
WAVE = f"""WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 999)
SELECT i / 500.0 AS x, 2 * sin(i / 80.0) + 0.2 * ((i * 7919 % 1000) / 1000.0 - 0.5) AS y FROM r"""


class FarNumbers(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.texts = itertools.count()  # a statement that is kept prepared knows the model's columns
        self.run_all("CREATE TABLE t AS " + WAVE)

    def measured(self, source, model="m"):
        cursor = self.database.execute(f"SELECT * FROM {source} TO EVALUATE {model} -- {next(self.texts)}")
        return dict(zip((column[0] for column in cursor.description), cursor.fetchone()))

    def learn(self, model, source="t", label="y", settings="", into="m"):
        """The predictions of all rows, and what EVALUATE and SHOW TRAIN say of them."""
        settings = "WITH test_size = 0" + (settings and ", " + settings)
        self.run_all(f"SELECT * FROM {source} TO TRAIN {model} {settings} LABEL {label} INTO {into}")
        found = self.measured(source, into)
        shown = self.database.execute(f"SHOW TRAIN {into}").fetchall()
        columns = [name[0] for name in self.database.execute(f"SHOW TRAIN {into}").description]
        last = dict(zip(columns, shown[-1]))
        return found, last

    def predictions(self, columns, source="t", model="m"):
        return [value for (value,) in
                self.run_all(f"SELECT totrain_predict('{model}', {columns}) FROM {source} ORDER BY rowid")]

    def check_moved(self, near, far, constant, delta):
        for one, other in zip(near, far):
            self.assertLessEqual(abs(other - constant - one), delta)

    def test_a_constant_added_to_labels_is_added_to_predictions(self):
        self.run_all(f"CREATE TABLE far AS SELECT x, y + {FAR} AS y FROM t")
        for model in BOOSTERS + FORESTS:
            with self.subTest(model):
                self.learn(model)
                near = self.predictions("x")
                found, _ = self.learn(model, "far")
                # Rows are drawn, and gradients rounded, by hashes of the rows, which are others.
                close = sum(abs(b - FAR - a) < .15 for a, b in zip(near, self.predictions("x", "far"))) / len(near)
                self.assertGreater(close, .95)
                self.assertGreater(found["R2"], .9)

    def test_of_every_objective_the_last_loss_is_that_of_the_model(self):
        self.run_all(f"CREATE TABLE far AS SELECT x, y + {FAR} AS y FROM t")
        for objective in OBJECTIVES:
            with self.subTest(objective):
                settings = f"objective = '{objective}', num_boost_round = 60"
                if objective == "reg:quantileerror":
                    settings += ", quantile_alpha = 0.5"
                found, last = self.learn("xgboost.gbtree", "far", settings=settings)
                if objective not in ("reg:squaredlogerror", "reg:quantileerror"):  # steps are as large as the label
                    self.assertGreater(found["R2"], .9)
                if objective == "reg:quantileerror":
                    self.assertAlmostEqual(last["train_loss"], found["Pinball"], delta=1e-5 * found["Pinball"])
                    self.assertLess(found["Pinball"], .2)
                if objective in ("reg:squarederror", "reg:pseudohubererror", "reg:squaredlogerror"):
                    self.assertAlmostEqual(last["train_loss"], found["RMSE"] ** 2, delta=1e-5 * found["RMSE"] ** 2)
                if objective == "reg:absoluteerror":
                    self.assertAlmostEqual(last["train_loss"], found["MAE"], delta=1e-5 * found["MAE"])

    def test_more_rounds_never_raise_the_loss(self):
        self.run_all(f"CREATE TABLE far AS SELECT x, y + {FAR} AS y FROM t WHERE rowid % 5 = 0")
        self.learn("LGBMRegressor", "far", settings="learning_rate = 0.01, n_estimators = 1500, min_data_in_leaf = 5")
        losses = [row[2] for row in self.run_all("SHOW TRAIN m")]
        self.assertEqual(len(losses), 1500)
        for before, after in zip(losses, losses[1:]):
            self.assertLessEqual(after, before * (1 + 1e-9))
        found = self.measured("far")
        self.assertAlmostEqual(found["RMSE"] ** 2, losses[-1], delta=1e-6 * losses[-1])
        self.assertGreater(found["R2"], .99)

    def test_seconds_since_1970_are_labels(self):
        self.run_all("CREATE TABLE far AS SELECT x, 1700000000 + 600 * sin(2 * x) AS y FROM t")
        for model in ("XGBRegressor", "LGBMRegressor", "DecisionTreeRegressor"):
            with self.subTest(model):
                self.assertGreater(self.learn(model, "far")[0]["R2"], .99)

    def test_a_few_far_labels_do_not_hide_the_others(self):
        self.run_all("CREATE TABLE far AS SELECT x, 1700000000 + 600 * sin(2 * x) AS y FROM t WHERE rowid % 100")
        self.run_all("INSERT INTO far VALUES (NULL, 0)")
        self.learn("XGBRegressor", "far", settings="n_estimators = 300")
        rows = self.run_all("SELECT y, totrain_predict('m', x) FROM far WHERE x >= 0")
        self.assertLess(math.sqrt(sum((a - b) ** 2 for a, b in rows) / len(rows)), 40)

    def test_four_labels_that_one_float_is(self):
        self.run_all("CREATE TABLE four (a INTEGER, y INTEGER)")
        self.run_all("INSERT INTO four VALUES (0, 100000000), (1, 100000001), (2, 100000002), (3, 100000003)")
        self.learn("DecisionTreeRegressor", "four")
        self.assertEqual(self.predictions("a", "four"), [1e8, 1e8 + 1, 1e8 + 2, 1e8 + 3])

    def test_columns_of_seconds_and_days_are_told_apart(self):
        self.run_all("CREATE TABLE s AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399) "
                     "SELECT 1700000000 + i AS ts, CAST(i AS REAL) AS y FROM n")
        self.run_all("CREATE TABLE d AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) SELECT "
                     "CAST(strftime('%Y%m%d', '2024-01-01', i || ' days') AS INTEGER) AS day, (i % 2) * 10.0 AS y FROM n")
        for model, settings in (("LGBMRegressor", "min_child_samples = 1, num_leaves = 64, min_data_in_bin = 1"),
                                ("XGBRegressor", "max_depth = 16")):
            with self.subTest(model):
                self.assertGreater(self.learn(model, "s")[0]["R2"], .999)
                self.assertGreater(self.learn(model, "d", settings=settings)[0]["R2"], .99)

    def test_a_constant_added_to_a_column_changes_no_prediction(self):
        self.run_all("CREATE TABLE far AS SELECT x * 65536 AS x, y FROM t")
        self.run_all("CREATE TABLE farther AS SELECT x * 65536 + 4000000000 AS x, y FROM t")
        for model in ("LGBMRegressor", "XGBRegressor"):
            with self.subTest(model):
                self.learn(model, "far")
                near = self.predictions("x", "far")
                self.learn(model, "farther")
                far = self.predictions("x", "farther")
                close = sum(abs(a - b) < .1 for a, b in zip(near, far)) / len(near)
                self.assertGreater(close, .97)

    def test_such_a_model_goes_on_and_is_scored_by_every_way(self):
        self.run_all("CREATE TABLE s AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399) "
                     "SELECT 1700000000 + i AS ts, 1000000 + i % 7 AS y FROM n")
        self.learn("LGBMRegressor", "s", settings="n_estimators = 20, min_data_in_leaf = 1")
        before = self.measured("s")["RMSE"]
        self.run_all("SELECT * FROM s TO TRAIN LGBMRegressor WITH n_estimators = 100, min_data_in_leaf = 1, test_size = 0 "
                     "LABEL y USING m INTO more")
        after = self.measured("s", "more")["RMSE"]
        self.assertLess(after, .95 * before)
        self.run_all("SELECT * FROM s TO PREDICT p.g USING more")
        one_by_one = self.predictions("ts", "s", "more")
        self.assertEqual([value for (value,) in self.run_all("SELECT g FROM p ORDER BY rowid")], one_by_one)

    def test_lightgbm_files_keep_what_floats_would_lose(self):
        self.run_all("CREATE TABLE s AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
                     "SELECT 1700000000 + i * 7 AS ts, 5411000 + 100 * sin(i / 40.0) AS y FROM n")
        self.learn("LGBMRegressor", "s")
        there = self.predictions("ts", "s")
        file = self.folder / "far.txt"
        self.run_all(f"EXPORT MODEL m TO '{file}'")
        self.run_all(f"IMPORT MODEL back FROM '{file}'")
        for one, other in zip(there, self.predictions("ts", "s", "back")):
            self.assertLessEqual(abs(one - other), 1e-4)
        thresholds = [float(word) for line in file.read_text().splitlines() if line.startswith("threshold=")
                      for word in line[10:].split()]
        self.assertTrue(all(1700000000 < value < 1700007000 for value in thresholds))

    def test_xgboost_files_cannot_say_what_floats_lose(self):
        self.run_all("CREATE TABLE s AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399) "
                     "SELECT 1700000000 + i AS ts, i % 100 AS y FROM n")
        self.learn("XGBRegressor", "s")
        with self.assertRaisesRegex(sqlite3.Error, 'numbers of column "ts" around 1700000'):
            self.run_all(f"EXPORT MODEL m TO '{self.folder / 'm.json'}'")
        self.run_all("CREATE TABLE far AS SELECT x, 1700000000 + y AS y FROM t")
        self.learn("XGBRegressor", "far")
        with self.assertRaisesRegex(sqlite3.Error, 'predictions of label "y" around 1[67]'):
            self.run_all(f"EXPORT MODEL m TO '{self.folder / 'm.json'}'")

    def test_finite_numbers_beyond_floats_are_no_missing_ones(self):
        self.run_all("CREATE TABLE gaps AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299) "
                     "SELECT CASE WHEN i % 3 THEN i * 1.0 END AS x, i % 3 > 0 AS y FROM n")
        self.learn("LGBMRegressor", "gaps")
        values = {self.run_all("SELECT totrain_predict('m', ?)", x)[0][0] for x in (5., 1e38, 1e39, 1e300)}
        self.assertEqual(len(values), 1)
        self.assertNotIn(self.run_all("SELECT totrain_predict('m', NULL)")[0][0], values)


class PureNodes(harness.Case):
    """min_child_weight is compared with what rows weigh, and rows that are all alike stay together."""

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def leaves(self, model="m"):
        file = self.folder / "m.json"
        file.unlink(missing_ok=True)
        self.run_all(f"EXPORT MODEL {model} TO '{file}'")
        trees = json.loads(file.read_text())["learner"]["gradient_booster"]["model"]["trees"]
        return [tree["left_children"].count(-1) for tree in trees]

    def test_a_leaf_of_one_row_weighs_1(self):
        self.run_all("CREATE TABLE t (x REAL, y REAL)")
        self.run_all("INSERT INTO t VALUES (0, 10), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0)")
        for least, wanted in ((1, [10.] + 7 * [0.]), (2, [5., 5.] + 6 * [0.]), (4, 4 * [2.5] + 4 * [0.])):
            with self.subTest(least):
                self.run_all("SELECT * FROM t TO TRAIN xgboost.gbtree WITH objective = 'reg:squarederror', base_score = 0, "
                             f"eta = 1, lambda = 0, max_depth = 1, num_boost_round = 1, min_child_weight = {least}, "
                             "test_size = 0 LABEL y INTO m")
                self.assertEqual([v for (v,) in self.run_all("SELECT totrain_predict('m', x) FROM t ORDER BY x")], wanted)

    def test_a_deep_tree_fits_as_many_rows_as_its_depth_lets_it(self):
        self.run_all("CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199) "
                     "SELECT i AS x, (i * 7919 % 1009) / 100.0 + (i * 104729 % 997) / 100.0 AS y FROM n")
        self.run_all("SELECT * FROM t TO TRAIN XGBRegressor WITH n_estimators = 1, max_depth = 30, eta = 1, lambda = 0, "
                     "test_size = 0 LABEL y INTO m")
        exact = self.run_all("SELECT sum(abs(totrain_predict('m', x) - y) < 1e-4) FROM t")[0][0]
        self.assertGreater(exact, 190)

    def test_rows_that_are_all_alike_are_one_leaf(self):
        self.run_all("CREATE TABLE t AS WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 599) "
                     "SELECT i * 7919 % 600 AS a, i * 104729 % 601 AS b, (i * 7919 % 600 >= 300) * 1 AS y, "
                     "(i * 7919 % 600 >= 150) * 0.3 + (i * 7919 % 600 >= 400) * 0.1 AS z, "
                     "(i * 7919 % 600 >= 150) + (i * 7919 % 600 >= 400) AS k FROM r")
        for label, model, wanted in (("y", "DecisionTreeClassifier", [2]), ("z", "DecisionTreeRegressor", [3]),
                                     ("k", "DecisionTreeClassifier", None)):
            with self.subTest(label):
                self.run_all(f"SELECT a, b, {label} FROM t TO TRAIN {model} WITH test_size = 0 LABEL {label} INTO m")
                leaves = self.leaves()
                if wanted:
                    self.assertEqual(leaves, wanted)
                else:
                    self.assertLessEqual(max(leaves), 3)
        self.run_all("SELECT a, b, y FROM t TO TRAIN RandomForestClassifier WITH test_size = 0, n_estimators = 20 LABEL y INTO m")
        self.assertLess(sum(self.leaves()) / 20, 12)


if __name__ == "__main__":
    harness.main()
