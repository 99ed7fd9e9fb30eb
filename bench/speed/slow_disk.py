"""A large model is published on a slow disk while the machine is busy: done, in the database, trained once.

    slow_disk.py BUILD [--words N] [--megabytes N]

A detached job learns a network of N words x 64. Everything that its processes write goes to a disk of so many
megabytes a second (tests/faults/slow_disk.c), and for each processor two processes compute besides.
"""

import argparse
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

WORDS, MEGABYTES = 3000000, 20
STATEMENT = ("SELECT * FROM words TO TRAIN DNNClassifier WITH model.hidden_units = [64], train.epoch = 1, train.batch_size = {batch}, "
             "optimizer.name = 'sgd', job.wait = false COLUMN VOCABULARY(word, {words}) LABEL y INTO m")


def make_table(path, words):
    """A row for each word."""
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE words (word TEXT, y INTEGER)")
        database.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
                         "INSERT INTO words SELECT printf('w%07d', i), i % 2 FROM n", (words,))
    database.close()


def first_row(path, sql):
    database = sqlite3.connect(path)
    try:
        return database.execute(sql).fetchone()
    finally:
        database.close()


def problems_of(folder, code):
    """The faults of the run, and the bytes of the model."""
    stores = list((folder / "state" / "jobs").glob("*/job.db"))
    state, redone = first_row(stores[0], "SELECT state, rows_redone FROM job")
    groups, = first_row(stores[0], "SELECT count(*) FROM events WHERE event = 'group'")
    published, = first_row(stores[0], "SELECT state FROM destination")
    size, = first_row(folder / "words.db", "SELECT coalesce(sum(length(data)), 0) FROM m")
    expected = {"exit code": (code, 0), "jobs": (len(stores), 1), "state": (state, "done"), "rows computed again": (redone, 0),
                "groups": (groups, 1), "destination": (published, "published")}
    return [f"{what}: {found}, not {right}" for what, (found, right) in expected.items() if found != right], size


def measure(build, folder, words, megabytes):
    """Seconds from the statement to the model in the database, its bytes, and what is wrong."""
    make_table(folder / "words.db", words)
    environment = {**os.environ, "TOTRAIN_STATE": str(folder / "state"), "LD_PRELOAD": str(build / "tests" / "slow_disk.so"),
                   "TOTRAIN_DISK": f"{megabytes} {folder / 'disk'}"}
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * len(os.sched_getaffinity(0)))]
    try:
        started = time.monotonic()
        subprocess.run([build / "totrain", folder / "words.db", "--progress=none", "-c",
                        STATEMENT.format(words=words, batch=max(words // 4, 1))],
                       env=environment, check=True, stdout=subprocess.DEVNULL)
        waited = subprocess.run([build / "totrain", "wait", "1", "--progress=none"], env=environment, check=False,
                                stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - started
    finally:
        for process in busy:
            process.kill()
            process.wait()
    problems, size = problems_of(folder, waited.returncode)
    return seconds, size, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, help="a second")
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory(dir=build / "bench") as folder:
        seconds, size, problems = measure(build, pathlib.Path(folder), options.words, options.megabytes)
    print(f"{options.words} words x 64 on a disk of {options.megabytes} MB/s, busy machine: a model of {size / 1e6:.0f} MB is in "
          f"the database after {seconds:.0f} s" + "".join(f"; WRONG: {problem}" for problem in problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
