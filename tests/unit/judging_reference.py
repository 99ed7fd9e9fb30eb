#!/usr/bin/env python3
"""judging_reference.py > judging_reference.h: what scikit-learn makes of predictions that are drawn
here: metrics, curves, calibration, quantiles. Needs scikit-learn (1.9.1 wrote what is there)."""
import numpy as np
from sklearn import metrics
from sklearn.calibration import calibration_curve

ROWS, CLASSES = 120, 4
random = np.random.default_rng(7)


def array(name, values, kind="double"):
    values = np.asarray(values)
    shape = "".join(f"[{n}]" for n in values.shape)
    text = ", ".join(repr(float(v)) if kind != "int" else str(int(v)) for v in values.ravel())
    if kind == "float":
        text = ", ".join(f"{float(v)!r}f" for v in values.ravel())
    if values.ndim == 2:
        width = values.shape[1]
        cells = text.split(", ")
        text = ", ".join(
            "{" + ", ".join(cells[i : i + width]) + "}" for i in range(0, len(cells), width)
        )
    print(f"static const {kind} {name}{shape} = {{{text}}};")


def number(name, value):
    print(f"static const double {name} = {float(value)!r};")


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


print("/* Written by judging_reference.py. */")
print(f"#define REFERENCE_ROWS {ROWS}")
print(f"#define REFERENCE_CLASSES {CLASSES}")
print("/* clang-format off */")

# More than two classes; logits of one decimal, so that some rows are equal.
labels = random.integers(0, CLASSES, ROWS)
logits = np.round(random.normal(size=(ROWS, CLASSES)) + 1.2 * np.eye(CLASSES)[labels], 1)
logits = logits.astype(np.float32).astype(float)
probabilities, predicted = softmax(logits), logits.argmax(axis=1)
array("many_labels", labels, "int")
array("many_logits", logits, "float")
number("many_auc", metrics.roc_auc_score(labels, probabilities, multi_class="ovr"))
number("many_pr_auc", metrics.average_precision_score(np.eye(CLASSES)[labels], probabilities))
number("many_balanced_accuracy", metrics.balanced_accuracy_score(labels, predicted))
number("many_mcc", metrics.matthews_corrcoef(labels, predicted))
for average in "macro", "weighted", "micro":
    for name in "precision", "recall", "f1":
        score = getattr(metrics, name + "_score")(labels, predicted, average=average)
        number(f"many_{name}_{average}", score)
array("many_confusion", metrics.confusion_matrix(labels, predicted), "int")
array("many_classes", np.array(metrics.precision_recall_fscore_support(labels, predicted)).T)

# Two classes.
labels = (random.random(ROWS) < 0.35).astype(int)
logits = np.round(random.normal(size=ROWS) * 1.5 + 2 * labels - 1, 1)
logits = logits.astype(np.float32).astype(float)
probability = 1 / (1 + np.exp(-logits))
predicted = (logits > 0).astype(int)
array("two_labels", labels, "int")
array("two_logits", logits, "float")
number("two_auc", metrics.roc_auc_score(labels, probability))
for positive in 0, 1:
    of_positive = probability if positive else 1 / (1 + np.exp(logits))
    score = metrics.average_precision_score(labels, of_positive, pos_label=positive)
    number(f"two_pr_auc_{positive}", score)
    for name in "precision", "recall", "f1":
        score = getattr(metrics, name + "_score")(labels, predicted, pos_label=positive)
        number(f"two_{name}_{positive}", score)
number("two_mcc", metrics.matthews_corrcoef(labels, predicted))
number("two_balanced_accuracy", metrics.balanced_accuracy_score(labels, predicted))
low, high, thresholds = metrics.roc_curve(labels, probability, drop_intermediate=False)
array("two_roc", np.column_stack([thresholds, low, high])[1:])
precision, recall, thresholds = metrics.precision_recall_curve(labels, probability)
array("two_pr", np.column_stack([thresholds, precision[:-1], recall[:-1]])[::-1])
actual, mean = calibration_curve(labels, probability, n_bins=10)
array("two_calibration", np.column_stack([mean, actual]))
at_least = (probability >= 0.8).astype(int)
number("two_recall_at_0_8", metrics.recall_score(labels, at_least))
number("two_precision_at_0_8", metrics.precision_score(labels, at_least))

# Numbers.
values = np.round(random.normal(size=ROWS) * 3, 2)
guesses = (values + np.round(random.normal(size=ROWS), 2)).astype(np.float32).astype(float)
array("value_labels", values)
array("value_guesses", guesses, "float")
shares = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]
array("value_quantiles", np.column_stack([shares, np.quantile(values - guesses, shares)]))
counts, edges = np.histogram(values - guesses, bins=20)
array("value_histogram", np.column_stack([edges[:-1], edges[1:], counts]))
print("/* clang-format on */")
