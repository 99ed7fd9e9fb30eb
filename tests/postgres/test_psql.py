"""The bare statement in stock psql: its flags, its meta-commands, and being stopped."""

import os
import re
import signal
import subprocess

import harness
from harness import wait_for

TRAIN = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m"


class Psql(harness.Case):
    def test_the_main_job(self):
        out = self.check_psql(harness.TRAIN_IRIS + """
            SELECT * FROM iris TO PREDICT iris_predicted.class USING iris_model;
            SELECT 'right', sum((p.class = i.class)::int) FROM iris i JOIN iris_predicted p
              USING (sepal_length, sepal_width, petal_length, petal_width);
            SELECT * FROM iris TO EVALUATE iris_model WITH validation.metrics = 'Accuracy,LogLoss';
            SHOW MODELS; SHOW TRAIN iris_model;""")
        lines = out.splitlines()
        self.assertIn("rows|||150", lines)
        self.assertIn("version|||1", lines)
        self.assertGreater(next(int(line.split("|")[1]) for line in lines if line.startswith("right|")), 140)
        self.assertTrue(any(line.startswith("iris_model|DNNClassifier|") for line in lines))

    def test_with_c_and_f(self):
        done = self.psql(None, "-v", "ON_ERROR_STOP=1", "-qAt", "-c", "SELECT 'first'", "-c", TRAIN, "-c",
                         "SELECT 'a'; SELECT * FROM iris LIMIT 1 TO PREDICT USING m; SELECT 'b'")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?s)^first\n.*rows\|\|\|150\n.*a\n.*\nb\n$")
        path = self.server.folder / "script.sql"
        path.write_text(f"SELECT 'first';\n{TRAIN};\nSELECT 'last';\n")
        done = self.psql(None, "-v", "ON_ERROR_STOP=1", "-qAt", "-f", str(path))
        self.assertRegex(done.stdout, r"(?s)^first\n.*rows\|\|\|150\n.*last\n$")

    def test_an_error_ends_a_script_that_asks_for_it(self):
        done = self.psql(f"SELECT 'first';\n{TRAIN.replace('LABEL class', 'LABEL klass')};\nSELECT 'never';", "-v", "ON_ERROR_STOP=1", "-qAt")
        self.assertEqual((done.returncode, done.stdout), (3, "first\n"))
        self.assertIn("klass", done.stderr)
        self.assertRegex(done.stderr, r"LINE 1: .*LABEL klass")

    def test_timing_and_command_tags(self):
        out = self.check_psql(f"\\timing on\n{TRAIN};\nSELECT * FROM iris TO PREDICT USING m \\g /dev/null\n")
        self.assertEqual(len(re.findall(r"^Time: [0-9.]+ ms", out, re.M)), 2)

    def test_watch(self):
        process = subprocess.Popen(["psql", "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, **self.server.variables(self.database)})
        process.stdin.write(f"{TRAIN} \\g /dev/null\nSELECT * FROM iris LIMIT 1 TO PREDICT USING m \\watch 0.05\n")
        process.stdin.flush()
        seen = [process.stdout.readline() for _ in range(9)]
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        process.stdout.read()
        process.stdout.close()
        process.wait(harness.DEADLINE)
        self.assertGreaterEqual(sum("|" in line for line in seen), 2, seen)

    def test_a_table_is_made_where_create_table_would_make_it(self):
        """A table of that name further down the search_path is another one."""
        self.check_psql(f"""{TRAIN}; CREATE SCHEMA first; CREATE TABLE out AS SELECT 'kept' AS x;
            SET search_path = first, public;
            SELECT * FROM iris TO EVALUATE m INTO out; SELECT * FROM iris TO PREDICT "out".class WITH predict.replace = true USING m;
            SELECT * FROM iris TO EVALUATE m WITH evaluate.replace = true INTO out;
            {TRAIN};""")
        self.assertEqual(self.execute("SELECT x FROM public.out"), [("kept",)])
        self.assertEqual(self.execute("SELECT relnamespace::regnamespace::text FROM pg_class WHERE relname IN ('m', 'out') "
                                      "ORDER BY relname, 1"), [("first",), ("public",), ("first",), ("public",)])

    def test_new_tables_are_made_without_a_word(self):
        done = self.psql(f"{TRAIN};SELECT * FROM iris TO PREDICT p.class USING m;SELECT * FROM iris TO EVALUATE m INTO e;"
                         "SELECT * FROM iris TO PREDICT q.class WITH predict.bad_rows = 'quarantine' USING m")
        self.assertEqual(done.stderr, "")

    def test_progress_is_told(self):
        process = self.start(harness.TRAIN_LONG, "SET totrain.progress_interval = 0")
        self.assertRegex(process.stderr.readline(), r"NOTICE:  .*epoch")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=harness.DEADLINE)
        text = harness.TRAIN_LONG.replace("1000000", "400")
        done = self.psql("SET totrain.progress_interval = -1;" + text, "-v", "ON_ERROR_STOP=1")
        self.assertEqual(done.stderr, "")

    def start(self, text, before="SELECT 1"):
        process = subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", before, "-c", text], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, **self.server.variables(self.database)})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_control_c(self):
        process = self.start(harness.TRAIN_LONG)
        self.wait_until_training()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=harness.DEADLINE)
        self.assertRegex(err, "ERROR:  .*(cancel|interrupt)")
        self.check_nothing_runs()
        self.assertEqual(self.tables(), {"iris"})

    def test_statement_timeout(self):
        done = self.psql(f"SET statement_timeout = '1s'; \n{harness.TRAIN_LONG}\nSELECT 'behind';", "-qAt")
        self.assertIn("canceling statement due to statement timeout", done.stderr)
        self.assertEqual(done.stdout, "behind\n")
        self.check_nothing_runs()

    def test_statement_timeout_of_a_prediction(self):
        self.check_psql(TRAIN)
        done = self.psql("SET statement_timeout = '300ms';\n SELECT i.* FROM iris i, generate_series(1, 1000000) "
                         "TO PREDICT p.class USING m;\nSELECT 'behind';", "-qAt")
        self.assertIn("canceling statement due to statement timeout", done.stderr)
        self.assertEqual(done.stdout, "behind\n")
        # It is disarmed afterwards. On a machine with much to do the statement itself takes longer than two seconds.
        for seconds in (2, 20):
            output, errors = self.outlive(f"SET statement_timeout = '{seconds}s';\n{TRAIN} \\g /dev/null\n"
                                          "SET statement_timeout = 0;", seconds)
            if not errors:
                break
        self.assertEqual((output, errors), ("\n", ""))

    def outlive(self, text, seconds):
        """The output of psql that still has a statement when so many seconds have gone by since the text was
        executed."""
        holder = self.connect()
        holder.cursor().execute("SELECT pg_advisory_lock(1)")
        process = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **self.server.variables(self.database)})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdin.write(f"{text} SELECT pg_advisory_lock(1);\n")
        process.stdin.flush()
        waits = ("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND "
                 f"clock_timestamp() > query_start + interval '{seconds} s'")
        harness.wait_for(lambda: process.poll() is not None or self.execute(waits), "the time-out to go by")
        holder.close()
        return process.communicate(timeout=harness.DEADLINE)

    def test_activity_is_told_while_training(self):
        process = self.start(harness.TRAIN_LONG)
        self.wait_until_training()
        rows = self.execute("SELECT state, query FROM pg_stat_activity WHERE datname = current_database() "
                            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'")
        self.assertEqual(rows, [("active", harness.TRAIN_LONG)])
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=harness.DEADLINE)

    def test_the_server_log_has_no_syntax_errors_of_ours(self):
        before = len(self.server.log())
        self.check_psql(f"{TRAIN};SELECT * FROM iris TO PREDICT USING m;")
        self.assertNotIn("syntax error", self.server.log()[before:])

    def test_log_statement_tells_of_the_statement(self):
        before = len(self.server.log())
        self.check_psql(f"SET log_statement = 'all';\n{TRAIN};")
        self.assertIn("TO TRAIN LinearClassifier", self.server.log()[before:])

    def test_many_statements_in_one_session_lose_no_memory(self):
        backend = self.connect()
        cursor = backend.cursor()
        cursor.execute(TRAIN)

        def resident():
            with open(f"/proc/{backend.info.backend_pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * 4096

        def statements(count):
            for _ in range(count):
                cursor.execute("SELECT * FROM iris LIMIT 5 TO PREDICT USING m")
                try:
                    cursor.execute(TRAIN.replace("LABEL class", "LABEL klass"))
                except Exception:  # pylint: disable=broad-except
                    pass
                cursor.execute("SHOW MODELS")
        statements(50)
        before = resident()
        statements(300)
        self.assertLess(resident() - before, 3 << 20)

    def test_descriptors_are_not_lost(self):
        backend = self.connect()
        cursor = backend.cursor()

        def opened():
            """All but the files of tables, which the server keeps open for some time."""
            folder = f"/proc/{backend.info.backend_pid}/fd"
            paths = [os.readlink(f"{folder}/{entry}") for entry in os.listdir(folder)]
            return len([path for path in paths if str(self.server.folder / "data") not in path])
        cursor.execute(TRAIN)
        before = opened()
        for _ in range(5):
            cursor.execute(TRAIN)
        self.assertEqual(opened(), before)
        wait_for(lambda: not self.job_processes(), "the end of the jobs")


class Paced(harness.Case):
    pace = "us=200"

    def test_idle_session_timeout_does_not_end_a_training(self):
        """It takes more than a second."""
        out = self.check_psql("SET idle_session_timeout = '300ms';\n" + harness.TRAIN_LONG.replace("1000000", "40"))
        self.assertIn("rows|||150", out)


if __name__ == "__main__":
    harness.main()
