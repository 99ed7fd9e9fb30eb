"""The quality of defaults: sets.TABLE, splits of 75/25 and five seeds or --seeds N, against scikit-learn.

ToTrain runs as a user runs it: one TRAIN statement that names the label and the seed, one EVALUATE. scikit-learn
gets standardised numbers with means and indicators for missing ones, one-hot texts, a standardised label where it is a
number, and its own defaults: LogisticRegression (of 1,000 iterations), Ridge, MLPClassifier, MLPRegressor.

    bench/quality/run BUILD --defaults [--later] [--seeds N] [SET...]

--later: of the sets of sets.TUNED_LATER, for which there are no bars.

The last table is of the bars (verdicts.py), over all sets; the exit code is 1 where one is not met.

Results are kept in BUILD/bench-defaults.json, so that a second run computes what is not there: of another program all of
ours.
"""

import argparse
import hashlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import warnings

import numpy
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sets
import tables
import verdicts

SEEDS = 5
MODELS = ("linear", "peer linear", "network", "peer network")


def pipeline(network, task, seed, inputs):
    numbers = [c for c in inputs if inputs[c].dtype.kind in "if"]
    texts = [c for c in inputs if c not in numbers]
    columns = ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), numbers),
        ("texts", OneHotEncoder(handle_unknown="ignore"), texts),
    ])
    if task == sets.CLASSES:
        model = MLPClassifier(random_state=seed) if network else LogisticRegression(max_iter=1000)
    else:
        model = TransformedTargetRegressor(MLPRegressor(random_state=seed) if network else Ridge(),
                                           transformer=StandardScaler())
    return make_pipeline(columns, model)


def peer(network, task, seed, train, test):
    train, test = train.copy(), test.copy()
    texts = [c for c in train if train[c].dtype.kind not in "if" and c != "label"]
    for frame in (train, test):
        frame[texts] = frame[texts].fillna("(missing)")
    inputs, labels = test.drop(columns="label"), test["label"]
    model = pipeline(network, task, seed, inputs).fit(train.drop(columns="label"), train["label"])
    if task == sets.NUMBER:
        return [float(numpy.sqrt(numpy.mean((model.predict(inputs) - labels) ** 2)))]
    classes = list(model.classes_)
    shares = [row[classes.index(label)] if label in classes else 0
              for row, label in zip(model.predict_proba(inputs), labels)]
    return [float(numpy.mean(model.predict(inputs) == labels)),
            float(numpy.mean(-numpy.log(numpy.clip(shares, 1e-15, 1))))]


def write(database, name, frame):
    kinds = {"i": "INTEGER", "f": "REAL"}
    columns = ", ".join(f'"{c}" {kinds.get(frame[c].dtype.kind, "TEXT")}' for c in frame)
    database.execute(f"CREATE TABLE {name} ({columns})")
    database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * frame.shape[1])})",
                         [[None if v is None or v != v else v for v in row]
                          for row in frame.astype(object).values.tolist()])


def ours(program, network, task, seed, train, test):
    kind = ("DNN" if network else "Linear") + ("Classifier" if task == sets.CLASSES else "Regressor")
    metrics = "Accuracy,LogLoss" if task == sets.CLASSES else "RMSE"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.db"
        database = sqlite3.connect(path)
        write(database, "train", train)
        write(database, "test", test)
        database.commit()
        database.close()
        for sql in (f"SELECT * FROM train TO TRAIN {kind} WITH train.seed = {seed} LABEL label INTO m",
                    f"SELECT * FROM test TO EVALUATE m WITH validation.metrics = '{metrics}'"):
            done = subprocess.run([program, path, "--format", "json", "--progress=none", "-c", sql], check=True,
                                  capture_output=True, text=True,
                                  env={**os.environ, "TOTRAIN_STATE": str(pathlib.Path(folder) / "state")})
    row = json.loads(done.stdout)[0]
    return [row[name] for name in metrics.split(",")]


def measure(program, row, seeds, kept, keep):
    frame = None
    for seed in range(seeds):
        for model in MODELS:
            key = f"{row[0]}/{seed}/{model}"
            if key in kept:
                continue
            frame = tables.table(*row) if frame is None else frame
            train, test = tables.split(frame, seed)
            network = model.endswith("network")
            kept[key] = (peer(network, row[3], seed, train, test) if model.startswith("peer")
                         else ours(program, network, row[3], seed, train, test))
        keep()


def of_this_program(kept, program):
    """The kept results, without those of another program."""
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    if kept.get("program") != digest:
        kept = {key: value for key, value in kept.items() if "/peer " in key}
    return {**kept, "program": digest}


def measured_of(rows, seeds, kept):
    names = {task: [row[0] for row in rows if row[3] == task] for task in (sets.CLASSES, sets.NUMBER)}
    return verdicts.Measured(kept, seeds, names[sets.CLASSES], names[sets.NUMBER])


def show(title, names, measured, text, part=0):
    print(f"\n| {title} | linear | scikit-learn | network | scikit-learn |\n|---|---|---|---|---|")
    for name in names:
        print(f"| {name} | " + " | ".join(text(measured.of(name, model, part)) for model in MODELS) + " |")


def summary(what, measured):
    for model in ("linear", "network"):
        cells = [f"{mean(who):.4f}" for mean in (measured.accuracy, measured.log_loss) for who in (model, f"peer {model}")]
        print(f"| {what}, {model} | {' | '.join(cells)} | {measured.ratio(model):.4f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--later", action="store_true")
    arguments = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    path = arguments.build / "bench-defaults.json"
    program = arguments.build / "totrain"
    kept = of_this_program(json.loads(path.read_text()) if path.exists() else {}, program)
    table = sets.TUNED_LATER if arguments.later else sets.TABLE
    rows = [row for row in table if not arguments.sets or row[0] in arguments.sets]
    for row in rows:
        measure(program, row, arguments.seeds, kept, lambda: path.write_text(json.dumps(kept)))
    measured = measured_of(rows, arguments.seeds, kept)
    print(f"Defaults: means of {arguments.seeds} splits")
    show("Accuracy", measured.classes, measured, "{:.3f}".format)
    show("LogLoss", measured.classes, measured, "{:.3f}".format, 1)
    show("RMSE", measured.numbers, measured, "{:.4g}".format)
    print("\n| | Accuracy | scikit-learn | LogLoss | scikit-learn | RMSE / scikit-learn |\n|---|---|---|---|---|---|")
    if arguments.later and rows == table:
        summary("sets of the best epoch", measured)
    for what, some in (("sets that nobody had tuned on", sets.JUDGED_ON),
                       ("sets that defaults were chosen on", sets.CHOSEN_AND_SHOWN), ("all", sets.TABLE)):
        if all(row in rows for row in some):
            summary(what, measured_of(some, arguments.seeds, kept))
    if all(row in rows for row in sets.TABLE):
        sys.exit(0 if verdicts.show(measured) else 1)


main()
