"""Forecasts of many series in real processes: the same records with any number of workers, and under kills.

    test_series.py JOB_ROLES IRIS_CSV

Random kills of such jobs are in test_random.py. The oracle is the digest of the undisturbed run with one worker.
"""

import job as harness


class SeriesTest(harness.SameModelTest):
    kind = "series"
    epochs = 20  # steps: in each some of the series are fitted
    flipped = ("weights", "counts", "rows", "labels", "sums")


class SeriesTreesTest(harness.SameModelTest):
    """Trees that all series share: a step adds up a level of one."""
    kind = "series_trees"
    epochs = 20
    long_epochs = harness.LONG
    flipped = ("bins", "targets", "scores", "nodes", "trees", "growing")


if __name__ == "__main__":
    harness.run()
