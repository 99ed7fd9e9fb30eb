"""Speed and memory, as ratios to limits and peers measured in the same run.

Every case alternates between us and what it is compared with, and gives the
median of the ratios pair by pair, with the least and the greatest. We are
measured as a user sees it: from the start of the program to its end, the model
in the database. The limits are measured without the start of their process.
Seconds are shown to make the ratios plausible; no verdict depends on one but that on Ctrl-C.
"""

import argparse
import csv
import json
import os
import pathlib
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import click_cases
import forest_cases
import graph_cases
import interrupting
import large_state
import large_table
import larger_than_memory
import memory
import one_row
import server_cases
import slow_disk
import tables
import tree_cases

HERE = pathlib.Path(__file__).resolve().parent
IRIS = HERE.parents[1] / "examples" / "data" / "iris.csv"
BATCH = 512
HIDDEN = (64, 32)
MEGABYTES_MOST = 400


def own_products():
    """Which way the program takes, by the rule of products.c."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    if "avx512f" in flags:
        return "AVX-512"
    return "AVX2 and FMA" if "avx2" in flags and "fma" in flags else "plain"


def kernels_of_processor():
    """The OpenBLAS kernel set that fits; 0.3.21 picks a slower one on newer AMD processors."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return "SkylakeX" if "avx512vl" in flags else "Haswell" if "avx2" in flags else ""


class Bench:
    """The programs, the tables and one measurement of each kind."""

    def __init__(self, arguments, folder):
        self.build = arguments.build
        self.program = arguments.build / "totrain"
        self.rows, self.runs = arguments.rows, arguments.runs
        self.folder = folder
        self.state = folder / "state"
        self.environment = {**os.environ, "TOTRAIN_STATE": str(self.state)}
        self.copies = {}
        self.kernels = kernels_of_processor()

    def table(self, name):
        """A copy of the generated table, to train and predict in."""
        if name not in self.copies:
            made = tables.generated(self.build, name, self.rows)
            self.copies[name] = self.folder / made.name
            shutil.copyfile(made, self.copies[name])
        return self.copies[name]

    def drop(self, name):
        path = self.copies.pop(name, None)
        if path:
            path.unlink()

    def command(self, database, sql):
        return [self.program, database, "--format", "json", "--progress=none", "-c", sql]

    def ours(self, database, sql):
        """Seconds of the program, and the rows it printed."""
        started = time.perf_counter()
        done = subprocess.run(self.command(database, sql), env=self.environment, check=True,
                              capture_output=True, text=True)
        seconds = time.perf_counter() - started
        return seconds, json.loads(done.stdout or "[]")

    def scan(self, database, sql):
        done = subprocess.run([self.build / "bench" / "scan", database, sql], check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)["seconds"]

    def gemm(self, rows, batch=BATCH):
        widths = map(str, (28, *HIDDEN, 1))
        done = subprocess.run([self.build / "bench" / "gemm", str(rows), str(batch), *widths],
                              check=True, capture_output=True, text=True,
                              env={**os.environ, "OPENBLAS_CORETYPE": self.kernels})
        return json.loads(done.stdout)

    def peer(self, name, database, table, label, epochs, batch, hidden):
        command = [sys.executable, HERE / "peers.py", name, database, table, label, str(epochs),
                   str(batch), *map(str, hidden)]
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, command)
        return (time.perf_counter() - started, json.loads(printed)["accuracy"],
                usage.ru_maxrss * 1024 / 1e6)


