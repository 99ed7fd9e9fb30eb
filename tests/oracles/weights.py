"""Oracles for sample weights: a weight counts its row so many times, and only the ratios of weights matter to models
without a penalty.

Each takes a case (statements.py) and returns None, or what is wrong in a sentence.
"""

import statements
import tables

# Models, attributes without which they have a penalty or limits in units of weight, and how far two may be apart: a single
# tree has splits of the same gain but for what rounds, of classes so many that it is left out.
WEIGHED = {"number": (("OLS", "", 1e-5), ("DecisionTreeRegressor", "max_depth = 5", .3), ("LinearRegressor", "model.l2 = 0", .2),
                      ("XGBRegressor", "n_estimators = 15, lambda = 0, min_child_weight = 0", .12),
                      ("GradientBoostingRegressor", "n_estimators = 20, min_child_weight = 0", .12),
                      ("xgboost.gbtree", "objective = 'reg:absoluteerror', num_boost_round = 15, lambda = 0, min_child_weight = 0", .3),
                      ("xgboost.gblinear", "objective = 'reg:squarederror', lambda = 0", .05)),
           "classes": (("Logit", "", 1e-3), ("NaiveBayes", "", 1e-5), ("LinearClassifier", "model.l2 = 0", .2),
                       ("XGBClassifier", "n_estimators = 10, max_depth = 3, lambda = 0, min_child_weight = 0", .12))}


def _choose(case, weights):
    """A model of numbers alone, each of which has a bin of its own, and its bound: rows are counted for words and for bins,
    whatever these weigh."""
    draw = case.draw
    case.table = tables.make(draw, only_numbers=True, rows=draw.choice((80, 200)))
    statements.on_a_grid(case.table)
    case.model, case.attributes, most = draw.choice(WEIGHED["classes" if case.is_classifier else "number"])
    case.draws_rows = False
    label = case.label()
    if case.is_classifier and len(set(label)) < 2:
        return None, None, None
    return label, [draw.choice(weights) for _ in range(case.table.rows)], most


def _has_quantiles(case):
    """Quantiles of rows with weights are others than those of rows without, as XGBoost's are: they lie between no two."""
    return "absoluteerror" in case.attributes


def _weigh(case, name, label, weights):
    column = tables.Column("weight", "weight", weights, [])
    case.fill(name, tables.Table(case.table.columns + [column], case.table.signal), label)


def _repeat(case, name, label, counts):
    rows = [i for i, count in enumerate(counts) for _ in range(count)]
    several = tables.Table([tables.Column(column.name, column.kind, [column.values[i] for i in rows], []) for column in case.table.columns],
                           [case.table.signal[i] for i in rows])
    case.fill(name, several, [label[i] for i in rows])


def fractions_are_duplicates(case):
    """Weights of k / 8, or any other share of whole numbers, are k rows each."""
    label, counts, most = _choose(case, (1, 1, 2, 3, 7))
    if not label or _has_quantiles(case):
        return None
    share = case.draw.choice((.125, .3, 1., 40., 1e-4, 1e5))
    _repeat(case, "several", label, counts)
    _weigh(case, "weighted", label, [share * count for count in counts])
    case.fill("t", case.table, label)
    case.train("several", "m")
    case.train("weighted", "f", "sample_weight = 'weight'")
    return statements.check_near(case, case.predictions("t", "m"), case.predictions("t", "f"), f"weights of {share:g} times rows", most)


def only_ratios_of_weights_matter(case):
    """Random weights, and the same times a number: of powers of 2 the same bits but for models that sum by steps."""
    draw = case.draw
    label, weights, most = _choose(case, [10 ** draw.uniform(-1.5, 1.5) for _ in range(50)])
    if not label:
        return None
    factor = draw.choice((2.**-20, .5, 1024., .1, 7.3, 1e-4, 1e6))
    for name, column in (("weighted", weights), ("scaled", [factor * weight for weight in weights])):
        _weigh(case, name, label, column)
        case.train(name, f"m_{name}", "sample_weight = 'weight'")
    case.fill("t", case.table, label)
    return statements.check_near(case, case.predictions("t", "m_weighted"), case.predictions("t", "m_scaled"), f"weights x {factor:g}", most)


def equal_weights_are_none(case):
    """All rows weigh alike: the model without weights."""
    label, weights, most = _choose(case, (case.draw.choice((1., .25, 3., 1e-3)),))
    if not label or _has_quantiles(case):
        return None
    _weigh(case, "weighted", label, weights)
    case.fill("t", case.table, label)
    case.train("t", "m")
    case.train("weighted", "f", "sample_weight = 'weight'")
    return statements.check_near(case, case.predictions("t", "m"), case.predictions("t", "f"), f"all weights {weights[0]:g}", most)


def evaluated_rows_weigh_nothing(case):
    """TRAIN with weights and EVALUATE of the same rows tell the same metrics, which count rows alike."""
    label, weights, _ = _choose(case, (.2, 1., 5.))
    if not label:
        return None
    _weigh(case, "weighted", label, weights)
    told = {row[0]: row[1] for row in case.train("weighted", "m", "sample_weight = 'weight'") if row[2] == "training"}
    found = case.evaluate("weighted", "m")
    for name in set(told) & set(found) - {"loss"}:
        if isinstance(found[name], float) and abs(found[name] - told[name]) > 1e-4 * abs(found[name]) + 1e-9:
            return f"TRAIN says {name} {told[name]:.9g}, EVALUATE {found[name]:.9g}"
    return None


ORACLES = (fractions_are_duplicates, only_ratios_of_weights_matter, equal_weights_are_none, evaluated_rows_weigh_nothing)
