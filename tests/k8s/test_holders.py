"""The master that holds the Lease totrain-share is killed, frozen, cut off and delayed, on a real cluster.

Each term of the Lease has one writer, the next holder leaves the numbers as they are, no job is disturbed, and the
models are those of one process. TOTRAIN_HOLDERS: how many times each of these happens (1; 5 in the full run).
"""

import contextlib
import http.client
import json
import os
import signal
import threading

import harness
import proxy
import training
from harness import ApiError, Stopwatch, wait_for

ROUNDS = int(os.environ.get("TOTRAIN_HOLDERS", "5" if harness.FULL else "1"))
JOBS, ROWS = 4, 150
TRAIN = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8], train.test_size = 0, train.epoch = {epochs}, "
         "train.batch_size = 150, job.lanes = 12, job.max_workers = 4, job.checkpoint_seconds = 5 LABEL class INTO iris_model")
EPOCHS = 1500 + 1000 * ROUNDS  # a paced worker needs .3 s for each: jobs last until the test has seen enough
SHARE = "totrain.dev/share"


class Lease:
    """Its versions, all of them, in their order, as the API server tells them."""

    def __init__(self, api, space):
        self.api, self.path = api, f"/apis/coordination.k8s.io/v1/namespaces/{space}/leases"
        self.changed, self.versions, self.is_over = threading.Condition(), [], False
        self.missed = 0  # watches that ended once it was there: versions between two of them may be missing
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def follow(self):
        while not self.is_over:
            with contextlib.suppress(OSError, http.client.HTTPException, ApiError, ValueError):
                listed = self.api.get(self.path)
                self.take([item for item in listed["items"] if item["metadata"]["name"] == "totrain-share"])
                for kind, found in self.api.watch(self.path, listed["metadata"]["resourceVersion"]):
                    if self.is_over or kind == "ERROR":
                        break
                    if kind in ("ADDED", "MODIFIED") and found["metadata"]["name"] == "totrain-share":
                        self.take([found])
            self.missed += bool(self.versions) and not self.is_over

    def take(self, found):
        with self.changed:
            self.versions += found

    def now(self):
        with self.changed:
            return self.versions[-1] if self.versions else None

    def close(self):
        self.is_over = True  # the thread ends with its watch, or with the process


def holder(lease):
    return lease["spec"].get("holderIdentity", "") if lease else ""


def term(lease):
    return lease["spec"]["leaseTransitions"]


def numbers(lease):
    """Workers of each job, by its uid."""
    return {uid: number for uid, (number, _) in json.loads(lease["metadata"]["annotations"][SHARE])["jobs"].items()}


class Holders(training.Case):
    def test_whoever_is_lost_there_is_one_writer_and_no_job_is_disturbed(self):
        self.begin()
        hits = dict.fromkeys((job.name for job in self.jobs), 0)
        ways = (("killed", self.kill, True), ("frozen", self.freeze, True), ("cut off", self.cut, False),
                ("delayed", self.delay, False))
        for _ in range(ROUNDS):
            for what, lose, costs_rows in ways:
                before = self.settled()
                job = self.job_of(before)
                hits[job.name] += costs_rows
                watch = Stopwatch()
                with lose(job):
                    job.wait_for(lambda before=before: holder(self.lease.now()) not in ("", holder(before)),
                                 "another holder")
                    self.report(f"the holder is {what}: another one after", watch.read())
                    for other in self.jobs:
                        other.wait_for_step(other.step() + 5)
        self.settled()
        self.assertEqual(self.lease.missed, 0, "versions of the Lease may be missing")
        for job in self.jobs:
            self.report(f"{job.name}: longest time between two steps", job.longest_gap())
        self.finish(hits)
        self.check_writers()

    def begin(self):
        self.lease = Lease(self.lab.api(), self.space)
        self.addCleanup(self.lease.close)
        self.text, room = TRAIN.format(epochs=EPOCHS), self.make_room(3, 3)
        self.ways, self.jobs = {}, []
        for index in range(JOBS):
            between = proxy.Proxy(training.place.SERVER, 443)
            self.addCleanup(between.__exit__)
            name = f"job{index}"
            self.ways[name] = between
            self.jobs.append(self.submit(self.text, name, starts=False, resource=room, environment={
                "KUBERNETES_SERVICE_HOST": training.place.SERVER, "KUBERNETES_SERVICE_PORT": str(between.port)}))
        for job in self.jobs:
            job.start()
        for job in self.jobs:
            job.wait_for_step(5)

    def settled(self):
        """The Lease, once somebody holds it and all jobs are named, each with a worker at least."""
        def found():
            lease = self.lease.now()
            named = numbers(lease) if holder(lease) else {}
            return lease if len(named) == JOBS and min(named.values()) > 0 and self.job_of(lease) else None
        return wait_for(found, "a holder that knows all jobs", training.DEADLINE)

    def job_of(self, lease):
        """The job whose master holds it."""
        pod = holder(lease).rpartition("_")[0]
        return next((job for job in self.jobs for master in job.there("master") if master.name == pod), None)

    # --- ways to lose a holder ---------------------------------------------------------

    @contextlib.contextmanager
    def kill(self, job):
        job.master().run().send(signal.SIGKILL)
        yield

    @contextlib.contextmanager
    def freeze(self, job):
        """Its livenessProbe fails, and the kubelet starts it again."""
        job.master().run().send(signal.SIGSTOP)
        yield

    @contextlib.contextmanager
    def cut(self, job):
        """It lives, and does not reach the API server."""
        self.ways[job.name].leave()
        try:
            yield
        finally:
            self.ways[job.name].come_back()

    @contextlib.contextmanager
    def delay(self, job):
        """Its requests come to the API server when another holder has written."""
        self.ways[job.name].hold()
        try:
            yield
        finally:
            self.ways[job.name].release()

    # --- what came of it ------------------------------------------------------------------

    def finish(self, hits):
        expected = self.expected(self.text)
        for job in self.jobs:
            self.assertEqual(job.wait_for_end(), "Complete", job.said())
        for job in self.jobs:
            job.collect()
            self.assertEqual(self.database.digest("iris_model"), expected)
            self.assertLessEqual(job.books["rows_redone"], ROWS * hits[job.name], job.name)

    def check_writers(self):
        versions, writers = self.lease.versions, {}
        for before, lease in zip(versions, versions[1:]):
            self.assertGreaterEqual(term(lease), term(before))
            if term(lease) > term(before):
                self.assertEqual(numbers(lease), numbers(before), "a new holder changes no number")
        for lease in versions:
            if holder(lease):
                self.assertEqual(writers.setdefault(term(lease), holder(lease)), holder(lease))
        self.assertGreaterEqual(len(writers), 4 * ROUNDS)
        self.report("versions of the Lease", len(versions))
        self.report("terms of the Lease, of one writer each", len(writers))


if __name__ == "__main__":
    harness.main()