class Table:
    """The table of results, a row as soon as it is measured."""

    def __init__(self):
        self.all_met = True
        print("| case | ours, s | compared with | s | ratio (least to greatest) | bar | met |")
        print("|---|---|---|---|---|---|---|", flush=True)

    def verdict(self, value, bar):
        if bar is None:
            return "", ""
        self.all_met &= value <= bar
        return f"{bar:g}", "yes" if value <= bar else "NO"

    def ratio(self, case, against, pairs, bar):
        ratios = [ours / other for ours, other in pairs]
        ratio = statistics.median(ratios)
        ours, other = (statistics.median(side) for side in zip(*pairs))
        bar, met = self.verdict(ratio, bar)
        print(f"| {case} | {ours:.3f} | {against} | {other:.3f} | {ratio:.2f} ({min(ratios):.2f} to "
              f"{max(ratios):.2f}) | {bar} | {met} |", flush=True)

    def megabytes(self, case, megabytes, bar):
        shown, met = self.verdict(megabytes, bar)
        print(f"| {case} | | | | {megabytes:.0f} MB | {shown} | {met} |", flush=True)

    def seconds(self, case, times, bar):
        """The median is shown, the greatest counts."""
        shown, met = self.verdict(max(times), bar)
        print(f"| {case} | {statistics.median(times):.4f} | | | greatest {max(times):.4f} | {shown} | {met} |", flush=True)

    def multiple(self, case, value, unit, bar):
        shown, met = self.verdict(value, bar)
        print(f"| {case} | | {unit} | | {value:.2f} | {shown} | {met} |", flush=True)

    def difference(self, case, value, against, other, behind):
        """The greater is the better one, and may be `behind` at most."""
        met = value >= other - behind
        self.all_met &= met
        print(f"| {case} | {value:.4f} | {against} | {other:.4f} | {value - other:+.4f} | {-behind:g} | "
              f"{'yes' if met else 'NO'} |", flush=True)

    def outcome(self, case, seconds, problems):
        self.all_met &= not problems
        print(f"| {case} | {seconds:.0f} | | | {'; '.join(problems)} | done | {'NO' if problems else 'yes'} |", flush=True)


def training(table, label, estimator="DNNClassifier", epochs=1, batch=BATCH, hidden=HIDDEN,
             activation="relu"):
    layers = f"model.hidden_units = [{', '.join(map(str, hidden))}], " if hidden else ""
    layers += f"model.activation = '{activation}', " if activation != "relu" else ""
    return (f"SELECT * FROM {table} TO TRAIN {estimator} WITH {layers}train.batch_size = {batch}, "
            f"train.epoch = {epochs} LABEL {label} INTO m")


def alternate(runs, ours, other):
    return [(ours(), other()) for _ in range(runs)]


def accuracy_of(printed):
    return next(row["value"] for row in printed if row["name"] == "Accuracy")


# ---- the cases ----

def train_one_epoch(bench, table):
    database = bench.table("rows28")
    table.ratio("rows28: DNN 64-32, 1 epoch", "scan", alternate(
        bench.runs, lambda: bench.ours(database, training("rows28", "y"))[0],
        lambda: bench.scan(database, "SELECT * FROM rows28")), 1.0)


def train_ten_epochs(bench, table):
    database = bench.table("rows28")
    table.ratio("rows28: DNN 64-32, 10 epochs", "scan + GEMM", alternate(
        bench.runs, lambda: bench.ours(database, training("rows28", "y", epochs=10))[0],
        lambda: bench.scan(database, "SELECT * FROM rows28")
        + bench.gemm(10 * bench.rows)["seconds"]), 1.5)


def train_linear(bench, table):
    database = bench.table("rows28")
    sql = training("rows28", "y", "LinearClassifier", hidden=())
    table.ratio("rows28: LinearClassifier, 1 epoch", "scan", alternate(
        bench.runs, lambda: bench.ours(database, sql)[0],
        lambda: bench.scan(database, "SELECT * FROM rows28")), 0.8)


def train_memory(bench, table):
    database = bench.table("rows28")
    for epochs in (1, 10):
        most, _ = memory.peak(bench.command(database, training("rows28", "y", epochs=epochs)),
                              bench.environment, bench.state)
        table.megabytes(f"rows28: DNN 64-32, {epochs} epoch{'s' * (epochs > 1)}, peak memory",
                        most, MEGABYTES_MOST)


def predict_table(bench, table):
    database = bench.table("rows28")
    bench.ours(database, training("rows28", "y"))

    def cleared(measure):
        """Both write into pages that the file already has."""
        seconds = measure()
        with sqlite3.connect(database) as connection:
            connection.execute("DROP TABLE written")
        return seconds

    def predict():
        return cleared(lambda: bench.ours(
            database, "SELECT * FROM rows28 TO PREDICT written.y USING m")[0])

    def copy():
        return cleared(lambda: bench.scan(
            database, "CREATE TABLE written AS SELECT * FROM rows28"))

    copy()
    table.ratio("rows28: PREDICT into a table", "CREATE TABLE AS", alternate(
        bench.runs, predict, copy), 2.0)


def evaluate(bench, table):
    database = bench.table("rows28")
    bench.ours(database, training("rows28", "y"))
    table.ratio("rows28: EVALUATE", "scan", alternate(
        bench.runs, lambda: bench.ours(database, "SELECT * FROM rows28 TO EVALUATE m")[0],
        lambda: bench.scan(database, "SELECT * FROM rows28")), None)


