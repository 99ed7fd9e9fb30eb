"""A job in real processes, for the tests of this folder.

Waiting always has a deadline; nothing is measured.
"""

import hashlib
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import classes  # noqa: E402  pylint: disable=wrong-import-position
from waiting import (  # noqa: E402  pylint: disable=wrong-import-position
    children_of, command_of, eventually, has_ended, hurry_processes, stat_of, state_of, wait_for, wait_until_gone)

PROGRAM = ""
CSV = ""
DEADLINE = 60  # seconds: a broken promise, not a slow machine. Promised are 5 s for what outlives a client or supervisor
# How many times slower this build computes: a sanitizer's.
SLOW = int(os.environ.get("TOTRAIN_SLOW", "1"))
# How many times longer than in other builds a single step may take.
SLOW_STEP = int(os.environ.get("TOTRAIN_SLOW_STEP", "1"))
LONG = 1000 // SLOW  # epochs: something is done to such a job while it runs
# the time that it lasts then, however fast the machine is, unless its end is waited for: then it is hurried
LONG_SECONDS = 60
ROWS = 135  # rows of an epoch, about
RUN_EPOCHS = 15  # a run of KMeans takes all rows about as often
POINTS = ["begin", "after_partial", "after_sum", "before_apply", "after_apply"]


def is_alive(pid):
    return not has_ended(stat_of(pid))


