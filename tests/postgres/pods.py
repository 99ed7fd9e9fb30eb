"""A job's master with a scripted API server (tests/k8s/fake_api.py), whose pods are processes here."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

import staged

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "k8s"))
import fake_api  # noqa: E402  pylint: disable=wrong-import-position
import fake_node  # noqa: E402  pylint: disable=wrong-import-position
from staged import harness, network_roles, server  # noqa: E402  pylint: disable=wrong-import-position

MIB = 1 << 20


class Master:
    """`totrain master --kubernetes`, as in a container: no lifeline, events on standard output."""

    def __init__(self, arguments, environment):
        self.process = subprocess.Popen([network_roles.PROGRAM, "master", *map(str, arguments)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env={**os.environ, **environment})
        self.said = network_roles.Lines(self.process.stdout)
        self.log = network_roles.Lines(self.process.stderr)

    def wait_event(self, kind, text="", step=0):
        """The first event of that kind with the text in it."""
        def is_wanted(line):
            event = json.loads(line)
            return event["event"] == kind and text in line and event.get("step", 0) >= step
        return json.loads(self.said.lines[self.said.wait_for(is_wanted, f"{kind} {text}")])

    def wait_step(self, step):
        return self.wait_event("progress", step=step)["step"]

    def events(self, kind):
        return [event for event in map(json.loads, self.said.text().splitlines()) if event["event"] == kind]

    def end(self):
        code = self.process.wait(network_roles.DEADLINE)
        self.said.thread.join()
        self.log.thread.join()
        return code

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        return self.end()


class Case(staged.Case):
    def setUp(self):
        super().setUp()
        temporary = tempfile.TemporaryDirectory(prefix="totrain-pods.")
        self.addCleanup(temporary.cleanup)
        self.cluster = fake_api.make_certificates(temporary.name)
        self.api = fake_api.FakeApi(self.cluster, seed=1)
        self.addCleanup(self.api.stop)
        self.node = fake_node.Node(self.api, self.command, self.cluster)
        self.addCleanup(self.node.stop)
        self.masters = []
        self.uids = []  # all Jobs' that there were
        self.addCleanup(self.end_masters)
        self.environment = {"TOTRAIN_PACE": "us=1000"}  # a row: what is met while it runs lasts until it is hurried
        self.chance = random.Random(int(os.environ.get("TOTRAIN_SEED", "1")))
        self.command_before = None
        self.addCleanup(self.show)

    def show(self):
        """After a failure: what everybody said."""
        outcome = getattr(self._outcome, "result", None)
        if outcome and any(case is self for case, _ in outcome.failures + outcome.errors):
            for master in self.masters:
                print("--- master\n" + master.said.text() + "\n" + master.log.text())
            print(self.node.log())

    def end_masters(self):
        for master in self.masters:
            if master.process.poll() is None:
                master.kill()

    # --- the job ----------------------------------------------------------------

    def submit(self, text=None, workers=4, servers=0, **changes):
        """The job is staged and has its Job; no master yet."""
        self.number = self.stage(text, workers=workers, servers=2 * servers)
        if servers:
            changes = {"servers": servers, "servers_max": 2 * servers, "server_cpu_m": 500, "server_memory": 192 * MIB,
                       "server_memory_max": 768 * MIB, **changes}
        job = self.api.create("jobs", {
            "metadata": {"name": "train", "labels": {"totrain.dev/job": "train", "totrain.dev/role": "master",
                                                     "app.kubernetes.io/name": "totrain"}},
            "spec": {"backoffLimit": 50}})
        self.uid = job["metadata"]["uid"]
        self.uids.append(self.uid)
        self.port = server.free_port()
        self.file = self.folder / "cluster.json"
        self.file.write_text(json.dumps({
            "name": "train", "namespace": "training", "image": "localhost/totrain:1", "pull_policy": "Never",
            "service_account": "totrain", "priority_class": "", "database_secret": "login", "slot_resource": "",
            "schema": "totrain_jobs", "snapshot": "", "job": self.number, "cpu_m": 1000, "memory": 512 * MIB,
            "memory_max": 1536 * MIB, "workers_max": workers, "keep_s": 60, **changes}))

    def master(self, *more, **options):  # pylint: disable=arguments-differ
        master = Master([self.empty_folder(self.number), "--kubernetes", self.file, "--kubeconfig",
                         self.api.kubeconfig(), "--listen", f"tcp:127.0.0.1:{self.port}", "--tls",
                         self.folder / f"tls.{self.number}" / "master", "--database", self.login, *more],
                        {"JOB_UID": self.uid, "CONTROLLER_UID": "of-secret", **self.environment, **options})
        self.masters.append(master)
        return master

    def command(self, pod):
        """Runs a pod's container here: its arguments, with this machine's paths and addresses."""
        arguments = list(pod["spec"]["containers"][0]["args"])
        labels = pod["metadata"]["labels"]
        letter = {"worker": "w", "ps": "s"}[labels["totrain.dev/role"]]
        here = {"--master": f"tcp:127.0.0.1:{self.port}", "--listen": "tcp:127.0.0.1:0",
                "--tls": self.folder / f"tls.{self.number}" / f"{letter}{labels['totrain.dev/index']}",
                "--database": self.login}
        for name, value in here.items():
            arguments[arguments.index(name) + 1] = str(value)
        assert arguments[0] == labels["totrain.dev/role"] and arguments[1].endswith(f"/{self.number}"), arguments
        arguments[1] = str(self.empty_folder(self.number))
        if self.command_before:
            arguments = self.command_before(pod, arguments) or arguments
        return [network_roles.PROGRAM, *arguments], {**os.environ, **self.environment}

    def want(self, number, what="workers"):
        """Annotates the Job, as `totrain scale` and kubectl annotate do."""
        self.api.modify("jobs", "train", lambda job: job["metadata"].setdefault("annotations", {}).update(
            {f"totrain.dev/{what}": str(number)}))

    # --- what came of it ---------------------------------------------------------

    def hurry(self):
        with self.api.lock:
            pids = [container.process.pid for container in self.node.containers.values()]
        harness.hurry_processes(pids)

    def finish(self, master):
        """All that is to be done to the job is done: paced workers wait no more; the master's exit code."""
        harness.wait_for(lambda: self.hurry() or master.process.poll() is not None, "the master's end")
        return master.end()

    def check_trained(self, master, digest):
        self.assertEqual(self.finish(master), 0, master.log.text())
        self.assertEqual(master.events("done")[-1]["event"], "done")
        self.check_published(digest)

    def check_published(self, digest):
        self.check_nothing_is_left()
        self.collect(self.number)
        self.assertEqual(self.digest(), digest)

    def check_failed(self, master, text):
        self.assertEqual(master.end(), 1, master.log.text())
        self.assertIn(text, master.events("failed")[-1]["error"])
        self.assertEqual(self.api.objects["jobs"]["train"]["spec"]["backoffLimit"], 0)
        self.check_nothing_is_left()

    def check_fences(self):
        """Another Pod or Job may have the name by now: whatever is changed is named by its uid as well."""
        with self.api.lock:
            changes = list(self.api.changes)
        for verb, plural, name, body in changes:
            if (verb, plural) == ("delete", "pods"):
                self.assertRegex(body.get("preconditions", {}).get("uid", ""), "^uid-", f"{verb} {plural} {name}")
            elif (verb, plural) == ("patch", "jobs"):
                self.assertIn(body.get("metadata", {}).get("uid"), self.uids, f"{verb} {plural} {name}")

    def check_nothing_is_left(self):
        self.check_fences()
        self.assertEqual(self.api.view("pods"), {})
        harness.wait_for(lambda: not self.node.running(), "the end of all pods")

    def wait_for_pods(self, count):
        harness.wait_for(lambda: len(self.node.running()) == count, f"{count} pods that run")

    def wait_for_others(self, before, count):
        """So many pods run, none of them among those."""
        def there():
            running = self.node.running()
            return len(running) == count and not set(before) & set(running)
        harness.wait_for(there, f"{count} other pods")
