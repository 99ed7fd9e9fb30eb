"""Jobs that train on a cluster: the same model whoever dies, each row once, nobody waits long.

TOTRAIN_DELETIONS: how many pods of workers are deleted at random (4; 50 in the full run).
"""

import itertools
import os
import random
import re
import signal

import harness
import proxy
import training
from harness import Stopwatch, container, pod, pod_spec, rounds

DELETIONS = int(os.environ.get("TOTRAIN_DELETIONS", "50" if harness.FULL else "4"))
ROWS = 150  # rows of iris: a step takes all of them, which a death without notice may cost
STEPS = 3000  # four minutes of four paced workers: a job lasts until its test has seen enough, and hurries then
TRAIN = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], train.epoch = {epochs}, "
         "train.batch_size = 150, job.lanes = 8, job.checkpoint_seconds = 1, job.max_workers = {most} "
         "LABEL class INTO iris_model;")
# A round is a step of some ten phases, each of which looks at all rows.
TREES = ("SELECT * FROM iris TO TRAIN XGBClassifier WITH train.num_boost_round = 400, max_depth = 2, train.test_size = 0, "
         "job.lanes = 8, job.checkpoint_seconds = 1, job.max_workers = 4 LABEL class INTO iris_model;")
# The same of rows with weights, and of rankings within groups of rows.
WEIGHTS = TREES.replace("test_size = 0,", "test_size = 0, train.sample_weight = 'petal_width',")
GROUPS = TREES.replace("XGBClassifier", "XGBRanker").replace("test_size = 0,", "test_size = 0, train.group = 'petal_width',")


def train(epochs=STEPS, most=4):
    """Rows take 2 ms each (training.Case.variables): an epoch of four workers takes 75 ms."""
    return TRAIN.format(epochs=epochs, most=most)


class Case(training.Case):
    """A job of four workers, two on each node."""

    def begin(self, text=None, workers=4, **options):
        options["resource"] = options.get("resource") or self.make_room(2, 2)
        job = self.submit(text or train(), workers=workers, **options)
        job.wait_for_workers(workers)
        job.wait_for_step(20)
        return job

    def finish(self, what, job, redone=0):
        self.report(f"{what}: longest time between two steps", job.longest_gap())
        self.check_trained(job, redone)
        self.assertEqual(sorted(job.steps()), list(range(1, job.books["steps"] + 1)))

    def wait_for_another(self, job, victim, what, since):
        """Four workers run once more, and none of them is that pod."""
        job.wait_for(lambda: victim not in job.ready_workers() or victim.run() is None, "an end")
        found = job.wait_for_workers(4)
        self.assertNotIn(victim.uid, [each.uid for each in found])
        self.report(f"{what}: four workers run again after", since.read())

    def kill(self, pod_of, number=signal.SIGKILL):
        pod_of.run().send(number)


class Whole(Case):
    def test_four_workers_on_two_nodes_train_what_one_process_trains(self):
        job = self.begin(train(150))
        self.assertEqual({found.node for found in job.ready_workers()}, {"node-1", "node-2"})
        self.report("from the Job's creation to the first step", min(job.steps().values()) - job.started_at)
        self.finish("nothing happens", job)

    def test_surplus_workers_wait_for_room_and_join(self):
        room = self.make_room(0, 2)
        job = self.submit(train(), resource=room)
        job.wait_for_workers(2)
        notice = job.wait_for(lambda: job.events("notice"), "a notice")
        self.assertIn(f"Insufficient {room}", notice[0]["message"])
        job.wait_for_step(20)
        watch = Stopwatch()
        self.make_room(2, 2)
        job.wait_for(lambda: job.trace()[-1]["workers"] == 4, "a group of four")
        self.report("room for two workers more: in the group after", watch.read())
        self.finish("two workers join", job)


