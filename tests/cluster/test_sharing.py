"""Two jobs at a time on one machine: each has half of its processors, and all of them when the other has ended.

    test_sharing.py JOB_ROLES IRIS_CSV

The oracle is the digest of the undisturbed run with one worker, and that no row is computed twice. The machine has two
processors for these jobs, or the one that there is.
"""

import json
import os
import pathlib
import signal
import sys
import tempfile
import unittest

import job as harness
from job import Job
from test_scale import ask

EPOCHS = 300
PACE = "us=1500"  # a row: the job lasts while the other comes and goes, on any machine; then it is hurried


class SharingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.had = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(cls.had)[:2])
        cls.cores = len(os.sched_getaffinity(0))
        cls.temporary = tempfile.TemporaryDirectory(prefix="totrain-sharing.")
        cls.jobs = pathlib.Path(cls.temporary.name)
        cls.count = 0
        job = cls.job(1, epochs=EPOCHS)
        assert job.end() == 0, job.last
        cls.expected = job.digest()
        os.environ["TOTRAIN_PACE"] = PACE

    @classmethod
    def tearDownClass(cls):
        del os.environ["TOTRAIN_PACE"]
        os.sched_setaffinity(0, cls.had)
        cls.temporary.cleanup()

    @classmethod
    def job(cls, *arguments, **named):
        cls.count += 1
        return Job(cls.jobs / str(cls.count), *arguments, **named)

    def check_same_model(self, job):
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.expected)
        self.assertEqual(job.query("SELECT rows_redone FROM job"), [(0,)])

    def check_same(self, *jobs):
        for job in jobs:
            self.check_same_model(job)
        harness.wait_for(lambda: not list(self.jobs.glob(".cores-*")), "the reports to be gone")

    def reports(self):
        """The reports of the jobs that run, by their numbers."""
        folders = list(self.jobs.glob(".cores-*"))
        self.assertLessEqual(len(folders), 1)
        return {path.name: json.loads(path.read_text()) for folder in folders for path in folder.iterdir()
                if path.name.isdigit()}

    def wait_for_workers(self, *jobs_and_counts):
        for job, count in jobs_and_counts:
            harness.wait_for(lambda job=job, count=count: list(job.children().values()).count("worker") == count,
                             f"{count} workers of job {job.folder.name}")

    def test_two_jobs_have_half_each_and_the_second_grows_when_the_first_has_ended(self):
        first = self.job(4, least=1, epochs=EPOCHS)
        self.wait_for_workers((first, 4))  # alone it has what it asks for
        second = self.job(4, least=1, epochs=EPOCHS)
        self.wait_for_workers((first, max(1, self.cores // 2)), (second, max(1, self.cores // 2)))
        self.assertEqual(sorted(self.reports()), sorted([first.folder.name, second.folder.name]))
        self.check_same_model(first)
        self.wait_for_workers((second, 4))
        self.check_same(second)

    def test_a_supervisor_that_was_killed_keeps_nothing(self):
        first = self.job(4, least=1, epochs=EPOCHS)
        second = self.job(4, least=1, epochs=EPOCHS)
        self.wait_for_workers((first, max(1, self.cores // 2)), (second, max(1, self.cores // 2)))
        second.end_everything()
        self.wait_for_workers((first, 4))
        self.check_same(first)

    def test_a_frozen_supervisor_keeps_its_part_and_harms_nobody(self):
        first = self.job(4, least=1, epochs=EPOCHS)
        second = self.job(4, least=1, epochs=EPOCHS)
        self.wait_for_workers((first, max(1, self.cores // 2)), (second, max(1, self.cores // 2)))
        second.process.send_signal(signal.SIGSTOP)
        first.wait_for("progress")
        self.assertEqual(len(self.reports()), 2)
        second.process.send_signal(signal.SIGCONT)
        self.check_same(first, second)

    def test_the_users_number_wins(self):
        first = self.job(4, least=1, epochs=EPOCHS)
        second = self.job(4, least=1, epochs=EPOCHS)
        self.wait_for_workers((first, max(1, self.cores // 2)), (second, max(1, self.cores // 2)))
        self.assertEqual(ask(first, "scale 3"), "ok")
        self.wait_for_workers((first, 3), (second, 1))
        self.assertEqual(self.reports()[first.folder.name]["pinned"], 3)
        self.check_same(first, second)

    def test_a_report_that_cannot_be_read_is_nobodys(self):
        first = self.job(2, least=1, epochs=EPOCHS)
        self.wait_for_workers((first, 2))
        (folder,) = self.jobs.glob(".cores-*")
        for name, text in (("not-a-job", "x"), ("999999", "{}"), (".7.new", "")):
            (folder / name).write_text(text)
        harness.wait_for(lambda: not (folder / "999999").exists(), "the report of a job that does not run to go")
        self.wait_for_workers((first, 2))
        for name in ("not-a-job", ".7.new"):  # nobody's: they stay
            (folder / name).unlink()
        self.check_same(first)

    def test_a_job_of_one_process_has_fewer_threads_beside_another(self):
        def wait_for_threads(count):
            harness.wait_for(lambda: len(os.listdir(f"/proc/{first.process.pid}/task")) == count, f"{count} threads")
        first = self.job(1, epochs=EPOCHS)
        wait_for_threads(self.cores)
        second = self.job(1, epochs=EPOCHS)
        wait_for_threads(max(1, self.cores // 2))
        self.check_same_model(second)
        wait_for_threads(self.cores)
        self.check_same(first)


if __name__ == "__main__":
    harness.PROGRAM = os.path.abspath(sys.argv[1])
    harness.CSV = os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
