"""The lab is a cluster: what our tests will ask of Kubernetes, it does."""

import http.client
import json
import os
import signal
import subprocess

import harness
from harness import ApiError, Stopwatch, container, pod, pod_spec, replica_set, rounds, wait_for

COMMAND = str(harness.HERE / "lab" / "lab")
PATIENT = [{"key": key, "operator": "Exists", "effect": "NoExecute"}
           for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")]


class Cluster(harness.Case):
    def test_nodes_are_ready_and_have_slots(self):
        nodes = self.api.get("/api/v1/nodes")["items"]
        self.assertEqual([node.name for node in self.lab.nodes()], [node["metadata"]["name"] for node in nodes])
        for node in nodes:
            self.assertEqual(node["status"]["allocatable"][harness.SLOT], str(self.lab.settings()["slots"]))
            self.assertEqual(node["status"]["nodeInfo"]["kubeletVersion"], "v1.34.4")

    def test_commands_run_in_pods_and_logs_are_kept(self):
        self.run_pod("waits", pod_spec([container()]))
        done = self.kubectl("exec", "waits", "--", "/pause", "hello", "from", "inside")
        self.assertEqual((done.stdout, done.returncode), ("hello from inside\n", 0), done.stderr)
        self.create(pod("says", pod_spec([container(args=["one", "line"])], restartPolicy="Never")))
        self.assertEqual(self.wait_for_end("says")["status"]["phase"], "Succeeded")
        self.assertEqual(self.log("says"), "one line\n")

    def test_a_pod_of_another_node_is_reached_by_its_address(self):
        names = [node.name for node in self.lab.nodes()][:2]
        pods = [self.run_pod(f"on-{name}", pod_spec([container()], nodeName=name)) for name in names]
        for found in pods:
            for node in self.lab.nodes():
                program = f"import socket; socket.create_connection(('{found['status']['podIP']}', 9), 60)"
                done = self.lab.in_node(node, ["python3", "-c", program])
                self.assertIn("ConnectionRefusedError", done.stderr)  # it is there and nothing listens

    def test_a_token_may_do_what_its_role_says_and_nothing_else(self):
        self.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "worker"}})
        token = self.api.post(f"{self.path}/serviceaccounts/worker/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})["status"]["token"]
        client = self.lab.api(token)
        with self.assertRaises(ApiError) as refused:
            client.get(self.path + "/pods")
        self.assertEqual(refused.exception.status, 403)
        self.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "reader"},
                     "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]})
        self.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                     "metadata": {"name": "reader"}, "subjects": [{"kind": "ServiceAccount", "name": "worker"}],
                     "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}})
        wait_for(lambda: self.allowed(client, self.path + "/pods"), "the role to count")
        self.assertFalse(self.allowed(client, self.path + "/secrets"))

    @staticmethod
    def allowed(client, path):
        try:
            client.get(path)
            return True
        except ApiError as error:
            if error.status != 403:
                raise
            return False

    def test_pods_reach_the_api_server_by_the_service_address(self):
        """KUBERNETES_SERVICE_HOST and the mounted token, as a client inside of a pod uses them."""
        found = self.run_pod("client", pod_spec([container()], nodeName="node-1"))
        node = self.lab.node("node-1")
        folder = f"/var/lib/kubelet/pods/{found['metadata']['uid']}/volumes/kubernetes.io~projected"
        program = (
            "import glob, json, ssl, urllib.request\n"
            f"folder, = glob.glob('{folder}/kube-api-access-*')\n"
            "context = ssl.create_default_context(cafile=folder + '/ca.crt')\n"
            "request = urllib.request.Request('https://10.96.0.1:443/apis/authentication.k8s.io/v1/selfsubjectreviews',"
            " data=b'{\"apiVersion\": \"authentication.k8s.io/v1\", \"kind\": \"SelfSubjectReview\"}', headers={"
            "'Content-Type': 'application/json', 'Authorization': 'Bearer ' + open(folder + '/token').read()})\n"
            "opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),"
            " urllib.request.HTTPSHandler(context=context))\n"
            "print(json.load(opener.open(request))['status']['userInfo']['username'])\n")
        done = self.lab.in_node(node, ["python3", "-c", program])
        self.assertEqual(done.stdout, f"system:serviceaccount:{self.space}:default\n", done.stderr)

    def test_pod_security_refuses_what_is_not_restricted(self):
        with self.assertRaises(ApiError) as refused:
            self.create(pod("root", pod_spec([container(securityContext={"runAsUser": 0})])))
        self.assertIn("violates PodSecurity", str(refused.exception))

    def test_an_eviction_ends_a_pod_unless_a_budget_forbids_it(self):
        self.run_pod("held", pod_spec([container()]), {"app": "held"})
        self.create({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "budget"},
                     "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "held"}}}})
        wait_for(lambda: self.api.get(f"/apis/policy/v1/namespaces/{self.space}/poddisruptionbudgets/budget")
                 ["status"].get("observedGeneration"), "the budget to count")
        self.run_pod("free", pod_spec([container()]))
        with self.assertRaises(ApiError) as refused:
            self.evict("held")
        self.assertEqual(refused.exception.status, 429)
        self.evict("free")
        wait_for(self.is_gone(self.path + "/pods/free"), "the evicted pod to go")

    def evict(self, name):
        self.api.post(f"{self.path}/pods/{name}/eviction", {
            "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": self.space}})

    def test_a_pod_of_higher_priority_takes_a_slot(self):
        slots = self.lab.settings()["slots"] * len(self.lab.nodes())
        low, high = self.make_priority("low", 10), self.make_priority("high", 1000)
        watch = Stopwatch()
        self.create(replica_set("low", slots, pod_spec([container(slots=1)], priorityClassName=low)))
        wait_for(lambda: len(self.ready_pods()) == slots, f"{slots} pods")
        self.report(f"{slots} pods with a slot each ready after", watch.read())
        watch = Stopwatch()
        self.run_pod("urgent", pod_spec([container(slots=1)], priorityClassName=high))
        self.report("a preempting pod ready after", watch.read())
        self.assertEqual(sum(found["metadata"].get("labels", {}).get("set") == "low"
                             for found in self.ready_pods()), slots - 1)

    def test_thirty_pods_are_deleted_and_back(self):
        watch = Stopwatch()
        self.create(replica_set("thirty", 30, pod_spec([container()], grace=0)))
        wait_for(lambda: len(self.ready_pods()) == 30, "30 pods")
        self.report("30 pods ready after", watch.read())
        for _ in rounds(1, 5):
            before = {found["metadata"]["uid"] for found in self.pods()}
            watch = Stopwatch()
            self.api.request("DELETE", self.path + "/pods", {"gracePeriodSeconds": 0})
            wait_for(lambda: len(self.ready_pods()) == 30, "30 pods once more")
            self.report("30 deleted pods back after", watch.read())
            self.assertFalse(before & {found["metadata"]["uid"] for found in self.ready_pods()})

    def test_memory_of_a_running_pod_is_changed_in_place(self):
        resources = {"requests": {"memory": "20Mi"}, "limits": {"memory": "64Mi"}}
        before = self.run_pod("grows", pod_spec([container(resources=resources)]))
        self.api.patch(f"{self.path}/pods/grows/resize", {"spec": {"containers": [
            {"name": "main", "resources": {"limits": {"memory": "128Mi"}}}]}}, "application/strategic-merge-patch+json")

        def resized():
            return self.pod("grows")["status"]["containerStatuses"][0].get("resources", {}) \
                .get("limits", {}).get("memory") == "128Mi"
        wait_for(resized, "the container to have its new limit")
        after = self.pod("grows")["status"]["containerStatuses"][0]
        self.assertEqual(after["containerID"], before["status"]["containerStatuses"][0]["containerID"])
        self.assertEqual(after["restartCount"], 0)


