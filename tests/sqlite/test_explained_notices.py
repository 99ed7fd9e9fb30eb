"""EXPLAIN of TRAIN says what TRAIN will say of the rows: of all of them, or of a sample of 1,000."""

import os
import pathlib
import tempfile

import harness

MODELS = ("LinearRegressor", "XGBRegressor", "DNNRegressor")
# Notices that only a model that was trained can have.
AFTERWARDS = ("alone explains", "alone predicts", "no better than", "validation", "loss was least", "share 1 hash", "far values")
SAMPLE = ", in a sample of 1,000 rows"
ROWS = """CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {last}) SELECT
    2 AS constant, NULL AS never, CASE WHEN i % 10 THEN i * 7 % 83 + 18 ELSE -999 END AS age,
    CAST(strftime('%Y%m%d', '2024-01-01', (i % 300) || ' days') AS INTEGER) AS day,
    CASE WHEN i % 100 = 3 THEN 1e60 ELSE i * 11 % 31 + 0.5 END AS far, 'w' || (i % 5) AS word,
    CASE WHEN i % 250 = 9 THEN 'rare' ELSE 'c' || (i % 2) END AS class, i * 13 % 97 AS y FROM n"""


class ExplainedNotices(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)

    def explained(self, statement):
        return [row[1] for row in self.run_all("EXPLAIN " + statement) if row[0] == "notice"]

    def trained(self, statement):
        return [row[3] for row in self.run_all(statement) if row[0] == "notice"]

    def check(self, columns, train):
        statement = f"SELECT {columns} FROM t TO TRAIN {train} INTO m"
        before = self.explained(statement)
        after = [notice for notice in self.trained(statement) if not any(word in notice for word in AFTERWARDS)]
        self.assertTrue(after)
        self.assertEqual(sorted(before), sorted(after))
        return before

    def test_all_rows_say_the_same_before_and_after(self):
        self.run_all(ROWS.format(last=499))
        for model in MODELS:
            with self.subTest(model):
                said = " ".join(self.check("constant, never, age, day, word, y", f"{model} WITH test_size = 0 LABEL y"))
                for words in ("is 2 in all 500 rows", "is NULL in all 500 rows", "-999",
                              "holds dates that are written as whole numbers, such as 20240101"):
                    self.assertIn(words, said)
        said = " ".join(self.check("far, y", "XGBRegressor WITH test_size = 0 LABEL y"))
        self.assertIn("has the number 1e+60", said)
        said = " ".join(self.check("age, class", "XGBClassifier WITH test_size = 0 LABEL class"))
        self.assertIn("1 of 3 classes is rare", said)

    def test_of_more_rows_a_sample_says_it_and_that_it_is_one(self):
        self.run_all(ROWS.format(last=2999))
        said = self.explained("SELECT constant, age, day, word, y FROM t -- all of them\n TO TRAIN XGBRegressor LABEL y INTO m")
        self.assertEqual(len([notice for notice in said if SAMPLE in notice]), 3, said)
        self.assertIn(f'column "constant" is 2 in all 1000 rows{SAMPLE}. It has no information about the label.', said)
        self.assertFalse([notice for notice in said if "different words" in notice], said)

    def test_rows_that_train_would_fail_with_are_told(self):
        self.run_all(ROWS.format(last=499))
        said = self.explained("SELECT age, nullif(y, 13) AS y FROM t TO TRAIN XGBRegressor LABEL y INTO m")
        self.assertIn('TRAIN would fail: label column "y" is NULL in ', said[-1])
        said = self.explained("SELECT age, nullif(y, 13) AS y FROM t TO TRAIN XGBRegressor WITH train.bad_rows = 'skip' LABEL y "
                              "INTO m")
        self.assertFalse([notice for notice in said if "would fail" in notice], said)

    def test_nothing_is_left_of_it(self):
        self.run_all(ROWS.format(last=499))
        with tempfile.TemporaryDirectory() as place:
            former = os.environ.get("TMPDIR")
            os.environ["TMPDIR"] = place
            try:
                self.explained("SELECT age, y FROM t TO TRAIN XGBRegressor LABEL y INTO m")
                self.explained("SELECT age, nullif(y, 13) AS y FROM t TO TRAIN XGBRegressor LABEL y INTO m")
                self.assertEqual(list(pathlib.Path(place).iterdir()), [])
                os.environ["TMPDIR"] = place + "/none"
                said = self.explained("SELECT age, y FROM t TO TRAIN XGBRegressor LABEL y INTO m")
                self.assertIn(f"the rows were not looked at: cannot make {place}/none/totrain-sample-", said[-1])
            finally:
                os.environ.pop("TMPDIR")
                if former is not None:
                    os.environ["TMPDIR"] = former


if __name__ == "__main__":
    harness.main()
