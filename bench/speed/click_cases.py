"""Networks over embeddings against PyTorch: the same table, shape, steps and words, from the same file.

Nine tenths of the rows are trained on for one epoch in steps of 512: 26 embeddings of 8, hidden layers of 128 and 64.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

import memory

HERE = pathlib.Path(__file__).resolve().parent
MODELS = {"wide": "DNNLinearCombinedClassifier", "deepfm": "DeepFMClassifier"}
SPEED_BAR, MEMORY_BAR, AUC_BEHIND = 1 / 8, 1 / 4, 0.003


def statement(model, rows, into="m"):
    return (f"SELECT * FROM clicks WHERE rowid <= {rows * 9 // 10} TO TRAIN {MODELS[model]} WITH hidden_units = [128, 64], "
            f"embedding_dimension = 8, batch_size = 512, epoch = 1, train.test_size = 0 LABEL clicked INTO {into}")


def timed(command, environment):
    """Seconds, the processor's seconds and what was printed."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def peer_command(model, database, rows, seed):
    return [sys.executable, HERE / "click_peer.py", model, database, "clicks", "clicked", str(rows * 9 // 10), str(seed)]


def compare(bench, table, model):
    database = bench.table("clicks")
    ours, theirs = bench.command(database, statement(model, bench.rows)), []
    seconds, processor = [], []
    for run in range(bench.runs):  # each into a table of its own: no old model is kept as a version
        mine, of_mine, _ = timed(bench.command(database, statement(model, bench.rows, f"m{run}")), bench.environment)
        script, of_script, printed = timed(peer_command(model, database, bench.rows, run + 1), dict(os.environ))
        seconds.append((mine, script))
        processor.append((of_mine, of_script))
        theirs.append(json.loads(printed)["auc"])
    _, measured = bench.ours(database, f"SELECT * FROM clicks WHERE rowid > {bench.rows * 9 // 10} TO EVALUATE m0 "
                                       "WITH validation.metrics = 'AUC'")
    aucs = measured[0]["AUC"], statistics.mean(theirs)
    case = f"clicks: {MODELS[model]}, one epoch, AUC {aucs[0]:.4f}"
    table.ratio(f"{case}: statement to model", f"PyTorch's script, AUC {aucs[1]:.4f}", seconds, SPEED_BAR)
    table.ratio(f"{case}: the processor's time", "PyTorch's script", processor, SPEED_BAR)
    table.difference(f"clicks: {MODELS[model]}, AUC", aucs[0], "PyTorch's script", aucs[1], AUC_BEHIND)
    most, _ = memory.peak(ours, bench.environment, bench.state)
    peers, _ = memory.peak(peer_command(model, database, bench.rows, 1), dict(os.environ), bench.folder)
    table.multiple(f"clicks: peak memory of {MODELS[model]}, {most:.0f} MB", most / peers,
                   f"PyTorch's script, {peers:.0f} MB", MEMORY_BAR)


def embedded(bench, table):
    for model in MODELS:
        compare(bench, table, model)
