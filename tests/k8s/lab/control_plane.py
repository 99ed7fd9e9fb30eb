"""The control plane: etcd, API server, controllers, scheduler, name server, as programs of the lab's init.py."""

import sys

import place as places

# A node is NotReady this long after its last word (the kubelet renews its lease every 2 s).
NODE_GRACE_SECONDS = 8
# A bridge would have the lowest address of its ports: it changes when a node dies, and the others talk to nobody
# until they have asked who has the API server's.
BRIDGE = "02:00:0a:58:00:01"


def flags(**values):
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]


def etcd(place):
    client = "http://127.0.0.1:2379"
    peer = "http://127.0.0.1:2380"
    return [place.program("etcd"), "--name=lab", f"--data-dir={place.state / 'etcd'}", "--unsafe-no-fsync",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=lab={peer}", "--log-level=warn", "--logger=zap"]


def api_server(place):
    keys = place.keys
    return [str(place.kubernetes), "kube-apiserver", *flags(
        advertise_address=places.SERVER, bind_address="0.0.0.0", secure_port=443,
        allow_privileged="true", authorization_mode="Node,RBAC", anonymous_auth="false",
        cert_dir=place.state, client_ca_file=keys / "ca.crt",
        enable_admission_plugins="NodeRestriction", etcd_servers="http://127.0.0.1:2379",
        kubelet_client_certificate=keys / "admin.crt", kubelet_client_key=keys / "admin.key",
        kubelet_preferred_address_types="InternalIP", profiling="false",
        service_account_issuer="https://kubernetes.default.svc",
        service_account_key_file=keys / "accounts.pub", service_account_signing_key_file=keys / "accounts.key",
        service_cluster_ip_range=places.SERVICES,
        tls_cert_file=keys / "server.crt", tls_private_key_file=keys / "server.key")]


def controllers(place):
    keys = place.keys
    return [str(place.kubernetes), "kube-controller-manager", *flags(
        bind_address="127.0.0.1", cert_dir=place.state, kubeconfig=place.kubeconfig, leader_elect="false",
        kube_api_qps=200, kube_api_burst=400, profiling="false",
        node_monitor_grace_period=f"{NODE_GRACE_SECONDS}s", node_monitor_period="1s",
        root_ca_file=keys / "ca.crt", service_account_private_key_file=keys / "accounts.key")]


def scheduler(place):
    return [str(place.kubernetes), "kube-scheduler", *flags(
        bind_address="127.0.0.1", cert_dir=place.state, kubeconfig=place.kubeconfig, leader_elect="false",
        kube_api_qps=200, kube_api_burst=400, profiling="false")]


def names(place):
    return [sys.executable, "-B", str(places.SOURCE / "names.py"), str(place.folder), str(place.state / "hosts"),
            place.program("dnsmasq")]


def programs(place):
    return {name: {"command": command, "log": str(place.log / name)} for name, command in (
        ("etcd", etcd(place)), ("kube-apiserver", api_server(place)),
        ("kube-controller-manager", controllers(place)), ("kube-scheduler", scheduler(place)), ("names", names(place)))}


def setup(place):
    """Inside of the lab's namespaces, as its first steps."""
    return [
        ["mount", "--make-rprivate", "/"],
        ["touch", str(place.network)],
        ["mount", "--bind", "/proc/self/ns/net", str(place.network)],
        ["ip", "link", "set", "lo", "up"],
        ["ip", "address", "add", f"{places.SERVICE}/32", "dev", "lo"],
        ["ip", "link", "add", "lab0", "address", BRIDGE, "type", "bridge"],
        ["ip", "address", "add", f"{places.SERVER}/24", "dev", "lab0"],
        ["ip", "link", "set", "lab0", "up"],
        ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"],
    ]
