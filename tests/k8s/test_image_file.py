"""The image holds what it has to, nothing else, and the same bits each time. No cluster is needed."""

import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["TOTRAIN_BUILD"])
BYTES_MAX = 40_000_000


def make(output):
    subprocess.run([ROOT / "tools" / "image", BUILD, output], check=True, capture_output=True, timeout=120)


class ImageFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-image-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.path = cls.folder / "image.tar"
        make(cls.path)
        with tarfile.open(cls.path) as tar:
            cls.files = {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}
        manifest = json.loads(cls.blob(json.loads(cls.files["index.json"])["manifests"][0]))
        cls.config = json.loads(cls.blob(manifest["config"]))
        cls.packed = cls.blob(manifest["layers"][0])
        cls.layer = tarfile.open(fileobj=io.BytesIO(cls.packed))
        cls.addClassCleanup(cls.layer.close)

    @classmethod
    def blob(cls, described):
        data = cls.files["blobs/sha256/" + described["digest"].removeprefix("sha256:")]
        assert hashlib.sha256(data).hexdigest() == described["digest"].removeprefix("sha256:")
        assert len(data) == described["size"]
        return data

    def test_the_same_build_makes_the_same_bits(self):
        """Also in another folder, at another time, with another umask."""
        other = self.folder / "elsewhere" / "other.tar"
        other.parent.mkdir()
        before = os.umask(0o077)
        try:
            make(other)
        finally:
            os.umask(before)
        self.assertEqual(self.path.read_bytes(), other.read_bytes())

    def test_it_is_small(self):
        self.assertLess(self.path.stat().st_size, BYTES_MAX)

    def test_both_forms_name_the_same_layer(self):
        docker, = json.loads(self.files["manifest.json"])
        self.assertEqual(self.files[docker["Layers"][0]], self.packed)
        self.assertEqual(json.loads(self.files[docker["Config"]]), self.config)
        plain = hashlib.sha256(gzip.decompress(self.packed)).hexdigest()
        self.assertEqual(self.config["rootfs"]["diff_ids"], ["sha256:" + plain])

    def test_the_program_is_the_only_command_and_nobody_gains_rights(self):
        executable = set()
        for entry in self.layer:
            self.assertFalse(entry.mode & 0o6000, entry.name)
            self.assertTrue(entry.isfile() or entry.isdir() or entry.issym(), entry.name)
            if not entry.issym() and entry.name != "tmp":
                self.assertFalse(entry.mode & 0o022, f"{entry.name} can be written by others")
            if entry.isfile() and entry.mode & 0o111:
                executable.add(entry.name)
        self.assertEqual(executable, {"usr/bin/totrain", "usr/lib64/ld-linux-x86-64.so.2"})
        self.assertEqual(self.layer.extractfile("usr/bin/totrain").read(), (BUILD / "ship" / "totrain").read_bytes())

    def test_it_runs_as_a_user_that_is_not_root(self):
        user = self.config["config"]["User"]
        self.assertRegex(user, r"^[1-9]\d*:[1-9]\d*$")
        self.assertIn(f"totrain:x:{user}:", self.layer.extractfile("etc/passwd").read().decode())
        self.assertEqual(self.config["config"]["Entrypoint"], ["/usr/bin/totrain"])

    def test_the_program_finds_all_it_needs_in_it(self):
        """The loader of the image, told to look nowhere else, resolves every library."""
        root = self.folder / "root"
        self.layer.extractall(root)
        libraries = root / "usr/lib/x86_64-linux-gnu"
        done = subprocess.run([root / "usr/lib64/ld-linux-x86-64.so.2", "--inhibit-cache", "--library-path",
                               libraries, "--list", root / "usr/bin/totrain"], capture_output=True, text=True,
                              check=True)
        found = [line.split(" => ")[1].split(" (")[0] for line in done.stdout.splitlines() if " => " in line]
        self.assertGreater(len(found), 5)
        for path in found:
            self.assertTrue(path.startswith(str(root)), f"{path} is taken from this machine")

    def test_licences_and_certificates_are_there(self):
        names = set(self.layer.getnames())
        for package in ("totrain", "libc6", "libssl3"):
            self.assertIn(f"usr/share/doc/{package}/copyright", names)
        certificates = self.layer.extractfile("etc/ssl/certs/ca-certificates.crt").read()
        self.assertGreater(certificates.count(b"BEGIN CERTIFICATE"), 50)

    def test_it_is_pushed_by_one_command_and_what_is_there_is_not_sent_again(self):
        with Registry() as registry:
            said = self.push(registry, "nightly:1")
            blobs = [data for name, data in self.files.items() if name.startswith("blobs/")]
            manifest = self.blob(json.loads(self.files["index.json"])["manifests"][0])
            self.assertEqual(registry.manifests, {"totrain/nightly:1": manifest})
            self.assertEqual(sorted(registry.blobs.values()), sorted(data for data in blobs if data != manifest))
            self.assertIn("sha256:" + hashlib.sha256(manifest).hexdigest(), said)
            sent = registry.uploads
            self.assertIn("is there already", self.push(registry, "nightly:2"))
            self.assertEqual(registry.uploads, sent)
            self.assertEqual(registry.manifests["totrain/nightly:2"], manifest)

    def test_a_login_that_is_wrong_and_a_name_that_is_none_are_told(self):
        with Registry() as registry:
            self.assertIn("refuses the login (401)", self.push(registry, "nightly:1", "alice:wrong", 1))
            self.assertIn("is no REGISTRY/REPOSITORY:TAG", self.push(registry, "Nightly", code=1))
            self.assertEqual(registry.manifests, {})

    def test_a_login_is_for_the_registry_alone(self):
        with Answers({}) as other:
            away = {"Location": f"http://{other.address}/store"}
            basic, token = {"WWW-Authenticate": 'Basic realm="x"'}, {"WWW-Authenticate": 'Bearer realm="http://{address}/token"'}
            for answers in ({"HEAD": ((401, basic), (307, away)), "PUT": ((307, away),)},
                            {"HEAD": ((401, token),), "GET": ((302, away),)},
                            {"HEAD": ((404, {}),), "POST": ((202, away),)},
                            {"HEAD": ((404, {}),), "POST": ((302, away),)}):
                with self.subTest(answers), Answers(answers) as registry:
                    self.assertNotIn("Traceback", self.push(registry, "nightly:1", code=1))
            self.assertEqual([login for _, login in other.asked if login], [])
            self.assertEqual({method for method, _ in other.asked}, {"PUT"})  # a store's

    def test_what_is_no_registry_is_told(self):
        token = {"WWW-Authenticate": 'Bearer realm="http://{address}/token"'}
        for answers, told in (({"HEAD": ((404, {}),), "POST": ((202, {}),)}, "does not say where to send"),
                              ({"HEAD": ((200, {}),), "PUT": ((200, {}),)}, "200"),
                              ({"HEAD": ((404, {}),), "POST": ((202, {"Location": "file:///etc/passwd"}),)}, "in clear"),
                              ({"HEAD": ((401, token),), "GET": ((200, {}),)}, "gives no token"),
                              ({"HEAD": ((404, {}),), "POST": ((202, {"Location": "/put?signed=secret"}),), "PUT": ((500, {}),)},
                               "/put: 500")):
            with self.subTest(answers), Answers(answers) as registry:
                said = self.push(registry, "nightly:1", code=1)
                self.assertIn(told, said)
                self.assertNotIn("Traceback", said)
                self.assertNotIn("secret", said)

    def test_the_login_of_podman_is_found(self):
        with Registry() as registry:
            folder = self.folder / "run" / "containers"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "auth.json").write_text(json.dumps({"auths": {
                registry.address: {"auth": base64.b64encode(b"alice:secret").decode()}}}))
            self.push(registry, "nightly:1", "alice:wrong", XDG_RUNTIME_DIR=str(self.folder / "run"))

    def push(self, registry, name, login="alice:secret", code=0, **more):
        """Output of tools/push."""
        (self.folder / "config.json").write_text(json.dumps({"auths": {
            registry.address: {"auth": base64.b64encode(login.encode()).decode()}}}))
        environment = {name: value for name, value in os.environ.items()
                       if not name.lower().endswith("_proxy") and name not in ("REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR")}
        done = subprocess.run([ROOT / "tools" / "push", self.path, f"{registry.address}/totrain/{name}"], text=True, timeout=120,
                              capture_output=True, check=False, env={**environment, "DOCKER_CONFIG": str(self.folder), **more})
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr


