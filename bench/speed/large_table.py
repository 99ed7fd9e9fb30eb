"""A table of embeddings that no process holds: on four parameter servers with a limit of memory each.

    large_table.py BUILD [--rows N]

Each of four columns has as many ids as the table has rows, each once: so each row of data makes four rows of weights.
Needs the rights of root, for a control group that says which processes are the job's, and 15 GB of room.
"""

import argparse
import pathlib
import sqlite3
import sys
import tempfile

import larger_than_memory

ROWS, SERVERS, GIGABYTES = 10000000, 4, 3
DIMENSION, SLOTS = 16, 2  # an embedding's; Adam's
WORKER_MEGABYTES = 200  # a worker's, and the session's, but for pages of files


def statement(rows):
    columns = ", ".join(f"CATEGORY_ID({name}, {rows})" for name in "abcd")
    return (f"SELECT * FROM ids TO TRAIN DNNLinearCombinedClassifier WITH train.epoch = 1, train.batch_size = 1024, "
            f"model.hidden_units = [32], model.embedding_dimension = {DIMENSION}, job.max_workers = 2, "
            f"job.ps = {SERVERS}, job.ps_memory = '{GIGABYTES}Gi' COLUMN x, {columns} LABEL clicked INTO m")


def generate(path, rows):
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE ids (x REAL, a INTEGER, b INTEGER, c INTEGER, d INTEGER, clicked INTEGER)")
    database.execute(f"WITH RECURSIVE r (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i + 1 < {rows}) "
                     "INSERT INTO ids SELECT (i * 7919 % 1000) / 500.0 - 1, i, "
                     f"(i * 48271 + 11) % {rows}, (i * 69621 + 5) % {rows}, (i * 16807 + 3) % {rows}, "
                     "((i * 7919 % 1000) / 500.0 - 1 > 0) <> (i % 10 = 0) FROM r")
    database.commit()
    database.close()


def weights_bytes(rows):
    """Bytes of all rows of weights with their optimizer's state, a tenth of the rows of data being held out."""
    return 0.9 * 4 * rows * (DIMENSION + 1) * (1 + SLOTS) * 4


def problems_of(run):
    found = [f"exit code {run.code}: {run.printed}"] if run.code else []
    for name, (_, anonymous) in run.held.items():
        most = GIGABYTES * 2**30 if name.startswith("ps ") else WORKER_MEGABYTES * 10**6
        if anonymous > most:
            found.append(f"{name} holds {anonymous / 1e6:.0f} MB, of at most {most / 1e6:.0f}")
    return found


def measure(build, folder, rows):
    database = folder / "ids.db"
    generate(database, rows)
    run = larger_than_memory.train(build, database, folder / "state", statement=statement(rows))
    return run, problems_of(run)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    build = options.build.resolve()
    (build / "bench").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build / "bench") as folder:
        run, problems = measure(build, pathlib.Path(folder), options.rows)
    print(f"{options.rows} rows of data, {weights_bytes(options.rows) / 1e9:.1f} GB of weights and slots: {run.seconds:.1f} s")
    for what, size in larger_than_memory.peaks(run):
        print(f"  {what}: {size / 1e6:.0f} MB")
    for problem in problems:
        print(f"WRONG: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
