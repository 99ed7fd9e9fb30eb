"""EXPLAIN's time knows what makes a training long: classes, passes, columns that a node looks at; its memory what makes one large.

What is said is computed from the statement and the sample, so it is the same on any machine. Beside it is what was measured on
two cores of an AMD EPYC.
"""

import re

import harness

UNITS = {"second": 1, "minute": 60, "hour": 3600}
ROWS, COLUMNS = 30000, 20


class ExpectedTime(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        columns = ", ".join(f"(i * {7919 + 2 * k} % 10007) / 10007.0 AS x{k}" for k in range(COLUMNS))
        self.run_all(f"""CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS - 1})
            SELECT {columns}, i % 2 AS two, 'c' || (i * 7 % 20) AS twenty FROM n""")

    def seconds(self, statement, label=""):
        """The expected time, in seconds; less than one is 1."""
        inputs = ", ".join(f"x{k}" for k in range(COLUMNS)) + (f", {label}" if label else "")
        said = dict(self.run_all(f"EXPLAIN SELECT {inputs} FROM t TO TRAIN {statement} {'LABEL ' + label if label else ''} INTO m"))
        if said["expected time"].startswith("less than a second"):
            return 1
        number, unit = re.match(r"about (\d+) (second|minute|hour)", said["expected time"]).groups()
        return int(number) * UNITS[unit]

    def test_each_class_has_trees_of_its_own(self):
        for model in ("XGBClassifier WITH n_estimators = 400", "RandomForestClassifier WITH n_estimators = 200"):
            with self.subTest(model):
                self.assertGreater(self.seconds(model, "twenty"), 7 * self.seconds(model, "two"))

    def test_a_share_of_the_columns_takes_less(self):
        all_of_them, some = (self.seconds(f"RandomForestRegressor WITH n_estimators = 2000, colsample_bynode = {share}", "two")
                             for share in (1, .1))
        self.assertGreater(all_of_them, 1.5 * some)

    def test_columns_of_few_different_values_take_less(self):
        digits = ", ".join(f"(i * {7919 + 2 * k} % 10007) % 17 AS x{k}" for k in range(COLUMNS))
        many = self.seconds("RandomForestRegressor WITH n_estimators = 1000", "two")
        self.run_all("DROP TABLE t")
        self.run_all(f"""CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS - 1})
            SELECT {digits}, i % 2 AS two FROM n""")
        self.assertGreater(many, 2 * self.seconds("RandomForestRegressor WITH n_estimators = 1000", "two"))

    def test_memory_that_is_expected_knows_rows_and_trees(self):
        columns = ", ".join(f"x{k}" for k in range(COLUMNS))

        def mebibytes(model, source="t", label="LABEL two "):
            said = dict(self.run_all(f"EXPLAIN SELECT {columns}, two FROM {source} TO TRAIN {model} {label}INTO m"))
            return int(re.match(r"about (\d+) MiB for a worker that has all rows$", said["expected memory"])[1])

        self.assertGreater(mebibytes("RandomForestRegressor WITH n_estimators = 1000"), 5 * mebibytes("XGBRegressor"))
        self.run_all(f"CREATE TABLE more AS SELECT * FROM t {'UNION ALL SELECT * FROM t ' * 9}")
        self.assertGreater(mebibytes("LinearRegressor", "more"), 2 * mebibytes("LinearRegressor"))
        said = dict(self.run_all("EXPLAIN SELECT x0, twenty, two FROM t TO TRAIN DeepFMClassifier WITH job.ps = 2 LABEL two INTO m"))
        self.assertNotIn("expected memory", said)

    def test_passes_over_the_rows_count(self):
        one, ten = (self.seconds(f"KMeans WITH n_clusters = 50, n_init = {n}") for n in (1, 10))
        self.assertTrue(one < ten < 11 * one, (one, ten))
        few, many = (self.seconds(f"OneClassSVM WITH n_features = {n}") for n in (64, 1024))
        self.assertLess(10 * few, many)


if __name__ == "__main__":
    harness.main()
