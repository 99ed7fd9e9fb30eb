"""The experiments of docs/elasticity.md with pods, on the lab.

    k8s.py BUILD [--scale S | --quick] [EXPERIMENT...]

As bench/elastic: paced workers, digests compared, the bars of the column Pods. The jobs' objects are those
of the program; scheduler, preemption and kubelets are Kubernetes' own; a slot is the lab's extended
resource. The lab is started where it is not up, and then ended. Raw events (JSON lines) and a timeline
(SVG) of each experiment are kept under BUILD/bench/k8s. Exits with 77 where no lab can run.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tests" / "k8s"), str(HERE.parent / "elastic")]

import elastic  # noqa: E402  pylint: disable=wrong-import-position
import harness  # noqa: E402  pylint: disable=wrong-import-position
import pod_jobs  # noqa: E402  pylint: disable=wrong-import-position
import services  # noqa: E402  pylint: disable=wrong-import-position
from jobs import Setting, make_table  # noqa: E402  pylint: disable=wrong-import-position

SLOTS = 24  # slots of the lab's two nodes
QUICK = 0.2
FROZEN_S = 3


class Job(pod_jobs.Job):
    """A job of paced workers."""

    def __init__(self, bench, name, setting, **options):
        self.setting, self.marks = setting, []
        super().__init__(bench.space, name, bench.statement(setting, name), setting.workers,
                         bench.image(setting.us), **options)

    @property
    def events(self):
        return sorted(self.announced() + self.marks, key=lambda event: event["at"])

    def digest(self):
        return self.space.database.digest(table_of(self.name))

    def send(self, number, pod):
        """To the process of a pod; when, or None where there was no process."""
        run = pod.run()
        if run is None:
            return None
        sent_at = time.monotonic()
        run.send(number)
        self.marks.append({"event": f"{signal.Signals(number).name} {pod.labels['totrain.dev/role']}", "at": sent_at})
        return sent_at

    def master(self):
        """The pod of the master whose process lives."""
        return self.wait_for(lambda: next((pod for pod in self.pods("master") if pod.run()), None), "a master")

    def master_after(self, when):
        """When the next master began to speak."""
        def began():
            return next((event["at"] for event in self.announced()
                         if event["event"] == "started" and event["at"] > when), None)
        return self.wait_for(began, "the next master")


def table_of(name):
    return name.replace("-", "_")


class Bench(elastic.Bench):
    def __init__(self, build, scale, lab):  # pylint: disable=super-init-not-called
        self.build, self.scale, self.lab = build, scale, lab
        self.out = build / "bench" / "k8s"
        self.out.mkdir(parents=True, exist_ok=True)
        self.draw = random.Random(11)
        self.temporary = tempfile.TemporaryDirectory(prefix="totrain-k8s.")
        self.folder = pathlib.Path(self.temporary.name)
        self.images, self.tables, self.closing = {}, set(), []
        self.database = self.keep_open(pod_jobs.Database())
        name = f"{os.getpid()}-{time.monotonic_ns() % 10 ** 6}"  # a namespace of before may still be ending
        self.space = self.keep_open(pod_jobs.Space(lab, f"bench-{name}", self.database))
        self.others = self.keep_open(services.Services(lab, f"services-{name}"))

    def keep(self, name, title, jobs, broker=None):
        super().keep(name, title, jobs, broker)
        with open(self.out / f"{name}.jsonl", "a", encoding="utf-8") as file:
            for job in jobs:
                for event in job.happened:
                    file.write(json.dumps({**event, "event": f"master: {event['event']}", "job": job.name}) + "\n")
            for pod in [*self.space.pods(), *self.others.pods()]:
                file.write(json.dumps({"event": "pod", **pod.told()}) + "\n")

    def keep_open(self, what):
        self.closing.append(what)
        return what

    def close(self):
        while self.closing:
            self.closing.pop().close()
        self.temporary.cleanup()

    def table(self, batch):
        """The name of the table that has some batches of rows."""
        name = f"rows_{batch}"
        if name not in self.tables:
            self.tables.add(name)
            make_table(self.folder / name, batch)
            self.database.add_table(name, self.folder / name)
        return name

    def statement(self, setting, model):
        return (f"SELECT * FROM {self.table(setting.batch)} TO TRAIN LinearClassifier WITH train.epoch = 10000, "
                f"train.max_steps = {setting.steps}, train.batch_size = {setting.batch}, "
                f"job.lanes = {setting.lanes}, job.max_workers = {setting.workers}, "
                f"job.min_workers = {setting.least} LABEL label INTO {table_of(model)};")

    def image(self, us):
        if us not in self.images:
            self.images[us] = f"paced-{len(self.images)}"
            self.space.load(self.images[us], us)
        return self.images[us]

    def job(self, name, setting, broker=None, **options):
        """A name is used once."""
        self.image(setting.us)
        return Job(self, name, setting, **options)

    def reference(self, setting):
        """The digest of the undisturbed run of the statement, in the server, not paced."""
        alone = Setting(setting.lanes, setting.step_ms, setting.steps, 1, batch=setting.batch)
        self.database.train_here(self.statement(alone, "reference"))
        return self.database.digest("reference")


class Slots:
    """The slots that each job used over time, as a broker of bench/elastic tells it."""

    def __init__(self, slots, jobs, pods=()):
        self.slots, self.history = slots, []
        used, held = {job.name: 0 for job in jobs}, 0
        changes = []
        for name, found in [*((job.name, job.pods("worker")) for job in jobs), (None, pods)]:
            for run in (run for pod in found for run in pod.runs):
                changes += [(run.began_at, name, 1), (run.ended_at or time.monotonic(), name, -1)]
        for when, name, change in sorted(changes, key=lambda line: line[0]):
            if name:
                used[name] += change
            else:
                held += change
            self.history.append({"at": when, "held": held, "used": dict(used)})


def x1(bench):
    """Two jobs of at most 13 workers on 24 slots, the second three seconds later."""
    makespans, same = {}, True
    for least in (13, 1):
        setting = Setting(143, 200, bench.steps(39.75, 200), 13, least=least)
        name = "x1-gang" if least > 1 else "x1-elastic"
        first = bench.job(f"{name}-1", setting)
        time.sleep(max(first.started_at + 3 * bench.scale - time.monotonic(), 0))
        second = bench.job(f"{name}-2", setting)
        first.end()
        second.end()
        makespans[name] = max(second.steps().values()) - first.started_at
        same = same and {first.digest(), second.digest()} == {bench.reference(setting)}
        bench.keep(name, f"X1 {name[3:]}: {setting}", [first, second], Slots(SLOTS, [first, second]))
    ratio = makespans["x1-elastic"] / makespans["x1-gang"]
    return (str(setting), f"{makespans['x1-gang']:.1f} s gang, {makespans['x1-elastic']:.1f} s "
            f"elastic: ratio {ratio:.3f}, {bits(same)}", ratio <= 0.66 and same)


def x2(bench):
    """A job that wants 8 slots when 7 are free."""
    setting = Setting(64, 50, bench.steps(15, 50), 8)
    with bench.others.holding(SLOTS - 8):
        other = bench.others.start(1)
        bench.others.wait_for(other)
        job = bench.job("x2", setting)
        job.wait_for_step(setting.steps // 2)
        bench.others.end(other)
        job.end()
    pod = other[0].pod()
    first, freed_at = min(job.steps().values()) - job.started_at, pod.runs[0].ended_at
    joined = next((line["at"] - freed_at for line in job.trace() if line["workers"] == 8), float("inf"))
    same = job.digest() == bench.reference(setting)
    bench.keep("x2", f"X2: {setting}", [job], Slots(8, [job], [pod]))
    return (str(setting), f"first step after {first:.2f} s, the 8th worker's {joined:.2f} s after "
            f"its slot is free, {bits(same)}", first <= 5 and joined <= 5 and same)


def x3(bench):
    """Services of higher priority hold 2, 6, 2, 8, 2 of 8 slots, 40 s each."""
    seconds = 40 * bench.scale
    setting = Setting(64, 100, int(1.15 * 20 * seconds / 0.8), 8)
    with bench.others.holding(SLOTS - 8):
        held = bench.others.start(2)
        bench.others.wait_for(held)
        job = bench.job("x3", setting)
        job.wait_for(lambda: len(job.running()) == 6, "six workers")
        job.wait_for_step(1)
        begin = time.monotonic()
        for number, wanted in enumerate((2, 6, 2, 8, 2)):
            bench.others.end(held[wanted:])
            held = held[:wanted] + bench.others.start(max(wanted - len(held), 0))
            time.sleep(max(begin + (number + 1) * seconds - time.monotonic(), 0))
        end = time.monotonic()
        bench.others.end(held)
        job.end()
    redone, slots = job.books["rows_redone"], Slots(8, [job], bench.others.one_each())
    used, refill = elastic.share_of_slots(slots, begin, end)
    same = job.digest() == bench.reference(setting)
    bench.keep("x3", f"X3: {setting}", [job], slots)
    return (str(setting), f"utilisation {100 * used:.1f} %, refill {refill:.2f} s, {redone} rows redone, "
            f"{bits(same)}", used >= 0.95 and refill <= 6 and redone == 0 and same)


def bits(same):
    return f"{'same' if same else 'OTHER'} bits"


def x5(bench):
    """kill -9 a random worker every two seconds."""
    setting = Setting(64, 50, bench.steps(40, 50), 8)
    job = bench.job("x5", setting)
    job.wait_for_step(5)
    kills = 0
    while job.step() < setting.steps - 60:
        time.sleep(2)
        running = sorted(job.running().items())
        if running and job.step() < setting.steps - 40:
            kills += job.send(signal.SIGKILL, bench.draw.choice(running)[1]) is not None
    job.end()
    same, gap = job.digest() == bench.reference(setting), job.longest_gap()
    bench.keep("x5", f"X5: {setting}", [job], Slots(8, [job]))
    return (str(setting), f"{kills} kills, {bits(same)}, longest gap between steps {gap:.2f} s",
            same and gap <= 2)


def x6(bench):
    """In each job the master is killed, frozen for 3 s, killed, frozen, at random points."""
    jobs, back, frozen = [], [], 0
    setting = Setting(64, 50, 20 * 30, 4)
    same = True
    for number in range(max(int(5 * bench.scale), 1)):
        job = bench.job(f"x6-{number}", setting)
        jobs.append(job)
        job.wait_for_step(5)
        for point in range(4):
            time.sleep(0.5 + bench.draw.random())
            sent_at = job.send((signal.SIGKILL, signal.SIGSTOP)[point % 2], job.master())
            if sent_at is not None and point % 2 == 0:
                back.append(job.master_after(sent_at) - sent_at)
            elif sent_at is not None:
                time.sleep(FROZEN_S)
                frozen += job.send(signal.SIGCONT, job.master()) is not None
        job.end()
        same = same and job.digest() == bench.reference(setting)
    gap = max(job.longest_gap() for job in jobs)
    bench.keep("x6", f"X6: {setting}", jobs)
    return (str(setting), f"killed {len(back)} times, frozen {frozen} times, {bits(same)}, longest gap {gap:.2f} s; "
            f"back {min(back):.1f} s (the first of a pod) to {max(back):.1f} s after it was killed", same and gap <= 2)


def x10(bench):
    """A frozen worker."""
    setting = Setting(64, 50, bench.steps(15, 50), 4)
    job = bench.job("x10", setting)
    job.wait_for_step(20)
    job.send(signal.SIGSTOP, job.running()[1])
    job.end()
    same, gap = job.digest() == bench.reference(setting), job.longest_gap()
    bench.keep("x10", f"X10: {setting}", [job])
    return str(setting), f"longest gap between steps {gap:.2f} s, {bits(same)}", gap <= 10 and same


def x10_node(bench):
    """The node that has not the master: kubelet and pods, two of four workers, are dead at once."""
    setting = Setting(64, 50, bench.steps(15, 50), 4)
    with bench.others.holding(SLOTS - 4):
        job = bench.job("x10-node", setting)
        job.wait_for(lambda: len(job.running()) == 4, "four workers")
        job.wait_for_step(20)
        node = next(node.name for node in bench.lab.nodes() if node.name != job.master().node)
        there = sum(pod.node == node for pod in job.running().values())
        job.marks.append({"event": "SIGKILL node", "at": time.monotonic()})
        bench.lab.kill_node(node)
        try:
            job.end()
        finally:
            bench.lab.start_node(node)
    same, gap = job.digest() == bench.reference(setting), job.longest_gap()
    bench.keep("x10-node", f"X10, a node: {setting}", [job])
    return (str(setting), f"{there} of 4 workers on it, longest gap between steps {gap:.2f} s, {bits(same)}",
            gap <= 10 and same)


def x12(bench):
    """From `totrain submit` of a statement to the first step, the image present; not paced."""
    setting = Setting(8, 50, 500, 4, batch=128)
    setting.us = 0
    image, took = bench.image(0), []
    for number in range(5):
        statement = bench.statement(setting, f"x12-{number}")
        began = time.monotonic()
        trace = bench.space.submit(f"x12-{number}", statement, image)
        took.append(min(line["at"] for line in trace) - began)
    return ("1,536 rows, 8 lanes, 4 workers, not paced; median of 5",
            f"{statistics.median(took):.2f} s, {max(took):.2f} s at most", statistics.median(took) <= 6)


def give_and_take(bench):
    """Seconds that services waited, (deleted, asked, ended) of workers that went, and whether all went well."""
    setting = Setting(60, 100, bench.steps(120, 100), 12)
    trained = [bench.job(f"priority-{number}", setting) for number in (1, 2)]
    for job in trained:
        job.wait_for(lambda job=job: len(job.running()) == 12, "twelve workers")
        job.wait_for_step(5)
    waited, all_are_back = [], lambda: sum(len(job.running()) for job in trained) == SLOTS
    while not waited or max(job.step() for job in trained) < 0.5 * setting.steps:
        some = bench.others.start(6)
        bench.others.wait_for(some)
        waited += [service.waited() for service in some]
        bench.others.end(some)
        trained[0].wait_for(all_are_back, "the slots' return")
    for job in trained:
        job.end()
    leaves = [leave for job in trained for leave in job.leaves()]
    reference = bench.reference(setting)
    same = all(job.digest() == reference for job in trained)
    redone = sum(job.books["rows_redone"] for job in trained)
    bench.keep("priority", f"priority: {setting}", trained, Slots(SLOTS, trained, bench.others.one_each()))
    return setting, waited, leaves, same, redone


def priority(bench):
    """Services of higher priority take and return 6 of 24 slots while two jobs of 12 train."""
    setting, waited, leaves, same, redone = give_and_take(bench)
    took = [ended - asked for _, asked, ended in leaves if asked]
    all_told = [ended - deleted for deleted, _, ended in leaves]
    return (f"two jobs, each {setting}", f"{len(waited)} services ready {statistics.median(waited):.2f} s after "
            f"their creation (median, {max(waited):.2f} s at most); {len(leaves)} workers had ended "
            f"{statistics.median(all_told):.2f} s after their deletion (median, {max(all_told):.2f} s at most): "
            f"{len(leaves) - len(took)} before SIGTERM came, the others {max(took, default=0):.2f} s after it at most; "
            f"{redone} rows redone, {bits(same)}",
            statistics.median(waited) <= 3 and max(took, default=0) <= 0.5 and same)


def print_stages(began, job, before):
    """Where the time went: median and last, in seconds after the deletion."""
    workers = job.pods("worker")
    old, new = [pod for pod in workers if pod.uid in before], job.ready_workers(before)
    stages = {"deletion told": [pod.deleting_at for pod in old],
              "created": [pod.seen_at for pod in new], "bound": [pod.bound_at for pod in new],
              "process began": [pod.runs[-1].began_at for pod in new if pod.runs],
              "ready": [pod.ready_at for pod in new],
              "old process ended": [run.ended_at for pod in old for run in pod.runs]}
    print("     " + "; ".join(
        f"{name} {statistics.median(times) - began:.2f}, {times[-1] - began:.2f}"
        for name, found in stages.items() if (times := sorted(at for at in found if at))), flush=True)


def delete_thirty(bench):
    """Seconds that 30 fresh pause pods take, and 30 that come as 30 others go; seconds of each return of 30 workers;
    and whether all went well."""
    setting = Setting(60, 200, bench.steps(40, 200), 30)
    bench.image(setting.us)
    pods, allowed = [], []
    for _ in range(2):
        began, gone = time.monotonic(), pods
        bench.others.end(gone, is_waited_for=False, grace=1)
        pods = bench.others.start(30, slots=0)
        bench.others.wait_for(pods)
        allowed.append(max(service.pod().ready_at for service in pods) - began)
        bench.others.wait_until_gone(gone)
    bench.others.end(pods)
    job = bench.job("thirty", setting, slots=False)
    job.wait_for(lambda: len(job.ready_workers()) == 30, "30 workers")
    job.wait_for_step(5)
    times = []
    while len(times) < 3 and job.step() < 0.7 * setting.steps:
        before = {pod.uid for pod in job.pods("worker")}
        began = time.monotonic()
        job.delete_workers()
        job.wait_for(lambda before=before: len(job.ready_workers(before)) == 30, "30 other workers")
        times.append(max(pod.ready_at for pod in job.ready_workers(before)) - began)
        print_stages(began, job, before)
        job.wait_for_step(job.step() + 5)
    job.end()
    same = job.digest() == bench.reference(setting)
    bench.keep("thirty", f"thirty: {setting}", [job], Slots(30, [job]))
    return setting, allowed, times, same, job.books["rows_redone"]


def thirty(bench):
    """30 worker pods deleted at once, against 30 pause pods that come as 30 others go."""
    setting, allowed, times, same, redone = delete_thirty(bench)
    ours = statistics.median(times)
    return (str(setting), f"back after {', '.join(f'{value:.2f}' for value in times)} s; 30 pause pods that follow 30 deleted "
            f"ones take {allowed[1]:.2f} s: {ours / allowed[1]:.2f} x (30 fresh ones {allowed[0]:.2f} s: "
            f"{ours / allowed[0]:.2f} x), {redone} rows redone, {bits(same)}", ours <= 1.5 * allowed[1] and same)


EXPERIMENTS = {
    "X1": (x1, "795 s gang, 580 s elastic: ratio .73 (optimum .61)", "ratio <= .66"),
    "X2": (x2, "a gang waits for the other job's whole life", "first step <= 5 s, 8th <= 5 s"),
    "X3": (x3, "utilisation 96.5 %, refill 18-25 s", ">= 95 %, refill <= 6 s, 0 rows redone"),
    "X5": (x5, "torchrun: next step after 4 s, everyone restarted", "same bits, gap <= 2 s"),
    "X6": (x6, "job lost, or minutes", "same bits, gap <= 2 s; back within the Job's own delay"),
    "X10": (x10, "30 min, for ever", "<= 10 s"),
    "X10-node": (x10_node, "30 min, for ever", "<= 10 s"),
    "X12": (x12, "minutes", "<= 6 s, image present"),
    "priority": (priority, "none", "services <= 3 s (median), ours end <= 0.5 s after SIGTERM"),
    "thirty": (thirty, "none", "<= 1.5 x 30 pause pods that follow 30 deleted ones"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--quick", action="store_const", const=QUICK, dest="scale", help=f"--scale {QUICK}")
    parser.add_argument("experiments", nargs="*", default=list(EXPERIMENTS))
    options = parser.parse_intermixed_args()
    lab = harness.cluster.Lab(os.environ.get("TOTRAIN_LAB"))
    try:
        begun = lab.up()
    except harness.Refused as error:
        print(f"skipped: {error}")
        return 77
    try:
        with lab.in_network():
            met = elastic.run_all(Bench(options.build.resolve(), options.scale, lab), EXPERIMENTS, options.experiments)
    finally:
        if begun:
            lab.down()
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
