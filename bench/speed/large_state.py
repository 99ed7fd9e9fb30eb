"""The memory of workers while a state of more than 1 GiB goes from one to another."""

import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
from waiting import processes_of, wait_for  # noqa: E402

INPUTS, ROWS, HIDDEN = 28, 256, (8192, 8192, 4096)
PATIENCE = 600  # seconds for a step, which other programs may delay
STATEMENT = (f"SELECT * FROM (SELECT * FROM rows28 LIMIT {ROWS}) TO TRAIN DNNClassifier WITH "
             f"model.hidden_units = {{hidden}}, train.epoch = 10000, train.batch_size = {ROWS}, job.lanes = 2, "
             "job.min_workers = 2, job.max_workers = 2, job.checkpoint_seconds = 3600 LABEL y INTO m")


def state_bytes(hidden):
    """Weights and biases, and Adam's two slots of each."""
    widths = (INPUTS, *hidden, 1)
    return 3 * 4 * sum((inputs + 1) * units for inputs, units in zip(widths, widths[1:]))


def roles_of(state):
    """Ids of processes by their names; workers are called by their index."""
    found = {}
    for pid in processes_of(state):
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        found[int(words[words.index("--index") + 1]) if words[1] == "worker" else words[1]] = pid
    return found


def most_held(pid):
    """Bytes."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return 1024 * int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE).group(1))


class Job:
    """Two workers with processes of their own, which do not end by themselves."""

    def __init__(self, program, database, state, hidden):
        self.state = state
        self.process = subprocess.Popen([program, database, "--progress=none", "-c", STATEMENT.format(hidden=list(hidden))],
                                        env={**os.environ, "TOTRAIN_STATE": str(state)}, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def log(self):
        return "".join(path.read_text(errors="replace") for path in self.state.glob("jobs/*/log"))

    def field(self, name):
        store = sqlite3.connect(next(self.state.glob("jobs/*/job.db")))
        try:
            return store.execute(f"SELECT {name} FROM job").fetchone()[0]
        finally:
            store.close()

    def wait_for(self, condition, what):
        def is_so():
            if self.process.poll() is not None:
                raise RuntimeError(f"the job ended before {what}:\n{self.log()}")
            return condition()
        return wait_for(is_so, what, PATIENCE)

    def wait_for_group(self, count):
        """So many groups of two were made, and the last one has learned."""
        self.wait_for(lambda: self.log().count(", 2 workers") >= count, f"group {count}")
        step = self.field("step")
        self.wait_for(lambda: self.field("step") > step + 1, "a step")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        wait_for(lambda: not processes_of(self.state), "the end of the job")


def measure(program, database, state, hidden=HIDDEN):
    """The most that each held, in bytes, by what it is. The sender is the worker that stays."""
    job = Job(program, database, state, hidden)
    try:
        job.wait_for_group(1)
        before = roles_of(state)
        held = most_held(before[0])
        os.kill(before[1], signal.SIGKILL)
        job.wait_for(lambda: "worker 1 joined: incarnation 1" in job.log(), "another worker")
        job.wait_for_group(2)
        after = roles_of(state)
        if after[0] != before[0] or "restored" in job.log() or job.field("rows_redone") > ROWS:
            raise RuntimeError(f"nobody was sent a state:\n{job.log()}")
        return {"sender, before": held, "sender, after": most_held(after[0]), "receiver": most_held(after[1]),
                "master": most_held(after["master"]), "supervisor": most_held(after["supervise"])}
    finally:
        job.end()
