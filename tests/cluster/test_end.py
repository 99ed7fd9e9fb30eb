"""The end of a job: storing it takes long, or whoever stores it dies.

    test_end.py JOB_ROLES IRIS_CSV

A job whose store says that it is done is done, whoever looks next.
"""

import os
import signal

import job as harness
from job import wait_until_gone
from waiting import wait_for

PATIENCE = 5  # seconds that a supervisor bears a silent master


class EndTest(harness.JobTest):
    def check_done_once(self, job):
        self.check_same(job)
        for event in ("done", "model"):
            self.assertEqual(job.query(f"SELECT count(*) FROM events WHERE event = '{event}'"),
                             [(1,)])

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
        wait_for(lambda: (job.folder / "job.db").exists() and
                 job.query("SELECT * FROM job WHERE state = 'publishing'"), "the model")
        master = job.pid_of("master")
        self.assertFalse(wait_until_gone([master], PATIENCE + 1))
        os.kill(master, signal.SIGUSR2)
        self.check_done_once(job)
        self.assertNotIn("silent", job.log())
        self.assertEqual(job.query("SELECT incarnation FROM claim"), [(0,)])


if __name__ == "__main__":
    harness.run()
