"""Trees against XGBoost and LightGBM: the same rows, folds and parameters, and with defaults.

    bench/quality/run BUILD --trees [--seeds N] [SET...]

For each table of tree_sets.py 5 folds x 3 seeds, the mean of the measures on the held-out fold. ToTrain runs as a user
runs it: one TRAIN and one EVALUATE statement; it holds out no rows of its own (train.test_size = 0), as the libraries
hold out none; what the tenth costs that a statement holds out otherwise is a table of its own. They get numbers as they
are, with NaN where a value is missing, and texts as pandas' categories, which they take as such (enable_categorical).
The last table is of the bars (tree_verdicts.py); the exit code is 1 where one is not met.

Results are kept in BUILD/bench-trees.json, so that a second run computes what is not there: of another program all of
ours.
"""

import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import warnings

import lightgbm
import numpy
import pandas
import xgboost
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

import tree_sets
import tree_verdicts

FOLDS, SEEDS = 5, 3
# Settings of each library, and the same in a statement; the objective is the set's.
SAME = {
    "xgboost": (dict(n_estimators=150, learning_rate=0.1, max_depth=5, reg_lambda=2, min_child_weight=3),
                "train.num_boost_round = 150, eta = 0.1, max_depth = 5, lambda = 2, min_child_weight = 3"),
    "lightgbm": (dict(n_estimators=150, learning_rate=0.07, num_leaves=15, reg_lambda=1, min_child_samples=15),
                 "train.num_boost_round = 150, learning_rate = 0.07, num_leaves = 15, lambda_l2 = 1, min_data_in_leaf = 15"),
}
HELD_OUT = "held out"  # defaults, a tenth of 500 rows or more included
ESTIMATORS = {"xgboost": "XGB", "lightgbm": "LGBM"}


# ---- theirs ----

def as_categories(train, test):
    """Both with the words of the training rows; others are missing."""
    train, test = train.copy(), test.copy()
    for column in train.columns[:-1]:
        if train[column].dtype.kind not in "if":
            kind = pandas.CategoricalDtype(sorted(train[column].dropna().unique()))
            train[column], test[column] = train[column].astype(kind), test[column].astype(kind)
    return train, test


def peer(library, setting, row, seed, train, test):
    _, task, _, of_xgboost, of_lightgbm = row
    parameters = dict(SAME[library][0] if setting == "same" else {})
    objective = of_xgboost if library == "xgboost" else of_lightgbm
    if objective:
        parameters["objective"] = objective
    is_classifier = task == tree_sets.CLASSES
    if library == "xgboost":
        kind = xgboost.XGBClassifier if is_classifier else xgboost.XGBRegressor
        model = kind(**parameters, random_state=seed, n_jobs=2, enable_categorical=True, tree_method="hist")
    else:
        kind = lightgbm.LGBMClassifier if is_classifier else lightgbm.LGBMRegressor
        model = kind(**parameters, random_state=seed, n_jobs=2, verbosity=-1)
    train, test = as_categories(train, test)
    labels, wanted = train["label"], test["label"]
    if is_classifier:
        names = sorted(labels.unique())
        labels, wanted = (side.map(names.index) for side in (labels, wanted))
    model.fit(train.drop(columns="label"), labels)
    inputs = test.drop(columns="label")
    if not is_classifier:
        return [float(numpy.sqrt(numpy.mean((model.predict(inputs) - wanted) ** 2)))]
    shares = model.predict_proba(inputs)
    accuracy = float(accuracy_score(wanted, shares.argmax(axis=1)))
    return [accuracy] + ([float(roc_auc_score(wanted, shares[:, 1]))] if shares.shape[1] == 2 else [])


# ---- ours ----

def write(path, train, test):
    kinds = {"i": "INTEGER", "f": "REAL"}
    with sqlite3.connect(path) as database:
        for name, frame in (("train", train), ("test", test)):
            columns = ", ".join(f'"{c}" {kinds.get(frame[c].dtype.kind, "TEXT")}' for c in frame)
            database.execute(f"CREATE TABLE {name} ({columns})")
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * frame.shape[1])})",
                                 [[None if v is None or v != v else v for v in values]
                                  for values in frame.astype(object).values.tolist()])


def statement(library, setting, row, seed):
    _, task, _, objective, _ = row
    estimator = ESTIMATORS[library] + ("Classifier" if task == tree_sets.CLASSES else "Regressor")
    attributes = [f"train.seed = {seed}"] + ["train.test_size = 0"] * (setting != HELD_OUT)
    attributes += [f"objective = '{objective}'"] if objective else []
    attributes += [SAME[library][1]] if setting == "same" else []
    return f"SELECT * FROM train TO TRAIN {estimator} WITH {', '.join(attributes)} LABEL label INTO m"


