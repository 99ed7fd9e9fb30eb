"""The server's sources compile against the headers of each version of PostgreSQL that they are for, without a warning."""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

import harness
import other_versions
from server import BUILD, pg_config

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def commands():
    """Those that compile the module: (file, words), without what they write."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        if any("totrain_postgres.dir" in word for word in words):
            at = words.index("-o")
            yield entry["file"], words[:at] + [word for word in words[at + 2:] if word != "-c"]


@unittest.skipUnless(other_versions.is_supported(), f"the wheels with other versions are for {other_versions.MACHINE}")
class Headers(unittest.TestCase):
    def check(self, version):
        program = other_versions.pg_config(version, BUILD)
        headers = other_versions.asked(program, "includedir-server")
        print(other_versions.asked(program, "version"), flush=True)
        self.assertTrue(other_versions.asked(program, "version").startswith(f"PostgreSQL {version}."))
        with tempfile.TemporaryDirectory() as name:
            both = pathlib.Path(name) / "parser" / "parser.h"  # the same name in the build (server/CMakeLists.txt)
            both.parent.mkdir()
            both.write_text(f'#include "{SOURCES}/parser/parser.h"\n#include "{headers}/parser/parser.h"\n', encoding="utf-8")
            other = {str(BUILD.resolve() / "include" / "both_parsers"): name, str(pg_config("includedir-server")): headers}

            def compile_one(command):
                words = command[1]
                for ours, theirs in other.items():
                    self.assertTrue(any(ours in word for word in words), ours)
                    words = [word.replace(ours, theirs) for word in words]
                return command[0], subprocess.run([*words, "-Werror", "-fsyntax-only"], text=True, capture_output=True, check=False,
                                                  cwd=BUILD, env={**os.environ, "LC_ALL": "C"}).stderr

            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                said = dict(pool.map(compile_one, commands()))
        self.assertGreater(len(said), 20)
        self.assertEqual({file: text for file, text in said.items() if text}, {})

    def test_16(self):
        self.check(16)

    def test_17(self):
        self.check(17)

    def test_18(self):
        self.check(18)


if __name__ == "__main__":
    harness.main()
