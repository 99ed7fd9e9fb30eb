"""Labels and columns far from 0, leaves of a row, columns that nearly are one another, columns of thousands of words: what
is learned of them beside the libraries whose names the models have, and beside the same numbers near 0.

    bench/quality/run BUILD --precision

Each line is a statement and one measure of its model: ToTrain's, and what is right, which a library computed here from
doubles, or which is known. The exit code is 1 where one is off by more than the line's bound. What no library can be
asked for by a number (leaves, notices) is in tests/sqlite/test_far_numbers.py and test_trees.py.
"""

import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import lightgbm
import numpy
import sklearn.cluster
import sklearn.decomposition
import sklearn.compose
import sklearn.ensemble
import sklearn.pipeline
import sklearn.preprocessing
import sklearn.tree
import xgboost

ROWS = 3000
EXACT = "GradientBoostingRegressor"  # scikit-learn's splits are between any two numbers, and not between bins


class Bench:
    def __init__(self, program, folder):
        self.program, self.path, self.failed = program, folder / "t.db", 0

    def write(self, **columns):
        database = sqlite3.connect(self.path, isolation_level=None)
        database.execute("DROP TABLE IF EXISTS t")
        database.execute(f"CREATE TABLE t ({', '.join(columns)})")
        database.execute("BEGIN")
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})",
                             zip(*(numpy.asarray(values).tolist() for values in columns.values())))
        database.execute("COMMIT")
        database.close()

    def run(self, *statements):
        words = [word for statement in statements for word in ("-c", statement)]
        done = subprocess.run([self.program, self.path, *words], text=True, capture_output=True, check=False)
        if done.returncode:
            sys.exit(f"{statements}: {done.stderr}")

    def ask(self, query):
        database = sqlite3.connect(self.path)
        try:
            return numpy.array(database.execute(query).fetchall())
        finally:
            database.close()

    def predictions(self, model, settings="", label="y", columns="*"):
        """The model's predictions of the rows that it learned."""
        self.run(f"SELECT {columns} FROM t TO TRAIN {model} WITH test_size = 0{settings}{' LABEL ' + label if label else ''} INTO m",
                 "SELECT * FROM t TO PREDICT p.predicted USING m")
        return self.ask("SELECT predicted FROM p")[:, 0].astype(float)

    def show(self, what, measure, ours, right, bound):
        """bound: how many times more than `right` ours may be, where less is better."""
        is_good = ours <= bound * right + 1e-12
        self.failed += not is_good
        print(f"| {what} | {measure} | {ours:.5g} | {right:.5g} |{'' if is_good else ' above ' + format(bound, 'g') + ' x'}",
              flush=True)


def rmse(a, b):
    return float(numpy.sqrt(numpy.mean((a - b) ** 2)))


def learned_by(library, x, y, rounds):
    """The peer's predictions of its own rows, for labels near 0."""
    if library == "XGBRegressor":
        return xgboost.XGBRegressor(n_estimators=rounds).fit(x, y).predict(x)
    if library == "LGBMRegressor":
        return lightgbm.LGBMRegressor(n_estimators=rounds, verbose=-1).fit(x, y).predict(x)
    if library == "HistGradientBoostingRegressor":
        return sklearn.ensemble.HistGradientBoostingRegressor(max_iter=rounds).fit(x, y).predict(x)
    return sklearn.ensemble.GradientBoostingRegressor(n_estimators=rounds).fit(x, y).predict(x)


def far_labels(bench):
    x = numpy.arange(ROWS) / 500
    noise = numpy.random.default_rng(1).normal(0, .1, ROWS)
    wave, seconds = 2 * numpy.sin(2 * x) + noise, numpy.round(600 * numpy.sin(2 * x))
    for offset, near, library, rounds in (
            (1e5, wave, "LGBMRegressor", 100), (1e5, wave, "XGBRegressor", 100), (1e6, wave, "LGBMRegressor", 5),
            (1e6, wave, "LGBMRegressor", 20), (1e6, wave, "LGBMRegressor", 100), (1e6, wave, "LGBMRegressor", 1000),
            (1e6, wave, "GradientBoostingRegressor", 100), (1.7e9, seconds, "LGBMRegressor", 100),
            (1.7e9, seconds, "HistGradientBoostingRegressor", 100), (1.7e9, seconds, "XGBRegressor", 100)):
        bench.write(x=x, y=offset + near)
        name = "n_estimators" if library != "HistGradientBoostingRegressor" else "max_iter"
        ours = rmse(bench.predictions(library, f", {name} = {rounds}") - offset, near)
        bench.show(f"{library}, {rounds} rounds, labels at {offset:g}", "RMSE", ours,
                   rmse(learned_by(library, x[:, None], near, rounds), near), 1.15 if library == EXACT else 1.05)


