"""Quality against scikit-learn: the same rows, folds and layers.

For each data set and model: 5 folds x 3 seeds, the mean of the measure on the held-out fold. ToTrain trains five
networks for each of scikit-learn's, with seeds of their own: three folds of diamonds hold a row that decides their
error, and on them it differs from 540 to 1020 from seed to seed. ToTrain runs as a user runs it: the program, a
SQLite file, one TRAIN and one EVALUATE statement. scikit-learn gets what a careful user gives it: standardised
numbers, one-hot texts, and its own defaults but for the layers; MLPRegressor also gets a standardised label, without
which it is not a match. The bars: accuracy at most one point below, RMSE at most 2 % above.
"""

import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings

import pandas
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

FOLDS = 5
SEEDS = 3
NETWORKS_EACH = 5
DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"

# data set, label, task, hidden layers, attributes of the network, of the linear model
CASES = [
    ("iris", "class", "classification", [16, 16], "train.epoch = 200, train.batch_size = 32",
     "train.epoch = 200, train.batch_size = 32"),
    ("breast_cancer", "benign", "classification", [32, 16], "train.epoch = 100, train.batch_size = 32",
     "train.epoch = 100, train.batch_size = 32"),
    ("titanic", "survived", "classification", [16, 16], "train.epoch = 100", "train.epoch = 100"),
    ("boston", "medv", "regression", [64, 32], "train.epoch = 200, train.batch_size = 32",
     "train.epoch = 200, train.batch_size = 32"),
    ("diamonds", "price", "regression", [64, 32], "train.epoch = 30", "train.epoch = 20"),
]


def peer(task, hidden, seed, numbers, texts):
    columns = ColumnTransformer([
        ("numbers", StandardScaler(), numbers),
        ("texts", OneHotEncoder(handle_unknown="ignore"), texts),
    ])
    if task == "classification":
        model = (MLPClassifier(hidden_layer_sizes=hidden, random_state=seed) if hidden
                 else LogisticRegression(max_iter=1000))
    else:
        model = (MLPRegressor(hidden_layer_sizes=hidden, random_state=seed) if hidden else Ridge())
        model = TransformedTargetRegressor(regressor=model, transformer=StandardScaler())
    return make_pipeline(columns, model)


def write_table(database, name, frame):
    database.execute(f'DROP TABLE IF EXISTS "{name}"')
    kinds = ["TEXT" if frame[c].dtype.kind not in "if" else
             "INTEGER" if frame[c].dtype.kind == "i" else "REAL" for c in frame.columns]
    database.execute(f'CREATE TABLE "{name}"(' + ", ".join(
        f'"{c}" {kind}' for c, kind in zip(frame.columns, kinds)) + ")")
    marks = ", ".join("?" * len(frame.columns))
    database.executemany(f'INSERT INTO "{name}" VALUES({marks})', frame.values.tolist())
    database.commit()


def ours(program, folder, case, hidden, seed, train, test):
    name, label, task, _, network_attributes, linear_attributes = case
    path = folder / "rows.db"
    with sqlite3.connect(path) as database:
        write_table(database, "train", train)
        write_table(database, "test", test)
    kind = "Classifier" if task == "classification" else "Regressor"
    attributes = f"train.seed = {seed}, " + (network_attributes if hidden else linear_attributes)
    if hidden:
        attributes = f"model.hidden_units = {hidden}, " + attributes
    measure = "Accuracy" if task == "classification" else "RMSE"
    statements = (
        f'SELECT * FROM train TO TRAIN {"DNN" if hidden else "Linear"}{kind} WITH {attributes} '
        f'LABEL "{label}" INTO m;',
        f"SELECT * FROM test TO EVALUATE m WITH validation.metrics = '{measure}';")
    outputs = [subprocess.run([program, path, "--format", "json", "--progress=none", "-c", sql],
                              check=True, capture_output=True, text=True,
                              env={"TOTRAIN_STATE": str(folder / "state")}).stdout
               for sql in statements]
    return json.loads(outputs[1])[0][measure]


def run_case(program, case, network):
    name, label, task, layers, _, _ = case
    hidden = layers if network else []
    frame = pandas.read_csv(DATA / f"{name}.csv")
    inputs = [c for c in frame.columns if c != label]
    texts = [c for c in inputs if frame[c].dtype.kind not in "if"]
    numbers = [c for c in inputs if c not in texts]
    scores = {"ours": [], "peer": []}
    seconds = {"ours": 0.0, "peer": 0.0}
    splitter = StratifiedKFold if task == "classification" else KFold
    for seed in range(SEEDS):
        folds = splitter(FOLDS, shuffle=True, random_state=seed).split(frame, frame[label])
        for train_rows, test_rows in folds:
            train, test = frame.iloc[train_rows], frame.iloc[test_rows]
            start = time.perf_counter()
            model = peer(task, hidden, seed, numbers, texts).fit(train[inputs], train[label])
            predicted = model.predict(test[inputs])
            seconds["peer"] += time.perf_counter() - start
            scores["peer"].append(accuracy_score(test[label], predicted)
                                  if task == "classification"
                                  else mean_squared_error(test[label], predicted) ** 0.5)
            for own_seed in range(seed, seed + SEEDS * (NETWORKS_EACH if network else 1), SEEDS):
                start = time.perf_counter()
                with tempfile.TemporaryDirectory() as folder:
                    scores["ours"].append(
                        ours(program, pathlib.Path(folder), case, hidden, own_seed, train, test))
                seconds["ours"] += time.perf_counter() - start
    means = {who: sum(values) / len(values) for who, values in scores.items()}
    if task == "classification":
        met = means["ours"] >= means["peer"] - 0.01
    else:
        met = means["ours"] <= means["peer"] * 1.02
    return means, seconds, met


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("datasets", nargs="*")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    program = arguments.build / "totrain"
    print(f"{FOLDS} folds x {SEEDS} seeds, mean on the held-out fold")
    print("| data set | model | measure | ToTrain | scikit-learn | bar met | time, ours / theirs |")
    print("|---|---|---|---|---|---|---|")
    all_met = True
    for case in CASES:
        if arguments.datasets and case[0] not in arguments.datasets:
            continue
        for network in (True, False):
            means, seconds, met = run_case(program, case, network)
            trained = NETWORKS_EACH if network else 1
            all_met &= met
            classification = case[2] == "classification"
            model = ("MLP " + "-".join(map(str, case[3]))) if network else \
                ("logistic regression" if classification else "ridge regression")
            print(f"| {case[0]} | {model} | {'accuracy' if classification else 'RMSE'} "
                  f"| {means['ours']:.4f} | {means['peer']:.4f} | {'yes' if met else 'NO'} "
                  f"| {seconds['ours'] / trained / seconds['peer']:.2f} |", flush=True)
    sys.exit(0 if all_met else 1)


main()
