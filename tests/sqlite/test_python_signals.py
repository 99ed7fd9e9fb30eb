"""SIGINT that the Python process alone gets, as from a notebook's stop button, while a statement runs."""

import os
import signal
import subprocess

import harness

OPEN = """
import ctypes, os, signal, sqlite3, sys, threading
database = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False)
database.enable_load_extension(True)
database.load_extension(sys.argv[2])
statement = sys.argv[3]
def say(*words):
    print(*words, flush=True)
def run():
    try:
        try:
            database.execute(statement)
            say("the statement ended by itself")
        except sqlite3.Error as error:
            words = "error " + str(error)
            os.write(1, words.encode() + b"\\n")
            for _ in range(9): pass
            say("no exception came")
    except BaseException as error:
        say("exception", type(error).__name__, error)
"""
ENDLESS = ("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i, i % 2 AS class "
           "FROM r TO TRAIN LinearClassifier LABEL class INTO iris_model")


class PythonSignals(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.addCleanup(self.end_what_is_left)
        database = self.connect()
        database.execute("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 "
                         "LABEL class INTO iris_model").fetchall()
        self.old = self.digest(database)
        database.close()

    def start(self, script, statement=harness.TRAIN_LONG):
        process = subprocess.Popen(["/usr/bin/python3", "-c", OPEN + script, self.path,
                                    harness.EXTENSION, statement], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for_file(self, name):
        """Waits for a file of a job that began after the first."""
        harness.wait_for(lambda: len(list(self.state.glob(f"jobs/*/{name}"))) > (name == "job.db"),
                         f"{name} of the job")

    def wait_until_it_learns(self):
        self.wait_for_file("job.db")
        harness.wait_for(lambda: harness.processes_of(self.state), "a job that runs")

    def end(self, process):
        out, err = process.communicate(timeout=harness.DEADLINE)
        self.check_nothing_runs()
        return out.splitlines(), err

    def check_old_model(self):
        database = self.connect()
        self.assertEqual(self.digest(database), self.old)
        database.close()

    def check_interrupted(self, process):
        lines, err = self.end(process)
        self.assertEqual((lines[-1], err), ("exception KeyboardInterrupt ", ""))
        self.assertIn(lines[:-1], ([], ["error interrupted"]))  # the exception may come before a word
        self.check_old_model()

    def test_it_ends_training_and_python_sees_its_exception(self):
        process = self.start("run()")
        self.wait_until_it_learns()
        os.kill(process.pid, signal.SIGINT)
        self.check_interrupted(process)

    def test_it_ends_the_reading_of_rows(self):
        process = self.start("run()", ENDLESS)
        self.wait_for_file("train.spool")
        os.kill(process.pid, signal.SIGINT)
        self.check_interrupted(process)

    def test_a_function_that_raises_nothing_lets_the_statement_go_on(self):
        process = self.start("""
class Enough(Exception): pass
def first(number, frame):
    signal.signal(number, second)
    say("first")
def second(number, frame):
    raise Enough("twice")
signal.signal(signal.SIGINT, first)
run()""")
        self.wait_until_it_learns()
        os.kill(process.pid, signal.SIGINT)
        self.assertEqual(process.stdout.readline(), "first\n")
        self.assertTrue(harness.processes_of(self.state))
        os.kill(process.pid, signal.SIGINT)
        self.assertEqual(self.end(process)[0][-1], "exception Enough twice")
        self.check_old_model()

    def test_a_statement_of_another_thread_is_not_the_main_threads(self):
        process = self.start("""
done = threading.Event()
thread = threading.Thread(target=lambda: (run(), done.set()))
thread.start()
try:
    done.wait()
except KeyboardInterrupt:
    say("main")
    database.interrupt()
    done.wait()
""")
        self.wait_until_it_learns()
        os.kill(process.pid, signal.SIGINT)
        self.assertEqual(self.end(process)[0], ["main", "error interrupted", "no exception came"])

    def test_a_progress_handler_ends_training(self):
        flag = self.folder / "stop"
        process = self.start(f"database.set_progress_handler(lambda: os.path.exists({str(flag)!r}), "
                             "1000)\nrun()")
        self.wait_until_it_learns()
        flag.touch()
        self.assertEqual(self.end(process)[0], ["error interrupted", "no exception came"])
        self.check_old_model()

    def test_handlers_of_signals_are_as_they_were(self):
        """Python's own, and one that is not Python's, which is not even replaced meanwhile."""
        process = self.start("""
library = ctypes.CDLL(None)
def handler():
    action = ctypes.create_string_buffer(1024)
    library.sigaction(signal.SIGINT, None, action)
    return action.raw[:ctypes.sizeof(ctypes.c_void_p)]  # the first member of struct sigaction
def watched(i):
    seen.add(handler())
    return i
database.create_function("watched", 1, watched)
for mine in (None, ctypes.cast(ctypes.CFUNCTYPE(None, ctypes.c_int)(print), ctypes.c_void_p).value):
    seen = set()
    if mine: library.signal(signal.SIGINT, ctypes.c_void_p(mine))
    before = handler()
    database.execute(statement).fetchall()
    say(handler() == before, seen == {before})
""", "SELECT watched(petal_width) AS x, class FROM iris TO TRAIN LinearClassifier WITH "
     "train.epoch = 1 LABEL class INTO iris_model")
        self.assertEqual(self.end(process), (["True False", "True True"], ""))

    def test_an_interpreter_inside_of_the_interpreter(self):
        train = ("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL class "
                 "INTO inner_model")
        process = self.start(f"""
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
inner = interpreters.create()
interpreters.run_string(inner, "import sys; sys.argv = " + repr(["", *sys.argv[1:]]) + chr(10) + {OPEN!r} + "run()")
say("outer")
""", train)
        lines, err = self.end(process)
        self.assertEqual((lines, err), (["the statement ended by itself", "outer"], ""))


if __name__ == "__main__":
    harness.main()