class Changed(Case):
    def test_its_number_of_workers_is_changed_while_it_runs(self):
        job = self.begin()
        for workers in (1, 4):
            watch = Stopwatch()
            self.api.patch(job.path, {"metadata": {"annotations": {"totrain.dev/workers": str(workers)}}})
            job.wait_for(lambda wanted=workers: job.trace()[-1]["workers"] == wanted, f"a group of {workers}")
            self.report(f"{workers} workers are wanted: the group has them after", watch.read())
        self.finish("another number of workers", job)

    def limits_of_workers(self):
        return {found["spec"]["containers"][0]["resources"]["limits"]["memory"] for found in self.pods()
                if found["metadata"]["labels"].get("totrain.dev/role") == "worker"}

    def test_a_worker_that_ran_out_of_memory_comes_back_with_more(self):
        text = train(3).replace("[16, 16]", "[1024, 1024]")
        job = self.submit(text, memory="16Mi")
        job.wait_for(lambda: self.limits_of_workers() & {"32Mi", "64Mi"}, "a worker with more memory")
        self.assertIn("OOMKilled", job.said(1000))
        self.check_trained(job, redone=3 * ROWS)


class Deleted(Case):
    def test_deleting_the_job_leaves_nothing(self):
        job = self.begin(train(20000))
        watch = Stopwatch()
        job.delete()
        harness.wait_for(lambda: not any(found.run() for found in self.training_pods(job)), "the end of its processes")
        self.report("the Job is deleted: its processes have ended after", watch.read())
        harness.wait_for(lambda: not self.left_of(job), "everything to be gone")
        self.report("the Job is deleted: nothing is left of it after", watch.read())
        self.assertEqual(self.database.books(job.number)["state"], "cancelled")
        tables = "SELECT count(*) FROM pg_class WHERE relname ~ '^(input|checkpoint|result)_%s$'"
        self.assertEqual(self.database.execute(tables, "alice", job.number), [(3,)])
        self.database.execute("SELECT totrain.discard(%s)", "alice", job.number)
        self.assertEqual(self.database.execute(tables, "alice", job.number), [(0,)])

    def test_deleting_the_job_while_its_master_is_down_leaves_nothing(self):
        """Nobody follows it, and nobody tells the workers that no master will come."""
        job = self.begin(train(20000))
        for count in (1, 2):  # after the second death the kubelet waits 10 s
            self.kill(job.master())
            job.wait_for(lambda count=count: self.master_has_died(job, count), "the master's death")
        watch = Stopwatch()
        harness.wait_for(lambda: watch.read() > 2, "the workers to have missed it")
        watch = Stopwatch()
        job.delete()
        harness.wait_for(lambda: not any(found.run() for found in self.training_pods(job)), "the end of its processes")
        took = watch.read()
        self.report("the Job is deleted while its master is down: its processes have ended after", took)
        self.assertLess(took, 15)  # 3 s and what the machine takes; their grace is 25 s
        harness.wait_for(lambda: not self.left_of(job), "everything to be gone")
        self.report("the Job is deleted while its master is down: nothing is left of it after", watch.read())

    def master_has_died(self, job, count):
        status, = self.pod(job.there("master")[0].name)["status"]["containerStatuses"]
        return status["restartCount"] >= count - 1 and (count == 1 and status["restartCount"] == 1 or
                                                        "waiting" in status["state"])

    def training_pods(self, job):
        return [*job.pods("master"), *job.pods("worker")]

    def left_of(self, job):
        """Objects of any kind that the job's label is on, or that the Job owns."""
        return [f"{kind} {found['metadata']['name']}" for kind, found in self.everything()
                if found["metadata"].get("labels", {}).get("totrain.dev/job") == job.name
                or job.uid in [owner["uid"] for owner in found["metadata"].get("ownerReferences", [])]]


