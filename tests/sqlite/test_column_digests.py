"""Bits of each kind of model over each function of COLUMN: tests/sqlite/column_digests.txt has them.

A line is a kind, a call in COLUMN, the digest of the model and one of what it predicts for all rows; where the kind does
not take such a column, it is the message. `TOTRAIN_WRITE=1` writes the lines anew, which a change that is meant to change
them says in the changelog.
"""

import hashlib
import os
import pathlib
import sqlite3
import unittest

import harness

LINES = pathlib.Path(__file__).with_name("column_digests.txt")
FEW_STEPS = "train.epoch = 1, train.batch_size = 16, train.test_size = 0, job.min_workers = 1, job.max_workers = 1"
# Estimator: what it is trained with, and what its rows are judged by.
KINDS = {
    "LinearClassifier": (FEW_STEPS, "LABEL y"),
    "DNNClassifier": ("model.hidden_units = [4], " + FEW_STEPS, "LABEL y"),
    "DNNLinearCombinedClassifier": ("model.hidden_units = [4], model.embedding_dimension = 2, " + FEW_STEPS, "LABEL y"),
    "XGBRegressor": ("train.num_boost_round = 1, max_depth = 2, train.test_size = 0", "LABEL z"),
    "KMeans": ("model.n_clusters = 2", ""),
    "LogisticRegression": ("train.test_size = 0", "LABEL y"),
    "NaiveBayes": ("train.test_size = 0", "LABEL y"),
    "PCA": ("model.n_components = 1", ""),
    "OneClassSVM": ("", ""),
    "IsolationForest": ("n_estimators = 2", ""),
    "ScoreCard": ("", "LABEL y"),
}
CALLS = (
    "x", "NUMERIC(x)", "w", "VOCABULARY(w, 2)", "DATE(d)", "DATE(d, 'month', 'age')", "TEXT(t, 8)", "DENSE(l, 3)",
    "TEXT(t, 8, ngrams = 2)", "TEXT(t, weights = 'count')", "TEXT(t, 9, ngrams = 2, weights = 'tfidf')",
    "SPARSE(p, 6)", "SPARSE(p, 3000)", "CATEGORY_ID(k, 5)", "CATEGORY_HASH(w, 4)", "CATEGORY_HASH(t, 6, ' ')",
    "CATEGORY_ID(i, 6, ',')", "SEQ_CATEGORY_ID(i, 6, ',')", "SEQUENCE(i, 3)", "EMBEDDING(SEQUENCE(i, 2), 3)",
    "INDICATOR(SEQUENCE(t))", "WEIGHTED_CATEGORY(SPARSE(p, 6))", "BUCKET(x, 3)",
    "BUCKET(x, [1, 2.5])", "LOG_ROUND(k, 3)", "ROUND_IDENTITY(x, 4)", "CROSS([w, BUCKET(x, [2]), k], 16)",
    "CONCAT(w, CATEGORY_ID(k, 5))", "INDICATOR(w)", "EMBEDDING(w, 3)", "EMBEDDING(SPARSE(p, 6), 3, 'sum')",
)
WORDS = ("red", "green", "blue", None)
TEXTS = ("a small house", "the green tree", "a tree and a house", "", "green grass")


def rows():
    """So few that each statement takes little, and with all that a cell may be."""
    for i in range(48):
        x = None if i % 11 == 3 else i * 7 % 13 / 4 if i % 5 else i * 7 % 13
        yield (x, i * 5 % 5 if i % 4 else (i + 1) % 5, WORDS[i * 3 % 7 % 4], f"2024-{1 + i % 12:02}-{1 + i * 5 % 28:02}",
               TEXTS[i * 2 % 5], f"{i % 3},{i * 0.5},{-i % 7}" if i % 9 else None, f"{i % 6}:{i % 4 + 0.5} {(i + 2) % 6}:1",
               f"{i % 6},{i * i % 6}", int(i % 3 == 0 or i % 8 == 1), i * 3 % 10 / 2 + (x or 0))


def digest_of(found):
    return hashlib.sha256("\n".join(map(repr, found)).encode()).hexdigest()[:16]


class ColumnDigests(harness.Case):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.database.execute("CREATE TABLE t (x REAL, k INTEGER, w TEXT, d TEXT, t TEXT, l TEXT, p TEXT, i TEXT, y INTEGER, "
                              "z REAL)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows())

    def line_of(self, estimator, settings, label, call):
        columns = "x, k, w, d, t, l, p, i" + (f", {label[-1]}" if label else "")
        settings = f"WITH {settings} " if settings else ""
        self.run_all("DROP TABLE IF EXISTS found")
        try:
            self.run_all(f"SELECT {columns} FROM t TO TRAIN {estimator} {settings}COLUMN {call} {label} INTO m")
            extra = "WITH predict.extra_outputs = 'probabilities' " if label == "LABEL y" else ""
            self.run_all(f"SELECT * FROM t TO PREDICT found.{label[-1] if label else 'found'} {extra}USING m")
        except sqlite3.Error as error:
            return f"{estimator} | {call} | {str(error).splitlines()[0]}"
        return f"{estimator} | {call} | {self.model_digest()[:16]} {digest_of(self.run_all('SELECT * FROM found'))}"

    def test_kinds_over_functions_have_the_bits_that_they_had(self):
        found = [self.line_of(estimator, *kind, call) for estimator, kind in KINDS.items() for call in CALLS]
        if os.environ.get("TOTRAIN_WRITE"):
            LINES.write_text("\n".join(found) + "\n", encoding="utf-8")
        self.assertEqual(found, LINES.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    harness.main()
