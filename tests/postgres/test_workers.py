"""PREDICT into a table and EVALUATE by workers: the same rows, bits and types as by the session, through both doors."""

import json
import os
import pathlib
import subprocess
import unittest

import psycopg2

import harness
from server import BUILD

ROWS = 3000
LARGE_BYTES = 4 * (3000 * 3000 + 3000 * 3)
JOB = " WITH job.max_workers = 2"


def make_rows(connection):
    """Table t, of a type of column each."""
    connection.cursor().execute(f"""
        CREATE TYPE mood AS ENUM ('sad', 'ok', 'so''so'); CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
        CREATE TABLE t AS SELECT g::positive AS id, sin(g) AS a, (g / 7.0)::numeric(30, 20) AS n, ARRAY[g % 5, cos(g)] AS v,
          (ARRAY['sad', 'ok', 'so''so'])[1 + g % 3]::mood AS m, CASE WHEN g % 9 = 0 THEN NULL ELSE 'w' || g % 4 END AS w,
          jsonb_build_object('g', g) AS j, '2024-01-01'::date + g AS d, (g % 2 = 0)::boolean AS b, 0.1::real * g AS r,
          now() AS at, decode(lpad(to_hex(g), 8, '0'), 'hex') AS bytes, ('2024-01-01'::date + g % 2) AS day
        FROM generate_series(1, {ROWS}) g""")


