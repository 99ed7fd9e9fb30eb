"""A small Kubernetes API server that misbehaves as it is told.

It keeps objects with uids and resource versions, lists them in pages, streams
watches with bookmarks, knows 409 and preconditions, deletes what an owner
owned, and serves pod logs; over TLS with a certificate made for the run.

Misbehaviour is a list of faults, each used once, by the first request that fits:

    api.fault("watch", status=410)              an HTTP status; retry_after=1, message=...
    api.fault("list", cut=100)                  the connection is gone after so many bytes
    api.fault("watch", drip=0.001)              one byte at a time, so far apart
    api.fault("watch", then=[...])              lines to send instead of events:
        "gone" an ERROR event with code 410, "garbage", "half" (no end of line), ("line", text)
    api.fault("watch", order="mixed")           events twice and out of order
    api.fault("create", applied=True, cut=0)    done, but nobody hears of it
    api.fault("watch", hang=True)               accepted, never answered
"""

import collections
import http.server
import json
import pathlib
import random
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

PAGE_DEFAULT = 500


def make_certificates(folder, names=("IP:127.0.0.1", "DNS:localhost")):
    """An authority, a server certificate by it, a client one; returns their paths."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
    folder = pathlib.Path(folder)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=fake", "-days", "2")
    for who, extension in (("server", "subjectAltName=" + ",".join(names)),
                           ("client", "extendedKeyUsage=clientAuth")):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                f"{who}.key", "-out", f"{who}.csr", "-subj", f"/CN={who}")
        (folder / "extension").write_text(extension + "\n")
        openssl("x509", "-req", "-in", f"{who}.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                "-CAcreateserial", "-out", f"{who}.crt", "-days", "2", "-extfile", "extension")
    return folder


def status(code, reason, message, **more):
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
            "reason": reason, "message": message, **more}


class Cut(Exception):
    """The connection is to be dropped."""


class FakeApi:
    def __init__(self, folder, token="fake-token", seed=0, wants_client=False):
        self.folder = pathlib.Path(folder)
        self.token = token
        self.random = random.Random(seed)
        self.lock = threading.Condition()
        self.objects = collections.defaultdict(dict)  # plural -> name -> object
        self.history = []  # (version, plural, type, object)
        self.version = 100
        self.forgotten = 0  # watches from before this are refused
        self.uids = 0
        self.faults = []
        self.logs = collections.defaultdict(list)  # pod -> chunks; None: its end
        self.reviews = lambda asked: True
        self.admission = lambda plural, thing: None  # or what it refuses with: code, reason, message
        self.kubelet = None  # kubelet of the pods (fake_node.py)
        self.shows_nodes = False  # a list of the nodes is refused
        self.swallows = ""  # a kind: requests about it are never answered
        self.is_away = False
        self.requests = []  # "METHOD path"
        self.heads = []
        self.changes = []  # verb, plural, name, body: of each DELETE and PATCH
        self.tried = []  # objects of dry runs that were admitted
        self.replaced = []  # objects of each PUT that was done
        self.is_stopped = False
        self.streams = 0
        self.sockets = set()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "server.crt", self.folder / "server.key")
        if wants_client:
            context.load_verify_locations(self.folder / "ca.crt")
            context.verify_mode = ssl.CERT_REQUIRED
        self.wants_client = wants_client
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.api = self
        self.server.context = context
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(.02,))
        self.thread.start()

    def stop(self):
        with self.lock:
            self.is_stopped = True
            self.lock.notify_all()
        self.server.shutdown()
        self.cut_all()
        self.server.server_close()
        self.thread.join()

    def cut_all(self):
        with self.lock:
            sockets = list(self.sockets)
        for each in sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def leave(self):
        """Nobody is answered until come_back()."""
        with self.lock:
            self.is_away = True
        self.cut_all()

    def come_back(self):
        with self.lock:
            self.is_away = False

    def kubeconfig(self, name="config", **changes):
        """Writes one and returns its path."""
        cluster = {"server": f"https://127.0.0.1:{self.port}", "certificate-authority": "ca.crt"}
        user = {"token": self.token}
        if self.wants_client:
            user = {"client-certificate": "client.crt", "client-key": "client.key"}
        cluster.update(changes.get("cluster", {}))
        user.update(changes.get("user", {}))
        path = self.folder / name
        path.write_text(json.dumps({
            "clusters": [{"name": "fake", "cluster": cluster}],
            "users": [{"name": "me", "user": user}],
            "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "me",
                                                      "namespace": "training"}}],
            "current-context": "fake"}))
        return str(path)

    # Functions for scripts.

    def fault(self, verb, **what):
        with self.lock:
            self.faults.append((verb, what))

    def take_fault(self, verb, is_of_share=False):
        """A fault for what jobs share (share=True) is for that alone, and others never are."""
        with self.lock:
            for number, (wanted, what) in enumerate(self.faults):
                if wanted in (verb, "any") and what.get("share", False) == is_of_share:
                    del self.faults[number]
                    self.lock.notify_all()
                    return what
        return {}

    def record(self, kind, plural, thing):
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        self.history.append((self.version, plural, kind, json.loads(json.dumps(thing))))
        self.lock.notify_all()

    def create(self, plural, thing):
        with self.lock:
            name = thing["metadata"]["name"]
            if name in self.objects[plural]:
                return None
            self.uids += 1
            thing["metadata"].update(uid=f"uid-{self.uids}", namespace=thing["metadata"].get("namespace") or "training",
                                     creationTimestamp=thing["metadata"].get("creationTimestamp") or time.strftime(
                                         "%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
            self.objects[plural][name] = thing
            self.record("ADDED", plural, thing)
            return thing

    def modify(self, plural, name, change):
        with self.lock:
            thing = self.objects[plural].get(name)
            if thing:
                change(thing)
                self.record("MODIFIED", plural, thing)
            return thing

    def delete(self, plural, name, cascades=True):
        with self.lock:
            thing = self.objects[plural].pop(name, None)
            if not thing:
                return None
            self.record("DELETED", plural, thing)
            uid = thing["metadata"]["uid"]
            owned = [(other, child["metadata"]["name"]) for other, all_of in self.objects.items()
                     for child in all_of.values()
                     if cascades and any(owner.get("uid") == uid
                                         for owner in child["metadata"].get("ownerReferences", []))]
            for other, child in owned:
                self.delete(other, child)
            return thing

    def forget(self):
        """Forgets history as etcd does when it compacts: events before now cannot be watched."""
        with self.lock:
            self.forgotten = self.version
            self.history = []

    def restore(self):
        """The versions begin again lower, as after a restore from a backup."""
        with self.lock:
            self.version -= 50
            self.history = []
            self.forgotten = self.version
        self.cut_all()

    def view(self, plural):
        with self.lock:
            return {name: (thing["metadata"]["uid"], thing["metadata"]["resourceVersion"])
                    for name, thing in self.objects[plural].items()}


def is_of_share(plural, name, query, body):
    """A request by which masters share the cluster, the Lease and what its holder looks at; and of what limits pods."""
    return (plural in ("leases", "nodes", "resourcequotas", "limitranges")
            or query.get("labelSelector") == "app.kubernetes.io/name=totrain"
            or plural == "jobs" and "totrain.dev/use" in body.get("metadata", {}).get("annotations", {}) and bool(name))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def get_request(self):
        plain, address = super().get_request()
        return self.context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request, client_address):
        pass  # clients that go away, handshakes that are refused


def matches(selector, thing):
    labels = thing["metadata"].get("labels", {})
    return all(labels.get(part.partition("=")[0]) == part.partition("=")[2] if "=" in part else part in labels
               for part in selector.split(",") if part)


def merge(target, patch):
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        elif isinstance(value, dict) and isinstance(target.get(name), dict):
            merge(target[name], value)
        else:
            target[name] = value


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0

    def setup(self):
        if self.server.api.is_away:
            raise ConnectionResetError
        self.request.settimeout(60)
        self.request.do_handshake()
        super().setup()
        with self.server.api.lock:
            if self.server.api.is_away:  # since a moment ago: whoever leaves has cut all that were there
                raise ConnectionResetError
            self.server.api.sockets.add(self.request)

    def finish(self):
        with self.server.api.lock:
            self.server.api.sockets.discard(self.request)
        super().finish()

    def log_message(self, *arguments):
        pass

    def send(self, data, what):
        """Bytes of an answer, cut or dripping as the fault says."""
        if "cut" in what:
            self.left = getattr(self, "left", what["cut"])
            data, self.left = data[:self.left], self.left - len(data)
        if "drip" in what:
            for at in range(len(data)):
                self.wfile.write(data[at:at + 1])
                with self.server.api.lock:
                    self.server.api.lock.wait(what["drip"])
        elif data:
            self.wfile.write(data)
        if "cut" in what and self.left < 0:
            raise Cut

    def chunk(self, text, what):
        data = text.encode()
        self.send(b"%x\r\n%s\r\n" % (len(data), data), what)

    def answer(self, code, thing, what, **headers):
        body = thing if isinstance(thing, bytes) else json.dumps(thing).encode()
        head = [f"HTTP/1.1 {code} {http.client.responses.get(code, 'Odd')}",
                f"Content-Length: {len(body)}", "Content-Type: application/json"]
        head += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.send("\r\n".join([*head, "", ""]).encode() + body, what)

    def serve(self):
        api = self.server.api
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        parts = url.path.strip("/").split("/")
        parts = parts[2:] if parts[0] == "api" else parts[3:]
        if parts[0] == "namespaces" and len(parts) > 2:
            parts = parts[2:]
        plural, name = parts[0], parts[1] if len(parts) > 1 else ""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        verb = {"POST": "create", "DELETE": "delete", "PATCH": "patch", "PUT": "put"}.get(self.command) or (
            "log" if parts[-1] == "log" else "get" if name else
            "watch" if query.get("watch") == "true" else "list")
        with api.lock:
            api.requests.append(f"{self.command} {self.path}")
            api.heads.append(dict(self.headers))
            if verb in ("delete", "patch"):
                api.changes.append((verb, plural, name, body))
            api.lock.notify_all()  # a test that waits for a request looks again
        what = api.take_fault(verb, is_of_share(plural, name, query, body))
        if not api.wants_client and self.headers.get("Authorization") != f"Bearer {api.token}":
            self.answer(401, status(401, "Unauthorized", "Unauthorized"), what)
        elif what.get("hang") or plural == api.swallows:
            with api.lock:
                while not api.is_stopped:
                    api.lock.wait(60)
            raise Cut
        elif "status" in what:
            more = {"Retry_After": what["retry_after"]} if "retry_after" in what else {}
            self.answer(what["status"], what.get("body") or status(
                what["status"], what.get("reason", ""), what.get("message", "")), what, **more)
        elif "cut" in what and what["cut"] == 0 and not what.get("applied"):
            raise Cut
        elif (plural == "nodes" or plural == "pods" and "/namespaces/" not in url.path) and not api.shows_nodes:
            self.answer(403, status(403, "Forbidden", f"{plural} is forbidden: may not be listed"), what)
        else:
            getattr(self, verb)(plural, name, query, body, what)

    def put(self, plural, name, query, body, what):
        api = self.server.api
        with api.lock:
            there = api.objects[plural].get(name)
            seen = body["metadata"].get("resourceVersion")
            if not there or seen not in (None, there["metadata"]["resourceVersion"]):
                refusal = (404, "NotFound", "not found") if not there else (409, "Conflict", "it has been modified")
                self.answer(refusal[0], status(*refusal), what)
                return
            body["metadata"].update(uid=there["metadata"]["uid"], namespace=there["metadata"]["namespace"],
                                    creationTimestamp=there["metadata"]["creationTimestamp"])
            api.objects[plural][name] = body
            api.record("MODIFIED", plural, body)
            api.replaced.append(json.loads(json.dumps(body)))
        self.answer(200, body, what)

    def get(self, plural, name, query, body, what):
        thing = self.server.api.objects[plural].get(name)
        if thing:
            self.answer(200, thing, what)
        else:
            self.answer(404, status(404, "NotFound", f'{plural} "{name}" not found'), what)

    def list(self, plural, name, query, body, what):
        api = self.server.api
        limit = what.get("page", int(query.get("limit", PAGE_DEFAULT)))
        with api.lock:
            version, first = api.version, ""
            if query.get("continue"):
                version, first = query["continue"].split(":", 1)
                if int(version) < api.forgotten:
                    self.answer(410, status(410, "Expired", "the token is too old"), what)
                    return
            chosen = sorted(name for name, thing in api.objects[plural].items()
                            if name > first and matches(query.get("labelSelector", ""), thing))
            page = chosen[:limit]
            more = {"continue": f"{version}:{page[-1]}"} if len(chosen) > limit else {}
            text = json.dumps({"kind": "List", "metadata": {"resourceVersion": str(version), **more},
                               "items": [api.objects[plural][name] for name in page]})
        self.answer(200, text.encode(), what)

    def begin_stream(self, what):
        self.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                  b"Content-Type: application/json\r\n\r\n", what)

    def watch(self, plural, name, query, body, what):
        api = self.server.api
        sent = int(query["resourceVersion"])
        if sent < api.forgotten:
            self.answer(410, status(410, "Expired", "too old resource version"), what)
            return
        self.begin_stream(what)
        for line in what.get("then", []):
            if line == "half":
                self.chunk('{"type":"ADDED","object":{"meta', what)
                raise Cut
            self.chunk({"gone": json.dumps({"type": "ERROR", "object": status(
                410, "Expired", "too old resource version")}) + "\n", "garbage": "\x00<html>\n"}
                .get(line) or line[1] + "\n", what)
        if api.version < sent:
            self.bookmark(api.version, what)
        with api.lock:
            api.streams += 1
            api.lock.notify_all()
        try:
            self.stream(api, plural, query, sent, what)
        finally:
            with api.lock:
                api.streams -= 1

    def stream(self, api, plural, query, sent, what):
        count = 0
        while True:
            with api.lock:
                while not api.is_stopped and api.version <= sent:
                    if not api.lock.wait(60):
                        return
                if api.is_stopped or sent < api.forgotten:
                    raise Cut
                events = [(kind, thing) for version, of, kind, thing in api.history
                          if version > sent and of == plural
                          and matches(query.get("labelSelector", ""), thing)]
                sent = api.version
            if what.get("order") == "mixed":
                events = events + [event for event in events if api.random.random() < .5]
                api.random.shuffle(events)
            for kind, thing in events:
                self.chunk(json.dumps({"type": kind, "object": thing}) + "\n", what)
                count += 1
                if count == what.get("end_after"):
                    self.chunk_end()
                    return
            self.bookmark(sent, what)

    def bookmark(self, version, what):
        self.chunk(json.dumps({"type": "BOOKMARK", "object": {
            "metadata": {"resourceVersion": str(version)}}}) + "\n", what)

    def chunk_end(self):
        self.wfile.write(b"0\r\n\r\n")

    def create(self, plural, name, query, body, what):
        if plural == "selfsubjectaccessreviews":
            asked = body["spec"]["resourceAttributes"]
            asked["resource"] += "/" + asked["subresource"] if "subresource" in asked else ""
            self.answer(201, {**body, "status": {"allowed": self.server.api.reviews(asked)}}, what)
            return
        refusal = self.server.api.admission(plural, body)
        if refusal:
            self.answer(refusal[0], status(*refusal), what)
            return
        if query.get("dryRun") == "All":
            self.server.api.tried.append(body)
            self.answer(201, body, what)
            return
        thing = self.server.api.create(plural, body)
        if thing:
            self.answer(201, thing, what)
        else:
            name = body["metadata"]["name"]
            self.answer(409, status(409, "AlreadyExists", f'{plural} "{name}" already exists'), what)

    def delete(self, plural, name, query, body, what):
        thing = self.server.api.objects[plural].get(name)
        uid = body.get("preconditions", {}).get("uid")
        if not thing:
            self.answer(404, status(404, "NotFound", f'{plural} "{name}" not found'), what)
        elif uid not in (None, thing["metadata"]["uid"]):
            self.answer(409, status(409, "Conflict", "the UID in the precondition differs"), what)
        elif plural == "pods" and self.server.api.kubelet:
            self.answer(200, self.server.api.kubelet.on_delete(name, body.get("gracePeriodSeconds")), what)
        else:
            self.answer(200, self.server.api.delete(plural, name), what)

    def patch(self, plural, name, query, body, what):
        refusal = self.server.api.admission(plural, body)
        uid = body.get("metadata", {}).get("uid")
        there = self.server.api.objects[plural].get(name)
        if not refusal and there and uid not in (None, there["metadata"]["uid"]):
            refusal = 409, "Conflict", "the UID in the precondition differs"
        if refusal:
            self.answer(refusal[0], status(*refusal), what)
            return
        thing = self.server.api.modify(plural, name, lambda thing: merge(thing, body))
        self.answer(200 if thing else 404, thing or status(404, "NotFound", "not found"), what)

    def log(self, plural, name, query, body, what):
        api = self.server.api
        self.begin_stream(what)
        at = 0
        while True:
            with api.lock:
                while query.get("follow") == "true" and len(api.logs[name]) == at \
                        and not api.is_stopped:
                    api.lock.wait(60)
                chunks = api.logs[name][at:]
                at += len(chunks)
            for chunk in chunks:
                if chunk is not None:
                    self.chunk(chunk, what)
            if api.is_stopped or None in chunks or query.get("follow") != "true":
                self.chunk_end()
                return

    def handle_one(self):
        try:
            self.serve()
        except (Cut, OSError):
            self.close_connection = True
            try:
                self.request.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    do_GET = do_POST = do_DELETE = do_PATCH = do_PUT = handle_one
