"""Several jobs of one namespace share its slots and its quota, on a real cluster."""

import sys

import harness
import training
from harness import wait_for

TRAIN = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.test_size = 0, train.epoch = {epochs}, "
         "train.batch_size = 36, job.lanes = 12, job.max_workers = 6, job.checkpoint_seconds = 5 LABEL class INTO iris_model")
JOBS = 8
ROW_SECONDS = .002  # a paced worker needs so long


class Shared(training.Case):
    def begin(self, epochs, **options):
        """Eight equal jobs at one moment."""
        self.text = TRAIN.format(epochs=epochs)
        self.jobs = [self.submit(self.text, f"job{index}", workers=6, starts=False, **options) for index in range(JOBS)]
        for job in self.jobs:
            job.start()

    def finish(self):
        """All of their models are that of one process."""
        expected = self.expected(self.text)
        for job in self.jobs:
            self.assertEqual(job.wait_for_end(hurries=False), "Complete", job.said())
            job.collect()
            self.assertEqual(self.database.digest("iris_model"), expected)

    def test_eight_jobs_on_twelve_slots_all_begin_before_one_ends(self):
        watch = harness.Stopwatch()
        epochs = 400
        self.begin(epochs, resource=self.make_room(6, 6))
        waits, ends, sizes = {}, {}, set()

        def have_ended():
            for job in self.jobs:
                count = len(job.running())
                sizes.add(count)
                if count:
                    waits.setdefault(job.name, watch.read())
                if job.name not in ends and job.ended():
                    ends[job.name] = watch.read()
            return len(ends) == JOBS
        wait_for(have_ended, "all jobs to end", training.DEADLINE)
        self.assertEqual(len(waits), JOBS)
        self.assertLess(max(waits.values()), min(ends.values()))
        self.assertGreater(max(sizes), 1)
        self.report("longest wait for a worker", max(waits.values()))
        self.report("mean completion", sum(ends.values()) / JOBS)
        self.report("part of the slots used", f"{JOBS * epochs * 150 * ROW_SECONDS / 12 / max(ends.values()):.3f}")
        self.finish()

    def test_masters_alone_do_not_fill_a_quota(self):
        """Room for eight pods: eight masters, of which none could have a worker."""
        self.api.post(f"/api/v1/namespaces/{self.space}/resourcequotas", {
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "pods"}, "spec": {"hard": {"pods": "8"}}})
        watch = harness.Stopwatch()
        self.begin(20, resource=None)
        self.finish()
        self.report("eight jobs under a quota of eight pods", watch.read())


if __name__ == "__main__":
    if not harness.FULL:
        print("skipped: in the full form alone (make test-k8s-full)")  # sixteen jobs on two processors take minutes
        sys.exit(77)
    harness.main()
