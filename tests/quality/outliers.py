#!/usr/bin/env python3
"""Rows of three groups and rows that lie anywhere, and what scikit-learn's OneClassSVM says of them.

REFERENCE: by nu, of the rows in their order whether scikit-learn calls them outliers, a bit each, and the area under the
curve of its scores for the rows that lie anywhere. As a program, with scikit-learn in its environment, it
prints REFERENCE anew (made with scikit-learn 1.9.1).
"""

import json
import random

NUS = (.05, .2, .5)


def rows(count=600, anywhere=40):
    """Three numbers of unlike scales, and 1 for a row that lies anywhere."""
    draw = random.Random(11)
    made = []
    for number in range(count):
        x, y = ((0, 0), (4, 1), (1, 5))[number % 3]
        made.append((draw.gauss(x, .6), draw.gauss(100 * y, 50), draw.gauss(x - y, .5), 0))
    for _ in range(anywhere):
        made.append((draw.uniform(-4, 8), draw.uniform(-400, 900), draw.uniform(-8, 8), 1))
    return made


def area(scores, labels):
    """The area below the curve of the scores, which are less the more a row is one of those that lie anywhere."""
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    found = below = 0
    for i in order:
        if labels[i]:
            below += 1
        else:
            found += below
    return found / below / (len(labels) - below)


REFERENCE = {
    0.05: {
        "outliers": "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
                    "0000000010000000000000000000000000000000000000004000000000000000000000deeebffe3b",
        "area": 0.895,
    },
    0.2: {
        "outliers": "0c00800402884a62820000011808300000418400610020180450450080048450044300120008212b"
                    "1002900891401040000422000108004000440280004800080100038000c00080010809ffffbfff3f",
        "area": 0.9512,
    },
    0.5: {
        "outliers": "be41c05ca7f84b7fc209131b9a983b4485558d40e190e33927554504a586fc529fe7d032e80bfb2b"
                    "9c0fd20c9159faf944ccb347116801ec61752bc31f5a400a05c40b93e6d4b3dc418dd9ffffffff3f",
        "area": 0.9354,
    },
}


def reference():
    # pylint: disable=import-outside-toplevel,import-error
    import numpy
    from sklearn import svm
    made = numpy.array(rows())
    inputs = (made[:, :3] - made[:, :3].mean(axis=0)) / made[:, :3].std(axis=0)
    found = {}
    for nu in NUS:
        model = svm.OneClassSVM(nu=nu, gamma="scale", tol=1e-6).fit(inputs)
        scores = model.decision_function(inputs)
        found[nu] = {"outliers": f"{int(''.join('1' if score < 0 else '0' for score in scores), 2):0160x}",
                     "area": round(area(scores.tolist(), made[:, 3].tolist()), 4)}
    return found


if __name__ == "__main__":
    print(json.dumps(reference(), indent=4))
