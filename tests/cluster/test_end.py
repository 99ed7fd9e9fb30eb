"""The end of a job: storing it takes long, or whoever stores it dies.

    test_end.py JOB_ROLES IRIS_CSV

A job whose store says that it is done is done, whoever looks next.
"""

import os
import pathlib
import signal

import job as harness
from job import wait_until_gone
from waiting import state_of, wait_for

COLUMNS = 36  # x 8192 units x 4 bytes: more than the 1 MiB of a message
PATIENCE = 5  # seconds that a supervisor bears a silent master


class EndOfJobTest(harness.JobTest):
    def check_done_once(self, job):
        self.check_same(job)
        for event in ("done", "model"):
            self.assertEqual(job.query(f"SELECT count(*) FROM events WHERE event = '{event}'"),
                             [(1,)])


class EndTest(EndOfJobTest):
    def test_a_master_killed_before_it_could_say_done_has_nothing_to_do_over(self):
        # without an attempt, each master that stored the end once more would die again
        job = self.job(2, fault="role=master,point=end_stored")
        self.check_done_once(job)
        self.assertIn("the job is done already", job.log())
        self.assertEqual(job.query("SELECT incarnation FROM claim"), [(0,)])

    def test_a_supervisor_that_follows_one_that_died_then_finds_the_job_done(self):
        job = self.job(2, fault="role=master,point=end_stored,action=stop")
        job.wait_for_stop("master")
        job.end_everything()
        job.start()
        self.check_done_once(job)
        self.assertEqual(job.query("SELECT incarnation FROM claim"), [(0,)])

    def test_a_cancellation_that_comes_after_the_end_was_stored_is_too_late(self):
        job = self.job(2, fault="role=master,point=end_stored,action=stop")
        job.wait_for_stop("master")
        job.process.send_signal(signal.SIGTERM)
        self.check_done_once(job)

    def test_a_master_that_stands_in_a_slow_store_is_not_silent(self):
        job = self.job(2, fault="role=master,point=end_before,action=hold")
        job.wait_for("started")
        wait_for(lambda: job.query("SELECT * FROM job WHERE state = 'publishing'"), "the model")
        master = job.pid_of("master")
        self.assertFalse(wait_until_gone([master], PATIENCE + 1))
        os.kill(master, signal.SIGUSR2)
        self.check_done_once(job)
        self.assertNotIn("silent", job.log())
        self.assertEqual(job.query("SELECT incarnation FROM claim"), [(0,)])


class LargeModelTest(EndOfJobTest):
    """Its rows go in two messages: most of the first layer's weights, then the rest."""

    units = 8192

    @classmethod
    def job(cls, *arguments, **named):
        path = pathlib.Path(cls.temporary.name) / "wide.csv"
        if not path.exists():
            lines = pathlib.Path(harness.CSV).read_text(encoding="ascii").split()
            cells = [line.split(",") for line in lines]
            names = [f"{cells[0][i % 4]}{i}" for i in range(COLUMNS)]
            rows = [",".join([row[i % 4] for i in range(COLUMNS)] + row[4:]) for row in cells[1:]]
            path.write_text("\n".join([",".join([*names, "class"]), *rows, ""]), encoding="ascii")
        return super().job(*arguments, **{"csv": str(path), "epochs": 2, **named})

    def test_a_master_killed_between_two_messages_is_followed_by_one_that_asks_for_all(self):
        job = self.job(2, fault="role=master,attempt=0,point=model_stored,step=0")
        self.check_done_once(job)
        self.assertEqual(job.query("SELECT incarnation FROM claim"), [(1,)])

    def stopped_worker(self, job, but=None):
        """The one that was to send the second message."""
        def find():
            pids = [job.pid_of("worker", index) for index in (0, 1)]
            return next((pid for pid in pids if pid not in (None, but) and state_of(pid) == "T"), None)
        return wait_for(find, "a worker to stop")

    def test_a_worker_killed_between_two_messages_is_followed_by_one_that_sends_all(self):
        job = self.job(2, least=1, fault="role=worker,attempt=0,point=model_sent,step=5,action=stop")
        first = self.stopped_worker(job)
        os.kill(first, signal.SIGKILL)
        os.kill(self.stopped_worker(job, but=first), signal.SIGCONT)  # it has come to row 5, too
        self.check_done_once(job)
        self.assertEqual(job.query("SELECT incarnation FROM claim"), [(0,)])

    def test_what_lies_aside_of_a_model_is_gone_when_its_job_is_cancelled(self):
        job = self.job(2, fault="role=worker,point=model_sent,step=5,action=stop")
        self.stopped_worker(job)
        self.assertEqual(job.query("SELECT count(*) > 1, (SELECT count(*) FROM model)"
                                   " FROM staged_model"), [(1, 0)])
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end(), 130)
        self.assertEqual(job.query("SELECT name FROM sqlite_master WHERE name = 'staged_model'"), [])


if __name__ == "__main__":
    harness.run()
