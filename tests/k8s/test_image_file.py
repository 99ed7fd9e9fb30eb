"""The image holds what it has to, nothing else, and the same bits each time. No cluster is needed."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
