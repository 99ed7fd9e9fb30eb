"""A statement that is interrupted ends, whatever it is busy with.

Each function and statement is run on an input that makes it long, with a statement_timeout of a random moment: the server's own clock interrupts it there,
exactly as a cancel does. What counts is the CPU time that the backend has taken by then: more than the timeout and a second means that it has worked on for
so long, on a machine however busy. TOTRAIN_MOMENTS says how many moments each gets: one in `make test`, a hundred in `make test-full`.
"""

import os
import pathlib
import random
import signal
import threading
import time

import psycopg2
from psycopg2 import errors

import harness
from deep_trees import chain
from harness import run_statement, wait_for

MOMENTS = int(os.environ.get("TOTRAIN_MOMENTS", "1"))
AFTER = 1.0  # seconds of CPU time that may pass after the interrupt
TICK = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


class Long(harness.Case):
    """Tables and models that make statements long."""

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE wide AS SELECT " + ", ".join(f"0.9::float8 AS c{i}" for i in range(1000)))
        cursor.execute("CREATE TABLE narrow AS SELECT (g % 7)::float8 / 7 AS c0, (g % 11)::float8 / 11 AS c1, 'w' || g % 5000 AS c, g % 2 AS y "
                       "FROM generate_series(1, 400000) g")
        cursor.execute("SELECT totrain.import_model('deep', %s)", (chain(1000, 1000, 100),))
        cursor.execute("SELECT totrain.import_model('many', %s)", (chain(40, 2, 4000),))
        for kind, name in (("LogisticRegression", "line"), ("KMeans WITH model.n_clusters = 3", "groups"), ("DNNClassifier", "net"), ("XGBClassifier", "grown")):
            label = "" if kind.startswith("KMeans") else "LABEL y"
            run_statement(cursor, f"SELECT c0, c1{', y' if label else ''} FROM narrow LIMIT 2000 TO TRAIN {kind} {label} INTO {name}")

    def setUp(self):
        super().setUp()
        self.connection = self.connect()
        self.cursor = self.connection.cursor()
        self.moments = random.Random(self._testMethodName)


class Interrupts(Long):
    """Each function and statement is interrupted at random moments."""

    def limit(self, seconds):
        """The limit of before, of a millisecond, may end even this."""
        while True:
            try:
                self.cursor.execute("SET statement_timeout = %s", (f"{seconds * 1000:.0f}ms",))
                return
            except errors.QueryCanceled:
                pass

    def interrupt(self, statement, values=None, longest=1.0, whole=False):
        """`longest`: the last moment, in seconds. `whole`: the statement never ends by itself in that time."""
        pid, interrupted = self.connection.info.backend_pid, 0
        for _ in range(MOMENTS):
            moment = self.moments.uniform(0.001, longest)
            self.limit(moment)
            before = cpu_seconds(pid)
            began = time.monotonic()
            try:
                self.cursor.execute(statement, values)
                self.assertFalse(whole, f"{statement[:80]} has ended within {moment:.3f} s")
            except errors.QueryCanceled:
                interrupted += 1
            took = cpu_seconds(pid) - before
            if os.environ.get("TOTRAIN_TELL"):
                print(f"{self._testMethodName}: {moment:.3f} cpu {took:.3f} wall {time.monotonic() - began:.3f}", flush=True)
            self.assertLess(took, moment + AFTER, f"{statement[:80]} interrupted after {moment:.3f} s")
        self.limit(0)
        self.assertEqual({row["name"] for row in run_statement(self.cursor, "SHOW MODELS")} >= {"line", "deep"}, True)
        self.check_nothing_runs()
        return interrupted

    def interrupt_statement(self, statement, **options):
        return self.interrupt("SELECT * FROM totrain.rows(%s)", (statement,), **options)

    def test_shap_of_a_row(self):
        self.interrupt("SELECT totrain.shap('deep', w) FROM wide w", whole=True)

    def test_explain_by_shap(self):
        self.interrupt_statement("SELECT * FROM wide TO EXPLAIN deep USING SHAP", whole=True)

    def test_predict_with_shap(self):
        self.interrupt_statement("SELECT * FROM wide TO PREDICT told.k WITH predict.extra_outputs = 'shap' USING deep", whole=True)

    def test_explain_by_permutation(self):
        self.interrupt_statement("SELECT c0, c1, y FROM narrow TO EXPLAIN grown WITH explain.rows = 100000 USING permutation")

    def test_what_a_model_is(self):
        self.interrupt_statement("SHOW MODEL many")

    def test_scoring_functions(self):
        for function, model in (("predict", "many"), ("predict", "net"), ("probability", "grown"), ("probabilities", "line"), ("logits", "net"), ("leaf", "grown"),
                                ("distance", "groups"), ("shap", "grown"), ("problem", "line")):
            with self.subTest(function=function, model=model):
                self.interrupt(f"SELECT count(totrain.{function}('{model}', n)) FROM narrow n", longest=0.5)

    def test_a_row_of_a_large_model(self):
        self.interrupt("SELECT totrain.predict('many', ROW(0.1, 0.2))")

    def test_importing(self):
        content = chain(40, 2, 15000)
        self.assertGreater(self.interrupt("SELECT totrain.import_model('again', %s)", (psycopg2.Binary(content),)), 0)

    def test_exporting(self):
        for form in ("xgboost", "lightgbm", "xgboost_ubj"):
            with self.subTest(form=form):
                self.interrupt("SELECT length(totrain.export_model('many', %s))", (form,))

    def test_evaluating(self):
        self.interrupt_statement("SELECT c0, c1, y FROM narrow TO EVALUATE grown LABEL y")

    def test_training(self):
        for kind, inputs in (("LogisticRegression", "c0, c1"), ("XGBClassifier", "c0, c1, c"), ("DNNClassifier", "c0, c1, c"),
                             ("RandomForestClassifier", "c0, c1, c")):
            with self.subTest(kind=kind):
                self.interrupt_statement(f"SELECT {inputs}, y FROM narrow TO TRAIN {kind} LABEL y INTO fresh")

    def test_predicting_into_a_table(self):
        self.interrupt_statement("SELECT c0, c1 FROM narrow TO PREDICT told.k USING many")

    def test_planning(self):
        self.interrupt_statement("EXPLAIN SELECT c0, c1, c, y FROM narrow TO TRAIN XGBClassifier LABEL y INTO fresh")

    def test_listing(self):
        self.interrupt_statement("SHOW MODELS FULL", longest=0.1)

    def test_a_long_statement(self):
        columns = ", ".join(f"c{i % 2} AS x{i}" for i in range(1500))
        numbers = ", ".join(str(i) for i in range(100000))
        self.interrupt_statement(f"SELECT {columns}, y FROM narrow WHERE y IN ({numbers}) TO TRAIN LogisticRegression LABEL y INTO fresh", longest=0.5)