class Told(Case):
    """`kubectl describe job`, as docs/kubernetes.md shows it."""

    def described(self, job):
        """Type, reason, source and message of its Events, without those of the Job's controller."""
        lines = self.kubectl("describe", "job", job.name).stdout.split("\nEvents:\n")[1].splitlines()
        found = [re.split(r" {2,}", line.strip(), maxsplit=4) for line in lines]
        return [(kind, reason, message) for kind, reason, _, source, message in found if source == "totrain"]

    def expected_lines(self):
        """The page's, as patterns: numbers, names and ages are another run's."""
        page = (training.ROOT / "docs" / "kubernetes.md").read_text(encoding="utf-8")
        block, = re.findall(r"^```\nEvents:\n(.*?)^```$", page, re.M | re.S)
        found = [re.split(r" {2,}", line.strip(), maxsplit=4) for line in block.splitlines()]
        return [(kind, reason, re.sub(r"[0-9a-f]{64}|[0-9]+", "#", message))
                for kind, reason, _, source, message in found if source == "totrain"]

    def test_the_history_of_a_job_reads_as_on_the_page(self):
        job = self.begin()
        self.kill(job.wait_for_workers(4)[1])
        job.wait_for(lambda: len(job.running()) < 4, "an end")
        job.wait_for_workers(4)
        for victim in job.wait_for_workers(4)[2:]:
            job.delete_pod(victim)
            job.wait_for(lambda victim=victim: victim.gone_at, "the end of a pod")
        job.wait_for_workers(4)
        self.api.patch(job.path, {"metadata": {"annotations": {"totrain.dev/workers": "2"}}})
        job.wait_for(lambda: job.trace()[-1]["workers"] == 2, "a group of two")
        self.assertEqual(job.wait_for_end(), "Complete", job.said())
        told = [(kind, reason, re.sub(r"[0-9a-f]{64}|[0-9]+", "#", message))
                for kind, reason, message in self.described(job)]
        self.assertEqual(told, self.expected_lines())


class Deaths(Case):
    def test_pods_of_workers_are_deleted_at_random(self):
        draw = random.Random(5)
        job = self.begin(train(STEPS * (5 if harness.FULL else 1)))
        for _ in range(DELETIONS):
            step, gone, watch = job.step(), draw.choice(job.wait_for_workers(4)), Stopwatch()
            job.delete_pod(gone)
            job.wait_for_step(step + 5)
            self.wait_for_another(job, gone, "a worker's pod deleted", watch)
        self.finish(f"{DELETIONS} deletions", job)

    def test_workers_are_killed(self):
        draw = random.Random(6)
        job = self.begin(train(STEPS * (3 if harness.FULL else 1)))
        kills = len(rounds(2, 20))
        for _ in range(kills):
            victim = draw.choice(job.wait_for_workers(4))
            job.wait_for_step(job.step() + 5)
            watch = Stopwatch()
            self.kill(victim)
            self.wait_for_another(job, victim, "kill -9 of a worker", watch)
        self.finish("kill -9 of workers", job, redone=kills * ROWS)

    def test_a_frozen_worker_is_replaced(self):
        """The kubelet sees nothing wrong with it; the master does."""
        job = self.begin()
        for _ in rounds(1, 3):
            victim, watch = job.wait_for_workers(4)[1], Stopwatch()
            self.kill(victim, signal.SIGSTOP)
            self.wait_for_another(job, victim, "SIGSTOP of a worker", watch)
        self.finish("SIGSTOP of a worker", job, redone=len(rounds(1, 3)) * ROWS)


class Drained(Case):
    def test_a_master_that_is_drained_again_and_again_comes_back_as_fast_as_the_first_time(self):
        """It makes its own successor: nobody else follows this job, and the Job's controller would wait 10 s, 20 s,
        40 s, 80 s, 160 s. Each is the Job's own pod, of which there is one at a time."""
        job = self.begin()
        for number in range(5):
            job.wait_for_step(job.step() + 10)
            master, watch = job.master(), Stopwatch()
            self.evict(master)
            job.wait_for(lambda before=master: job.master() is not before, "another master")
            self.report(f"the master is drained, time {number + 1}: the next one runs after", watch.read())
            self.assertEqual(job.master().name, f"{job.name}-{master.uid[:8]}")  # the controller's end in five letters
            job.wait_for(lambda count=number + 2: len(job.events("started")) == count, "the next master's word")
            alive = job.api.get(f"{self.path}/pods?labelSelector=totrain.dev/role=master")["items"]
            kept = [each for each in alive if "deletionTimestamp" not in each["metadata"]]
            self.assertEqual([each["metadata"]["uid"] for each in kept], [job.master().uid])
            self.assertEqual([each["uid"] for each in kept[0]["metadata"]["ownerReferences"]], [job.uid])
        # Workers find the next master one after another: each group that is made then may interrupt a phase.
        self.finish("the master is drained", job, redone=job.groups() * ROWS)
        self.assertEqual(self.api.get(job.path)["status"]["succeeded"], 1)

    def evict(self, found):
        """Evicts the pod as `kubectl drain` does."""
        self.api.post(f"{self.path}/pods/{found.name}/eviction", {
            "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": found.name}})


