"""Definitions: layers by a graph against the same network by hand, convolutions and recurrent layers against PyTorch.

The processor's time, in which 100,000 rows become a model in one epoch, with two threads; the script of PyTorch reads
the same file and trains the same layers by the same steps, with one thread, which waits for no other.
"""

import os
import pathlib
import random
import sqlite3
import sys

from click_cases import timed

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = HERE.parents[1] / "tests" / "sqlite" / "digits.txt"
ROWS, STEPS = 100_000, 50
GRAPH_BAR, PYTORCH_BAR = 1.1, 1 / 2


def pictures():
    """The digits of 8 x 8 pixels, each often, with a little noise."""
    draw = random.Random(1)
    lines = DIGITS.read_text(encoding="ascii").split()
    for i in range(ROWS):
        line = lines[i % len(lines)]
        yield bytes(min(16, max(0, ord(letter) - ord("a") + draw.randint(-1, 1))) for letter in line[1:]), int(line[0])


def sequences():
    """Steps of a walk, and whether it ever went far."""
    draw = random.Random(2)
    for _ in range(ROWS):
        steps = [draw.gauss(0, 1) for _ in range(STEPS)]
        most = at = 0
        for step in steps:
            at += step
            most = max(most, at)
        yield ",".join(f"{step:.3f}" for step in steps), int(most > 7)


CASES = {
    "cnn": (pictures, "zoo/mnist_cnn", "model.filters = [32, 64], model.units = 128, model.dropout = 0",
            "IMAGE(x, 8, 8, 1)"),
    "gru": (sequences, "zoo/gru", "model.series = 'x', model.units = 32", f"SEQUENCE(x, {STEPS})"),
}


def make_table(path, rows):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t(x, y INTEGER)")
        connection.executemany("INSERT INTO t VALUES(?, ?)", rows)


def processors(bench, database, sql, runs):
    return [timed(bench.command(database, sql.format(f"m{run}")), bench.environment)[1] for run in range(runs)]


def layers(bench, table):
    """Thirty epochs more than the first, in which the rows are read, too."""
    database = bench.table("rows28")
    of = {}
    for name, settings in (("zoo/mlp", "model.hidden = [64, 32]"),
                           ("DNNClassifier", "hidden_units = [64, 32], model.activation = 'relu'")):
        for epochs in (1, 31):
            of[name, epochs] = processors(
                bench, database, f"SELECT * FROM rows28 LIMIT {ROWS} TO TRAIN {name} WITH {settings}, train.epoch = "
                f"{epochs}, train.test_size = 0, job.threads = 2 LABEL y INTO {{}}", bench.runs)
    pairs = [(a - b, c - d) for a, b, c, d in zip(of["zoo/mlp", 31], of["zoo/mlp", 1], of["DNNClassifier", 31],
                                                  of["DNNClassifier", 1])]
    table.ratio("zoo/mlp 64-32, thirty epochs: the processor's time", "DNNClassifier", pairs, GRAPH_BAR)


def peers(bench, table):
    for name, (rows, definition, settings, column) in CASES.items():
        database = bench.folder / f"{name}.db"
        make_table(database, rows())
        ours = processors(bench, database, f"SELECT * FROM t TO TRAIN {definition} WITH {settings}, train.epoch = 1, "
                          f"train.test_size = 0, job.threads = 2 COLUMN {column} LABEL y INTO {{}}", bench.runs)
        theirs = [timed([sys.executable, HERE / "graph_peer.py", name, database], dict(os.environ))[2]
                  for _ in range(min(bench.runs, 3))]
        table.ratio(f"{definition}, {ROWS:,} rows, one epoch, statement to model: the processor's time",
                    "an epoch of PyTorch", list(zip(ours, map(float, theirs))), PYTORCH_BAR)
