"""TO EXPLAIN m USING partial_dependence: what a model predicts where a column has one value in all rows."""

import random
import sqlite3
import unittest

import harness

MODELS = {
    "trees": "XGBClassifier WITH n_estimators = 5",
    "linear": "LogisticRegression",
    "network": "DNNClassifier WITH model.hidden_units = [4], train.epoch = 2",
    "bayes": "NaiveBayes",
}


class Dependence(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        draw = random.Random(1)
        self.run_all("CREATE TABLE t (x REAL, k INTEGER, word TEXT, y TEXT)")
        rows = []
        for _ in range(300):
            x, k, word = round(draw.gauss(0, 1), 2), draw.randrange(4), draw.choice(["aa", "aa", "bb", "cc"])
            rows.append((None if draw.random() < 0.1 else x, k, word, "yes" if x + (word == "bb") + draw.gauss(0, 1) > 0.5 else "no"))
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)

    def named(self, sql):
        cursor = self.database.execute(sql)
        return [dict(zip([column[0] for column in cursor.description], row)) for row in cursor]

    def explain(self, more="", model="m", columns="*"):
        return self.named(f"SELECT {columns} FROM t TO EXPLAIN {model}{' WITH ' + more if more else ''} USING partial_dependence")

    def fails(self, sql, message):
        with self.assertRaisesRegex(sqlite3.Error, message):
            self.run_all(sql)

    def mean(self, row, function="totrain_probability('m', {})"):
        """The mean prediction where the point's value stands in each row."""
        cells = ["?" if name == row["input"] else name for name in ("x", "k", "word")]
        value = row["word"] if row["value"] is None else row["value"]
        return self.run_all(f"SELECT avg({function.format(', '.join(cells))}) FROM t", value)[0][0]

    def test_each_point_is_the_mean_of_the_predictions_with_its_value(self):
        for name, statement in MODELS.items():
            with self.subTest(name):
                self.run_all(f"SELECT * FROM t TO TRAIN {statement} LABEL y INTO m")
                found = self.explain()
                self.assertEqual(list(found[0]), ["input", "value", "word", "class", "prediction"])
                self.assertEqual([sum(row["input"] == column for row in found) for column in ("x", "k", "word")], [20, 4, 3])
                self.assertEqual([row["word"] for row in found if row["input"] == "word"][0], "aa")
                self.assertEqual({row["class"] for row in found}, {"yes"})
                for row in found:
                    self.assertAlmostEqual(row["prediction"], self.mean(row), 6 if name in ("linear", "network", "bayes") else 9)

    def test_points_are_quantiles_between_the_twentieths_or_all_values(self):
        self.run_all("SELECT * FROM t TO TRAIN XGBClassifier WITH n_estimators = 2 LABEL y INTO m")
        xs = [x for x, in self.run_all("SELECT x FROM t WHERE x IS NOT NULL ORDER BY x")]
        found = [row["value"] for row in self.explain("explain.columns = 'x', explain.grid = 5")]
        self.check_near(found, [xs[int((0.05 + 0.9 * i / 4) * (len(xs) - 1) + 0.5)] for i in range(5)])
        every = sorted(set(xs))
        self.check_near([row["value"] for row in self.explain("explain.columns = 'x', explain.grid = 1000")], every)
        self.assertEqual([row["word"] for row in self.explain("explain.columns = 'word', explain.grid = 2")], ["aa", "bb"]
                         if self.run_all("SELECT sum(word = 'bb') >= sum(word = 'cc') FROM t")[0][0] else ["aa", "cc"])

    def test_individual_rows_have_the_mean_as_theirs(self):
        self.run_all("SELECT * FROM t TO TRAIN XGBClassifier WITH n_estimators = 3 LABEL y INTO m")
        found = self.explain("explain.columns = 'x', explain.grid = 4, explain.individual = true")
        means = {row["value"]: row["prediction"] for row in found if row["row"] is None}
        for value, mean in means.items():
            each = [row["prediction"] for row in found if row["value"] == value and row["row"] is not None]
            self.assertEqual(len(each), 300)
            self.assertAlmostEqual(sum(each) / 300, mean, 9)
            wanted = [p for p, in self.run_all("SELECT totrain_probability('m', ?, k, word) FROM t", value)]
            self.check_near(sorted(each), sorted(wanted), 1e-6)
        self.assertEqual({row["row"] for row in found} - {None}, set(range(1, 301)))

    def test_classes_have_a_row_each_and_numbers_no_class(self):
        self.run_all("SELECT * FROM t TO TRAIN XGBClassifier WITH n_estimators = 3 LABEL word INTO m")
        found = self.explain("explain.grid = 3, explain.columns = 'k'")
        self.assertEqual([row["class"] for row in found[:3]], ["aa", "bb", "cc"])
        for i in range(3):
            self.assertAlmostEqual(sum(row["prediction"] for row in found[3 * i:3 * i + 3]), 1, 9)
        self.run_all("SELECT * FROM t WHERE x IS NOT NULL TO TRAIN XGBRegressor WITH n_estimators = 3 LABEL x INTO numbers")
        found = self.explain("explain.grid = 3", "numbers", "k, word, y")
        self.assertEqual({row["class"] for row in found}, {None})
        for row in found:
            cells = ["?" if name == row["input"] else name for name in ("k", "word", "y")]
            value = row["word"] if row["value"] is None else row["value"]
            wanted = self.run_all(f"SELECT avg(totrain_predict('numbers', {', '.join(cells)})) FROM t", value)[0][0]
            self.assertAlmostEqual(row["prediction"], wanted, 6)

    def test_rows_need_no_label_and_their_order_makes_no_difference(self):
        self.run_all("SELECT * FROM t TO TRAIN XGBClassifier WITH n_estimators = 3 LABEL y INTO m")
        found = self.explain(columns="x, k, word")
        self.assertEqual(found, self.explain())
        self.assertEqual(found, self.named("SELECT * FROM (SELECT * FROM t ORDER BY random()) TO EXPLAIN m USING pdp"))
        self.run_all("SELECT * FROM t TO EXPLAIN m USING partial_dependence INTO curves")
        self.assertEqual(self.named("SELECT * FROM curves"), found)

    def test_columns_that_are_more_than_a_value_are_left_out_or_refused(self):
        self.run_all("CREATE TABLE d AS SELECT *, date('2024-01-01', rowid || ' days') AS day FROM t")
        self.run_all("SELECT * FROM d TO TRAIN DNNClassifier WITH model.hidden_units = [4], train.epoch = 1 "
                     "COLUMN x, k, day, CROSS([k, word], 8) LABEL y INTO m")
        found = self.named("SELECT * FROM d TO EXPLAIN m USING partial_dependence")
        self.assertEqual({row["input"] for row in found}, {"x"})
        for name in ("day", "k", "word"):
            self.fails(f"SELECT * FROM d TO EXPLAIN m WITH explain.columns = '{name}' USING pdp", f'"{name}" is more to the model')
        self.fails("SELECT * FROM d TO EXPLAIN m WITH explain.columns = 'x, z' USING pdp", 'takes no column "z"')
        self.fails("SELECT * FROM d TO EXPLAIN m WITH explain.columns = 'x, X' USING pdp", 'names "X" twice')
        self.fails("SELECT * FROM d TO EXPLAIN m WITH explain.columns = '\"x' USING pdp", 'a double quote is not closed in "x')
        self.fails("SELECT * FROM d TO EXPLAIN m WITH explain.columns = '\"x\" k' USING pdp", 'a comma is missing behind "x"')
        self.fails("SELECT * FROM d WHERE k > 9 TO EXPLAIN m USING pdp", "no rows")

    def test_names_with_commas_and_quotes_stand_in_quotes(self):
        self.run_all('CREATE TABLE named AS SELECT x AS "x, net", k AS " k ""5""", word, y FROM t')
        self.run_all("SELECT * FROM named TO TRAIN XGBClassifier WITH n_estimators = 2 LABEL y INTO m")
        listed = [row["input"] for row in self.named(
            '''SELECT * FROM named TO EXPLAIN m WITH explain.columns = ' "x, net" ," k ""5""" , word', explain.grid = 2 USING pdp''')]
        self.assertEqual(list(dict.fromkeys(listed)), ["x, net", ' k "5"', "word"])

    def test_too_many_rows_are_refused(self):
        self.run_all("SELECT * FROM t TO TRAIN XGBClassifier WITH n_estimators = 1 LABEL y INTO m")
        self.run_all("CREATE TABLE many AS SELECT a.x + b.x AS x, a.k, a.word, a.y FROM t a, t b")
        self.fails("SELECT * FROM many TO EXPLAIN m WITH explain.individual = true, explain.grid = 1000, explain.rows = 50000 "
                   "USING pdp", "at most 500000 rows")


if __name__ == "__main__":
    unittest.main()
