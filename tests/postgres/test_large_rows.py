"""The rows of a model above totrain.model_memory as the result: workers score them, through every door."""

import os
import pathlib
import signal
import subprocess
import threading

import psycopg2

import harness
from server import BUILD

ROWS = 300
UNITS, TAKEN = 1000, "3.8 MiB"
LARGER, LARGER_BYTES = 3000, 4 * (3000 * 3000 + 3000 * 3)  # beside what a session needs anyway
LIMIT = "SET totrain.model_memory = '1MB';"
NOTICE = f"NOTICE:  the rows are scored by workers: the model takes {TAKEN}"
REFUSED = f'model "large" takes {TAKEN}, and a session loads models of up to 1.0 MiB'
LEFT = "SELECT relname FROM pg_class WHERE relname LIKE 'totrain\\_%' AND relpersistence = 't'"
OUTPUTS = " WITH predict.extra_outputs = 'probability, probabilities, logits'"


def make_rows(connection):
    """Table t, of a type of column each, and a large model of few of them."""
    connection.cursor().execute(f"""
        CREATE TYPE mood AS ENUM ('sad', 'ok', 'so''so'); CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
        CREATE TABLE t AS SELECT g::positive AS id, sin(g) AS a, (g / 7.0)::numeric(30, 20) AS n,
          (ARRAY['sad', 'ok', 'so''so'])[1 + g % 3]::mood AS m, CASE WHEN g % 9 = 0 THEN NULL ELSE 'w' || g % 4 END AS w,
          jsonb_build_object('g', g) AS j, '2024-01-01'::date + g AS "a ""day", (g % 2 = 0)::boolean AS b, 0.1::real * g AS r,
          now() AS at, decode(lpad(to_hex(g), 8, '0'), 'hex') AS bytes, NULL::int AS nothing
        FROM generate_series(1, {ROWS}) g; ANALYZE t""")