def own_result(bench, table):
    """From the last step, as the worker says it (TOTRAIN_TRACE), to the end of the program: the job measures the model
    on the half of the rows that it held out and on a sample of the others, and the model is published."""
    database = bench.table("rows28")
    sql = training("rows28", "y").replace("train.epoch", "train.test_size = 0.5, train.epoch")

    def measure_and_publish():
        with tempfile.TemporaryDirectory(dir=bench.folder) as trace:
            subprocess.run(bench.command(database, sql), env={**bench.environment, "TOTRAIN_TRACE": trace}, check=True,
                           stdout=subprocess.DEVNULL)
            ended = time.monotonic()
            *_, last = next(pathlib.Path(trace).iterdir()).read_text(encoding="ascii").splitlines()
        return ended - json.loads(last)["at"] / 1e6

    bench.ours(database, sql)
    table.ratio("rows28: TRAIN's own result, and its model published", "EVALUATE", alternate(
        bench.runs, measure_and_publish, lambda: bench.ours(database, "SELECT * FROM rows28 TO EVALUATE m")[0]), 1.0)


def interrupt_python(bench, table):
    database = bench.table("rows28")
    for name in interrupting.STATEMENTS:
        table.seconds(f"SIGINT to Python's exception, TRAIN {name}, 10 runs", interrupting.measure(
            bench.build / "totrain", database, bench.folder, name, 10), 1)


def send_large_state(bench, table):
    """The memory that sending a state costs: the growth of the sender's peak."""
    peaks = large_state.measure(bench.program, bench.table("rows28"), bench.folder / "large")
    size = large_state.state_bytes(large_state.HIDDEN)
    state = f"a state of {size / 1e6:.0f} MB"
    for role, held in peaks.items():
        table.multiple(f"a worker is replaced: peak memory of the {role}", held / size, state, None)
    added = peaks["sender, after"] - peaks["sender, before"]
    table.multiple("a worker is replaced: what sending adds to the sender's", max(added, 0) / size, state, 0.25)


def publish_on_slow_disk(bench, table):
    folder = bench.folder / "slow"
    folder.mkdir()
    seconds, size, problems = slow_disk.measure(bench.build, folder, slow_disk.WORDS, slow_disk.MEGABYTES)
    table.outcome(f"{slow_disk.WORDS} words x 64, a model of {size / 1e6:.0f} MB, disk of {slow_disk.MEGABYTES} MB/s, busy machine",
                  seconds, problems)


def train_larger_than_memory(bench, table):
    rows, megabytes = larger_than_memory.ROWS, larger_than_memory.MEGABYTES
    folder = bench.folder / "larger"
    folder.mkdir()
    case = f"rows28, {rows} rows: DNN 64-32, 1 epoch, all processes in {megabytes} MB"
    try:
        free, limited, problems = larger_than_memory.measure(bench.build, folder, rows, megabytes)
    except PermissionError as error:
        table.outcome(case, 0, [f"no control group can be made: {error}"])
        return
    table.ratio(case, "no limit", [(limited.seconds, free.seconds)], larger_than_memory.BAR)
    table.megabytes(f"{case}, peak of all without a limit", free.peak / 1e6, None)
    for what, size in larger_than_memory.peaks(limited):
        table.megabytes(f"{case}, peak: {what}", size / 1e6, None)
    table.outcome(case, limited.seconds, problems)


def train_large_table(bench, table):
    folder = bench.folder / "large-table"
    folder.mkdir()
    case = (f"{large_table.weights_bytes(large_table.ROWS) / 1e9:.1f} GB of weights and slots on {large_table.SERVERS} servers "
            f"of {large_table.GIGABYTES} GB")
    try:
        run, problems = large_table.measure(bench.build, folder, large_table.ROWS)
    except PermissionError as error:
        table.outcome(case, 0, [f"no control group can be made: {error}"])
        return
    for name, (_, anonymous) in run.held.items():
        table.megabytes(f"{case}, peak without files: {name}", anonymous / 1e6, None)
    table.outcome(case, run.seconds, problems)


