"""Kueue itself on a lab: its controller, built from its Go module, with the webhooks of Jobs and Pods.

    with Kueue(lab, "its-label") as kueue:    namespaces with the label its-label=yes are Kueue's
        kueue.make_queue(...)

It runs on this machine in the lab's network, where the API server reaches its webhooks, and with the administrator's
rights. Its log is in the lab's folder.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import keys
import place as places
import prepare
from api import ApiError, wait_for
from control import LabError

SOURCE = places.SOURCE / "kueue"
MODULE = "sigs.k8s.io/kueue"
PORT = 9443
KINDS = ("clusterqueues", "cohorts", "localqueues", "resourceflavors", "workloads")
WEBHOOKS = re.compile(r"^[mv](job|pod|" + "|".join(kind[:-1] for kind in KINDS) + r")\.kb\.io$")
API = "/apis/kueue.x-k8s.io/v1beta2"
HOOKS = "/apis/admissionregistration.k8s.io/v1"
CONFIGURATION = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
    "health": {"healthProbeBindAddress": "127.0.0.1:18081"}, "metrics": {"bindAddress": "127.0.0.1:18443"},
    "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False},
    "integrations": {"frameworks": ["batch/job", "pod"]}}


def prepare_kueue(place):
    """The program. Many minutes the first time."""
    program = place.folder / "bin" / "kueue"
    current, built = prepare.is_current(program, [SOURCE / name for name in ("go.mod", "go.sum")], prepare.go_version())
    if not current:
        print("building Kueue from its Go module: many minutes the first time", flush=True)
        prepare.run(["nice", "-n", "10", "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false",
                     "-p", os.environ.get("TOTRAIN_LAB_JOBS", str(os.cpu_count())), "-ldflags=-s -w", "-o", program,
                     f"{MODULE}/cmd/kueue"], cwd=SOURCE, env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": ""})
        built()
    return program


def module_folder():
    done = subprocess.run(["go", "list", "-m", "-f", "{{.Dir}}", MODULE], cwd=SOURCE, check=True, capture_output=True, text=True,
                          env={**os.environ, "GOFLAGS": ""})
    return pathlib.Path(done.stdout.strip())


class Kueue:
    def __init__(self, lab, label):
        self.lab, self.label, self.api = lab, label, lab.api()
        self.program = prepare_kueue(lab.place)
        self.files = module_folder() / "config" / "components"
        self.folder = lab.place.state / "kueue"
        self.process = None

    def __enter__(self):
        self.write_files()
        self.kubectl("apply", "--server-side", "--force-conflicts", "-f", self.files / "crd" / "bases")
        for kind in KINDS:
            wait_for(lambda: self.is_served(kind), f"{kind} to be served")  # pylint: disable=cell-var-from-loop
        self.start()
        self.make_webhooks()
        return self

    def __exit__(self, *_):
        for kind in ("mutating", "validating"):
            self.api.delete(f"{HOOKS}/{kind}webhookconfigurations/kueue-{kind}")
        self.stop()

    def write_files(self):
        """The certificates are where the controller looks for them: in an /etc of its own."""
        shutil.rmtree(self.folder, ignore_errors=True)
        certificates = self.folder / "etc" / "kueue" / "metrics" / "certs"
        certificates.mkdir(parents=True)
        keys.make_certificate(self.lab.place.keys, "kueue", "/CN=kueue", "serverAuth", f"IP:{places.SERVER}")
        for kind in ("crt", "key"):
            shutil.copy(self.lab.place.keys / f"kueue.{kind}", certificates / f"tls.{kind}")
        (self.folder / "configuration.yaml").write_text(json.dumps(
            {**CONFIGURATION, "webhook": {"port": PORT, "certDir": str(certificates)}}))

    def kubectl(self, *words):
        done = subprocess.run([self.lab.place.kubectl, "--kubeconfig", self.lab.place.kubeconfig, *map(str, words)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise LabError(done.stderr)
        return done.stdout

    def is_served(self, kind):
        try:
            return self.api.get(f"{API}/{kind}")
        except ApiError:
            return None

    def start(self):
        log = self.lab.place.log / "kueue"
        with open(log, "ab") as out:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                ["unshare", "--mount", "sh", "-c", 'mount -t overlay overlay -o "lowerdir=$1:/etc" /etc && shift && exec "$@"',
                 "sh", self.folder / "etc", self.program, f"--config={self.folder / 'configuration.yaml'}",
                 f"--kubeconfig={self.lab.place.kubeconfig}", "--feature-gates=VisibilityOnDemand=false"],
                stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

        def is_ready():
            if self.process.poll() is not None:
                raise LabError(f"Kueue ended; see {log}")
            return subprocess.run(["curl", "-sf", "http://127.0.0.1:18081/readyz"], capture_output=True, check=False).returncode == 0
        wait_for(is_ready, "Kueue to be ready")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def make_webhooks(self):
        """Those of the module for Jobs, Pods and its own kinds, at this address, and for namespaces with the label."""
        authority = json.loads(self.lab.place.kubeconfig.read_text())["clusters"][0]["cluster"]["certificate-authority-data"]
        printed = self.kubectl("create", "--dry-run=client", "-o", "json", "-f", self.files / "webhook" / "manifests.yaml")
        decoder, at = json.JSONDecoder(), 0
        while at < len(printed.rstrip()):
            found, at = decoder.raw_decode(printed, at)
            at += len(printed[at:]) - len(printed[at:].lstrip())
            for each in found.get("items", [found]):
                self.make_webhook(each, authority)

    def make_webhook(self, found, authority):
        kind = found["kind"].removesuffix("WebhookConfiguration").lower()
        found["metadata"] = {"name": f"kueue-{kind}"}
        found["webhooks"] = [hook for hook in found["webhooks"] if WEBHOOKS.match(hook["name"])]
        for hook in found["webhooks"]:
            path = hook["clientConfig"]["service"]["path"]
            hook["clientConfig"] = {"url": f"https://{places.SERVER}:{PORT}{path}", "caBundle": authority}
            if re.match("[mv](job|pod)", hook["name"]):
                hook["namespaceSelector"] = {"matchLabels": {self.label: "yes"}}
        self.api.post(f"{HOOKS}/{kind}webhookconfigurations", found)

    # --- its objects ------------------------------------------------------------

    def make_queue(self, space, name, **quota):
        """A LocalQueue of this namespace, and a ClusterQueue of the namespace's name with so much of each resource."""
        self.api.post(f"{API}/resourceflavors", {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor",
                                                 "metadata": {"name": space}})
        self.api.post(f"{API}/clusterqueues", {
            "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": space},
            "spec": {"namespaceSelector": {}, "resourceGroups": self.groups(space, quota)}})
        self.api.post(f"{API}/namespaces/{space}/localqueues", {
            "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": name},
            "spec": {"clusterQueue": space}})

    def groups(self, flavor, quota):
        return [{"coveredResources": list(quota), "flavors": [{"name": flavor, "resources": [
            {"name": name, "nominalQuota": value} for name, value in quota.items()]}]}]

    def set_quota(self, space, **quota):
        self.api.patch(f"{API}/clusterqueues/{space}", {"spec": {"resourceGroups": self.groups(space, quota)}})

    def workloads(self, space):
        """Name of its owner -> whether Kueue has admitted it."""
        return {found["metadata"]["ownerReferences"][0]["name"]: self.is_admitted(found)
                for found in self.api.get(f"{API}/namespaces/{space}/workloads")["items"]
                if found["metadata"].get("ownerReferences")}

    def is_admitted(self, workload):
        return any(entry["type"] == "Admitted" and entry["status"] == "True"
                   for entry in workload.get("status", {}).get("conditions", []))

    def set_active(self, space, owner, is_active):
        """Inactive: Kueue takes back what it has admitted."""
        for found in self.api.get(f"{API}/namespaces/{space}/workloads")["items"]:
            if found["metadata"]["ownerReferences"][0]["name"] == owner:
                self.api.patch(f"{API}/namespaces/{space}/workloads/{found['metadata']['name']}",
                               {"spec": {"active": is_active}})
