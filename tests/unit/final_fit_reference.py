"""Prints final_fit_reference.h: what scikit-learn's calibration makes of scores, and its thresholds.

    python3 -m venv venv && venv/bin/pip install scikit-learn==1.9.1 && venv/bin/python final_fit_reference.py

Scores are sixteenths, which floats have exactly, with ties. Platt's slope and
intercept are found again with a smaller tolerance than scikit-learn's, which stops some 1e-5 before the least loss;
both are compared here. Shares of an isotonic calibration are cut to 1 / (n + 2) from 0 and 1.
"""
import random

import numpy
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import f1_score, precision_recall_curve

ROWS, CLASSES = 240, 3
draw = random.Random(7)
scores = numpy.array([[round(draw.gauss(0, 1.5) * 16) / 16 for _ in range(CLASSES)] for _ in range(ROWS)])
chances = numpy.exp(scores * 0.6)
chances /= chances.sum(axis=1, keepdims=True)
classes = numpy.array([draw.choices(range(CLASSES), weights=row)[0] for row in chances])
labels = numpy.array([int(draw.random() < 1 / (1 + numpy.exp(-0.7 * z + 0.4))) for z in scores[:, 0]])


def put(name, values, form="{:.12g}", kind="double"):
    flat = ", ".join(form.format(value) for value in numpy.asarray(values).reshape(-1).tolist())
    print(f"static const {kind} {name}[] = {{{flat}}};")


def isotonic(x, hits):
    fitted = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(x, hits).predict(x)
    return numpy.clip(fitted, 1 / (ROWS + 2), 1 - 1 / (ROWS + 2))


def sigmoid(x, hits):
    found = _SigmoidCalibration().fit(x, hits)
    positives = hits.sum()
    target = numpy.where(hits == 1, (positives + 1) / (positives + 2), 1 / (ROWS - positives + 2))

    def loss(a):
        z = a[0] * x + a[1]
        return (numpy.logaddexp(0, z) - target * z).sum()

    def gradient(a):
        rest = 1 / (1 + numpy.exp(-(a[0] * x + a[1]))) - target
        return numpy.array([(rest * x).sum(), rest.sum()])

    best = minimize(loss, [1, 0], jac=gradient, method="BFGS", options={"gtol": 1e-10}).x
    mine = 1 / (1 + numpy.exp(-(best[0] * x + best[1])))
    assert abs(mine - found.predict(x)).max() < 1e-4
    assert loss(best) <= loss([-found.a_, -found.b_]) + 1e-12
    return mine


def against_rest(method):
    probabilities = numpy.exp(scores) / numpy.exp(scores).sum(axis=1, keepdims=True)
    odds = numpy.log(probabilities) - numpy.log1p(-probabilities)
    shares = numpy.stack([method(odds[:, c], (classes == c).astype(float)) for c in range(CLASSES)], axis=1)
    return shares / shares.sum(axis=1, keepdims=True)


print("/* Written by final_fit_reference.py. */")
print(f"#define REFERENCE_ROWS    {ROWS}\n#define REFERENCE_CLASSES {CLASSES}\n/* clang-format off */")
put("reference_scores", scores)
put("reference_labels", labels, "{}", "int")
put("reference_classes", classes, "{}", "int")
x = scores[:, 0]
put("reference_isotonic", isotonic(x, labels.astype(float)))
put("reference_sigmoid", sigmoid(x, labels.astype(float)))
put("reference_isotonic_of_three", against_rest(isotonic))
put("reference_sigmoid_of_three", against_rest(sigmoid))
plain = 1 / (1 + numpy.exp(-x))
precision, recall, thresholds = precision_recall_curve(labels, plain)
f1 = max(f1_score(labels, plain >= t) for t in thresholds)
print(f"#define REFERENCE_F1        {f1:.12g}")
print(f"#define REFERENCE_PRECISION {precision[:-1][recall[:-1] >= 0.9].max():.12g} /* of a recall of .9 */")
print(f"#define REFERENCE_RECALL    {recall[:-1][precision[:-1] >= 0.7].max():.12g} /* of a precision of .7 */")
cost = min((labels & (plain < t)).sum() * 3 + ((1 - labels) & (plain >= t)).sum() for t in [*thresholds, 2])
print(f"#define REFERENCE_COST      {cost} /* of 1 and 3 */")
