"""Prints how scikit-learn ranks penalties by five folds, for test_search.py, in each of ten deals.

    python3 -m venv /tmp/environment && /tmp/environment/bin/pip install scikit-learn==1.9.1
    /tmp/environment/bin/python tests/sqlite/search_reference.py

The loss of a LinearRegressor is the mean of e^2 / 2 with l2 / 2 sum w^2, of a standardized label and standardized
inputs, so that Ridge's alpha is l2 times the rows that it learns from.
"""

import random

PENALTIES = (0.001, 3, 100)
ROWS, INPUTS = 60, 40


def rows():
    """Few rows, of which two inputs tell the label and the others tell nothing."""
    draw = random.Random(11)
    made = [[draw.gauss(0, 1) for _ in range(INPUTS)] for _ in range(ROWS)]
    return [[*one, one[0] + one[1] + draw.gauss(0, 2.5)] for one in made]


def main():
    import numpy
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import KFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data = numpy.array(rows())
    for seed in range(10):
        deal = KFold(5, shuffle=True, random_state=seed)
        scores = []
        for penalty in PENALTIES:
            model = make_pipeline(StandardScaler(), Ridge(alpha=penalty * ROWS * 0.8))
            scores.append(-cross_val_score(model, data[:, :-1], data[:, -1], cv=deal,
                                           scoring="neg_root_mean_squared_error").mean())
        print(seed, [PENALTIES[i] for i in numpy.argsort(scores)], numpy.round(scores, 3))


if __name__ == "__main__":
    main()
