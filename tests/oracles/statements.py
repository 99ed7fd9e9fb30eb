"""Random statements over random tables, and what must be so whatever they are: oracles that need no other program.

Each oracle takes a case and returns None, or what is wrong in a sentence. A seed makes its case again.
"""

import collections
import itertools
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys

import tables

# Models of numbers: name, attributes, whether rows or weights are drawn (so that other rows give another model).
REGRESSORS = (("XGBRegressor", "n_estimators = 30", False), ("LGBMRegressor", "n_estimators = 40, min_data_in_leaf = 5", False),
              ("GradientBoostingRegressor", "n_estimators = 30", False), ("HistGradientBoostingRegressor", "n_estimators = 40", False),
              ("xgboost.dart", "objective = 'reg:squarederror', num_boost_round = 15", False),
              ("xgboost.gbtree", "objective = 'reg:absoluteerror', num_boost_round = 30", False),
              ("xgboost.gbtree", "objective = 'reg:pseudohubererror', num_boost_round = 30", False),
              ("DecisionTreeRegressor", "max_depth = 6", False), ("RandomForestRegressor", "n_estimators = 20, max_depth = 8", True),
              ("LinearRegressor", "", False), ("OLS", "", False), ("DNNRegressor", "hidden_units = [8], train.epoch = 10", True))
CLASSIFIERS = (("XGBClassifier", "n_estimators = 20", False), ("LGBMClassifier", "n_estimators = 30, min_data_in_leaf = 5", False),
               ("DecisionTreeClassifier", "max_depth = 6", False), ("RandomForestClassifier", "n_estimators = 15, max_depth = 8", True),
               ("LogisticRegression", "", False), ("LinearClassifier", "", False), ("NaiveBayes", "", False))
TREES = ("XGB", "LGBM", "Boosting", "DecisionTree", "RandomForest", "xgboost.")
BOOSTED = ("XGBRegressor", "LGBMRegressor", "GradientBoostingRegressor", "HistGradientBoostingRegressor")


class Case:
    """A table in a database, a label, and a model of them; statements are kept for whoever looks at a failure."""

    def __init__(self, database, seed):
        self.database, self.draw = database, random.Random(seed)
        self.seed, self.statements, self._texts = seed, [], itertools.count()
        self.table = tables.make(self.draw)
        self.is_classifier = self.draw.random() < .35
        self.model, self.attributes, self.draws_rows = self.draw.choice(CLASSIFIERS if self.is_classifier else REGRESSORS)
        self.scale, self.offset = self.draw.choice(tables.SCALES), self.draw.choice(tables.OFFSETS)
        if abs(self.offset) > 1e5 * self.scale:
            self.scale = max(self.scale, abs(self.offset) * 1e-7)

    def label(self, scale=1., offset=0.):
        if self.is_classifier:
            return ["yes" if value > .2 else "no" for value in self.table.signal]
        return [scale * value + offset for value in self.table.signal]

    def run(self, sql):
        self.statements.append(sql)
        return self.database.execute(sql)

    def fill(self, name, table, label):
        names = [column.name for column in table.columns]
        self.run(f"DROP TABLE IF EXISTS {name}")
        self.run(f"CREATE TABLE {name} ({', '.join(names)}, y)")
        self.database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * (len(names) + 1))})", table.rows_with(label))

    def train(self, source, into, attributes="", model=None):
        settings = ", ".join(part for part in ("test_size = 0", self.attributes, attributes) if part)
        return self.run(f"SELECT * FROM {source} TO TRAIN {model or self.model} WITH {settings} LABEL y INTO {into}").fetchall()

    def predictions(self, source, model):
        """A number of each row: the prediction, or the probability of 'yes'."""
        extra = " WITH predict.extra_outputs = 'probabilities'" if self.is_classifier else ""
        cursor = self.run(f"SELECT * FROM {source} TO PREDICT totrain_guess{extra} USING {model} -- {next(self._texts)}")
        names = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
        if not self.is_classifier:
            return [row[names.index("totrain_guess")] for row in rows]
        at = next(i for i, name in enumerate(names) if name.endswith("probabilities"))
        return [json.loads(row[at]).get("yes", 0.) for row in rows]

    def evaluate(self, source, model):
        cursor = self.run(f"SELECT * FROM {source} TO EVALUATE {model} -- {next(self._texts)}")
        return dict(zip((column[0] for column in cursor.description), cursor.fetchone()))

    def digest(self, model):
        return self.run(f"SELECT digest FROM totrain_models WHERE name = '{model}'").fetchone()[0]


