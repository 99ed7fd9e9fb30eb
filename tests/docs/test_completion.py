"""The completions for bash, zsh and fish offer what --help lists, for the program and for each of its commands."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "cli" / "bash-completion" / "totrain"
ZSH, FISH = ROOT / "cli" / "zsh-completion" / "_totrain", ROOT / "cli" / "fish-completion" / "totrain.fish"
PROGRAM = pathlib.Path(os.environ["TOTRAIN_BUILD"]) / "totrain"


def help_of(*command):
    return subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


def commands():
    return re.findall(r"^  ([a-z0-9]+)", help_of().split("\ncommands:\n")[1].split("\nA database")[0], re.M)


def kinds_of_pictures():
    """The words of the help's list: "roc, pr       of two classes ..." has two."""
    return [kind for words in re.findall(r"^  ([a-z]+(?:, [a-z]+)*)  ", help_of("picture"), re.M) for kind in words.split(", ")]


class Completion:
    """The words that each shell offers. complete(): those that may stand in the place of the last word, without files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="totrain-completion-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "here").mkdir()
        self.environment = {**os.environ, "TOTRAIN_STATE": folder.name, "HOME": folder.name, "XDG_CONFIG_HOME": folder.name,
                            "XDG_DATA_HOME": folder.name, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}

    def words_of(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=self.environment,
                              cwd=self.folder / "here")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_the_first_word_is_any_command(self):
        self.assertEqual(sorted(self.complete("")), sorted(commands()))
        self.assertEqual(self.complete("ca"), ["cancel"])
        self.assertEqual(self.complete("zzz"), [])

    def test_options_are_those_of_the_command(self):
        for command in [(), *((name,) for name in commands())]:
            with self.subTest(command):
                listed = re.findall(r"^  (?:(-[a-z]), )?(--?[a-z0-9-]+=?)", help_of(*command), re.M)
                expected = {option for pair in listed for option in pair if option}
                self.assertEqual(set(self.complete(*command, "-")), expected)

    def test_words_of_an_option_are_those_of_help(self):
        formats = re.search(r"--format=(\S+)", help_of())[1].split("|")
        self.assertEqual(self.values("jobs", "--format"), formats)
        self.assertEqual(self.values("x.db", "--format", "cs"), ["csv"])
        self.assertEqual(self.values("picture", "--theme", "d"), ["dark"])

    def test_places_of_a_command(self):
        self.assertEqual(sorted(self.complete("picture", "x.db", "m", "c")), ["calibration", "confusion"])
        self.assertEqual(sorted(self.complete("k8s", "")), ["check", "rbac"])
        self.assertEqual(self.complete("cancel", ""), [])
        self.assertEqual(set(self.complete("picture", "x.db", "m", "")), set(kinds_of_pictures()))


class Scripts(unittest.TestCase):
    def test_each_has_all_kinds_of_pictures(self):
        """Also where the shell that runs it is not installed."""
        self.assertGreater(len(kinds_of_pictures()), 5)
        for script in (SCRIPT, ZSH, FISH):
            for kind in kinds_of_pictures():
                self.assertRegex(script.read_text(encoding="utf-8"), rf"\b{kind}\b", script.name)


class Bash(Completion, unittest.TestCase):
    def complete(self, *words):
        line = " ".join(map(shlex.quote, map(str, (PROGRAM, *words))))
        return self.words_of("bash", "--norc", "-c", f"set -u; source {shlex.quote(str(SCRIPT))}; COMP_WORDS=({line}); "
                             f"COMP_CWORD={len(words)}; _totrain; printf '%s\\n' \"${{COMPREPLY[@]}}\" | sed '/^$/d'")

    def values(self, word, option, begun=None):
        return self.complete(word, option, "=", *([begun] if begun else []))


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(Completion, unittest.TestCase):
    """Its functions that offer words are replaced by ones that print those that fit."""

    def complete(self, *words):
        line = " ".join(map(shlex.quote, map(str, (PROGRAM, *words))))
        return self.words_of("zsh", "-f", "-c", f"""
            source {shlex.quote(str(ZSH))}
            compset() {{ begun=${{begun#*=}} }}
            compadd() {{ [[ $1 != -S ]] || shift 2; shift; local word; for word; [[ $word != $begun* ]] || print -r -- $word }}
            _describe() {{ compadd -- ${{${{(P)2}}%%:*}} }}
            _files() {{ : }}
            words=({line} {"''" if words[-1:] == ("",) else ""}); words=("${{(@)words[1,{len(words) + 1}]}}")
            CURRENT={len(words) + 1}; begun={shlex.quote(words[-1])}
            _totrain""")

    def values(self, word, option, begun=""):
        return self.complete(word, f"{option}={begun}")

    def test_it_is_a_script_of_zsh_which_has_helps_beside_commands(self):
        self.words_of("zsh", "-n", str(ZSH))
        shown = self.words_of("zsh", "-f", "-c", f"source {shlex.quote(str(ZSH))}; _files() {{ : }}; "
                              f"_describe() {{ print -rl -- ${{(P)2}} }}; words=({PROGRAM} ''); CURRENT=2; _totrain")
        self.assertIn("cancel:end a running job", shown)


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(Completion, unittest.TestCase):
    def offered(self, *words):
        line = " ".join(["totrain", *map(str, words)])
        return self.words_of("fish", "--no-config", "-c", f"source {shlex.quote(str(FISH))}; complete -C {shlex.quote(line)}")

    def complete(self, *words):
        return [line.split("\t")[0] for line in self.offered(*words)]

    def values(self, word, option, begun=""):
        return [found.split("=", 1)[1] for found in self.complete(word, f"{option}={begun}")]

    def test_it_is_a_script_of_fish_which_has_helps_beside_commands(self):
        self.words_of("fish", "--no-config", "-n", str(FISH))
        self.assertIn("cancel\tend a running job", self.offered("ca"))

unittest.main(verbosity=2)