def limit_files(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def turns_of(pid):
    """How often it has waited so far: for a message, for the disk, for its pace. 0 where it is gone."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="latin1")
    except OSError:
        return 0
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.M)[1])


# All but the time that an epoch took.
METRICS = "SELECT * FROM metrics WHERE metric <> 'seconds' ORDER BY epoch, step, metric, part"


def make_folder(folder, kind, csv, workers, least, turns, checkpoint, units, servers, changes=None):
    """Makes a job that has not begun. `changes`: to parts of its spec, by their names."""
    folder.mkdir(parents=True)
    subprocess.run([PROGRAM, f"make_{kind}" if kind else "make", csv or CSV, folder, str(workers), str(least),
                    str(turns), str(checkpoint), str(units)], check=True)
    if servers or changes:
        path = folder / "job.json"
        spec = json.loads(path.read_text())
        if servers:
            # With lanes all workers would take steps together.
            spec["job"].update(servers=servers, in_one_process=False, lanes=0)
        for part, values in (changes or {}).items():
            spec.setdefault(part, {}).update(values)
        path.write_text(json.dumps(spec))


def known(find, what, csv, *settings):
    """The value that find() learns from undisturbed jobs over that table with those settings: the first test that
    wants it runs them, the others find it beside the program."""
    made_of = hashlib.sha256(pathlib.Path(PROGRAM).read_bytes() + pathlib.Path(csv).read_bytes() + repr(settings).encode())
    path = pathlib.Path(PROGRAM).parent / "known" / f"{what}-{made_of.hexdigest()[:16]}"
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        found = find()
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_text(json.dumps(found))
    part.rename(path)  # whole, or not there
    return found


def pace_of(seconds, epochs):
    """The pace with which a job of so many epochs lasts as long."""
    return f"us={seconds * 1e6 / ROWS / epochs}"


class Job:
    def __init__(self, folder, workers, least=None, epochs=20, csv=None, fault=None,
                 checkpoint=0, units=16, limit=None, listen=None, paced=True, seconds=LONG_SECONDS,
                 kind=None, servers=0, changes=None, pace=None):
        """A long job is paced, or one with a `pace`; after `start` what is left of it is not. One of clusters has runs
        of about as many epochs together, one of trees as many rounds."""
        self.folder = folder
        make_folder(folder, kind, csv, workers, least or workers,
                    max(1, epochs // RUN_EPOCHS) if kind == "clusters" else epochs, checkpoint, units, servers, changes)
        self.network = ["--listen", listen] if listen else []
        self.pace = pace or (pace_of(seconds, epochs) if paced and epochs >= LONG else None)
        self.start(fault, limit, self.pace)

    def start(self, fault=None, limit=None, pace=None):
        """A supervisor on the folder, be it new or what was left of an earlier one.
        No file of the job may grow beyond `limit`."""
        environment = dict(os.environ)
        environment.pop("TOTRAIN_FAULT", None)
        if fault:
            environment["TOTRAIN_FAULT"] = fault
        if pace:
            environment["TOTRAIN_PACE"] = pace
        self.process = subprocess.Popen([PROGRAM, "supervise", self.folder, *self.network],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=environment, start_new_session=True,
                                        preexec_fn=limit and (lambda: limit_files(limit)))
        self.last = None

    def end_everything(self):
        """Ends all processes as a power cut does; the folder is left."""
        self.process.send_signal(signal.SIGSTOP)  # from then on it starts nobody
        wait_for(lambda: state_of(self.process.pid) == "T", "the supervisor to stop")
        pids = list(self.children()) + [self.process.pid]
        sockets = self.sockets()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not wait_until_gone(pids, DEADLINE):
            raise AssertionError("somebody is left")
        self.process.wait(DEADLINE)
        self.close()
        shutil.rmtree(sockets, ignore_errors=True)

    def wait_for_event_row(self, event):
        """A row of the events table; progress events are the clock."""
        self.wait_for("progress")
        while not self.query(f"SELECT * FROM events WHERE event = '{event}'"):
            self.wait_for("progress")

    def wait_for_stop(self, role, index=0):
        """Until that process has stopped itself at its named point."""
        def stands_still():
            pid = self.pid_of(role, index)
            return pid and state_of(pid) == "T"
        wait_for(stands_still, f"{role} {index} to stop")

    def event(self):
        line = self.process.stdout.readline()
        if line:
            self.last = json.loads(line)
        return self.last if line else None

    def wait_for(self, kind, step=0):
        while self.event() is not None:
            if self.last["event"] == kind and self.last["step"] >= step:
                return
            if self.last["event"] in ("done", "failed"):
                break
        raise AssertionError(f"no {kind} event of step {step}, the last is {self.last}")

    def pass_turns(self, count):
        """Until a worker has waited for something so many times more, or it is gone, or the job has something to
        tell: a drawn number is a moment anywhere in a step."""
        pid = self.pid_of("worker")
        wanted = turns_of(pid) + count
        wait_for(lambda: not 0 < turns_of(pid) < wanted or select.select([self.process.stdout], [], [], 0)[0],
                 f"{count} turns of worker {pid}")

    def hurry(self):
        """From now on those who are here are as fast as they can."""
        try:
            hurry_processes([self.process.pid, *self.children()])
        except OSError:
            pass  # it has ended

    def end(self):
        """Its exit code, when its time has come: all that is to be done to it is done."""
        self.hurry()
        while self.event() is not None:
            self.hurry()
        code = self.process.wait(DEADLINE)
        self.close()
        for report in ("Sanitizer", "runtime error"):
            if report in self.log():
                raise AssertionError(self.log())
        return code

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()

    def children(self):
        """pid -> role of the supervisor's children."""
        found = {}
        for pid in children_of(self.process.pid):
            arguments = command_of(pid).split(b"\0")
            found[pid] = arguments[1].decode() if len(arguments) > 1 else "?"
        return found

    def pid_of(self, role, index=0):
        """None while nobody has the place."""
        for pid in children_of(self.process.pid):
            words = command_of(pid).decode().split("\0")
            if words[1:2] == [role] and (
                    role == "master" or words[words.index("--index") + 1] == str(index)):
                return pid
        return None

    def sockets(self):
        return pathlib.Path(os.readlink(self.folder / "control")).parent

    def count_connections(self):
        """Connections of workers to workers: a socket that was accepted has the name of the one that listens."""
        names = str(self.sockets() / "w")
        rows = [line.split() for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]]
        connected = [row for row in rows if len(row) == 8 and row[5] == "03"]
        return sum(row[7].startswith(names) for row in connected)

    def digest(self):
        return subprocess.run([PROGRAM, "digest", self.folder], check=True, capture_output=True,
                              text=True).stdout.strip()

    def query(self, sql):
        store = sqlite3.connect(self.folder / "job.db")
        rows = store.execute(sql).fetchall()
        store.close()
        return rows

    def eventually(self, query, wanted):
        """Its rows, once they are what is wanted (waiting.eventually)."""
        return eventually(lambda: self.query(query), wanted, query)

    def log(self):
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""