def distance(one, other):
    """The root of the mean square of the differences, by the deviation of the first; of probabilities by 1."""
    mean = sum(one) / len(one)
    spread = math.sqrt(sum((value - mean) ** 2 for value in one) / len(one))
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(one, other)) / len(one)) / max(spread, 1e-300)


EXACT = ("OLS", "Logit", "LogisticRegression", "NaiveBayes")


def bound(case):
    """How far two models of the same rows may be apart: what hashes of rows draw and round differs with the values, and a
    single tree of classes, or of absolute errors, has splits of the same gain but for that rounding."""
    if case.draws_rows or case.model == "DecisionTreeClassifier":
        return .45
    return 1e-3 if case.model in EXACT else .3 if "absoluteerror" in case.attributes else .12


def check_near(case, one, other, what, most=None):
    apart = distance(one, other)
    return None if apart <= (most or bound(case)) else f"{what}: predictions are {apart:.3g} deviations apart"


def is_of_trees(case):
    return any(name in case.model for name in TREES)


def on_a_grid(table):
    """Numbers become quarters of 256ths, so that sums and products of doubles lose nothing."""
    for column in table.numbers():
        least = min(value for value in column.values if value is not None)
        width = max(value for value in column.values if value is not None) - least or 1
        column.values = [None if value is None else round((value - least) / width * 4096) / 1024 for value in column.values]


# ---- oracles ----

def label_moves(case):
    """y x a + c: predictions x a + c."""
    if case.is_classifier:
        return None
    case.fill("t", case.table, case.label())
    case.train("t", "m")
    near = case.predictions("t", "m")
    case.fill("far", case.table, case.label(case.scale, case.offset))
    # The huber slope is in the label's units.
    slope = f"huber_slope = {case.scale!r}" if "huber" in case.attributes else ""
    case.train("far", "f", slope)
    far = [(value - case.offset) / case.scale for value in case.predictions("far", "f")]
    return check_near(case, near, far, f"label x {case.scale:g} + {case.offset:g}")


def _moved(table, change):
    return tables.Table([tables.Column(column.name, column.kind,
                                       [None if value is None else change(value) for value in column.values]
                                       if column.kind == "number" else column.values, column.effect)
                         for column in table.columns], table.signal)


def columns_move(case):
    """x + c and x x c: the same predictions."""
    scale, offset = case.draw.choice((.5, 8., 1024.)), case.draw.choice((0., 16., 4096., 1e9))
    plain = tables.make(case.draw)
    on_a_grid(plain)
    case.table = plain
    case.fill("t", plain, case.label())
    case.train("t", "m")
    moved = _moved(plain, lambda value: value * scale + offset)
    case.fill("moved", moved, case.label())
    case.train("moved", "f")
    return check_near(case, case.predictions("t", "m"), case.predictions("moved", "f"), f"columns x {scale:g} + {offset:g}")


