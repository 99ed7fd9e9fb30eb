"""The master of a job on Kubernetes: it makes its workers, and loses none of their work."""

import signal
import socket
import urllib.request

import pods
from staged import harness, server, statement

LONG = statement(epochs=800, batch=16, job__checkpoint_seconds=0.2)

LANES = LONG.replace("job.lanes = 8", "job.lanes = 2")


class Runs(pods.Case):
    def test_four_workers_train_what_one_trains_here(self):
        self.submit()
        master = self.master()
        self.check_trained(master, self.expected())
        self.assertEqual(self.api.objects["jobs"]["train"]["spec"]["backoffLimit"], 50)

    def test_a_pod_is_owned_by_the_job_and_says_who_it_is(self):
        self.submit(LONG)
        self.master()
        self.wait_for_pods(4)
        with self.api.lock:
            pod = self.api.objects["pods"]["train-worker-2-0"]
        owner = pod["metadata"]["ownerReferences"][0]
        self.assertEqual((owner["uid"], owner["kind"]), (self.uid, "Job"))
        controller, = [one for one in pod["metadata"]["ownerReferences"] if one.get("controller")]
        self.assertEqual((controller["uid"], controller["kind"], controller["name"]), ("of-secret", "Secret", "train-job"))
        self.assertEqual(pod["spec"]["containers"][0]["resources"]["limits"]["memory"], "512Mi")
        self.assertFalse(pod["spec"]["automountServiceAccountToken"])

    def test_it_begins_with_the_workers_there_is_room_for_and_the_others_join(self):
        self.node.room = 1
        self.submit(LONG)
        master = self.master()
        notice = master.wait_event("notice", "Unschedulable")
        self.assertIn("1 of 4 workers run", notice["message"])
        master.wait_step(50)
        self.assertEqual(master.events("progress")[-1]["workers"], 1)
        self.node.room = 4
        harness.wait_for(lambda: master.events("progress")[-1]["workers"] == 4, "four workers in a group")
        self.check_trained(master, self.expected(LONG))
        self.assertEqual(len(master.events("notice")), 1)


class Scaled(pods.Case):
    def wait_for_group(self, master, workers):
        harness.wait_for(lambda: master.events("progress") and master.events("progress")[-1]["workers"] == workers,
                         f"a group of {workers}")

    def test_the_job_says_how_many_workers_are_wanted(self):
        self.submit(LONG)
        master = self.master()
        self.wait_for_group(master, 4)
        for workers in (1, 3, 2, 4):
            self.want(workers)
            self.wait_for_pods(workers)
            self.wait_for_group(master, workers)
        self.assertEqual(self.finish(master), 0, master.log.text())
        redone = self.journal(self.number, "convert_from(body, 'UTF8')::json ->> 'rows_redone'", "kind = 'job'")
        self.assertEqual(redone[-1][0], "0", "what leaves hands its work back")
        self.check_published(self.expected(LONG))

    def test_workers_without_a_lane_have_no_pods(self):
        self.submit(LANES)
        master = self.master()
        notice = master.wait_event("notice", "can work")
        self.assertIn("2 of 4 workers can work, since a step has 2 lanes", notice["message"])
        self.wait_for_pods(2)
        self.want(3)
        self.wait_for_group(master, 2)
        self.want(1)
        self.wait_for_pods(1)
        self.check_trained(master, self.expected(LANES))

    def test_what_the_job_cannot_have_is_not_heard(self):
        self.submit(LONG)
        master = self.master()
        for workers in (0, 5, "many", ""):
            self.want(workers)
        self.want(2)
        self.wait_for_pods(2)
        self.check_trained(master, self.expected(LONG))

    def test_the_next_master_knows_it_too(self):
        self.submit(LONG)
        master = self.master()
        self.want(2)
        self.wait_for_pods(2)
        self.wait_for_group(master, 2)
        master.kill()
        master = self.master()
        self.wait_for_group(master, 2)
        self.check_trained(master, self.expected(LONG))


