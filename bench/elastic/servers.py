"""Jobs over parameter servers: the death of one, and one worker or server that is slow.

Workers are paced by rows of data, servers by the rows of weights that are pulled from them. What is measured is the time
until all is learned: from the first worker that joined to the event "learned".
"""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import threading
import time

from jobs import Job
import click_table

TABLE_ROWS, HELD_OUT = 20000, .2
COUNTED = re.compile(r"server/(\d+).* has counted (\d+) batches, (\d+) to (\d+) batches of each of (\d+) shards")
LAYER_ROWS = 16  # rows of the layers that a batch pulls, about
WORDS = 124  # words that a batch pulls in the mean
FEW_SITES, FEW_ADS = 2, 4  # where each batch pulls all of them


class ServersSetting:
    """Settings, which are printed with each result. A batch of `batch` rows takes a worker `batch_ms`, and each
    server `server_ms`."""

    def __init__(self, seconds, workers=4, servers=2, batch=128, batch_ms=50, server_ms=2, slow=None, slow_server=None,
                 checkpoint=1, is_crowded=False, lanes=0, has_few_words=False):
        self.is_crowded = is_crowded  # server 0 has all rows at first
        self.lanes = lanes  # lanes that take steps together; 0: workers go by themselves
        self.workers, self.servers, self.batch, self.checkpoint = workers, servers, batch, checkpoint
        self.slow, self.slow_server = slow, slow_server
        self.has_few_words = has_few_words
        pulled = LAYER_ROWS + (FEW_SITES + FEW_ADS if has_few_words else WORDS)
        self.us, self.server_us = batch_ms * 1000 / batch, server_ms * 1000 / (pulled / servers)
        self.batch_ms, self.server_ms = batch_ms, server_ms
        batches = seconds * 1000 * workers / (batch_ms + servers * server_ms)
        self.epochs = max(round(batches / (TABLE_ROWS * (1 - HELD_OUT) / batch)), 2)

    def __str__(self):
        slow = "".join(f", {role} {of[0]} {of[1]} x slower"
                       for role, of in (("worker", self.slow), ("server", self.slow_server)) if of)
        return (f"{self.workers} workers, {self.servers} servers, {self.epochs} epochs of {TABLE_ROWS * (1 - HELD_OUT):.0f} rows, batches of "
                f"{self.batch}, {self.batch_ms} ms a batch, {self.server_ms} ms of each server{slow}"
                f"{', all rows on one server at first' if self.is_crowded else ''}"
                f"{f', {FEW_SITES + FEW_ADS} words, which each batch asks for' if self.has_few_words else ''}"
                f"{f', {self.lanes} lanes in step' if self.lanes else ''}")

    def pace(self):
        words = [f"us={self.us}", f"server_us={self.server_us}"]
        if self.slow:
            words += [f"index={self.slow[0]}", f"factor={self.slow[1]}"]
        if self.slow_server:
            words += [f"server={self.slow_server[0]}", f"server_factor={self.slow_server[1]}"]
        return ",".join(words + ["crowd=1"] * self.is_crowded)


class ServersJob(Job):
    def __init__(self, bench, name, setting):
        self.name, self.setting = name, setting
        self.folder = bench.folder / name / "jobs" / "1"
        self.traces = bench.folder / name / "trace"
        self.folder.mkdir(parents=True)
        self.traces.mkdir()
        few = {"sites": FEW_SITES, "ads": FEW_ADS} if setting.has_few_words else {}
        table = bench.folder / ("few.csv" if few else "clicks.csv")
        if not table.exists():
            click_table.write(table, TABLE_ROWS, **few)
        subprocess.run([bench.roles, "make_machine", table, self.folder, str(setting.workers), str(setting.workers),
                        str(setting.epochs), str(setting.checkpoint)], check=True)
        path = self.folder / "job.json"
        spec = json.loads(path.read_text())
        spec["training"].update(batch_size=setting.batch)
        spec["job"].update(servers=setting.servers, staleness=0 if setting.lanes else 8, in_one_process=False,
                           lanes=setting.lanes)
        path.write_text(json.dumps(spec))
        self.events = []
        self.started_at = time.monotonic()
        self.process = subprocess.Popen([bench.program, "supervise", self.folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                                        env=dict(os.environ, TOTRAIN_TRACE=str(self.traces), TOTRAIN_PACE=setting.pace()))
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def row(self, sql):
        """None while there is no such row."""
        try:
            rows = self.query(sql)
        except sqlite3.OperationalError:
            return None
        return rows[0][0] if rows and rows[0][0] is not None else None

    def scale_servers(self, servers):
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(os.readlink(self.folder / "control"))
            control.sendall(f"servers {servers}\n".encode())
            answer = control.makefile().readline()
        if answer != "ok\n":
            raise RuntimeError(f"{self.name}: {answer}")

    def wait_until_learned(self):
        """Waits until all is learned, and then ends the paces: the measures after that need none."""
        while self.row("SELECT at FROM events WHERE event = 'learned'") is None:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name}: {self.events[-2:]}")
            time.sleep(.1)
        for pid in self.children():
            try:
                os.kill(pid, signal.SIGUSR1)
            except ProcessLookupError:
                pass
        self.end()

    def seconds(self):
        return (self.row("SELECT at FROM events WHERE event = 'learned'") -
                self.row("SELECT min(at) FROM events WHERE event = 'joined' AND role = 'worker'"))

    def batches(self):
        """The batches by time, whichever worker pushed them: when all servers had counted each."""
        return [line for line in self.trace() if "batches" in line]

    def longest_gap(self):
        times = [line["at"] for line in self.batches()]
        return max(after - before for before, after in zip(times, times[1:]))

    def trace(self):
        """Those of the roles that measure at the end are not of interest."""
        return [dict(line, workers=self.setting.workers) for line in super().trace() if "batches" in line]

    def counted(self, servers=None):
        """Whether each server, of so many at last, says that each shard has all of its batches. Others, that are asked
        to go when their rows have moved, may tell what they had counted."""
        servers, last = servers or self.setting.servers, {}
        for index, *numbers in COUNTED.findall((self.folder / "log").read_text()):
            if int(index) < servers:
                last[index] = max(tuple(map(int, numbers)), last.get(index, (0,)))
        return (len(last) == servers and len(set(last.values())) == 1 and
                all(low == high and batches == low * shards for batches, low, high, shards in last.values()))


