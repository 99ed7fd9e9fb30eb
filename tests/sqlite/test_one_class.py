"""OneClassSVM, from the statement to rows that lie outside."""

import pathlib
import sqlite3
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import outliers  # noqa: E402  pylint: disable=wrong-import-position

# By nu, of 640 rows the share that scikit-learn's exact kernel calls the same.
SAME_LEAST = {.05: .98, .2: .94, .5: .88}


class OneClass(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (x REAL, y REAL, z REAL, anywhere INTEGER)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", outliers.rows())

    def train(self, settings="nu = 0.05", into="m", rows="t", more=""):
        return harness.facts(self.run_all(f"SELECT x, y, z{more} FROM {rows} TO TRAIN OneClassSVM WITH {settings} INTO {into}"))

    def test_rows_are_told_apart_as_scikit_learn_does(self):
        for nu in outliers.NUS:
            with self.subTest(nu):
                trained = self.train(f"nu = {nu}")
                rows = self.run_all("SELECT x, y, z FROM t TO PREDICT WITH extra_outputs = 'score' USING m")
                self.assertEqual({row[3] for row in rows}, {1, -1})
                self.assertTrue(all((row[3] == 1) == (row[4] > 0) for row in rows))
                wanted = f"{int(outliers.REFERENCE[nu]['outliers'], 16):0640b}"
                same = sum((row[3] == -1) == (bit == "1") for row, bit in zip(rows, wanted, strict=True))
                self.assertGreater(same / len(rows), SAME_LEAST[nu])
                area = outliers.area([row[4] for row in rows], [row[3] for row in outliers.rows()])
                self.assertGreater(area, outliers.REFERENCE[nu]["area"] - .01)
                share = sum(row[3] == -1 for row in rows) / len(rows)
                self.assertAlmostEqual(share, nu, delta=.01)
                self.assertAlmostEqual(trained["Outliers"], share, delta=1e-6)
                self.assertAlmostEqual(self.run_all("SELECT * FROM t TO EVALUATE m")[0][1], share, delta=1e-6)

    def test_what_lies_far_away_is_an_outlier(self):
        self.train()
        for far in ("1e6", "-1e30", "1e300"):
            self.assertEqual(self.run_all(f"SELECT totrain_predict('m', {far}, {far}, {far})"), [(-1,)])
            self.assertLess(self.run_all(f"SELECT totrain_distance('m', {far}, {far}, {far})")[0][0], 0)

    def test_predict_adds_a_column_in_a_session_and_on_workers(self):
        self.train()
        for settings in ("", ", job.max_workers = 2"):
            with self.subTest(settings):
                self.run_all(f"SELECT * FROM t TO PREDICT p.side WITH extra_outputs = 'score'{settings} USING m")
                different = self.run_all("SELECT count(*) FROM p WHERE side <> totrain_predict('m', x, y, z) OR "
                                         "score <> totrain_distance('m', x, y, z)")
                self.assertEqual(different, [(0,)])
        cursor = self.database.execute("SELECT * FROM t TO PREDICT USING m")
        self.assertEqual(cursor.description[-1][0], "inlier")

    def test_words_are_columns_of_0_and_1(self):
        """Rows of a rare pair of words lie outside, though each word is frequent; other draws of features agree."""
        self.run_all("CREATE TABLE words AS SELECT x * 0.1 AS x, CASE WHEN rowid % 2 THEN 'a' ELSE 'b' END AS v, "
                     "CASE WHEN rowid % 40 = 0 THEN 'c' WHEN rowid % 2 THEN 'c' ELSE 'd' END AS w FROM t")
        columns = ", ".join(f"({name} = '{word}') * 1.0 AS {name}{word}" for name, word in (("v", "a"), ("v", "b"), ("w", "c"), ("w", "d")))
        settings = "WITH nu = 0.1, model.standardize = false, gamma = 1.0"
        trained = harness.facts(self.run_all(f"SELECT x, v, w FROM words TO TRAIN OneClassSVM {settings} INTO m"))
        self.run_all(f"SELECT x, {columns} FROM words TO TRAIN OneClassSVM {settings} INTO n")
        rows = self.run_all("SELECT totrain_predict('m', x, v, w), totrain_predict('n', x, va, vb, wc, wd), v = 'b' AND w = 'c' "
                            f"FROM (SELECT x, v, w, {columns} FROM words)")
        self.assertGreater(sum(row[0] == row[1] for row in rows) / len(rows), .95)
        self.assertEqual({row[0] for row in rows if row[2]}, {-1})
        self.assertAlmostEqual(trained["Outliers"], sum(row[0] == -1 for row in rows) / len(rows), delta=1e-6)
        self.assertEqual(self.run_all("SELECT totrain_predict('m', 0, 'z', 'z')"), [(-1,)])
        self.assertAlmostEqual(self.run_all("SELECT * FROM words TO EVALUATE m WITH job.max_workers = 2")[0][1],
                               trained["Outliers"], delta=1e-6)

    def test_gamma_by_itself_is_that_of_the_columns_of_words(self):
        """scikit-learn's scale of two columns of 0 and 1 with a half each: 1 / (2 * .25)."""
        self.run_all("CREATE TABLE halves AS SELECT CASE WHEN rowid % 2 THEN 'a' ELSE 'b' END AS v FROM t")
        for settings, into in (("", "m"), (", gamma = 2.0", "n")):
            self.run_all(f"SELECT v FROM halves TO TRAIN OneClassSVM WITH model.n_features = 32{settings} INTO {into}")
        for word in "abc":
            rows = self.run_all(f"SELECT totrain_distance('m', '{word}'), totrain_distance('n', '{word}')")
            self.assertEqual(rows[0][0], rows[0][1], word)

    def test_a_gamma_of_ones_own_and_seeds(self):
        self.train("gamma = 0.3333333333333333, model.n_features = 64", "one")
        self.train("model.n_features = 64, gamma = 5", "two")
        self.train("model.n_features = 64, gamma = 5, train.seed = 3", "three")
        self.assertEqual(len({self.digest(self.database, name) for name in ("one", "two", "three")}), 3)

    def test_rows_of_weight_two_are_rows_that_are_there_twice(self):
        self.run_all("ALTER TABLE t ADD COLUMN w REAL")
        self.run_all("UPDATE t SET w = 1 + rowid % 2")
        # the same rows in both, as features are of numbers less their mean, which does not know of weights
        self.run_all("CREATE VIEW once AS SELECT * FROM t UNION ALL SELECT x, y, z, anywhere, 0 FROM t WHERE w = 2")
        self.run_all("CREATE VIEW twice AS SELECT * FROM t UNION ALL SELECT * FROM t WHERE w = 2")
        settings = "model.standardize = false, gamma = 0.001, model.n_features = 64"
        self.train(f"{settings}, train.sample_weight = 'w'", rows="once", more=", w")
        weighted = self.run_all("SELECT totrain_distance('m', x, y, z) FROM t")
        self.train(settings, rows="twice")
        for row, other in zip(weighted, self.run_all("SELECT totrain_distance('m', x, y, z) FROM t"), strict=True):
            self.assertAlmostEqual(row[0], other[0], delta=1e-4)

    def test_any_number_of_workers_and_any_order_make_the_same_table(self):
        self.check_workers_and_order(
            lambda settings, into, rows: self.train(f"{settings}, model.n_features = 32", into, rows))

    def test_it_is_explained_and_shown_as_others_are(self):
        self.train("model.n_features = 32")
        shown = self.run_all("SELECT * FROM t TO EXPLAIN m")
        self.assertEqual({row[0] for row in shown}, {"x", "y", "z"})
        self.assertTrue(all(row[1] > 0 for row in shown), shown)  # dealt out anew, more rows lie outside
        self.assertIn(("kind", "OneClassSVM"), self.run_all("SHOW MODEL m"))

    def test_what_it_does_not_do_is_refused(self):
        for settings, message in (("kernel = 'poly'", "not supported yet"), ("nu = 0", "model.nu"), ("nu = 2", "model.nu"),
                                  ("train.epoch = 3", "train.epoch")):
            with self.subTest(settings), self.assertRaisesRegex(sqlite3.OperationalError, message):
                self.train(settings)


if __name__ == "__main__":
    harness.main()