def words_change(case):
    """Other names for words and columns, and a constant column beside them."""
    if case.draws_rows:  # with another column other rows are drawn
        return None
    case.fill("t", case.table, case.label())
    case.train("t", "m")
    renamed = tables.Table([tables.Column(f"z{column.name}", column.kind,
                                          [f"word {value!r}" for value in column.values] if column.kind == "words" else column.values,
                                          column.effect) for column in case.table.columns]
                           + [tables.Column("constant", "number", [7.25] * case.table.rows, [0.] * case.table.rows)], case.table.signal)
    case.fill("renamed", renamed, case.label())
    case.train("renamed", "f")
    return check_near(case, case.predictions("t", "m"), case.predictions("renamed", "f"), "renamed words and a constant column")


def columns_bend(case):
    """Trees know the order of numbers alone: x x x x x + x gives the same predictions of the rows that were trained."""
    if not is_of_trees(case):
        return None
    on_a_grid(case.table)
    case.fill("t", case.table, case.label())
    case.train("t", "m")
    case.fill("bent", _moved(case.table, lambda value: value ** 3 + value), case.label())
    case.train("bent", "f")
    return check_near(case, case.predictions("t", "m"), case.predictions("bent", "f"), "columns that are bent")


def columns_turn(case):
    """Columns in another order; of models that do not count a column by its copies, each of them twice."""
    if case.draws_rows:
        return None
    case.fill("t", case.table, case.label())
    case.train("t", "m")
    columns = case.table.columns[::-1]
    if case.model != "NaiveBayes" and case.draw.random() < .5:
        columns = columns + [tables.Column(f"{column.name}_again", column.kind, column.values, column.effect) for column in columns]
    case.fill("turned", tables.Table(columns, case.table.signal), case.label())
    case.train("turned", "f")
    # A linear model by steps goes twice as far with two copies of a column.
    return check_near(case, case.predictions("t", "m"), case.predictions("turned", "f"), "columns in another order, or twice",
                      .3 if case.model.startswith("Linear") else None)


def weights_are_duplicates(case):
    """A row of weight 3 is three rows, but for a word's place in the vocabulary, which rows decide; months are words."""
    if any(column.kind in ("words", "dates") and 1 in collections.Counter(column.values).values() for column in case.table.columns):
        return None
    case.model, case.attributes = case.draw.choice((("Logit", ""), ("NaiveBayes", "")) if case.is_classifier else
                                                   (("OLS", ""), ("XGBRegressor", "n_estimators = 20")))
    case.draws_rows = False
    label, weights = case.label(case.scale, case.offset), [case.draw.choice((1, 1, 2, 3)) for _ in range(case.table.rows)]
    rows = [i for i, weight in enumerate(weights) for _ in range(weight)]
    several = tables.Table([tables.Column(column.name, column.kind, [column.values[i] for i in rows], []) for column in case.table.columns],
                           [case.table.signal[i] for i in rows])
    weighted = tables.Table(case.table.columns + [tables.Column("weight", "weight", weights, [])], case.table.signal)
    case.fill("several", several, [label[i] for i in rows])
    case.fill("weighted", weighted, label)
    case.fill("t", case.table, label)
    case.train("several", "m")
    case.train("weighted", "f", "sample_weight = 'weight'")
    return check_near(case, case.predictions("t", "m"), case.predictions("t", "f"), "weights in the place of repeated rows",
                      .12 if case.model == "XGBRegressor" else None)  # bins count rows


def thousands_of_words_are_learned(case):
    """A label that a column of a thousand words and more decides."""
    draw, words = case.draw, case.draw.choice((300, 700, 1500))
    effects = [draw.gauss(0, 1) for _ in range(words)]
    chosen = [word for word in range(words) for _ in range(12)]
    case.table = tables.Table([tables.Column("w", "words", [f"w{word}" for word in chosen], []),
                               tables.Column("z", "number", [draw.gauss(0, 1) for _ in chosen], [])], [effects[word] for word in chosen])
    case.is_classifier = False
    case.model, case.attributes = draw.choice((("XGBRegressor", ""), ("LGBMRegressor", "cat_smooth = 5, min_data_per_group = 5")))
    case.fill("t", case.table, case.label(case.scale, case.offset))
    case.train("t", "m")
    found = case.evaluate("t", "m")["R2"]
    return None if found > .9 else f"R2 {found:.3f} of a column of {words} words that tells the label"


