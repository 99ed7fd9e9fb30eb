"""Derivatives that XGBoost computes: writes tree_objective_reference.h.

    pip install numpy xgboost==3.2.0; python3 tests/unit/tree_objective_reference.py

A tree of one row without penalties is a leaf: its value is -g / h, its cover h. The row's output so far is its
base_margin. max_delta_step, which is part of the derivatives of count:poisson, also cuts leaves: such are left out.
"""

import json
import pathlib

import numpy
import xgboost

CASES = [
    ("reg:squarederror", {}, [-3.0, 0.0, 2.5], [-2.0, 0.25, 40.0]),
    ("reg:squaredlogerror", {}, [-0.5, 0.0, 7.0], [-0.9, 0.5, 20.0]),
    ("reg:pseudohubererror", {"huber_slope": 1.5}, [-3.0, 0.0, 2.5], [-2.0, 0.25, 12.0]),
    ("reg:logistic", {}, [0.0, 0.3, 1.0], [-4.0, 0.1, 6.0]),
    ("reg:gamma", {}, [0.1, 2.0, 30.0], [-2.0, 0.3, 3.5]),
    ("reg:tweedie", {"tweedie_variance_power": 1.3}, [0.0, 2.0, 30.0], [-2.0, 0.3, 3.5]),
    ("count:poisson", {"max_delta_step": 0.7}, [0.0, 0.2, 2.0, 30.0], [-2.0, 0.3, 3.5]),
    ("binary:hinge", {}, [0.0, 1.0], [-2.0, 0.25, 1.0, 2.0]),
    ("binary:logistic", {"scale_pos_weight": 2.5}, [0.0, 1.0], [-4.0, 0.1, 6.0]),
]
CLASSES = [([0.5, -1.0, 2.0], label) for label in range(3)] + [([-6.0, 6.0, 5.5], 0)]


def leaves(parameters, label, margin):
    rows = xgboost.DMatrix(numpy.zeros((1, 1)), label=[label], base_margin=margin)
    booster = xgboost.train({**parameters, "lambda": 0, "eta": 1, "min_child_weight": 0, "max_depth": 1}, rows, 1)
    return [json.loads(text) for text in booster.get_dump(with_stats=True, dump_format="json")]


def derivatives(leaf):
    return -leaf["leaf"] * leaf["cover"], leaf["cover"]


def main():
    lines = []
    for objective, parameters, labels, outputs in CASES:
        for label in labels:
            for output in outputs:
                leaf = leaves({"objective": objective, **parameters}, label, [output])[0]
                if abs(leaf["leaf"]) > 0.999 * parameters.get("max_delta_step", float("inf")):
                    continue
                g, h = derivatives(leaf)
                lines.append(f'    {{"{objective}", {label}, {output}, {g:.9g}, {h:.9g}}},')
    classes = []
    for outputs, label in CLASSES:
        found = [derivatives(leaf) for leaf in
                 leaves({"objective": "multi:softprob", "num_class": len(outputs)}, label, [outputs])]
        classes.append("    {{" + ", ".join(map(str, outputs)) + f"}}, {label}, {{"
                       + ", ".join(f"{g:.9g}" for g, _ in found) + "}, {"
                       + ", ".join(f"{h:.9g}" for _, h in found) + "}},")
    text = f"""/* Written by tree_objective_reference.py with XGBoost {xgboost.__version__}. */
#ifndef TESTS_UNIT_TREE_OBJECTIVE_REFERENCE_H
#define TESTS_UNIT_TREE_OBJECTIVE_REFERENCE_H

static const struct {{
    const char *objective;
    double label, output, gradient, hessian;
}} reference[] = {{
{chr(10).join(lines)}
}};

static const struct {{
    double outputs[3];
    int label;
    double gradients[3], hessians[3];
}} reference_of_classes[] = {{
{chr(10).join(classes)}
}};

#endif
"""
    pathlib.Path(__file__).with_suffix(".h").write_text(text)


main()
