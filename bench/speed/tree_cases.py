"""Trees against LightGBM and XGBoost: the same table, 100 rounds, 2 threads each, from the same file.

Nine tenths of the rows are trained on. OMP_WAIT_POLICY is as it is by default.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import memory

HERE = pathlib.Path(__file__).resolve().parent
STATEMENTS = {
    "lightgbm": "lightgbm.gbdt WITH objective = 'binary', train.num_boost_round = 100, learning_rate = 0.1, "
                "num_leaves = 31, max_bin = 255",
    "xgboost": "xgboost.gbtree WITH objective = 'binary:logistic', train.num_boost_round = 100, eta = 0.1, "
               "max_depth = 6, max_bin = 256",
}
TRAINING_BAR, SCRIPT_BAR, CLICKS_BAR, MEMORY_BAR, PREDICT_BAR = 0.4, 0.5, 0.5, 1 / 3, 1.0
AUC_SEEDS, AUC_BEHIND = 10, 0.001


def statement(library, table, label, rows, more="", where=""):
    return (f"SELECT * FROM {table} WHERE rowid <= {rows * 9 // 10}{where} TO TRAIN {STATEMENTS[library]}, "
            f"train.test_size = 0, job.threads = 2{more} LABEL {label} INTO m")


def watch(folder, found):
    """When the worker has opened its rows: its trace is there."""
    while not found.is_set():
        if any(folder.iterdir()):
            found.moment = time.monotonic()
            return
        time.sleep(0.001)


def ours(bench, database, sql):
    """Seconds of the program; and from when the worker knows its rows, the bins' cuts included or not, to the last step
    of training."""
    with tempfile.TemporaryDirectory(dir=bench.folder) as trace:
        found = threading.Event()
        watcher = threading.Thread(target=watch, args=(pathlib.Path(trace), found))
        watcher.start()
        started = time.perf_counter()
        try:
            subprocess.run(bench.command(database, sql), env={**bench.environment, "TOTRAIN_TRACE": trace}, check=True,
                           stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - started
        finally:
            found.set()
            watcher.join()
        *_, last = next(pathlib.Path(trace).iterdir()).read_text(encoding="ascii").splitlines()
    return seconds, json.loads(last)["at"] / 1e6 - found.moment


def auc_of_ours(bench, database, table, rows):
    _, printed = bench.ours(database, f"SELECT * FROM {table} WHERE rowid > {rows * 9 // 10} TO EVALUATE m "
                                      "WITH validation.metrics = 'AUC'")
    return printed[0]["AUC"]


def peer_command(library, database, table, label, rows, *more):
    return [sys.executable, HERE / "tree_peers.py", library, database, table, label, str(rows * 9 // 10), *more]


def theirs(library, database, table, label, rows, *more):
    """Seconds of the script, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(peer_command(library, database, table, label, rows, *more), check=True, capture_output=True,
                          text=True)
    return time.perf_counter() - started, json.loads(done.stdout)


def compare(bench, table, library, name, label, rows, training_bar, script_bar, *more):
    """Side by side: statement to model against the script (with more of its options), and training alone."""
    database = bench.table(name)
    sql = statement(library, name, label, rows)
    whole, training, printed = [], [], {}
    for _ in range(bench.runs):
        seconds, trained = ours(bench, database, sql)
        script, printed = theirs(library, database, name, label, rows, *more)
        whole.append((seconds, script))
        training.append((trained, printed["seconds"]))
    auc = auc_of_ours(bench, database, name, rows)
    case = f"{name}, {rows} rows: trees as {library} has them"
    table.ratio(f"{case}, AUC {auc:.4f}: training with binning", f"{library}, AUC {printed['auc']:.4f}", training,
                training_bar)
    table.ratio(f"{case}: statement to model", f"{library}'s script", whole, script_bar)


def compare_memory(bench, table, library, name, label, rows):
    database = bench.table(name)
    most, _ = memory.peak(bench.command(database, statement(library, name, label, rows)), bench.environment, bench.state)
    peers, _ = memory.peak(peer_command(library, database, name, label, rows), bench.environment, bench.folder)
    table.multiple(f"{name}: peak memory as {library} has trees, {most:.0f} MB", most / peers,
                   f"{library}'s script, {peers:.0f} MB", MEMORY_BAR)