class Deaths(pods.Case):
    def test_pods_are_deleted_at_random(self):
        self.submit(LONG)
        master = self.master()
        master.wait_step(20)
        for _ in range(8):
            self.wait_for_pods(4)
            name = self.chance.choice(self.node.running())
            self.api.kubelet.on_delete(name, None)
            harness.wait_for(lambda name=name: name not in self.node.running(), f"{name} to go")
        self.check_trained(master, self.expected(LONG))

    def test_workers_are_killed_at_random(self):
        self.submit(LONG)
        master = self.master()
        for _ in range(5):
            self.wait_for_pods(4)
            step = master.events("progress")[-1]["step"] if master.events("progress") else 0
            master.wait_step(step + 20)
            name = self.chance.choice(self.node.running())
            self.node.kill(name)
            harness.wait_for(lambda name=name: name not in self.node.running(), "the death to be seen")
        self.check_trained(master, self.expected(LONG))

    def test_all_workers_are_killed(self):
        self.submit(LONG)
        master = self.master()
        self.wait_for_pods(4)
        master.wait_step(100)
        harness.wait_for(lambda: self.journal(self.number, "number", "kind = 'checkpoint'"), "a checkpoint")
        before = self.node.running()
        for name in before:
            self.node.kill(name)
        self.wait_for_others(before, 4)
        self.check_trained(master, self.expected(LONG))

    def test_a_frozen_worker_is_replaced_and_its_pod_removed_with_force(self):
        self.submit(LONG)
        master = self.master()
        self.wait_for_pods(4)
        master.wait_step(20)
        container = self.node.containers["train-worker-1-0"]
        container.process.send_signal(signal.SIGSTOP)
        harness.wait_for(lambda: "train-worker-1-1" in self.node.running(), "the next incarnation")
        self.check_trained(master, self.expected(LONG))
        self.assertIn(("delete", "pods", "train-worker-1-0"), [change[:3] for change in self.api.changes])

    def test_a_worker_that_ran_out_of_memory_gets_twice_as_much(self):
        self.submit(LONG)
        master = self.master()
        self.wait_for_pods(4)
        master.wait_step(20)
        self.node.kill("train-worker-3-0", reason="OOMKilled")
        harness.wait_for(lambda: "train-worker-3-1" in self.node.running(), "the next incarnation")
        with self.api.lock:
            limits = self.api.objects["pods"]["train-worker-3-1"]["spec"]["containers"][0]["resources"]["limits"]
        self.assertEqual(limits["memory"], "1024Mi")
        self.check_trained(master, self.expected(LONG))

    def test_a_worker_that_never_gets_enough_memory_fails_the_job(self):
        self.submit(LONG)
        master = self.master()
        for incarnation in range(3):
            name = f"train-worker-3-{incarnation}"
            harness.wait_for(lambda name=name: name in self.node.running(), name)
            self.node.kill(name, reason="OOMKilled")
        self.check_failed(master, "ran out of the 1536 MiB")

    def test_a_worker_that_crashes_again_and_again_fails_the_job(self):
        self.command_before = lambda pod, arguments: ["worker", "/nowhere", "--crash"]
        self.submit(LONG)
        self.check_failed(self.master(), "ended with code 2")