def leaves_of_one_row(bench):
    x = numpy.arange(200)
    y = numpy.random.default_rng(2).normal(size=200)
    settings = {"objective": "reg:squarederror", "max_depth": 12, "eta": 1, "lambda": 0, "base_score": 0}
    right = xgboost.train(settings, xgboost.DMatrix(x[:, None], y), 1).predict(xgboost.DMatrix(x[:, None]))
    bench.write(x=x, y=y)
    ours = bench.predictions("xgboost.gbtree", ", objective = 'reg:squarederror', max_depth = 12, eta = 1, lambda = 0, "
                             "base_score = 0, num_boost_round = 1")
    bench.show("one tree of 200 rows, depth 12", "rows that are not fitted", float(sum(abs(ours - y) > 1e-6)),
               float(sum(abs(right - y) > 1e-6)), 1)
    bench.show("one tree of 200 rows, depth 12", "MSE", float(numpy.mean((ours - y) ** 2)),
               float(numpy.mean((right - y) ** 2)), 1.001)


def far_columns(bench):
    random = numpy.random.default_rng(3)
    ts = 1.7e9 + random.integers(0, 7200, ROWS)
    y = numpy.sin((ts - 1.7e9) / 300) + random.normal(0, .1, ROWS)
    bench.write(x=ts, y=y)
    peer = lightgbm.train({"num_leaves": 31, "verbose": -1}, lightgbm.Dataset(ts[:, None], y), 60)
    right = peer.predict(ts[:, None])
    bench.show("lightgbm.gbdt, a column of epoch seconds", "RMSE",
               rmse(bench.predictions("lightgbm.gbdt", ", num_boost_round = 60"), y), rmse(right, y), 1.05)
    peer.save_model(bench.path.parent / "model.txt")
    bench.run(f"IMPORT MODEL m FROM '{bench.path.parent / 'model.txt'}'", "SELECT x AS Column_0 FROM t TO PREDICT p.predicted USING m")
    bench.show("the same by LightGBM, imported", "rows predicted otherwise",
               float(sum(abs(bench.ask("SELECT predicted FROM p")[:, 0].astype(float) - right) > 1e-6)), 0, 1)
    ids = 4e9 + numpy.arange(500)
    y = numpy.arange(500) % 7 + 0.
    bench.write(x=ids, y=y)
    tree = sklearn.tree.DecisionTreeRegressor(max_depth=8).fit((ids - 4e9)[:, None], y)
    bench.show("DecisionTreeRegressor, ids at 4e9", "RMSE", rmse(bench.predictions("DecisionTreeRegressor", ", max_depth = 8"), y),
               rmse(tree.predict((ids - 4e9)[:, None]), y), 1.01)
    bench.write(x=numpy.arange(4.), y=1e8 + numpy.arange(4.))
    bench.show("DecisionTreeRegressor, labels 1e8 + 0 to 3", "greatest error",
               float(max(abs(bench.predictions("DecisionTreeRegressor") - 1e8 - numpy.arange(4)))), 0, 1)


def nearly_the_same_columns(bench):
    random = numpy.random.default_rng(4)
    start = 1.6e9 + random.uniform(0, 3e7, 2000)
    stop = start + random.exponential(60, 2000)
    y = 5 + .5 * (stop - start) + random.normal(size=2000)
    bench.write(start=start, stop=stop, y=y)
    bench.show("OLS of two epochs, whose difference tells", "1 - R2",
               float(numpy.mean((bench.predictions("OLS") - y) ** 2) / numpy.var(y)),
               float(1 / numpy.var(y)), 1.2)
    for e in (1e-2, 1e-4, 3e-5):
        x = random.normal(size=(2000, 4))
        x[:, 3] = x[:, 0] + e * x[:, 3]
        y = x[:, 0] + 2 * x[:, 1] - x[:, 3] + random.normal(size=2000)
        bench.write(a=x[:, 0], b=x[:, 1], c=x[:, 2], d=x[:, 3], y=y)
        right = numpy.linalg.lstsq(numpy.c_[x, numpy.ones(2000)], y, rcond=None)[0]
        fitted = numpy.c_[x, numpy.ones(2000)] @ right
        bench.show(f"OLS, a column that differs from another by {e:g}", "greatest difference from least squares, and at most",
                   float(max(abs(bench.predictions("OLS") - fitted))), 1e-6, 1)


