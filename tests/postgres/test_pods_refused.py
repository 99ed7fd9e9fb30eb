"""The master of a job on Kubernetes: what the API server refuses, forgets and does not say."""

import pods
from staged import harness, statement

LONG = statement(epochs=800, batch=16, job__checkpoint_seconds=0.2)


class Refusals(pods.Case):
    def test_a_quota(self):
        def admission(plural, thing):
            if plural == "pods" and len(self.api.objects["pods"]) >= 2:
                return 403, "Forbidden", 'pods "x" is forbidden: exceeded quota: totrain, requested: pods=1, used: pods=2'
            return None
        self.api.admission = admission
        self.submit(LONG)
        master = self.master()
        self.assertIn("exceeded quota", master.wait_event("notice")["message"])
        self.check_trained(master, self.expected(LONG))
        self.assertEqual(len(master.events("notice")), 1)

    def test_a_right_that_is_missing(self):
        self.api.admission = lambda plural, thing: (
            403, "Forbidden", 'pods is forbidden: User "x" cannot create resource "pods"') if plural == "pods" else None
        self.submit()
        self.check_failed(self.master(), "cannot create resource")

    def test_a_pod_that_the_server_finds_wrong(self):
        self.api.admission = lambda plural, thing: (
            422, "Invalid", 'Pod "x" is invalid: spec.containers[0].image: Required value') if plural == "pods" else None
        self.submit()
        self.check_failed(self.master(), "is invalid")

    def test_an_image_that_cannot_be_pulled_is_said(self):
        self.node.refuse = {"reason": "ErrImagePull", "message": "no such image"}
        self.submit()
        master = self.master()
        self.assertIn("no such image", master.wait_event("notice", "ErrImagePull")["message"])
        self.node.refuse = None
        self.check_trained(master, self.expected())

    def test_names_that_are_taken_by_somebody_else(self):
        for index in range(2):
            self.api.create("pods", {"metadata": {"name": f"train-worker-{index}-0", "labels": {
                "totrain.dev/job": "train", "totrain.dev/role": "worker", "totrain.dev/index": str(index),
                "totrain.dev/incarnation": "0"}, "ownerReferences": [{"uid": "of-before", "controller": True}]},
                "status": {"phase": "Running"}, "spec": {}})
        self.submit(LONG)
        master = self.master()
        harness.wait_for(lambda: {"train-worker-0-1", "train-worker-1-1", "train-worker-2-0"} <= set(self.node.running()),
                         "pods with other names")
        self.assertEqual(self.finish(master), 0, master.log.text())
        self.assertEqual(set(self.api.view("pods")), {"train-worker-0-0", "train-worker-1-0"})

    def test_answers_that_nobody_hears(self):
        for _ in range(3):
            self.api.fault("create", applied=True, cut=0)
        for _ in range(2):
            self.api.fault("delete", applied=True, cut=0)
        self.submit(LONG)
        master = self.master()
        self.wait_for_pods(4)
        self.assertEqual(self.node.running(), [f"train-worker-{i}-0" for i in range(4)])
        self.check_trained(master, self.expected(LONG))
        self.assertEqual(len(self.node.uids), 4)

    def test_a_server_that_is_busy(self):
        for _ in range(6):
            self.api.fault("create", status=429)
        self.api.fault("create", status=429, retry_after=1)
        self.api.fault("create", status=503)
        self.api.fault("delete", status=500)
        self.api.fault("list", status=503)
        self.submit(LONG)
        master = self.master()
        self.wait_for_pods(4)
        self.assertEqual(self.node.running(), [f"train-worker-{i}-0" for i in range(4)])
        self.check_trained(master, self.expected(LONG))


class Cuts(pods.Case):
    def test_the_server_is_away_and_the_workers_go_on(self):
        self.submit(LONG)
        master = self.master()
        self.wait_for_pods(4)
        master.wait_step(20)
        self.api.leave()
        notice = master.wait_event("notice", "the cluster does not answer")
        self.assertTrue(notice)
        self.node.kill("train-worker-2-0")
        step = master.events("progress")[-1]["step"]
        master.wait_step(step + 200)
        harness.wait_for(lambda: master.events("progress")[-1]["workers"] == 3, "a group of three")
        self.api.come_back()
        harness.wait_for(lambda: "train-worker-2-1" in self.node.running(), "the next incarnation")
        self.check_trained(master, self.expected(LONG))

    def test_watches_are_cut_after_any_number_of_bytes(self):
        for bytes_sent in (0, 1, 50, 150, 300, 1000, 2500, 5000):
            self.api.fault("watch", cut=bytes_sent)
        self.api.fault("watch", status=410)
        self.api.fault("watch", then=["gone"])
        self.api.fault("watch", then=["garbage"])
        self.api.fault("watch", then=["half"])
        self.submit(LONG)
        master = self.master()
        for index in range(4):
            self.wait_for_pods(4)
            self.node.kill(f"train-worker-{index}-0")
            harness.wait_for(lambda index=index: f"train-worker-{index}-1" in self.node.running(), "the next incarnation")
        self.check_trained(master, self.expected(LONG))

    def test_the_job_ends_while_the_server_is_away(self):
        self.submit(LONG)
        master = self.master()
        master.wait_step(20)
        self.api.leave()
        harness.wait_for(lambda: self.hurry() or master.events("done"), "the end of learning")
        self.assertIsNone(master.process.poll())
        self.api.come_back()
        self.check_trained(master, self.expected(LONG))


if __name__ == "__main__":
    harness.main()
