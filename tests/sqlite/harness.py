"""The common parts of the tests of the doors: a folder of their own, tables, the shell."""

import os
import pathlib
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import classes  # noqa: E402  pylint: disable=wrong-import-position
from own_case import DATA, OwnCase, load_csv, typed  # noqa: E402,F401  pylint: disable=wrong-import-position
from training_rows import crossed, facts, notices, validated  # noqa: E402,F401  pylint: disable=wrong-import-position
from waiting import (  # noqa: E402,F401  pylint: disable=wrong-import-position
    command_of, eventually, hurry, processes_of, state_of, wait_for, wait_until_nothing_runs)

BUILD = pathlib.Path(os.environ["TOTRAIN_BUILD"])
EXTENSION = str(BUILD / "totrain")
PROGRAM = str(BUILD / "totrain")

TRAIN_IRIS = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], "
              "train.epoch = 60, train.batch_size = 32 LABEL class INTO iris_model;")
# How many times slower this build computes: a sanitizer's.
SLOW = int(os.environ.get("TOTRAIN_SLOW", "1"))
# Goes on until it is ended, on any machine.
TRAIN_LONG = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [64, 64], "
              "train.epoch = 1000000, train.batch_size = 1 LABEL class INTO iris_model;")
DEADLINE = 60  # seconds: a broken promise, not a slow machine


def plain_environment():
    """For programs that are not ours, which a sanitizer is not to be loaded into."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


class Case(OwnCase):
    def connect(self, path=None, **options):
        database = sqlite3.connect(path or self.path, **options)
        self.addCleanup(database.close)
        database.enable_load_extension(True)
        database.load_extension(EXTENSION)
        return database

    def make_iris(self, path=None):
        database = sqlite3.connect(path or self.path)
        load_csv(database, "iris")
        database.close()

    def shell(self, sql, path=None, load=True):
        """Standard output, standard error of the stock shell. It ends with 0 or 1."""
        commands = f".load {EXTENSION}\n{sql}\n" if load else sql + "\n"
        done = subprocess.run(["sqlite3", "-header", path or self.path], input=commands, text=True,
                              capture_output=True, timeout=4 * DEADLINE)
        return done.stdout, done.stderr

    def run_program(self, *arguments, **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True,
                              timeout=4 * DEADLINE, **options)

    def run_all(self, sql, *values):
        """On self.database, which the test has opened."""
        return self.database.execute(sql, values).fetchall()

    def eventually(self, query, wanted):
        """Its rows in self.database, once they are what is wanted (waiting.eventually)."""
        return eventually(lambda: self.run_all(query), wanted, query)

    def model_digest(self, model="m"):
        """The digest of totrain_models, in self.database."""
        return self.run_all("SELECT digest FROM totrain_models WHERE name = ?", model)[0][0]

    def digest(self, database, model="iris_model"):
        return database.execute(
            f"SELECT json_extract(data, '$.digest') FROM {model} WHERE part = 'meta'"
        ).fetchone()[0]

    def check_workers(self, train):
        """train(settings, into) makes the same table of any number of workers."""
        train("job.max_workers = 1", "one")
        for workers in (2, 3):
            train(f"job.min_workers = {workers}, job.max_workers = {workers}", "several")
            self.assertEqual(self.digest(self.database, "several"), self.digest(self.database, "one"))

    def check_workers_and_order(self, train):
        """train(settings, into, rows) makes the same table also of rows of t in another order."""
        self.check_workers(lambda settings, into: train(settings, into, "t"))
        train("job.max_workers = 1", "other", "(SELECT * FROM t ORDER BY random())")
        self.assertEqual(self.digest(self.database, "other"), self.digest(self.database, "one"))

    def check_near(self, found, wanted, delta=1e-6):
        """Each as near as that, or as that share of it."""
        for number, other in zip(found, wanted, strict=True):
            self.assertAlmostEqual(number, other, delta=delta * max(1, abs(other)))

    def tables(self, database):
        return {row[0] for row in database.execute("SELECT name FROM sqlite_master")}

    def jobs_started(self):
        jobs = self.state / "jobs"
        return [job for job in jobs.iterdir() if (job / "job.db").exists()] if jobs.exists() else []

    def pace(self, us=1000):
        """Jobs that start from now on take so many microseconds a row. Such a job is to last as long
        as the test needs it, and not as the machine takes for it: end it with hurry()."""
        os.environ["TOTRAIN_PACE"] = f"us={us}"
        self.addCleanup(self.unpace)

    def unpace(self):
        os.environ.pop("TOTRAIN_PACE", None)

    def hurry(self, is_over, what):
        """All that has to be done to the paced job is done: until it is over nobody waits any more."""
        self.unpace()

        def is_over_now():
            hurry(self.state)
            return is_over()
        return wait_for(is_over_now, what)

    def paced(self, sql):
        """The program with a statement of several jobs, of which one, which is paced, learns."""
        before = {row[0] for row in self.run_all("SELECT id FROM totrain_jobs")}
        self.pace()
        process = subprocess.Popen([PROGRAM, self.path, "--progress=none", "-c", sql], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        wait_for(lambda: [row for row in self.run_all("SELECT id, step FROM totrain_jobs WHERE step > 0")
                          if row[0] not in before], "a job that learns")
        return process

    def kill_a_worker(self):
        """Whether there was one: a statement of several jobs has none between two of them."""
        for pid in processes_of(self.state):
            try:
                if b"worker" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                    os.kill(pid, signal.SIGKILL)
                    return True
            except (FileNotFoundError, ProcessLookupError):
                pass
        return False

    def end_without_a_worker(self, process):
        """A worker of the paced statement is killed, and the statement does what it was to do."""
        wait_for(self.kill_a_worker, "a worker")
        self.hurry(lambda: process.poll() is not None, "the end of the statement")
        _, err = process.communicate()
        self.assertEqual(process.returncode, 0, err)

    def wait_until_training(self):
        wait_for(lambda: self.jobs_started() and len(processes_of(self.state)) > 0,
                 "a job that runs")

    def end_what_is_left(self):
        """Also a cleanup of tests of detached jobs, which live on when a test has failed."""
        for pid in processes_of(self.state):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def check_nothing_runs(self):
        wait_until_nothing_runs(self.state)


def main():
    classes.run(sys.argv[1:], verbosity=2)