class Ends(Long):
    """A session that is busy within a row ends with its client, and with the server."""

    def be_busy(self):
        """A session that explains a row for hours; and what it ends with."""
        ends = []

        def explain():
            try:
                self.cursor.execute("SELECT totrain.shap('deep', w) FROM wide w")
            except psycopg2.Error as error:
                ends.append(error)

        thread = threading.Thread(target=explain)
        pid = self.connection.info.backend_pid
        before = cpu_seconds(pid)
        thread.start()
        wait_for(lambda: cpu_seconds(pid) > before + 0.3, "a row that is being explained")
        return thread, ends, pid

    def test_a_cancelled_one(self):
        thread, ends, pid = self.be_busy()
        self.execute(f"SELECT pg_cancel_backend({pid})")
        thread.join()
        self.assertIsInstance(ends[0], errors.QueryCanceled)
        self.cursor.execute("SELECT 1")

    def test_a_terminated_one(self):
        thread, ends, pid = self.be_busy()
        self.execute(f"SELECT pg_terminate_backend({pid})")
        thread.join()
        self.assertIsInstance(ends[0], psycopg2.OperationalError)
        wait_for(lambda: not pathlib.Path(f"/proc/{pid}").exists(), "the end of the backend")

    def test_a_server_that_is_stopped(self):
        thread, ends, _ = self.be_busy()
        self.server.stop(signal.SIGINT)
        thread.join()
        self.server.start()
        self.assertIsInstance(ends[0], psycopg2.OperationalError)

    def test_an_interrupt_that_a_block_catches_is_forgotten(self):
        self.cursor.execute("SELECT totrain.import_model('deep', %s)", (chain(500, 1000, 1),))
        self.cursor.execute("""
            CREATE FUNCTION explain_again() RETURNS text LANGUAGE plpgsql AS $$
            DECLARE told text; row wide; caught int := 0; BEGIN
              SELECT * INTO row FROM wide;
              FOR round IN 1..3 LOOP
                BEGIN
                  told := totrain.shap('deep', row);
                EXCEPTION WHEN query_canceled THEN caught := caught + 1;
                END;
              END LOOP;
              RETURN caught || ' caught, ' || (told IS NOT NULL);
            END $$""")
        self.cursor.execute("SET statement_timeout = '100ms'")
        self.cursor.execute("SELECT explain_again()")
        self.assertEqual(self.cursor.fetchone()[0], "1 caught, true")


if __name__ == "__main__":
    harness.main()
