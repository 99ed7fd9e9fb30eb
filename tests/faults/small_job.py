"""A small job of real processes under a library for LD_PRELOAD: what the tests of this folder share."""

import hashlib
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "sqlite"))
import harness  # noqa: E402  pylint: disable=wrong-import-position
from waiting import (  # noqa: E402,F401  pylint: disable=wrong-import-position
    hurry, processes_of, state_of, wait_for, wait_until_nothing_runs)

BUILD = harness.BUILD.resolve()
PROGRAM = str(BUILD / "totrain")
DEADLINE = 60  # seconds of one job: a broken promise, not a slow machine

# Two workers in processes of their own, some checkpoints, four epochs.
STATEMENT = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.epoch = 4, "
             "train.batch_size = 32, train.seed = {seed}, job.lanes = 4, job.min_workers = 2, {more}"
             "job.checkpoint_seconds = 0.01 LABEL class INTO m;")


def library(name):
    return str(BUILD / "tests" / f"{name}.so")


def digest_of(path):
    """The digest of the model m, as its table has it, and a hash of its other rows; None without one."""
    database = sqlite3.connect(path)
    try:
        digest, = database.execute("SELECT json_extract(data, '$.digest') FROM m WHERE part = 'meta'").fetchone()
        rows = database.execute("SELECT part, name, position, value, data FROM m WHERE part <> 'meta'").fetchall()
        return digest, hashlib.sha256(repr(rows).encode()).hexdigest()
    except sqlite3.OperationalError:
        return None
    finally:
        database.close()


class Place:
    """A folder with a database that has the table iris and a model m, to be copied for each run."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-faults-"))
        self.template = self.folder / "template.db"
        database = sqlite3.connect(self.template)
        harness.load_csv(database, "iris")
        database.close()
        self.old = self.train(self.template, seed=1)
        copy = self.folder / "expected.db"
        shutil.copy(self.template, copy)
        self.new = self.train(copy, seed=2)
        assert self.old and self.new and self.old != self.new

    def train(self, path, seed):
        """Without any library: the digest."""
        run = Run(self, "undisturbed", path=path, statement=STATEMENT.format(seed=seed, more=""))
        run.start({})
        code, errors = run.end()
        assert code == 0, errors
        run.remove()
        return digest_of(path)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Run:
    """One statement on a copy of the database, with a state folder of its own."""

    def __init__(self, place, name, path=None, statement=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=place.folder))
        self.state = self.folder / "state"
        self.calls = self.folder / "calls"
        self.calls.mkdir()
        self.statement = statement or STATEMENT.format(seed=2, more="")
        self.path = path
        if not path:
            self.path = self.folder / "test.db"
            shutil.copy(place.template, self.path)

    def start(self, environment):
        self.launch([self.path, "--progress=none", "-c", self.statement], environment)

    def follow(self, job):
        """A detached job to its end, which goes on if nobody runs it."""
        self.launch(["wait", job, "--progress=none"], {})

    def launch(self, arguments, environment):
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "TOTRAIN_STATE": str(self.state), "TMPDIR": str(self.folder), **environment})

    def end(self):
        """Exit code and what it said on standard error; code None: it did not end."""
        try:
            _, errors = self.process.communicate(timeout=DEADLINE)
            return self.process.returncode, errors
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, errors = self.process.communicate()
            return None, errors

    def wait_until_gone(self):
        """Nothing that was started for the job runs any more."""
        wait_until_nothing_runs(self.state)

    def end_what_is_left(self):
        for pid in processes_of(self.folder):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass

    def crashes(self):
        """The library's notes on processes that a signal of their own mistake killed."""
        return [file.read_text(errors="replace") for file in self.calls.glob("crash.*")]

    def failed(self):
        """Where the call was that failed."""
        return "".join(file.read_text(errors="replace") for file in self.calls.glob("failed.*"))

    def log(self):
        return "".join(file.read_text(errors="replace") for file in self.state.glob("jobs/*/log"))

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def said_error(errors):
    """The error that a session ends with; None where it says none."""
    found = re.search(r"^ERROR: +(\S.*)$", errors, re.MULTILINE)
    return found and found.group(1)