class Masters(pods.Case):
    def test_the_next_master_takes_over_the_pods(self):
        self.submit(LONG)
        master = self.master()
        for _ in range(3):
            master.wait_step(20)
            self.assertEqual(master.kill(), -signal.SIGKILL)
            master = self.master()
        self.check_trained(master, self.expected(LONG))
        self.assertEqual(len(self.node.uids), 4)

    def test_a_master_says_that_it_is_alive_also_while_its_database_is_away(self):
        self.submit(LONG)
        port = server.free_port()
        master = self.master("--health", f"tcp:127.0.0.1:{port}")
        master.wait_step(20)

        def answer(seconds=60):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=seconds) as got:
                return got.read()
        self.assertEqual(answer(), b"ok\n")
        master.process.send_signal(signal.SIGSTOP)
        harness.wait_for(lambda: harness.state_of(master.process.pid) == "T", "the stop")
        with self.assertRaises(OSError):
            answer(1)
        master.process.send_signal(signal.SIGCONT)
        self.assertEqual(answer(), b"ok\n")
        self.check_trained(master, self.expected(LONG))

    def test_a_master_that_another_has_replaced_does_not_come_back(self):
        self.submit(LONG)
        first = self.master()
        first.wait_step(20)
        first.process.send_signal(signal.SIGSTOP)
        harness.wait_for(lambda: harness.state_of(first.process.pid) == "T", "the stop")
        port, self.port = self.port, server.free_port()
        second = self.master()
        second.log.wait_for(lambda line: "listens on tcp:" in line, "the second master")
        first.process.send_signal(signal.SIGCONT)
        first.log.wait_for(lambda line: "another master leads" in line, "its end")
        second.kill()
        self.port = port  # where the workers look
        third = self.master()
        self.assertEqual(self.finish(third), 0, third.log.text())
        self.assertIsNone(first.process.poll())
        self.assertNotEqual(first.kill(signal.SIGTERM), 0)
        self.assertEqual(len(self.journal(self.number, "number", "kind = 'claim'")), 3)
        self.check_published(self.expected(LONG))

    def test_a_pod_that_died_while_no_master_was_there(self):
        self.submit(LONG)
        master = self.master()
        self.wait_for_pods(4)
        master.wait_step(20)
        master.kill()
        self.node.kill("train-worker-0-0")
        self.api.kubelet.on_delete("train-worker-1-0", None)
        master = self.master()
        harness.wait_for(lambda: {"train-worker-0-1", "train-worker-1-1"} <= set(self.node.running()), "both again")
        self.check_trained(master, self.expected(LONG))

    def test_a_master_that_is_asked_to_go_leaves_the_workers(self):
        self.submit(LONG)
        master = self.master()
        self.wait_for_pods(4)
        master.wait_step(20)
        self.assertEqual(master.kill(signal.SIGTERM), 128 + signal.SIGTERM)
        self.assertEqual(len(self.node.running()), 4)
        self.check_trained(self.master(), self.expected(LONG))
        self.assertEqual(len(self.node.uids), 4)

    def make_own_pod(self, **metadata):
        """The pod that a master on this machine takes for its own. What the Job makes of it is another master's."""
        labels = {"totrain.dev/job": "train", "totrain.dev/role": "master"}
        self.api.modify("jobs", "train", lambda job: job["spec"].update(
            template={"metadata": {"labels": labels}, "spec": {"containers": [{"name": "master"}]}}))
        return self.api.create("pods", {"metadata": {"name": socket.gethostname(), "labels": labels, **metadata},
                                        "spec": {}, "status": {"phase": "Running"}})

    def remove_masters_pods(self):
        for name in self.masters_pods():
            self.api.delete("pods", name)

    def masters_pods(self):
        return sorted(name for name, pod in self.api.objects["pods"].items()
                      if pod["metadata"]["labels"]["totrain.dev/role"] == "master")

    def test_a_master_whose_pod_is_deleted_makes_its_successor(self):
        self.submit(LONG)
        master = self.master()
        master.wait_step(20)
        own = self.make_own_pod(deletionTimestamp="2026-01-01T00:00:00Z")
        self.assertEqual(master.kill(signal.SIGTERM), 128 + signal.SIGTERM)
        self.assertEqual(self.masters_pods(), sorted([socket.gethostname(), f"train-{own['metadata']['uid'][:8]}"]))
        self.remove_masters_pods()
        self.check_trained(self.master(), self.expected(LONG))

    def test_a_master_whose_pod_stays_makes_none(self):
        """Its container is started again by the kubelet."""
        self.submit(LONG)
        master = self.master()
        master.wait_step(20)
        self.make_own_pod()
        self.assertEqual(master.kill(signal.SIGTERM), 128 + signal.SIGTERM)
        self.assertEqual(self.masters_pods(), [socket.gethostname()])
        self.remove_masters_pods()
        self.check_trained(self.master(), self.expected(LONG))

    def test_a_master_that_comes_after_the_end_removes_what_is_left(self):
        self.submit()
        self.assertEqual(self.finish(self.master()), 0)
        left = {"metadata": {"name": "train-worker-0-7", "labels": {
            "totrain.dev/job": "train", "totrain.dev/role": "worker", "totrain.dev/index": "0",
            "totrain.dev/incarnation": "7"}, "ownerReferences": [{"uid": self.uid, "controller": True}]},
            "status": {"phase": "Failed"}, "spec": {}}
        self.api.create("pods", left)
        again = self.master()
        self.assertEqual(again.end(), 0, again.log.text())
        self.assertTrue(again.events("done"))  # the follower of the job may not have heard of it before
        self.check_published(self.expected())

    def test_a_job_that_failed_fails_again_and_says_so_to_the_job(self):
        self.submit()
        self.execute(f"UPDATE totrain_jobs.input_{self.number} SET bytes = set_byte(bytes, 999, get_byte(bytes, 999) # 1) "
                     "WHERE octet_length(bytes) > 999")
        self.check_failed(self.master(), "")
        self.api.modify("jobs", "train", lambda job: job["spec"].update(backoffLimit=50))
        again = self.master()
        self.assertEqual(again.end(), 1)
        self.assertEqual(self.api.objects["jobs"]["train"]["spec"]["backoffLimit"], 0)

    def test_a_failure_is_not_said_to_another_job_of_the_name(self):
        """The Job was deleted and one of the same name made, as the master of the first fails."""
        self.submit()
        self.execute(f"UPDATE totrain_jobs.input_{self.number} SET bytes = set_byte(bytes, 999, get_byte(bytes, 999) # 1) "
                     "WHERE octet_length(bytes) > 999")
        with self.api.lock:
            self.api.delete("jobs", "train", cascades=False)
            self.api.create("jobs", {"metadata": {"name": "train"}, "spec": {"backoffLimit": 50}})
        self.master().end()
        self.check_fences()
        self.assertEqual(self.api.objects["jobs"]["train"]["spec"]["backoffLimit"], 50)

    def test_a_login_that_is_refused_fails_the_job(self):
        self.submit()
        self.login = self.write_login("other", password="no")
        self.check_failed(self.master(), "password authentication failed")


if __name__ == "__main__":
    harness.main()