class JobTest(unittest.TestCase):
    """The oracle is the digest of the undisturbed run with one worker."""

    units = 16  # units of the hidden layer
    kind = None  # a network; "clicks", "clusters", "linear", "regression", "bayes", "card", "components", "outliers", "isolation", "trees", "dart", "medians", "quantiles", "percentages", "rankings", "series", "series_trees"
    table = "iris"  # a table of examples/data
    epochs = 20  # where a test names no other number

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="totrain-cluster.")
        cls.jobs = pathlib.Path(cls.temporary.name) / "jobs"
        cls.count = 0
        cls.digests = {}
        job = cls.job(1)
        assert job.end() == 0, job.last
        cls.expected = job.digest()
        cls.metrics = job.query(METRICS)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def job(cls, *arguments, **named):
        cls.count += 1
        csv = os.path.join(os.path.dirname(CSV), f"{cls.table}.csv")
        return Job(cls.jobs / str(cls.count), *arguments, **{"units": cls.units, "kind": cls.kind, "epochs": cls.epochs,
                                                           "csv": csv, **named})

    def check_same(self, job):
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.last["event"], "done")
        self.assertEqual(job.digest(), self.expected)
        self.assertEqual(job.query("SELECT state FROM job"), [("done",)])
        self.assertEqual(
            job.query(METRICS), self.metrics)

    @classmethod
    def digest_of(cls, epochs):
        """The digest of the undisturbed run with one worker."""
        if epochs not in cls.digests:
            job = cls.job(1, epochs=epochs, paced=False)
            assert job.end() == 0, job.last
            cls.digests[epochs] = job.digest()
        return cls.digests[epochs]

    def ask_to_go(self, job, role, index=0):
        """SIGTERM to a role that takes part, until its place is taken."""
        job.wait_for("progress", (job.last or {"step": 0})["step"] + 1)
        pid = job.pid_of(role, index)
        os.kill(pid, signal.SIGTERM)
        while job.pid_of(role, index) in (None, pid):
            job.wait_for("progress", job.last["step"])


class SameModelTest(JobTest):
    """The tests of every kind of model: a test file has a class of it with `kind` and `epochs`."""

    flipped = ()  # memories of a worker in which a bit is inverted
    step = 17  # at which something happens
    long_epochs = 3 * LONG  # a job that goes on from a checkpoint has so many

    def test_any_number_of_workers_makes_the_same_model(self):
        for workers in (2, 3, 8):
            with self.subTest(workers=workers):
                self.check_same(self.job(workers))

    def test_a_worker_killed_at_a_named_point_changes_nothing(self):
        for point in POINTS:
            for index in (0, 1):
                with self.subTest(point=point, index=index):
                    job = self.job(3, least=1 + index, fault=f"role=worker,index={index},"
                                   f"step={self.step},attempt=0,point={point}")
                    self.check_same(job)

    def test_a_flipped_bit_never_reaches_the_model(self):
        for memory in self.flipped:
            with self.subTest(memory=memory):
                job = self.job(3, fault=f"role=worker,index=1,step={self.step},attempt=0,point=begin,"
                               f"flip={memory},bit=160")
                self.assertEqual(job.end(), 0, job.last)
                self.assertEqual(job.digest(), self.expected)
                self.assertIn(f"bytes of {memory} is inverted", job.log())

    def test_the_job_goes_on_from_a_checkpoint(self):
        job = self.job(2, epochs=self.long_epochs, checkpoint=0.1, pace=pace_of(20, self.long_epochs))
        job.wait_for_event_row("checkpoint")
        job.end_everything()
        job.start()
        self.assertEqual(job.end(), 0, job.last)
        self.assertIn(("restored",), job.query("SELECT event FROM events"))
        self.assertEqual(job.digest(), self.digest_of(self.long_epochs))


def run():
    """test_*.py JOB_ROLES IRIS_CSV [tests/classes.py's arguments]"""
    global PROGRAM, CSV
    PROGRAM, CSV = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    classes.run(sys.argv[3:])
