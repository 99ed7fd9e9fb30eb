"""Jobs that are given other numbers of workers while they run.

    test_scale.py JOB_ROLES IRIS_CSV

The oracle is the digest of the undisturbed run with one worker, and that no
row is computed twice. Waiting always has a deadline; nothing is measured.
"""

import json
import os
import pathlib
import socket
import sys
import tempfile
import unittest

import job as harness
from job import DEADLINE, Job

EPOCHS = 300
PACE = "us=1500"  # a row: the job lasts while workers come and go, on any machine; then it is hurried


def ask(job, line):
    """One line to the supervisor, and its answer."""
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(DEADLINE)
        control.connect(os.readlink(job.folder / "control"))
        control.sendall(line.encode() + b"\n")
        return control.makefile().readline().rstrip("\n")


class Broker:
    """Shares slots; `used` is what the job said last."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.listener.settimeout(DEADLINE)

    def accept(self):
        self.job, _ = self.listener.accept()
        self.job.settimeout(DEADLINE)
        self.lines = self.job.makefile()
        return self.lines.readline()

    def give(self, slots):
        """Waits until the job has as many processes as that."""
        self.job.sendall(f"slots {slots}\n".encode())
        while True:
            line = self.lines.readline()
            if not line:
                raise AssertionError("the job left its broker")
            if int(line.split()[2]) == slots:
                return

    def close(self):
        self.lines.close()
        self.job.close()
        self.listener.close()


class ScaleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="totrain-scale.")
        cls.jobs = pathlib.Path(cls.temporary.name)
        cls.count = 0
        job = cls.job(1, epochs=EPOCHS)
        assert job.end() == 0, job.last
        cls.expected = job.digest()
        os.environ["TOTRAIN_PACE"] = PACE

    @classmethod
    def tearDownClass(cls):
        del os.environ["TOTRAIN_PACE"]
        cls.temporary.cleanup()

    @classmethod
    def job(cls, *arguments, **named):
        cls.count += 1
        return Job(cls.jobs / str(cls.count), *arguments, **named)

    def check_same(self, job):
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.expected)
        self.assertEqual(job.query("SELECT rows_redone FROM job"), [(0,)])

    def wait_for_workers(self, job, count):
        """Until the last progress tells of so many."""
        while job.event() is not None:
            if job.last["event"] in ("done", "failed"):
                break
            if job.last["event"] == "progress" and job.last["workers"] == count:
                return
        raise AssertionError(f"never {count} workers, the last is {job.last}")

    def test_workers_come_and_go_as_they_are_wanted_and_no_row_is_lost(self):
        job = self.job(4, least=1, epochs=EPOCHS)
        self.wait_for_workers(job, 4)
        for count in (2, 3, 1, 4):
            self.assertEqual(ask(job, f"scale {count}"), "ok")
            self.wait_for_workers(job, count)
        self.check_same(job)
        self.assertEqual(
            [detail for detail, in job.query("SELECT detail FROM events WHERE event = 'wanted'")],
            ["2 workers", "3 workers", "1 workers", "4 workers"])

    def test_the_wanted_number_outlives_the_supervisor(self):
        job = self.job(4, least=1, epochs=EPOCHS, checkpoint=0.05)
        self.wait_for_workers(job, 4)
        self.assertEqual(ask(job, "scale 3"), "ok")
        self.assertEqual(ask(job, "scale 2"), "ok")
        self.wait_for_workers(job, 2)
        job.end_everything()
        job.start()
        job.wait_for("progress")
        self.assertEqual(ask(job, "scale 3"), "ok")
        self.wait_for_workers(job, 3)
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.expected)
        self.assertEqual((job.folder / "wanted").read_text(), "3 3\n")
        wanted = [detail for detail, in job.query("SELECT detail FROM events WHERE event = 'wanted'")]
        self.assertEqual(wanted, ["3 workers", "2 workers", "2 workers", "3 workers"])
        (others,) = job.query("SELECT count(*) FROM events WHERE event = 'joined' AND \"index\" = 3"
                              " AND rowid > (SELECT max(rowid) FROM events WHERE event = 'wanted' AND detail = '2 workers')")
        self.assertEqual(others, (0,))

    def test_a_wanted_number_that_cannot_be_read_does_no_harm(self):
        job = self.job(2, least=1, epochs=EPOCHS)
        self.wait_for_workers(job, 2)
        job.end_everything()
        for text in ("", "7", "1 9\n", "x y\n", "0 1\n", "1" * 60 + " 1\n"):
            (job.folder / "wanted").write_text(text)
            job.start()
            self.wait_for_workers(job, 2)
            job.end_everything()

    def test_workers_that_make_a_job_slower_are_given_back_by_measurement(self):
        """Four workers are measured, two of them, and one is what pays; a number that the user asks for stays."""
        os.environ["TOTRAIN_MEASURE"] = "100"
        self.addCleanup(os.environ.pop, "TOTRAIN_MEASURE")
        job = self.job(4, least=1, epochs=EPOCHS, pace="us=1500,others=1")
        self.wait_for_workers(job, 4)
        self.wait_for_workers(job, 1)
        (told,) = job.query("SELECT detail FROM events WHERE event = 'measured' ORDER BY rowid LIMIT 1")
        self.assertRegex(told[0], "^1 of 4 workers pay: with 4 workers a row takes .* ms, with 2 .* ms$")
        (line,) = job.query("SELECT error FROM job")
        self.assertRegex(line[0], "^1 of its 4 workers pay: ")
        self.assertEqual(ask(job, "scale 3"), "ok")
        self.wait_for_workers(job, 3)
        self.check_same(job)

    def test_a_job_begins_with_the_workers_that_paid_before_and_measures_these_alone(self):
        os.environ["TOTRAIN_MEASURE"] = "100"
        self.addCleanup(os.environ.pop, "TOTRAIN_MEASURE")
        history = {"work": "0" * 16, "first": 1, "paces": "8 lanes; seconds of a row by workers: 4 4e-3, 2 2e-3, 1 1e-3"}
        job = self.job(4, least=1, epochs=EPOCHS, pace="us=1500,others=1", changes={"history": history})
        job.wait_for_event_row("paces")
        self.assertEqual(set(job.query("SELECT \"index\" FROM events WHERE event = 'joined'")), {(0,)})
        (told,) = job.query("SELECT detail FROM events WHERE event = 'paces'")
        self.assertRegex(told[0], "^8 lanes; seconds of a row by workers: 1 0[.]00[0-9]+$")
        self.assertEqual(ask(job, "scale 3"), "ok")  # the user's number wins
        self.wait_for_workers(job, 3)
        self.check_same(job)

    def test_workers_that_pay_are_kept(self):
        os.environ["TOTRAIN_MEASURE"] = "100"
        self.addCleanup(os.environ.pop, "TOTRAIN_MEASURE")
        job = self.job(4, least=1, epochs=EPOCHS, pace="us=6000")
        job.wait_for_event_row("measured")
        self.wait_for_workers(job, 4)
        self.check_same(job)
        self.assertEqual(job.query("SELECT count(*) FROM events WHERE event = 'left'"), [(0,)])

    def test_a_worker_whose_machine_computes_wrongly_gets_no_lane(self):
        os.environ["TOTRAIN_UNSOUND"] = "1"
        self.addCleanup(os.environ.pop, "TOTRAIN_UNSOUND")
        job = self.job(2, least=1, epochs=EPOCHS)
        self.wait_for_workers(job, 1)
        self.check_same(job)
        self.assertEqual(job.query("SELECT count(*) FROM events WHERE event = 'joined' AND \"index\" = 1"), [(0,)])
        os.environ["TOTRAIN_UNSOUND"] = "0"
        job = self.job(1, epochs=EPOCHS, changes={"job": {"in_one_process": False}})
        self.assertNotEqual(job.end(), 0)
        self.assertIn("computes wrongly", json.dumps(job.last))

    def test_workers_without_a_lane_are_not_kept_and_the_user_is_told(self):
        job = self.job(10, least=1, epochs=EPOCHS)  # eight lanes
        notices = []
        while job.event() is not None and job.last["event"] not in ("done", "failed"):
            if job.last["event"] == "notice":
                notices.append(job.last["message"])
            if (job.last["event"] == "progress" and job.last["workers"] == 8
                    and list(job.children().values()).count("worker") == 8):
                break
        self.assertEqual(list(job.children().values()).count("worker"), 8, job.last)
        self.assertEqual(notices, ["8 of 10 workers can work, since a step has 8 lanes: raise "
                                   "train.batch_size or job.lanes"])
        self.assertEqual(ask(job, "scale 9"), "ok")
        self.assertEqual(ask(job, "scale 2"), "ok")
        self.wait_for_workers(job, 2)
        self.check_same(job)

    def test_who_works_alone_has_all_cores(self):
        cores = len(os.sched_getaffinity(0))

        def computing(job, index):  # threads beside the one that says that it lives
            return len(os.listdir(f"/proc/{job.pid_of('worker', index)}/task")) - 1
        job = self.job(2, least=1, epochs=EPOCHS)
        self.wait_for_workers(job, 2)
        harness.wait_for(lambda: computing(job, 0) == max(1, cores // 2), "the cores to be shared")
        self.assertEqual(ask(job, "scale 1"), "ok")
        self.wait_for_workers(job, 1)
        harness.wait_for(lambda: computing(job, 0) == cores, "all cores to be used")
        self.assertEqual(ask(job, "scale 2"), "ok")
        self.wait_for_workers(job, 2)
        harness.wait_for(lambda: computing(job, 0) == max(1, cores // 2), "the cores to be shared again")
        self.check_same(job)

    def test_a_number_out_of_range_is_refused_and_changes_nothing(self):
        job = self.job(3, least=2, epochs=EPOCHS)
        job.wait_for("progress")
        for count in (0, 1, 4, 1 << 40):
            self.assertIn(f"the job has 2 to 3 workers, not {count}", ask(job, f"scale {count}"))
        self.check_same(job)

    def test_a_job_of_one_process_has_one_worker(self):
        job = self.job(1, epochs=EPOCHS)
        job.wait_for("progress")
        self.assertEqual(ask(job, "scale 1"), "ok")
        self.assertIn("the job has 1 workers, not 2", ask(job, "scale 2"))
        self.check_same(job)

    def test_a_job_has_as_many_workers_as_its_broker_gives_slots(self):
        path = self.jobs / "broker"
        broker = Broker(path)
        os.environ["TOTRAIN_SLOTS"] = str(path)
        try:
            job = self.job(3, least=1, epochs=EPOCHS)
        finally:
            del os.environ["TOTRAIN_SLOTS"]
        self.assertEqual(broker.accept(), f"job {job.folder.name}\n")
        for slots in (1, 3, 0, 2):  # with none, the state waits in the store
            broker.give(slots)
            if slots > 0:
                self.wait_for_workers(job, slots)
        broker.close()  # the job keeps what it has
        self.check_same(job)


if __name__ == "__main__":
    harness.PROGRAM = os.path.abspath(sys.argv[1])
    harness.CSV = os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