class Masters(Case):
    def test_the_master_is_killed_in_its_pod(self):
        job = self.begin()
        for number in rounds(1, 5):
            job.wait_for_step(job.step() + 10)
            master, watch = job.master(), Stopwatch()
            self.kill(master)
            job.wait_for(lambda count=number + 2: len(job.events("started")) == count, "the next master's word")
            self.report("kill -9 of the master: back in its pod after", watch.read())
            self.assertEqual(job.master().uid, master.uid)
        self.finish("kill -9 of the master", job, redone=len(rounds(1, 5)) * ROWS)

    def test_a_frozen_master_is_started_again_in_its_pod(self):
        job = self.begin()
        master, watch = job.master(), Stopwatch()
        self.kill(master, signal.SIGSTOP)
        job.wait_for(lambda: len(job.events("started")) == 2, "the next master's word")
        self.report("SIGSTOP of the master: back in its pod after", watch.read())
        self.assertEqual(job.master().uid, master.uid)
        self.finish("SIGSTOP of the master", job, redone=ROWS)


class CutOff(Case):
    def test_the_master_sees_what_happened_while_it_was_cut_off(self):
        """All its connections to the API server end again and again, and workers' pods go while there is none."""
        with proxy.Proxy(training.place.SERVER, 443) as between:
            job = self.begin(environment={"KUBERNETES_SERVICE_HOST": training.place.SERVER,
                                          "KUBERNETES_SERVICE_PORT": str(between.port)})
            for number in rounds(3, 15):
                gone, watch = job.wait_for_workers(4)[number % 4], Stopwatch()
                between.leave()
                job.delete_pod(gone)
                job.wait_for(lambda gone=gone: gone.gone_at, "the deletion")
                between.come_back()
                self.wait_for_another(job, gone, "a worker's pod deleted while the master was cut off", watch)
            for _ in rounds(0, 12):  # every five seconds
                harness.wait_for(lambda now=Stopwatch(): now.read() > 5, "five seconds")
                between.cut()
            self.assertGreater(between.count, 2 * len(rounds(3, 15)))
            self.finish("the master cut off", job)


class TreesCase(Case):
    """A lane's memory of its rows is no part of the state: where a lane moves it is made anew, from the trees so far
    and the growing one."""

    def begin(self, text=TREES, workers=4, **options):
        job = self.submit(text, workers=workers, resource=self.make_room(2, 2), **options)
        job.wait_for_workers(workers)
        job.wait_for_step(3)
        return job

    def want(self, job, workers):
        self.api.patch(job.path, {"metadata": {"annotations": {"totrain.dev/workers": str(workers)}}})
        job.wait_for(lambda: job.trace()[-1]["workers"] == workers, f"a group of {workers}")


class Trees(TreesCase):
    def test_workers_come_and_go(self):
        job = self.begin()
        for workers in (2, 4, 1, 3, 4):
            self.want(job, workers)
            job.wait_for_step(job.step() + 2)
        job.wait_for_workers(4)
        for kills in range(2):
            victim, watch = job.wait_for_workers(4)[kills], Stopwatch()
            self.kill(victim)
            self.wait_for_another(job, victim, "kill -9 of a worker that grows trees", watch)
            job.wait_for_step(job.step() + 2)
        gone, watch = job.wait_for_workers(4)[3], Stopwatch()
        job.delete_pod(gone)
        self.wait_for_another(job, gone, "a pod that grows trees deleted", watch)
        self.finish("trees whose workers come and go", job, redone=job.groups() * ROWS)


