#!/usr/bin/env python3
"""Rows whose labels are counts, sizes, sums of sizes that are often 0, and two classes, and what scikit-learn predicts.

SETTINGS: of each loss the label and what a statement says. REFERENCE: the predictions of the first rows, of classes the
margins. As a program, with scikit-learn and numpy in its environment, it prints both tables anew (made with
scikit-learn 1.9.1). NETWORK: the same of a network of two layers, step by step.
"""

import json
import math
import random

SHOWN = 5  # rows whose predictions are kept
ROWS = 500
PENALTY = 0.01  # penalty of margins, on weights of standardised inputs


def counted(draw, mean):
    """Poisson's, by the times between events."""
    count, time = 0, draw.expovariate(1)
    while time < mean:
        count, time = count + 1, time + draw.expovariate(1)
    return count


def rows():
    """a, b: inputs of unlike scales; n a count, g a size, s a sum of n such sizes, k two classes."""
    draw = random.Random(11)
    made = []
    for _ in range(ROWS):
        a, b = draw.gauss(0, 1), draw.gauss(50, 10)
        mean = math.exp(0.3 + 0.5 * a + 0.04 * (b - 50))
        n = counted(draw, mean)
        g = 200 * mean * draw.gammavariate(3, 1 / 3)
        s = sum(draw.gammavariate(2, 10) for _ in range(n))
        made.append((a, b, n, g, s, "yes" if a - 0.05 * (b - 50) + draw.gauss(0, 1) > 0.5 else "no"))
    return made


# loss: the label's column, its place in a row, what the statement says beside it
SETTINGS = {
    "poisson": ("n", 2, ""),
    "gamma": ("g", 3, ""),
    "tweedie": ("s", 4, ", tweedie_power = 1.3"),
    "squared_hinge": ("k", 5, ""),
    "hinge": ("k", 5, ""),
}

REFERENCE = {
    "poisson": [0.8784309, 0.6256896, 4.62292, 0.9818061, 0.6558065],
    "gamma": [166.5147, 131.354, 837.6292, 201.4339, 127.2063],
    "tweedie": [17.64584, 12.08774, 90.65369, 18.93984, 13.13587],
    "squared_hinge": [-1.06605, -0.1341365, 0.2840003, 0.09267997, -1.107921],
    "hinge": [-2.25526, -0.2737895, 0.5426858, 0.1904966, -2.333916],
}

# scikit-learn's network with a log link: hidden units, steps of all rows, rate; its predictions after each.
UNITS, STEPS, RATE = 3, 4, 0.05
NETWORK = [
    [1.380523, 2.116108, 1.634287, 2.094726, 1.441713],
    [1.370762, 2.073841, 1.670151, 2.072682, 1.423958],
    [1.361442, 2.034465, 1.705253, 2.052275, 1.407223],
    [1.352499, 1.997616, 1.739637, 2.033282, 1.391375],
]


def start_weights():
    """(weights, biases) of each layer, exact in binary."""
    return ([[[((5 * i + 3 * j) % 7 - 3) / 8 for j in range(UNITS)] for i in range(2)],
             [[((3 * i) % 5 - 2) / 4] for i in range(UNITS)]],
            [[0.0] * UNITS, [0.0]])


def standardised(made):
    columns = []
    for i in range(2):
        mean = sum(row[i] for row in made) / len(made)
        deviation = math.sqrt(sum((row[i] - mean) ** 2 for row in made) / len(made))
        columns.append([(row[i] - mean) / deviation for row in made])
    return list(zip(*columns))


def network_steps(made, weights, biases, steps):
    """The predictions of the first rows after each step, in double: e to the output, times the labels' mean."""
    x, mean = standardised(made), sum(row[2] for row in made) / len(made)
    (first, second), (hidden_bias, (bias,)) = weights, biases
    first, second, hidden_bias = [list(row) for row in first], [row[0] for row in second], list(hidden_bias)
    found = []

    def hidden(row):
        return [math.tanh(hidden_bias[j] + sum(row[i] * first[i][j] for i in range(2))) for j in range(UNITS)]

    def output(units):
        return bias + sum(units[j] * second[j] for j in range(UNITS))

    for _ in range(steps):
        changes = [[[0.0] * UNITS for _ in range(2)], [0.0] * UNITS, [0.0] * UNITS, 0.0]
        for row, label in zip(x, (row[2] / mean for row in made)):
            units = hidden(row)
            slope = (math.exp(output(units)) - label) / len(made)
            changes[3] += slope
            for j in range(UNITS):
                changes[1][j] += slope * units[j]
                below = slope * second[j] * (1 - units[j] ** 2)
                changes[2][j] += below
                for i in range(2):
                    changes[0][i][j] += below * row[i]
        bias -= RATE * changes[3]
        for j in range(UNITS):
            second[j] -= RATE * changes[1][j]
            hidden_bias[j] -= RATE * changes[2][j]
            for i in range(2):
                first[i][j] -= RATE * changes[0][i][j]
        found.append([mean * math.exp(output(hidden(row))) for row in x[:SHOWN]])
    return found


def reference():
    import numpy  # pylint: disable=import-outside-toplevel,import-error
    from sklearn import linear_model, svm  # pylint: disable=import-outside-toplevel,import-error
    made = rows()
    x = numpy.array(standardised(made))
    exact = {"alpha": 0, "tol": 1e-10, "max_iter": 10000}
    models = {
        "poisson": linear_model.PoissonRegressor(**exact),
        "gamma": linear_model.GammaRegressor(**exact),
        "tweedie": linear_model.TweedieRegressor(power=1.3, link="log", **exact),
        # a large scale of the constant input leaves the intercept nearly without a penalty, as it is here
        "squared_hinge": svm.LinearSVC(loss="squared_hinge", C=1 / (PENALTY * ROWS), dual=False, tol=1e-10,
                                       intercept_scaling=1000, max_iter=100000),
        "hinge": svm.SVC(kernel="linear", C=1 / (PENALTY * ROWS), tol=1e-8),
    }
    found = {}
    for loss, (_, place, _) in SETTINGS.items():
        model = models[loss].fit(x, numpy.array([row[place] for row in made]))
        shown = model.predict if place < 5 else model.decision_function
        found[loss] = [float(f"{value:.7g}") for value in shown(x[:SHOWN])]
    return found


def network():
    """A network for counts divided by their mean, as they are learned here; predictions times the mean."""
    import numpy  # pylint: disable=import-outside-toplevel,import-error
    from sklearn import neural_network  # pylint: disable=import-outside-toplevel,import-error
    made = rows()
    x, n = numpy.array(standardised(made)), numpy.array([row[2] for row in made], dtype=float)
    model = neural_network.MLPRegressor(
        loss="poisson", hidden_layer_sizes=(UNITS,), activation="tanh", solver="sgd", alpha=0, batch_size=ROWS,
        learning_rate_init=RATE, momentum=0, nesterovs_momentum=False, shuffle=False)
    model.partial_fit(x, n / n.mean())
    for kept, start in zip((model.coefs_, model.intercepts_), start_weights()):
        for i, numbers in enumerate(start):
            kept[i][...] = numpy.array(numbers)
    found = []
    for _ in range(STEPS):
        model.partial_fit(x, n / n.mean())
        found.append([float(f"{value:.7g}") for value in model.predict(x[:SHOWN]) * n.mean()])
    return found


if __name__ == "__main__":
    print(json.dumps(reference(), indent=4))
    print(json.dumps(network(), indent=4))
