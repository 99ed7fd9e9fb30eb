"""Four different rows, many times each, and reference numbers for tests/sqlite/test_digests.py: log loss and probabilities
of scikit-learn's LogisticRegression without penalty, to which the test holds itself within .1 %.

    equal_rows.py     makes the numbers again, with scikit-learn
"""

# a, b, y, and how many of twenty rows are such ones
ROWS = [(1, 3.5, 0, 8), (1, 3.5, 1, 2), (2, -1.25, 0, 3), (2, -1.25, 1, 7)]
LOG_LOSS = 0.555633
PROBABILITIES = {1: 0.2, 2: 0.7}  # probabilities of y = 1, by a


def main():
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    rows = [row[:3] for row in ROWS for _ in range(row[3])]
    inputs, labels = [row[:2] for row in rows], [row[2] for row in rows]
    model = LogisticRegression(C=float("inf"), tol=1e-10, max_iter=10000).fit(inputs, labels)
    print(log_loss(labels, model.predict_proba(inputs)), model.predict_proba([(1, 3.5), (2, -1.25)])[:, 1])


if __name__ == "__main__":
    main()
