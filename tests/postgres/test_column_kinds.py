"""A column's kind follows from all rows: the same model as in SQLite, with any readers and in any order."""

import json
import os
import subprocess

import harness
from server import BUILD

ROWS = 40_000  # enough for several readers; the sample has 1,000
TRAIN = ("SELECT id, x, price, active, word, email, day, amount, us, colour, y FROM {} TO TRAIN LinearClassifier "
         "WITH train.epoch = 1, train.batch_size = 512 LABEL y INTO m")


def made_row(i):
    """The first 1,000 rows say of each column something else than all of them."""
    number = i * 7919 % 1000
    x = "n/a" if i % 997 == 996 else f"{number / 8}"
    price = f"{i * 10:,}" if i > 1000 else str(i % 100)
    active = "yes" if i % 3 else "No"
    word = f"w{i % 50}" if i > 1000 else f"{i}"
    email = f"user{i}@example.org" if i > 500 else "nobody@example.org"
    day = f"2023-{i % 12 + 1:02}-{i % 28 + 1:02}" + (f" {i % 24:02}:30" if i > 1000 else "")
    amount = f"{i:,}.{i % 100:02}".translate(str.maketrans(",.", ".,")) + " €" if i > 1000 else str(i % 100)
    us = f"{i % 12 + 1}/{i % (11 if i < 1000 else 28) + 1}/2024"
    colour = "" if i % 5 == 0 and i > 1000 else "red" if i % 2 else "blue"
    return i, x, price, active, word, email, "-" if i % 700 == 7 else day, amount, us, colour, int(number > 500)