class TreesMaster(TreesCase):
    def test_the_master_is_killed_and_drained(self):
        job = self.begin()
        for number in rounds(2, 5):
            job.wait_for_step(job.step() + 2)
            self.kill(job.master())
            job.wait_for(lambda count=number + 2: len(job.events("started")) == count, "the next master's word")
        job.wait_for_step(job.step() + 2)
        job.delete_pod(job.master())
        job.wait_for_step(job.step() + 2)
        self.finish("trees whose master dies", job, redone=job.groups() * ROWS)


class TreesRows(TreesCase):
    def check_rows_with(self, what, text):
        job = self.begin(text)
        for workers in (2, 3, 4):
            self.want(job, workers)
            job.wait_for_step(job.step() + 2)
        victim, watch = job.wait_for_workers(4)[1], Stopwatch()
        self.kill(victim)
        self.wait_for_another(job, victim, f"kill -9 of a worker of rows with {what}", watch)
        self.finish(f"trees of rows with {what}", job, redone=job.groups() * ROWS)

    def test_weights_go_with_their_rows(self):
        self.check_rows_with("weights", WEIGHTS)

    def test_groups_go_with_their_rows(self):
        self.check_rows_with("groups", GROUPS)


class Preempted(Case):
    def test_services_of_higher_priority_take_capacity_and_give_it_back(self):
        """With notice: not one row is computed twice."""
        low, high = self.make_priority("low", 10), self.make_priority("high", 1000)
        room = self.make_room(4, 4)
        job = self.begin(train(most=8), workers=8, priority=low, resource=room)  # at most one a lane: no more are kept
        numbers = itertools.count()
        for _ in rounds(2, 6):
            names = [f"service-{next(numbers)}" for _ in range(4)]
            watch = Stopwatch()
            for name in names:
                self.create(pod(name, pod_spec([container(resources={"limits": {room: "1"}})], priorityClassName=high)))
            for name in names:
                self.wait_for_ready(name)
            self.report("a service's four pods run after", watch.read())
            job.wait_for_step(job.step() + 5)
            watch = Stopwatch()
            for name in names:
                self.api.delete(f"{self.path}/pods/{name}", 0)
            job.wait_for_workers(8)
            self.report("their slots are used again after", watch.read())
        self.finish("preemption", job)