def speed(bench, table):
    for library in STATEMENTS:
        compare(bench, table, library, "rows28", "y", bench.rows, TRAINING_BAR,
                SCRIPT_BAR if library == "lightgbm" else None)
        compare_memory(bench, table, library, "rows28", "y", bench.rows)


def rounds(bench, table):
    """Training alone, with metrics of each round and without; a tenth of the rows is held out in any case."""
    database = bench.table("rows28")

    def seconds(more):
        return ours(bench, database, f"SELECT * FROM rows28 TO TRAIN {STATEMENTS['lightgbm']}, train.test_size = 0.1, "
                                     f"job.threads = 2{more} LABEL y INTO m")[1]

    for metrics in ("LogLoss", "LogLoss,Accuracy,F1", "AUC"):
        pairs = [(seconds(f", validation.metrics = '{metrics}'"), seconds("")) for _ in range(bench.runs)]
        table.ratio(f"rows28, {bench.rows} rows: 100 rounds of trees with {metrics} of each", "the same without", pairs,
                    None)


def clicks(bench, table):
    """26 text columns as categories."""
    compare(bench, table, "lightgbm", "clicks", "clicked", bench.rows, CLICKS_BAR, None)
    compare_memory(bench, table, "lightgbm", "clicks", "clicked", bench.rows)


def predict(bench, table):
    """PREDICT into a table, against LightGBM's predict and CREATE TABLE AS."""
    database = bench.table("rows28")
    bench.ours(database, statement("lightgbm", "rows28", "y", bench.rows))

    def written(measure):
        seconds = measure()
        bench.scan(database, "DROP TABLE written")
        return seconds

    def of_peer():
        _, printed = theirs("lightgbm", database, "rows28", "y", bench.rows, "--predict-all")
        return printed["predict"] + written(
            lambda: bench.scan(database, "CREATE TABLE written AS SELECT * FROM rows28"))

    pairs = [(written(lambda: bench.ours(database, "SELECT * FROM rows28 TO PREDICT written.y USING m")[0]), of_peer())
             for _ in range(min(bench.runs, 3))]
    table.ratio("rows28: PREDICT by 100 trees of 31 leaves into a table", "LightGBM's predict + CREATE TABLE AS", pairs,
                PREDICT_BAR)
    inputs = ", ".join(f"x{i}" for i in range(1, 29))
    summed = f"SELECT sum({inputs.replace(', ', ' + ')}) FROM rows28"
    table.ratio("rows28: avg(totrain_predict(...)), 100 trees of 31 leaves", "sum of all columns", [
        (bench.ours(database, f"SELECT avg(totrain_predict('m', {inputs})) FROM rows28")[0], bench.scan(database, summed))
        for _ in range(min(bench.runs, 3))], None)


def auc(bench, table):
    """The mean over ten seeds, each of which leaves out another fiftieth of the training rows."""
    for name in ("rows28", "plain28"):
        database = bench.table(name)
        for library in STATEMENTS:
            own, (_, peers) = [], theirs(library, database, name, "y", bench.rows, "--seeds", str(AUC_SEEDS))
            for seed in range(AUC_SEEDS):
                bench.ours(database, statement(library, name, "y", bench.rows, f", train.seed = {seed}",
                                               f" AND rowid % 50 <> {seed}"))
                own.append(auc_of_ours(bench, database, name, bench.rows))
            table.difference(f"{name}: AUC of trees as {library} has them, mean of {AUC_SEEDS}, "
                             f"deviation {statistics.stdev(own):.4f}", statistics.mean(own),
                             f"{library}, deviation {statistics.stdev(peers):.4f}", statistics.mean(peers), AUC_BEHIND)


def missing(bench, table):
    """100 columns, half of the values missing."""
    for library in STATEMENTS:
        compare(bench, table, library, "missing100", "y", bench.rows, 1.0, None)
    bench.drop("missing100")


def wide(bench, table):
    """1,000 columns: eight gigabytes of a database for a million rows."""
    for library in STATEMENTS:
        compare(bench, table, library, "wide1000", "y", bench.rows, 1.0, None, "--blocks")
    bench.drop("wide1000")
