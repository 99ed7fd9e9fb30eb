"""Sample weights of trees: their ratios alone count, and a light row may have a leaf of its own."""

import math
import random

import harness

ABSOLUTE = "xgboost.gbtree WITH objective = 'reg:absoluteerror', num_boost_round = 15, lambda = 0, min_child_weight = 0"


class WeightedTrees(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def fill(self, rows):
        self.run_all("DROP TABLE IF EXISTS t")
        self.run_all("CREATE TABLE t (a REAL, b REAL, weight REAL, y REAL)")
        self.database.execute("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        self.database.execute("COMMIT")

    def predicted(self, model, factor=1, source="t"):
        self.run_all(f"SELECT a, b, weight * {factor!r} AS weight, y FROM {source} "
                     f"TO TRAIN {model}, sample_weight = 'weight', test_size = 0 LABEL y INTO m")
        return [row[0] for row in self.run_all("SELECT totrain_predict('m', a, b) FROM t ORDER BY rowid")]

    def test_all_weights_times_a_constant_are_the_same_model(self):
        """Rows of a leaf that all lie on one side gain nothing by a split; what rounding their weights leaves is no gain."""
        draw = random.Random(5)
        rows = []
        for _ in range(120):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            rows.append((a, b, 10 ** draw.uniform(-1.5, 1.5), math.sin(3 * a) + b * b + draw.gauss(0, .2)))
        self.fill(rows)
        first = self.predicted(ABSOLUTE)
        for factor in (1024., 2. ** -20, 7.3, .1, 1e6):
            with self.subTest(factor):
                apart = sum(abs(one - other) > 1e-5 for one, other in zip(first, self.predicted(ABSOLUTE, factor)))
                self.assertLessEqual(apart, 6, f"{apart} of {len(rows)} rows are predicted otherwise")

    def test_a_row_of_little_weight_may_have_a_leaf_of_its_own(self):
        self.fill([(i, 0, 1 if i == 3 else 40, 100 if i == 3 else 0) for i in range(40)])
        for model in ("DecisionTreeRegressor WITH max_depth = 3", "GradientBoostingRegressor WITH n_estimators = 300"):
            with self.subTest(model):
                found = self.predicted(model)
                self.assertAlmostEqual(found[3], 100, delta=1)
                self.assertLess(max(abs(value) for i, value in enumerate(found) if i != 3), 1)

    def test_whole_weights_in_any_unit_are_repeated_rows(self):
        draw = random.Random(7)
        rows = [(draw.random(), draw.random(), draw.choice((1, 1, 2, 3, 7)), draw.gauss(0, 1)) for _ in range(60)]
        self.fill(rows)
        self.run_all("CREATE TABLE several AS SELECT a, b, 1.0 AS weight, y FROM t JOIN "
                     "(SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) ON n <= weight")
        whole = self.predicted("DecisionTreeRegressor WITH max_depth = 4", source="several")
        for factor in (.3, 1e-4, 40.):
            for one, other in zip(whole, self.predicted("DecisionTreeRegressor WITH max_depth = 4", factor), strict=True):
                self.assertAlmostEqual(one, other, places=4)


if __name__ == "__main__":
    harness.main()