class Cluster(Case):
    """Tests that concern everybody in the lab: no other test runs beside these."""

    def test_a_node_dies(self):
        """Its workers are replaced elsewhere, though it has room, too, and is ready as far as the cluster knows. They
        stay there: each time it is another job."""
        for number in rounds(1, 3):
            job = self.begin(name=f"train-{number}")  # two on each node: spreading alone is only a preference
            self.make_room(4, 4)
            self.lose_a_node(job)
            self.finish("a node dies", job, redone=4 * ROWS)

    def lose_a_node(self, job):
        """Kills a node without the master."""
        home = job.master().node
        dead = next(node.name for node in self.lab.nodes() if node.name != home)
        lost = [found for found in job.ready_workers() if found.node == dead]
        self.assertEqual(len(lost), 2)
        step, watch = job.step(), Stopwatch()
        self.lab.kill_node(dead)
        try:
            job.wait_for(lambda: job.step() > step + 10, "steps of the others")
            self.report(f"a node with {len(lost)} of 4 workers dies: steps go on after", watch.read())
            found = job.wait_for(lambda: [each for each in job.ready_workers() if each.run() and each.node == home][:4]
                                 if len(job.running()) == 4 else None, "four workers")
            self.report("and four workers run on the other node after", watch.read())
            self.assertEqual(len(found), 4)
        finally:
            self.lab.start_node(dead)

    def test_all_workers_die_with_their_node(self):
        """Back to the checkpoint, which is at most a second old and what all then agree on."""
        room = self.make_room(0, 0)
        job = self.submit(train(), resource=room)
        home = job.master().node
        there = [node.name != home for node in self.lab.nodes()]
        self.make_room(*(4 * is_away for is_away in there))
        job.wait_for_workers(4)
        job.wait_for_step(40)
        job.wait_for(lambda: "checkpoint: step" in job.said(), "a checkpoint")
        self.make_room(4, 4)
        dead, watch = next(node.name for node, is_away in zip(self.lab.nodes(), there) if is_away), Stopwatch()
        self.lab.kill_node(dead)
        try:
            step = job.step()
            job.wait_for_step(step + 10)
            self.report("the node of all four workers dies: steps go on after", watch.read())
        finally:
            self.lab.start_node(dead)
        self.finish("all workers die", job, redone=60 * ROWS)

    def test_a_node_whose_cable_was_cut_comes_back(self):
        """No connection closes: its workers are missed by their heartbeats and replaced elsewhere. They go on all the while; what they say when they are heard again is refused."""
        job = self.begin()
        self.make_room(4, 4)
        home = job.master().node
        away = next(node.name for node in self.lab.nodes() if node.name != home)
        lost = [found for found in job.ready_workers() if found.node == away]
        step, watch = job.step(), Stopwatch()
        self.lab.cut(away)
        try:
            job.wait_for(lambda: job.step() > step + 10, "steps of the others")
            self.report("a cable is cut: steps go on after", watch.read())
            job.wait_for(lambda: len([each for each in job.running().values() if each.node == home]) == 4, "four others")
            self.report("and four workers run on the other node after", watch.read())
            self.assertEqual([bool(found.run()) for found in lost], [True, True])
        finally:
            self.lab.join(away)
        watch = Stopwatch()
        job.wait_for(lambda: not any(found.run() for found in lost), "the end of those that were replaced")
        self.report("the cable is whole again: those that were replaced have ended after", watch.read())
        self.finish("a cable is cut", job, redone=2 * ROWS)

    def test_the_node_of_the_master_dies(self):
        job = self.begin()
        master, watch = job.master(), Stopwatch()
        self.addCleanup(self.lab.start_node, master.node)
        self.lab.kill_node(master.node)
        found = job.wait_for(lambda: next((each for each in job.there("master")
                                           if each.node != master.node and each.run()), None), "another master")
        self.report("the node of the master dies: another master runs after", watch.read())
        self.assertNotEqual(found.node, master.node)
        job.wait_for_step(job.step() + 10)
        self.report("the node of the master dies: steps go on after", watch.read())
        self.finish("the node of the master dies", job, redone=4 * ROWS)

    def test_a_node_with_workers_is_drained(self):
        """Not one row is computed twice: the workers hand their lanes over before they go."""
        job = self.begin()
        home = job.master().node
        self.drain(job, next(node.name for node in self.lab.nodes() if node.name != home), "workers")
        self.finish("a node with workers is drained", job)

    def test_the_node_of_the_master_is_drained(self):
        job = self.begin()
        before = job.master()
        self.drain(job, before.node, "master and workers")
        self.assertNotEqual(job.master().uid, before.uid)
        # Workers find the next master one after another: each group that is made then may interrupt a phase.
        self.finish("the node of the master is drained", job, redone=job.groups() * ROWS)

    def drain(self, job, node, what):
        """By kubectl, without --force and --delete-emptydir-data. The node takes no pods until the job has gone on."""
        self.make_room(4, 4)
        self.addCleanup(self.kubectl, "uncordon", node)
        watch = Stopwatch()
        done = self.kubectl("drain", "--ignore-daemonsets", "--timeout=110s", node)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.report(f"kubectl drain of a node with {what}", watch.read())
        found = job.wait_for_workers(4)
        self.report(f"four workers run on the other node, {what} drained, after", watch.read())
        self.assertNotIn(node, [each.node for each in (*found, job.master())])
        job.wait_for_step(job.step() + 10)

    def test_the_api_server_restarts(self):
        job = self.begin()
        for _ in rounds(1, 3):
            watch = Stopwatch()
            self.lab.kill("kube-apiserver")
            job.wait_for_step(job.step() + 10)
            harness.wait_for(self.api.answers, "the API server")
            self.report("the API server is killed: it answers after", watch.read())
            victim, watch = job.wait_for_workers(4)[0], Stopwatch()
            job.delete_pod(victim)
            self.wait_for_another(job, victim, "a worker's pod deleted after that", watch)
        self.finish("the API server is killed", job)


if __name__ == "__main__":
    harness.main()
