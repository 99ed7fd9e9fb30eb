"""The lab's certificates, by openssl: one authority, its server, an administrator, a client for each node.

They are made for one start of the lab and worth nothing outside of it.
"""

import base64
import json
import subprocess

import place as places

DAYS = "30"


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def make_key(path):
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)
    path.chmod(0o600)


def make_authority(keys):
    keys.mkdir(parents=True, mode=0o700)
    make_key(keys / "ca.key")
    openssl("req", "-x509", "-new", "-key", keys / "ca.key", "-subj", "/CN=lab", "-days", DAYS,
            "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", keys / "ca.crt")
    make_key(keys / "accounts.key")  # signs the tokens of service accounts
    openssl("ec", "-in", keys / "accounts.key", "-pubout", "-out", keys / "accounts.pub")


def make_certificate(keys, name, subject, usage, alternatives=""):
    make_key(keys / f"{name}.key")
    openssl("req", "-new", "-key", keys / f"{name}.key", "-subj", subject, "-out", keys / f"{name}.csr")
    lines = ["basicConstraints=CA:FALSE", "keyUsage=critical,digitalSignature", f"extendedKeyUsage={usage}"]
    lines += [f"subjectAltName={alternatives}"] if alternatives else []
    (keys / f"{name}.ext").write_text("\n".join(lines) + "\n")
    openssl("x509", "-req", "-in", keys / f"{name}.csr", "-CA", keys / "ca.crt", "-CAkey", keys / "ca.key",
            "-CAcreateserial", "-days", DAYS, "-extfile", keys / f"{name}.ext", "-out", keys / f"{name}.crt")


def make_server(keys):
    names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]
    addresses = ["127.0.0.1", places.SERVER, places.SERVICE]
    make_certificate(keys, "server", "/CN=kube-apiserver", "serverAuth", ",".join(
        [f"DNS:{name}" for name in names] + [f"IP:{address}" for address in addresses]))


def make_client(keys, name, user, group):
    make_certificate(keys, name, f"/O={group}/CN={user}", "clientAuth")


def write_kubeconfig(keys, name, path):
    """A kubeconfig in JSON, which is YAML too. It needs no other file."""
    def data(file):
        return base64.b64encode((keys / file).read_bytes()).decode()

    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "lab",
        "clusters": [{"name": "lab", "cluster": {
            "server": f"https://{places.SERVER}", "certificate-authority-data": data("ca.crt")}}],
        "users": [{"name": name, "user": {
            "client-certificate-data": data(f"{name}.crt"), "client-key-data": data(f"{name}.key")}}],
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": name}}]}, indent=1))
    path.chmod(0o600)