def shapes_move(case):
    """PCA and OneClassSVM of x x a + c: the same shares, distances and rows inside."""
    numbers = tables.make(case.draw, only_numbers=True)
    for column in numbers.columns:
        column.values = [1. if value is None else value for value in column.values]
    on_a_grid(numbers)
    case.table, case.is_classifier = numbers, False
    case.model = case.draw.choice(("PCA", "OneClassSVM"))
    scale, offset = case.draw.choice((.5, 8., 1024.)), case.draw.choice((0., 16., 4096., 1e9))
    found = []
    for name, table in (("t", numbers), ("moved", _moved(numbers, lambda value: value * scale + offset))):
        case.fill(name, table, [0] * table.rows)
        names = ", ".join(column.name for column in table.columns)
        case.run(f"SELECT {names} FROM {name} TO TRAIN {case.model} INTO m{name}").fetchall()
        cursor = case.run(f"SELECT {names} FROM {name} TO EVALUATE m{name}")
        found.append(dict(zip((column[0] for column in cursor.description), cursor.fetchone())))
    for name, value in found[0].items():
        if isinstance(value, float) and abs(value - found[1][name]) > .02 * max(abs(value), .1):
            return f"{name} of columns x {scale:g} + {offset:g} is {found[1][name]:.6g}, of the columns themselves {value:.6g}"
    return None


def order_does_not_matter(case):
    """Rows in another order, and more workers: the same bits."""
    case.fill("t", case.table, case.label(case.scale, case.offset))
    case.train("t", "m")
    case.run("DROP TABLE IF EXISTS shuffled")
    case.run("CREATE TABLE shuffled AS SELECT * FROM t ORDER BY random()")
    case.train("shuffled", "f")
    case.train("t", "w", "job.max_workers = 2, job.min_workers = 2")
    found = {case.digest(model) for model in "mfw"}
    return None if len(found) == 1 else "rows in another order, or two workers, give other bits"


def losses_agree(case):
    """TRAIN, SHOW TRAIN's last round and EVALUATE of the same rows; one by one as all at once."""
    case.fill("t", case.table, case.label(case.scale, case.offset))
    rows = case.train("t", "m")
    told = {row[0]: row[1] for row in rows if row[2] == "training"}
    found = case.evaluate("t", "m")
    for name, value in found.items():
        if isinstance(value, float) and isinstance(told.get(name), float) and \
                abs(value - told[name]) > 1e-4 * abs(value) + 1e-9 * (case.scale if name in ("RMSE", "MAE", "loss") else 1):
            return f"TRAIN says {name} {told[name]:.9g}, EVALUATE {value:.9g}"
    names = [column.name for column in case.table.columns]
    several = case.predictions("t", "m")
    function = "totrain_probability" if case.is_classifier else "totrain_predict"
    inputs = ", ".join(names)
    single = [value for (value,) in case.run(f"SELECT {function}('m', {inputs}) FROM t ORDER BY rowid")]
    if any(abs(a - b) > 1e-12 * max(abs(a), abs(b)) for a, b in zip(several, single)):
        return "PREDICT of all rows is not that of one by one"
    if case.model in BOOSTED:
        last = case.run("SHOW TRAIN m").fetchall()[-1][2]
        if abs(last - found["RMSE"] ** 2) > 1e-4 * found["RMSE"] ** 2 + 1e-12 * case.scale ** 2:
            return f"SHOW TRAIN's last loss is {last:.9g}, that of the model {found['RMSE'] ** 2:.9g}"
    return None


