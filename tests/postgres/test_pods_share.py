"""Masters of several jobs share a cluster: whoever holds the Lease totrain-share decides for all of them."""

import json
import re
import signal
import subprocess
import threading
import urllib.request

import pods
from staged import harness, server, statement

LONG = statement(epochs=1000, batch=16, job__checkpoint_seconds=0.2)  # half a minute: a Lease is dead after 15 s
SHARE, USE, RESTS = "totrain.dev/share", "totrain.dev/use", "totrain.dev/rests"
LEASE = "totrain-share"


class Case(pods.Case):
    """Jobs by name, each with a master whose pod is an object, too. Suspended ones are ended, as the Job's
    controller would, and others started again."""

    def setUp(self):
        super().setUp()
        self.jobs, self.running = {}, {}
        self.quota = None
        self.is_over = threading.Event()
        self.controller = threading.Thread(target=self.control)
        self.controller.start()
        self.addCleanup(self.end_control)

    def end_control(self):
        self.is_over.set()
        self.controller.join()

    def submit(self, name, text=LONG, **changes):  # pylint: disable=arguments-differ
        self.number = None
        number = self.stage(text.replace("iris_model", f"model_{name}"), workers=4)
        job = self.api.create("jobs", {
            "metadata": {"name": name, "labels": {"totrain.dev/job": name, "totrain.dev/role": "master",
                                                  "app.kubernetes.io/name": "totrain"}},
            "spec": {"backoffLimit": 50}})
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps({
            "name": name, "namespace": "training", "image": "localhost/totrain:1", "pull_policy": "Never",
            "service_account": "totrain", "priority_class": "", "database_secret": "login", "slot_resource": "",
            "schema": "totrain_jobs", "snapshot": "", "job": number, "cpu_m": 1000, "memory": 512 << 20,
            "memory_max": 512 << 20, "workers_max": 4, "keep_s": 60, **changes}))
        self.jobs[name] = number, server.free_port(), job["metadata"]["uid"], file
        self.start(name)

    def start(self, name):
        number, port, uid, file = self.jobs[name]
        self.api.create("pods", {"metadata": {
            "name": f"{name}-master", "labels": {"totrain.dev/job": name, "totrain.dev/role": "master",
                                                 "app.kubernetes.io/name": "totrain"},
            "ownerReferences": [{"kind": "Job", "name": name, "uid": uid}]},
            "spec": {"nodeName": "node", "containers": [{"resources": {"requests": {"cpu": "100m", "memory": "256Mi"}}}]},
            "status": {"phase": "Running"}})
        master = pods.Master(
            [self.empty_folder(number), "--kubernetes", file, "--kubeconfig", self.api.kubeconfig(), "--listen",
             f"tcp:127.0.0.1:{port}", "--tls", self.folder / f"tls.{number}" / "master", "--database", self.login],
            {"JOB_UID": uid, **self.environment})
        self.masters.append(master)
        self.running[name] = master
        return master

    def control(self):
        """Is the Job's controller."""
        while not self.is_over.wait(.1):
            with self.api.lock:
                used = {"pods": str(len(self.api.objects["pods"]))}
                quota = self.api.objects["resourcequotas"].get("totrain")
                if quota and quota["status"]["used"] != used:
                    self.api.modify("resourcequotas", "totrain", lambda quota, used=used: quota["status"].update(used=used))
            for name in list(self.running):
                with self.api.lock:
                    rests = self.api.objects["jobs"].get(name, {}).get("spec", {}).get("suspend")
                    has_pod = f"{name}-master" in self.api.objects["pods"]
                if rests and has_pod:
                    self.running[name].kill(signal.SIGTERM)
                    self.api.delete("pods", f"{name}-master")
                elif rests is False and not has_pod and self.running[name].process.poll() is not None \
                        and not self.running[name].events("done"):
                    self.start(name)
                elif self.running[name].events("done") and self.running[name].process.poll() is not None and has_pod:
                    self.api.delete("pods", f"{name}-master")
                    self.api.modify("jobs", name, lambda job: job.update(
                        status={"conditions": [{"type": "Complete", "status": "True"}]}))

    def command(self, pod):
        self.number, self.port, _, _ = self.jobs[pod["metadata"]["labels"]["totrain.dev/job"]]
        return super().command(pod)

    # --- what is there ------------------------------------------------------------

    def workers(self):
        """Running workers by job."""
        found = dict.fromkeys(self.jobs, 0)
        for name in self.node.running():
            found[name.partition("-")[0]] += 1
        return found

    def wait_for_workers(self, **wanted):
        harness.wait_for(lambda: self.workers() == wanted, f"{wanted}, not {self.workers()}")

    def lease(self):
        with self.api.lock:
            return json.loads(json.dumps(self.api.objects["leases"].get(LEASE, {})))

    def decided(self):
        names = {uid: name for name, (_, _, uid, _) in self.jobs.items()}
        lease = self.lease()
        decision = json.loads(lease["metadata"]["annotations"][SHARE]) if lease else {"jobs": {}}
        return {names[uid]: number for uid, (number, _) in decision["jobs"].items()}

    def check_all_trained(self, redone_most=0):
        for name, (number, _, _, _) in self.jobs.items():
            harness.wait_for(lambda name=name: self.hurry() or self.running[name].events("done"), f"{name} to be done")
            self.assertEqual(self.running[name].end(), 0)
            redone = self.journal(number, "convert_from(body, 'UTF8')::json ->> 'rows_redone'", "kind = 'job'")
            self.assertLessEqual(int(redone[-1][0]), redone_most, name)
            self.collect(number)
        digests = {self.digest(f"model_{name}") for name in self.jobs}
        self.assertEqual(digests, {self.expected(LONG)})

    def check_writers(self):
        """One in each term, and terms only grow."""
        writers, last = {}, 0
        with self.api.lock:
            leases = [thing for thing in self.api.replaced if thing["metadata"]["name"] == LEASE]
        for lease in leases:
            term, holder = lease["spec"]["leaseTransitions"], lease["spec"]["holderIdentity"]
            self.assertGreaterEqual(term, last)
            self.assertEqual(json.loads(lease["metadata"]["annotations"][SHARE])["term"], term)
            last = term
            if holder:
                self.assertEqual(writers.setdefault(term, holder), holder)
        return last


