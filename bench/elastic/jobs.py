"""Jobs of real processes for the experiments: paced, traced, in shares of slots."""

import json
import os
import pathlib
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
sys.path += [str(TESTS), str(TESTS / "cluster")]
import network_roles  # noqa: E402 (its folder is known only now)
from traced import Traced  # noqa: E402

BATCHES, COLUMNS = 12, 4
DEADLINE = 900


def make_table(path, batch):
    """Whole batches of numbers and a label that follows from them; the same ones every time."""
    draw = random.Random(7)
    with open(path, "w") as file:
        file.write(",".join(f"x{i}" for i in range(COLUMNS)) + ",label\n")
        for _ in range(BATCHES * batch):
            row = [draw.gauss(0, 1) for _ in range(COLUMNS)]
            label = "yes" if sum(row) + 0.3 * draw.gauss(0, 1) > 0 else "no"
            file.write(",".join(f"{value:.5f}" for value in row) + f",{label}\n")


class Setting:
    """A job's settings, which are printed with each result."""

    def __init__(self, lanes, step_ms, steps, workers, batch=None, slow=None, least=1):
        self.lanes, self.steps, self.workers, self.least, self.slow = lanes, steps, workers, least, slow
        self.batch = batch or lanes * 16
        self.step_ms = step_ms  # with all workers, equally fast
        busiest = -(-lanes // workers) * self.batch / lanes
        self.us = step_ms * 1000 / busiest

    def __str__(self):
        slow = f", worker {self.slow[0]} {self.slow[1]} x slower" if self.slow else ""
        return (f"{self.workers} workers, {self.lanes} lanes, batch {self.batch}, "
                f"paced {self.us:.0f} us a row{slow}")

    def seconds_needed(self):
        """Seconds of one worker for all steps."""
        return self.steps * self.batch * self.us / 1e6


class Job(Traced):
    """One job under its own supervisor. Times are of the monotonic clock."""

    def __init__(self, bench, name, setting, broker=None, listen=None):
        """`listen`: an address, for roles that speak TLS."""
        self.name, self.setting = name, setting
        self.folder = bench.folder / name / "jobs" / "1"
        self.traces = bench.folder / name / "trace"
        self.folder.mkdir(parents=True)
        self.traces.mkdir()
        subprocess.run([bench.roles, "make", bench.table(setting.batch), self.folder, str(setting.workers),
                        str(setting.least), "1"], check=True)
        self.write_spec(setting)
        environment = dict(os.environ, TOTRAIN_TRACE=str(self.traces))
        environment["TOTRAIN_PACE"] = f"us={setting.us}"
        if setting.slow:
            environment["TOTRAIN_PACE"] += f",index={setting.slow[0]},factor={setting.slow[1]}"
        if broker:
            environment["TOTRAIN_SLOTS"] = broker.path
        self.events = []
        self.started_at = time.monotonic()
        self.process = subprocess.Popen([bench.program, "supervise", self.folder,
                                         *(["--listen", listen] if listen else [])],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment,
                                        start_new_session=True)
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def write_spec(self, setting):
        path = self.folder / "job.json"
        spec = json.loads(path.read_text())
        spec["job"]["lanes"] = setting.lanes
        training = next(part for part in spec.values()
                        if isinstance(part, dict) and "batch_size" in part)
        training.update(batch_size=setting.batch, max_steps=setting.steps, test_size=0,
                        epochs=10000)
        path.write_text(json.dumps(spec))

    def read(self):
        for line in self.process.stdout:
            event = dict(json.loads(line), at=time.monotonic())
            with self.changed:
                self.events.append(event)
                self.changed.notify_all()
        with self.changed:
            self.events.append({"event": "gone", "at": time.monotonic()})
            self.changed.notify_all()

    def wait_for(self, wanted, what):
        """The first event, of all so far and to come, for which `wanted` holds."""
        seen = 0
        with self.changed:
            while True:
                for event in self.events[seen:]:
                    if wanted(event):
                        return event
                    if event["event"] in ("gone", "failed"):
                        raise RuntimeError(f"{self.name}: {event} before {what}")
                seen = len(self.events)
                if not self.changed.wait(DEADLINE):
                    raise RuntimeError(f"{self.name}: no {what}")

    def wait_for_step(self, step):
        return self.wait_for(lambda event: event.get("step", 0) >= step, f"step {step}")

    def end(self):
        self.wait_for(lambda event: event["event"] == "done", "its end")
        self.process.stdin.close()
        self.process.wait(DEADLINE)
        self.reader.join()
        self.process.stdout.close()

    def kill(self):
        """Ends the rest of the job after an error."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def children(self):
        """pid -> (role, index)."""
        path = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = {}
        for pid in map(int, path.read_text().split()):
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if len(words) > 2 and words[1] in ("master", "worker", "ps"):
                index = words[words.index("--index") + 1] if "--index" in words else 0
                found[pid] = (words[1], int(index))
        return found

    def send(self, number, role, index=None):
        """A signal to one of its roles; the pid, None when there is none."""
        for pid, (its_role, its_index) in self.children().items():
            if its_role == role and index in (None, its_index):
                os.kill(pid, number)
                with self.changed:
                    self.events.append({"event": f"{signal.Signals(number).name} {role}",
                                        "index": its_index, "at": time.monotonic()})
                return pid
        return None

    def digest(self, bench):
        return subprocess.run([bench.roles, "digest", self.folder], check=True,
                              capture_output=True, text=True).stdout.strip()

    def query(self, sql):
        store = sqlite3.connect(self.folder / "job.db")
        rows = store.execute(sql).fetchall()
        store.close()
        return rows

    def trace(self):
        """Every phase that any worker applied, in the order of time."""
        lines = []
        for path in self.traces.iterdir():
            for line in path.read_text().splitlines():
                try:
                    lines.append(json.loads(line))
                except ValueError:
                    pass  # it was killed as it wrote
        for line in lines:
            line["at"] /= 1e6
        return sorted(lines, key=lambda line: line["at"])


class NetworkJob(Job):
    """The master and its workers by hand over TLS, in network namespaces: node 0 has the
    master and worker 0, node 1 all other workers."""

    def __init__(self, bench, name, setting):
        self.name, self.setting = name, setting
        self.folder, self.traces = bench.folder / name / "1", bench.folder / name / "trace"
        tls = bench.folder / name / "tls"
        for folder in (self.folder, self.traces, tls):
            folder.mkdir(parents=True)
        subprocess.run([bench.roles, "make", bench.table(setting.batch), self.folder, str(setting.workers),
                        str(setting.least), "1"], check=True)
        self.write_spec(setting)
        subprocess.run([bench.roles, "authority", tls, "1", "0", "master=master",
                        *(f"w{i}={i}" for i in range(setting.workers))], check=True)
        self.events, self.roles = [], []
        self.started_at = time.monotonic()
        os.environ.update(TOTRAIN_TRACE=str(self.traces), TOTRAIN_PACE=f"us={setting.us}")
        network_roles.PROGRAM = str(bench.roles)
        self.spaces = network_roles.Namespaces(2)
        try:
            self.start(tls)
        except BaseException:
            self.kill()
            raise
        finally:
            del os.environ["TOTRAIN_TRACE"], os.environ["TOTRAIN_PACE"]

    def role(self, node, *arguments):
        self.roles.append(network_roles.Role(*arguments, "--listen", f"tcp:{self.spaces.host(node)}:0",
                                             namespace=self.spaces.names[node]))
        return self.roles[-1]

    def start(self, tls):
        master = self.role(0, "master", self.folder, "--tls", tls / "master")
        for i in range(self.setting.workers):
            self.role(int(i > 0), "worker", self.folder, "--index", i, "--master", master.address(),
                      "--tls", tls / f"w{i}")
        for i in range(self.setting.workers):
            master.wait_log(f"worker {i} joined")

    def cut_node(self):
        """No connection of node 1 closes: there is silence."""
        self.roles[0].wait_step(20)
        self.events.append({"event": "SIGKILL node", "at": time.monotonic()})
        self.spaces.cut(1)
        for role in self.roles[2:]:
            role.process.kill()
            role.end()

    def end(self):
        if self.roles[0].end() != 0:
            raise RuntimeError(f"{self.name}: {self.roles[0].log.text()}")
        self.kill()

    def kill(self):
        for role in self.roles:
            role.stop()
        self.roles.clear()
        self.spaces.remove()


class Broker:
    """Shares slots among jobs in the order in which they came.

    A job keeps what it has; what others hold (services of higher priority) is
    taken from the youngest job first. A slot is free when its job said so.
    """

    def __init__(self, bench, name, slots):
        self.path = str(bench.folder / f"{name}.broker")
        self.slots, self.held = slots, 0
        self.jobs = []  # dicts: name, connection, wanted, used, given
        self.history = []
        self.lock = threading.Condition()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.threads = [threading.Thread(target=self.accept, daemon=True)]
        self.threads[0].start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            job = {"connection": connection, "wanted": 0, "used": 0, "given": 0,
                   "name": f"job {len(self.jobs) + 1}"}
            with self.lock:
                self.jobs.append(job)
            thread = threading.Thread(target=self.serve, args=(job,), daemon=True)
            thread.start()

    def serve(self, job):
        for line in job["connection"].makefile():
            words = line.split()
            if words[0] == "slots":
                with self.lock:
                    job["wanted"], job["used"] = int(words[1]), int(words[2])
                    self.deal()
        with self.lock:
            job.update(wanted=0, used=0, given=0)
            self.deal()

    def hold(self, slots):
        """So many slots are somebody else's now, as soon as they are free."""
        with self.lock:
            self.held = slots
            self.deal()

    def deal(self):
        """Shrink what is too much; then give what is free."""
        room = self.slots - self.held
        for job in self.jobs:
            job["next"] = min(job["given"], job["wanted"], max(room, 0))
            room -= job["next"]
        for job in self.jobs:
            more = min(job["wanted"] - job["next"], max(room, 0))
            others = sum(other["used"] for other in self.jobs if other is not job)
            free = self.slots - self.held - others - job["next"]
            more = max(min(more, free), 0)
            job["next"] += more
            room -= more
        for job in self.jobs:
            if job["next"] != job["given"]:
                job["given"] = job["next"]
                try:
                    job["connection"].sendall(f"slots {job['given']}\n".encode())
                except OSError:
                    pass
        self.history.append({"at": time.monotonic(), "held": self.held,
                             "used": {job["name"]: job["used"] for job in self.jobs}})
        self.lock.notify_all()

    def close(self):
        self.listener.close()
        with self.lock:
            for job in self.jobs:
                job["connection"].close()