def more_rounds_learn_more(case):
    """More rounds lower the squared error on the training rows."""
    if case.model not in BOOSTED:
        return None
    case.fill("t", case.table, case.label(case.scale, case.offset))
    case.train("t", "m")
    losses = [row[2] for row in case.run("SHOW TRAIN m")]
    for before, after in zip(losses, losses[1:]):
        if after > before * (1 + 1e-6) + 1e-12 * case.scale ** 2:
            return f"a round raises the loss from {before:.9g} to {after:.9g}"
    few = case.evaluate("t", "m")["RMSE"]
    case.attributes = case.attributes.replace("n_estimators = ", "n_estimators = 1")
    case.train("t", "more")
    many = case.evaluate("t", "more")["RMSE"]
    return None if many <= few * (1 + 1e-6) + 1e-9 * case.scale else f"{many:.6g} after more rounds, {few:.6g} before"


def a_column_that_tells_all_is_learned(case):
    """A label that one column of words, or of steps, decides is fitted."""
    draw, rows = case.draw, 600
    words = draw.choice((20, 60, 290))
    chosen = [draw.randrange(words) for _ in range(rows)]
    effects = [draw.gauss(0, 1) for _ in range(words)]
    case.table = tables.Table([tables.Column("w", "words", [f"w{word}" for word in chosen], [0.] * rows)],
                              [effects[word] for word in chosen])
    case.is_classifier = False
    case.model, case.attributes = draw.choice((("XGBRegressor", "n_estimators = 100"), ("LinearRegressor", "train.epoch = 60"),
                                               ("GradientBoostingRegressor", "n_estimators = 200")))
    case.fill("t", case.table, case.label(case.scale, case.offset))
    case.train("t", "m")
    found = case.evaluate("t", "m")["R2"]
    least = .6 if case.model == "LinearRegressor" else .8  # steps of LinearRegressor come near in some hundred epochs
    return None if found > least else f"R2 {found:.3f} of a column of {words} words that tells the label"


def separable_rows_part_once(case):
    """A step of one column is a tree of two leaves."""
    rows = 300
    values = [case.draw.gauss(0, 1) for _ in range(rows)]
    other = [case.draw.gauss(0, 1) for _ in range(rows)]
    case.table = tables.Table([tables.Column("a", "number", values, []), tables.Column("b", "number", other, [])],
                              [float(value > .1) for value in values])
    case.is_classifier = case.draw.random() < .5
    case.model, case.attributes = ("DecisionTreeClassifier" if case.is_classifier else "DecisionTreeRegressor"), ""
    case.fill("t", case.table, case.label())
    case.train("t", "m")
    leaves = len(set(value for (value,) in case.run("SELECT totrain_leaf('m', a, b) FROM t")))
    return None if leaves == 2 else f"a tree of a separable column has {leaves} leaves"


def files_say_the_same(case):
    """A model of trees by a file of LightGBM and back."""
    if not is_of_trees(case) or "xgboost." in case.model:
        return None
    if any(column.kind == "dates" or column.kind == "words" and len(set(column.values)) > 12 for column in case.table.columns):
        return None  # parts of dates, and buckets of rare words, become features without words
    case.fill("t", case.table, case.label(case.scale, case.offset))
    case.train("t", "m")
    case.run("SELECT totrain_import_model('back', totrain_export_model('m', 'lightgbm'))").fetchall()
    names = [column.name for column in case.table.columns]
    function = "totrain_probability" if case.is_classifier else "totrain_predict"
    pairs = case.run(f"SELECT {function}('m', {', '.join(names)}), {function}('back', {', '.join(names)}) FROM t").fetchall()
    one, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if case.is_classifier:
        other = other if distance(one, other) < distance(one, [1 - value for value in other]) else [1 - value for value in other]
    apart = distance(one, other)
    return None if apart < 1e-4 else f"a file of LightGBM's predicts {apart:.3g} deviations apart"


