"""A job whose table is larger than the memory that it may use, against the same job without a limit.

    larger_than_memory.py BUILD [--rows N] [--megabytes N]

One control group holds the session and all processes that it starts, and its limit is one for all of them together:
their own pages, and what the kernel keeps of the files that they read and write. So each process is under that limit,
and under a stricter one than in a group by itself. Needs the rights of root. The table is generated once, under
BUILD/bench; before each run its pages leave the kernel's cache, so that the run which reads them is charged for them.
"""

import argparse
import dataclasses
import math
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import tables

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "k8s" / "lab")]
import cgroups  # noqa: E402
from waiting import wait_for  # noqa: E402

ROWS, MEGABYTES = 20000000, 600
BAR = 1.3  # times the time without a limit
PATIENCE = 20  # likewise: a run that takes longer is ended
PERIOD = 0.05  # seconds between two looks at the processes
STATEMENT = ("SELECT * FROM rows28 TO TRAIN DNNClassifier WITH model.hidden_units = [64, 32], train.batch_size = 512, "
             "train.epoch = 1 LABEL y INTO m")


def memory_hierarchy():
    """(folder, is version 2) of the hierarchy that counts memory."""
    for top, second in cgroups.mounts():
        if second and "memory" in (top / "cgroup.controllers").read_text().split():
            cgroups.enable_controllers(top)
            return top, True
        if not second and (top / "memory.limit_in_bytes").exists():
            return top, False
    raise OSError("no control groups for memory are mounted")


class Group:
    """A control group for memory, with a limit in bytes or without one."""

    def __init__(self, name, limit=None):
        self.name = name
        top, self.second = memory_hierarchy()
        self.folder = top / name
        self.folder.mkdir()
        if limit:
            self.set_limit(limit)

    def set_limit(self, limit):
        """Limits the memory; none of it may be swapped out instead."""
        self.file("memory.max", "memory.limit_in_bytes").write_text(str(limit))
        swap = self.file("memory.swap.max", "memory.memsw.limit_in_bytes")
        if swap.exists():  # a kernel can be built without
            swap.write_text("0" if self.second else str(limit))

    def file(self, second, first):
        """By its name in version 2 and in version 1."""
        return self.folder / (second if self.second else first)

    def enter(self):
        """The calling process, and what it starts from now on."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def processes(self):
        return [int(pid) for pid in (self.folder / "cgroup.procs").read_text().split()]

    def peak(self):
        """Bytes."""
        return int(self.file("memory.peak", "memory.max_usage_in_bytes").read_text())

    def killed(self):
        """Processes that the kernel killed for the limit."""
        counts = self.file("memory.events", "memory.oom_control").read_text()
        return int(re.search(r"^oom_kill (\d+)$", counts, re.MULTILINE).group(1))

    def has_ended(self):
        return not self.processes()

    def kill(self):
        """All processes, and those that they have just started."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return self.has_ended()

    def remove(self):
        cgroups.remove(self.name)


@dataclasses.dataclass
class Run:
    """The outcome of a job; the most that each process held in bytes, by its name: all of it, and without its
    files."""
    seconds: float = 0
    code: int = 0
    printed: str = ""
    peak: int = 0
    killed: int = 0
    digest: str = None
    held: dict = dataclasses.field(default_factory=dict)


def name_of(pid):
    """Its command and, of a worker, its index; the session is the one without."""
    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    if words[1:2] in (["worker"], ["ps"]):
        return f"{words[1]} {words[words.index('--index') + 1]}"
    return words[1] if words[1:2] and words[1] in ("supervise", "master", "publish") else "session"


def look(group, held):
    """VmHWM and RssAnon of each process, as large as they have been seen."""
    for pid in group.processes():
        try:
            name = name_of(pid)
            status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue  # it has just ended
        kilobytes = [re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE) for field in ("VmHWM", "RssAnon")]
        if all(kilobytes):  # a process that ends has none
            held[name] = tuple(max(1024 * int(now.group(1)), before)
                               for now, before in zip(kilobytes, held.get(name, (0, 0))))


