"""Jobs in real processes, killed and stopped at named points.

    test_cluster.py JOB_ROLES IRIS_CSV

The oracle is the digest of the undisturbed run with one worker. Waiting always
has a deadline; nothing is measured.
"""

import json
import os
import pathlib
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
CSV = ""
DEADLINE = 60
GONE = 5  # seconds: the promise about what outlives a client or supervisor
POINTS = ["begin", "after_partial", "after_sum", "before_apply", "after_apply"]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pids, seconds):
    """True when all have ended; waits on their descriptors, not by polling."""
    for pid in pids:
        try:
            fd = os.pidfd_open(pid)
        except OSError:
            continue
        ready = select.select([fd], [], [], seconds)[0]
        os.close(fd)
        if not ready and is_alive(pid):
            return False
    return True


class Job:
    def __init__(self, folder, workers, least=None, epochs=20, csv=None, fault=None,
                 listen=None):
        self.folder = folder
        folder.mkdir(parents=True)
        subprocess.run([PROGRAM, "make", csv or CSV, folder, str(workers),
                        str(least or workers), str(epochs)], check=True)
        environment = dict(os.environ)
        environment.pop("TOTRAIN_FAULT", None)
        if fault:
            environment["TOTRAIN_FAULT"] = fault
        network = ["--listen", listen] if listen else []
        self.process = subprocess.Popen([PROGRAM, "supervise", folder, *network],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment,
                                        start_new_session=True)
        self.last = None

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

    def end(self):
        while self.event() is not None:
            pass
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
        pids = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = {}
        for pid in map(int, pids.read_text().split()):
            arguments = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            found[pid] = arguments[1].decode() if len(arguments) > 1 else "?"
        return found

    def pid_of(self, role, index=0):
        """None while nobody has the place."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for pid in map(int, children.read_text().split()):
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue  # it has just ended
            if words[1:2] == [role] and (
                    role == "master" or words[words.index("--index") + 1] == str(index)):
                return pid
        return None

    def sockets(self):
        return pathlib.Path(os.readlink(self.folder / "control")).parent

    def digest(self):
        return subprocess.run([PROGRAM, "digest", self.folder], check=True, capture_output=True,
                              text=True).stdout.strip()

    def query(self, sql):
        store = sqlite3.connect(self.folder / "job.db")
        rows = store.execute(sql).fetchall()
        store.close()
        return rows

    def log(self):
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""


class ClusterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="totrain-cluster.")
        cls.jobs = pathlib.Path(cls.temporary.name) / "jobs"
        cls.count = 0
        cls.digests = {}
        job = cls.job(1)
        assert job.end() == 0, job.last
        cls.expected = job.digest()
        cls.metrics = job.query("SELECT * FROM metrics ORDER BY epoch, step, metric, part")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def job(cls, *arguments, **named):
        cls.count += 1
        return Job(cls.jobs / str(cls.count), *arguments, **named)

    def check_same(self, job):
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.last["event"], "done")
        self.assertEqual(job.digest(), self.expected)
        self.assertEqual(job.query("SELECT state FROM job"), [("done",)])
        self.assertEqual(
            job.query("SELECT * FROM metrics ORDER BY epoch, step, metric, part"), self.metrics)

    def test_any_number_of_workers_gives_the_same_digest(self):
        for workers in (2, 3, 8):
            with self.subTest(workers=workers):
                job = self.job(workers)
                self.check_same(job)
                self.assertIn(f"{workers} workers, 8 lanes", job.log())

    def test_a_job_starts_with_the_first_worker_it_gets(self):
        self.check_same(self.job(3, least=1))

    def test_a_worker_killed_at_a_named_point_changes_nothing(self):
        for point in POINTS:
            for index in (0, 1):
                with self.subTest(point=point, index=index):
                    job = self.job(2, least=1, epochs=20, fault=f"role=worker,index={index},"
                                   f"step=17,attempt=0,point={point}")
                    self.check_same(job)

    def test_a_gang_waits_for_the_killed_worker_and_goes_on(self):
        for point in POINTS:
            with self.subTest(point=point):
                job = self.job(3, fault=f"role=worker,index=1,step=17,attempt=0,point={point}")
                self.check_same(job)
                self.assertIn("worker 1 joined: incarnation 1", job.log())

    def test_the_worker_that_publishes_is_killed(self):
        job = self.job(2, fault="role=worker,index=0,attempt=0,point=publishing")
        self.check_same(job)
        job = self.job(2, fault="role=worker,index=1,attempt=0,point=publishing")
        self.check_same(job)

    def test_a_stopped_worker_is_replaced(self):
        job = self.job(2, fault="role=worker,index=1,step=17,attempt=0,action=stop")
        self.check_same(job)
        self.assertIn("was silent", job.log())

    def test_steps_go_on_when_the_master_is_killed_and_a_new_one_continues(self):
        job = self.job(2, epochs=3000)
        job.wait_for("progress", 1)
        master = [pid for pid, role in job.children().items() if role == "master"]
        os.kill(master[0], signal.SIGKILL)
        self.assertEqual(job.end(), 0, job.last)
        again = self.job(1, epochs=3000)
        self.assertEqual(again.end(), 0)
        self.assertEqual(job.digest(), again.digest())
        self.assertIn("epoch 4294967297", job.log())

    def test_a_stopped_master_is_replaced(self):
        job = self.job(2, epochs=100000)
        job.wait_for("progress", 1)
        master = [pid for pid, role in job.children().items() if role == "master"]
        os.kill(master[0], signal.SIGSTOP)
        step = job.last["step"]
        job.wait_for("started")
        job.wait_for("progress", step + 1)
        self.assertFalse(is_alive(master[0]))
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end(), 130)

    def test_workers_that_are_asked_to_go_one_after_another_lose_no_row(self):
        job = self.job(3, least=1, epochs=12000)
        for index in (1, 0, 2, 1, 0):
            self.ask_to_go(job, "worker", index)
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=12000))
        self.assertEqual(job.query("SELECT rows_redone FROM job"), [(0,)])
        self.assertNotIn("ended", job.query("SELECT detail FROM events WHERE event = 'left'"))

    def test_a_master_that_is_asked_to_go_is_followed_by_the_next(self):
        job = self.job(2, epochs=12000)
        for _ in range(2):
            self.ask_to_go(job, "master")
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=12000))

    def ask_to_go(self, job, role, index=0):
        """SIGTERM to a role that takes part, until its place is taken."""
        job.wait_for("progress", (job.last or {"step": 0})["step"] + 1)
        pid = job.pid_of(role, index)
        os.kill(pid, signal.SIGTERM)
        while job.pid_of(role, index) in (None, pid):
            job.wait_for("progress", job.last["step"])

    @classmethod
    def digest_of(cls, epochs):
        """Of the undisturbed run with one worker."""
        if epochs not in cls.digests:
            job = cls.job(1, epochs=epochs)
            assert job.end() == 0, job.last
            cls.digests[epochs] = job.digest()
        return cls.digests[epochs]

    def test_nothing_is_left_when_the_client_is_gone(self):
        for workers in (1, 3):
            with self.subTest(workers=workers):
                job = self.job(workers, epochs=10000)
                job.wait_for("progress")
                pids = list(job.children()) + [job.process.pid]
                sockets = job.sockets()
                job.close()  # what the kernel does for a client that was killed
                self.assertTrue(wait_until_gone(pids, GONE))
                self.assertEqual(job.process.wait(DEADLINE), 130)
                self.assertFalse(sockets.exists())

    def test_nothing_is_left_when_the_supervisor_is_killed(self):
        job = self.job(3, epochs=10000)
        job.wait_for("progress")
        pids = list(job.children())
        self.assertEqual(len(pids), 4)
        sockets = job.sockets()
        job.process.kill()
        self.assertTrue(wait_until_gone(pids, GONE))
        job.process.wait(DEADLINE)
        job.close()
        shutil.rmtree(sockets)  # the door's job_folder_clean does it

    def test_interrupt_and_cancel_end_the_job(self):
        for workers in (1, 3):
            for way in ("signal", "line"):
                with self.subTest(workers=workers, way=way):
                    job = self.job(workers, epochs=10000)
                    job.wait_for("progress")
                    if way == "signal":  # as a terminal sends it: to everybody
                        os.killpg(job.process.pid, signal.SIGINT)
                    else:
                        job.process.stdin.write(b"cancel\n")
                        job.process.stdin.flush()
                    self.assertEqual(job.end(), 130)
                    self.assertEqual(job.last["event"], "failed")
                    self.assertEqual(job.last["status"], "INTERRUPTED")
                    self.assertEqual(job.query("SELECT state FROM job"), [("cancelled",)])

    def test_a_job_is_cancelled_although_its_master_is_stopped(self):
        job = self.job(2, epochs=10000)
        job.wait_for("progress")
        master = [pid for pid, role in job.children().items() if role == "master"]
        os.kill(master[0], signal.SIGSTOP)
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end(), 130)
        self.assertEqual(job.query("SELECT state FROM job"), [("cancelled",)])

    def test_a_worker_that_dies_at_the_same_step_again_and_again_fails_the_job(self):
        job = self.job(2, fault="role=worker,index=1,step=5")
        self.assertEqual(job.end(), 1)
        self.assertIn("worker 1 ended 4 times without a step in between", job.last["error"])
        self.assertEqual(job.query("SELECT state FROM job"), [("failed",)])

    def test_rows_that_cannot_be_learned_from_fail_the_job_with_the_reason(self):
        csv = self.jobs / "one_class.csv"
        csv.write_text("a,b,class\n" + "1,2,x\n" * 20)
        for workers in (1, 2):
            with self.subTest(workers=workers):
                job = self.job(workers, csv=csv)
                self.assertNotEqual(job.end(), 0)
                self.assertEqual(job.last["event"], "failed")
                self.assertIn("class", job.last["error"])


if __name__ == "__main__":
    PROGRAM, CSV = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
