"""Jobs of models of few passes in real processes: the same bits with any number of workers, and under kills.

    test_simple_models.py JOB_ROLES IRIS_CSV

The oracle is the digest of the undisturbed run with one worker. The jobs are over before a checkpoint is due.
"""

import job as harness


class RegressionTest(harness.SameModelTest):
    kind = "regression"
    epochs = 35
    flipped = ("weights", "rows", "sums")
    step = 3
    test_the_job_goes_on_from_a_checkpoint = None


class BayesTest(harness.SameModelTest):
    kind = "bayes"
    flipped = ("weights", "rows", "sums")
    step = 1
    test_the_job_goes_on_from_a_checkpoint = None


class CardTest(harness.SameModelTest):
    kind = "card"
    table = "breast_cancer"
    flipped = ("weights", "ids", "sums")
    step = 3
    test_the_job_goes_on_from_a_checkpoint = None

    def test_a_worker_killed_while_bins_are_counted_changes_nothing(self):
        for index in (0, 1):
            job = self.job(3, least=1 + index, fault=f"role=worker,index={index},step=0,attempt=0,point=after_partial")
            self.check_same(job)
            self.assertIn(f"worker {index} left: closed its connection", job.log())


class ComponentsTest(harness.SameModelTest):
    kind = "components"
    flipped = ("weights", "rows", "sums")
    step = 1
    test_the_job_goes_on_from_a_checkpoint = None


class OutliersTest(harness.SameModelTest):
    kind = "outliers"
    flipped = ("weights", "rows", "sums")
    step = 5
    test_the_job_goes_on_from_a_checkpoint = None


class IsolationTest(harness.SameModelTest):
    kind = "isolation"
    flipped = ("weights", "rows", "sums")
    step = 1
    test_the_job_goes_on_from_a_checkpoint = None


if __name__ == "__main__":
    harness.run()