class ColumnKinds(harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16", "max_parallel_workers": "8"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        from psycopg2.extras import execute_values  # Debian's own copy
        cls.rows = [made_row(i) for i in range(ROWS)]
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (id bigint, x text, price text, active text, word text, email text, day text, amount text, us text, "
                           "colour text, y integer)")
            execute_values(cursor, "INSERT INTO t VALUES %s", cls.rows, page_size=5000)
            cursor.execute("CREATE TABLE backwards AS SELECT * FROM t ORDER BY id DESC")
            cursor.execute("VACUUM ANALYZE t")
            cursor.execute("VACUUM ANALYZE backwards")
        cls.wanted = cls.digest_of_sqlite(TRAIN.format("t"))

    @classmethod
    def digest_of_sqlite(cls, sql):
        table = "t (id INTEGER, x TEXT, price TEXT, active TEXT, word TEXT, email TEXT, day TEXT, amount TEXT, us TEXT, colour TEXT, y INTEGER)"
        return cls.train_in_sqlite(table, cls.rows, sql)["digest"]

    def meta(self):
        return json.loads(self.execute("SELECT convert_from(data, 'UTF8') FROM m WHERE part = 'meta'")[0][0])

    def test_the_model_is_that_of_sqlite_in_any_order_and_by_any_readers(self):
        for table in ("t", "backwards"):
            for before in (harness.IN_PARALLEL, "SET max_parallel_workers_per_gather = 0;"):
                done = self.check_psql(f"SET totrain.progress_interval = -1; {before} {TRAIN.format(table)};", "-o", "/dev/null")
                self.assertEqual(self.digest("m"), self.wanted, table + before)
        self.assertEqual([(one["name"], one["type"], one.get("reading")) for one in self.meta()["inputs"]],
                         [("x", "numeric", "number"), ("price", "numeric", "separated"), ("active", "numeric", "boolean"),
                          ("word", "category", None), ("day.age", "numeric", "number"), ("day.month", "category", None),
                          ("day.weekday", "category", None), ("day.hour", "category", None),
                          ("amount", "numeric", "written, with a comma"), ("us.age", "numeric", "month first"),
                          ("us.month", "category", "month first"), ("us.weekday", "category", "month first"),
                          ("colour", "category", None)])
        del done

    def test_through_the_program(self):
        connection = self.server.variables(self.database)
        done = subprocess.run([BUILD / "totrain", "postgres://", "--progress=none", "-c", TRAIN.format("backwards")], check=False,
                              capture_output=True, text=True,
                              env={**os.environ, **connection, "TOTRAIN_STATE": str(self.server.folder / "program-state")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest("m"), self.wanted)

    def test_predictions_read_cells_alike(self):
        self.check_psql(f"{TRAIN.format('t')};", "-o", "/dev/null")
        self.execute("CREATE TABLE asked (x text, price text, active text, word text, day text, amount text, us text, colour text); "
                     "INSERT INTO asked VALUES ('N/A', '1,000', 'YES', 'w1', 'none', '1.000,00 €', '3/31/2024', ''), "
                     "(NULL, '1000', 't', 'w1', NULL, '1000', '2024-03-31', NULL)")
        one, other = self.execute("SELECT totrain.predict('m', a, NULL::integer), totrain.probabilities('m', a)::text FROM asked a")
        self.assertEqual(one, other)

    def test_words_of_texts_are_those_of_sqlite(self):
        train = ("SELECT x, email, y FROM {} TO TRAIN LinearClassifier WITH train.epoch = 1, train.batch_size = 512 "
                 "COLUMN *, TEXT(email, 500) LABEL y INTO m")
        wanted = self.digest_of_sqlite(train.format("t"))
        for table in ("t", "backwards"):
            self.check_psql(f"SET totrain.progress_interval = -1; {harness.IN_PARALLEL} {train.format(table)};", "-o", "/dev/null")
            self.assertEqual(self.digest("m"), wanted)
        self.execute("CREATE TABLE posted (x text, email text); INSERT INTO posted VALUES "
                     "('1', 'USER7@example.org'), ('1', 'org, Example: user7 example!'), ('1', NULL), ('1', '')")
        one, other, null, blank = self.execute("SELECT totrain.probabilities('m', p)::text FROM posted p")
        self.assertEqual((one, null), (other, blank))

    def test_weighted_pairs_of_words_are_those_of_sqlite(self):
        train = ("SELECT x, email, y FROM {} TO TRAIN NaiveBayes COLUMN *, TEXT(email, 500, ngrams = 2, weights = 'tfidf') LABEL y INTO m")
        wanted = self.digest_of_sqlite(train.format("t"))
        for table in ("t", "backwards"):
            self.check_psql(f"SET totrain.progress_interval = -1; {harness.IN_PARALLEL} {train.format(table)};", "-o", "/dev/null")
            self.assertEqual(self.digest("m"), wanted)
        self.check_psql("SELECT * FROM t WHERE id <= 200 TO PREDICT weighed.guess USING m;", "-o", "/dev/null")
        same, = self.execute("SELECT bool_and(totrain.predict('m', t, NULL::integer) = guess) FROM t JOIN weighed USING (id)")
        self.assertTrue(same)

    def test_words_that_trees_count_are_those_of_sqlite(self):
        train = ("SELECT x, email, y FROM {} TO TRAIN XGBClassifier WITH train.num_boost_round = 5 COLUMN *, TEXT(email, 100) LABEL y INTO m")
        wanted = self.digest_of_sqlite(train.format("t"))
        for table in ("t", "backwards"):
            self.check_psql(f"SET totrain.progress_interval = -1; {harness.IN_PARALLEL} {train.format(table)};", "-o", "/dev/null")
            self.assertEqual(self.digest("m"), wanted)
        self.check_psql("SELECT * FROM t WHERE id <= 200 TO PREDICT counted.guess USING m;", "-o", "/dev/null")
        same, = self.execute("SELECT bool_and(totrain.predict('m', t, NULL::integer) = guess) FROM t JOIN counted USING (id)")
        self.assertTrue(same)

    def test_networks_over_embeddings_are_those_of_sqlite(self):
        for model in ("DeepFMClassifier", "XDeepFMClassifier", "DCNClassifier", "DNNLinearCombinedClassifier"):
            train = (f"SELECT x, price, word, active, day, y FROM {{}} TO TRAIN {model} WITH train.max_steps = 30, "
                     "train.batch_size = 512 LABEL y INTO m")
            wanted = self.digest_of_sqlite(train.format("t"))
            self.check_psql(f"SET totrain.progress_interval = -1; {harness.IN_PARALLEL} {train.format('backwards')};", "-o", "/dev/null")
            self.assertEqual(self.digest("m"), wanted, model)
        self.check_psql("SELECT * FROM t WHERE id <= 200 TO PREDICT embedded.guess USING m;", "-o", "/dev/null")
        same, = self.execute("SELECT bool_and(totrain.predict('m', t, NULL::integer) = guess) FROM t JOIN embedded USING (id)")
        self.assertTrue(same)

    def test_networks_over_embeddings_of_many_classes_are_those_of_sqlite(self):
        """A model of three classes scores in the session as PREDICT does; probabilities are one's share each."""
        for model in ("DeepFMClassifier", "XDeepFMClassifier", "DCNClassifier", "DNNLinearCombinedClassifier"):
            train = (f"SELECT x, price, active, day, word, CASE WHEN id % 50 < 10 THEN 'low' WHEN y = 1 THEN 'high' ELSE 'mid' END AS band "
                     f"FROM {{}} TO TRAIN {model} WITH train.max_steps = 30, train.batch_size = 512 LABEL band INTO m")
            wanted = self.digest_of_sqlite(train.format("t"))
            self.check_psql(f"SET totrain.progress_interval = -1; {harness.IN_PARALLEL} {train.format('backwards')};", "-o", "/dev/null")
            self.assertEqual(self.digest("m"), wanted, model)
            self.assertEqual(self.meta()["format"], 13 if model == "DeepFMClassifier" else 3)
            self.check_psql("DROP TABLE IF EXISTS banded; SELECT * FROM t WHERE id <= 200 TO PREDICT banded.guess USING m;", "-o", "/dev/null")
            same, classes = self.execute("SELECT bool_and(totrain.predict('m', t, NULL::text) = guess), "
                                         "bool_and(abs((SELECT sum(p.value::float8) FROM json_each_text(totrain.probabilities('m', t)::json) p) - 1) < 1e-5) "
                                         "FROM t JOIN banded USING (id)")[0]
            self.assertTrue(same and classes, model)

    def test_a_code_is_a_missing_value_to_learn_from_and_to_score(self):
        self.execute("CREATE TABLE coded AS SELECT CASE WHEN i % 20 = 0 THEN -999 ELSE i % 20 END AS a, i % 7 AS b, "
                     "i % 20 + i % 7 AS y FROM generate_series(1, 2000) i")
        self.check_psql("SELECT * FROM coded TO TRAIN LinearRegressor LABEL y INTO m;", "-o", "/dev/null")
        self.assertIn('column "a": -999 is far from all others', str(self.meta()["notices"]))
        self.assertEqual([one.get("code") for one in self.meta()["inputs"]], [-999, None])
        missing, = self.execute("SELECT DISTINCT totrain.predict('m', r, NULL::float8) FROM (VALUES (NULL::integer, 3), (-999, 3)) r(a, b)")
        other, = self.execute("SELECT totrain.predict('m', r, NULL::float8) FROM (VALUES (19, 3)) r(a, b)")
        self.assertNotEqual(missing, other)
        for column, table in (("a", "by_code"), ("nullif(a, -999) AS a", "by_null")):
            self.check_psql(f"SELECT {column}, b FROM coded TO PREDICT {table}.y USING m;", "-o", "/dev/null")
        self.assertEqual(*[self.execute(f"SELECT sum(y), count(y) FROM {table}") for table in ("by_code", "by_null")])

    def test_declared_types_win(self):
        self.execute("CREATE TABLE typed (id bigint, x numeric, day date, flag boolean, y integer);"
                     "INSERT INTO typed SELECT i, NULL, date '2020-01-01' + i, i % 2 = 0, i % 2 FROM generate_series(1, 300) i")
        self.check_psql("SELECT x, day, flag, y FROM typed TO TRAIN LinearClassifier LABEL y INTO m;", "-o", "/dev/null")
        self.assertEqual([(one["name"], one["type"]) for one in self.meta()["inputs"]],
                         [("x", "numeric"), ("day.age", "numeric"), ("day.month", "category"), ("day.weekday", "category"), ("flag", "numeric")])

    def test_a_text_that_cannot_be_read_names_its_row(self):
        self.execute("UPDATE t SET x = 'abc' WHERE id = 30000")
        done = self.psql(TRAIN.format("t") + ";")
        self.assertRegex(done.stderr, r'ERROR:  row \d+: column "x" holds \'abc\', where a number was expected')
        self.assertIn("train.bad_rows", done.stderr)
        self.execute("UPDATE t SET x = NULL, day = 'soon' WHERE id = 30000")
        done = self.psql(f"{harness.IN_PARALLEL} {TRAIN.format('t')};")
        self.assertRegex(done.stderr, r'ERROR:  row \d+: column "day" holds \'soon\', where a date was expected')


if __name__ == "__main__":
    harness.main()
