"""Earlier jobs of a model tell with how many workers the next one begins, and how fast it will be."""

import os
import subprocess

import harness

TRAIN = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], train.epoch = 300, "
         "train.batch_size = 128{more} LABEL class INTO {into}")
SEVERAL = ", job.max_workers = 4"


class JobHistory(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.database = self.connect(isolation_level=None)

    def explain(self, more="", into="m"):
        return dict(self.run_all("EXPLAIN " + TRAIN.format(more=more, into=into)))

    def train_slowly(self):
        """A job whose exchange takes as long as its rows, until it has measured what pays."""
        os.environ.update(TOTRAIN_PACE="us=1500,others=1", TOTRAIN_MEASURE="100")
        self.addCleanup(os.environ.pop, "TOTRAIN_MEASURE", None)
        self.addCleanup(self.unpace)
        process = subprocess.Popen([harness.PROGRAM, self.path, "--progress=none", "-c",
                                    TRAIN.format(more=SEVERAL, into="m")], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        job = max([int(path.name) for path in self.jobs_started()], default=0) + 1
        harness.wait_for(lambda: self.run_all("SELECT 1 FROM totrain_events WHERE job = ? AND event = 'paces'", job),
                         "what pays to be measured")
        self.hurry(lambda: process.poll() is not None, "the end of the statement")
        _, err = process.communicate()
        self.assertEqual(process.returncode, 0, err)
        return job

    def joined(self, job):
        return {index for index, in self.run_all(
            'SELECT "index" FROM totrain_events WHERE job = ? AND event = \'joined\'', job)}

    def test_a_job_begins_with_the_workers_that_paid_before(self):
        self.assertNotIn("expected speed", self.explain(SEVERAL))
        first = self.train_slowly()
        self.assertEqual(self.joined(first), {0, 1, 2, 3})
        digest = self.model_digest()
        told = self.explain(SEVERAL)
        self.assertRegex(told["workers"], f"^1 to 4, 1 at first, as job {first} measured; those that do not pay")
        self.assertRegex(told["expected speed"], f"^about [0-9]+ rows a second with 1 worker, so .* job {first}$")
        second = self.train_slowly()
        self.assertEqual(self.joined(second), {0})
        self.assertEqual(self.model_digest(), digest)
        # The time of a short job, mostly of its begin, says nothing of workers that pay.
        self.run_all(TRAIN.replace("300", "1").format(more=", job.min_workers = 4, job.max_workers = 4", into="m"))
        self.assertRegex(self.explain(SEVERAL)["workers"], "^1 to 4, 1 at first, ")
        # The user's numbers win.
        self.assertRegex(self.explain(SEVERAL + ", job.min_workers = 3")["workers"], "^3 to 4, 3 at first, ")
        self.assertRegex(self.explain(", job.min_workers = 4")["workers"], "^4$")
        # Another network, or another model's name, is another job.
        for other in (self.explain(SEVERAL + ", job.lanes = 2"), self.explain(SEVERAL, into="n")):
            self.assertNotIn("expected speed", other)
            self.assertNotIn("at first", other["workers"])

    def test_one_worker_tells_a_speed_and_no_first_size(self):
        self.run_all(TRAIN.format(more="", into="m"))
        told = self.explain(SEVERAL)
        self.assertRegex(told["expected speed"], "^about [0-9]+ rows a second with 4 workers, so .*: estimated from job 1$")
        self.assertNotIn("at first", told["workers"])
        self.run_all(TRAIN.format(more=", train.seed = 2", into="m"))
        self.assertRegex(self.explain()["expected speed"], "1 worker, so .*: measured by job 2( and 1 before it)?$")
        # A folder that cannot be read is left out.
        (self.state / "jobs" / "2" / "job.db").unlink()
        (self.state / "jobs" / "1" / "job.json").unlink()
        self.assertNotIn("expected speed", self.explain())


if __name__ == "__main__":
    harness.main()