def servers_learn_as_one(case):
    """Asynchronous workers over parameter servers learn about as well as one, by AUC of the training rows."""
    draw, rows = case.draw, 6000
    effects = [[draw.gauss(0, 1) for _ in range(count)] for count in (60, 40)]
    chosen = [[draw.randrange(60), draw.randrange(40)] for _ in range(rows)]
    signal = [effects[0][a] * effects[1][b] + .5 * effects[0][a] for a, b in chosen]
    case.is_classifier = True
    case.table = tables.Table([tables.Column("a", "words", [f"a{a}" for a, _ in chosen], []),
                               tables.Column("b", "words", [f"b{b}" for _, b in chosen], [])],
                              [value + draw.gauss(0, .7) for value in signal])
    case.model, case.attributes = "DeepFMClassifier", "train.epoch = 4"
    case.fill("t", case.table, case.label())
    case.train("t", "m", "job.ps = 2, job.max_workers = 1, job.min_workers = 1")
    case.train("t", "w", "job.ps = 2, job.max_workers = 12, job.min_workers = 12")
    one, many = case.evaluate("t", "m")["AUC"], case.evaluate("t", "w")["AUC"]
    return None if many > one - .04 else f"an AUC of {many:.3f} with 12 workers, {one:.3f} with one"


def order_of_texts_does_not_matter(case):
    """TEXT(c) of rows in another order, and by one to three workers: the same bits, of any number of hash buckets."""
    draw, rows = case.draw, case.draw.choice((60, 300, 700))
    effects = [draw.gauss(0, 1) for _ in range(draw.choice((5, 80, 900)))]
    texts = [[draw.randrange(len(effects)) for _ in range(draw.randrange(12))] for _ in range(rows)]
    columns = [tables.Column("w", "words", [draw.choice((None, "")) if not text else ", ".join(f"W{word}" for word in text)
                                            for text in texts], []),
               tables.Column("z", "number", [draw.choice((None, draw.gauss(0, 1))) for _ in texts], [])]
    case.table = tables.Table(columns, [sum(effects[word] for word in text) for text in texts])
    while not is_of_trees(case):
        case.is_classifier = draw.random() < .5
        case.model, case.attributes, _ = draw.choice(CLASSIFIERS if case.is_classifier else REGRESSORS)
    if case.is_classifier and len(set(case.label())) < 2:
        return None
    text = draw.choice(("TEXT(w)", "TEXT(w, 1999)", "TEXT(w, 7)", "TEXT(w, 40, 3)"))
    case.fill("t", case.table, case.label(case.scale, case.offset))
    case.run("DROP TABLE IF EXISTS shuffled")
    case.run("CREATE TABLE shuffled AS SELECT * FROM t ORDER BY random()")
    found = set()
    for workers in (1, 2, 3):
        for source in ("t", "shuffled") if workers == 1 else ("shuffled",):
            settings = ", ".join(part for part in (case.attributes, f"job.max_workers = {workers}, job.min_workers = {workers}") if part)
            case.run(f"SELECT * FROM {source} TO TRAIN {case.model} WITH {settings} COLUMN *, {text} LABEL y INTO m").fetchall()
            found.add(case.digest("m"))
    return None if len(found) == 1 else f"rows of {text} in another order, or more workers, give other bits"


# Models with what makes them large; None: of no label. What EXPLAIN expects of them is compared with a run.
EXPLAINED = {"number": (("XGBRegressor", "n_estimators = 300"), ("LGBMRegressor", "n_estimators = 300"),
                        ("RandomForestRegressor", "n_estimators = 60"), ("DecisionTreeRegressor", ""),
                        ("xgboost.dart", "objective = 'reg:squarederror', num_boost_round = 60"), ("LinearRegressor", ""), ("OLS", ""),
                        ("DNNRegressor", "hidden_units = [256, 64]"), ("HistGradientBoostingRegressor", "n_estimators = 200")),
             "classes": (("XGBClassifier", "n_estimators = 60"), ("LGBMClassifier", "n_estimators = 60"),
                         ("RandomForestClassifier", "n_estimators = 60"), ("LinearClassifier", ""), ("NaiveBayes", ""),
                         ("DNNClassifier", "hidden_units = [64]")),
             None: (("KMeans", "n_clusters = 5"), ("PCA", ""), ("OneClassSVM", "n_features = 200"))}
