"""Rows and reference numbers for tests/sqlite/test_lists.py and tests/postgres/test_lists.py: texts of two numbers and
texts of ids with numbers, and the coefficients of their least squares by numpy and of logistic regression by
scikit-learn.

    lists.py     makes the coefficients again, with numpy and scikit-learn
"""

from clusters import uniform

ROWS, IDS = 400, 4


def made(seed=5):
    """(dense, sparse, what they are to predict)"""
    draw = uniform(seed)
    rows = []
    for _ in range(ROWS):
        pair = [round(4 * next(draw) - 2, 3) for _ in range(2)]
        items = [(int(IDS * next(draw)), round(2 * next(draw), 2)) for _ in range(int(4 * next(draw)))]
        label = 1 + 2 * pair[0] - pair[1] + sum((1, -2, 0.5, 3)[i] * weight for i, weight in items) + next(draw)
        rows.append((f"{pair[0]}, {pair[1]}", " ".join(f"{i}:{weight}" for i, weight in items), round(label, 4)))
    return rows


def columns(row):
    """The inputs that DENSE(v, 2) and SPARSE(s, IDS) make of a row."""
    numbers = [float(one) for one in row[0].split(",")] + [0.0] * IDS
    for item in row[1].split():
        number, weight = item.split(":")
        numbers[2 + int(number)] += float(weight)
    return numbers


# The intercept, then those of columns().
COEFFICIENTS = (1.5307244869046093, 1.9931642069513251, -0.9909831555335052,
                0.9761251199377932, -2.0150900763976045, 0.4968931368895588, 3.000447399619925)


# A logistic regression over the sums of the weights of s alone, y > 2, l2 0.01: intercept, then the weights of the
# ids.
L2 = 0.01
LOGISTIC = (-0.20546381313754475, 0.7463818414853187, -0.9464013847037964, 0.10764090806047276, 1.2783348536487127)


def main():
    import numpy
    from sklearn.linear_model import LogisticRegression
    rows = made()
    x = numpy.array([[1.0, *columns(row)] for row in rows])
    logistic = LogisticRegression(C=1 / (L2 * len(rows)), tol=1e-10, max_iter=10000).fit(x[:, 3:], [row[2] > 2 for row in rows])
    print([float(one) for one in numpy.linalg.lstsq(x, numpy.array([row[2] for row in rows]), rcond=None)[0]])
    print([float(one) for one in (*logistic.intercept_, *logistic.coef_[0])])


if __name__ == "__main__":
    main()
