"""Several jobs of one namespace share its slots and its quota, on a real cluster, and give way to others."""

import itertools
import statistics
import subprocess
import sys
import time

import harness
import training
from harness import Stopwatch, container, pod, pod_spec, wait_for

TRAIN = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.test_size = 0, train.epoch = {epochs}, "
         "train.batch_size = 36, job.lanes = 12, job.min_workers = {least}, job.max_workers = {most}, "
         "job.checkpoint_seconds = 5 LABEL class INTO iris_model")
JOBS = 8
ROW_SECONDS = .002  # a paced worker needs so long
PERIOD_S = 36  # EDL has 90


def seconds_of(epochs):
    """Seconds that a job needs with one worker."""
    return epochs * 150 * ROW_SECONDS


class Case(training.Case):
    def setUp(self):
        super().setUp()
        self.jobs = []

    def job(self, epochs, name=None, least=1, most=6, **options):
        text = TRAIN.format(epochs=epochs, least=least, most=most)
        self.jobs.append(self.submit(text, name or f"job{len(self.jobs)}", workers=most, **options))
        return self.jobs[-1]

    def begin(self, epochs, count=JOBS, **options):
        """Equal jobs at one moment."""
        for _ in range(count):
            self.job(epochs, starts=False, **options)
        for job in self.jobs:
            job.start()

    def follow(self, look=lambda: None):
        """Until all jobs have ended: when each had its first worker and its end, from now on. look: called all the time."""
        watch, waits, ends = Stopwatch(), {}, {}

        def have_ended():
            look()
            for job in self.jobs:
                if job.running():
                    waits.setdefault(job.name, watch.read())
                if job.name not in ends and job.ended():
                    ends[job.name] = watch.read()
            return len(ends) == len(self.jobs)
        wait_for(have_ended, "all jobs to end", training.DEADLINE)
        self.assertEqual(len(waits), len(self.jobs))
        return waits, ends

    def finish(self):
        """All of their models are those of one process."""
        for job in self.jobs:
            self.assertEqual(job.wait_for_end(hurries=False), "Complete", job.said())
            job.collect()
            self.assertEqual(self.database.digest("iris_model"), self.expected(job.text))


class Shared(Case):
    def test_eight_jobs_on_twelve_slots_all_begin_before_one_ends(self):
        epochs, sizes = 400, set()
        self.begin(epochs, resource=self.make_room(6, 6))
        waits, ends = self.follow(lambda: sizes.update(len(job.running()) for job in self.jobs))
        self.assertLess(max(waits.values()), min(ends.values()))
        self.assertGreater(max(sizes), 1)
        self.report("longest wait for a worker", max(waits.values()))
        self.report("mean completion", statistics.mean(ends.values()))
        self.report("part of the slots used", f"{JOBS * seconds_of(epochs) / 12 / max(ends.values()):.3f}")
        self.finish()

    def test_masters_alone_do_not_fill_a_quota(self):
        """Room for eight pods: eight masters, of which none could have a worker."""
        self.api.post(f"/api/v1/namespaces/{self.space}/resourcequotas", {
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "pods"}, "spec": {"hard": {"pods": "8"}}})
        watch = Stopwatch()
        self.begin(20, resource=None)
        self.finish()
        self.report("eight jobs under a quota of eight pods", watch.read())

    def test_jobs_that_need_four_workers_do_not_hold_slots_in_vain(self):
        """Four jobs of four to six workers on six slots: 3 and 3 would wait for each other for ever."""
        epochs, count, shares = 100, 4, []

        def look():
            shares.append([len(job.running()) for job in self.jobs])
        self.begin(epochs, count, least=4, resource=self.make_room(3, 3))
        _, ends = self.follow(look)
        self.report("four jobs of four to six workers on six slots have ended after", max(ends.values()))
        self.report("one after another they would need", count * seconds_of(epochs) / 6)
        in_vain = sum(1 for each in shares if sum(0 < workers < 4 for workers in each) > 1) / len(shares)
        self.report("part of the time in which two jobs had fewer than they need", f"{in_vain:.3f}")
        self.finish()


