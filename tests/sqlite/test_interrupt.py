"""Ctrl-C, kill -9, cancel: nothing is left running, and an old model stays."""

import os
import pty
import signal
import sqlite3
import subprocess
import termios
import threading

import harness
from deep_trees import chain

SECONDS_TO_END = harness.DEADLINE  # promised are 1 for Ctrl-C and 5 for a dead client, of a machine with time


class Interrupt(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        database = self.connect()
        database.execute("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 "
                         "LABEL class INTO iris_model").fetchall()
        self.old = self.digest(database)
        database.close()
        self.before = len(self.jobs_started())

    def start(self, *command, text=None):
        """In a process group of its own, as a terminal's foreground job is."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.end, process)
        if text:
            process.stdin.write(text)
            process.stdin.flush()
        harness.wait_for(lambda: len(self.jobs_started()) > self.before
                         and harness.processes_of(self.state), "a job that runs")
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe and not pipe.closed:
                pipe.close()

    def check_old_model(self):
        database = self.connect()
        self.assertEqual(self.digest(database), self.old)
        self.assertEqual(database.execute("SHOW VERSIONS iris_model").fetchall()[0][0], 1)
        database.close()

    def test_ctrl_c_in_the_shell_ends_the_statement_and_not_the_session(self):
        process = self.start("sqlite3", "-interactive", self.path,
                             text=f".load {harness.EXTENSION}\n{harness.TRAIN_LONG}\n")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate("SELECT 'still' || ' here';\n", timeout=SECONDS_TO_END)
        self.assertIn("interrupted", err)
        self.assertIn("still here", out)
        self.check_nothing_runs()
        self.check_old_model()

    def test_ctrl_c_that_reaches_the_shell_alone(self):
        process = self.start("sqlite3", self.path,
                             text=f".load {harness.EXTENSION}\n{harness.TRAIN_LONG}\n")
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertIn("interrupted", err)
        self.check_nothing_runs()
        self.check_old_model()

    def test_ctrl_c_in_python(self):
        script = ("import sqlite3, sys\n"
                  "d = sqlite3.connect(sys.argv[1]); d.enable_load_extension(True)\n"
                  "d.load_extension(sys.argv[2])\n"
                  "try: d.execute(sys.argv[3])\n"
                  "except (KeyboardInterrupt, sqlite3.Error) as error: print(repr(error))\n")
        process = self.start("/usr/bin/python3", "-c", script, self.path, harness.EXTENSION,
                             harness.TRAIN_LONG)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertRegex(out + err, "interrupted|KeyboardInterrupt")
        self.check_nothing_runs()
        self.check_old_model()

    def test_ctrl_c_in_the_program_exits_with_130(self):
        process = self.start(harness.PROGRAM, self.path, "-c", harness.TRAIN_LONG)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", err)
        self.check_nothing_runs()
        self.check_old_model()

    def test_a_killed_client_leaves_nothing_running(self):
        process = self.start(harness.PROGRAM, self.path, "-c", harness.TRAIN_LONG)
        process.kill()
        process.wait()
        self.check_nothing_runs()
        self.check_old_model()

    def test_a_killed_shell_leaves_nothing_running(self):
        process = self.start("sqlite3", self.path,
                             text=f".load {harness.EXTENSION}\n{harness.TRAIN_LONG}\n")
        process.kill()
        process.wait()
        self.check_nothing_runs()
        self.check_old_model()

    def test_a_row_that_is_explained_for_hours(self):
        database = self.connect(check_same_thread=False)
        database.execute("SELECT totrain_import_model('deep', ?)", (chain(1000, 1000, 100),)).fetchall()
        columns = ", ".join(f".9 AS c{i}" for i in range(1000))
        values = f"totrain_row({', '.join(['.9'] * 100)})"
        for statement in (f"SELECT totrain_shap('deep', {', '.join([values] * 10)})",
                          f"SELECT {columns} TO EXPLAIN deep USING SHAP"):
            seen = threading.Event()

            def interrupt(seen=seen):
                while not seen.wait(0.01):  # before the statement has begun there is nothing to interrupt
                    database.interrupt()

            thread = threading.Thread(target=interrupt)
            thread.start()
            try:
                with self.subTest(statement=statement[:30]), self.assertRaisesRegex(sqlite3.OperationalError, "interrupted"):
                    database.execute(statement).fetchall()
            finally:
                seen.set()
                thread.join()
        database.close()

    def test_cancel_from_another_session(self):
        process = self.start(harness.PROGRAM, self.path, "-c", harness.TRAIN_LONG)
        other = self.connect()
        harness.wait_for(lambda: any(row[1] == "running" for row in
                                     other.execute("SHOW JOBS").fetchall()), "a running job")
        running = [row for row in other.execute("SHOW JOBS").fetchall() if row[1] == "running"]
        self.assertEqual(other.execute(f"CANCEL JOB {running[0][0]}").fetchall(),
                         [(running[0][0], "cancelled")])
        process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0)
        self.check_nothing_runs()
        self.check_old_model()

    def test_a_killed_supervisor_is_an_error_that_names_the_log(self):
        process = self.start(harness.PROGRAM, self.path, "-c", harness.TRAIN_LONG)
        self.end_what_is_left()
        _, err = process.communicate(timeout=SECONDS_TO_END)
        self.assertEqual(process.returncode, 1)
        self.assertIn("ERROR:", err)
        self.assertIn("log", err)
        self.check_nothing_runs()
        self.check_old_model()

    def test_progress_fits_on_a_line_of_a_narrow_terminal(self):
        loading = f".load {harness.EXTENSION}\n"
        for program, text in (("sqlite3", loading), (harness.PROGRAM, "")):
            with self.subTest(program):
                ours, theirs = pty.openpty()
                termios.tcsetwinsize(theirs, (24, 20))
                process = subprocess.Popen(
                    [program, self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=theirs, text=True, start_new_session=True, env={**os.environ, "TERM": "xterm"})
                self.addCleanup(self.end, process)
                os.close(theirs)
                process.stdin.write(text + harness.TRAIN_LONG + "\n")
                process.stdin.close()
                seen = b""
                while seen.count(b"\r\x1b[K") < 3:
                    seen += os.read(ours, 4096)
                lines = seen.split(b"\r\x1b[K")[1:-1]
                self.assertEqual({len(line) for line in lines if b"epoch" in line}, {19}, lines)
                os.killpg(process.pid, signal.SIGINT)
                process.wait(SECONDS_TO_END)
                process.stdout.close()
                os.close(ours)
                self.check_nothing_runs()

    def test_progress_is_drawn_on_a_terminal(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            ["sqlite3", self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs,
            text=True, start_new_session=True, env={**os.environ, "TERM": "xterm"})
        self.addCleanup(self.end, process)
        os.close(theirs)
        process.stdin.write(f".load {harness.EXTENSION}\n{harness.TRAIN_LONG}\n")
        process.stdin.flush()
        seen = b""
        while b"loss" not in seen:
            seen += os.read(ours, 4096)
        self.assertRegex(seen, rb"epoch \d+/1000")
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=SECONDS_TO_END)
        os.close(ours)
        self.check_nothing_runs()


harness.main()
