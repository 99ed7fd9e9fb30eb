"""The life of pods as it happens: their processes, their output, when they came and went.

    watched = Watched(lab, namespace)
    watched.pods()          Pod objects, in the order in which they were first seen; those that are gone too

Times are of the monotonic clock, which all processes of the lab share. A process is found by its
control group; its start is the kernel's, its end that of a pidfd, both without the kubelet's delay. Files
are opened as soon as they are there and read from then on, so that nothing is lost with a pod.
"""

import calendar
import contextlib
import http.client
import json
import os
import pathlib
import select
import threading
import time

import cgroups
import control
from api import ApiError
from place import SLOT

TICKS = os.sysconf("SC_CLK_TCK")
LOOK_S = 0.02  # between two looks for files and processes that are not there yet
LOGS = "var/log/pods/{namespace}_{name}_{uid}"


class Run:
    """A container's process."""

    def __init__(self, container, process):
        self.container, self.process = container, process
        self.descriptor = os.pidfd_open(process)
        self.began_at, self.ended_at = started_at(process), None

    def send(self, number):
        os.kill(self.process, number)

    def memory_peaks(self):
        """The most bytes at once: charged to its control group, page cache and all; resident, as the kernel says."""
        status = pathlib.Path(f"/proc/{self.process}/status").read_text(encoding="ascii")
        resident = status.partition("VmHWM:")[2].split()
        if not resident:
            raise ProcessLookupError(f"process {self.process} is ending")
        return cgroups.memory_peak(self.process), int(resident[0]) << 10


