"""The common parts of the tests on Kubernetes: the lab, a namespace for each test, pods, measured times.

The lab is started by the fixture of ctest (lab.py); a test that is run by hand
starts it too, and leaves it up. A test has a namespace of its own, which goes
with it, and leaves the lab as it was: all nodes up, all programs running.
"""

import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "lab"), str(HERE.parent)]

import cluster  # noqa: E402  pylint: disable=wrong-import-position
from api import ApiError, wait_for  # noqa: E402,F401  pylint: disable=wrong-import-position
from control import Refused  # noqa: E402  pylint: disable=wrong-import-position
from place import PAUSE, SLOT  # noqa: E402,F401  pylint: disable=wrong-import-position

RESTRICTED = {"runAsNonRoot": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]},
              "readOnlyRootFilesystem": True, "seccompProfile": {"type": "RuntimeDefault"}}


FULL = os.environ.get("TOTRAIN_K8S_FULL") == "1"


def rounds(few, many):
    """How often something is done: in the short form of the tests, and in the full one."""
    return range(many if FULL else few)


def container(image=PAUSE, slots=0, **more):
    """One container, as restricted as Pod Security knows it."""
    limits = {SLOT: str(slots)} if slots else {}
    return {"name": "main", "image": image, "imagePullPolicy": "Never", "securityContext": RESTRICTED,
            "resources": {"limits": limits}, **more}


def pod_spec(containers, grace=1, **more):
    return {"containers": containers, "terminationGracePeriodSeconds": grace, **more}


def pod(name, spec, labels=None):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}}, "spec": spec}


def replica_set(name, count, spec):
    labels = {"set": name}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": {
        "replicas": count, "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": spec}}}


def is_ready(found):
    return found["status"].get("phase") == "Running" and "deletionTimestamp" not in found["metadata"] and \
        all(status["ready"] for status in found["status"].get("containerStatuses", [{"ready": False}]))


def condition(found, kind):
    return next((entry for entry in found["status"].get("conditions", []) if entry["type"] == kind), None)


