"""The API client on the real API server: what `totrain k8s` and the watcher do there."""

import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

import harness
from harness import container, pod, pod_spec

sys.path.append(str(harness.HERE.parents[1] / "tests" / "golden"))
import plan_topics  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("TOTRAIN_BUILD", harness.HERE.parents[1] / "build" / "release"))
DEADLINE = 120  # seconds: a broken promise, not a slow machine


class Api(harness.Case):
    def setUp(self):
        super().setUp()
        keys = self.lab.place.keys
        self.config = self.lab.place.state / f"kubeconfig-{self.space}"
        self.addCleanup(self.config.unlink)
        self.config.write_text(json.dumps({
            "clusters": [{"name": "lab", "cluster": {"server": f"https://{harness.cluster.places.SERVER}",
                                                     "certificate-authority": str(keys / "ca.crt")}}],
            "users": [{"name": "admin", "user": {"client-certificate": str(keys / "admin.crt"),
                                                 "client-key": str(keys / "admin.key")}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "admin",
                                                     "namespace": self.space}}],
            "current-context": "lab"}))

    def totrain(self, *arguments):
        return subprocess.run([BUILD / "totrain", *arguments], capture_output=True, text=True,
                              timeout=DEADLINE)

    def objects(self):
        return {item["metadata"]["name"]: item["metadata"]["uid"]
                for item in self.api.get(self.path + "/pods")["items"]}

    def follow(self, watch, view, lines):
        for line in watch.stdout:
            said = json.loads(line)
            if said["change"] in ("added", "changed"):
                view[said["name"]] = said["uid"]
            elif said["change"] == "deleted":
                del view[said["name"]]
            lines.put(said["change"])

    def until_seen(self, view, lines):
        while view != self.objects():
            lines.get(timeout=DEADLINE)

    def test_a_watch_outlives_the_api_server(self):
        watch = subprocess.Popen([BUILD / "tests" / "k8s_probe", self.config, "watch", "pods", "set=a"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        view, lines = {}, queue.Queue()
        reader = threading.Thread(target=self.follow, args=(watch, view, lines))
        reader.start()
        try:
            for turn in range(3):
                for name in range(4):
                    self.create(pod(f"{turn}-{name}", pod_spec([container()]), labels={"set": "a"}))
                self.until_seen(view, lines)
                self.lab.kill("kube-apiserver")
                harness.wait_for(self.answers, "the API server")
                self.api.request("DELETE", f"{self.path}/pods/{turn}-0", {"gracePeriodSeconds": 0})
            self.until_seen(view, lines)
        finally:
            watch.stdin.close()
            self.assertEqual(watch.wait(timeout=DEADLINE), 0)
            reader.join()
            watch.stdout.close()

    def answers(self):
        try:
            return self.api.get("/readyz") is not None
        except (OSError, harness.ApiError):
            return False

    def test_the_administrator_has_every_right(self):
        done = self.totrain("k8s", "check", "--kubeconfig", str(self.config))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("NO", done.stdout)

    def apply(self, printed, query=""):
        """Each object of a printed list is taken by the server, in a namespace that enforces `restricted`."""
        for item in json.loads(printed)["items"]:
            names = {"Secret": "secrets", "Service": "services", "Pod": "pods", "Job": "jobs",
                     "CronJob": "cronjobs", "ServiceAccount": "serviceaccounts", "Role": "roles",
                     "RoleBinding": "rolebindings", "ResourceQuota": "resourcequotas"}
            if item["kind"] == "Namespace":
                continue
            group = item["apiVersion"]
            root = "/api/v1" if group == "v1" else f"/apis/{group}"
            self.api.post(f"{root}/namespaces/{self.space}/{names[item['kind']]}{query}", item)

    def test_the_printed_objects_are_taken_and_the_submitter_may_what_it_needs(self):
        self.apply(self.totrain("k8s", "rbac", "--namespace", self.space).stdout)
        token = self.api.post(f"{self.path}/serviceaccounts/totrain-submitter/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})["status"]["token"]
        config = json.loads(self.config.read_text())
        config["users"][0]["user"] = {"token": token}
        self.config.write_text(json.dumps(config))
        done = self.totrain("k8s", "check", "--kubeconfig", str(self.config))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        schedule = ("service=shop", "SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO iris",
                    "--schedule=0 3 * * *", "--database-secret=login")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        spec = pathlib.Path(folder.name) / "job.json"
        spec.write_text(plan_topics.Plans().jobs()["train_iris"])
        for what in ((str(spec),), schedule):
            printed = self.totrain("submit", *what, "--dry-run", "--image=localhost/totrain:1",
                                   "--name=iris", f"--namespace={self.space}")
            self.assertEqual(printed.returncode, 0, printed.stderr)
            self.apply(printed.stdout, "?dryRun=All")


if __name__ == "__main__":
    harness.main()
