"""tools/install-postgres puts each file where the server looks for it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import harness
from server import BUILD, pg_config

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "install-postgres"


class Install(unittest.TestCase):
    def install(self, folder, prefix="/usr/local"):
        return subprocess.run([TOOL, BUILD, prefix], text=True, capture_output=True, check=False,
                              env={**os.environ, "DESTDIR": folder})

    def test_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.install(folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = {pathlib.Path(path).relative_to(folder) / name for path, _, names in os.walk(folder) for name in names}
            share, library = (path.relative_to("/") for path in (pg_config("sharedir"), pg_config("pkglibdir")))
            wanted = {pathlib.Path("usr/local/bin/totrain"), library / "totrain.so", share / "extension" / "totrain.control"}
            self.assertLessEqual(wanted, found)
            scripts = found - wanted
            self.assertEqual({share / "extension" / name for name in ("totrain--1.1.sql", "totrain--1.0--1.1.sql")}, scripts)

    def test_another_prefix_than_the_one_it_was_built_for_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.install(folder, "/opt/elsewhere")
            self.assertEqual(done.returncode, 1)
            self.assertIn("PREFIX=/opt/elsewhere", done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_no_function_of_the_library_has_the_name_of_one_of_the_server(self):
        """No symbol of the library is one of the server's: a call of the server's function would get to ours,
        whatever its parameters are."""
        ours = self.symbols(BUILD / "postgres" / "totrain.so")
        servers = self.symbols("--dynamic", pg_config("bindir") / "postgres")
        self.assertIn("palloc", servers)
        self.assertIn("totrain_sql_lock_model", ours)
        self.assertEqual(ours & servers, set())

    def symbols(self, *of):
        listed = subprocess.run(["nm", "--defined-only", *of], text=True, capture_output=True, check=True).stdout
        return {line.split()[-1] for line in listed.splitlines()}


if __name__ == "__main__":
    harness.main()
