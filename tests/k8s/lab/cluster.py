"""A lab: start it, end it, do something to it. The tests use this class, and so does the command `lab`.

Everything runs below one init.py in namespaces of its own (processes, mounts,
network, host name): a lab ends when that process does, by whatever means, and
leaves nothing but the folder `state` and empty control groups, which `down` and
the next `up` remove. Two checkouts have two labs that do not see each other.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import shutil
import subprocess
import sys

import api
import cgroups
import control
import control_plane
import keys
import node as nodes
import place as places
import prepare
from control import LabError, Refused

CLONE_NEWNET = 0x40000000
STARTS_MAX = 5  # starts of a program before the lab is ready
SLOTS = 12


class Lab:
    def __init__(self, folder=None):
        self.place = places.Place(folder)

    # --- start and end -----------------------------------------------------

    def prepare(self):
        """Prepares all parts of a lab, so that one starts at once."""
        with self.front():
            check_machine(self.place)
            prepare.prepare(self.place)

    def up(self, count=2, slots=SLOTS):
        """A lab with this many nodes runs and is ready, begun now (True) or before."""
        if not 1 <= count <= places.NODES_MAX:
            raise LabError(f"a lab has 1 to {places.NODES_MAX} nodes, not {count}")
        with self.front():
            check_machine(self.place)
            prepare.prepare(self.place)
            begun = not self.is_up()
            if begun:
                self.remove_remains()
                self.write_files(count, slots)
                self.launch()
            else:
                self.check_same(count, slots)
            self.wait_until_ready()
        return begun

    @contextlib.contextmanager
    def front(self):
        """One `up` or `down` at a time; the kernel lets go of the lock of one that was killed.

        A lab that such a one has just launched holds the other lock until it can be found."""
        self.place.folder.mkdir(parents=True, exist_ok=True)
        with open(self.place.front_lock, "a", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            with open(self.place.launch_lock, "a", encoding="ascii") as launched:
                fcntl.flock(launched, fcntl.LOCK_EX)
            yield

    def is_up(self):
        return control.holder(self.place.lock) is not None

    def settings(self):
        try:
            return json.loads((self.place.state / "settings").read_text())
        except FileNotFoundError:
            raise LabError("no lab runs: make lab starts one") from None

    def check_same(self, count, slots):
        wanted = {"nodes": count, "slots": slots}
        there = self.settings()
        if there != wanted:
            raise LabError(f"a lab with {there} runs from {self.place.folder}, not {wanted}: make lab-down ends it")

    def write_files(self, count, slots):
        place = self.place
        place.log.mkdir(parents=True)
        keys.make_authority(place.keys)
        keys.make_server(place.keys)
        keys.make_client(place.keys, "admin", "admin", "system:masters")
        keys.write_kubeconfig(place.keys, "admin", place.kubeconfig)
        for number in range(1, count + 1):
            self.write_node(places.NodePlace(place, number))
        (place.state / "settings").write_text(json.dumps({"nodes": count, "slots": slots}))
        (place.state / "plan").write_text(json.dumps({
            "control": str(place.control), "lock": str(place.lock), "setup": control_plane.setup(place),
            "programs": {**control_plane.programs(place),
                         **{node.name: nodes.program(node) for node in self.nodes()}}}, indent=1))

    def write_node(self, node):
        node.folder.mkdir()
        keys.make_client(self.place.keys, node.name, f"system:node:{node.name}", "system:nodes")
        keys.write_kubeconfig(self.place.keys, node.name, node.kubeconfig)
        nodes.write_files(node)
        cgroups.make(node.group)

    def launch(self):
        place = self.place
        with open(place.log / "lab", "ab") as log, open(place.launch_lock, "a", encoding="ascii") as launching:
            fcntl.flock(launching, fcntl.LOCK_EX)
            subprocess.run(
                ["setsid", "--fork", "unshare", "--mount", "--propagation=private", "--uts", "--ipc", "--net", "--pid",
                 "--mount-proc", "--fork", "--kill-child=SIGKILL",
                 sys.executable, "-B", str(places.SOURCE / "init.py"), str(place.state / "plan"),
                 str(launching.fileno())],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", check=True,
                pass_fds=[launching.fileno()])
        api.wait_for(lambda: place.control.exists() or self.check_launched(), "the lab's first process")

    def check_launched(self):
        said = (self.place.log / "lab").read_text().strip()
        if said:
            raise LabError(f"the lab did not start: {said[-500:]}")

    def down(self):
        """Ends the lab, whatever state it is in, and removes what is left of it."""
        with self.front():
            self.end()
            self.remove_remains()

    def end(self):
        pid = control.holder(self.place.lock)
        if pid is None:
            return
        with control.process(pid) as first:
            with contextlib.suppress(OSError), control.connect(self.place.control, 5) as asked:
                asked.sendall(b'{"do": "end"}\n')
            if not control.has_ended(first, 10):
                control.end_process(pid)

    def remove_remains(self):
        cgroups.remove(self.place.group)
        cgroups.remove(self.place.group + "-trial")
        shutil.rmtree(self.place.state, ignore_errors=True)
        if self.place.state.exists():
            shutil.rmtree(self.place.state)  # says what is in the way

    # --- readiness ---------------------------------------------------------

    def wait_until_ready(self):
        self.wait_for(self.control_plane_is_ready, "the control plane")
        for node in self.nodes():
            self.wait_for_node(node)

    def wait_for(self, condition, what):
        """Like api.wait_for(), in the lab's network; a program that does not start fails it at once."""
        def checked():
            self.check_programs()
            return condition()

        with self.in_network():
            return api.wait_for(checked, what)

    def check_programs(self):
        for path in [self.place.control, *(node.control for node in self.nodes() if node.control.exists())]:
            try:
                programs = control.ask(path, {"do": "status"})["programs"]
            except ConnectionError:
                continue  # a node that starts again
            for name, program in programs.items():
                if program["starts"] > STARTS_MAX:
                    raise LabError(f"{name} ends again and again; see {self.place.log}")

    def control_plane_is_ready(self):
        client = self.api()
        if not client.answers():
            return False
        try:
            client.get("/api/v1/namespaces/default/serviceaccounts/default")
        except api.ApiError:
            return False
        return True

    def wait_for_node(self, node):
        """Ready, with its slots and the pause image."""
        self.wait_for(lambda: self.node_has_slots(node), f"{node.name} with slots")
        self.load(self.place.pause, [node])
        self.wait_for(lambda: self.node_is_ready(node), f"{node.name} to be ready")

    def node_has_slots(self, node):
        slots = str(self.settings()["slots"])
        path = f"/api/v1/nodes/{node.name}"
        try:
            status = self.api().get(path)["status"]
            if status.get("allocatable", {}).get(places.SLOT) != slots:
                given = {places.SLOT: slots}
                self.api().patch(path + "/status", {"status": {"capacity": given, "allocatable": given}})
            return True
        except api.ApiError as error:
            if error.status == 404:
                return False
            raise

    def node_is_ready(self, node):
        found = self.api().get(f"/api/v1/nodes/{node.name}")
        ready = any(condition["type"] == "Ready" and condition["status"] == "True"
                    for condition in found["status"].get("conditions", []))
        return ready and not found["spec"].get("taints")

    # --- what the tests do to it --------------------------------------------

    def nodes(self):
        return [places.NodePlace(self.place, number) for number in range(1, self.settings()["nodes"] + 1)]

    def node(self, name):
        nodes_by_name = {node.name: node for node in self.nodes()}
        if name not in nodes_by_name:
            raise LabError(f"no node {name}: there are {', '.join(nodes_by_name)}")
        return nodes_by_name[name]

    def api(self, token=None):
        return api.Api(self.place.keys, token)

    def kill_node(self, name):
        """Ends the node like a power cut: nothing of it runs any more, and nothing says so to the API server."""
        with control.process(control.process_behind(self.node(name).control)) as first:
            control.ask(self.place.control, {"do": "stop", "name": name, "signal": "SIGKILL"})
            if not control.has_ended(first):
                raise LabError(f"{name} does not end")

    def processes(self, container):
        """Ids, as seen from here, of the processes of a container ("containerd://ID", as its status says)."""
        name = container.rpartition("/")[2]
        found = set()
        for folder in cgroups.remains(self.place.group):
            if folder.name == name:
                found |= set(map(int, (folder / "cgroup.procs").read_text().split()))
        return found

    def start_node(self, name):
        """The node comes back with its disk; its pods of before have ended."""
        node = self.node(name)
        cgroups.remove(node.group)
        cgroups.make(node.group)
        shutil.rmtree(node.folder / "run")
        (node.folder / "run").mkdir()
        before = self.last_word(node)
        control.ask(self.place.control, {"do": "start", "name": name})
        api.wait_for(lambda: self.listens(node.control), f"{name} to start")
        self.wait_for(lambda: self.last_word(node) != before, f"{name} to say something")
        self.wait_for_node(node)

    def last_word(self, node):
        """When the node's kubelet last renewed its lease."""
        with self.in_network():
            return self.api().get("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/"
                                  + node.name)["spec"]["renewTime"]

    @staticmethod
    def listens(path):
        try:
            control.ask(path, {"do": "status"})
            return True
        except OSError:
            return False

    def kill(self, program, node=None, signal="SIGKILL"):
        """A program of the control plane, or of the node; it is started again."""
        path = self.node(node).control if node else self.place.control
        control.ask(path, {"do": "kill", "name": program, "signal": signal})

    def stop(self, program, node=None, signal="SIGKILL"):
        """The same, until start()."""
        path = self.node(node).control if node else self.place.control
        control.ask(path, {"do": "stop", "name": program, "signal": signal})

    def start(self, program, node=None):
        path = self.node(node).control if node else self.place.control
        control.ask(path, {"do": "start", "name": program})

    def cut(self, name):
        """The node's cable: it runs on, unreachable."""
        self.link(name, "down")

    def join(self, name):
        self.link(name, "up")

    def link(self, name, state):
        node = self.node(name)
        with self.in_network():
            subprocess.run(["ip", "link", "set", node.link, state], check=True)
            if state == "up":  # the routes through it went with it
                subprocess.run(["ip", "route", "replace", node.pods, "via", node.address], check=True)

    def load(self, tar, on=None):
        """Images of the tar into the nodes; pods name them with imagePullPolicy Never."""
        for node in on or self.nodes():
            self.wait_for(lambda node=node: self.containerd_answers(node), f"containerd of {node.name}")
            with open(tar, "rb") as file:
                done = self.in_node(node, [self.place.program("ctr"), "-n", "k8s.io", "images", "import", "-"],
                                    stdin=file)
            if done.returncode:
                raise LabError(f"{tar} is not taken by {node.name}: {done.stderr.strip()[-500:]}")

    def containerd_answers(self, node):
        return self.listens(node.control) and \
            self.in_node(node, [self.place.program("ctr"), "version"]).returncode == 0

    def in_node(self, node, command, **options):
        """Runs a command in the node's mounts and network."""
        pid = control.process_behind(node.control)
        return subprocess.run(["nsenter", f"--target={pid}", "--mount", "--net", "--", *map(str, command)],
                              capture_output=True, text=True, check=False, **options)

    # --- the lab's network ---------------------------------------------------

    def open_network(self):
        try:
            return os.open(f"/proc/{control.process_behind(self.place.control)}/ns/net", os.O_RDONLY)
        except (ConnectionError, FileNotFoundError):
            raise LabError(f"the lab has ended; {self.place.log / 'lab'} may say why") from None

    def enter_network(self):
        """This thread, and what it starts from now on, is where the API server, nodes and pods are reached."""
        handle = self.open_network()
        set_network(handle)
        os.close(handle)

    @contextlib.contextmanager
    def in_network(self):
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        self.enter_network()
        try:
            yield
        finally:
            set_network(before)
            os.close(before)


def set_network(handle):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "a network namespace cannot be entered")


def check_machine(place):
    """Raises Refused where a lab cannot run, before anything is built."""
    if os.geteuid() != 0:
        raise Refused("the lab needs root rights")
    done = subprocess.run(["unshare", "--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--mount-proc",
                           "mount", "-t", "tmpfs", "none", "/run"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"this machine allows no namespaces or mounts: {done.stderr.strip()}")
    for hidden in ("/run", "/var/lib", "/var/log"):
        if place.folder.is_relative_to(hidden):
            raise Refused(f"the lab's nodes have a {hidden} of their own, so the checkout cannot lie there")
    if not cgroups.mounts():
        raise Refused("no control groups are mounted (/sys/fs/cgroup)")
    trial = place.group + "-trial"
    try:
        cgroups.make(trial)
    except OSError as error:
        raise Refused(f"this machine allows no control groups: {error.strerror}") from None
    finally:
        cgroups.remove(trial)
