"""Jobs that train on a cluster: the same model whoever dies, each row once, nobody waits long.

TOTRAIN_DELETIONS: how many pods of workers are deleted at random (6; 50 in the full run).
"""

import os
import random
import signal

import harness
import training
from harness import Stopwatch, container, pod, pod_spec, rounds

DELETIONS = int(os.environ.get("TOTRAIN_DELETIONS", "50" if harness.FULL else "6"))
TRAIN = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], train.epoch = {epochs}, "
         "train.batch_size = 32, job.lanes = 8, job.checkpoint_seconds = 1, job.min_workers = {least}, "
         "job.max_workers = {most} LABEL class INTO iris_model;")


def train(epochs, most=4, least=1):
    """Rows take 2 ms each (training.Case.variables): an epoch of four workers takes 75 ms."""
    return TRAIN.format(epochs=epochs, most=most, least=least)


class Jobs(training.Case):
    def report_gap(self, what, job):
        self.report(f"{what}: longest time between two steps", job.longest_gap())

    def leave_room_for_two_on_each_node(self):
        for node in ("node-1", "node-2"):
            self.run_pod(f"blocker-{node}", pod_spec([container(slots=10)],
                                                     nodeSelector={"kubernetes.io/hostname": node}))

    def test_four_workers_on_two_nodes_train_what_one_process_trains(self):
        self.leave_room_for_two_on_each_node()
        job = self.submit(train(150))
        workers = job.wait_for_workers(4)
        self.assertEqual({found["spec"]["nodeName"] for found in workers}, {"node-1", "node-2"})
        job.wait_for_step(1)
        self.report("from the Job's release to the first step", min(job.steps().values()) - job.submitted_at)
        self.check_trained(job)

    def test_pods_of_workers_are_deleted_at_random(self):
        draw = random.Random(5)
        job = self.submit(train(150 + 60 * DELETIONS))
        job.wait_for_workers(4)
        for _ in range(DELETIONS):
            step = job.step()
            gone = draw.choice(job.wait_for_workers(4))
            job.delete(gone)
            job.wait_for_step(step + 5)
            harness.wait_for(lambda name=gone["metadata"]["name"]: name not in
                             [found["metadata"]["name"] for found in job.workers(True)], "the deletion")
        self.check_trained(job)
        self.report_gap(f"{DELETIONS} deletions", job)

    def test_workers_are_killed(self):
        draw = random.Random(6)
        job = self.submit(train(600))
        for _ in rounds(3, 20):
            victim = draw.choice(job.wait_for_workers(4))
            job.wait_for_step(job.step() + 10)
            watch = Stopwatch()
            for process in job.processes(victim):
                os.kill(process, signal.SIGKILL)
            harness.wait_for(lambda name=victim["metadata"]["name"]: name not in
                             [found["metadata"]["name"] for found in job.workers(True)], "the death")
            job.wait_for_workers(4)
            self.report("kill -9 of a worker: the next one runs after", watch.read())
        self.check_trained(job)
        self.report_gap("kill -9 of workers", job)

    def test_pods_of_the_master_are_deleted(self):
        job = self.submit(train(800))
        for _ in rounds(1, 5):
            step = job.step()
            job.wait_for_step(step + 20)
            master = job.master()
            watch = Stopwatch()
            job.delete(master)
            harness.wait_for(lambda uid=master["metadata"]["uid"]: job.master()["metadata"]["uid"] != uid,
                             "another master")
            self.report("the master's pod deleted: the next one runs after", watch.read())
        self.check_trained(job)
        self.assertEqual({found["metadata"]["name"] for found in job.workers()}, set())
        self.report_gap("the master's pod deleted", job)

    def test_the_master_is_killed_in_its_pod(self):
        job = self.submit(train(600))
        job.wait_for_workers(4)
        job.wait_for_step(20)
        master = job.master()
        watch = Stopwatch()
        for process in job.processes(master):
            os.kill(process, signal.SIGKILL)

        def is_back():
            status = job.pods("master")[0]["status"]["containerStatuses"][0]
            return status["restartCount"] == 1 and status["ready"]
        harness.wait_for(is_back, "the master to be back")
        self.report("kill -9 of the master: back in its pod after", watch.read())
        self.check_trained(job)
        self.report_gap("kill -9 of the master", job)

    def test_a_frozen_master_is_started_again_in_its_pod(self):
        job = self.submit(train(900))
        job.wait_for_workers(4)
        job.wait_for_step(20)
        master = job.master()
        watch = Stopwatch()
        for process in job.processes(master):
            os.kill(process, signal.SIGSTOP)

        def is_back():
            status = job.pods("master")[0]["status"]["containerStatuses"][0]
            return status["restartCount"] == 1 and status["ready"]
        harness.wait_for(is_back, "the master to be back")
        self.report("SIGSTOP of the master: back in its pod after", watch.read())
        self.check_trained(job)
        self.report_gap("SIGSTOP of the master", job)

    def test_its_number_of_workers_is_changed_while_it_runs(self):
        job = self.submit(train(900))
        job.wait_for_workers(4)
        for workers in (1, 4):
            watch = Stopwatch()
            self.api.patch(job.path(), {"metadata": {"annotations": {"totrain.dev/workers": str(workers)}}})
            harness.wait_for(lambda wanted=workers: job.trace()[-1]["workers"] == wanted, f"a group of {workers}")
            self.report(f"{workers} workers are wanted: the group has them after", watch.read())
        job.wait_for_workers(4)
        self.check_trained(job)

    def test_a_node_dies(self):
        self.leave_room_for_two_on_each_node()
        job = self.submit(train(600))
        workers = job.wait_for_workers(4)
        job.wait_for_step(20)
        home = job.master()["spec"]["nodeName"]
        dead = next(name for name in ("node-1", "node-2") if name != home)
        lost = [found["metadata"]["name"] for found in workers if found["spec"]["nodeName"] == dead]
        self.addCleanup(self.lab.start_node, dead)
        watch = Stopwatch()
        step = job.step()
        self.lab.kill_node(dead)
        job.wait_for_step(step + 20)
        self.report(f"a node with {len(lost)} of 4 workers dies: steps go on after", watch.read())
        self.check_trained(job)
        self.report_gap("a node dies", job)

    def test_the_api_server_restarts(self):
        job = self.submit(train(500))
        job.wait_for_workers(4)
        job.wait_for_step(20)
        self.lab.kill("kube-apiserver")
        job.wait_for_step(job.step() + 40)
        harness.wait_for(self.api.answers, "the API server")
        victim = job.wait_for_workers(4)[0]
        job.delete(victim)
        harness.wait_for(lambda: victim["metadata"]["name"] not in
                         [found["metadata"]["name"] for found in job.workers(True)], "the deletion")
        job.wait_for_workers(4)
        self.check_trained(job)
        self.report_gap("the API server is killed", job)

    def test_surplus_workers_wait_for_room_and_join(self):
        blocker = self.run_pod("blocker-1", pod_spec([container(slots=12)], nodeSelector={"kubernetes.io/hostname": "node-1"}))
        self.run_pod("blocker-2", pod_spec([container(slots=10)], nodeSelector={"kubernetes.io/hostname": "node-2"}))
        job = self.submit(train(500))
        job.wait_for_workers(2)
        notice = harness.wait_for(lambda: job.events("notice"), "a notice")
        self.assertIn("Insufficient example.com/slot", notice[0]["message"])
        job.wait_for_step(20)
        watch = Stopwatch()
        self.api.delete(f"{self.path}/pods/{blocker['metadata']['name']}", 0)
        harness.wait_for(lambda: job.trace()[-1]["workers"] == 4, "a group of four")
        self.report("room for two workers more: in the group after", watch.read())
        self.check_trained(job)

    def test_a_service_of_higher_priority_takes_capacity_and_gives_it_back(self):
        low, high = self.make_priority("low", 10), self.make_priority("high", 1000)
        self.run_pod("blocker", pod_spec([container(slots=12)], nodeSelector={"kubernetes.io/hostname": "node-1"}, priorityClassName=high))
        job = self.submit(train(700, most=12), workers=12, priority=low)
        job.wait_for_workers(12)
        job.wait_for_step(20)
        watch = Stopwatch()
        names = [f"service-{number}" for number in range(4)]
        for name in names:
            self.create(pod(name, pod_spec([container(slots=1)], priorityClassName=high)))
        for name in names:
            self.wait_for_ready(name)
        self.report("a service's four pods run after", watch.read())
        job.wait_for_step(job.step() + 20)
        watch = Stopwatch()
        for name in names:
            self.api.delete(f"{self.path}/pods/{name}", 0)
        job.wait_for_workers(12)
        self.report("their slots are used again after", watch.read())
        redone = self.check_trained(job)
        self.report_gap("preemption", job)
        self.assertIn("rows", redone)

    def test_a_worker_that_ran_out_of_memory_comes_back_with_more(self):
        text = train(3).replace("[16, 16]", "[1024, 1024]")
        job = self.submit(text, memory="16Mi")
        job.wait_for_step(1)
        limits = {found["spec"]["containers"][0]["resources"]["limits"]["memory"] for found in job.workers()}
        self.assertTrue(limits & {"32Mi", "64Mi"}, limits)
        self.assertIn("OOMKilled", job.log())
        self.check_trained(job)

    def test_deleting_the_job_leaves_nothing(self):
        job = self.submit(train(2000))
        job.wait_for_workers(4)
        self.api.request("DELETE", job.path(), {"propagationPolicy": "Background"})  # as kubectl does

        def empty():
            kinds = ("pods", "services", "secrets")
            return not [found for kind in kinds for found in self.api.get(
                f"/api/v1/namespaces/{self.space}/{kind}", labelSelector="totrain.dev/job=train")["items"]]
        harness.wait_for(empty, "everything to be gone")


if __name__ == "__main__":
    harness.main()
