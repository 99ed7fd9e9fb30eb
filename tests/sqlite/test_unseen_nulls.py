"""NULLs among rows that are scored, in columns where the model has learned of none: a notice says how many, and what becomes of
them."""

import harness

GREATEST, MEAN, UNKNOWN = "the greatest of all numbers", "the mean of the column", "a word that it does not know"


class UnseenNulls(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("""CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
            SELECT i AS x, 'w' || (i % 4) AS w, (i > 50) * 10.0 AS y FROM n""")
        self.run_all("CREATE TABLE some AS SELECT CASE WHEN x % 10 THEN x END AS x, CASE WHEN x % 7 THEN w END AS w, y FROM t")

    def said(self, column, nulls, rows, counts_as):
        return f'column "{column}" is NULL in {nulls} of {rows} rows, and was in none that the model learned from: ' \
               f"there NULL counts as {counts_as}. coalesce({column}, ...)"

    def notices_of(self, statement):
        """Those of EXPLAIN, which are those of the statement."""
        return [line[1] for line in self.run_all(f"EXPLAIN {statement}") if line[0] == "notice"]

    def test_predict_and_evaluate_say_how_many_and_what_becomes_of_them(self):
        for model, number in (("LGBMRegressor", GREATEST), ("LinearRegressor", MEAN)):
            with self.subTest(model):
                self.run_all(f"SELECT * FROM t TO TRAIN {model} LABEL y INTO m")
                notices = self.notices_of("SELECT * FROM some TO PREDICT guess USING m")
                self.assertEqual(len(notices), 2, notices)
                self.assertTrue(notices[0].startswith(self.said("x", 10, 100, number)), notices)
                self.assertTrue(notices[1].startswith(self.said("w", 15, 100, UNKNOWN)), notices)
                said = self.run_all(f"SELECT * FROM some TO EVALUATE m -- {model}")[0][-1]
                self.assertEqual(said, "; ".join(notices))
                self.assertEqual(self.notices_of("SELECT * FROM t TO PREDICT guess USING m"), [])
                self.assertEqual(self.run_all(f"SELECT * FROM t TO EVALUATE m -- {model}")[0][-1], "")

    def test_trees_predict_as_the_notice_says(self):
        self.run_all("SELECT * FROM t TO TRAIN LGBMRegressor LABEL y INTO m")
        of_null, of_greatest = self.run_all("SELECT totrain_predict('m', NULL, 'w1'), totrain_predict('m', 1e9, 'w1')")[0]
        self.assertEqual(of_null, of_greatest)

    def test_the_program_prints_them(self):
        self.run_all("SELECT * FROM t TO TRAIN LGBMRegressor LABEL y INTO m")
        done = self.run_program(self.path, "-c", "SELECT x, w FROM some LIMIT 3 TO PREDICT guess USING m")
        self.assertIn(f"NOTICE:  {self.said('x', 1, 3, GREATEST)}", done.stderr)

    def test_of_many_rows_the_first_ones_are_looked_at(self):
        self.run_all("SELECT x, y FROM t TO TRAIN LGBMRegressor LABEL y INTO m")
        several = " UNION ALL ".join(["SELECT x FROM some"] * 11)
        self.assertIn("is NULL in 100 of the first 1000 rows", self.notices_of(f"SELECT * FROM ({several}) TO PREDICT guess USING m")[0])

    def test_the_last_of_many_rows_is_looked_at(self):
        """Its NULL is behind the sample: those who score the rows find it, in the session and by workers."""
        self.run_all("SELECT x, w, y FROM t TO TRAIN LGBMRegressor LABEL y INTO m")
        self.run_all("""CREATE TABLE late AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
            SELECT CASE WHEN i < 2990 THEN i % 100 END AS x, CASE i WHEN 2999 THEN ' ' ELSE 'w' || (i % 4) END AS w, i * 1.0 AS y
            FROM n""")
        said = [self.said("x", 10, 3000, GREATEST), self.said("w", 1, 3000, UNKNOWN)]
        evaluated = self.run_all("SELECT * FROM late TO EVALUATE m")[0][-1]
        for line in said:
            self.assertIn(line, evaluated)
        for settings in ("", "WITH job.max_workers = 1 "):
            for target in ("g", "out.g"):
                if settings and target == "g":
                    continue
                done = self.run_program(self.path, "-c", f"SELECT x, w FROM late TO PREDICT {target} {settings}USING m")
                for line in said:
                    self.assertIn(f"NOTICE:  {line}", done.stderr, (settings, target))
        done = self.run_program(self.path, "-c", "SELECT * FROM late TO EVALUATE m WITH job.max_workers = 1")
        self.assertIn(said[0], done.stdout + done.stderr)

    def test_a_model_that_has_learned_of_some_says_nothing(self):
        for model in ("XGBRegressor", "LinearRegressor"):
            self.run_all(f"SELECT * FROM some TO TRAIN {model} LABEL y INTO m")
            self.assertEqual(self.notices_of("SELECT * FROM some TO PREDICT guess USING m"), [])

    def test_several_models_say_it_of_themselves(self):
        self.run_all("SELECT * FROM t TO TRAIN LGBMRegressor LABEL y INTO a")
        self.run_all("SELECT * FROM some TO TRAIN LinearRegressor LABEL y INTO b")
        found = self.run_all("SELECT * FROM some TO EVALUATE a, b")
        self.assertIn(GREATEST, found[0][-1])
        self.assertEqual(found[1][-1], "")
        self.assertEqual(len(self.notices_of("SELECT * FROM some TO EVALUATE b, a")), 2)

    def test_words_that_no_row_had_are_told_once_a_column(self):
        """By PREDICT as a result, into a table and by workers, as by EVALUATE."""
        self.run_all("CREATE TABLE towns AS SELECT 'town' || (x % 20) AS town, 'c' || (x % 3) AS c, x, y FROM t UNION ALL "
                     "SELECT 'town' || (x % 20), 'c' || (x % 3), x, y FROM t")
        self.run_all("CREATE TABLE others AS SELECT upper(town) AS town, CASE WHEN x % 2 THEN c ELSE 'new' END AS c, x, y FROM towns")
        told = "column \"town\": 200 of 200 rows have a value that the model has not learned, such as 'TOWN0'"
        for model in ("XGBRegressor", "LinearRegressor", "DNNRegressor WITH hidden_units = [4], train.epoch = 2"):
            self.run_all(f"SELECT * FROM towns TO TRAIN {model} LABEL y INTO m")
            for statement in ("PREDICT g USING m", "PREDICT out.g USING m", "PREDICT out.g WITH job.max_workers = 1 USING m",
                              "EVALUATE m", "EVALUATE m WITH job.max_workers = 1"):
                with self.subTest(model=model, statement=statement):
                    done = self.run_program(self.path, "-c", f"SELECT * FROM others TO {statement}")
                    self.assertEqual((done.stdout + done.stderr).count(told), 1, done.stderr + done.stdout)
                    self.assertNotIn('column "c"', done.stderr)
                    done = self.run_program(self.path, "-c", f"SELECT * FROM towns TO {statement}")
                    self.assertNotIn("has not learned", done.stdout + done.stderr)


if __name__ == "__main__":
    harness.main()