class Bands(Case):
    def test_a_job_of_a_higher_band_leaves_the_others_their_least(self):
        done = subprocess.run([self.lab.place.kubectl, "--kubeconfig", self.lab.place.kubeconfig, "apply", "-f", "-"],
                              input=training.program("k8s", "rbac", "classes"), text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        room, epochs, begun_at = self.make_room(3, 3), 200, {}
        for _ in range(3):
            low = self.job(epochs, priority="totrain-first-low", resource=room)
            low.wait_for(low.running, "its first worker")
        lows = list(self.jobs)
        self.jobs[0].wait_for_step(20)
        high, watch, had_none = self.job(60, priority="totrain-first-high", resource=room), Stopwatch(), set()

        def look():
            if high.running():
                begun_at.setdefault("high", watch.read())
            if "high" in begun_at and not high.ended():
                had_none.update(job.name for job in lows if not job.ended() and not job.running())
        _, ends = self.follow(look)
        self.assertEqual(had_none, set(), "jobs without a worker beside the one of the higher band")
        self.report("a job of a higher band has its first worker after", begun_at["high"])
        self.report("and has ended after", ends[high.name])
        for job in lows:
            self.report(f"{job.name} of the lower band has ended after", ends[job.name])
        self.finish()


class Others(Case):
    """PaddlePaddle EDL's experiments at a tenth of their sizes (PaddleCloud, doc/edl/experiment), on 24 slots."""

    def test_twenty_jobs_that_come_one_after_another(self):
        """Case 1, with fixed sizes, and then with jobs of one to four workers. A second lies between two jobs, not ten."""
        fixed, shared = (self.run_twenty(what, least) for what, least in (("fixed", 4), ("shared", 1)))
        self.report("twenty jobs: time of all, shared beside fixed sizes", f"{shared / fixed:.3f}")

    def run_twenty(self, what, least):
        """Seconds from the begin of the first to the end of the last."""
        room, begun, firsts = self.make_room(12, 12), {}, {}
        self.jobs = []
        for number in range(20):
            self.job(400, f"{what}{number}", least, 4, starts=False, resource=room)
        waiting, watch = list(self.jobs), Stopwatch()

        def look():
            if waiting and watch.read() >= len(begun):
                job = waiting.pop(0)
                job.start()
                begun[job.name] = watch.read()
            for job in self.jobs:
                if job.name not in firsts and job.step():
                    firsts[job.name] = watch.read()
        _, ends = self.follow(look)
        waits = [firsts[name] - begun[name] for name in begun]
        self.report(f"twenty jobs, {what}: mean wait for the first step", statistics.mean(waits))
        self.report(f"twenty jobs, {what}: longest wait for the first step", max(waits))
        self.report(f"twenty jobs, {what}: mean completion", statistics.mean(ends[name] - begun[name] for name in begun))
        self.report(f"twenty jobs, {what}: all have ended after", max(ends.values()))
        self.finish()
        return max(ends.values())

    def test_services_take_slots_and_give_them_back(self):
        """Case 2: 12 services of 24 slots, three fewer each 36 s until there are three, and back, beside six jobs."""
        low, high = self.make_priority("low", 10), self.make_priority("high", 1000)
        self.room, self.high, self.numbers = self.make_room(12, 12), high, itertools.count()
        services = [name for _ in range(4) for name in self.serve(3)]
        alone = self.waits_of(services)
        self.begin(4000, count=6, least=1, most=4, priority=low, resource=self.room)
        for job in self.jobs:
            job.wait_for_step(1)
        watch, marks = Stopwatch(), []
        for period, change in enumerate((0, -3, -3, -3, 3, 3, 3)):
            wait_for(lambda period=period: watch.read() >= PERIOD_S * period, "the next period")
            for name in services[:max(-change, 0)]:
                self.api.delete(f"{self.path}/pods/{name}", 0)
            services = services[max(-change, 0):] + (self.serve(change) if change > 0 else [])
            marks.append((time.monotonic(), len(services)))
        wait_for(lambda: watch.read() >= PERIOD_S * 7, "the end of the last period")
        marks.append((time.monotonic(), 0))
        used = self.used(marks)
        beside = self.waits_of(services[-9:])
        self.report("services beside jobs: part of the slots used", f"{used:.3f}")
        self.report("a service is ready after, alone (median)", statistics.median(alone))
        self.report("a service is ready after, beside jobs (median)", statistics.median(beside))
        self.report("a service is ready after, beside jobs, at most", max(beside))
        for job in self.jobs:
            self.assertEqual(job.wait_for_end(), "Complete", job.said())
        self.finish()
        redone = sum(job.books["rows_redone"] for job in self.jobs)
        self.report("rows computed once more, of all jobs", redone)  # where connections take more than 5 s
        self.assertLess(redone, 4000 * 150 * len(self.jobs) / 1000)

    def serve(self, count):
        """Names of new services, which are ready."""
        names = [f"service-{next(self.numbers)}" for _ in range(count)]
        for name in names:
            self.create(pod(name, pod_spec([container(resources={"limits": {self.room: "1"}})], priorityClassName=self.high)))
        for name in names:
            self.wait_for_ready(name)
        return names

    def waits_of(self, names):
        return [found.ready_at - found.seen_at for found in self.training.pods() if found.name in names]

    def used(self, marks):
        """Part of the 24 slots that a service or a worker's process had, from the first mark to the last."""
        begin, end = marks[0][0], marks[-1][0]
        slots = sum(count * (after - at) for (at, count), (after, _) in zip(marks, marks[1:]))
        for job in self.jobs:
            for found in job.pods("worker"):
                for run in found.runs:
                    slots += max(0, min(run.ended_at or end, end) - max(run.began_at, begin))
        return slots / (24 * (end - begin))


if __name__ == "__main__":
    if not harness.FULL:
        print("skipped: in the full form alone (make test-k8s-full)")  # many jobs on two processors take minutes
        sys.exit(77)
    harness.main()
