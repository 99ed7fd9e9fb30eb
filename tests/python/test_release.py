"""The promises of `make release`, as far as they cost no build: no folder of this machine in the files, a wheel that
is the same when it is packed again, a bill of materials of all that is in it, one version everywhere."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import sbom  # noqa: E402  pylint: disable=wrong-import-position


def version():
    return re.search(r"project\(totrain VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="totrain-release-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_no_file_of_the_wheel_names_the_folder_that_it_was_built_in(self):
        archive = zipfile.ZipFile(harness.WHEEL)
        for place in {ROOT, harness.BUILD.resolve()}:
            for name in archive.namelist():
                self.assertNotIn(f"{place}/".encode(), archive.read(name), name)

    def test_a_wheel_that_is_packed_again_elsewhere_is_the_same(self):
        subprocess.run([ROOT / "tools" / "wheel", harness.BUILD, self.folder / "dist"], check=True, cwd=self.folder,
                       env={**os.environ, "TMPDIR": str(self.folder)}, stdout=subprocess.DEVNULL)
        made = next((self.folder / "dist").iterdir())
        self.assertEqual(made.name, harness.WHEEL.name)
        self.assertTrue(made.read_bytes() == harness.WHEEL.read_bytes())

    def write(self):
        path = self.folder / "totrain.cdx.json"
        sbom.write(path, version(), harness.WHEEL, [], harness.BUILD)
        return path

    def test_the_bill_of_materials_has_each_library_of_the_wheel_and_is_as_its_schema_wants(self):
        path = self.write()
        sbom.check(path, harness.BUILD)
        written = json.loads(path.read_text())
        digests = {one["hashes"][0]["content"] for one in written["components"] if "hashes" in one}
        archive = zipfile.ZipFile(harness.WHEEL)
        for name in archive.namelist():
            if name.startswith("totrain.libs/"):
                self.assertIn(hashlib.sha256(archive.read(name)).hexdigest(), digests, name)
        self.assertIn(hashlib.sha256(harness.WHEEL.read_bytes()).hexdigest(), digests)
        self.assertEqual(written["dependencies"][0]["ref"], harness.WHEEL.name)
        before = path.read_bytes()
        self.assertEqual(self.write().read_bytes(), before)

    def test_what_is_no_bill_of_materials_is_refused(self):
        path = self.write()
        written = json.loads(path.read_text())
        written["components"][-1]["licenses"] = [{"license": {"id": "no such licence"}}]
        path.write_text(json.dumps(written))
        with self.assertRaisesRegex(SystemExit, "no such licence"):
            sbom.check(path, harness.BUILD)

    def test_every_package_has_the_version_of_the_program(self):
        changelog = (ROOT / "debian" / "changelog").read_text()
        self.assertEqual(re.match(r"totrain \((.*?)\)", changelog)[1], version())
        self.assertIn(f"-{version()}-", harness.WHEEL.name)

    def test_what_the_packages_for_debian_take_from_the_source_is_there(self):
        for file in (ROOT / "debian").glob("totrain*.*"):
            for line in file.read_text().splitlines():
                source = line.split()[0]
                if file.suffix in (".install", ".docs", ".examples", ".manpages") and not source.startswith("obj-"):
                    self.assertTrue(list(ROOT.glob(source)), f"{file.name}: {source}")


harness.main()