class Registry:
    """A registry as the distribution specification has it, that asks for a token, and checks all digests."""

    def __init__(self):
        self.blobs, self.manifests, self.uploads = {}, {}, 0
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def take(self):
                """The body; None: nobody may do this."""
                data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.headers.get("Authorization") == "Bearer a-token":
                    return data
                self.answer(401, WWW_Authenticate=f'Bearer realm="http://{registry.address}/token",service="test"')
                return None

            def do_GET(self):
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                known = "Basic " + base64.b64encode(b"alice:secret").decode()
                if self.headers.get("Authorization") != known:
                    return self.answer(401)
                assert query == {"service": ["test"], "scope": [query["scope"][0]]}
                assert query["scope"][0].startswith("repository:totrain/") and query["scope"][0].endswith(":pull,push")
                return self.answer(200, b'{"token": "a-token"}')

            def do_HEAD(self):
                if self.take() is not None:
                    self.answer(200 if self.path.rpartition("/")[2] in registry.blobs else 404)

            def do_POST(self):
                if self.take() is not None:
                    self.answer(202, Location="/store/upload?number=7")

            def do_PUT(self):
                data = self.take()
                if data is None:
                    return
                digest = "sha256:" + hashlib.sha256(data).hexdigest()
                place = urllib.parse.urlsplit(self.path)
                if place.path.startswith("/store/"):
                    assert urllib.parse.parse_qs(place.query) == {"number": ["7"], "digest": [digest]}
                    registry.blobs[digest] = data
                    registry.uploads += 1
                else:
                    manifest = json.loads(data)
                    assert self.headers["Content-Type"] == manifest["mediaType"]
                    parts = [manifest["config"], *manifest["layers"]]
                    if not all(part["digest"] in registry.blobs for part in parts):
                        return self.answer(400)
                    registry.manifests[place.path.removeprefix("/v2/").replace("/manifests/", ":")] = data
                self.answer(201)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Answers:
    """A server that gives each method its answers, (status, headers), one after the other, and then the last of them."""

    def __init__(self, answers):
        self.asked = []  # (method, Authorization)
        left, server = {method: list(those) for method, those in answers.items()}, self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.asked.append((self.command, self.headers.get("Authorization")))
                mine = left.get(self.command, [(500, {})])
                status, headers = mine.pop(0) if len(mine) > 1 else mine[0]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value.replace("{address}", server.address))
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_HEAD = do_POST = do_PUT = do_GET

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"

    __enter__, __exit__ = Registry.__enter__, Registry.__exit__


if __name__ == "__main__":
    unittest.main(verbosity=2)