def run_job(bench, name, setting):
    job = ServersJob(bench, name, setting)
    bench.jobs.append(job)
    job.wait_until_learned()
    return job


def undisturbed(bench, setting):
    """The seconds of a job of the same epochs in which nobody is slow; measured once for each pace."""
    known = bench.__dict__.setdefault("undisturbed", {})
    key = (setting.epochs, setting.batch_ms, setting.server_ms, setting.servers)
    if key not in known:
        plain = ServersSetting(1, servers=setting.servers, server_ms=setting.server_ms, batch_ms=setting.batch_ms)
        plain.epochs = setting.epochs
        known[key] = run_job(bench, f"undisturbed-{len(bench.jobs)}", plain).seconds()
    return known[key]


def run_killing_servers(bench, name, setting):
    """One after the other every two seconds, until all batches are counted: the job, and how many were killed."""
    job = ServersJob(bench, name, setting)
    bench.jobs.append(job)
    job.wait_for_step(20)
    kills = 0
    while job.row("SELECT at FROM events WHERE event = 'collecting'") is None and job.process.poll() is None:
        time.sleep(2)
        kills += job.send(signal.SIGKILL, "ps", kills % setting.servers) is not None
    job.wait_until_learned()
    return job, kills


def x7(bench):
    """kill -9 of a server while four workers train."""
    setting = ServersSetting(max(30 * bench.scale, 8))
    job, kills = run_killing_servers(bench, "x7", setting)
    gap, once = job.longest_gap(), job.counted()
    bench.keep("x7", f"X7: {setting}", [job])
    return (str(setting), f"{kills} kills, longest gap between batches {gap:.2f} s, each batch "
            f"{'once' if once else 'NOT ONCE'} in each server", gap <= 2 and once)


def x7_scale(bench):
    """2 -> 4 -> 1 servers while four workers train."""
    setting = ServersSetting(max(20 * bench.scale, 8))
    job = ServersJob(bench, "x7-scale", setting)
    bench.jobs.append(job)
    job.wait_for_step(20)
    for servers, moves in ((4, 1), (1, 2)):
        job.scale_servers(servers)
        while job.row("SELECT count(*) FROM events WHERE event = 'moved'") < moves and job.process.poll() is None:
            time.sleep(.05)
        time.sleep(1)
    job.wait_until_learned()
    gap, once = job.longest_gap(), job.counted(servers=1)
    pauses = [int(pause) for pause in re.findall(r"a pause of (\d+) ms", (job.folder / "log").read_text())]
    bench.keep("x7-scale", f"X7, 2 -> 4 -> 1: {setting}", [job])
    return (str(setting), f"pauses {' and '.join(map(str, pauses))} ms, longest gap between batches {gap:.2f} s, each batch "
            f"{'once' if once else 'NOT ONCE'}", gap <= 2 and once and len(pauses) == 2)


def x7_steps(bench):
    """kill -9 of a server while four workers take steps together."""
    setting = ServersSetting(max(20 * bench.scale, 8), lanes=8)
    plain = run_job(bench, "x7-steps-undisturbed", setting)
    job, kills = run_killing_servers(bench, "x7-steps", setting)
    gap, same = job.longest_gap(), job.digest(bench) == plain.digest(bench)
    anew = job.row("SELECT count(*) FROM events WHERE event = 'anew'")
    bench.keep("x7-steps", f"X7 in step: {setting}", [job])
    return (str(setting), f"{kills} kills, longest gap between batches {gap:.2f} s, {'same' if same else 'OTHER'} bits, "
            f"{plain.seconds():.1f} s undisturbed, {job.seconds():.1f} s", gap <= 2 and same and anew == 0)


