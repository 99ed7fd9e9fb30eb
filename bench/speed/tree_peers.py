"""tree_peers.py lightgbm|xgboost DB TABLE LABEL TRAINED [--seeds N] [--predict-all]

What a user would write instead of a TO TRAIN statement: read the table with pandas, train 100 rounds with 2 threads on
its first TRAINED rows, look at the AUC of the others. Texts are categories. Prints JSON: the seconds of training with
the making of bins, the processor's seconds of the same, the seconds of predicting and the AUC. With --seeds it trains
so many times, each time without another fiftieth of the rows, and prints the list of the AUCs. With --blocks it reads
numbers by blocks of rows into floats of 32 bits, as one has to where pandas would need more memory than there is.
"""

import argparse
import json
import resource
import sqlite3
import time

import numpy
import pandas

ROUNDS, THREADS, BLOCK_ROWS = 100, 2, 10000


def read(path, table, label):
    with sqlite3.connect(path) as database:
        frame = pandas.read_sql(f'SELECT * FROM "{table}"', database)
    for column in frame:
        if frame[column].dtype.kind not in "if":
            frame[column] = frame[column].astype("category")
    return frame.drop(columns=label), frame[label].to_numpy()


def read_blocks(path, table, label):
    with sqlite3.connect(path) as database:
        (count,), = database.execute(f'SELECT count(*) FROM "{table}"')
        cursor = database.execute(f'SELECT * FROM "{table}"')
        names = [column[0] for column in cursor.description]
        values = numpy.empty((count, len(names)), numpy.float32)
        for first in range(0, count, BLOCK_ROWS):
            values[first:first + BLOCK_ROWS] = cursor.fetchmany(BLOCK_ROWS)
    rows = pandas.DataFrame(values, columns=names, copy=False)
    labels = rows[label].to_numpy()
    return rows[[name for name in names if name != label]], labels


def lightgbm_model(rows, labels, seed):
    import lightgbm

    parameters = dict(objective="binary", num_leaves=31, learning_rate=0.1, max_bin=255, num_threads=THREADS,
                      verbosity=-1, data_random_seed=seed)
    return lightgbm.train(parameters, lightgbm.Dataset(rows, labels), ROUNDS).predict


def xgboost_model(rows, labels, seed):
    import xgboost

    parameters = dict(objective="binary:logistic", max_depth=6, eta=0.1, max_bin=256, nthread=THREADS, seed=seed,
                      tree_method="hist")
    matrix = xgboost.QuantileDMatrix(rows, labels, nthread=THREADS, enable_categorical=True, max_bin=256)
    booster = xgboost.train(parameters, matrix, ROUNDS)
    return lambda inputs: booster.predict(xgboost.DMatrix(inputs, nthread=THREADS, enable_categorical=True))


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def aucs(model, seeds, trained, of_trained, held_out, of_held_out):
    """The AUC for each seed, which leaves out the rows whose number modulo 50 it is."""
    from sklearn.metrics import roc_auc_score

    found = []
    for seed in range(seeds):
        kept = (trained.index + 1) % 50 != seed  # rowids begin at 1
        found.append(roc_auc_score(of_held_out, model(trained[kept], of_trained[kept], seed + 1)(held_out)))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=("lightgbm", "xgboost"))
    parser.add_argument("database")
    parser.add_argument("table")
    parser.add_argument("label")
    parser.add_argument("trained", type=int)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--predict-all", action="store_true", help="all rows are predicted and timed")
    parser.add_argument("--blocks", action="store_true", help="numbers alone, read by blocks of rows")
    arguments = parser.parse_args()
    inputs, labels = (read_blocks if arguments.blocks else read)(arguments.database, arguments.table, arguments.label)
    trained, held_out = inputs[:arguments.trained], inputs[arguments.trained:]
    of_trained, of_held_out = labels[:arguments.trained], labels[arguments.trained:]
    model = lightgbm_model if arguments.peer == "lightgbm" else xgboost_model
    if arguments.seeds:
        print(json.dumps(aucs(model, arguments.seeds, trained, of_trained, held_out, of_held_out)))
        return
    started, used = time.perf_counter(), processor_seconds()
    predict = model(trained, of_trained, 1)
    result = {"seconds": time.perf_counter() - started, "processor": processor_seconds() - used}
    if arguments.predict_all:
        started = time.perf_counter()
        predict(inputs)
        result["predict"] = time.perf_counter() - started
    if len(held_out):
        from sklearn.metrics import roc_auc_score

        result["auc"] = roc_auc_score(of_held_out, predict(held_out))
    print(json.dumps(result))


main()
