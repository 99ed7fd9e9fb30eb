"""Models of trees between ToTrain, XGBoost and LightGBM: the same predictions within 1e-6.

For each model of theirs: it is saved, imported with IMPORT MODEL, and predicts 10,000 rows with missing
values, unknown words, categories and numbers that few programs agree about. Then the imported model is
exported in all formats, each file is loaded by its library, and predicts the same rows once more. Last,
models that ToTrain has trained go the same way out. Compared are the sums of leaves, before a link,
relative to the largest of 1 and the sum; and the labels, which must be equal. Where the link is an
exponential, predictions are compared, too, relative to themselves: ours must be those of the exact sum
(XGBoost's leaves added as doubles). XGBoost adds floats, and what that loses is printed beside it.

LightGBM takes a number that is nearer to 0 than 1e-35 for 0: rows with such a one are not compared with it.
"""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import lightgbm
import numpy
import pandas
import xgboost

ROWS = 10000
MOST = 1e-6
WORDS = ["red", "green", "blue", "a word, with \"quotes\"", "unicode", "7"] + [f"w{i}" for i in range(60)]
HOSTILE = [0.0, -0.0, 1e-40, -1e-40, 1e30, -1e30, 3.4e38, -3.4e38, 16777216.0, 16777218.0, 0.1, 1e-35, -1e-36]


def make_rows(count, seed, hostile):
    """Numbers are floats of 32 bits, as XGBoost has them."""
    random = numpy.random.default_rng(seed)
    frame = pandas.DataFrame({name: random.normal(size=count).astype(numpy.float32) for name in "abcd"})
    frame["d"] = numpy.round(frame["d"] * 2)
    frame["colour"] = [WORDS[i] for i in random.integers(0, len(WORDS), count)]
    for name in frame.columns:
        frame.loc[random.random(count) < .08, name] = None
    if hostile:
        for name in "abcd":
            frame.loc[random.random(count) < .1, name] = numpy.float32(random.choice(HOSTILE))
        which = random.random((count, 4)) < .1
        values = random.choice(HOSTILE, size=(count, 4)).astype(numpy.float32)
        for i, name in enumerate("abcd"):
            frame.loc[which[:, i], name] = values[which[:, i], i]
    frame["colour"] = pandas.Categorical(frame["colour"], categories=WORDS)
    return frame


def label_of(frame, kind, seed):
    random = numpy.random.default_rng(seed)
    value = (frame["a"].fillna(.7) + frame["b"].fillna(0) * frame["c"].fillna(1) + frame["d"].fillna(-2) * .5 +
             frame["colour"].cat.codes % 5 * .4 + random.normal(size=len(frame)) * .2)
    if kind == "two":
        return (value > 1).astype(int)
    if kind == "three":
        return pandas.cut(value, [-1e9, 0, 1.5, 1e9], labels=False).astype(int)
    if kind == "share":
        return 1 / (1 + numpy.exp(-value))
    return numpy.exp(numpy.clip(value, -3, 3)) if kind == "positive" else value * 10 + 300