def predict_function(bench, table, activation="relu", hidden=HIDDEN, bar=3.0):
    database = bench.table("rows28")
    inputs = [f"x{i}" for i in range(1, 29)]
    bench.ours(database, training("rows28", "y", activation=activation, hidden=hidden))
    scored = f"SELECT avg(totrain_predict('m', {', '.join(inputs)})) FROM rows28"
    summed = f"SELECT sum({' + '.join(inputs)}) FROM rows28"
    network = f"{'-'.join(map(str, hidden))}{f' {activation}' if activation != 'relu' else ''}"
    table.ratio(f"rows28: avg(totrain_predict(...)), {network}", "sum of all columns", alternate(
        bench.runs, lambda: bench.ours(database, scored)[0],
        lambda: bench.scan(database, summed)), bar)


def predict_one_row(bench, table):
    measured = one_row.measure(bench.build / "totrain", bench.table("rows28"), 2 * bench.runs + 1, bench.state)
    for name, (kept, read) in measured.items():
        table.seconds(f"one row, {name} model, {one_row.STATEMENTS} prepared statements, more than SELECT 1; {read:.3f} not kept",
                      kept, one_row.MODELS[name][-1])


def predict_function_tanh(bench, table):
    predict_function(bench, table, activation="tanh")


def predict_function_wide(bench, table):
    predict_function(bench, table, hidden=(256, 128), bar=None)


def peers_rows28(bench, table, name="scikit-learn"):
    database = bench.table("rows28")
    pairs, accuracies, most = [], [], 0
    for _ in range(min(bench.runs, 3)):
        ours, printed = bench.ours(database, training("rows28", "y"))
        theirs, accuracy, megabytes = bench.peer(name, database, "rows28", "y", 1, BATCH, HIDDEN)
        pairs.append((ours, theirs))
        accuracies.append((accuracy_of(printed), accuracy))
        most = max(most, megabytes)
    mean = [statistics.mean(side) for side in zip(*accuracies)]
    table.ratio(f"rows28: DNN 64-32, 1 epoch, accuracy {mean[0]:.3f}",
                f"{name}, accuracy {mean[1]:.3f}, {most:.0f} MB", pairs, None)


def peers_pytorch(bench, table):
    peers_rows28(bench, table, "pytorch")


def train_iris(bench, table):
    database = bench.folder / "iris.db"
    with open(IRIS, newline="") as file, sqlite3.connect(database) as connection:
        header, *rows = csv.reader(file)
        connection.execute(f"CREATE TABLE iris({', '.join(f'{c} REAL' for c in header[:-1])}, "
                           f"{header[-1]} TEXT)")
        connection.executemany("INSERT INTO iris VALUES(?, ?, ?, ?, ?)", rows)
    sql = training("iris", header[-1], epochs=50, batch=32, hidden=(16, 16))
    pairs = alternate(
        bench.runs, lambda: bench.ours(database, sql)[0],
        lambda: bench.peer("scikit-learn", database, "iris", header[-1], 50, 32, (16, 16))[0])
    table.ratio("iris: DNN 16-16, 50 epochs", "scikit-learn's script", pairs, 0.1)


def train_clicks(bench, table):
    bench.drop("rows28")
    database = bench.table("clicks")
    started, _ = bench.ours(database, training("clicks", "clicked"))
    runs = bench.runs if started < 20 else 1
    pairs = [(started, bench.scan(database, "SELECT * FROM clicks"))]
    pairs += alternate(runs - 1, lambda: bench.ours(database, training("clicks", "clicked"))[0],
                       lambda: bench.scan(database, "SELECT * FROM clicks"))
    table.ratio("clicks: DNN 64-32, 1 epoch" + (", one run" if runs == 1 else ""), "scan", pairs,
                None)


