"""Jobs of networks over embeddings in real processes: the same bits with any number of workers, and under kills.

    test_clicks.py JOB_ROLES IRIS_CSV

The oracle is the digest of the undisturbed run with one worker.
"""

import job as harness


class ClicksTest(harness.SameModelTest):
    kind = "clicks"
    flipped = ("weights", "slots", "rows", "ids", "sums")


class MachineTest(harness.SameModelTest):
    """A factorisation machine of three classes, whose pairs are columns of the top."""

    kind = "machine"
    flipped = ("weights", "slots", "rows", "ids", "sums")


if __name__ == "__main__":
    harness.run()