XGBOOST = [
    ("two", {"objective": "binary:logistic"}),
    ("two", {"objective": "binary:logistic", "base_score": .999, "max_depth": 3}),
    ("two", {"objective": "binary:logitraw"}),
    ("two", {"objective": "binary:logistic", "booster": "dart", "rate_drop": .3}),
    ("three", {"objective": "multi:softprob", "num_class": 3}),
    ("three", {"objective": "multi:softmax", "num_class": 3, "num_parallel_tree": 3, "subsample": .5}),
    ("number", {"objective": "reg:squarederror"}),
    ("number", {"objective": "reg:squarederror", "max_cat_to_onehot": 100, "max_depth": 8}),
    ("number", {"objective": "reg:absoluteerror", "grow_policy": "lossguide", "max_leaves": 31, "max_depth": 0}),
    ("positive", {"objective": "count:poisson"}),
    ("positive", {"objective": "reg:gamma", "base_score": 5.5}),
    ("positive", {"objective": "reg:tweedie"}),
    ("positive", {"objective": "survival:cox"}),
    ("number", {"objective": "reg:quantileerror", "quantile_alpha": .3}),
    ("quantiles", {"objective": "reg:quantileerror", "quantile_alpha": [.1, .5, .9]}),
    ("two", {"objective": "binary:hinge"}),
    ("share", {"objective": "reg:logistic"}),
]
LIGHTGBM = [
    ("two", {"objective": "binary"}),
    ("two", {"objective": "binary", "sigmoid": 2.5}),
    ("two", {"objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": .6}),
    ("two", {"objective": "binary", "boosting": "dart"}),
    ("two", {"objective": "binary", "use_missing": False}),
    ("three", {"objective": "multiclass", "num_class": 3}),
    ("number", {"objective": "regression"}),
    ("number", {"objective": "regression", "max_cat_to_onehot": 1, "cat_smooth": 1, "min_data_per_group": 5}),
    ("number", {"objective": "regression_l1", "data_sample_strategy": "goss"}),
    ("number", {"objective": "huber"}),
    ("number", {"objective": "fair"}),
    ("number", {"objective": "mape"}),
    ("positive", {"objective": "poisson"}),
    ("positive", {"objective": "gamma"}),
    ("share", {"objective": "cross_entropy"}),
]
OURS = [
    ("two", "XGBClassifier", "n_estimators = 30"),
    ("three", "LGBMClassifier", "n_estimators = 20, num_leaves = 15"),
    ("number", "XGBRegressor", "n_estimators = 30"),
    ("positive", "LGBMRegressor", "objective = 'poisson', n_estimators = 20"),
    ("two", "XGBClassifier", "objective = 'binary:hinge', n_estimators = 20"),
    ("two", "xgboost.dart", "objective = 'binary:logistic', n_estimators = 20, rate_drop = 0.3"),
    ("number", "XGBRegressor", "objective = 'reg:quantileerror', n_estimators = 20"),
    ("quantiles", "XGBRegressor", "objective = 'reg:quantileerror', quantile_alpha = [0.1, 0.5, 0.9], n_estimators = 20"),
    ("number", "LGBMRegressor", "objective = 'huber', alpha = 5, n_estimators = 20"),
    ("number", "LGBMRegressor", "objective = 'mape', n_estimators = 20"),
    ("number", "LGBMRegressor", "objective = 'regression_l1', n_estimators = 20"),
]


def numbers_of(cell):
    found = json.loads(cell) if isinstance(cell, str) else cell
    return list(found.values()) if isinstance(found, dict) else found


class Ours:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.path = folder / "rows.db"

    def run(self, *statements):
        done = subprocess.run([self.program, self.path], input="".join(f"{s};\n" for s in statements), text=True,
                              capture_output=True, cwd=self.folder)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)

    def store(self, table, frame):
        with sqlite3.connect(self.path) as database:
            frame.astype({"colour": object}).astype(object).where(frame.notna(), None).to_sql(
                table, database, index=False, if_exists="replace")

    def predict(self, model, of):
        """Labels, and sums: (rows), (rows, classes) or (rows, quantiles)."""
        kind = "quantiles" if of == "quantiles" else "score"
        self.run("DROP TABLE IF EXISTS predicted", "SELECT * FROM rows TO PREDICT predicted.label WITH "
                 f"predict.extra_outputs = ['{kind}'] USING {model}")
        with sqlite3.connect(self.path) as database:
            rows = database.execute(f"SELECT label, {kind} FROM predicted ORDER BY rowid").fetchall()
        return (numpy.array([row[0] for row in rows], float),
                numpy.array([numbers_of(row[1]) for row in rows], float))


def sum_of(prediction, link):
    """The number that the link made the prediction of."""
    prediction = numpy.asarray(prediction, float)
    if link == "logistic":
        return numpy.log(prediction) - numpy.log1p(-prediction)
    return numpy.log(prediction) if link == "exp" else prediction


def difference(ours, theirs):
    theirs = numpy.asarray(theirs, float).reshape(ours.shape)
    return float(numpy.max(numpy.abs(ours - theirs) / numpy.maximum(1, numpy.abs(theirs))))


def theirs_of(path, frame, kind):
    """Sums of their model."""
    if path.suffix != ".txt":
        data = xgboost.DMatrix(frame, enable_categorical=True)
        return xgboost.Booster(model_file=path).predict(data, output_margin=True)
    booster = lightgbm.Booster(model_file=path)
    if kind == "two": # its raw score is before `sigmoid`, and before the mean of a forest
        return sum_of(booster.predict(frame), "logistic")
    return booster.predict(frame, raw_score=True)