def train_words(bench, table):
    """The cost of a column of 50,000 words beside four numbers: half of the other cases' rows."""
    made = tables.generated(bench.build, "words", bench.rows // 2)
    database = bench.folder / made.name
    shutil.copyfile(made, database)
    for estimator, hidden in (("DNNClassifier", HIDDEN), ("LinearClassifier", ())):
        for epochs in (1, 10):
            with_words = training("words", "y", estimator, epochs=epochs, batch=128, hidden=hidden)
            numbers = with_words.replace("SELECT *", "SELECT x1, x2, x3, x4, y")
            table.ratio(f"words: {estimator}, {epochs} epoch{'s' * (epochs > 1)}", "without the words", alternate(
                bench.runs, lambda: bench.ours(database, with_words)[0],
                lambda: bench.ours(database, numbers)[0]), 1.5)


OF_PYTORCH = {"pytorch", "clicks-embedded", "graphs-pytorch"}
CASES = {
    "one-epoch": train_one_epoch,
    "ten-epochs": train_ten_epochs,
    "linear": train_linear,
    "memory": train_memory,
    "predict": predict_table,
    "function": predict_function,
    "one-row": predict_one_row,
    "function-tanh": predict_function_tanh,
    "function-wide": predict_function_wide,
    "evaluate": evaluate,
    "result": own_result,
    "interrupt": interrupt_python,
    "iris": train_iris,
    "scikit-learn": peers_rows28,
    "pytorch": peers_pytorch,
    "clicks": train_clicks,
    "clicks-embedded": click_cases.embedded,
    "graphs": graph_cases.layers,
    "graphs-pytorch": graph_cases.peers,
    "words": train_words,
    "servers": server_cases.rows,
    "trees": tree_cases.speed,
    "trees-rounds": tree_cases.rounds,
    "trees-clicks": tree_cases.clicks,
    "trees-missing": tree_cases.missing,
    "trees-predict": tree_cases.predict,
    "trees-auc": tree_cases.auc,
    "trees-wide": tree_cases.wide,
    "forests": forest_cases.speed,
    "large-state": send_large_state,
    "large-table": train_large_table,
    "slow-disk": publish_on_slow_disk,
    "larger-than-memory": train_larger_than_memory,
}
ONLY_WHEN_FULL = ("trees-auc", "trees-missing", "large-state", "large-table", "slow-disk", "larger-than-memory")  # minutes each
ONLY_WHEN_NAMED = ("trees-wide",)  # needs a disk of 20 GB


# ---- what it was measured on ----

def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def version_of(package):
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def print_machine(bench):
    packages = [f"{name} {version}" for name in ("scikit-learn", "pandas", "numpy", "torch", "lightgbm", "xgboost")
                if (version := version_of(name))]
    batch, lane = bench.gemm(1000000), bench.gemm(1000000, 16)
    version = subprocess.run([bench.program, "--version"], capture_output=True,
                             text=True).stdout.strip()
    print(f"\nProcessor: {processor()}, {len(os.sched_getaffinity(0))} cores, "
          f"load {os.getloadavg()[0]:.1f}, {platform.system()} {platform.release()}.")
    print(f"Products of ours: {own_products()} (arithmetic/products.c).")
    print(f"Reference: OPENBLAS_CORETYPE={bench.kernels or '(not set)'}, {batch['openblas']}. "
          f"GEMM of the network 28-64-32-1 on one core: {batch['gflops']} GFLOPS in batches of "
          f"{BATCH}, {lane['gflops']} in lanes of 16 rows.")
    print(f"Versions: {version}, Python {platform.python_version()}, SQLite of peers "
          f"{sqlite3.sqlite_version}, {', '.join(packages)}.")


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", metavar="case",
                        help=f"some of {', '.join(CASES)}; all by default")
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="100,000 rows, 3 runs")
    parser.add_argument("--peers", action="store_true", help="PyTorch, too")
    arguments = parser.parse_intermixed_args(argv)
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"there is no case {', '.join(sorted(unknown))}: {', '.join(CASES)}")
    if arguments.quick:
        arguments.rows, arguments.runs = 100000, 3
    if not arguments.cases:
        arguments.cases = [case for case in CASES if (case not in OF_PYTORCH or arguments.peers)
                           and case not in ONLY_WHEN_NAMED and not (arguments.quick and case in ONLY_WHEN_FULL)]
    return arguments


def main():
    arguments = arguments_of(sys.argv[1:])
    arguments.build = arguments.build.resolve()
    with tempfile.TemporaryDirectory(dir=arguments.build / "bench") as folder:
        bench = Bench(arguments, pathlib.Path(folder))
        print(f"{arguments.rows} rows, median of {arguments.runs} alternating runs\n")
        table = Table()
        for case in arguments.cases:
            CASES[case](bench, table)
        print_machine(bench)
    if not OF_PYTORCH & set(arguments.cases):
        print("PyTorch: left out; its build on PyPI brings CUDA with it. --peers installs it.")
    if arguments.rows < 1000000:
        print("The bars are for a million rows: with fewer, starting processes weighs more.")
    sys.exit(0 if table.all_met else 1)


if __name__ == "__main__":
    main()