class LargeRows(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        make_rows(connection)

    def setUp(self):
        super().setUp()
        self.train(UNITS)

    def train(self, units):
        self.check_psql(f"SELECT a, n, m FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [{units}, {units}], "
                        "train.max_steps = 1 LABEL m INTO large;")

    def by_program(self, sql, memory="1Mi"):
        done = subprocess.run([BUILD / "totrain", "postgres://", "--format", "json", "-c", sql], check=False,
                              env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "program-state"),
                                   "TOTRAIN_MODEL_MEMORY": memory, **self.server.variables(self.database)},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_the_same_rows_through_every_door(self):
        for predict in (f"SELECT * FROM t ORDER BY id DESC TO PREDICT {OUTPUTS} USING large",
                        f"SELECT * FROM t ORDER BY id % 7, id TO PREDICT \"the \"\"guess\" {OUTPUTS} USING large",
                        "SELECT a, n FROM t WHERE false TO PREDICT USING large"):
            with self.subTest(predict=predict):
                alone, shared = (self.psql(f"{setting} {predict};", "--csv", "-v", "ON_ERROR_STOP=1", "-q") for setting in ("", LIMIT))
                self.assertEqual((alone.returncode, alone.stderr), (0, ""))
                self.assertIn(NOTICE, shared.stderr)
                self.assertEqual(shared.stdout, alone.stdout)
                alone, shared = (self.by_program(predict, memory) for memory in ("1Gi", "1Mi"))
                self.assertIn(NOTICE, shared.stderr)
                self.assertEqual((shared.stdout, alone.stderr), (alone.stdout, ""))
                alone, shared = (self.check_psql(f"{setting} SELECT * FROM totrain.rows($${predict}$$);") for setting in ("", LIMIT))
                self.assertEqual(shared, alone)
        self.check_nothing_runs()

    def test_the_columns_have_their_types(self):
        predict = f"SELECT * FROM t LIMIT 9 TO PREDICT guess {OUTPUTS} USING large"
        types = []
        for setting in ("", LIMIT):
            connection = self.connect()
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute(setting + "SELECT 1")
            cursor.execute(predict)
            types.append([(column.name, column.type_code) for column in cursor.description])
            self.assertEqual(cursor.statusmessage, "SELECT 9")
            cursor.fetchall()
            cursor.execute(LEFT)
            self.assertEqual(cursor.fetchall(), [])
        self.assertEqual(types[1], types[0])

    def test_the_session_stays_small(self):
        """Neither the model nor the rows: these are larger than the model."""
        self.train(LARGER)
        self.execute("CREATE TABLE wide AS SELECT sin(g) AS a, g / 7.0 AS n, repeat(md5(g::text), 1000) AS long FROM generate_series(1, 2000) g")
        psql = subprocess.Popen(["psql", "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.DEVNULL, env={**os.environ, **self.server.variables(self.database)})
        self.addCleanup(psql.wait)
        self.addCleanup(psql.kill)
        self.addCleanup(psql.stdout.close)
        self.addCleanup(psql.stdin.close)
        psql.stdin.write(f"{LIMIT} SELECT max(md5(data)) FROM large; SELECT max(md5(long)) FROM wide; SELECT pg_backend_pid();\n")
        psql.stdin.flush()
        pid = [psql.stdout.readline() for _ in range(3)][-1]
        before = self.peak_of(int(pid))
        psql.stdin.write("SELECT * FROM wide TO PREDICT USING large;\n\\echo end\n")
        psql.stdin.flush()
        count = sum(1 for _ in iter(psql.stdout.readline, "end\n"))
        self.assertEqual(count, 2000)
        self.assertLess(self.peak_of(int(pid)) - before, LARGER_BYTES / 2)

    @staticmethod
    def peak_of(pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) << 10

    def test_explain_and_what_stays_refused(self):
        lines = self.execute(f"{LIMIT} SELECT row ->> 'detail' FROM totrain.rows($$EXPLAIN SELECT * FROM t TO PREDICT USING large$$) AS row "
                             "WHERE row ->> 'item' IN ('into', 'memory', 'scored by')")
        self.assertEqual(lines, [(f"takes {TAKEN}, and a session loads models of up to 1.0 MiB (totrain.model_memory)",),
                                 ("none: the rows are the result",), ("workers: the session has no room for the model",)])
        done = self.psql(LIMIT + "SELECT totrain.predict('large', t) FROM t;")
        self.assertIn(REFUSED, done.stderr)
        self.assertIn("HINT:  Workers score it: SELECT ... TO PREDICT USING the model, and TO EVALUATE.", done.stderr)

    def test_where_no_job_can_be_made_the_session_does_not_load_it(self):
        done = self.psql(LIMIT + "SET default_transaction_read_only = on; SELECT * FROM t TO PREDICT USING large;")
        self.assertIn("ERROR:  cannot execute CREATE TABLE AS in a read-only transaction", done.stderr)
        self.assertIn(f"HINT:  Workers were to score the rows: the model takes {TAKEN}", done.stderr)
        self.assertEqual(done.stdout, "SET\nSET\n")

    def test_a_role_that_may_make_no_temporary_table(self):
        """The rows are kept in a temporary table meanwhile. A role that may not make one is told what would allow it,
        by both doors, and by PREDICT into a table, too; with that right it gets the rows."""
        self.execute(f"CREATE ROLE carol LOGIN IN ROLE totrain_user; GRANT SELECT ON t, large TO carol; "
                     f"REVOKE TEMPORARY ON DATABASE {self.database} FROM PUBLIC; CREATE SCHEMA carol AUTHORIZATION carol")
        self.addCleanup(self.execute, "DROP OWNED BY carol; DROP ROLE carol")
        message = f"ERROR:  role carol may make no temporary table in database {self.database}, in which its rows must be kept"
        hint = f"HINT:  GRANT TEMPORARY ON DATABASE {self.database} TO carol; allows it."
        for target in ("", "carol.p.c"):
            predict = f"SELECT id, a, n FROM t ORDER BY id TO PREDICT {target} USING large;"
            done = self.psql(LIMIT + predict + "SELECT 'still here';", user="carol")
            self.assertIn(message, done.stderr)
            self.assertIn(hint, done.stderr)
            self.assertIn("still here", done.stdout)
            done = subprocess.run([BUILD / "totrain", "postgres://", "-c", predict], check=False, capture_output=True, text=True,
                                  env={**os.environ, "TOTRAIN_STATE": str(self.server.folder / "carol-state"),
                                       "TOTRAIN_MODEL_MEMORY": "1Mi", **self.server.variables(self.database, "carol")})
            self.assertEqual(done.returncode, 4)
            self.assertIn(message, done.stderr)
            self.assertIn(hint, done.stderr)
        self.check_nothing_runs()
        self.assertEqual(self.execute(LEFT), [])
        self.assertEqual(self.execute("SELECT * FROM totrain.jobs WHERE owner::text = 'carol' AND state <> 'failed'"), [])
        self.execute(f"GRANT TEMPORARY ON DATABASE {self.database} TO carol")
        out = self.check_psql(LIMIT + "SELECT id, a, n FROM t ORDER BY id TO PREDICT USING large;", user="carol")
        self.assertEqual(out.count("\n"), ROWS)

    def test_in_a_transaction(self):
        predict = "SELECT * FROM totrain.rows($$SELECT id, a, n FROM t ORDER BY id TO PREDICT USING large$$) AS row"
        out = self.check_psql(f"{LIMIT} BEGIN; DELETE FROM t WHERE id > 100; CREATE TEMP TABLE kept ON COMMIT DROP AS {predict}; "
                              f"SELECT count(*), min((row ->> 'id')::int) FROM kept; {LEFT}; ROLLBACK; {LEFT}; SELECT count(*) FROM t;")
        self.assertEqual(out, f"100|1\n{ROWS}\n")
        done = self.psql(f"{LIMIT} BEGIN; SELECT id, a, n FROM t TO PREDICT USING large;")
        self.assertIn("In a transaction block ToTrain's statements are run by a function", done.stderr)

    def after(self, connection):
        """The session goes on, and nothing is left in it."""
        cursor = connection.cursor()
        cursor.execute(LEFT)
        self.assertEqual(cursor.fetchall(), [])
        self.check_nothing_runs()

    def limited(self):
        connection = self.connect()
        connection.autocommit = True
        connection.cursor().execute(LIMIT)
        return connection

    def test_nothing_is_left_of_what_fails(self):
        self.execute("CREATE TABLE vectors AS SELECT g AS id, ARRAY[g % 5, cos(g)] AS v, g % 2 AS y FROM generate_series(1, 2000) g")
        self.check_psql("SELECT v, y FROM vectors TO TRAIN DNNClassifier WITH model.hidden_units = [1000, 1000], train.max_steps = 1 "
                        "LABEL y INTO other;")
        self.execute("UPDATE vectors SET v = ARRAY[1] WHERE id = 1500")
        for sql, message in (("SELECT * FROM vectors TO PREDICT USING other", 'column "v" holds an array of 1 element'),
                             ("SELECT 1 / (id - 170) AS x, a, n FROM t ORDER BY id TO PREDICT USING large", "division by zero")):
            with self.subTest(sql=sql):
                connection = self.limited()
                with self.assertRaisesRegex(psycopg2.Error, message):
                    connection.cursor().execute(sql)
                self.after(connection)

    def test_an_error_while_the_rows_are_sent(self):
        """The end of the reading is committed by then; what kept the rows is gone all the same."""
        connection = self.limited()
        cursor = connection.cursor()
        cursor.execute("SET client_encoding = 'LATIN1'")
        with self.assertRaisesRegex(psycopg2.Error, "has no equivalent in encoding"):
            cursor.execute(f"SELECT a, n, chr(60 + 8000 * (id / {ROWS})::int) AS sign FROM t ORDER BY id TO PREDICT USING large")
        self.after(connection)

    def test_a_session_that_is_interrupted(self):
        self.execute("CREATE TABLE many AS SELECT sin(g) AS a, g / 7.0 AS n FROM generate_series(1, 200000) g")
        connection = self.limited()
        said = []

        def run():
            try:
                connection.cursor().execute("SELECT a, n FROM many TO PREDICT USING large")
            except psycopg2.Error as error:
                said.append(str(error))
        session = threading.Thread(target=run)
        session.start()
        self.wait_until_training()
        connection.cancel()
        session.join()
        self.assertRegex("".join(said), "cancel|interrupt")
        self.after(connection)

    def test_a_program_that_is_interrupted(self):
        self.execute("CREATE TABLE many AS SELECT sin(g) AS a, g / 7.0 AS n FROM generate_series(1, 200000) g")
        state = str(self.server.folder / "interrupted-state")
        program = subprocess.Popen([BUILD / "totrain", "postgres://", "-c", "SELECT a, n FROM many TO PREDICT USING large"],
                                   env={**os.environ, "TOTRAIN_STATE": state, "TOTRAIN_MODEL_MEMORY": "1Mi",
                                        **self.server.variables(self.database)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)
        harness.wait_for(lambda: harness.processes_of(state), "a job that runs")
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=4 * harness.DEADLINE)
        self.assertEqual((program.returncode, out), (130, ""), err)
        harness.wait_until_nothing_runs(state)
        harness.wait_for(lambda: not self.execute(LEFT), "the end of the session")


if __name__ == "__main__":
    harness.main()
