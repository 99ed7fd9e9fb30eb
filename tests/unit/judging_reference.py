#!/usr/bin/env python3
"""judging_reference.py > judging_reference.h: what scikit-learn makes of predictions that are drawn
here: metrics, curves, calibration, quantiles. Needs scikit-learn (1.9.1 wrote what is there).

Metrics that XGBoost and lifelines have are in number_metrics_reference.py."""
import numpy as np
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.svm import OneClassSVM

ROWS, CLASSES, CLUSTERS, COMPONENTS = 120, 4, 3, 2
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


def braces(values):
    return ", ".join(f'{{"{name}", {float(value)!r}}}' for name, value in values.items())


def values(name, *rows):
    """Metrics by name; of several rows a table with two indices."""
    text = ", ".join(f"{{{braces(row)}}}" for row in rows) if len(rows) > 1 else braces(rows[0])
    shape = f"[{len(rows)}]" if len(rows) > 1 else ""
    print(f"static const struct metric_reference {name}{shape}[{len(rows[0])}] = {{{text}}};")


def of_classes(labels, predicted, probabilities, **which):
    """Those that are of classes, whatever AUC and PRAUC are; which: what scores of one class are of."""
    return {"Accuracy": metrics.accuracy_score(labels, predicted),
            "LogLoss": metrics.log_loss(labels, probabilities),
            "Precision": metrics.precision_score(labels, predicted, **which),
            "Recall": metrics.recall_score(labels, predicted, **which),
            "F1": metrics.f1_score(labels, predicted, **which),
            "BalancedAccuracy": metrics.balanced_accuracy_score(labels, predicted),
            "MCC": metrics.matthews_corrcoef(labels, predicted)}


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


print("/* Written by judging_reference.py. */")
for constant in "ROWS", "CLASSES", "CLUSTERS", "COMPONENTS":
    print(f"#define REFERENCE_{constant:10} {globals()[constant]}")
print("/* clang-format off */")
print("struct metric_reference { const char *name; double value; };")

# More than two classes; logits of one decimal, so that some rows are equal.
labels = random.integers(0, CLASSES, ROWS)
logits = np.round(random.normal(size=(ROWS, CLASSES)) + 1.2 * np.eye(CLASSES)[labels], 1)
logits = logits.astype(np.float32).astype(float)
probabilities, predicted = softmax(logits), logits.argmax(axis=1)
array("many_labels", labels, "int")
array("many_logits", logits, "float")
ranked = {"AUC": metrics.roc_auc_score(labels, probabilities, multi_class="ovr"),
          "PRAUC": metrics.average_precision_score(np.eye(CLASSES)[labels], probabilities)}
values("many_values", *({**of_classes(labels, predicted, probabilities, average=average), **ranked}
                        for average in ("macro", "weighted", "micro")))
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
pairs = np.column_stack([1 / (1 + np.exp(logits)), probability])
values("two_values", *({**of_classes(labels, predicted, pairs, pos_label=positive),
                        "AUC": metrics.roc_auc_score(labels, probability),
                        "PRAUC": metrics.average_precision_score(labels, pairs[:, positive], pos_label=positive)}
                       for positive in (0, 1)))
low, high, thresholds = metrics.roc_curve(labels, probability, drop_intermediate=False)
array("two_roc", np.column_stack([thresholds, low, high])[1:])
precision, recall, thresholds = metrics.precision_recall_curve(labels, probability)
array("two_pr", np.column_stack([thresholds, precision[:-1], recall[:-1]])[::-1])
# Mistakes cost 1 and 3. Tenths of the rows: those of one score count as their mean does.
points = []
for threshold in thresholds[::-1]:
    at_least = (probability >= threshold).astype(int)
    (_, false_positives), (false_negatives, _) = metrics.confusion_matrix(labels, at_least)
    points.append([threshold, metrics.precision_score(labels, at_least), metrics.recall_score(labels, at_least),
                   metrics.f1_score(labels, at_least), at_least.mean(), false_positives + 3 * false_negatives])
array("two_thresholds", np.array(points))
mean_of = {score: labels[probability == score].mean() for score in probability}
order = np.sort(probability)[::-1]
tenths = [order[ROWS * i // 10:ROWS * (i + 1) // 10] for i in range(10)]
gained = np.array([sum(mean_of[score] for score in tenth) for tenth in tenths])
array("two_gain", np.column_stack([range(1, 11), [tenth[-1] for tenth in tenths], [len(tenth) for tenth in tenths], gained,
                                   [positives / len(tenth) / labels.mean() for positives, tenth in zip(gained, tenths)], np.cumsum(gained) / labels.sum()]))
actual, mean = calibration_curve(labels, probability, n_bins=10)
array("two_calibration", np.column_stack([mean, actual]))
at_least = (probability >= 0.8).astype(int)
number("two_recall_at_0_8", metrics.recall_score(labels, at_least))
number("two_precision_at_0_8", metrics.precision_score(labels, at_least))

# Numbers.
numbers = np.round(random.normal(size=ROWS) * 3, 2)
guesses = (numbers + np.round(random.normal(size=ROWS), 2)).astype(np.float32).astype(float)
array("value_labels", numbers)
array("value_guesses", guesses, "float")
shares = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]
array("value_quantiles", np.column_stack([shares, np.quantile(numbers - guesses, shares)]))
counts, edges = np.histogram(numbers - guesses, bins=20)
array("value_histogram", np.column_stack([edges[:-1], edges[1:], counts]))
values("value_values", {"MSE": metrics.mean_squared_error(numbers, guesses),
                        "RMSE": metrics.root_mean_squared_error(numbers, guesses),
                        "MAE": metrics.mean_absolute_error(numbers, guesses),
                        "R2": metrics.r2_score(numbers, guesses),
                        "MAPE": metrics.mean_absolute_percentage_error(numbers, guesses)})

# Rows without a label: distances to centres, components and what they leave, distances to a border.
centres = np.array([[-3, 1, 0], [2, 2, -1], [0, -2, 3]])
rows = (centres[random.integers(0, 3, ROWS)] + random.normal(size=(ROWS, 3))).astype(np.float32).astype(float)
array("row_inputs", rows, "float")
clusters = KMeans(CLUSTERS, n_init=1, random_state=0, tol=0).fit(rows)
array("cluster_distances", clusters.transform(rows), "float")
values("cluster_values", {"Inertia": clusters.inertia_,
                          "Silhouette": metrics.silhouette_score(rows, clusters.labels_)})
components = PCA(COMPONENTS).fit(rows)
projected = components.transform(rows)
left = ((rows - components.inverse_transform(projected)) ** 2).sum(axis=1)
array("component_outputs", np.column_stack([projected, np.sqrt(left)]), "float")
values("component_values", {"ReconstructionError": left.mean(),
                            "ExplainedVariance": components.explained_variance_ratio_.sum()})
values("loss_values", {"Loss": np.sqrt(left).mean()})
border = OneClassSVM(nu=0.2).fit(rows)
array("border_distances", border.decision_function(rows), "float")
values("border_values", {"Outliers": (border.predict(rows) == -1).mean()})
print("/* clang-format on */")