def x7_frozen(bench):
    """A server that is frozen."""
    setting = ServersSetting(max(20 * bench.scale, 8))
    job = ServersJob(bench, "x7-frozen", setting)
    bench.jobs.append(job)
    job.wait_for_step(20)
    job.send(signal.SIGSTOP, "ps", 1)
    job.wait_until_learned()
    gap, once = job.longest_gap(), job.counted()
    bench.keep("x7-frozen", f"X7, frozen: {setting}", [job])
    return (str(setting), f"longest gap between batches {gap:.2f} s, each batch {'once' if once else 'NOT ONCE'} in each "
            "server", gap <= 7 and once)


def slow_worker(bench):
    """Over parameter servers, one of four workers eight times slower."""
    setting = ServersSetting(40 * bench.scale, slow=(1, 8))
    plain = undisturbed(bench, setting)
    job = run_job(bench, "slow-worker", setting)
    ideal = plain * 4 / (3 + 1 / 8)
    bench.keep("slow-worker", f"slow worker: {setting}", [job])
    return (str(setting), f"{plain:.1f} s undisturbed, {job.seconds():.1f} s, the summed speeds allow {ideal:.1f} s: "
            f"{job.seconds() / ideal:.3f} x", job.seconds() <= 1.1 * ideal)


def slow_server(bench):
    """One of two parameter servers four times slower, by how busy servers are."""
    found, are_met, settings = [], [], []
    for server_ms in (1, 2, 4):
        setting = ServersSetting(20 * bench.scale, server_ms=server_ms, slow_server=(1, 4))
        plain = undisturbed(bench, setting)
        job = run_job(bench, f"slow-server-{server_ms}", setting)
        took, least = job.seconds(), plain * longer(setting)
        found.append(f"{server_ms} ms: {plain:.1f} s undisturbed, {took:.1f} s, {took / plain:.2f} x, {took / least:.2f} x of "
                     "what the speeds allow")
        are_met.append(took <= 1.3 * least)
        settings.append(str(setting))
        bench.keep(f"slow-server-{server_ms}", f"slow server: {setting}", [job])
    return "\n     ".join(settings), "; ".join(found), all(are_met)


def run_crowded(bench, name, title, **more):
    """All rows are on one of four servers at first, with 8 ms a batch for each server where they have equal parts."""
    setting = ServersSetting(60 * bench.scale, servers=4, server_ms=8, is_crowded=True, **more)
    plain = undisturbed(bench, setting)
    job = run_job(bench, name, setting)
    moves, once = job.row("SELECT count(*) FROM events WHERE event = 'balanced'"), job.counted()
    bench.keep(name, f"{title}: {setting}", [job])
    return (str(setting), f"{plain:.1f} s with equal parts, {job.seconds():.1f} s: {job.seconds() / plain:.2f} x, rows moved "
            f"{moves} times, each batch {'once' if once else 'NOT ONCE'} in each server",
            job.seconds() <= 1.3 * plain and moves > 0 and once)


def hot_server(bench):
    """All rows on one of four parameter servers at first: with them on it each batch waits for those of the others."""
    return run_crowded(bench, "hot-server", "hot server")


def hot_rows(bench):
    """Like hot-server, but the rows are those that each batch asks for, and no others; by a job whose servers have
    equal parts."""
    return run_crowded(bench, "hot-rows", "hot rows", has_few_words=True)


def longer(setting):
    """How many times longer the job takes where each batch waits for the slow server, which has half of the rows, as
    long as that serves it, or where all wait for their turn."""
    slow_ms = setting.slow_server[1] * setting.server_ms
    alone_ms = setting.batch_ms + setting.servers * setting.server_ms
    return max(alone_ms + slow_ms - setting.server_ms, setting.workers * slow_ms) / alone_ms


EXPERIMENTS = {
    "X7": (x7, "the whole job goes back to a checkpoint: minutes", "gap <= 2 s, each batch once"),
    "X7-scale": (x7_scale, "minutes: a new job goes on from a checkpoint", "gap <= 2 s, each batch once"),
    "X7-steps": (x7_steps, "the whole job goes back to a checkpoint: minutes", "gap <= 2 s, same bits, no step taken again"),
    "X7-frozen": (x7_frozen, "none", "gap <= 7 s, each batch once"),
    "slow-worker": (slow_worker, "DLRover: Wide&Deep 46 -> 31 min, 27 undisturbed: 1.15 x; xDeepFM 240 -> 114, 104: 1.10 x",
                    "<= 1.1 x"),
    "slow-server": (slow_server, "DLRover: Wide&Deep 72 -> 33 min, 27 undisturbed: 1.22 x; xDeepFM 203 -> 122, 104: 1.17 x",
                    "<= 1.3 x of what the speeds allow"),
    "hot-server": (hot_server, "none", "<= 1.3 x"),
    "hot-rows": (hot_rows, "none", "<= 1.3 x"),
}
