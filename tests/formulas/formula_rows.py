"""Rows for models that are exported as SQL, C and ONNX: some to train from, many to predict, and cells that are refused.

Names, words and cells are those that break programs which paste texts together.
"""

import math
import random

AGE, INCOME, CODE, PLAN, SIGNUP, SIZE = (
    'age', 'in"come', "co'de */ x", 'pl\\an\n--', 'sign up', 'v0')
COLUMNS = (AGE, INCOME, CODE, PLAN, SIGNUP, SIZE)
TYPES = ("REAL", "REAL", "TEXT", "TEXT", "TEXT", "INTEGER")
WORDS = ("basic", "it's", 'a"b', "back\\slash", "*/ /*", "??/", "x'); DROP TABLE t; --", "Grüße", "$totrain$", "%s@", "12",
         "0.5", "line\nend", " two ")
MODEL = "m'o\"d\\el"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def names():
    return ", ".join(map(quoted, COLUMNS))


NUMBERS = ", ".join(map(quoted, (AGE, INCOME, CODE, SIZE)))
# name, estimator, attributes, label, columns
MODELS = (
    ("linear", "LinearClassifier", "train.epoch = 3", "two", None),
    ("three", "LinearClassifier", "train.epoch = 3", "three", None),
    ("number", "LinearRegressor", "train.epoch = 3", "number", None),
    ("network", "DNNRegressor", "train.epoch = 3, model.hidden_units = [9, 5]", "number", None),
    ("tanh", "DNNClassifier", "train.epoch = 3, model.hidden_units = [6], model.activation = 'gelu'", "three", None),
    ("bayes", "NaiveBayes", "", "three", None),
    ("card", "ScoreCard", "", "two", NUMBERS + ", " + quoted(PLAN)),
    ("trees", "XGBClassifier", "n_estimators = 20", "two", None),
    ("threshold", "LinearClassifier", "train.epoch = 3, train.threshold = 'f1'", "two", None),
    ("lesser", "XGBClassifier", "n_estimators = 5, train.threshold = 'recall >= 0.9', model.positive = 'it''s no'", "two",
     None),
    ("sigmoid", "LinearClassifier", "train.epoch = 3, train.calibration = 'sigmoid'", "three", None),
    ("both", "XGBClassifier", "n_estimators = 5, train.calibration = 'sigmoid', train.threshold = 0.3", "two", None),
    ("isotonic", "XGBClassifier", "n_estimators = 5, train.calibration = 'isotonic'", "two", None),
    ("shares", "XGBClassifier", "n_estimators = 5, train.calibration = 'isotonic'", "three", None),
    ("trees3", "XGBClassifier", "n_estimators = 9, max_depth = 4", "three", None),
    ("poisson", "XGBRegressor", "n_estimators = 12, objective = 'count:poisson'", "positive", None),
    ("lgbm", "LGBMClassifier", "n_estimators = 3", "three", None),
    ("deepfm", "DeepFMClassifier", "train.epoch = 1, model.hidden_units = [4], model.embedding_dimension = 3", "three", None),
    ("factors", "MatrixFactorization", "train.epoch = 2, model.embedding_dimension = 3", "number",
     ", ".join(map(quoted, (PLAN, SIZE)))),
    ("deep", "DecisionTreeRegressor", "", "number", None),
    ("forest", "RandomForestRegressor", "n_estimators = 7", "number", None),
    ("kmeans", "KMeans", "model.n_clusters = 4", None, NUMBERS),
    ("words", "KMeans", "model.n_clusters = 4", None, ", ".join(map(quoted, (AGE, PLAN, SIZE)))),
    ("pca", "PCA", "model.n_components = 2", None, NUMBERS),
    ("places", "PCA", "model.n_components = 3", None, ", ".join(map(quoted, (AGE, PLAN, SIZE)))),
    ("strange", "OneClassSVM", "model.n_features = 30", None, ", ".join(map(quoted, (AGE, PLAN, SIZE)))),
    ("outliers", "OneClassSVM", "model.n_features = 40", None, NUMBERS),
    ("isolation", "IsolationForest", "n_estimators = 15, contamination = 0.1", None, None),
)

