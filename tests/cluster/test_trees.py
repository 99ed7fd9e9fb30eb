"""Jobs of boosted trees in real processes: the same trees with any number of workers, and under kills.

    test_trees.py JOB_ROLES IRIS_CSV

Random kills of such jobs are in test_random.py. The oracle is the digest of the undisturbed run with one worker.
"""

import job as harness


class TreesTest(harness.SameModelTest):
    kind = "trees"
    epochs = 40
    long_epochs = harness.LONG // 2  # the job is paced: more rounds make nothing but a larger model
    flipped = ("weights", "histograms", "rows", "labels", "scores", "gradients", "packed", "sums")


class Dart(TreesTest):
    """Trees that leave others out, of rows that goss chooses."""

    kind = "dart"
    long_epochs = harness.LONG // 4  # each scores the rows anew by those before it


class Weights(TreesTest):
    """Rows with weights, and leaves that are medians."""

    kind = "medians"
    flipped = ("labels", "residuals", "gradients")


class Quantiles(TreesTest):
    """Three quantiles, of which each has trees of its own."""

    kind = "quantiles"
    flipped = ("labels", "residuals", "gradients")


class Percentages(TreesTest):
    """Leaves that are medians of rows, each with the weight that its label gives it."""

    kind = "percentages"
    flipped = ("labels", "residuals", "gradients")


class Groups(TreesTest):
    """Rankings within groups of rows, of which each stays in one lane."""

    kind = "rankings"
    flipped = ("rows", "labels", "gradients")


if __name__ == "__main__":
    harness.run()
