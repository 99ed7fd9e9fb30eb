"""A cluster of which there is only the API server (tests/k8s/fake_api.py): what a Job asks for is run as
processes of this machine, with the credentials, the login and the arguments that its Pods would get.
"""

import base64
import json
import pathlib
import sys
import tempfile
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "k8s"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
import harness  # noqa: E402  pylint: disable=wrong-import-position
import fake_api  # noqa: E402  pylint: disable=wrong-import-position
import network_roles  # noqa: E402  pylint: disable=wrong-import-position
import server  # noqa: E402  pylint: disable=wrong-import-position


class FakeCluster:
    def __init__(self, program):
        network_roles.PROGRAM = str(program)
        self.temporary = tempfile.TemporaryDirectory(prefix="totrain-fake-cluster.")
        self.folder = pathlib.Path(self.temporary.name)
        self.folder.chmod(0o755)  # the server runs as another user
        fake_api.make_certificates(self.folder)
        self.api = fake_api.FakeApi(self.folder)
        self.kubeconfig = self.api.kubeconfig()
        for path in self.folder.iterdir():
            path.chmod(0o644)
        self.login = None  # the connection string in the Secret `login`
        self.logins = {}  # logins of single workers, by their index
        self.is_paused = False  # Jobs stay pending
        self.is_silent = False  # a Job that ends is deleted before anybody has seen its end
        self.pace = None  # pace of the workers: TOTRAIN_PACE
        self.started = []  # names of Jobs
        self.roles = []
        self.ended = set()  # pods whose master has closed its output
        self.threads = [threading.Thread(target=self.control)]
        self.threads[0].start()

    def close(self):
        self.api.stop()
        for role in list(self.roles):
            role.stop()
        for thread in self.threads:
            thread.join()
        for role in self.roles:  # also one that was being started
            role.stop()
        self.temporary.cleanup()

    def wait_for(self, condition, seconds=60):
        with self.api.lock:
            if not self.api.lock.wait_for(condition, seconds):
                raise AssertionError("the cluster never came so far")

    def hurry(self):
        """Paced workers wait no more."""
        harness.hurry_processes(role.process.pid for role in list(self.roles))

    def jobs(self):
        return dict(self.api.objects["jobs"])

    def is_empty(self):
        return not any(self.api.objects[plural] for plural in ("jobs", "secrets", "services", "pods"))

    # --- the Job controller and the kubelet ---------------------------------

    def ready(self):
        return [name for name, job in self.api.objects["jobs"].items()
                if not job["spec"]["suspend"] and name not in self.started]

    def control(self):
        while True:
            with self.api.lock:
                self.api.lock.wait_for(lambda: self.api.is_stopped or (self.ready() and not self.is_paused), 600)
                if self.api.is_stopped:
                    return
                name = self.ready()[0]
                self.started.append(name)
            self.threads.append(threading.Thread(target=self.try_to_run, args=(name,)))
            self.threads[-1].start()

    def mount(self, folder, secret, names=None):
        folder.mkdir(parents=True)
        for name, value in self.api.objects["secrets"][secret]["data"].items():
            if names and name not in names:
                continue
            path = folder / (names or {}).get(name, name)
            path.write_bytes(base64.b64decode(value))
            path.chmod(0o600)
        return folder

    def arguments(self, job):
        return job["spec"]["template"]["spec"]["containers"][0]["args"]

    def role(self, *arguments):
        role = network_roles.Role(*arguments, pace=self.pace)
        self.roles.append(role)
        return role

    def try_to_run(self, name):
        try:
            self.run(name)
        except (KeyError, AssertionError):  # an object or a process that there should be
            if name in self.api.objects["jobs"]:
                raise  # otherwise it was deleted meanwhile, and its Secrets with it

    def run(self, name):
        arguments = self.arguments(self.api.objects["jobs"][name])
        number = arguments[1].rsplit("/", 1)[1]
        place = self.folder / name
        wish = json.loads(base64.b64decode(
            self.api.objects["secrets"][f"{name}-job"]["data"]["cluster.json"]))
        login = place / "login"
        tls = self.mount(place / "master", f"{name}-master")
        login.write_text(self.login + "\n")
        login.chmod(0o600)
        def database(path):
            return ("--database", path, "--schema", wish["schema"])
        (place / "own").mkdir()
        master = self.role("master", place / "own" / number, "--listen",
                           f"tcp:127.0.0.1:{server.free_port()}", "--tls", tls, *database(login))
        address = master.address()
        workers = []
        for index in range(wish["workers_max"]):
            (place / f"own{index}").mkdir()
            login_here = login
            if index in self.logins:
                login_here = place / f"login{index}"
                login_here.write_text(self.logins[index] + "\n")
                login_here.chmod(0o600)
            tls = self.mount(place / f"worker{index}", f"{name}-workers-0",
                             {"ca.crt": "ca.crt", f"{index}.crt": "tls.crt", f"{index}.key": "tls.key"})
            workers.append(self.role("worker", place / f"own{index}" / number, "--index", index, "--master", address,
                                     "--listen", "tcp:127.0.0.1:0", "--tls", tls, "--incarnation", 0,
                                     *database(login_here),
                                     *(["--snapshot", wish["snapshot"]] if wish["snapshot"] else [])))
        self.follow(name, master)
        for worker in workers:
            worker.stop()

    def follow(self, name, master):
        """The pod, and the end. Deleting the Job ends the processes."""
        pod = f"{name}-pod"
        self.api.create("pods", {
            "metadata": {"name": pod, "labels": {"totrain.dev/job": name, "totrain.dev/role": "master"},
                         "ownerReferences": [{"uid": self.api.objects["jobs"][name]["metadata"]["uid"]}]},
            "spec": {"containers": [{"name": "master"}]},
            "status": {"phase": "Running", "containerStatuses": [
                {"name": "master", "restartCount": 0, "state": {"running": {}}}]}})
        told = threading.Thread(target=self.wait_for_end, args=(pod, master))
        told.start()
        with self.api.lock:
            self.api.lock.wait_for(lambda: pod in self.ended or self.api.is_stopped
                                   or name not in self.api.objects["jobs"], 600)
        if pod not in self.ended and name not in self.api.objects["jobs"]:
            master.stop()
        told.join()
        code = master.process.wait()
        if self.is_silent:
            self.api.delete("jobs", name)
            return
        self.api.modify("jobs", name, lambda job: job.update(status={"conditions": [
            {"type": "Failed" if code else "Complete", "status": "True", "message": f"code {code}"}]}))

    def wait_for_end(self, pod, master):
        """Nothing that its master says reaches a log: the job's journal has all of it."""
        with master.said.changed:
            master.said.changed.wait_for(lambda: master.said.has_ended, 600)
        with self.api.lock:
            self.ended.add(pod)
            self.api.lock.notify_all()
