"""One row a statement, as an application asks: what it takes longer than a statement that does nothing."""

import contextlib
import os
import sqlite3
import statistics
import time

STATEMENTS = 1000
# How each is trained, a row, and how many seconds more all statements may take.
# Columns of CATEGORY_HASH have a row of numbers for each of so many values: 96 MB.
MODELS = {
    "linear": ("SELECT x1, x2, y FROM rows28 LIMIT 1000 TO TRAIN LinearClassifier LABEL y INTO one_linear", (1.0, 2.0), 0.1),
    "trees": ("SELECT x1, x2, y FROM rows28 LIMIT 1000 TO TRAIN XGBClassifier LABEL y INTO one_trees", (1.0, 2.0), 0.1),
    "96 MB": ("SELECT CAST(CAST(x1 AS INTEGER) AS TEXT) AS c, x2, y FROM rows28 LIMIT 2000 TO TRAIN DNNClassifier "
              "WITH model.hidden_units = [4], train.epoch = 1, job.max_workers = 1 "
              "COLUMN x2, EMBEDDING(CATEGORY_HASH(c, 3000000), 8) LABEL y INTO one_large", ("1", 2.0), 1),
}


def seconds(database, sql, values, count=STATEMENTS):
    """The time of `count` prepared statements, scaled to STATEMENTS. A first one, which may read a model, is not counted."""
    database.execute(sql, values).fetchall()
    started = time.perf_counter()
    for _ in range(count):
        database.execute(sql, values).fetchall()
    return (time.perf_counter() - started) * STATEMENTS / count


def measure(extension, path, runs, state):
    """By model: each run's seconds above those of SELECT 1; then the median without models that are kept."""
    os.environ["TOTRAIN_STATE"] = str(state)
    found = {}
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.enable_load_extension(True)
        database.load_extension(str(extension))
        for name, (train, values, _) in MODELS.items():
            database.execute(train).fetchall()
            predict = f"SELECT totrain_predict('{train.split()[-1]}', ?, ?)"
            kept = [seconds(database, predict, values) - seconds(database, "SELECT 1", ()) for _ in range(runs)]
            database.execute("SELECT totrain_config('model_cache', 0)").fetchall()
            read = statistics.median(seconds(database, predict, values, 5) for _ in range(runs))
            database.execute("SELECT totrain_config('model_cache', '128Mi')").fetchall()
            found[name] = kept, read
    return found
