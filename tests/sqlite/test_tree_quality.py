"""Trees are as good as XGBoost's and LightGBM's on tables whose numbers are kept (tests/quality/tree_tables.py)."""

import pathlib
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import tree_tables  # noqa: E402  pylint: disable=wrong-import-position

# Than their errors, in the mean over a table's folds: which of two equally good splits is taken is chance.
WORSE = 1.05
WORSE_IN_THE_MEAN = 1.01  # over the tables


class TreeQuality(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def write(self, name, rows):
        kinds = ["TEXT" if isinstance(value, str) else "REAL" for value in rows[0][:-1]]
        columns = "".join(f"c{i} {kind}, " for i, kind in enumerate(kinds))
        self.database.execute("BEGIN")
        self.database.execute(f"DROP TABLE IF EXISTS {name}")
        self.database.execute(f"CREATE TABLE {name} ({columns}label)")
        self.database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        self.database.execute("COMMIT")

    def measured(self, library, name):
        made, task, attributes, measure, n_classes = tree_tables.TABLES[name]
        found = []
        for train, test in tree_tables.folds([[*row[:-1], int(row[-1]) if n_classes else row[-1]] for row in made()]):
            self.write("train", train)
            self.write("test", test)
            self.database.execute(f"SELECT * FROM train TO TRAIN {tree_tables.ESTIMATORS[library]}{task} WITH "
                                  f"{attributes}{tree_tables.PARAMETERS[library]}, "
                                  "train.test_size = 0 LABEL label INTO m").fetchall()
            cursor = self.database.execute(f"SELECT * FROM test TO EVALUATE m WITH validation.metrics = '{measure}'")
            found.append(dict(zip((column[0] for column in cursor.description), cursor.fetchone()))[measure])
        return sum(found) / len(found)

    def check(self, library):
        ratios = []
        for name, reference in tree_tables.REFERENCE[library].items():
            with self.subTest(name):
                ratios.append(self.measured(library, name) / reference)
                self.assertLess(ratios[-1], WORSE)
        self.assertLess(sum(ratios) / len(ratios), WORSE_IN_THE_MEAN)

    def test_no_table_is_learned_worse_than_by_xgboost(self):
        self.check("xgboost")

    def test_no_table_is_learned_worse_than_by_lightgbm(self):
        self.check("lightgbm")


if __name__ == "__main__":
    harness.main()
