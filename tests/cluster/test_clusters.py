"""Jobs of KMeans in real processes: the same centers with any number of workers, and under kills.

    test_clusters.py JOB_ROLES IRIS_CSV

Random kills of such jobs are in test_random.py. The oracle is the digest of the undisturbed run with one worker.
"""

import job as harness
from job import POINTS


class ClustersTest(harness.JobTest):
    kind = "clusters"
    epochs = 90

    def test_any_number_of_workers_makes_the_same_centers(self):
        for workers in (2, 3, 8):
            with self.subTest(workers=workers):
                self.check_same(self.job(workers))

    def test_a_worker_killed_at_a_named_point_changes_nothing(self):
        for point in POINTS:
            for index in (0, 1):
                with self.subTest(point=point, index=index):
                    job = self.job(3, least=1 + index, fault=f"role=worker,index={index},"
                                   f"step=17,attempt=0,point={point}")
                    self.check_same(job)

    def test_a_flipped_bit_never_reaches_the_centers(self):
        for memory in ("weights", "best", "nearest", "rows", "sums"):
            with self.subTest(memory=memory):
                job = self.job(3, fault=f"role=worker,index=1,step=17,attempt=0,point=begin,flip={memory},bit=160")
                self.assertEqual(job.end(), 0, job.last)
                self.assertEqual(job.digest(), self.expected)
                self.assertIn(f"bytes of {memory} is inverted", job.log())

    def test_the_job_goes_on_from_a_checkpoint(self):
        job = self.job(2, epochs=3000, checkpoint=0.1, seconds=20)
        job.wait_for_event_row("checkpoint")
        job.end_everything()
        job.start()
        self.assertEqual(job.end(), 0, job.last)
        self.assertIn(("restored",), job.query("SELECT event FROM events"))
        self.assertEqual(job.digest(), self.digest_of(3000))


if __name__ == "__main__":
    harness.run()
