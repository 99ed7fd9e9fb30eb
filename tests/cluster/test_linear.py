"""Jobs of linear models in real processes: the same bits with any number of workers, and under kills.

    test_linear.py JOB_ROLES IRIS_CSV

The oracle is the digest of the undisturbed run with one worker.
"""

import job as harness


class LinearTest(harness.SameModelTest):
    kind = "linear"
    epochs = 90
    flipped = ("weights", "rows", "sums")


class NormsTest(harness.SameModelTest):
    """A network with batch normalization, whose running means and variances are summed like gradients."""
    kind = "norms"
    epochs = 90
    flipped = ("weights", "rows", "sums")


if __name__ == "__main__":
    harness.run()