class Shares(Case):
    def test_everybody_has_its_minimum_and_gives_back_what_others_lack(self):
        self.node.room = 4
        self.submit("a")
        self.wait_for_workers(a=4)
        self.submit("b")
        self.submit("c")
        harness.wait_for(lambda: min(self.workers().values()) >= 1, "a worker of each")
        harness.wait_for(lambda: sum(self.decided().values()) == 4 and min(self.decided().values()) == 1,
                         "all four to be decided")
        name = min(self.decided(), key=self.decided().get)
        said = self.running[name].wait_event("progress", "other jobs have the rest")["message"]
        self.assertRegex(said, "^has [12] of the 4 workers that it can use: other jobs have the rest$")
        rows = self.journal(self.jobs[name][0], "convert_from(body, 'UTF8')::json ->> 'error'", "kind = 'job'")
        self.assertIn((said,), rows)
        self.check_all_trained()
        harness.wait_for(lambda: self.lease()["spec"]["holderIdentity"] == "", "the last to leave the Lease")
        self.check_writers()

    def test_a_holder_that_is_killed_is_followed_and_nobody_is_disturbed(self):
        self.submit("a")
        self.wait_for_workers(a=4)
        self.submit("b")
        harness.wait_for(lambda: set(self.decided()) == {"a", "b"}, "both to be decided")
        self.wait_for_workers(a=4, b=4)
        before = self.lease()
        self.running["a"].kill()
        harness.wait_for(lambda: self.lease()["spec"]["holderIdentity"] != before["spec"]["holderIdentity"],
                         "another holder")
        self.assertEqual(self.workers(), {"a": 4, "b": 4})
        self.assertEqual(self.decided(), {"a": 4, "b": 4})
        self.start("a")
        self.check_all_trained(redone_most=150)
        self.assertGreater(self.check_writers(), 1)

    def test_the_users_number_wins(self):
        self.node.room = 4
        self.submit("a")
        self.wait_for_workers(a=4)
        self.api.modify("jobs", "a", lambda job: job["metadata"]["annotations"].update({"totrain.dev/workers": "3"}))
        self.submit("b")
        self.wait_for_workers(a=3, b=1)
        self.check_all_trained()

    def test_who_may_not_read_the_lease_has_what_it_can_use(self):
        for _ in range(8):
            self.api.fault("list", share=True, status=403, reason="Forbidden", message="leases is forbidden")
        self.submit("a")
        self.wait_for_workers(a=4)
        self.check_all_trained()


