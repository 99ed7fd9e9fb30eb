"""A lab starts, ends, and leaves nothing, whatever happens to it on the way.

These tests make a second lab, with one node, beside the one of the other tests.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest

import harness
from harness import Stopwatch, container, pod, pod_spec, rounds, wait_for

import cgroups
import cluster
import control
import node as nodes
import place as places
import prepare

COMMAND = str(places.SOURCE / "lab")
NAMESPACES = ("mnt", "net", "pid", "ipc", "uts")
FOLDERS = ("/run/containerd", "/run/runc", "/var/lib/kubelet", "/var/lib/containerd", "/var/lib/cni",
           "/var/log/pods", "/var/log/containers", "/etc/cni")


def namespaces_of(pid):
    found = set()
    for name in NAMESPACES:
        try:
            found.add(os.readlink(f"/proc/{pid}/ns/{name}"))
        except OSError:
            pass  # it has ended
    return found


def processes():
    """Parent of each process."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


def descendants(pid):
    parents, found = processes(), {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return found
        found |= more


def kernel_values():
    paths = [pathlib.Path("/proc/sys", name) for name in nodes.KERNEL]
    return {path.name: path.read_text() for path in paths if path.exists()}


def machine():
    """Things that a lab could leave on the machine outside of its folder and its control groups."""
    networks = pathlib.Path("/run/netns")
    return {
        "interfaces": {name for name in os.listdir("/sys/class/net") if name.startswith(("lab", "cni"))},
        "networks": {entry.name for entry in networks.iterdir() if entry.name.startswith("cni")}
        if networks.exists() else set(),
        "mounts": {line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
                   if any(word in line for word in ("kubelet", "containerd", "nsfs", "kubepods"))
                   and "/netns/totrain" not in line},
        "folders": {folder for folder in FOLDERS if os.path.exists(folder)},
        "kernel": kernel_values(),
    }


class Lifecycle(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        shared = cluster.Lab().place
        prepare.prepare(shared)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lab-test-", dir=shared.folder.parent))
        self.addCleanup(shutil.rmtree, self.folder)
        for entry in (shared.packages, shared.kubernetes.parent, shared.pause, shared.pause.with_suffix(".built")):
            (self.folder / entry.name).symlink_to(entry)
        self.lab = cluster.Lab(self.folder)
        self.addCleanup(self.lab.down)
        self.before = machine()

    def start(self):
        self.lab.up(count=1)
        self.first = control.holder(self.lab.place.lock)
        self.assertIsNotNone(self.first)
        with self.lab.in_network():
            self.run_pod()
        self.processes = descendants(self.first)
        self.namespaces = set().union(*map(namespaces_of, self.processes)) - namespaces_of(os.getpid())
        # Control plane, node, its daemons, a pod with shim and sandbox; namespaces of lab, node and pod.
        self.assertGreater(len(self.processes), 9)
        self.assertGreater(len(self.namespaces), 12)

    def run_pod(self):
        client = self.lab.api()
        path = "/api/v1/namespaces/default/pods"
        spec = pod_spec([container(volumeMounts=[{"name": "memory", "mountPath": "/memory"}])],
                        volumes=[{"name": "memory", "emptyDir": {"medium": "Memory"}}])
        client.post(path, pod("leaves", spec))
        wait_for(lambda: harness.is_ready(client.get(path + "/leaves")), "the pod")

    def check_nothing_runs(self):
        """Processes that are gone may be counted for a moment more by whoever has to reap them."""
        def left():
            return {pid: found for pid in processes()
                    if (found := namespaces_of(pid) & self.namespaces)}
        wait_for(lambda: not left(), "the end of all that was in the lab's namespaces")
        self.assertIsNone(control.holder(self.lab.place.lock))

    def check_nothing_is_left(self):
        self.check_nothing_runs()
        self.assertEqual(machine(), self.before)
        self.assertEqual(cgroups.remains(self.lab.place.group), [])
        self.assertEqual(cgroups.remains(self.lab.place.group + "-trial"), [])
        left = {entry.name for entry in self.folder.iterdir()}
        self.assertEqual(left - {"packages", "bin", "pause.tar", "pause.built"}, {"lock", "front.lock", "launch.lock"})

    def test_nothing_is_left_after_down_and_a_second_start_works(self):
        for _ in range(2):
            watch = Stopwatch()
            self.start()
            print(f"measured: a lab of one node with a pod after {watch.read():.2f} s")
            self.assertNotEqual(cgroups.remains(self.lab.place.group), [])
            self.lab.down()
            self.check_nothing_is_left()
        self.lab.down()  # without a lab: nothing to do

    def test_killing_its_first_process_ends_all_of_it(self):
        self.start()
        control.end_process(self.first, signal.SIGKILL)
        self.check_nothing_runs()
        self.start()
        self.lab.down()
        self.check_nothing_is_left()

    def test_a_frozen_lab_is_ended(self):
        self.start()
        os.kill(self.first, signal.SIGSTOP)
        self.lab.down()
        self.check_nothing_is_left()

    def test_it_ends_when_its_folder_is_removed(self):
        """Removes the folder as git worktree remove and rm -r do; nobody could find the lab any more."""
        self.start()
        cgroup = self.lab.place.group
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(exist_ok=True)
        self.check_nothing_runs()
        self.assertEqual(machine(), self.before)
        cgroups.remove(cgroup)  # empty folders: all that is left

    def test_a_start_that_is_killed_half_way_harms_no_later_one(self):
        """Killed at moments that lie all over the start, alone or with all that it has begun."""
        count = len(rounds(6, 40))
        for number in range(count):
            seconds = 0.2 + 4 * number / count
            up = subprocess.Popen([COMMAND, "up", "--nodes", "1"], stdout=subprocess.DEVNULL,
                                  env={**os.environ, "TOTRAIN_LAB": str(self.folder)})
            try:
                up.wait(seconds)
            except subprocess.TimeoutExpired:
                pass
            up.kill()
            up.wait()
            first = control.holder(self.lab.place.lock)
            if first and number % 2:
                control.end_process(first, signal.SIGKILL)
        self.start()
        self.lab.down()
        self.check_nothing_is_left()

    def test_two_starts_at_once_make_one_lab(self):
        failures = []

        def up():
            done = subprocess.run([COMMAND, "up", "--nodes", "1"], capture_output=True, text=True, check=False,
                                  env={**os.environ, "TOTRAIN_LAB": str(self.folder)})
            if done.returncode:
                failures.append(done.stderr)
        threads = [threading.Thread(target=up) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.start()
        self.lab.down()
        self.check_nothing_is_left()

    def test_a_lab_of_another_size_is_not_taken_for_the_wanted_one(self):
        self.lab.up(count=1)
        with self.assertRaisesRegex(control.LabError, "make lab-down"):
            self.lab.up(count=2)

    def test_it_has_as_many_nodes_and_slots_as_asked_for(self):
        self.lab.up(count=3, slots=8)
        with self.lab.in_network():
            client = self.lab.api()
            path = "/api/v1/namespaces/default/pods"
            for node in self.lab.nodes():
                client.post(path, pod(node.name, pod_spec([container(slots=8)])))
            wait_for(lambda: all(map(harness.is_ready, client.get(path)["items"])), "a pod on each node")
            self.assertEqual({found["spec"]["nodeName"] for found in client.get(path)["items"]},
                             {"node-1", "node-2", "node-3"})

    def test_the_other_lab_is_not_touched(self):
        other = cluster.Lab()
        if not other.is_up():
            self.skipTest("no other lab runs")
        self.start()
        with other.in_network():
            version = other.api().get("/api/v1/namespaces/kube-system")["metadata"]["uid"]
        with self.lab.in_network():
            self.assertNotEqual(version, self.lab.api().get("/api/v1/namespaces/kube-system")["metadata"]["uid"])
        self.lab.down()
        with other.in_network():
            self.assertEqual(version, other.api().get("/api/v1/namespaces/kube-system")["metadata"]["uid"])
            for node in other.nodes():
                self.assertTrue(other.node_is_ready(node))


class Refusals(unittest.TestCase):
    """Where a machine lets no lab run, `lab` and the tests end with 77 and say why."""

    def refused(self, *command, **environment):
        with tempfile.TemporaryDirectory(dir=cluster.Lab().place.folder.parent, prefix="lab-test-") as folder:
            done = subprocess.run([*command, COMMAND, "up"], capture_output=True, text=True, check=False,
                                  env={**os.environ, **environment, "TOTRAIN_LAB": folder})
            self.assertEqual(done.returncode, 77, done.stderr)
            test = pathlib.Path(__file__).with_name("test_cluster.py")
            skipped = subprocess.run([*command, "/usr/bin/python3", "-B", test], capture_output=True, text=True,
                                     check=False, env={**os.environ, **environment, "TOTRAIN_LAB": folder})
            self.assertEqual(skipped.returncode, 77, skipped.stderr)
            self.assertIn("skipped: " + done.stderr.removeprefix("lab: ").strip(), skipped.stdout)
        return done.stderr

    def test_without_the_right_to_mount(self):
        said = self.refused("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin")
        self.assertIn("no namespaces or mounts", said)

    def test_without_control_groups(self):
        said = self.refused("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"', "sh")
        self.assertIn("no control groups", said)

    def test_without_a_recent_go(self):
        with tempfile.TemporaryDirectory() as folder:
            go = pathlib.Path(folder) / "go"
            go.write_text("#!/bin/sh\necho go version go1.19.8 linux/amd64\n")
            go.chmod(0o755)
            said = self.refused(PATH=f"{folder}:{os.environ['PATH']}")
        self.assertIn("Go 1.24", said)


if __name__ == "__main__":
    harness.main()
