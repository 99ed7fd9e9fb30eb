"""A node for the fake API server: its pods are processes of this machine.

    node = Node(api, command)      command(pod) gives the arguments and the environment of its process
    node.room = 2                  more than that many pods are unschedulable
    node.refuse = {"reason": "ErrImagePull", "message": "..."}   no container is started
    node.is_mute = True            nobody hears of a deletion by SIGTERM
    node.kill(name)                kill -9; node.kill(name, reason="OOMKilled") as the kernel would

It does what a kubelet does with a pod: status, restarts of none, SIGTERM before a deletion and SIGKILL
with a grace of 0. A pod whose object is gone has no process any more.
"""

import pathlib
import subprocess
import threading


class Container:
    def __init__(self, name, uid, process, log):
        self.name, self.uid, self.process, self.log = name, uid, process, log
        self.reason = None


class Node:
    def __init__(self, api, command, folder):
        self.api, self.command, self.folder = api, command, pathlib.Path(folder)
        self.room, self.refuse, self.is_mute, self.is_stopped = 1000, None, False, False
        self.containers = {}  # by pod's name
        self.logs = []
        self.threads = []
        self.uids = []  # uids of all pods that ever had a process, in their order
        api.kubelet = self
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    # --- what the tests ask ---------------------------------------------------

    def running(self):
        with self.api.lock:
            return sorted(self.containers)

    def kill(self, name, reason=None):
        with self.api.lock:
            container = self.containers.get(name)
            if container:
                container.reason = reason
                container.process.kill()
        return container

    def log(self):
        return "\n".join(f"--- {path.name}\n{path.read_text()[-2000:]}" for path in self.logs)

    def stop(self):
        with self.api.lock:
            self.is_stopped = True
            for container in self.containers.values():
                container.process.kill()
            self.api.lock.notify_all()
        self.thread.join()
        for thread in self.threads:
            thread.join()

    # --- the kubelet ------------------------------------------------------------

    def run(self):
        with self.api.lock:
            while not self.is_stopped:
                for name, pod in list(self.api.objects["pods"].items()):
                    self.look_at(name, pod)
                self.api.lock.wait(1)

    def look_at(self, name, pod):
        if pod["metadata"]["labels"]["totrain.dev/role"] == "master":
            return  # masters are started by the test
        if name in self.containers or "phase" in pod.get("status", {}) and pod["status"]["phase"] != "Pending":
            return
        if "deletionTimestamp" in pod["metadata"]:
            self.api.delete("pods", name)
        elif len(self.containers) >= self.room:
            self.set_status(name, {"phase": "Pending", "conditions": [{
                "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                "message": "0/1 nodes are available: 1 Insufficient example.com/slot."}]})
        elif self.refuse:
            self.set_status(name, {"phase": "Pending", "containerStatuses": [{"state": {"waiting": self.refuse}}]})
        else:
            self.start(name, pod)

    def set_status(self, name, status):
        if self.api.objects["pods"].get(name, {}).get("status") != status:
            self.api.modify("pods", name, lambda pod: pod.update(status=status))

    def start(self, name, pod):
        arguments, environment = self.command(pod)
        path = self.folder / f"{name}.log"
        with open(path, "ab") as log:
            process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self.logs.append(path)
        uid = pod["metadata"]["uid"]
        container = Container(name, uid, process, path)
        self.containers[name] = container
        self.uids.append(uid)
        self.set_status(name, {"phase": "Running", "containerStatuses": [{"state": {"running": {}}}]})
        thread = threading.Thread(target=self.wait, args=(container,))
        self.threads.append(thread)
        thread.start()

    def wait(self, container):
        code = container.process.wait()
        with self.api.lock:
            del self.containers[container.name]
            pod = self.api.objects["pods"].get(container.name)
            if pod and pod["metadata"]["uid"] == container.uid:
                self.end(container, pod, 128 - code if code < 0 else code)
            self.api.lock.notify_all()

    def end(self, container, pod, code):
        reason = container.reason or ("Completed" if code == 0 else "Error")
        self.set_status(container.name, {
            "phase": "Failed" if code else "Succeeded",
            "containerStatuses": [{"state": {"terminated": {"exitCode": code, "reason": reason}}}]})
        if "deletionTimestamp" in pod["metadata"]:
            self.api.delete("pods", container.name)

    def on_delete(self, name, grace):
        """The API server was asked to delete a pod; what it answers."""
        with self.api.lock:
            container = self.containers.get(name)
            if not container or grace == 0:
                if container:
                    container.process.kill()
                return self.api.delete("pods", name)
            if not self.is_mute:
                container.process.terminate()
            return self.api.modify("pods", name, lambda pod: pod["metadata"].update(
                deletionTimestamp="2026-01-01T00:00:00Z"))