COMPONENTS = ("pca", "places")
DETECTORS = ("outliers", "strange")

# Beyond this distance floats tell no center nearer than another.
FAR = {"kmeans": 1e6, "words": 10}


def statement(model):
    """The model is trained from the table t."""
    name, estimator, attributes, label, columns = model
    return (f"SELECT {columns or names()}{', ' + label if label else ''} FROM t TO TRAIN {estimator} "
            f"WITH {attributes + ', ' if attributes else ''}train.seed = 1{' LABEL ' + label if label else ''} INTO {name}")


def date(draw):
    text = f"{draw.randint(1950, 2060):04}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    if draw.random() < 0.5:
        text += f"{draw.choice(' T')}{draw.randint(0, 23):02}:{draw.randint(0, 59):02}"
        if draw.random() < 0.5:
            text += f":{draw.randint(0, 59):02}" + draw.choice(("", "Z", "+02:00", "-11:30"))
    return text


def usual(draw):
    return [None if draw.random() < 0.1 else draw.gauss(40, 12),
            None if draw.random() < 0.1 else math.exp(draw.gauss(10, 1)),
            None if draw.random() < 0.1 else str(draw.randint(0, 9)),
            None if draw.random() < 0.1 else draw.choice(WORDS),
            None if draw.random() < 0.1 else date(draw),
            draw.randint(1, 50)]


def training(count=700, seed=1):
    """Rows, and with each a number, one of two classes and one of three."""
    draw = random.Random(seed)
    for _ in range(count):
        row = usual(draw)
        score = (row[0] or 40) / 12 - math.log(row[1] or 20000) + 3 * (row[3] in WORDS[:5]) + draw.gauss(0, 1)
        score += 2 * ((row[4] or "")[5:7] in ("06", "07", "08")) + int(row[2] or 5) / 3
        yield row + [score, "yes" if score > -3 else "it's no", int(score > -4) + int(score > -2), math.exp(score / 4)]


ODD = (
    (None, 0, -1, 1e300, -1e300, 1e-320, 5e-324, "", " 41 ", "4e1", ".5", "5.", "+7", "n/a", "NULL", "?", 2**53 + 1,
     -2**63, "00012", "1e-999", "123456789012345678901234567890"),
    (None, 0, 1e308, -1e18, "1e18", 1e-300, "  ", "-", 3, "\t9\r\n", "nan"),
    (None, "", " 5 ", "5.0", 5, 5.5, "1e0", "-3", "None", "#N/A", "--", "\\N", 1e15),
    (None, "", "  ", "unseen", "Grüße", "GRÜSSE", "Basic", "basic ", 12, 12.0, 0.5, "12", "0.5", 3.25, 2**62, "🙂", "NULL",
     "\\", "'", '"', "it''s"),
    (None, "", "n/a", "0001-01-01", "9999-12-31", "2000-02-29", "1900-01-01T00:00", " 2024-06-30 23:59:59.999 ",
     "2024-12-31 23:30-02:00", "1969-12-31 23:59:59"),
    (0, -5, 1000000, None, "17", 3.5, " "))
REFUSED = ((0, "word"), (0, "1e999"), (1, "1,5"), (1, b"blob"), (2, "0x10"), (2, "5 5"), (2, "inf"), (2, "1e"), (3, b"x"),
           (4, "2024-02-30"), (4, "2024-13-01"), (4, "yesterday"), (4, "2024-01-01 24:00"), (4, 7), (5, "seven"))


def hostile(count=10000, seed=2):
    """Rows that can be read, each with some cells that no training row has."""
    draw = random.Random(seed)
    for i in range(count):
        row = usual(draw)
        for column in draw.sample(range(len(COLUMNS)), 1 + i % 2):
            row[column] = draw.choice(ODD[column])
        yield row


def refused(seed=3):
    """Rows with one cell each that no model reads."""
    draw = random.Random(seed)
    for column, cell in REFUSED:
        row = usual(draw)
        row[column] = cell
        yield row


def near(found, wanted):
    return found is not None and abs(found - wanted) <= 1e-5 * max(1, abs(wanted))
