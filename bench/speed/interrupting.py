"""SIGINT to Debian's python3 while a statement runs in it: how long until the program has its exception."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
from waiting import processes_of, wait_for  # noqa: E402

CHILD = """
import signal, sqlite3, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.enable_load_extension(True)
database.load_extension(sys.argv[2])
try:
    try:
        database.execute(sys.argv[3]).fetchall()
    except sqlite3.Error:
        for _ in range(9): pass  # the interpreter looks for its exception
except KeyboardInterrupt:
    print(time.monotonic())
"""
# Neither ends by itself: one learns in processes of its own, the other still reads.
STATEMENTS = {
    "while it learns": "SELECT * FROM rows28 TO TRAIN DNNClassifier WITH model.hidden_units = [64, 64], train.epoch = 1000000, "
                       "job.min_workers = 2, job.max_workers = 2 LABEL y INTO endless",
    "while it reads": "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i, i % 2 AS y FROM r "
                      "TO TRAIN LinearClassifier LABEL y INTO endless",
}


def has_begun(state, reads):
    """There are rows of the job, or workers that learn from them."""
    return list(state.glob("jobs/*/train.spool")) if reads else len(processes_of(state)) >= 4


def seconds_to_the_exception(extension, database, folder, name, chance):
    state = pathlib.Path(tempfile.mkdtemp(dir=folder))
    child = subprocess.Popen(["/usr/bin/python3", "-c", CHILD, database, extension, STATEMENTS[name]],
                             env={**os.environ, "TOTRAIN_STATE": str(state)}, stdout=subprocess.PIPE, text=True,
                             start_new_session=True)
    try:
        wait_for(lambda: has_begun(state, name == "while it reads"), name)
        time.sleep(chance.uniform(0.1, 1))  # anywhere in it
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        return float(child.communicate()[0]) - sent
    finally:
        child.kill()
        child.wait()
        wait_for(lambda: not processes_of(state), "the end of the job")


def measure(extension, database, folder, name, runs):
    chance = random.Random(1)
    return [seconds_to_the_exception(extension, database, folder, name, chance) for _ in range(runs)]