class Command(harness.Case):
    """`lab`, as docs/kubernetes.md shows it."""

    def run_lab(self, *words):
        done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_run_has_the_rights_of_the_administrator(self):
        said = self.run_lab("run", "kubectl", "get", "nodes", "-o", "name")
        self.assertEqual(said.split(), [f"node/{node.name}" for node in self.lab.nodes()])

    def test_node_is_inside_of_a_node(self):
        self.assertEqual(self.run_lab("node", "node-2", "hostname"), "node-2\n")
        self.assertIn("10.88.0.12/24", self.run_lab("node", "node-2", "ip", "address"))

    def test_status_names_what_runs(self):
        self.run_lab("stop", "kube-scheduler")
        try:
            self.assertIn("kube-scheduler is down", self.run_lab("status"))
            self.create(pod("pending", pod_spec([container()])))
        finally:
            self.run_lab("start", "kube-scheduler")
        self.wait_for_ready("pending")
        self.assertIn("kube-scheduler runs", self.run_lab("status"))

    def test_a_missing_node_is_an_error(self):
        done = subprocess.run([COMMAND, "kill-node", "node-77"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("lab: no node node-77: there are node-1, "), done.stderr)


class Failures(harness.Case):
    """Failures of the cluster, which are seen, and pass."""

    def test_a_dead_node_is_seen_and_returns(self):
        spec = pod_spec([container()], nodeName="node-2", tolerations=PATIENT)
        for number in rounds(1, 5):
            self.run_pod(f"there-{number}", spec)
            self.lose_and_return("node-2", f"{self.path}/pods/there-{number}")
        self.run_pod("after", spec)

    def lose_and_return(self, node, path):
        watch = Stopwatch()
        self.lab.kill_node(node)
        try:
            ready = wait_for(lambda: self.not_ready(node), "the dead node to be seen")
            self.report("a dead node is NotReady after", watch.read())
            self.assertEqual(ready["status"], "Unknown")
            self.api.delete(path)
            self.assertIn("deletionTimestamp", self.api.get(path)["metadata"])  # and stays so: nobody confirms it
        finally:
            watch = Stopwatch()
            self.lab.start_node(node)
        self.report("it is ready again after", watch.read())
        wait_for(self.is_gone(path), "the returned node to confirm the deletion")

    def not_ready(self, name):
        found = harness.condition(self.api.get(f"/api/v1/nodes/{name}"), "Ready")
        return found if found["status"] != "True" else None

    def test_a_node_that_returns_starts_its_pods_again(self):
        before = self.run_pod("stays", pod_spec([container()], nodeName="node-2", tolerations=PATIENT))
        self.lab.kill_node("node-2")
        self.lab.start_node("node-2")
        wait_for(lambda: self.restarted("stays", before), "the pod to run again")

    def restarted(self, name, before):
        found = self.pod(name)
        return harness.is_ready(found) and found["status"]["containerStatuses"][0]["containerID"] != \
            before["status"]["containerStatuses"][0]["containerID"]

    def test_a_node_whose_cable_is_cut_is_seen_and_goes_on(self):
        before = self.run_pod("far", pod_spec([container()], nodeName="node-2", tolerations=PATIENT))
        self.lab.cut("node-2")
        try:
            wait_for(lambda: self.not_ready("node-2"), "the lost node to be seen")
        finally:
            self.lab.join("node-2")
        wait_for(lambda: not self.not_ready("node-2"), "the node to be ready again")
        wait_for(lambda: harness.is_ready(self.pod("far")), "its pod to be ready again")
        self.assertEqual(self.containers(before), self.containers(self.pod("far")))

    @staticmethod
    def containers(found):
        return [(status["containerID"], status["restartCount"]) for status in found["status"]["containerStatuses"]]

    def test_pods_live_on_while_kubelet_and_containerd_are_killed(self):
        before = self.run_pod("survivor", pod_spec([container()], nodeName="node-1"))
        for program in ("kubelet", "containerd"):
            said = self.lab.last_word(self.lab.node("node-1"))
            self.lab.kill(program, "node-1")
            wait_for(lambda said=said: self.lab.last_word(self.lab.node("node-1")) != said, "the kubelet")
            self.run_pod(f"after-{program}", pod_spec([container()], nodeName="node-1"))
        self.assertEqual(self.containers(before), self.containers(self.pod("survivor")))

    def test_a_killed_container_is_started_again(self):
        before = self.run_pod("again", pod_spec([container()]))
        program, = self.lab.processes(before["status"]["containerStatuses"][0]["containerID"])
        os.kill(program, signal.SIGKILL)
        wait_for(lambda: self.restarted("again", before), "the container to run again")
        status = self.pod("again")["status"]["containerStatuses"][0]
        self.assertEqual(status["lastState"]["terminated"]["exitCode"], 137)

    def test_the_api_server_is_killed_and_nothing_is_lost(self):
        before = self.run_pod("survivor", pod_spec([container()]))
        for number in rounds(1, 5):
            version = self.api.get(self.path + "/pods")["metadata"]["resourceVersion"]
            events = self.api.watch(self.path + "/pods", version, seconds=60)
            self.run_pod(f"seen-{number}", pod_spec([container()]))
            self.assertEqual(next(events)[1]["metadata"]["name"], f"seen-{number}")
            watch = Stopwatch()
            self.lab.kill("kube-apiserver")
            with self.assertRaises((OSError, http.client.HTTPException, StopIteration, json.JSONDecodeError)):
                while True:  # the watch ends with the server
                    next(events)
            self.lab.wait_for(self.api.answers, "the API server")
            self.report("the API server answers again after", watch.read())
            self.assertEqual(self.containers(before), self.containers(self.pod("survivor")))
        self.run_pod("after", pod_spec([container()]))


if __name__ == "__main__":
    harness.main()
