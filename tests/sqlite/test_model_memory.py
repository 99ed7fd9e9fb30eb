"""A model above TOTRAIN_MODEL_MEMORY: workers score it, with the session's bits, and no session loads it."""

import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import unittest

import harness

MEBIBYTE = 1 << 20
UNITS, TAKEN, ROOM = 1000, "3.8 MiB", "4Mi"
LARGER, LARGER_BYTES = 3000, 4 * (3000 * 3000 + 3000 * 3)  # beside what a session needs anyway
OUTPUTS = "predict.extra_outputs = 'probabilities,logits'"
# Runs a statement, and prints by how many bytes the session's memory was once higher than before.
MEASURED = """
import re, sqlite3, sys
def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) << 10
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.enable_load_extension(True)
database.load_extension(sys.argv[2])
before = peak()
database.execute(sys.argv[3]).fetchall()
print(peak() - before)
"""


class ModelMemory(harness.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.environ.pop, "TOTRAIN_MODEL_MEMORY", None)
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (id INTEGER, x REAL, y REAL, label TEXT)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)",
                                  [(i, i % 17 - 8.5, i % 5 / 3, "abc"[i % 3]) for i in range(300)])
        self.train(UNITS)

    def train(self, units):
        self.run_all(f"SELECT x, y, label FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [{units}, {units}], "
                     "train.max_steps = 1 LABEL label INTO m")

    def limit(self, memory="1Mi"):
        os.environ["TOTRAIN_MODEL_MEMORY"] = memory
        self.database = self.connect(isolation_level=None)

    def fails(self, sql, *parts):
        with self.assertRaises(sqlite3.Error) as caught:
            self.run_all(sql)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_workers_predict_and_evaluate_as_the_session_does(self):
        predict = "SELECT * FROM t TO PREDICT {}.c WITH " + OUTPUTS + " USING m"
        evaluate = "SELECT * FROM t TO EVALUATE m WITH validation.metrics = 'Accuracy,LogLoss,AUC'"
        self.run_all(predict.format("alone"))
        alone = self.run_all(evaluate)
        before = len(self.jobs_started())
        self.limit()
        self.run_all(predict.format("shared"))
        self.assertEqual(self.run_all("SELECT * FROM shared"), self.run_all("SELECT * FROM alone"))
        self.assertEqual(self.run_all(evaluate), alone)
        self.assertEqual(len(self.jobs_started()) - before, 2)
        self.check_nothing_runs()

    def test_rows_that_are_the_result_are_those_of_the_session(self):
        self.run_all('CREATE TABLE odd AS SELECT id, x, y, label, CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN x\'00ff\' '
                     'WHEN 2 THEN 2 WHEN 3 THEN 0.5 ELSE \'w\' END AS "a ""b" FROM t')
        for predict in (f"SELECT *, id + 1 FROM odd ORDER BY id DESC TO PREDICT WITH {OUTPUTS} USING m",
                        'SELECT * FROM odd TO PREDICT "the ""guess" USING m', "SELECT * FROM odd WHERE 0 TO PREDICT USING m"):
            results = []
            for memory in ("1Gi", "1Mi"):
                self.limit(memory)
                cursor = self.database.execute(predict)
                results.append((cursor.description, [[repr(cell) for cell in row] for row in cursor]))
            self.assertEqual(results[1], results[0])
        self.assertEqual(len(self.jobs_started()), 1 + 3)
        self.check_nothing_runs()

    def test_many_rows_lie_in_a_file_that_is_gone_afterwards(self):
        """More than the session keeps in memory: in their order, and read once more."""
        self.limit()
        predict = "SELECT id, x, y, printf('%.*c', 50000, 'a') || id AS long FROM t ORDER BY id TO PREDICT USING m"
        cursor = self.database.execute(predict)
        self.assertEqual([cursor.fetchone()[0] for _ in range(200)], [*range(200)])
        self.assertEqual([(row[0], row[3]) for row in cursor], [(i, "a" * 50000 + str(i)) for i in range(200, 300)])
        self.assertEqual([row[0] for row in self.database.execute(predict)], [*range(300)])
        self.assertFalse([path for path in os.listdir(os.path.join(self.state, "jobs")) if not path.isdigit()])

    def test_a_shell_that_is_interrupted(self):
        """While workers score, while rows get into the file, and while they are printed: the shell goes on, and has no file."""
        predict = "SELECT id, x, y, printf('%.*c', 50000, 'a') AS long FROM t TO PREDICT USING m;"
        self.limit()
        shell = subprocess.Popen(["sqlite3", "-interactive", self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end_shell, shell)
        self.type(shell, f".load {harness.EXTENSION}")
        for number, begun in enumerate((lambda: harness.processes_of(self.state), lambda: self.nameless(shell),
                                        lambda: b"aaaa" in os.read(shell.stdout.fileno(), 4096))):
            with self.subTest(number):
                before = len(self.jobs_started())
                self.type(shell, predict)
                harness.wait_for(lambda: len(self.jobs_started()) > before, "a job")  # pylint: disable=cell-var-from-loop
                harness.wait_for(begun, "the moment", 4 * harness.DEADLINE * harness.SLOW)
                os.killpg(shell.pid, signal.SIGINT)
                self.type(shell, "SELECT 'still' || ' here';")
                printed = self.read_until(shell, b"still here")
                self.assertLess(printed.count(b"a" * 50000), 300)
                self.assertEqual(self.nameless(shell), [])
                self.check_nothing_runs()
                self.assertEqual([path for path in pathlib.Path(self.state, "jobs").glob("**/*")
                                  if path.suffix in (".spool", ".sock") or "result" in path.name], [])
        _, errors = shell.communicate(b".quit\n", timeout=harness.DEADLINE)
        self.assertEqual(errors.count(b"interrupted"), 3, errors)

    @staticmethod
    def end_shell(shell):
        shell.kill()
        shell.wait()
        for pipe in (shell.stdin, shell.stdout, shell.stderr):
            pipe.close()

    @staticmethod
    def type(shell, line):
        shell.stdin.write(line.encode() + b"\n")
        shell.stdin.flush()

    @staticmethod
    def read_until(shell, end):
        read = b""
        while end not in read[-100:]:
            piece = os.read(shell.stdout.fileno(), 1 << 16)
            if not piece:
                raise AssertionError(f"the shell has ended: {shell.stderr.read()}")
            read += piece
        return read

    def nameless(self, shell):
        """The files without a name beside the jobs that the shell has open."""
        found = []
        for link in pathlib.Path(f"/proc/{shell.pid}/fd").iterdir():
            try:
                found.append(os.readlink(link))
            except FileNotFoundError:
                pass  # closed meanwhile
        return [name for name in found if name.startswith(str(self.state)) and name.endswith("(deleted)")]

    def test_explain_says_who_scores_and_why(self):
        self.limit()
        for sql, expected in (
                ("TO PREDICT p.c USING m", "workers: the session has no room for the model"),
                ("TO EVALUATE m", "workers: the session has no room for the model"),
                ("TO EVALUATE m WITH job.max_workers = 2", "workers, as job.* says"),
                ("TO PREDICT USING m", "workers: the session has no room for the model")):
            lines = dict(self.run_all(f"EXPLAIN SELECT * FROM t {sql}"))
            self.assertEqual(lines["scored by"], expected)
            self.assertEqual(lines["memory"], f"takes {TAKEN}, and a session loads models of up to 1.0 MiB "
                                              "(TOTRAIN_MODEL_MEMORY)")
        self.limit(ROOM)
        lines = dict(self.run_all("EXPLAIN SELECT * FROM t TO PREDICT p.c USING m"))
        self.assertNotIn("memory", lines)
        self.assertIn("the session: ", lines["scored by"])

    @unittest.skipIf(harness.SLOW > 1, "a sanitizer keeps what was given back")
    def test_the_session_stays_small(self):
        self.train(LARGER)

        def measure(sql):
            done = subprocess.run([sys.executable, "-c", MEASURED, self.path, harness.EXTENSION, sql], text=True,
                                  capture_output=True, timeout=4 * harness.DEADLINE, check=True)
            return int(done.stdout)
        statements = ("SELECT * FROM t TO PREDICT p.c USING m", "SELECT * FROM t TO PREDICT USING m", "SELECT * FROM t TO EVALUATE m",
                      "EXPLAIN SELECT * FROM t TO PREDICT p.c USING m")
        self.assertGreater(measure(statements[0]), LARGER_BYTES)
        self.limit()
        for sql in statements:
            self.assertLess(measure(sql), LARGER_BYTES / 4, sql)

    def test_what_only_the_session_can_do_is_refused(self):
        self.run_all("CREATE VIEW v AS SELECT id, totrain_predict('m', x, y) AS c FROM t")
        self.limit()
        reason = f'model "m" takes {TAKEN}, and a session loads models of up to 1.0 MiB'
        hint = "TOTRAIN_MODEL_MEMORY sets how much a session loads."
        for sql in ("SELECT * FROM v", "SELECT * FROM t TO EXPLAIN m",
                    f"EXPORT MODEL m TO '{self.path}.onnx'"):
            self.fails(sql, reason, hint)

    def test_where_no_job_can_be_made_the_session_does_not_load_it(self):
        self.limit()
        os.environ["TOTRAIN_STATE"] = "/proc/nowhere"
        for target in ("p.c", ""):
            self.fails(f"SELECT * FROM t TO PREDICT {target} USING m", "/proc/nowhere", "Workers were to score the rows: the model takes")

    def test_damage_is_found_while_it_is_copied(self):
        self.run_all("UPDATE m SET data = zeroblob(length(data)) WHERE part = 'tensor' AND position = 3")
        self.limit()
        self.fails("SELECT * FROM t TO PREDICT p.c USING m",
                   'model "m" is damaged: tensor "layer1/weights" 3 does not match its checksum')
        self.run_all("DELETE FROM m WHERE part = 'tensor' AND position = 3")
        self.fails("SELECT * FROM t TO PREDICT p.c USING m", "layer1/weights lacks 1 of ")

    def test_learning_goes_on_from_it(self):
        train = ("SELECT x, y, label FROM t TO TRAIN DNNClassifier WITH train.max_steps = 1 LABEL label USING m "
                 "INTO {}")
        self.run_all(train.format("first"))
        self.limit()
        self.run_all(train.format("second"))
        self.assertEqual(self.model_digest("second"), self.model_digest("first"))

    def test_an_amount_that_is_none_is_told(self):
        done = self.run_program(self.path, "-c", "SHOW MODELS", env={**os.environ, "TOTRAIN_MODEL_MEMORY": "much"})
        self.assertEqual(done.returncode, 0)
        self.assertIn('TOTRAIN_MODEL_MEMORY is "much"; expected an amount of memory, such as 512Mi', done.stderr)


if __name__ == "__main__":
    harness.main()
