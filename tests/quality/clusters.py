"""Rows and reference numbers for tests/sqlite/test_kmeans.py: the least inertia of scikit-learn's
KMeans(n_init=10) over standardised inputs (iris: as they are), to which the test holds itself
within 1 %, and silhouettes.

    clusters.py     makes the numbers again, with scikit-learn
"""

import csv
import pathlib

IRIS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "iris.csv"


def uniform(seed):
    """Numbers in [0, 1), the same ones everywhere."""
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield (seed >> 11) / 2**53


def groups(sizes, width, spread, seed):
    """Round groups about centers in a cube, each column in units of its own."""
    draw = uniform(seed)
    scales = [10 ** (3 * next(draw) - 1) for _ in range(width)]
    rows = []
    for size in sizes:
        center = [next(draw) for _ in range(width)]
        for _ in range(size):
            noise = [spread * (sum(next(draw) for _ in range(12)) - 6) for _ in range(width)]
            rows.append([round(scale * (c + n), 6) for scale, c, n in zip(scales, center, noise)])
    return rows


def iris():
    with open(IRIS, newline="", encoding="utf-8") as file:
        return [[float(cell) for cell in row[:4]] for row in list(csv.reader(file))[1:]]


# name: rows, clusters, standardized, least inertia
SETS = {
    "iris": (iris, 3, False, 78.851441),
    "wine": (lambda: groups((59, 71, 48), 13, 0.2, 7), 3, True, 986.582027),
    "generated": (lambda: groups((400, 300, 200, 150, 90, 60), 5, 0.05, 11), 6, True, 284.040828),
}
# silhouette_score of all rows in these clusters
SILHOUETTES = {"iris": 0.552819012356, "wine": 0.375370401466, "generated": 0.709106578409}


def main():
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score
    from sklearn.preprocessing import StandardScaler
    for name, (make, clusters, standardized, _) in SETS.items():
        rows = StandardScaler().fit_transform(make()) if standardized else make()
        model = KMeans(clusters, n_init=10, random_state=0).fit(rows)
        print(name, model.inertia_, silhouette_score(rows, model.labels_))


if __name__ == "__main__":
    main()
