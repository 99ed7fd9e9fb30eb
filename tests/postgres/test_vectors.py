"""Arrays of numbers are vectors: the model is the one that columns of their elements give."""

import json
import os
import random
import sqlite3
import subprocess

import harness
from server import BUILD

ROWS = 60000  # enough for several readers
SIZE = 5
TRAIN = ("SELECT {} FROM {} TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 2, train.batch_size = 512, "
         "train.verbose = 2 LABEL y INTO m")
ELEMENTS = ", ".join(f'"v[{i}]"' for i in range(1, SIZE + 1))
TYPES = ("smallint", "integer", "bigint", "real", "double precision", "numeric")


def made_rows():
    """Whole numbers, which every type of number holds; now and then no vector."""
    choice = random.Random(5)
    for number in range(ROWS):
        vector = [choice.randrange(-200, 200) for _ in range(SIZE)]
        label = int(vector[0] + vector[1] > vector[2])
        yield number, None if choice.random() < 0.01 else vector, choice.choice(["a", "b"]), label


class Vectors(harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16", "max_parallel_workers": "8"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cls.rows = list(made_rows())
        cls.sqlite_path = cls.server.folder / "rows.db"
        database = sqlite3.connect(cls.sqlite_path)
        columns = ", ".join(f'"v[{i}]" REAL' for i in range(1, SIZE + 1))
        database.execute(f"CREATE TABLE t (id INTEGER, {columns}, word TEXT, y INTEGER)")
        database.executemany(f"INSERT INTO t VALUES (?, {', '.join('?' * SIZE)}, ?, ?)",
                             [(number, *(vector or [None] * SIZE), word, label) for number, vector, word, label in cls.rows])
        database.commit()
        database.close()
        cls.wanted, cls.wanted_rows = cls.train_in_sqlite()
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (id bigint, v double precision[], word text, y integer)")
            from psycopg2.extras import execute_values  # Debian's own copy
            execute_values(cursor, "INSERT INTO t VALUES %s", cls.rows, page_size=5000, template="(%s, %s::double precision[], %s, %s)")
            cursor.execute("VACUUM ANALYZE t")

    @classmethod
    def train_in_sqlite(cls):
        cls.totrain(cls.sqlite_path, TRAIN.format(ELEMENTS + ", word, y", "t") + ";")
        database = sqlite3.connect(cls.sqlite_path)
        try:
            return (database.execute("SELECT json_extract(data, '$.digest') FROM m WHERE part = 'meta'").fetchone()[0],
                    database.execute("SELECT * FROM m").fetchall())
        finally:
            database.close()

    @classmethod
    def totrain(cls, database, sql, check=True, **variables):
        done = subprocess.run([BUILD / "totrain", database, "--format", "json", "--progress=none", "-c", sql], check=False,
                              env={**os.environ, "TOTRAIN_STATE": str(cls.server.folder / "program-state"), **variables},
                              capture_output=True, text=True)
        if check and done.returncode:
            raise AssertionError(done.stderr)
        return done

    def by_program(self, sql, check=True):
        return self.totrain("postgres://", sql, check, **self.server.variables(self.database))

    def train(self, select="v, word, y", table="t"):
        """In the server and by the program: the digests must be the same."""
        done = self.psql(TRAIN.format(select, table) + ";", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)
        inside = self.digest("m")
        said = self.by_program(TRAIN.format(select, table) + ";").stderr
        self.assertEqual(self.digest("m"), inside)
        return done.stderr + said

    def refusal(self, sql):
        """The same error through both doors, without its place."""
        done = self.psql(sql + ";", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null")
        self.assertNotEqual(done.returncode, 0)
        error = next(line.split("ERROR:  ", 1)[1] for line in done.stderr.splitlines() if "ERROR:  " in line)
        outside = self.by_program(sql + ";", check=False)
        self.assertNotEqual(outside.returncode, 0)
        self.assertIn(error, outside.stderr)
        return error

    def test_the_digest_is_that_of_columns(self):
        said = self.train()
        self.assertEqual(self.digest("m"), self.wanted)
        self.assertIn("by one reader: there is one processor" if harness.ONE_PROCESSOR else " readers", said)

    def test_the_digest_is_that_of_columns_in_order(self):
        said = self.train(table="(SELECT * FROM t ORDER BY random()) AS shuffled")
        self.assertEqual(self.digest("m"), self.wanted)
        self.assertIn("by one reader", said)

    def test_every_type_of_number(self):
        for kind in TYPES:
            with self.subTest(kind=kind):
                self.execute(f"DROP TABLE IF EXISTS other; CREATE TABLE other AS SELECT id, v::{kind}[] AS v, word, y FROM t")
                self.train(table="other")
                self.assertEqual(self.digest("m"), self.wanted)

    def test_a_domain_and_other_bounds(self):
        self.execute("CREATE DOMAIN embedding AS double precision[] CHECK (cardinality(VALUE) = 5)")
        self.execute("CREATE TABLE other AS SELECT id, CASE WHEN v IS NULL THEN NULL ELSE "
                     "('[0:4]={' || array_to_string(v, ',') || '}')::double precision[]::embedding END AS v, word, y FROM t")
        self.train(table="other")
        self.assertEqual(self.digest("m"), self.wanted)

    def test_numbers_that_only_a_double_holds(self):
        self.execute("CREATE TABLE fractions AS SELECT id, ARRAY[sin(id), cos(id) / 3] AS v, sin(id) AS a, cos(id) / 3 AS b, y FROM t")
        self.train("v, y", "fractions")
        digest = self.digest("m")
        self.train('a AS "v[1]", b AS "v[2]", y', "fractions")
        self.assertEqual(self.digest("m"), digest)
        self.train("v::text::numeric[], y", "fractions")
        self.assertEqual(self.digest("m"), digest)

    def test_predictions_are_those_of_the_columns(self):
        self.train()
        columns = ", ".join(f'v[{i}] AS "v[{i}]"' for i in range(1, SIZE + 1))
        self.execute(f"CREATE VIEW as_columns AS SELECT id, {columns}, word FROM t; "
                     "CREATE TABLE here AS SELECT id, totrain.predict('m', t) AS p, totrain.logits('m', t)::text AS l FROM t; "
                     "CREATE TABLE there AS SELECT id, totrain.predict('m', c) AS p, totrain.logits('m', c)::text AS l FROM as_columns c")
        self.assertEqual(self.execute("SELECT count(*) FROM here JOIN there USING (id, p, l)"), [(ROWS,)])
        self.check_psql("SELECT id, v, word FROM t TO PREDICT predicted.p USING m;", "-o", "/dev/null")
        self.assertEqual(self.execute("SELECT count(*) FROM predicted q JOIN t USING (id) JOIN here h USING (id) "
                                      "WHERE q.p::text = h.p AND q.v IS NOT DISTINCT FROM t.v"), [(ROWS,)])
        self.by_program("SELECT id, v, word FROM t TO PREDICT outside.p USING m;")
        self.assertEqual(self.execute("SELECT count(*) FROM outside JOIN predicted USING (id, p)"), [(ROWS,)])

    def test_rows_without_names(self):
        self.train()
        by_name = self.execute("SELECT totrain.logits('m', q)::text FROM (SELECT ARRAY[1, 2, 3, 4, 5] AS v, 'a' AS word) q")
        for row in ("ROW(ARRAY[1, 2, 3, 4, 5], 'a')", "ROW(1, 2, 3, 4, 5, 'a')"):
            self.assertEqual(self.execute(f"SELECT totrain.logits('m', {row})::text"), by_name)
        self.assertEqual(self.execute("SELECT totrain.call('m')"), [("totrain.predict('m', ROW(\"v\", \"word\"))",)])
        self.assertEqual(self.execute("SELECT totrain.problem('m', ROW(ARRAY[1, 2, 3, 4], 'a'))"),
                         [('column "v" holds an array of 4 elements, where 5 were expected',)])
        self.assertEqual(self.execute("SELECT totrain.problem('m', ROW(7, 'a'))"),
                         [('column "v" no longer holds arrays of numbers',)])

    def test_a_model_of_sqlite_takes_arrays(self):
        self.train()
        cursor = self.connect().cursor()
        cursor.execute("CREATE TABLE copied (part text, name text, position bigint, value double precision, data bytea)")
        for part, name, position, value, data in self.wanted_rows:
            cursor.execute("INSERT INTO copied VALUES (%s, %s, %s, %s, %s)",
                           (part, name, position, value, data.encode() if isinstance(data, str) else data))
        self.assertEqual(self.execute("SELECT count(*) FROM t WHERE totrain.logits('m', t)::text = totrain.logits('copied', t)::text"),
                         [(ROWS,)])

    def test_evaluate(self):
        self.train()
        inside = self.execute("SELECT * FROM totrain.rows('SELECT v, word, y FROM t TO EVALUATE m')")[0][0]
        outside = json.loads(self.by_program("SELECT v, word, y FROM t TO EVALUATE m;").stdout)[0]
        self.assertEqual(inside["loss"], outside["loss"])

    def test_a_validation_query_in_another_order(self):
        statement = ("SELECT v, y FROM t WHERE id % 5 > 0 TO TRAIN LinearClassifier WITH train.epoch = 1, "
                     "validation.select = 'SELECT y, {} FROM t WHERE id % 5 = 0' LABEL y INTO m;")
        self.check_psql(statement.format("v"), "-o", "/dev/null")
        loss = self.execute("SELECT value FROM totrain.metrics WHERE part = 'validation' AND metric = 'loss'")
        columns = ", ".join(f'v[{i}] AS "v[{i}]"' for i in range(SIZE, 0, -1))
        self.check_psql("DROP TABLE m;" + statement.format(columns), "-o", "/dev/null")
        self.assertEqual(self.execute("SELECT value FROM totrain.metrics WHERE part = 'validation' AND metric = 'loss'"), loss)

    def test_what_is_no_vector(self):
        self.execute("CREATE TABLE bad (v double precision[], words text[], y integer); "
                     "INSERT INTO bad SELECT ARRAY[g, 1, 2], ARRAY['a'], g % 2 FROM generate_series(1, 40) g")
        train = "SELECT {}, y FROM bad TO TRAIN LinearClassifier LABEL y INTO m"
        for value, error in (("ARRAY[1, NULL, 3]", "row 41: column \"v\" holds an array with NULL among its elements"),
                             ("ARRAY[[1, 2], [3, 4]]", "row 41: column \"v\" holds an array of several dimensions, where one was expected"),
                             ("ARRAY[1, 2]", "row 41: column \"v\" holds an array of 2 elements, where 3 were expected"),
                             ("'{}'", "row 41: column \"v\" holds an array of 0 elements, where 3 were expected"),
                             ("ARRAY['Infinity', 2, 3]", "row 41: column \"v[1]\" holds an infinite number")):
            with self.subTest(value=value):
                self.execute(f"DELETE FROM bad WHERE words IS NULL; INSERT INTO bad VALUES ({value}::double precision[], NULL, 1)")
                self.assertEqual(self.refusal(train.format("v")), error)
                left_out = train.format("v").replace(" LABEL", " WITH train.bad_rows = 'skip' LABEL")
                self.check_psql(left_out + ";", "-o", "/dev/null")
                self.assertEqual(self.execute("SELECT rows FROM totrain.models"), [(40,)])
                self.by_program(left_out + ";")
        self.assertEqual(self.refusal(train.format("words")), 'column "words" has type text[], which no model reads')
        self.assertEqual(self.refusal("SELECT v, y FROM bad TO TRAIN LinearClassifier COLUMN VOCABULARY(v) LABEL y INTO m"),
                         'column "v" holds arrays, and an array cannot be a category')
        self.assertEqual(self.refusal("SELECT v, y FROM bad TO TRAIN LinearClassifier COLUMN NUMERIC(v, 4) LABEL y INTO m"),
                         'NUMERIC: column "v" holds arrays of 3 elements, not of 4')
        self.assertEqual(self.refusal("SELECT v, y FROM bad TO TRAIN LinearRegressor LABEL v INTO m"),
                         'label column "v" holds arrays, where one value was expected')
        self.assertEqual(self.refusal('SELECT v, 1 AS "v[2]", y FROM bad TO TRAIN LinearClassifier LABEL y INTO m'),
                         'column "v[2]" has the name of an element of column "v"')
        self.assertEqual(self.refusal("SELECT NULL::integer[] AS v, y FROM bad TO TRAIN LinearClassifier LABEL y INTO m"),
                         'column "v" is NULL in all of 41 sampled rows: how long its arrays are is not known')

    def test_columns_are_named(self):
        self.execute("CREATE TABLE few AS SELECT * FROM t WHERE id < 200")
        self.check_psql("SELECT v, word, y FROM few TO TRAIN LinearClassifier COLUMN NUMERIC(v, 5) LABEL y INTO m;", "-o", "/dev/null")
        self.assertIn("of 6 elements, and model m expects 5",
                      self.refusal("SELECT v || 1.0::double precision AS v FROM few WHERE v IS NOT NULL TO PREDICT other.p USING m"))
        lines = self.check_psql("EXPLAIN SELECT v, word, y FROM few TO TRAIN LinearClassifier LABEL y INTO m;")
        self.assertIn("numeric, 5 elements: array in", lines)


if __name__ == "__main__":
    harness.main()
