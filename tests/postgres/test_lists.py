"""DENSE and SPARSE in PostgreSQL: the model is that of SQLite, whoever reads the rows; an array is a dense list."""

import pathlib
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import lists  # noqa: E402  pylint: disable=wrong-import-position

TIMES = 50  # so many rows that several read them
TRAIN = ("SELECT v, s, y FROM {} TO TRAIN {} WITH train.max_steps = 40, train.batch_size = 512 "
         f"COLUMN DENSE(v, 2), SPARSE(s, {lists.IDS}) LABEL y INTO m")
MODELS = ("LinearRegressor", "DNNRegressor")


class Lists(harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16", "max_parallel_workers": "8"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        from psycopg2.extras import execute_values  # Debian's own copy
        cls.rows = lists.made() * TIMES
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (v text, s text, y double precision)")
            execute_values(cursor, "INSERT INTO t VALUES %s", cls.rows, page_size=5000)
            cursor.execute("CREATE TABLE arrays AS SELECT string_to_array(v, ', ')::float8[] AS v, s, y FROM t")
            cursor.execute("CREATE TABLE backwards AS SELECT * FROM t ORDER BY y DESC")
            cursor.execute("VACUUM ANALYZE t")
            cursor.execute("VACUUM ANALYZE backwards")
        cls.wanted = {model: cls.digest_of_sqlite(TRAIN.format("t", model)) for model in MODELS}

    @classmethod
    def digest_of_sqlite(cls, sql):
        return cls.train_in_sqlite("t (v TEXT, s TEXT, y REAL)", cls.rows, sql)["digest"]

    def train(self, statement, before=""):
        return self.check_psql(f"SET totrain.progress_interval = -1; {before} {statement};", "-o", "/dev/null")

    def test_the_model_is_that_of_sqlite(self):
        for model in MODELS:
            for table, before in (("t", ""), ("backwards", harness.IN_PARALLEL)):
                self.train(TRAIN.format(table, model), before)
                self.assertEqual(self.digest("m"), self.wanted[model], (model, table))

    def test_predictions_are_those_of_the_function(self):
        self.train(TRAIN.format("t", "DNNRegressor"))
        self.check_psql("SELECT v, s FROM t TO PREDICT predicted.guess USING m;", "-o", "/dev/null")
        others, = self.execute("SELECT count(*) FROM (SELECT v, s, totrain.predict('m', t, NULL::float8) AS guess FROM t "
                               "EXCEPT ALL SELECT v, s, guess FROM predicted) AS others")
        self.assertEqual(others, (0,))

    def test_an_array_is_a_dense_list(self):
        self.train(TRAIN.format("t", "LinearRegressor"))
        others, = self.execute("SELECT count(*) FROM (SELECT totrain.predict('m', t, NULL::float8) FROM t "
                               "EXCEPT SELECT totrain.predict('m', arrays, NULL::float8) FROM arrays) AS others")
        self.assertEqual(others, (0,))
        self.train(TRAIN.format("arrays", "LinearRegressor"))

    def test_items_make_the_model_of_sqlite(self):
        items = TRAIN[:TRAIN.index("COLUMN")] + ("COLUMN EMBEDDING(WEIGHTED_CATEGORY(CATEGORY_ID(SPARSE(s, 4), 4)), 4), CATEGORY_HASH(v, 50, ',') "
                                                 "LABEL y INTO m")
        wanted = self.digest_of_sqlite(items.format("t", "WideAndDeepRegressor"))
        for table, before in (("t", ""), ("backwards", harness.IN_PARALLEL)):
            self.train(items.format(table, "WideAndDeepRegressor"), before)
            self.assertEqual(self.digest("m"), wanted, table)
        self.check_psql("SELECT v, s FROM t TO PREDICT items.guess USING m;", "-o", "/dev/null")
        others, = self.execute("SELECT count(*) FROM (SELECT v, s, totrain.predict('m', t, NULL::float8) AS guess FROM t "
                               "EXCEPT ALL SELECT v, s, guess FROM items) AS others")
        self.assertEqual(others, (0,))
        self.execute("CREATE TABLE other AS SELECT * FROM t; UPDATE other SET s = '4' WHERE ctid = '(0,7)'")
        for before in ("", harness.IN_PARALLEL):
            self.assertIn("column \"s\" holds '4', where a list of up to 128 ids from 0 to 3",
                          self.psql(f"{before} {items.format('other', 'WideAndDeepRegressor')};").stderr)

    def test_lists_by_themselves_make_the_model_of_sqlite(self):
        """Their sizes are those of all rows, whoever counts them."""
        derived = TRAIN[:TRAIN.index("COLUMN")] + "LABEL y INTO m"
        many = [(v, f"{s} {2500 + i}:1".strip(), y) for i, (v, s, y) in enumerate(self.rows[:6000])]
        self.execute("CREATE TABLE many (v text, s text, y double precision)")
        from psycopg2.extras import execute_values
        with self.connect() as connection, connection.cursor() as cursor:
            execute_values(cursor, "INSERT INTO many VALUES %s", many, page_size=5000)
        for table, rows, model in (("t", self.rows, "LinearRegressor"), ("many", many, "LinearRegressor"), ("many", many, "DNNRegressor")):
            sql = derived.format("t", model)
            wanted = self.train_in_sqlite("t (v TEXT, s TEXT, y REAL)", rows, sql)["digest"]
            for before in ("", harness.IN_PARALLEL):
                self.train(derived.format(table, model), before)
                self.assertEqual(self.digest("m"), wanted, (table, model, before))
        self.check_psql("SELECT v, s FROM many TO PREDICT by_ids.guess USING m;", "-o", "/dev/null")
        others, = self.execute("SELECT count(*) FROM (SELECT v, s, totrain.predict('m', many, NULL::float8) AS guess FROM many "
                               "EXCEPT ALL SELECT v, s, guess FROM by_ids) AS others")
        self.assertEqual(others, (0,))

    def test_a_row_that_is_no_such_list_is_a_bad_one(self):
        self.check_psql("CREATE TABLE bad AS SELECT * FROM t; UPDATE bad SET s = '9' WHERE ctid = '(0,7)'; VACUUM ANALYZE bad;")
        for before in ("", harness.IN_PARALLEL):
            done = self.psql(f"{before} {TRAIN.format('bad', 'LinearRegressor')};")
            self.assertIn("column \"s\" holds '9', where a list of ids from 0 to 3", done.stderr)
        self.train(TRAIN.format("bad", "LinearRegressor").replace("WITH ", "WITH train.bad_rows = 'skip', "))


if __name__ == "__main__":
    harness.main()