UNITS = {"less than a second": 1, "second": 1, "seconds": 1, "minute": 60, "minutes": 60, "hour": 3600, "hours": 3600}


def explained(case):
    """The rows of EXPLAIN for a random statement, and the measures of a run of it."""
    draw = case.draw
    label = draw.choice(("number", "number", "classes", "classes", None))
    case.model, case.attributes = draw.choice(EXPLAINED[label])
    case.table = tables.make_large(draw, only_numbers=label is None)
    if case.model == "OLS" and sum(len(set(column.values)) for column in case.table.columns if column.kind == "words") > 500:
        case.model = "LinearRegressor"  # standard errors are of 512 coefficients at most
    case.is_classifier = label == "classes"
    classes = draw.choice((2, 2, 5, 12))
    ranks = sorted(range(case.table.rows), key=case.table.signal.__getitem__)
    places = {row: place for place, row in enumerate(ranks)}
    labels = [f"class {places[i] * classes // case.table.rows}" if case.is_classifier else value
              for i, value in enumerate(case.table.signal)]
    case.fill("t", case.table, labels)
    names = ", ".join(column.name for column in case.table.columns) + (", y" if label else "")
    settings = ", ".join(part for part in ("job.max_workers = 1, job.threads = 1", case.attributes) if part)
    statement = f"SELECT {names} FROM t TO TRAIN {case.model} WITH {settings} {'LABEL y' if label else ''} INTO m"
    said = dict(case.run(f"EXPLAIN {statement}").fetchall())
    case.statements.append(statement)
    file = case.run("PRAGMA database_list").fetchone()[2]
    case.database.commit()
    ran = subprocess.run([sys.executable, "-I", "-S", pathlib.Path(__file__).with_name("measured.py"),
                          f"{os.environ['TOTRAIN_BUILD']}/totrain", file, "--progress=none", "-c", statement],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    return said, json.loads(ran.stdout)


def explain_knows_the_memory(case):
    """Within a factor of three: of the largest process of a job with one worker. Sanitizers take more."""
    if "TOTRAIN_SLOW" in os.environ:
        return None
    said, ran = explained(case)
    if ran["status"] != 0:
        return "the statement failed"
    expected, found = int(re.match(r"about (\d+) MiB", said["expected memory"])[1]), ran["bytes"] / (1 << 20)
    return None if found / 3 <= expected <= found * 3 else f"{expected} MiB are expected, and {found:.0f} were taken"


def explain_knows_the_time(case):
    """Within a factor of three: processor time of a job with one thread."""
    said, ran = explained(case)
    if ran["status"] != 0:
        return "the statement failed"
    expected, found = re.match(r"(?:about (\d+) )?([a-z ]+)", said["expected time"]).groups(), ran["seconds"]
    seconds = int(expected[0] or 1) * UNITS[expected[1].strip()]
    least = found / 3 if expected[0] else 0
    most = found * 3 if expected[0] else math.inf
    return None if least <= seconds <= most and seconds * 3 >= found else \
        f"{said['expected time']} is expected, and {found:.2f} seconds of a processor were taken"


ORACLES = (label_moves, columns_move, words_change, order_does_not_matter, losses_agree, more_rounds_learn_more,
           a_column_that_tells_all_is_learned, separable_rows_part_once, files_say_the_same, columns_bend, columns_turn,
           weights_are_duplicates, thousands_of_words_are_learned, shapes_move, order_of_texts_does_not_matter,
           explain_knows_the_memory)
# Asynchronous workers make another model each time; time depends on what else the machine does.
SLOW_ORACLES = (servers_learn_as_one, explain_knows_the_time)
