"""docs/totrain.1 is well formed, and names what the program names."""

import os
import pathlib
import re
import signal
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "totrain.1"
PROGRAM = pathlib.Path(os.environ["TOTRAIN_BUILD"]) / "totrain"


def output(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True,
                          timeout=60).stdout


def heads(section):
    """The .It lines of a section of the page."""
    text = PAGE.read_text().split(f".Sh {section}\n")[1].split("\n.Sh ")[0]
    return re.findall(r"^\.It (.*)", text, re.M)


def commands_of_help():
    listed = output("--help").split("commands:\n")[1].split("A database")[0]
    return {line.split()[0] for line in listed.splitlines()}


def dot_commands_of_help():
    with tempfile.TemporaryDirectory() as folder:
        listed = output(f"{folder}/empty.db", "-c", ".help")
    return {f"{line[:12].strip()} {line[12:].split('  ')[0] if line[12:13] != ' ' else ''}".strip()
            for line in listed.splitlines() if line.startswith("  .")}


class Man(unittest.TestCase):
    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_no_warning(self):
        done = subprocess.run(["groff", "-mdoc", "-Tutf8", "-ww", "-z", PAGE],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_options_are_those_of_help(self):
        named = set()
        for head in heads("DESCRIPTION"):
            for option in re.findall(r"(?:Fl|,) (-?\w+)", head):
                named.add("-" + option)
        printed = re.findall(r"(?<!\S)(--?[a-z]+)", output("--help").split("options:\n")[1]
                             .split("\ncommands:")[0])
        self.assertEqual(named, set(printed))

    def test_the_words_an_option_takes_are_those_of_help(self):
        printed = dict(re.findall(r"^  (--[a-z]+)=(\S+)", output("--help"), re.M))
        named = {"-" + name: words.replace(" ", "") for name, words in
                 re.findall(r"^Fl (-[a-z]+) Ns = Ns Ar (.*)", "\n".join(heads("DESCRIPTION")), re.M)}
        self.assertEqual(named, printed)

    def test_the_commands_are_those_of_help_and_take_their_options(self):
        named = {head.split()[1]: head for head in heads("COMMANDS")}
        self.assertEqual(set(named), commands_of_help())
        self.assertIn("-format", named["jobs"])
        self.assertIn("Op Fl f", named["parse"])

    def test_the_dot_commands_are_those_of_dot_help(self):
        named = set()
        for head in heads("DOT COMMANDS"):
            words = re.sub(r"Op Ar (\w+)", lambda found: f"[{found[1].upper()}]", head)
            words = re.sub(r"\b(file|table|rows|columns)\b(?! \|)", lambda found: found[1].upper(), words)
            named.add(" ".join(re.sub(r" \| ", "|", words).replace("Ar ", "").split()[1:]))
        self.assertEqual(named, {" ".join(line.split()) for line in dot_commands_of_help()})

    def test_the_variables_and_exit_codes_are_those_of_the_sources(self):
        sources = [path for folder in ("cli", "runtime/launch") for path in (ROOT / folder).rglob("*.c")]
        sources += [ROOT / "k8s" / "client" / "access_find.c", ROOT / "extension" / "engine" / "host" / "stored_model.c"]
        read = {name for path in sources for name in re.findall(r'getenv\("(\w+)"\)', path.read_text())}
        self.assertEqual({head.split()[1] for head in heads("ENVIRONMENT")}, read)
        codes = re.findall(r"^    X\([A-Z_]+, (\d+),", (ROOT / "base" / "error.h").read_text(), re.M)
        self.assertIn("#define EXIT_READER_GONE (128 + SIGPIPE)", (ROOT / "cli" / "main.c").read_text())
        self.assertEqual(set(heads("EXIT STATUS")), {*codes, str(128 + signal.SIGPIPE)})


unittest.main(verbosity=2)
