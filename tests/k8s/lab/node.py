"""One node: containerd and a kubelet below an init.py, in namespaces of their own.

The node's /run, /var/lib and /var/log are folders of its own, so that the two
daemons have the paths that they have on any machine and nothing of them is left
on this one. Killing the node's first process is what a power cut is to a
machine: kubelet, containerd, shims and pods end at once.
"""

import json
import pathlib
import sys

import place as places

KUBELET_CONFIG = "kubelet.json"
# Settings that a kubelet writes there, for the whole machine; in a node these are files of the node.
KERNEL = {"vm/overcommit_memory": 1, "vm/panic_on_oom": 0, "kernel/panic": 10, "kernel/panic_on_oops": 1,
          "kernel/keys/root_maxkeys": 1000000, "kernel/keys/root_maxbytes": 25000000}

CONTAINERD = """\
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.tracing"]

[grpc]
  address = "/run/containerd/containerd.sock"

[plugins."io.containerd.grpc.v1.cri"]
  disable_apparmor = true
  restrict_oom_score_adj = true
  stream_server_port = "0"
  sandbox_image = "{pause}"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{packages}/usr/lib/cni"
    conf_dir = "{folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "{runc}"
        SystemdCgroup = false
"""


def cni(node):
    return {"cniVersion": "1.0.0", "name": "lab", "plugins": [{
        "type": "bridge", "bridge": "cni0", "isGateway": True, "ipMasq": False, "hairpinMode": True,
        "ipam": {"type": "host-local", "dataDir": "/var/lib/cni",
                 "ranges": [[{"subnet": node.pods}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}


def kubelet(node):
    keys = node.place.keys
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "address": node.address,
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                           "x509": {"clientCAFile": str(keys / "ca.crt")}},
        "authorization": {"mode": "Webhook"},
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "clusterDNS": [places.SERVER], "clusterDomain": "cluster.local",
        "cgroupDriver": "cgroupfs", "cgroupRoot": "/" + node.group, "failCgroupV1": False,
        "enforceNodeAllocatable": [], "localStorageCapacityIsolation": False,
        "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%",
                         "nodefs.inodesFree": "1%"},
        "failSwapOn": False, "imageGCHighThresholdPercent": 100,
        "kubeAPIQPS": 200, "kubeAPIBurst": 400,  # it stands for a dozen small machines
        "makeIPTablesUtilChains": False, "nodeLeaseDurationSeconds": 8, "oomScoreAdj": 0,
        "readOnlyPort": 0, "resolvConf": str(node.folder / "resolv.conf"),
    }


def write_files(node):
    """All that the node's programs read; its own folders are empty."""
    place = node.place
    for name in ("run", "lib", "log", "cni", "kernel"):
        (node.folder / name).mkdir(parents=True, exist_ok=True)
    (node.folder / "containerd.toml").write_text(CONTAINERD.format(
        pause=places.PAUSE, packages=place.packages, folder=node.folder, runc=place.program("runc")))
    (node.folder / "cni" / "lab.conflist").write_text(json.dumps(cni(node)))
    (node.folder / KUBELET_CONFIG).write_text(json.dumps(kubelet(node), indent=1))
    (node.folder / "resolv.conf").write_text("# of the node itself: nothing outside of the lab is asked\n")
    for name, value in KERNEL.items():
        kernel_file(node, name).write_text(f"{value}\n")
    (node.folder / "plan").write_text(json.dumps(plan(node), indent=1))


def kernel_file(node, name):
    return node.folder / "kernel" / name.replace("/", ".")


def setup(node):
    """Inside of the node's namespaces, as its first steps."""
    link, network = node.link, str(node.place.network)
    lab = ["nsenter", f"--net={network}"]
    mounts = [["mount", "--bind", f"{node.folder}/{own}", there]
              for own, there in (("run", "/run"), ("lib", "/var/lib"), ("log", "/var/log"))]
    mounts += [["mount", "--bind", str(kernel_file(node, name)), f"/proc/sys/{name}"]
               for name in KERNEL if pathlib.Path("/proc/sys", name).exists()]
    return [
        ["mount", "--make-rshared", "/"], *mounts,
        ["hostname", node.name],
        ["ip", "link", "set", "lo", "up"],
        # The cable of a node that has been killed goes a moment after its processes.
        [*lab, "sh", "-c", f"ip link delete {link} 2> /dev/null || true"],
        ["ip", "link", "add", "eth0", "type", "veth", "peer", "name", link, "netns", network],
        ["ip", "address", "add", f"{node.address}/24", "dev", "eth0"],
        ["ip", "link", "set", "eth0", "up"],
        [*lab, "ip", "link", "set", link, "master", "lab0", "up"],
        ["ip", "route", "add", "default", "via", places.SERVER],
        [*lab, "ip", "route", "replace", node.pods, "via", node.address],
    ]


def plan(node):
    place = node.place
    return {
        "control": str(node.control), "lock": None, "setup": setup(node),
        "programs": {
            "containerd": {
                "command": [place.program("containerd"), "--config", str(node.folder / "containerd.toml"),
                            "--log-level", "warn"],
                "log": str(place.log / f"{node.name}-containerd"),
                "environment": {"PATH": f"{place.packages}/usr/bin:{place.packages}/usr/sbin:"
                                        "/usr/sbin:/usr/bin:/sbin:/bin"}},
            "kubelet": {
                "command": [str(place.kubernetes), "kubelet", f"--config={node.folder / KUBELET_CONFIG}",
                            f"--kubeconfig={node.kubeconfig}", f"--hostname-override={node.name}",
                            f"--node-ip={node.address}"],
                "log": str(place.log / f"{node.name}-kubelet")},
        }}


def program(node):
    """The node as a program of the lab's init.py."""
    return {"command": ["unshare", "--mount", "--propagation=private", "--uts", "--ipc", "--net", "--pid",
                        "--mount-proc", "--fork", "--kill-child=SIGKILL",
                        sys.executable, "-B", str(places.SOURCE / "init.py"), str(node.folder / "plan")],
            "log": str(node.place.log / node.name)}
