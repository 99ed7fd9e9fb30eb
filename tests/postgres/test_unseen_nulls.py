"""NULLs and numbers beyond a model's reach, of which it has not learned, in rows that PREDICT returns: psql tells of them."""

import harness

NULLS = ('column "x" is NULL in {} rows, and was in none that the model learned from: '
         "there NULL counts as the greatest of all numbers")
FAR = 'column "x" has the number 1e+300: the model distinguishes none beyond'


class UnseenNulls(harness.Case):
    def setUp(self):
        super().setUp()
        self.execute("CREATE TABLE t AS SELECT i::float8 AS x, 'w' || (i % 4) AS w, (i > 50)::int * 10.0::float8 AS y FROM "
                     "(SELECT g AS i FROM generate_series(0, 99) g) g")
        self.check_psql("SELECT * FROM t TO TRAIN LGBMRegressor LABEL y INTO m")

    def said(self, statement):
        done = self.psql(statement, "-v", "ON_ERROR_STOP=1", "-qAt")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr, done.stdout.splitlines()

    def test_those_of_the_sample_are_told_before_the_rows(self):
        told, rows = self.said("SELECT nullif(x, 7) AS x, w FROM t TO PREDICT g USING m")
        self.assertEqual(told.count("NOTICE"), 1, told)
        self.assertIn(NULLS.format("1 of 100"), told)
        self.assertEqual(len(rows), 100)
        told, rows = self.said("SELECT x, w FROM t TO PREDICT g USING m")
        self.assertEqual(told, "")

    def test_those_behind_the_sample_are_told_behind_the_rows(self):
        """Also where the prediction stands in place of a column before them."""
        self.execute("CREATE TABLE late AS SELECT 0 AS y, CASE WHEN g < 2990 THEN (g % 100)::float8 END AS x, 'w' || (g % 4) AS w "
                     "FROM generate_series(0, 2999) g")
        for columns, target in (("x, w", "g"), ("y, x, w", "y"), ("w, y, x", "y"), ("w, y, x", "g")):
            with self.subTest(columns, target=target):
                told, rows = self.said(f"SELECT {columns} FROM late TO PREDICT {target} USING m")
                self.assertEqual(told.count("NOTICE"), 1, told)
                self.assertIn(NULLS.format("10 of 3000"), told)
                self.assertEqual(len(rows), 3000)

    def test_numbers_beyond_the_reach_of_the_model_are_told(self):
        self.execute("CREATE TABLE far AS SELECT CASE WHEN g < 2999 THEN (g % 100)::float8 ELSE 1e300 END AS x, "
                     "'w' || (g % 4) AS w FROM generate_series(0, 2999) g")
        told, rows = self.said("SELECT x, w FROM far TO PREDICT g USING m")
        self.assertEqual(told.count("NOTICE"), 1, told)
        self.assertIn(FAR, told)
        self.assertEqual(len(rows), 3000)

    def test_words_that_no_row_had_are_told_once(self):
        told, rows = self.said("SELECT x, upper(w) AS w FROM t TO PREDICT g USING m")
        self.assertEqual(told.count("NOTICE"), 1, told)
        self.assertIn("column \"w\": 100 of 100 rows have a value that the model has not learned, such as 'W0'", told)
        self.assertEqual(len(rows), 100)
        told, _ = self.said("SELECT x, upper(w) AS w FROM t TO PREDICT out.g USING m")
        self.assertEqual(told.count("has not learned"), 1, told)
        told, _ = self.said("SELECT x, w FROM t TO PREDICT out.g USING m")
        self.assertNotIn("has not learned", told)

    def test_a_column_that_cannot_be_used_ends_the_statement_alone(self):
        done = self.psql("SELECT w FROM t TO PREDICT g USING m; SELECT 1", "-qAt")
        self.assertIn("ERROR", done.stderr)
        self.assertEqual(self.check_psql("SELECT 1"), "1\n")


if __name__ == "__main__":
    harness.main()
