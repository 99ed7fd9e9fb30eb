"""Trees are as good as XGBoost's on tables whose numbers are kept (tests/quality/trees.py)."""

import pathlib
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import trees  # noqa: E402  pylint: disable=wrong-import-position

WORSE = 1.02  # than XGBoost, in the mean over the folds


class TreeQuality(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def write(self, name, rows):
        kinds = ["TEXT" if isinstance(value, str) else "REAL" for value in rows[0][:-1]]
        columns = "".join(f"c{i} {kind}, " for i, kind in enumerate(kinds))
        self.database.execute(f"DROP TABLE IF EXISTS {name}")
        self.database.execute(f"CREATE TABLE {name} ({columns}label)")
        self.database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)

    def measured(self, name):
        made, estimator, attributes, measure, n_classes = trees.TABLES[name]
        found = []
        for train, test in trees.folds([[*row[:-1], int(row[-1]) if n_classes else row[-1]] for row in made()]):
            self.write("train", train)
            self.write("test", test)
            self.database.execute(f"SELECT * FROM train TO TRAIN {estimator} WITH {attributes}{trees.PARAMETERS}, "
                                  "train.test_size = 0 LABEL label INTO m").fetchall()
            found += self.database.execute(f"SELECT * FROM test TO EVALUATE m WITH validation.metrics = '{measure}'").fetchone()
        return sum(found) / len(found)

    def test_no_table_is_learned_worse_than_by_xgboost(self):
        for name, reference in trees.REFERENCE.items():
            with self.subTest(name):
                self.assertLess(self.measured(name) / reference, WORSE)


if __name__ == "__main__":
    harness.main()
