"""Trouble of one worker: it cannot open its rows, cannot be started, or dies again and again.

    test_trouble.py JOB_ROLES IRIS_CSV

It is that worker's: the others learn, and the job fails only when nobody can.
"""

import os
import resource
import signal

import job as harness
from waiting import wait_for


def damage(path):
    """One bit, in the rows: a newcomer reads them, who is there has them."""
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 4]))


class TroubleTest(harness.JobTest):
    def kill(self, job, pid):
        """Until the supervisor has seen its end, and tried to start the next."""
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: pid not in job.children(), "its end")

    def test_a_worker_that_finds_its_rows_damaged_does_not_end_the_job_of_the_others(self):
        job = self.job(2, least=1, epochs=harness.LONG)
        job.wait_for("progress", 1)
        wait_for(lambda: len(job.query("SELECT * FROM events WHERE event = 'joined'")) == 2, "both")
        damage(job.folder / "train.spool")
        os.kill(job.pid_of("worker", 1), signal.SIGKILL)
        wait_for(lambda: job.query("SELECT * FROM events WHERE event = 'unable'"), "worker 1")
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=harness.LONG))
        self.assertIn((1, "spool: a block's checksum differs"), job.query(
            "SELECT \"index\", detail FROM events WHERE event = 'unable'"))

    def test_rows_that_nobody_can_open_fail_the_job_with_the_reason(self):
        job = self.job(2, least=1, fault="role=worker,index=0,step=0,action=stop")
        job.wait_for_stop("worker")  # the rows are open; nobody has a state worth having
        job.end_everything()
        damage(job.folder / "train.spool")
        job.start()
        self.assertEqual(job.end(), 1)
        self.assertIn("a block's checksum differs", job.last["error"])

    def test_a_worker_that_dies_again_and_again_leaves_the_others_alone(self):
        job = self.job(2, least=1, fault="role=worker,index=1,point=begin")
        self.check_same(job)

    def test_a_worker_that_runs_out_of_memory_in_each_step_leaves_the_others_alone(self):
        job = self.job(2, least=1, epochs=harness.LONG, fault="role=worker,index=1,point=before_apply,action=no_memory")
        job.wait_for("progress", 1)
        wait_for(lambda: len(job.query("SELECT * FROM events WHERE event = 'unable'")) >= 3, "worker 1, three times")
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=harness.LONG))
        self.assertEqual({(1, "out of memory")},
                         set(job.query("SELECT \"index\", detail FROM events WHERE event = 'unable'")))

    def test_a_job_of_which_every_worker_runs_out_of_memory_fails_with_the_reason(self):
        job = self.job(1, fault="role=worker,index=0,point=before_apply,action=no_memory")
        self.assertEqual(job.end(), 5)
        self.assertEqual("out of memory", job.last["error"])

    def test_a_worker_that_cannot_be_started_is_started_later(self):
        job = self.job(2, least=1, epochs=harness.LONG)
        wait_for(lambda: job.pid_of("worker", 1), "worker 1")
        limits = resource.prlimit(job.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(job.process.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
        self.kill(job, job.pid_of("worker", 1))
        resource.prlimit(job.process.pid, resource.RLIMIT_NOFILE, limits)
        wait_for(lambda: job.pid_of("worker", 1), "the next")
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=harness.LONG))

    def test_a_master_that_cannot_be_started_is_started_later(self):
        job = self.job(2, epochs=harness.LONG)
        job.wait_for("progress", 1)
        limits = resource.prlimit(job.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(job.process.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
        self.kill(job, job.pid_of("master"))
        resource.prlimit(job.process.pid, resource.RLIMIT_NOFILE, limits)
        self.assertEqual(job.end(), 0, job.last)
        self.assertEqual(job.digest(), self.digest_of(epochs=harness.LONG))


if __name__ == "__main__":
    harness.run()