class Central(Case):
    """`totrain k8s share` sees the nodes, and masters give way to it."""

    def test_it_decides_by_the_room_of_the_nodes_and_when_it_ends_a_master_does(self):
        self.api.shows_nodes = True
        self.api.create("nodes", {"metadata": {"name": "node"}, "status": {
            "allocatable": {"cpu": "3400m", "memory": "64Gi"}, "conditions": [{"type": "Ready", "status": "True"}]}})
        self.submit("a")
        self.wait_for_workers(a=4)
        sharer = subprocess.Popen(
            [pods.network_roles.PROGRAM, "k8s", "share", "even", "--namespace=training", "--metrics=0", "--kubeconfig",
             self.api.kubeconfig()], stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: sharer.poll() is None and sharer.kill())
        harness.wait_for(lambda: self.lease()["spec"]["holderIdentity"].startswith("totrain-share/"), "it to hold the Lease")
        self.submit("b")
        harness.wait_for(lambda: sorted(self.decided().values()) == [1, 2], f"three workers, {self.decided()}")
        harness.wait_for(lambda: sum(self.workers().values()) == 3, "as many as the nodes have room for")
        address = re.search("serves (http://\\S+)", next(line for line in sharer.stderr if "serves" in line))[1]

        def page():
            with urllib.request.urlopen(address, timeout=60) as answer:
                return answer.read().decode()
        harness.wait_for(lambda: 'totrain_jobs{namespace="training",state="running"} 2' in page(), "both jobs to run")
        self.assertRegex(page(), 'totrain_job_workers_decided{namespace="training",job="a"} [12]\n')
        sharer.send_signal(signal.SIGTERM)
        self.assertEqual(sharer.wait(60), 0, sharer.stderr.read())
        sharer.stderr.close()
        harness.wait_for(lambda: not self.lease()["spec"]["holderIdentity"].startswith("totrain-share/"), "a master to hold it")
        self.check_all_trained()
        self.check_writers()


class Quotas(Case):
    """Pods of masters count, too."""

    def limit(self, most):
        def admission(plural, thing):
            if plural == "pods" and len(self.api.objects["pods"]) >= most and "ownerReferences" in thing.get("metadata", {}):
                return 403, "Forbidden", f"exceeded quota: totrain, requested: pods=1, used: pods={most}, limited: pods={most}"
            return None
        self.api.admission = admission
        self.api.create("resourcequotas", {"metadata": {"name": "totrain"}, "status": {
            "hard": {"pods": str(most)}, "used": {"pods": "0"}}})

    def test_masters_do_not_fill_a_quota(self):
        self.limit(3)
        self.submit("a")
        self.submit("b")
        self.submit("c")
        harness.wait_for(lambda: any(job["spec"].get("suspend") for job in list(self.api.objects["jobs"].values())),
                         "a Job that rests")
        harness.wait_for(lambda: sum(self.workers().values()) >= 1, "a worker of somebody")
        self.check_all_trained()
        patches = [(name, body["spec"]["suspend"]) for verb, plural, name, body in self.api.changes
                   if (verb, plural) == ("patch", "jobs") and "suspend" in body.get("spec", {})]
        self.assertIn(True, [rests for _, rests in patches])
        for name in self.jobs:
            rests = [rest for other, rest in patches if other == name]
            self.assertTrue(not rests or rests[-1] is False, patches)
        self.check_writers()


if __name__ == "__main__":
    harness.main()
