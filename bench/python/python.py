"""The package for Python: what `import totrain` takes, a million rows of a DataFrame, and what a notebook sees.

    import     the package, above what Python itself takes to start
    frame      a DataFrame as the FROM of TRAIN, against a table of SQLite with the same rows; both in this process
    predict    a DataFrame into Model.predict, against the SQL that predicts the table
    notebook   a cell's first output after it was sent to the kernel, and the times between updates of its curve
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "speed"), str(HERE.parents[1] / "tests" / "python")]

import pandas  # noqa: E402

import totrain  # noqa: E402
import tables  # noqa: E402
from speed import Table, training  # noqa: E402

IMPORT_SECONDS, FRAME_RATIO, FIRST_SECONDS, UPDATE_SECONDS = .05, 1.3, .2, .5


def seconds_of(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def start_python(code):
    return seconds_of(lambda: subprocess.run([sys.executable, "-c", code], check=True))


def import_package(chosen, table):
    start_python("import totrain")  # into the caches
    pairs = [(start_python("import totrain"), start_python("pass")) for _ in range(4 * chosen.runs)]
    taken = statistics.median(ours - other for ours, other in pairs)
    table.seconds("import totrain, above python -c pass", [taken], IMPORT_SECONDS)


def rows_of(chosen):
    """The table of bench/speed, in a copy's connection, and as a DataFrame."""
    connection = totrain.connect(str(chosen.database))
    return connection, pandas.read_sql("SELECT * FROM rows28", connection)


def train_frame(chosen, table):
    connection, frame = rows_of(chosen)
    statement = training("df", "y")
    pairs, digests = [], set()
    for _ in range(chosen.runs):
        ours = seconds_of(lambda: totrain.train(frame, statement, connection=connection))
        digests.add(connection.execute("SELECT digest FROM totrain_models WHERE name = 'm'").fetchone())
        pairs.append((ours, seconds_of(lambda: connection.execute(training("rows28", "y")).fetchall())))
        digests.add(connection.execute("SELECT digest FROM totrain_models WHERE name = 'm'").fetchone())
    table.ratio(f"{len(frame)} rows of a DataFrame: DNN 64-32, 1 epoch", "a table of SQLite", pairs, FRAME_RATIO)
    if len(digests) != 1:
        raise SystemExit(f"the models differ: {digests}")


def predict_frame(chosen, table):
    connection, frame = rows_of(chosen)
    model = totrain.train(frame, training("df", "y"), connection=connection)
    query = "SELECT * FROM rows28 TO PREDICT guess USING m"
    pairs = [(seconds_of(lambda: model.predict(frame)), seconds_of(lambda: connection.execute(query).fetchall()))
             for _ in range(chosen.runs)]
    table.ratio(f"{len(frame)} rows of a DataFrame: predict", "fetchall() of PREDICT", pairs, None)


def watch_cell(kernel, code):
    """Times from sending the cell to its first output, and to each update until there are twenty."""
    began, first, updates = time.perf_counter(), None, []
    for message in kernel.messages(code):
        now = time.perf_counter() - began
        if message["msg_type"] == "display_data" and first is None:
            first = now
        if message["msg_type"] == "update_display_data" and "<path" in message["content"]["data"]["text/html"]:
            updates.append(now)
        if len(updates) == 20:
            kernel.manager.interrupt_kernel()
    return first, updates[:20]


def watch_notebook(chosen, table):
    import harness
    from kernel import Kernel
    kernel = Kernel()
    try:
        folder = pathlib.Path(chosen.database).parent
        os.chdir(folder)
        connection = totrain.connect("iris.db")
        harness.load_iris(connection)
        connection.close()
        kernel.run(f"import os; os.chdir({str(folder)!r})")
        kernel.run("%load_ext totrain\n%totrain iris.db")
        seen = [watch_cell(kernel, f"%%totrain\nSELECT * FROM iris {harness.TRAIN_LONG}") for _ in range(chosen.runs)]
    finally:
        kernel.close()
    table.seconds("a cell's first output", [first for first, _ in seen], FIRST_SECONDS)
    gaps = [after - before for _, updates in seen for before, after in zip(updates, updates[1:])]
    table.seconds("between two updates of its curve", gaps, UPDATE_SECONDS)


CASES = {"import": import_package, "frame": train_frame, "predict": predict_frame, "notebook": watch_notebook}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_intermixed_args()
    if not set(chosen.cases) <= set(CASES):
        parser.error(f"cases are {', '.join(CASES)}")
    table = Table()
    with tempfile.TemporaryDirectory(prefix="totrain-bench.") as name:
        os.environ["TOTRAIN_STATE"] = f"{name}/state"
        chosen.database = pathlib.Path(name) / "rows.db"
        if {"frame", "predict"} & set(chosen.cases):
            chosen.database.write_bytes(tables.generated(chosen.build, "rows28", chosen.rows).read_bytes())
        for case in chosen.cases:
            CASES[case](chosen, table)
    return 0 if table.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
