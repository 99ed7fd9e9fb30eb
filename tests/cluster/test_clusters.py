"""Jobs of KMeans in real processes: the same centers with any number of workers, and under kills.

    test_clusters.py JOB_ROLES IRIS_CSV

Random kills of such jobs are in test_random.py. The oracle is the digest of the undisturbed run with one worker.
"""

import job as harness


class ClustersTest(harness.SameModelTest):
    kind = "clusters"
    epochs = 90
    flipped = ("weights", "best", "nearest", "rows", "sums")


if __name__ == "__main__":
    harness.run()