def exact_of(path, frame):
    """Predictions by an exponential of a sum that nothing is lost of: theirs would be so without rounding."""
    if path.suffix == ".txt":
        return numpy.exp(lightgbm.Booster(model_file=path).predict(frame, raw_score=True))
    booster = xgboost.Booster(model_file=path)
    leaves = booster.predict(xgboost.DMatrix(frame, enable_categorical=True), pred_leaf=True).astype(int)
    learner = json.loads(booster.save_raw("json"))["learner"]
    base = json.loads(learner["learner_model_param"]["base_score"])
    sums = numpy.full(len(frame), numpy.log(numpy.float64(base[0] if isinstance(base, list) else base)))
    for i, tree in enumerate(learner["gradient_booster"]["model"]["trees"]):
        sums += numpy.asarray(numpy.float32(tree["split_conditions"]), float)[leaves[:, i]]
    return numpy.exp(sums)


def predictions_of(path, frame):
    if path.suffix == ".txt":
        return lightgbm.Booster(model_file=path).predict(frame)
    return xgboost.Booster(model_file=path).predict(xgboost.DMatrix(frame, enable_categorical=True))


def train_theirs(folder, rows):
    """Name, kind, file and sums of each of their models."""
    for i, (kind, parameters) in enumerate(XGBOOST):
        data = xgboost.DMatrix(rows, label_of(rows, kind, 5), enable_categorical=True)
        booster = xgboost.train({"max_depth": 5, "seed": i, **parameters}, data, 20)
        path = folder / f"xgboost{i}.{'ubj' if i % 2 else 'json'}"
        booster.save_model(path)
        yield f"xgboost {parameters}", kind, path
    for i, (kind, parameters) in enumerate(LIGHTGBM):
        data = lightgbm.Dataset(rows, label_of(rows, kind, 5))
        booster = lightgbm.train({"verbose": -1, "seed": i, **parameters}, data, 20)
        path = folder / f"lightgbm{i}.txt"
        booster.save_model(path)
        yield f"lightgbm {parameters}", kind, path


LINKS = {"positive": "exp", "share": "logistic"}


def check(name, kind, ours, path, rows, failures):
    labels, sums = ours
    theirs = numpy.asarray(theirs_of(path, rows, kind))
    sums = sum_of(sums, LINKS.get(kind))
    numbers = numpy.abs(rows[list("abcd")].to_numpy(float))
    same = ~((numbers > 0) & (numbers <= 1e-35)).any(axis=1) if path.suffix == ".txt" else numpy.full(len(rows), True)
    far = difference(sums[same], theirs[same])
    wrong = 0
    if kind in ("two", "three"):
        wrong = int(numpy.sum((labels != (theirs.argmax(1) if theirs.ndim > 1 else theirs > 0))[same]))
    good = far <= MOST and wrong == 0
    linked = ""
    if LINKS.get(kind) == "exp":
        exact = exact_of(path, rows)[same]
        ours_far, theirs_far = (float(numpy.max(numpy.abs(numpy.asarray(found, float)[same] / exact - 1)))
                                for found in (labels, predictions_of(path, rows)))
        good = good and ours_far <= MOST
        linked = f"; predictions from the exact ones: ours {ours_far:.1e}, theirs {theirs_far:.1e}"
    failures += [] if good else [name]
    print(f"{'ok  ' if good else 'FAIL'} {far:8.1e} {wrong:4d}  {name}{linked}", flush=True)


def export_and_check(ours, name, kind, rows, failures):
    predicted = ours.predict("m", kind)
    for ending in ("json", "ubj", "txt"):
        path = ours.folder / f"exported.{ending}"
        try:
            ours.run(f"EXPORT MODEL m TO '{path}'")
        except RuntimeError as error:
            if "LightGBM's files cannot express" not in str(error) and "LightGBM's has one" not in str(error):
                raise
            print(f"     not possible        as {ending}: {name}")
            continue
        check(f"   exported as {ending}: {name}", kind, predicted, path, rows, failures)


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ours = Ours(pathlib.Path(sys.argv[1]).resolve() / "totrain", folder)
        training, rows = make_rows(3000, 1, False), make_rows(ROWS, 2, True)
        ours.store("rows", rows)
        print("     farthest labels")
        for name, kind, path in train_theirs(folder, training):
            ours.run(f"IMPORT MODEL m FROM '{path}'")
            check(name, kind, ours.predict("m", kind), path, rows, failures)
            export_and_check(ours, name, kind, rows, failures)
        for kind, estimator, attributes in OURS:
            training["label"] = label_of(training, kind, 5)
            ours.store("training", training)
            ours.run(f"SELECT * FROM training TO TRAIN {estimator} WITH {attributes} LABEL label INTO m")
            export_and_check(ours, f"{estimator} {attributes}", kind, rows, failures)
    if failures:
        sys.exit(f"{len(failures)} of them differ by more than {MOST}")


if __name__ == "__main__":
    main()
