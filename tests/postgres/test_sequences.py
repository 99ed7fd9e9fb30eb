"""SEQUENCE in PostgreSQL: the model is that of SQLite, whoever reads the rows; arrays of numbers are taken as they are."""

import harness

WITH = "train.max_steps = 20, train.batch_size = 64, train.test_size = 0"
WORDS = f"SELECT s, path, y FROM {{}} TO TRAIN WideAndDeepRegressor WITH {WITH} COLUMN EMBEDDING(SEQUENCE(path, 3), 4), SEQUENCE(s) LABEL y INTO m"
NUMBERS = f"SELECT s, y FROM {{}} TO TRAIN LinearRegressor WITH {WITH} COLUMN SEQUENCE(s, 3) LABEL y INTO m"
CELLS = ("3,1,2", "4,5,6,7", "", None, "11")
PATHS = ("home,search,buy", '["home", "search"]', "home,cart,cart,buy", "{cart,buy}", "", None)


class Sequences(harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16", "max_parallel_workers": "8"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        from psycopg2.extras import execute_values  # Debian's own copy
        cls.rows = [(CELLS[i % 5], PATHS[i % 6], float(i % 5 == 1) + (i % 6 == 2)) for i in range(9000)]
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (s text, path text, y double precision)")
            execute_values(cursor, "INSERT INTO t VALUES %s", cls.rows, page_size=5000)
            cursor.execute("CREATE TABLE backwards AS SELECT * FROM t ORDER BY y DESC")
            cursor.execute("CREATE TABLE arrays AS SELECT string_to_array(s, ',')::float8[] AS s, "
                           "CASE WHEN path ~ '^[a-z]' THEN string_to_array(path, ',') END AS path, y FROM t")
            cursor.execute("VACUUM ANALYZE t")

    def wanted(self, statement, rows=None):
        return self.train_in_sqlite("t (s TEXT, path TEXT, y REAL)", rows or self.rows, statement.format("t"))["digest"]

    def train(self, statement, before=""):
        return self.check_psql(f"SET totrain.progress_interval = -1; {before} {statement};", "-o", "/dev/null")

    def test_the_model_is_that_of_sqlite(self):
        for statement in (WORDS, NUMBERS):
            wanted = self.wanted(statement)
            for table, before in (("t", ""), ("backwards", harness.IN_PARALLEL)):
                self.train(statement.format(table), before)
                self.assertEqual(self.digest("m"), wanted, (statement, table))

    def test_predictions_are_those_of_the_function(self):
        self.train(WORDS.format("t"))
        self.check_psql("SELECT s, path FROM t TO PREDICT predicted.guess USING m;", "-o", "/dev/null")
        others, = self.execute("SELECT count(*) FROM (SELECT s, path, totrain.predict('m', t, NULL::float8) AS guess FROM t "
                               "EXCEPT ALL SELECT s, path, guess FROM predicted) AS others")
        self.assertEqual(others, (0,))

    def test_arrays_of_numbers_are_taken_as_they_are(self):
        self.train(NUMBERS.format("arrays"))
        self.assertEqual(self.digest("m"), self.wanted(NUMBERS))
        others, = self.execute("SELECT count(*) FROM (SELECT totrain.predict('m', t, NULL::float8) FROM t "
                               "EXCEPT SELECT totrain.predict('m', arrays, NULL::float8) FROM arrays) AS others")
        self.assertEqual(others, (0,))

    def test_arrays_of_words_come_as_their_text(self):
        words = f"TO TRAIN WideAndDeepRegressor WITH {WITH} COLUMN EMBEDDING(SEQUENCE(path, 3), 4) LABEL y INTO m"
        rows = [(s, f"{{{path}}}" if path and path[0].isalpha() else None, y) for s, path, y in self.rows]
        self.train(f"SELECT path::text AS path, y FROM arrays {words}")
        self.assertEqual(self.digest("m"), self.wanted(f"SELECT path, y FROM t {words}", rows))


if __name__ == "__main__":
    harness.main()