def far_points(bench):
    random = numpy.random.default_rng(5)
    x = random.normal(size=(800, 3)) * (3, 1, .3)
    far = 1e8 + x
    near = far - 1e8  # the part of x that doubles keep
    bench.write(a=far[:, 0], b=far[:, 1], c=far[:, 2])
    right = sklearn.decomposition.PCA().fit(near).explained_variance_
    bench.run("SELECT * FROM t TO TRAIN PCA WITH n_components = 3, model.standardize = false INTO m",
              "SELECT * FROM t TO PREDICT p.component USING m")
    ours = bench.ask("SELECT * FROM p")[:, 3:].astype(float)
    for i in range(3):
        bench.show(f"PCA at 1e8, component {i + 1}", "relative error of its variance, and at most",
                   abs(float(numpy.var(ours[:, i], ddof=1)) / right[i] - 1), 1e-5, 1)
    bench.run("SELECT * FROM t TO TRAIN KMeans WITH n_clusters = 4, model.standardize = false INTO m",
              "SELECT * FROM t TO PREDICT p.predicted USING m")
    cluster = bench.ask("SELECT predicted FROM p")[:, 0]
    inertia = sum(float(((near[cluster == c] - near[cluster == c].mean(0)) ** 2).sum()) for c in set(cluster))
    bench.show("KMeans at 1e8", "inertia", inertia, sklearn.cluster.KMeans(4, n_init=10, random_state=0).fit(near).inertia_, 1.05)


def many_words(bench):
    """2,000 words with ten rows each; scikit-learn's models over a TargetEncoder of them, without the settings of a name."""
    random = numpy.random.default_rng(1)
    words, x = random.integers(0, 2000, 25000), random.uniform(size=(25000, 3))
    y = random.normal(size=2000)[words] + .5 * numpy.sin(6 * x[:, 0]) + random.normal(0, .25, 25000)
    parts = [slice(20000), slice(20000, 25000)]
    table = [{"w": [f"w{word}" for word in words[part]], "a": x[part, 0], "b": x[part, 1], "c": x[part, 2], "y": y[part]}
             for part in parts]
    encoder = sklearn.compose.make_column_transformer((sklearn.preprocessing.TargetEncoder(target_type="continuous"), [0]),
                                                      remainder="passthrough")
    for name, module in (("RandomForestRegressor", sklearn.ensemble), ("DecisionTreeRegressor", sklearn.tree),
                         ("GradientBoostingRegressor", sklearn.ensemble), ("HistGradientBoostingRegressor", sklearn.ensemble)):
        bench.write(**table[0])
        bench.run(f"SELECT * FROM t TO TRAIN {name} WITH test_size = 0 LABEL y INTO m")
        bench.write(**table[1])
        bench.run("SELECT * FROM t TO PREDICT p.predicted USING m")
        peer = sklearn.pipeline.make_pipeline(encoder, getattr(module, name)(random_state=1))
        right = peer.fit(numpy.c_[words, x][parts[0]], y[parts[0]]).predict(numpy.c_[words, x][parts[1]])
        unknown = numpy.var(y[parts[1]])
        bench.show(f"{name}, 2,000 words, other rows", "1 - R2",
                   rmse(bench.ask("SELECT predicted FROM p")[:, 0].astype(float), y[parts[1]]) ** 2 / unknown,
                   rmse(right, y[parts[1]]) ** 2 / unknown, 1.1)


def main():
    program = pathlib.Path(sys.argv[1]) / "totrain"
    print("| statement | measure | ToTrain | right |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="totrain-precision.") as folder:
        bench = Bench(program, pathlib.Path(folder))
        for part in (far_labels, leaves_of_one_row, far_columns, nearly_the_same_columns, far_points, many_words):
            part(bench)
    sys.exit(bench.failed > 0)


if __name__ == "__main__":
    main()
