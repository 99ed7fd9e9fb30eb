"""A constant that is added to all inputs changes nothing of models that do not depend on it, however far from 0 it is."""

import random

import harness

OFFSETS = (0, 1e6, -1e8, 1e9)


class Offsets(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        chance = random.Random(1)
        self.run_all("CREATE TABLE t (id INTEGER PRIMARY KEY, a REAL, b REAL, c REAL)")
        self.run_all("BEGIN")
        # multiples of 2^-20: exact beside any of the offsets
        self.database.executemany("INSERT INTO t (a, b, c) VALUES (?, ?, ?)", (
            [round(chance.gauss(0, deviation) * 2**20) / 2**20 for deviation in (3, 1, .3)] for _ in range(400)))
        self.run_all("COMMIT")
        for i, offset in enumerate(OFFSETS):
            self.run_all(f"CREATE VIEW at_{i} AS SELECT a + {offset} a, b + {offset} b, c + {offset} c FROM t")

    def train(self, i, statement):
        return harness.facts(self.run_all(f"SELECT * FROM at_{i} TO TRAIN {statement} INTO m_{i}"))

    def test_components(self):
        found = []
        for i in range(len(OFFSETS)):
            self.train(i, "PCA WITH model.standardize = false")
            found.append([row[1] for row in self.run_all(f"SELECT * FROM at_{i} TO EXPLAIN m_{i} "
                                                         "USING explained_variance")])
        for variances, offset in zip(found, OFFSETS, strict=True):
            for number, other in zip(variances, found[0], strict=True):
                self.assertAlmostEqual(number / other, 1, delta=1e-6, msg=offset)

    def test_clusters(self):
        found = [self.train(i, "KMeans WITH n_clusters = 3, model.standardize = false")["Inertia"]
                 for i in range(len(OFFSETS))]
        self.assertGreater(found[0], 100)
        for inertia in found:  # the first centers are drawn by the rows' bits, and the last ones lie nearly alike
            self.assertAlmostEqual(inertia / found[0], 1, delta=5e-3)

    def test_outliers(self):
        for i in range(len(OFFSETS)):
            self.train(i, "OneClassSVM WITH nu = 0.1, model.standardize = false")
        found = [[row[0] for row in self.run_all(f"SELECT totrain_predict('m_{i}', a, b, c) FROM at_{i}")]
                 for i in range(len(OFFSETS))]
        self.assertIn(-1, found[0])
        for inside, offset in zip(found, OFFSETS, strict=True):
            self.assertEqual(inside, found[0], offset)

    def test_fewer_points_than_clusters_are_said(self):
        for clusters, is_said in ((3, False), (5, True)):
            told = harness.notices(self.run_all(f"SELECT id % 3 * 0.1 a, id % 3 b FROM t "
                                                f"TO TRAIN KMeans WITH n_clusters = {clusters} INTO few_{clusters}"))
            self.assertEqual("only 3 different points, fewer than the 5 clusters" in str(told), is_said)


if __name__ == "__main__":
    harness.main()