def ours(program, path, library, setting, row, seed, is_of_two):
    metrics = ["Accuracy"] + ["AUC"] * is_of_two if row[1] == tree_sets.CLASSES else ["RMSE"]
    for sql in (statement(library, setting, row, seed),
                f"SELECT * FROM test TO EVALUATE m WITH validation.metrics = '{','.join(metrics)}'"):
        done = subprocess.run([program, path, "--format", "json", "--progress=none", "-c", sql], check=True,
                              capture_output=True, text=True,
                              env={**os.environ, "TOTRAIN_STATE": str(path.parent / "state")})
    found = json.loads(done.stdout)[0]
    return [found[name] for name in metrics]


# ---- all ----

def measure_fold(program, row, seed, fold, train, test, kept):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.db"
        for library in tree_verdicts.LIBRARIES:
            for setting in (*tree_verdicts.SETTINGS, HELD_OUT):
                key = f"{row[0]}/{seed}/{fold}"
                if setting != HELD_OUT and f"{key}/peer {library} {setting}" not in kept:
                    kept[f"{key}/peer {library} {setting}"] = peer(library, setting, row, seed, train, test)
                if f"{key}/ours {library} {setting}" not in kept:
                    if not path.exists():
                        write(path, train, test)
                    kept[f"{key}/ours {library} {setting}"] = ours(program, path, library, setting, row, seed,
                                                                   train["label"].nunique() == 2)


def measure(program, row, seeds, kept, keep):
    frame = row[2]()
    splitter = StratifiedKFold if row[1] == tree_sets.CLASSES else KFold
    for seed in range(seeds):
        folds = splitter(FOLDS, shuffle=True, random_state=seed).split(frame, frame["label"])
        for fold, (train, test) in enumerate(folds):
            measure_fold(program, row, seed, fold, frame.iloc[train], frame.iloc[test], kept)
        keep()


def of_this_program(kept, program):
    """The kept results, without those of another program."""
    version = f"{program.stat().st_mtime_ns}"
    if kept.get("program") != version:
        kept = {key: value for key, value in kept.items() if "/peer " in key}
    return {**kept, "program": version}


MODELS = [f"{who} {library} {setting}" for setting in tree_verdicts.SETTINGS for library in tree_verdicts.LIBRARIES
          for who in ("ours", "peer")]
OURS = [f"ours {library} {setting}" for library in tree_verdicts.LIBRARIES for setting in ("defaults", HELD_OUT)]


def show(title, names, measured, text, part=0, models=MODELS):
    print(f"\n| {title} | " + " | ".join(model.replace("ours ", "as ").replace("peer ", "") for model in models)
          + " |\n|---" + "|---" * len(models) + "|")
    for name in names:
        if part == 0 or measured.has_auc(name, models[0]):
            print(f"| {name} | " + " | ".join(text(measured.of(name, model, part)) for model in models) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    arguments = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    path, program = arguments.build / "bench-trees.json", arguments.build / "totrain"
    kept = of_this_program(json.loads(path.read_text()) if path.exists() else {}, program)
    rows = [row for row in tree_sets.SETS if not arguments.sets or row[0] in arguments.sets]
    for row in rows:
        measure(program, row, arguments.seeds, kept, lambda: path.write_text(json.dumps(kept)))
    runs = [f"{seed}/{fold}" for seed in range(arguments.seeds) for fold in range(FOLDS)]
    measured = tree_verdicts.Measured(kept, runs, *([row[0] for row in rows if row[1] == task]
                                                    for task in (tree_sets.CLASSES, tree_sets.NUMBER)))
    print(f"Trees: means of {FOLDS} folds x {arguments.seeds} seeds, "
          f"XGBoost {xgboost.__version__}, LightGBM {lightgbm.__version__}")
    show("Accuracy", measured.classes, measured, "{:.4f}".format)
    show("AUC", measured.classes, measured, "{:.4f}".format, 1)
    show("RMSE", measured.numbers, measured, "{:.4g}".format)
    show("Accuracy without a tenth", measured.classes, measured, "{:.4f}".format, models=OURS)
    show("RMSE without a tenth", measured.numbers, measured, "{:.4g}".format, models=OURS)
    sys.exit(0 if tree_verdicts.show(measured) else 1)


if __name__ == "__main__":
    main()
