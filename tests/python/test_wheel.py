"""The wheel itself: what is in it, and that an empty environment takes it, without a compiler or another package."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import harness

FIVE_LINES = """
import totrain
connection = totrain.connect("iris.db")
totrain.run(connection, "CREATE TABLE t AS SELECT value AS x, value % 2 AS y FROM generate_series(1, 200)")
print(totrain.run(connection, "SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m")["name"])
print(totrain.Model(connection, "m").predict({"x": [1, 2, 3]}))
""".replace("generate_series(1, 200)", "(WITH RECURSIVE g(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM g "
            "WHERE value < 200) SELECT value FROM g)")


def interpreters():
    """Debian's, and with TOTRAIN_PYTHONS (paths, separated by colons) those beside it."""
    return ["/usr/bin/python3", *filter(None, os.environ.get("TOTRAIN_PYTHONS", "").split(":"))]


class Wheel(unittest.TestCase):
    def setUp(self):
        self.names = zipfile.ZipFile(harness.WHEEL).namelist()

    def test_its_tag_is_of_manylinux_and_of_no_version_of_python(self):
        self.assertRegex(harness.WHEEL.name, r"^totrain-[0-9.]+-py3-none-manylinux_2_\d+_x86_64\.whl$")

    def test_it_is_below_8_megabytes(self):
        self.assertLess(harness.WHEEL.stat().st_size, 8_000_000)

    def test_the_program_and_the_extension_are_in_it_and_can_be_run(self):
        modes = {entry.filename: entry.external_attr >> 16 for entry in zipfile.ZipFile(harness.WHEEL).infolist()}
        self.assertTrue(modes["totrain/bin/totrain"] & 0o111)
        self.assertIn("totrain/bin/totrain.so", modes)

    def test_types_and_licences_of_what_it_brings_are_in_it(self):
        self.assertIn("totrain/py.typed", self.names)
        libraries = {name for name in self.names if name.startswith("totrain.libs/lib")}
        licences = {pathlib.Path(name).name for name in self.names if "/licenses/" in name}
        self.assertTrue(any("libcrypto" in name for name in libraries), libraries)
        for package in ("LICENSE", "libssl3.txt", "libsqlite3-0.txt", "libevent-2.1-7.txt", "libedit2.txt"):
            self.assertIn(package, licences)

    def test_importing_it_imports_nothing_that_takes_time(self):
        code = "import sys; before = set(sys.modules); import totrain; print(*sorted(set(sys.modules) - before))"
        loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        self.assertLessEqual({name.split(".")[0] for name in loaded}, {"totrain", "__future__", "typing", "collections",
                             "functools", "operator", "keyword", "reprlib", "itertools", "contextlib", "re", "enum",
                             "types", "copyreg", "_collections", "_functools", "_operator", "_typing", "_sre",
                             "warnings"}, loaded)


class Installed(harness.Case):
    def test_five_lines_train_a_model_in_an_empty_environment(self):
        for python in interpreters():
            with self.subTest(python), tempfile.TemporaryDirectory(dir=self.folder) as name:
                venv = pathlib.Path(name) / "venv"
                subprocess.run([python, "-m", "venv", venv], check=True, env=self.environment())
                subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--no-index", "--no-compile", harness.WHEEL],
                               check=True, env=self.environment())
                done = subprocess.run([venv / "bin" / "python", "-c", FIVE_LINES], capture_output=True, text=True,
                                      check=False, cwd=name, env=self.environment())
                self.assertEqual((done.stderr, done.returncode), ("", 0))
                self.assertIn("'loss', 'Accuracy'", done.stdout)
                self.check_program([venv / "bin" / "totrain"])
                self.check_program([venv / "bin" / "python", "-m", "totrain"])

    def environment(self):
        """No compiler, and nothing of the environment that this test runs in."""
        return {"PATH": "/nowhere", "HOME": str(self.folder), "TOTRAIN_STATE": str(self.state), "LC_ALL": "C.UTF-8"}

    def check_program(self, command):
        shown = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True,
                               env=self.environment()).stdout
        self.assertRegex(shown, r"^totrain [0-9.]+\n$")
        failed = subprocess.run([*command, ":memory:", "-c", "SELECT nothing"], capture_output=True, text=True,
                                check=False, env=self.environment())
        self.assertEqual(failed.returncode, 2)
        missing = subprocess.run([*command, "postgres://localhost:1/x", "-c", "SELECT 1"], capture_output=True,
                                 text=True, check=False, env=self.environment())
        self.assertEqual(missing.returncode, 3, missing.stderr)


harness.main()
