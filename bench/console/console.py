"""totrain console measured in Chromium: BUILD

- a thousand jobs: from opening the page to the last row of the list
- a timeline of 200 workers: from opening the job to its last bar
- an event: from the commit of the job's store to the page, the middle one and the slowest of twenty
- a running job: seconds of the same job by its own record, asked about as an open page does and not, in turns
- the console itself: its processor seconds for a second of a running job that is watched
"""

import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "console"))
import chromium  # noqa: E402  pylint: disable=wrong-import-position

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve() / "totrain")
STATEMENT = ("SELECT * FROM rows TO TRAIN DNNClassifier WITH model.hidden_units = [64, 32], train.epoch = 60, train.early_stopping = 0, "
             "job.max_workers = 1 LABEL y INTO m")
ROUNDS = 5


def run(path, statement):
    subprocess.run([PROGRAM, path, "--progress=none", "-c", statement], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_rows(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE rows AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999) "
                         "SELECT sin(i) AS a, cos(i * 7) AS b, sin(i * 3) AS c, cos(i) AS d, (sin(i) + cos(i * 7) > 0) AS y FROM n")
    database.close()


class Console:
    def __init__(self, path):
        self.program = subprocess.Popen([PROGRAM, "console", path], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.address = self.program.stdout.readline().strip()

    def seconds(self):
        fields = pathlib.Path(f"/proc/{self.program.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.program.terminate()
        self.program.wait()
        self.program.stdout.close()


def open_page(console, view, expression):
    """Seconds from navigating until the expression is true."""
    page = chromium.Page()
    begin = time.monotonic()
    page.open(console.address + view)
    page.wait_for(f"document.readyState === 'complete' && ({expression})", view)
    return page, time.monotonic() - begin


def measure_lists(path, state):
    first = next(job for job in (state / "jobs").iterdir() if (job / "job.db").exists())
    for number in range(999):
        shutil.copytree(first, state / "jobs" / str(1000 + number), ignore=shutil.ignore_patterns("*.sock", "*.spool"))
    with sqlite3.connect(first / "job.db") as store:
        store.executemany("INSERT INTO events VALUES (0, 'worker', ?, 'joined', '')", ((index,) for index in range(1, 200)))
    store.close()
    console = Console(path)
    for view, expression, what in (("#jobs", "document.querySelectorAll('#jobs tbody tr').length === 1000", "1,000 jobs"),
                                   (f"#job/{first.name}", "document.querySelectorAll('#job-timeline rect.present').length >= 200", "200 workers")):
        page, seconds = open_page(console, view, expression)
        page.close()
        print(f"{what}: {1000 * seconds:.0f} ms")
    console.end()
    for number in range(999):
        shutil.rmtree(state / "jobs" / str(1000 + number))


def measure_events(path, state):
    """A job that does not run takes events as one that does; its record changes with them."""
    job = next(job for job in (state / "jobs").iterdir() if (job / "job.db").exists())
    console, waits = Console(path), []
    page, _ = open_page(console, f"#job/{job.name}", "document.getElementById('job-events-summary')?.textContent.includes('(')")
    for number in range(20):
        with sqlite3.connect(job / "job.db") as store:
            store.execute("INSERT INTO events VALUES (?, 'master', -1, 'checkpoint', ?)", (number, f"event {number}"))
            store.execute("UPDATE job SET seconds = seconds + 1")
        store.close()
        begin, before = time.monotonic(), page.value("open.events.length")
        page.wait_for(f"open.events.length > {before} || open.events.some((e) => e[4] === 'event {number}')", "the event")
        waits.append(time.monotonic() - begin)
        time.sleep(0.05 + 0.013 * number)
    page.close()
    console.end()
    print(f"an event: {1000 * statistics.median(waits):.0f} ms in the middle, {1000 * max(waits):.0f} ms at most")


def timed(path):
    """Seconds of the job, as its record has them."""
    run(path, STATEMENT)
    done = subprocess.run([PROGRAM, path, "--format=tsv", "-c", "SELECT seconds FROM totrain_jobs ORDER BY id DESC LIMIT 1"], check=True,
                          text=True, stdout=subprocess.PIPE)
    return float(done.stdout.split()[-1])


def watch(address):
    """Asks what a page asks, without a browser, which would take processors from the job."""
    version = 0
    try:
        with urllib.request.urlopen(address + "stream") as stream:
            for line in stream:
                if line.startswith(b"data"):
                    with urllib.request.urlopen(f"{address}jobs?since={version}") as answer:
                        jobs = json.load(answer)
                    version = jobs["version"]
                    if jobs["rows"]:
                        with urllib.request.urlopen(f"{address}job?id={jobs['rows'][-1][1]}") as answer:
                            answer.read()
    except OSError:
        pass  # the console has ended


def measure_job(path):
    alone, watched, own = [], [], []
    for _ in range(ROUNDS):
        alone.append(timed(path))
        console = Console(path)
        threading.Thread(target=watch, args=(console.address,), daemon=True).start()
        used = console.seconds()
        watched.append(timed(path))
        own.append((console.seconds() - used) / watched[-1])
        console.end()
    for name, runs in (("alone", alone), ("watched", watched)):
        print(f"a job {name}: {statistics.median(runs):.2f} s in the middle of {ROUNDS}, {min(runs):.2f} s at least")
    print(f"the console: {100 * statistics.median(own):.1f} % of a processor while a job runs and is watched")


def main():
    if not chromium.is_there():
        print("Debian's package chromium is not installed: the console is not measured")
        return
    with tempfile.TemporaryDirectory(prefix="totrain-console-") as folder:
        path, state = str(pathlib.Path(folder) / "rows.db"), pathlib.Path(folder) / "state"
        os.environ["TOTRAIN_STATE"] = str(state)
        make_rows(path)
        run(path, STATEMENT.replace("epoch = 60", "epoch = 1"))
        measure_lists(path, state)
        measure_events(path, state)
        measure_job(path)


main()