def started_at(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    asleep = time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
    return int(fields[19]) / TICKS - asleep


class File:
    """A file of lines that is kept open, whatever becomes of its name."""

    def __init__(self, path):
        self.name = path.name
        self.descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.lines, self.rest, self.lock = [], b"", threading.Lock()

    def read(self):
        with self.lock:
            while data := os.read(self.descriptor, 1 << 20):
                *lines, self.rest = (self.rest + data).split(b"\n")
                self.lines += lines
            return list(self.lines)


class Pod:
    def __init__(self, found):
        meta = found["metadata"]
        self.name, self.uid, self.labels = meta["name"], meta["uid"], meta.get("labels", {})
        self.slots = sum(int(container["resources"].get("limits", {}).get(SLOT, 0))
                         for container in found["spec"]["containers"])
        self.seen_at = time.monotonic()
        self.node = self.bound_at = self.ready_at = self.deleting_at = self.gone_at = None
        self.containers, self.runs, self.traces, self.logs = [], [], {}, {}

    def take(self, found):
        """Its status, of now."""
        now, status = time.monotonic(), found["status"]
        self.node = found["spec"].get("nodeName")
        self.bound_at = self.bound_at or (now if self.node else None)
        if "deletionTimestamp" in found["metadata"]:
            self.deleting_at = self.deleting_at or now
        for container in status.get("containerStatuses", []):
            if container["state"].get("running") and container["containerID"] not in self.containers:
                self.containers.append(container["containerID"])
            if container["ready"]:
                self.ready_at = self.ready_at or now

    def told(self):
        """For a file of events."""
        return {"at": self.seen_at, "pod": self.name, "node": self.node, "bound": self.bound_at, "ready": self.ready_at,
                "deleting": self.deleting_at, "gone": self.gone_at,
                "runs": [[run.began_at, run.ended_at] for run in self.runs]}

    def run(self):
        """Its process, of those that live; None: none is known."""
        return next((run for run in reversed(self.runs) if run.ended_at is None), None)

    def is_over(self):
        return self.gone_at is not None and all(run.ended_at for run in self.runs)


class Watched:
    def __init__(self, lab, namespace):
        self.lab, self.namespace = lab, namespace
        self.by_uid, self.changed, self.is_over = {}, threading.Condition(), False
        self.top = cgroups.mounts()[0][0] / lab.place.group
        self.api, self.roots = lab.api(), {}
        self.threads = [threading.Thread(target=self.follow, daemon=True),
                        threading.Thread(target=self.look, daemon=True)]
        for thread in self.threads:
            thread.start()

    def close(self):
        self.is_over = True
        for thread in self.threads[1:]:  # the other one ends with the process, or its watch
            thread.join()
        for pod in self.by_uid.values():
            for run in pod.runs:
                os.close(run.descriptor)
            for file in [*pod.traces.values(), *pod.logs.values()]:
                os.close(file.descriptor)
        self.by_uid = {}

    def pods(self, **labels):
        with self.changed:
            return [pod for pod in self.by_uid.values()
                    if all(pod.labels.get(f"totrain.dev/{name}") == value for name, value in labels.items())]

    # --- the API server ----------------------------------------------------------

    def follow(self):
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        while not self.is_over:
            with contextlib.suppress(OSError, http.client.HTTPException, ApiError, ValueError):
                listed = self.api.get(path)
                self.take_list(listed["items"])
                for kind, found in self.api.watch(path, listed["metadata"]["resourceVersion"]):
                    if self.is_over or kind == "ERROR":
                        break
                    if kind != "BOOKMARK":
                        self.take(kind, found)

    def take_list(self, items):
        there = {found["metadata"]["uid"] for found in items}
        for found in items:
            self.take("MODIFIED", found)
        with self.changed:
            for uid, pod in self.by_uid.items():
                if uid not in there:
                    pod.gone_at = pod.gone_at or time.monotonic()

    def take(self, kind, found):
        with self.changed:
            pod = self.by_uid.setdefault(found["metadata"]["uid"], Pod(found))
            pod.take(found)
            if kind == "DELETED":
                pod.gone_at = time.monotonic()
            self.changed.notify_all()

    # --- this machine --------------------------------------------------------------

    def look(self):
        while not self.is_over:
            for pod in self.pods():
                if not pod.is_over():
                    with contextlib.suppress(OSError):
                        self.look_at(pod)
            self.wait_for_ends()

    def look_at(self, pod):
        container = pod.containers[-1] if pod.containers else None
        if container and container not in [run.container for run in pod.runs]:
            name = container.rpartition("/")[2]
            files = list(self.top.glob(f"*/kubepods/*/pod{pod.uid}/{name}/cgroup.procs"))
            processes = files[0].read_text(encoding="ascii").split() if files else []
            if processes:
                with self.changed:
                    pod.runs.append(Run(container, int(processes[0])))
                    self.changed.notify_all()
        if pod.node:
            self.open_files(pod)

    def open_files(self, pod):
        """A worker writes one trace, into the root of its container; a log has a file for each start of that."""
        root = self.root(pod.node)
        if pod.labels.get("totrain.dev/role") == "worker":
            for run in pod.runs:
                if run.container not in pod.traces:
                    with contextlib.suppress(OSError):  # it has ended
                        for path in pathlib.Path(f"/proc/{run.process}/root/tmp").glob("*.jsonl"):
                            pod.traces[run.container] = File(path)
        if len(pod.logs) < max(len(pod.containers), 1):
            folder = root / LOGS.format(namespace=self.namespace, name=pod.name, uid=pod.uid)
            for path in folder.glob("*/*.log"):
                if path.name not in pod.logs:
                    pod.logs[path.name] = File(path)

    def root(self, node):
        """The root folder of a node, as seen from here."""
        if node not in self.roots or not self.roots[node].exists():
            process = control.process_behind(self.lab.node(node).control)
            self.roots[node] = pathlib.Path(f"/proc/{process}/root")
        return self.roots[node]

    def wait_for_ends(self):
        """Until a process ends, or it is time to look again."""
        living = {run.descriptor: run for pod in self.pods() for run in pod.runs if run.ended_at is None}
        poll = select.poll()
        for descriptor in living:
            poll.register(descriptor, select.POLLIN)
        ended = poll.poll(LOOK_S * 1000)
        for descriptor, _ in ended:
            living[descriptor].ended_at = time.monotonic()
        if ended:
            with self.changed:
                self.changed.notify_all()


def traced(pods):
    """Every phase that a worker of these pods applied, in the order of time."""
    lines = []
    for pod in pods:
        for file in list(pod.traces.values()):
            for line in file.read():
                with contextlib.suppress(ValueError):  # it was killed as it wrote
                    lines.append(json.loads(line))
    for line in lines:
        line["at"] /= 1e6
    return sorted(lines, key=lambda line: line["at"])


def logged(pods):
    """(when, line) of what these pods said, in the order of time. The node stamps each line."""
    offset = time.time() - time.monotonic()
    lines = []
    for pod in pods:
        for file in list(pod.logs.values()):
            for line in file.read():
                words = line.decode(errors="replace").split(" ", 3)
                if len(words) == 4:
                    lines.append((stamp(words[0]) - offset, words[3]))
    return sorted(lines, key=lambda line: line[0])


def stamp(text):
    """Seconds since 1970 of 2026-01-02T03:04:05.123456789Z, or with +00:00."""
    seconds, _, rest = text.partition(".")
    fraction = rest.rstrip("Z").partition("+")[0]
    return calendar_seconds(seconds) + float("0." + (fraction or "0"))


def calendar_seconds(text):
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))