def drop_pages(path):
    """From the kernel's cache."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def execute(path, sql):
    """The first row, None where there is none."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        return database.execute(sql).fetchone()
    finally:
        database.close()


def follow(process, group, held, seconds):
    """Until the session has ended, or for so many seconds where they are given."""
    end = time.monotonic() + seconds if seconds else math.inf
    while process.poll() is None and time.monotonic() < end:
        look(group, held)
        try:
            process.wait(PERIOD)
        except subprocess.TimeoutExpired:
            pass


def train(build, database, folder, limit=None, seconds=None, statement=STATEMENT):
    """One run, in a group of its own, and ended after so many seconds."""
    execute(database, "DROP TABLE IF EXISTS m")
    drop_pages(database)
    run = Run()
    group = Group(f"totrain-bench-{os.getpid()}", limit)
    try:
        started = time.monotonic()
        process = subprocess.Popen([build / "totrain", database, "--format", "json", "--progress=none", "-c", statement],
                                   env={**os.environ, "TOTRAIN_STATE": str(folder)}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=group.enter)
        follow(process, group, run.held, seconds)
        run.seconds = time.monotonic() - started
        if process.poll() is None:
            wait_for(group.kill, "the end of killed processes")
        run.printed = process.communicate()[1].strip()
        run.code = process.returncode
        wait_for(group.has_ended, "the end of the job's processes")
        run.peak, run.killed = group.peak(), group.killed()
    finally:
        wait_for(group.kill, "the end of killed processes")
        group.remove()
    if run.code == 0:
        run.digest, = execute(database, "SELECT json_extract(data, '$.digest') FROM m WHERE part = 'meta'")
    execute(database, "DROP TABLE IF EXISTS m")
    return run


def problems_of(free, limited, limit):
    """The faults found in the two runs."""
    found = [f"{name}: exit code {run.code} after {run.seconds:.0f} s {run.printed}"
             for name, run in (("unlimited", free), ("limited", limited)) if run.code]
    if limited.killed:
        found.append(f"{limited.killed} processes were killed for the limit")
    if limited.peak > limit:
        found.append("the limit was not kept")
    if free.peak <= limit:
        found.append(f"without a limit {free.peak / 1e6:.0f} MB were enough")
    if not limited.code and not free.code and limited.digest != free.digest:
        found.append(f"another model: digests {free.digest} and {limited.digest}")
    return found


def measure(build, folder, rows, megabytes):
    """The run without a limit, the one with it, and what is wrong."""
    Group(f"totrain-bench-{os.getpid()}").remove()  # is refused, where it is, before the table is made
    database = tables.generated(build, "rows28", rows)
    free = train(build, database, folder / "unlimited")
    limited = train(build, database, folder / "limited", megabytes * 10**6, PATIENCE * free.seconds)
    return free, limited, problems_of(free, limited, megabytes * 10**6)


def peaks(run):
    """(what, bytes) of the group and of each of its processes."""
    yield "all processes and their files in the kernel's cache", run.peak
    for name, (resident, anonymous) in run.held.items():
        yield f"{name}, VmHWM", resident
        yield f"{name}, RssAnon", anonymous


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, help="of all processes together")
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory(dir=build / "bench") as folder:
        free, limited, problems = measure(build, pathlib.Path(folder), options.rows, options.megabytes)
    print(f"{options.rows} rows: {limited.seconds:.1f} s with {options.megabytes} MB, {free.seconds:.1f} s without a limit, "
          f"ratio {limited.seconds / free.seconds:.2f}, digests {limited.digest} and {free.digest}")
    for name, run in (("unlimited", free), ("limited", limited)):
        print(f"most, {name}: " + ", ".join(f"{what} {size / 1e6:.0f} MB" for what, size in peaks(run)))
    for problem in problems:
        print(f"WRONG: {problem}")
    sys.exit(1 if problems or limited.seconds > BAR * free.seconds else 0)


if __name__ == "__main__":
    main()
