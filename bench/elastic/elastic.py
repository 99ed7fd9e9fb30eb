"""The experiments of docs/elasticity.md with real processes on this machine.

    elastic.py BUILD [--scale S] [EXPERIMENT...]

Workers are the real program, paced: after its lanes a worker waits until the
time of its rows is over, so that 24 slots run on two cores. What they compute is
small and real: digests are compared. --scale makes the runs longer or shorter
(1: as the bars are meant). Raw events (JSON lines) and a timeline (SVG) of each
experiment are kept under BUILD/bench/elastic.
"""

import argparse
import json
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import scaling
import servers
import starting
import timeline
from jobs import Broker, Job, NetworkJob, Setting, make_table, network_roles


class Bench:
    def __init__(self, build, scale):
        self.build, self.scale = build, scale
        self.program = build / "totrain"
        self.roles = build / "tests" / "job_roles"
        self.out = build / "bench" / "elastic"
        self.out.mkdir(parents=True, exist_ok=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-elastic."))
        self.jobs, self.brokers = [], []
        self.draw = random.Random(11)

    def table(self, batch):
        path = self.folder / f"table-{batch}.csv"
        if not path.exists():
            make_table(path, batch)
        return path

    def job(self, name, setting, broker=None):
        self.jobs.append(Job(self, name, setting, broker))
        return self.jobs[-1]

    def broker(self, name, slots):
        self.brokers.append(Broker(self, name, slots))
        return self.brokers[-1]

    def steps(self, seconds, step_ms):
        return max(int(seconds * self.scale * 1000 / step_ms), 20)

    def reference(self, setting):
        """The digest of the undisturbed run, not paced."""
        plain = Setting(setting.lanes, setting.step_ms, setting.steps, 2, batch=setting.batch)
        plain.us = 0
        job = self.job(f"reference-{len(self.jobs)}", plain)
        job.end()
        return job.digest(self)

    def keep(self, name, title, jobs, broker=None):
        """Raw events and the timeline of what just ran."""
        begin = min(job.started_at for job in jobs)
        with open(self.out / f"{name}.jsonl", "w") as file:
            for job in jobs:
                for event in job.events:
                    file.write(json.dumps(dict(event, job=job.name)) + "\n")
                for line in job.trace():
                    file.write(json.dumps({"event": "applied", "job": job.name, **line}) + "\n")
            for line in broker.history if broker else []:
                file.write(json.dumps(dict(line, event="slots")) + "\n")
        bands = slot_bands(begin, jobs, broker)
        losses = [(event["at"] - begin, event["loss"]) for event in jobs[0].events
                  if event.get("event") == "progress" and event.get("loss") is not None]
        marks = [(event["at"] - begin, event["event"]) for job in jobs for event in job.events
                 if event["event"].startswith("SIG")]
        timeline.draw(self.out / f"{name}.svg", title, bands, losses, marks)

    def close(self):
        for job in self.jobs:
            job.kill()
        for broker in self.brokers:
            broker.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def slot_bands(begin, jobs, broker):
    if broker:
        names = sorted({name for line in broker.history for name in line["used"]})
        bands = [(name, [(line["at"] - begin, line["used"].get(name, 0))
                         for line in broker.history]) for name in names]
        return bands + [("services", [(line["at"] - begin, line["held"])
                                      for line in broker.history])]
    return [(job.name, [(line["at"] - begin, line["workers"]) for line in job.trace()])
            for job in jobs]


def x1(bench):
    """Two jobs of at most 13 workers on 24 slots, the second three seconds later."""
    makespans = {}
    for least in (13, 1):
        setting = Setting(143, 200, bench.steps(39.75, 200), 13, least=least)
        name = "x1-gang" if least > 1 else "x1-elastic"
        broker = bench.broker(name, 24)
        first = bench.job(f"{name}-1", setting, broker)
        time.sleep(max(first.started_at + 3 * bench.scale - time.monotonic(), 0))
        if least > 1:  # a gang takes all or nothing: the broker gives it what is enough
            first.end()
        second = bench.job(f"{name}-2", setting, broker)
        if least == 1:
            first.end()
        second.end()
        begin = first.started_at
        makespans[name] = max(second.steps().values()) - begin
        bench.keep(name, f"X1 {name[3:]}: {setting}", [first, second], broker)
    ratio = makespans["x1-elastic"] / makespans["x1-gang"]
    return (str(setting), f"{makespans['x1-gang']:.1f} s gang, {makespans['x1-elastic']:.1f} s "
            f"elastic: ratio {ratio:.3f}", ratio <= 0.63)


def x2(bench):
    """A job that wants 8 slots when 7 are free."""
    setting = Setting(64, 50, bench.steps(8, 50), 8)
    broker = bench.broker("x2", 8)
    broker.hold(1)
    job = bench.job("x2", setting, broker)
    job.wait_for_step(setting.steps // 2)
    freed_at = time.monotonic()
    broker.hold(0)
    job.end()
    first = min(job.steps().values()) - job.started_at
    joined = next((line["at"] - freed_at for line in job.trace() if line["workers"] == 8),
                  float("inf"))
    bench.keep("x2", f"X2: {setting}", [job], broker)
    return (str(setting), f"first step after {first:.2f} s, the 8th worker's {joined:.2f} s after "
            "its slot is free", first <= 1 and joined <= 1)


def x3(bench):
    """Services of higher priority hold 2, 6, 2, 8, 2 of 8 slots, 40 s each."""
    seconds = 40 * bench.scale
    setting = Setting(64, 100, 1000000, 8)
    broker = bench.broker("x3", 8)
    broker.hold(2)
    job = bench.job("x3", setting, broker)
    job.wait_for_step(1)
    begin = time.monotonic()
    for held in (2, 6, 2, 8, 2):
        broker.hold(held)
        time.sleep(seconds)
    end = time.monotonic()
    job.process.stdin.write(b"cancel\n")
    job.process.stdin.flush()
    job.process.stdin.close()
    job.process.wait()
    job.reader.join()
    used, refill = share_of_slots(broker, begin, end)
    redone, = job.query("SELECT rows_redone FROM job")[0]
    bench.keep("x3", f"X3: {setting}", [job], broker)
    return (str(setting), f"utilisation {100 * used:.1f} %, refill {refill:.2f} s, {redone} rows "
            "redone", used >= 0.98 and refill <= 2 and redone == 0)


def share_of_slots(broker, begin, end):
    """Slots in use over slots, and the longest time in which free ones stayed so."""
    lines = [line for line in broker.history if line["at"] <= end]
    total, free_since, refill = 0, None, 0
    for line, after in zip(lines, lines[1:] + [{"at": end}]):
        used = min(line["held"] + sum(line["used"].values()), broker.slots)
        total += used * max(min(after["at"], end) - max(line["at"], begin), 0)
        if used == broker.slots:
            if free_since is not None and line["at"] > begin:
                refill = max(refill, line["at"] - max(free_since, begin))
            free_since = None
        elif free_since is None:
            free_since = line["at"]
    return total / broker.slots / (end - begin), refill


def x5(bench):
    """kill -9 a random worker every two seconds."""
    setting = Setting(64, 50, bench.steps(40, 50), 8)
    job = bench.job("x5", setting)
    job.wait_for_step(5)
    kills = 0
    while job.process.poll() is None and job.events[-1]["event"] != "done":
        time.sleep(2)
        if job.events[-1].get("step", 0) > setting.steps - 40:
            break
        kills += job.send(signal.SIGKILL, "worker", bench.draw.randrange(8)) is not None
    job.end()
    same = job.digest(bench) == bench.reference(setting)
    gap = job.longest_gap()
    bench.keep("x5", f"X5: {setting}", [job])
    return (str(setting), f"{kills} kills, {'same' if same else 'OTHER'} bits, longest gap "
            f"between steps {gap:.2f} s", same and gap <= 0.5)


def x6(bench):
    """The master is killed at ten random points and frozen at ten."""
    points = max(int(20 * bench.scale), 4)
    setting = Setting(64, 50, 1000000, 4)
    job = None
    setting.steps = bench.steps(5 * points / bench.scale, 50)
    job = bench.job("x6", setting)
    back = {signal.SIGKILL: [], signal.SIGSTOP: []}
    for point in range(points):
        number = (signal.SIGKILL, signal.SIGSTOP)[point % 2]
        time.sleep(0.5 + bench.draw.random())
        seen = len(job.events)
        sent_at = time.monotonic()
        if job.send(number, "master") is None:
            continue
        event = job.wait_for(lambda event: event["event"] == "started" and event["at"] > sent_at,
                             f"a new master after {seen} events")
        back[number].append(event["at"] - sent_at)
    job.end()
    same = job.digest(bench) == bench.reference(setting)
    gap = job.longest_gap()
    killed, frozen = max(back[signal.SIGKILL]), max(back[signal.SIGSTOP])
    bench.keep("x6", f"X6: {setting}", [job])
    return (str(setting), f"{points} points, {'same' if same else 'OTHER'} bits, longest gap "
            f"{gap:.2f} s, killed master back in {killed:.2f} s, frozen in {frozen:.2f} s",
            same and gap <= 0.5 and killed <= 1 and frozen <= 10)


def x8(bench):
    """One of four workers eight times slower."""
    setting = Setting(64, 100, bench.steps(40, 100), 4, slow=(1, 8), least=4)
    job = bench.job("x8", setting)
    job.end()
    started = next(event["at"] for event in job.events if event["event"] == "started")
    took = max(job.steps().values()) - started
    ideal = setting.seconds_needed() / (3 + 1 / 8)
    bench.keep("x8", f"X8: {setting}", [job])
    return (str(setting), f"{took:.1f} s, the summed speeds allow {ideal:.1f} s: "
            f"{took / ideal:.3f} x", took <= 1.05 * ideal)


def x10(bench):
    """A frozen worker."""
    setting = Setting(64, 50, bench.steps(15, 50), 4)
    job = bench.job("x10", setting)
    job.wait_for_step(20)
    job.send(signal.SIGSTOP, "worker", 1)
    job.end()
    gap = job.longest_gap()
    bench.keep("x10", f"X10: {setting}", [job])
    return str(setting), f"longest gap between steps {gap:.2f} s", gap <= 7


def x10_node(bench):
    """A node whose cable is cut, then all three workers on it killed; over TLS."""
    problem = network_roles.Namespaces.problem()
    setting = Setting(64, 50, bench.steps(15, 50), 4)
    if problem:
        return str(setting), f"not run: {problem};", None
    job = NetworkJob(bench, "x10-node", setting)
    bench.jobs.append(job)
    job.cut_node()
    job.end()
    gap = job.longest_gap()
    bench.keep("x10-node", f"X10, a node: {setting}", [job])
    return str(setting), f"longest gap between steps {gap:.2f} s", gap <= 7


def first_step_of_statement(bench, name, database, statement):
    """From the start of `totrain DB` to the first step that any worker applied."""
    folder = bench.folder / name
    (folder / "trace").mkdir(parents=True)
    (folder / "state").mkdir()
    began = time.monotonic()
    subprocess.run([bench.program, database, "-c", statement], check=True, capture_output=True,
                   env={"PATH": "/usr/bin:/bin", "TOTRAIN_STATE": str(folder / "state"),
                        "TOTRAIN_TRACE": str(folder / "trace")})
    times = [json.loads(line)["at"] / 1e6 for path in (folder / "trace").iterdir()
             for line in path.read_text().splitlines()]
    return min(times) - began


def x12(bench):
    """From statement to first step, 1,000 rows; not paced."""
    database, medians = bench.folder / "shop.db", []
    subprocess.run(["sqlite3", str(database), f".import --csv {bench.table(1024)} rows"], check=True)
    for workers in (1, 4):
        statement = ("SELECT CAST(x0 AS REAL) AS x0, CAST(x1 AS REAL) AS x1, label FROM rows LIMIT 1000 "
                     "TO TRAIN LinearClassifier WITH train.epoch = 1, job.lanes = 8, "
                     f"job.max_workers = {workers} LABEL label INTO m;")
        medians.append(statistics.median(
            first_step_of_statement(bench, f"x12-{workers}-{i}", database, statement) for i in range(5)))
    return ("1,000 rows, 8 lanes, not paced; median of 5",
            f"{medians[0]:.3f} s with one process, {medians[1]:.3f} s with 4 workers",
            medians[0] <= 0.1 and medians[1] <= 0.3)


def x12_million(bench):
    """From statement to first step, a million rows of 28 columns, by the number of workers; not paced."""
    database, found = bench.folder / "rows28.db", {workers: [] for workers in (1, 2, 4, 8)}
    shutil.copyfile(scaling.table(bench), database)
    for i in range(5):
        for workers, times in found.items():
            statement = ("SELECT * FROM rows28 TO TRAIN DNNClassifier WITH train.batch_size = 512, "
                         f"train.max_steps = 20, job.lanes = 32, job.min_workers = {workers}, "
                         f"job.max_workers = {workers} LABEL y INTO m;")
            times.append(first_step_of_statement(bench, f"x12-million-{workers}-{i}", database, statement))
    medians = {workers: statistics.median(times) for workers, times in found.items()}
    return ("1,000,000 rows, 32 lanes, not paced; medians of 5 in turns",
            ", ".join(f"{seconds:.2f} s with {workers}" for workers, seconds in medians.items()),
            medians[8] <= 1.3 * medians[1])


def x15(bench):
    """Poisson kills, mean 30 s a worker and 120 s the master."""
    setting = Setting(64, 50, bench.steps(120, 50), 8)
    job = bench.job("x15", setting)
    job.wait_for_step(1)
    begin = time.monotonic()
    due = {("worker", i): bench.draw.expovariate(1 / 30) for i in range(8)}
    due["master", 0] = bench.draw.expovariate(1 / 120)
    kills = 0
    while job.events[-1].get("step", 0) < setting.steps - 20 and job.process.poll() is None:
        who = min(due, key=due.get)
        time.sleep(min(max(begin + due[who] - time.monotonic(), 0), 0.5))
        if time.monotonic() >= begin + due[who]:
            kills += job.send(signal.SIGKILL, *who) is not None
            due[who] += bench.draw.expovariate(1 / (120 if who[0] == "master" else 30))
    job.end()
    times = job.steps()
    last, first = max(times.values()), min(times.values())
    needed = (len(times) - 1) * setting.batch * setting.us / 1e6
    goodput = needed / (8 * (last - first))
    same = job.digest(bench) == bench.reference(setting)
    bench.keep("x15", f"X15: {setting}", [job])
    return (str(setting), f"{kills} kills, {'same' if same else 'OTHER'} bits, goodput "
            f"{100 * goodput:.1f} %", same and goodput >= 0.97)


EXPERIMENTS = {
    "X1": (x1, "795 s gang, 580 s elastic: ratio .73 (optimum .61)", "ratio <= .63"),
    "X2": (x2, "a gang waits for the other job's whole life", "first step <= 1 s, 8th <= 1 s"),
    "X3": (x3, "utilisation 96.5 %, refill 18-25 s", ">= 98 %, refill <= 2 s, 0 rows redone"),
    "X5": (x5, "torchrun: next step after 4 s, everyone restarted", "same bits, gap <= 0.5 s"),
    "X6": (x6, "job lost, or minutes", "same bits, gap <= 0.5 s, back <= 1 s, frozen <= 10 s"),
    "X8": (x8, "46 -> 31 min, 27 without straggler: 1.15 x", "<= 1.05 x"),
    "X10": (x10, "30 min, for ever", "<= 7 s"),
    "X10-node": (x10_node, "30 min, for ever", "<= 7 s"),
    "X12": (x12, "minutes", "<= 0.1 s one process, <= 0.3 s several"),
    "X12-million": (x12_million, "none", "8 workers <= 1.3 x one: their processes start, and rows are read once"),
    "X15": (x15, "goodput 69 -> 95 %", ">= 97 %, same bits"),
    **servers.EXPERIMENTS,
    "start": (starting.run, "none", "none: compare with an earlier build"),
    "scaling": (scaling.run, "none for two workers of one machine", "two workers >= 1.8 x one"),
    "scaling-trees": (scaling.run_trees, "none for two workers of one machine", "two workers >= 1.7 x one"),
}


def run_all(bench, experiments, names):
    """Prints the rows of the table; whether all bars were met."""
    met = True
    try:
        for name in names:
            run, published, bar = experiments[name]
            setting, ours, is_met = run(bench)
            met = met and is_met is not False
            verdict = {True: "met", False: "NOT MET", None: "no verdict"}[is_met]
            print(f"{name}  {run.__doc__}\n     {setting}\n     published  {published}\n"
                  f"     bar        {bar}\n     ours       {ours}  {verdict}", flush=True)
    finally:
        bench.close()
    print(f"raw events and timelines: {bench.out}")
    return met


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("experiments", nargs="*", default=list(EXPERIMENTS))
    options = parser.parse_intermixed_args()
    return 0 if run_all(Bench(options.build.resolve(), options.scale), EXPERIMENTS, options.experiments) else 1


if __name__ == "__main__":
    sys.exit(main())