class Stopwatch:
    """Seconds between two moments, for reports; no test passes or fails by them."""

    def __init__(self):
        self.began = time.monotonic()

    def read(self):
        return time.monotonic() - self.began


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = cluster.Lab(os.environ.get("TOTRAIN_LAB"))
        cls.enterClassContext(cls.lab.in_network())
        cls.api = cls.lab.api()

    @classmethod
    def enterClassContext(cls, context):  # Python 3.11 has it; earlier ones do not
        context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)

    def setUp(self):
        name = self.id().rsplit(".", 1)[1].replace("_", "-").lower()
        self.space = f"{name[:40].rstrip('-')}-{os.getpid()}-{time.monotonic_ns() % 10 ** 6}"
        self.path = f"/api/v1/namespaces/{self.space}"
        self.api.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": self.space, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
        self.addCleanup(self.remove_space)
        wait_for(self.has_account, "the namespace's service account")

    def has_account(self):
        try:
            self.api.get(self.path + "/configmaps/kube-root-ca.crt")
            return self.api.get(self.path + "/serviceaccounts/default")
        except ApiError as error:
            if error.status != 404:
                raise
            return None

    def remove_space(self):
        """Slots and processors are free when the next test begins; the empty namespace goes 5 s later."""
        self.api.delete(self.path)
        for name in ("/apis/batch/v1/namespaces/{}/jobs", "/apis/apps/v1/namespaces/{}/replicasets"):
            self.api.request("DELETE", name.format(self.space), {"propagationPolicy": "Background"})

        def empty():
            self.api.request("DELETE", self.path + "/pods", {"gracePeriodSeconds": 0})
            return not self.pods()
        wait_for(empty, f"the pods of {self.space} to go")

    def is_gone(self, path):
        def gone():
            try:
                self.api.get(path)
                return False
            except ApiError as error:
                if error.status != 404:
                    raise
                return True
        return gone

    def create(self, value):
        groups = {"Pod": "/api/v1", "Secret": "/api/v1", "ConfigMap": "/api/v1", "ServiceAccount": "/api/v1",
                  "ReplicaSet": "/apis/apps/v1", "Job": "/apis/batch/v1",
                  "Role": "/apis/rbac.authorization.k8s.io/v1", "RoleBinding": "/apis/rbac.authorization.k8s.io/v1",
                  "PodDisruptionBudget": "/apis/policy/v1"}
        kind = value["kind"]
        return self.api.post(f"{groups[kind]}/namespaces/{self.space}/{kind.lower()}s", value)

    def pod(self, name):
        return self.api.get(f"{self.path}/pods/{name}")

    def pods(self):
        return self.api.get(self.path + "/pods")["items"]

    def ready_pods(self):
        return [found for found in self.pods() if is_ready(found)]

    def run_pod(self, name, spec, labels=None):
        """The pod, once it is ready."""
        self.create(pod(name, spec, labels))
        return self.wait_for_ready(name)

    def wait_for_ready(self, name):
        def ready():
            found = self.pod(name)
            return found if is_ready(found) else None
        return wait_for(ready, f"pod {name} to be ready")

    def wait_for_end(self, name):
        """The pod, once it has Succeeded or Failed."""
        def ended():
            found = self.pod(name)
            return found if found["status"]["phase"] in ("Succeeded", "Failed") else None
        return wait_for(ended, f"pod {name} to end")

    def log(self, name):
        return self.api.get(f"{self.path}/pods/{name}/log")

    def kubectl(self, *words):
        return subprocess.run([self.lab.place.kubectl, "--kubeconfig", self.lab.place.kubeconfig, "-n", self.space,
                               *words], capture_output=True, text=True, check=False, timeout=120)

    def make_room(self, *counts):
        """A resource that this test alone asks for, so that it shares no slots with others: so many of it on each
        node, in their order. Its name; calling it again changes the numbers."""
        name = f"example.com/{self.space[-40:].lstrip('-')}"
        self.addCleanup(self.set_room, name, [None] * len(self.lab.nodes()))
        self.set_room(name, map(str, counts))
        return name

    def set_room(self, name, counts):
        for node, count in zip(self.lab.nodes(), counts):
            given = {name: count}
            self.api.patch(f"/api/v1/nodes/{node.name}/status", {"status": {"capacity": given, "allocatable": given}})

    def everything(self):
        """(kind, object): all that can be listed in this test's namespace, whoever serves it."""
        for path, kind in self.kinds():
            for found in self.api.get(f"{path}/namespaces/{self.space}/{kind}").get("items", []):
                yield kind, found

    def kinds(self):
        """Where each kind is served that lies in namespaces: the path of its version, its plural."""
        groups = [group["preferredVersion"]["groupVersion"] for group in self.api.get("/apis")["groups"]]
        for path in ["/api/v1", *(f"/apis/{group}" for group in groups)]:
            for kind in self.api.get(path)["resources"]:
                if kind["namespaced"] and "list" in kind["verbs"]:
                    yield path, kind["name"]

    def make_priority(self, name, value):
        name = f"{name}-{self.space}"
        path = "/apis/scheduling.k8s.io/v1/priorityclasses"
        self.api.post(path, {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                             "metadata": {"name": name}, "value": value})
        self.addCleanup(self.api.delete, f"{path}/{name}")
        return name

    def report(self, what, value):
        """A measured number, for people: into the output, and the file that TOTRAIN_REPORT names."""
        print(f"measured: {what}: {value:.2f} s" if isinstance(value, float) else f"measured: {what}: {value}",
              flush=True)
        if "TOTRAIN_REPORT" in os.environ:
            with open(os.environ["TOTRAIN_REPORT"], "a", encoding="utf-8") as file:
                file.write(json.dumps({"what": what, "value": value}) + "\n")


class Timed(unittest.TextTestResult):
    """Says of each test how long it took."""

    def startTest(self, test):
        self.watch = Stopwatch()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.stream.writeln(f"    {self.watch.read():.1f} s {test.id().removeprefix('__main__.')}")


def main():
    """Ends with 77, which ctest shows as skipped, where no lab can run."""
    lab = cluster.Lab(os.environ.get("TOTRAIN_LAB"))
    try:
        if not lab.is_up():
            lab.up()
    except Refused as error:
        print(f"skipped: {error}")
        sys.exit(77)
    unittest.main(testRunner=unittest.TextTestRunner(verbosity=2, resultclass=Timed))
