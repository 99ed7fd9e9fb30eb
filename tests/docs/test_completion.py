"""The completion for bash offers what --help lists, for the program and for each of its commands."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "cli" / "bash-completion" / "totrain"
PROGRAM = pathlib.Path(os.environ["TOTRAIN_BUILD"]) / "totrain"


def help_of(*command):
    return subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


def commands():
    return re.findall(r"^  ([a-z0-9]+)", help_of().split("\ncommands:\n")[1].split("\nA database")[0], re.M)


class Completion(unittest.TestCase):
    def setUp(self):
        state = tempfile.TemporaryDirectory(prefix="totrain-completion-")
        self.addCleanup(state.cleanup)
        self.environment = {**os.environ, "TOTRAIN_STATE": state.name}

    def complete(self, *words):
        """The words that may stand in the place of the last word."""
        line = " ".join(map(shlex.quote, map(str, (PROGRAM, *words))))
        script = (f"set -u; source {shlex.quote(str(SCRIPT))}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _totrain; "
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, timeout=60, check=False,
                              env=self.environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_the_first_word_is_any_command(self):
        self.assertEqual(self.complete(""), commands())
        self.assertEqual(self.complete("ca"), ["cancel"])
        self.assertEqual(self.complete("no"), [])

    def test_options_are_those_of_the_command(self):
        for command in [(), *((name,) for name in commands())]:
            with self.subTest(command):
                listed = re.findall(r"^  (?:(-[a-z]), )?(--?[a-z0-9-]+=?)", help_of(*command), re.M)
                expected = {option for pair in listed for option in pair if option}
                self.assertEqual(set(self.complete(*command, "-")), expected)

    def test_words_of_an_option_are_those_of_help(self):
        formats = re.search(r"--format=(\S+)", help_of())[1].split("|")
        self.assertEqual(self.complete("jobs", "--format", "="), formats)
        self.assertEqual(self.complete("x.db", "--format", "=", "cs"), ["csv"])
        self.assertEqual(self.complete("picture", "--theme", "=", "d"), ["dark"])

    def test_places_of_a_command(self):
        self.assertEqual(self.complete("picture", "x.db", "m", "c"), ["confusion", "calibration"])
        self.assertEqual(self.complete("k8s", ""), ["rbac", "check"])
        self.assertEqual(self.complete("cancel", ""), [])


unittest.main(verbosity=2)