class Workers(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        make_rows(connection)

    def by_program(self, sql, check=True):
        done = subprocess.run([BUILD / "totrain", "postgres://", "--format", "json", "-c", sql], check=False,
                              env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "program-state"),
                                   **self.server.variables(self.database)}, capture_output=True, text=True)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def by_psql(self, sql):
        self.check_psql(sql, "-o", "/dev/null")

    def train(self, label, model="DNNClassifier", inputs="a, n, v, w"):
        network = "model.hidden_units = [8], " if model.startswith("DNN") else ""
        self.by_psql(f"SELECT {inputs}, {label} FROM t TO TRAIN {model} WITH {network}train.epoch = 3 LABEL {label} INTO m;")

    def shape(self, table):
        return self.execute("SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
                            f"WHERE attrelid = '{table}'::regclass AND attnum > 0 ORDER BY attnum")

    def check_same(self, one, other):
        self.assertEqual(self.shape(one), self.shape(other))
        (count, equal), = self.execute(f"SELECT (SELECT count(*) FROM {one}), "
                                       f"(SELECT count(*) FROM (SELECT q::text FROM {one} q INTERSECT ALL SELECT q::text FROM {other} q) x)")
        self.assertEqual((count, equal), (ROWS, ROWS))

    def test_predictions(self):
        extra = ", predict.extra_outputs = 'probability, probabilities, logits'"
        for label in ("m", "b", "day"):
            with self.subTest(label=label):
                self.train(label)
                predict = "SELECT * FROM t ORDER BY id TO PREDICT {}.p{} USING m;"
                self.by_psql(predict.format("alone", " WITH" + extra[1:]))
                self.by_psql(predict.format("inside", JOB + extra))
                self.by_program(predict.format("outside", JOB + extra))
                self.check_same("inside", "alone")
                self.check_same("outside", "alone")
                self.assertEqual(self.execute("SELECT count(*) FROM (SELECT id, lag(id) OVER () AS before FROM inside) q WHERE id <= before"),
                                 [(0,)])
        self.check_nothing_runs()

    def test_the_label_stays_beside_a_prediction_of_another_name(self):
        self.train("m")
        names = [row[0] for row in self.shape("t")]
        for column, expected in (("guess", names + ["guess"]), ("m", [name for name in names if name != "m"] + ["m"])):
            self.by_psql(f"SELECT * FROM t TO PREDICT alone.{column} USING m; SELECT * FROM t TO PREDICT inside.{column} {JOB} USING m;")
            self.by_program(f"SELECT * FROM t TO PREDICT outside.{column} {JOB} USING m;")
            self.assertEqual([row[0] for row in self.shape("alone")], expected)
            self.check_same("inside", "alone")
            self.check_same("outside", "alone")
        self.by_psql("SELECT * FROM t TO PREDICT alone.guess USING m;")
        self.assertEqual(self.execute("SELECT count(*) FROM alone JOIN t USING (id, m)"), [(ROWS,)])

    def test_one_name_is_a_column_and_the_rows_are_the_result(self):
        self.train("b")
        self.execute("CREATE TABLE customers AS SELECT 'Ann' AS name")
        predict = "SELECT id, b, a, n, v, w FROM t ORDER BY id LIMIT 2 TO PREDICT customers USING m"
        line = next(iter(self.psql(predict + ";", "--csv").stdout.splitlines()))
        self.assertEqual(line, "id,b,a,n,v,w,customers")
        rows, = self.execute(f"SELECT array_agg(row ->> 'b'), count(row ->> 'customers') FROM totrain.rows($${predict}$$) AS row")
        self.assertEqual(rows, (["f", "t"], 2))
        (first, second) = json.loads(self.by_program(predict + ";").stdout)
        self.assertEqual([*first], ["id", "b", "a", "n", "v", "w", "customers"])
        self.assertEqual((first["b"], second["b"]), ("f", "t"))
        done = self.psql(f"SELECT totrain.submit($${predict}$$);")
        self.assertIn("totrain.submit is for statements that write INTO a table", done.stderr)
        self.assertEqual(self.execute("SELECT * FROM customers"), [("Ann",)])

    def test_a_number(self):
        self.train("a", "DNNRegressor", "n, v, w")
        self.by_psql("SELECT * FROM t TO PREDICT alone.p WITH predict.extra_outputs = 'score' USING m;"
                     f"SELECT * FROM t TO PREDICT inside.p {JOB}, predict.extra_outputs = 'score' USING m;")
        self.check_same("inside", "alone")

    def test_bad_rows_go_aside(self):
        self.train("b")
        self.execute("UPDATE t SET v = ARRAY[1] WHERE id % 1000 = 7")
        for way, run in (("inside", self.by_psql), ("outside", self.by_program)):
            run(f"SELECT * FROM t TO PREDICT {way}.p {JOB}, predict.bad_rows = 'quarantine' USING m;")
            self.assertEqual(self.execute(f"SELECT (SELECT count(*) FROM {way}), (SELECT array_agg(id::int ORDER BY id) FROM {way}_bad_rows), "
                                          f"(SELECT min(totrain_reason) FROM {way}_bad_rows)"),
                             [(ROWS - 3, [7, 1007, 2007], 'column "v" holds an array of 1 element, where 2 were expected')])
            self.assertEqual(self.shape(f"{way}_bad_rows")[:-1], self.shape("t"))
        # The reasons are those of the session, to the letter.
        self.by_psql("SELECT * FROM t TO PREDICT alone.p WITH predict.bad_rows = 'quarantine' USING m;")
        reasons = [self.execute(f"SELECT id::int, totrain_reason FROM {way}_bad_rows ORDER BY id") for way in ("alone", "inside", "outside")]
        self.assertEqual(reasons, [reasons[0]] * 3)

    def test_evaluate(self):
        self.train("b")
        alone = json.loads(self.by_program("SELECT * FROM t TO EVALUATE m LABEL b;").stdout)[0]
        outside = json.loads(self.by_program(f"SELECT * FROM t TO EVALUATE m {JOB} LABEL b;").stdout)[0]
        self.assertEqual(outside, alone)
        self.by_psql(f"SELECT * FROM t TO EVALUATE m {JOB} LABEL b INTO measured;")
        self.assertEqual(self.execute("SELECT loss FROM measured"), [(alone["loss"],)])

    def scored_by(self, predict):
        lines = dict(self.execute("SELECT row ->> 'item', row ->> 'detail' FROM totrain.rows($$EXPLAIN " + predict + "$$) AS row"))
        return lines["scored by"]

    @unittest.skipIf(harness.ONE_PROCESSOR, "one processor")
    def test_workers_are_chosen_where_they_pay(self):
        self.execute("CREATE TABLE wide AS SELECT g AS id, sin(g) AS a, cos(g) AS b, g % 2 AS y FROM generate_series(1, 20000) g; ANALYZE wide")
        self.by_psql("SELECT a, b, y FROM wide LIMIT 100 TO TRAIN DNNClassifier WITH model.hidden_units = [1000, 800], train.max_steps = 1 "
                     "LABEL y INTO large; SELECT a, b, y FROM wide TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL y INTO small;")
        predict = "SELECT * FROM {} TO PREDICT {}.p WITH predict.extra_outputs = 'probability' USING {}"
        self.assertRegex(self.scored_by(predict.format("wide", "w", "small")), "^the session: about 20000 rows of 2 multiplications each do not pay")
        self.assertEqual(self.scored_by(predict.format("wide LIMIT 9", "w", "large")), "the session: a table of about 9 rows is small")
        self.assertRegex(self.scored_by(predict.format("wide WHERE id > 0", "w", "large")), r"^workers: about (19\d{3}|20000) rows, 802800 multiplications each")
        self.assertRegex(self.scored_by("SELECT * FROM wide TO EVALUATE large"), "^workers: ")
        for way, run in (("inside", self.by_psql_notices), ("outside", lambda sql: self.by_program(sql).stderr)):
            self.assertIn("the rows are scored by workers: about 20000 rows", run(predict.format("wide", way, "large") + ";"))
        self.by_psql(f"CREATE TABLE alone AS SELECT id, a, b, totrain.predict('large', wide, NULL::bigint) AS p, "
                     "totrain.probability('large', wide) AS probability FROM wide;")
        self.assertEqual(self.execute("SELECT count(*) FROM (TABLE alone EXCEPT (SELECT id, a, b, p, probability FROM inside)) q"), [(0,)])
        self.check_nothing_runs()

    def test_a_model_above_the_limit_of_a_session_goes_to_workers(self):
        """A session loads no more of a model than it may, as its memory shows; views are told, and models that no job
        can be made of."""
        self.execute("CREATE TABLE few AS SELECT g AS id, sin(g) AS a, cos(g) AS b, g % 2 AS y FROM generate_series(1, 300) g; ANALYZE few")
        self.by_psql("SELECT a, b, y FROM few TO TRAIN DNNClassifier WITH model.hidden_units = [3000, 3000], train.max_steps = 1 LABEL y INTO large;"
                     "SELECT * FROM few TO PREDICT alone.p WITH predict.extra_outputs = 'probability' USING large;")
        evaluate = "SELECT * FROM totrain.rows($$SELECT * FROM few TO EVALUATE large$$)"
        measured = self.execute(evaluate)
        connection = self.connect()
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute("SET totrain.model_memory = '1MB'; SELECT max(md5(data)) FROM large")  # shared buffers count, too
        before = self.peak_of(connection)
        cursor.execute("SELECT row ->> 'detail' FROM totrain.rows($$EXPLAIN SELECT * FROM few TO PREDICT p.p USING large$$) AS row "
                       "WHERE row ->> 'item' IN ('memory', 'scored by')")
        self.assertEqual(cursor.fetchall(), [("takes 34.4 MiB, and a session loads models of up to 1.0 MiB (totrain.model_memory)",),
                                             ("workers: the session has no room for the model",)])
        cursor.execute("SELECT * FROM totrain.rows($$SELECT * FROM few TO PREDICT inside.p WITH predict.extra_outputs = 'probability' USING large$$)")
        self.assertIn("the rows are scored by workers: the model takes 34.4 MiB", "".join(connection.notices))
        cursor.execute(evaluate)
        self.assertEqual(cursor.fetchall(), measured)
        self.assertLess(self.peak_of(connection) - before, LARGE_BYTES / 2)
        self.assertEqual(self.execute("SELECT count(*) FROM (TABLE alone EXCEPT TABLE inside) q"), [(0,)])
        for sql in ("SELECT totrain.predict('large', few) FROM few", "SELECT totrain.export_model('large', 'xgboost')",
                    "SELECT * FROM totrain.rows($$SELECT * FROM few TO EXPLAIN large$$)"):
            with self.assertRaises(psycopg2.Error) as refused:
                cursor.execute(sql)
            self.assertIn('model "large" takes 34.4 MiB, and a session loads models of up to 1.0 MiB', str(refused.exception))
            self.assertIn("totrain.model_memory sets how much a session loads", str(refused.exception))
        self.check_nothing_runs()

    @staticmethod
    def peak_of(connection):
        status = pathlib.Path(f"/proc/{connection.info.backend_pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) << 10

    def by_psql_notices(self, sql):
        done = self.psql(sql, "-v", "ON_ERROR_STOP=1", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_the_table_that_is_read_is_replaced(self):
        self.train("b")
        self.by_psql(f"CREATE TABLE again AS SELECT * FROM t; SELECT * FROM again TO PREDICT again.p {JOB}, predict.replace = true USING m;")
        self.assertEqual(self.execute("SELECT count(p) FROM again"), [(ROWS,)])

    def test_in_a_transaction(self):
        self.train("b")
        self.by_psql("BEGIN; DELETE FROM t WHERE id > 100; "
                     f"SELECT * FROM totrain.rows($$SELECT * FROM t TO PREDICT inside.p {JOB} USING m$$); "
                     "CREATE TABLE counted AS SELECT count(*) AS n FROM inside; DROP TABLE inside; COMMIT;")
        self.assertEqual(self.execute("SELECT n FROM counted"), [(100,)])

    def test_nothing_is_left_of_what_fails(self):
        self.train("b")
        self.execute("UPDATE t SET v = ARRAY[1] WHERE id = 2000")
        connection = self.connect()
        cursor = connection.cursor()
        with self.assertRaisesRegex(Exception, 'column "v" holds an array of 1 element'):
            cursor.execute(f"SELECT * FROM t TO PREDICT inside.p {JOB} USING m")
        cursor.execute("SELECT relname FROM pg_class WHERE relname LIKE 'totrain\\_%' OR relname = 'inside'")
        self.assertEqual(cursor.fetchall(), [])
        self.check_nothing_runs()


if __name__ == "__main__":
    harness.main()
