"""The transcripts of docs/cli.md are what the program shows.

    TOTRAIN_BUILD=build/release tests/docs/test_cli_page.py --write

writes them anew: read the difference before committing it.
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "sqlite"))

import harness  # noqa: E402
from terminal import Terminal  # noqa: E402

PAGE = ROOT / "docs" / "cli.md"


def blocks(text):
    return re.findall(r"^```(console|shell)\n(.*?)^```\n", text, re.M | re.S)


def typed(body, first, more):
    """The commands of a transcript, each a list of lines without their prompts."""
    commands = []
    for line in body.splitlines():
        if line.startswith(first):
            commands.append([line[len(first):]])
        elif line.startswith(more) and commands:
            commands[-1].append(line[len(more):])
    return commands


def without_chance(text):
    """Times differ, and the last digits of a loss on another processor."""
    text = re.sub(r"(seconds +\| +|guessed \| +\d+ \| +)[\d.]+", r"\1#", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)
    return re.sub(r"-{2,}", "--", re.sub(r" +", " ", text))


class Page(harness.Case):
    def run_console(self, body):
        environment = dict(os.environ, PATH=f"{harness.BUILD}:{os.environ['PATH']}")
        shown = ""
        for lines in typed(body, "$ ", "> "):
            done = subprocess.run(["bash", "-c", "\n".join(lines)], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment, timeout=harness.DEADLINE)
            shown += "$ " + "\n> ".join(lines) + "\n" + done.stdout
        return shown

    def run_shell(self, body):
        self.path = str(self.folder / "iris.db")
        terminal = Terminal(self, columns=200)
        shown = ""
        for lines in typed(body, "totrain> ", "   ...> "):
            for number, line in enumerate(lines):
                if number:
                    terminal.expect("   ...> ")
                terminal.type(line + "\r")
                terminal.expect("\n")  # the echo
                shown += ("   ...> " if number else "totrain> ") + line + "\n"
            if lines == [".quit"]:
                break
            shown += terminal.expect("totrain> ")[:-len("totrain> ")].replace("\r\n", "\n")
        terminal.process.wait(timeout=harness.DEADLINE)
        return shown

    def test_every_transcript_is_what_the_program_shows(self):
        (self.folder / "examples").symlink_to(ROOT / "examples")
        text = PAGE.read_text()
        self.assertGreater(len(blocks(text)), 4)
        for kind, body in blocks(text):
            shown = self.run_console(body) if kind == "console" else self.run_shell(body)
            if "--write" in sys.argv:
                text = text.replace(body, "\n".join(map(str.rstrip, shown.split("\n"))), 1)
            else:
                shown = "\n".join(map(str.rstrip, shown.split("\n")))
                self.assertEqual(without_chance(body), without_chance(shown))
        if "--write" in sys.argv:
            PAGE.write_text(text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
