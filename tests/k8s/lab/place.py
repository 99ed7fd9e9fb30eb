"""Where a lab keeps what, and which addresses its parts have.

Every checkout has a lab of its own: its folder, its network namespace (so that
the addresses are the same in each) and its control groups.

              10.88.0.1            lab0, a bridge: API server, and the tests
             /         \\
       10.88.0.11   10.88.0.12     node-1, node-2: eth0 of a namespace of their own
            |            |
       10.88.1.0/24 10.88.2.0/24   their pods, on cni0; routed, not translated

10.96.0.1, the service "kubernetes", is an address of the lab's too: pods reach
the API server by what KUBERNETES_SERVICE_HOST says, without a service proxy.
"""

import hashlib
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parent
ROOT = SOURCE.parents[2]
SERVER = "10.88.0.1"
SERVICES = "10.96.0.0/16"
SERVICE = "10.96.0.1"
SLOT = "example.com/slot"
NODES_MAX = 100
PAUSE = "localhost/pause:lab"


class Place:
    """Paths below the lab's folder. `state` is made anew by each start."""

    def __init__(self, folder=None):
        self.folder = pathlib.Path(folder or ROOT / "build" / "lab").resolve()
        self.packages = self.folder / "packages"
        self.kubernetes = self.folder / "bin" / "kubernetes"
        self.kubectl = self.folder / "bin" / "kubectl"
        self.pause = self.folder / "pause.tar"
        self.lock = self.folder / "lock"
        self.front_lock = self.folder / "front.lock"
        self.launch_lock = self.folder / "launch.lock"
        self.state = self.folder / "state"
        self.keys = self.state / "keys"
        self.log = self.state / "log"
        self.control = self.state / "control"
        self.network = self.state / "network"
        self.kubeconfig = self.state / "kubeconfig"
        self.group = "totrain-lab-" + hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]

    def program(self, name):
        for folder in ("usr/bin", "usr/sbin"):
            path = self.packages / folder / name
            if path.exists():
                return str(path)
        raise FileNotFoundError(f"{name} is not in {self.packages}")


class NodePlace:
    """One node of the lab: `number` counts from 1."""

    def __init__(self, place, number):
        self.place = place
        self.number = number
        self.name = f"node-{number}"
        self.folder = place.state / self.name
        self.control = self.folder / "control"
        self.kubeconfig = self.folder / "kubeconfig"
        self.address = f"10.88.0.{10 + number}"
        self.pods = f"10.88.{number}.0/24"
        self.link = f"lab-{number}"  # the lab's end of the cable
        self.group = f"{place.group}/{self.name}"
