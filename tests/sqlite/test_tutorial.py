"""The tutorials of docs/ and README.md on SQLite: in the program, in the stock sqlite3 and in Python.

    TOTRAIN_BUILD=build/release tests/own-folder /usr/bin/python3 tests/sqlite/test_tutorial.py --write

writes what the pages show anew: read the difference before committing it.
"""

import csv
import fcntl
import io
import os
import pathlib
import pty
import struct
import subprocess
import sys
import termios
import threading
import unittest

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import tutorial  # noqa: E402  pylint: disable=wrong-import-position

MARK = "-- the next block --"
END = b"\x1a"
ANEW = "TOTRAIN_BUILD=build/release tests/own-folder /usr/bin/python3 tests/sqlite/test_tutorial.py --write"


class Page:
    """A page, run from its first block to its last."""

    columns = tutorial.COLUMNS

    def setUp(self):
        super().setUp()
        build = self.folder / "build"
        build.mkdir()
        (build / "release").symlink_to(harness.BUILD.resolve())
        (self.folder / "examples").symlink_to(tutorial.ROOT / "examples")
        self.text = self.page.read_text()
        self.blocks = tutorial.steps(self.text, "sqlite")
        self.assertTrue(self.blocks)
        self.database = tutorial.opening(self.text, "sh program").split()[1]

    def environment(self):
        return {**os.environ, "PATH": f"{harness.BUILD.resolve()}:{os.environ['PATH']}", "HOME": str(self.folder)}

    def check_unshown(self, shown):
        """A block without a table behind it has none."""
        self.assertEqual(shown, "")

    def open_door(self, lines, **options):
        done = subprocess.run(["bash", "-ec", lines], cwd=self.folder, env=self.environment(), text=True,
                              capture_output=True, timeout=harness.DEADLINE, check=False, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, block, names, rows):
        if block.output:
            self.assertIsNone(tutorial.difference(block.output.body, names, rows), f"{block.body}\n{ANEW}")

    def mark_end(self, process, terminal):
        """A terminal that is closed while there is something to read may lose it; what comes before a mark is whole."""
        try:
            process.wait(timeout=harness.DEADLINE)
        finally:
            process.kill()
            os.write(terminal, END)

    def on_terminal(self, sql):
        """The program's output for it on a terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, self.columns, 0, 0))
        process = subprocess.Popen(["totrain", self.database, "--progress=none", "-c", sql], cwd=self.folder,
                                   env=self.environment(), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        ender = threading.Thread(target=self.mark_end, args=(process, theirs))
        ender.start()
        shown = b""
        while not shown.endswith(END):
            shown += os.read(ours, 65536)
        ender.join()
        os.close(theirs)
        os.close(ours)
        shown = shown[:-len(END)]
        self.assertEqual(process.wait(), 0, shown)
        return "".join(f"{line.rstrip()}\n" for line in shown.decode().splitlines())

    def test_the_program_shows_what_the_page_shows(self):
        self.open_door(tutorial.opening(self.text, "sh program"), input="")
        changed = []
        for block in self.blocks:
            shown = self.on_terminal(block.body)
            if not block.output:
                self.check_unshown(shown)
                continue
            self.assertEqual(len(tutorial.statements(block.body)), 1)
            shown = tutorial.abridged(shown, block.output.body)
            names, rows = tutorial.rows_of(shown)
            differs = tutorial.difference(block.output.body, names, [row for row in rows if row])
            if "--write" not in sys.argv:
                self.assertIsNone(differs, f"{shown}\n{ANEW}")
            elif differs:
                changed.append((block.output.place, shown))
        if "--write" in sys.argv:
            text = self.text
            for (start, end), shown in reversed(changed):
                text = text[:start] + shown + text[end:]
            self.page.write_text(text)

    @unittest.skipIf("--write" in sys.argv, "the program alone writes")
    def test_the_stock_sqlite3(self):
        script = ".mode csv\n.headers on\n" + "".join(f".print {MARK}\n{block.body}" for block in self.blocks)
        shown = self.open_door(tutorial.opening(self.text, "sh sqlite3"), input=script).split(f"{MARK}\n")[1:]
        for block, result in zip(self.blocks, shown, strict=True):
            names, *rows = csv.reader(io.StringIO(result)) if result else [[]]
            self.check(block, names, rows)

    @unittest.skipIf("--write" in sys.argv, "the program alone writes")
    def test_python(self):
        self.open_door(tutorial.opening(self.text, "sh program"), input="")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        names = {}
        lines = tutorial.opening(tutorial.TUTORIAL.read_text(), "python sqlite3").replace("tumours.db", self.database)
        exec(lines, names)  # pylint: disable=exec-used
        self.addCleanup(names["connection"].close)
        for block in self.blocks:
            for statement in tutorial.statements(block.body):
                rows = names["cursor"].execute(statement).fetchall()
            self.check(block, [column[0] for column in names["cursor"].description or ()], rows)
        for block in tutorial.blocks(self.text):
            if block.info in ("sh report", "sh without"):
                self.open_door(block.body)


class Tutorial(Page, harness.Case):
    page = tutorial.TUTORIAL


class Sales(Page, harness.Case):
    page = tutorial.SALES

    @unittest.skipIf("--write" in sys.argv, "it writes nothing")
    def test_the_example_forecasts_what_the_page_does_each_night(self):
        """Twice: the script is for every night."""
        self.open_door(tutorial.opening(self.text, "sh program"), input="")
        for _ in range(2):
            shown = self.open_door(f"totrain {self.database} --progress=none --format csv -f examples/sql/forecast.sql")
            expected = [line.split(",") for line in shown.splitlines() if line.startswith(("harbour", "market", "mill", "station"))]
            week, model = expected[:4], expected[4:]
            on_page = next(block for block in self.blocks if "FROM next_week" in block.body).output.body
            self.assertEqual([(shop, float(sales)) for shop, sales in week],
                             [(shop, float(sales)) for shop, sales in tutorial.rows_of(on_page)[1]])
            self.assertEqual([row[:2] for row in model], week)
        self.assertIn("seasons,7 in 4 series", shown)


class Networks(Page, harness.Case):
    """The stock sqlite3 alone runs it, and the program where it is written: its trainings take half a second each."""

    page = tutorial.NETWORKS
    test_python = None

    @unittest.skipUnless("--write" in sys.argv, "the stock sqlite3 shows the same")
    def test_the_program_shows_what_the_page_shows(self):
        super().test_the_program_shows_what_the_page_shows()

    @unittest.skipUnless(os.environ.get("TOTRAIN_ONNX"), "TOTRAIN_ONNX is not set")
    def test_onnxruntime(self):
        """Its probabilities are those of the database."""
        self.open_door(tutorial.opening(self.text, "sh program"), input="")
        wanted = [block.body for block in self.blocks if "click_model" in block.body and "EVALUATE" not in block.body]
        shown = self.open_door(f"totrain {self.database} --progress=none", input="".join(wanted) + """.mode csv
SELECT totrain_probability('click_model', site, ad, hour, age) FROM clicks WHERE id > 2400 ORDER BY id;""")
        expected = [float(line) for line in shown.splitlines()[-600:]]
        script = tutorial.opening(self.text, "python onnxruntime") + "print(*probabilities)\n"
        given = subprocess.run([os.environ["TOTRAIN_ONNX"], "-"], input=script, cwd=self.folder, text=True, check=True,
                               stdout=subprocess.PIPE, timeout=harness.DEADLINE).stdout
        self.assertEqual(len(expected), 600)
        for there, here in zip(map(float, given.split()), expected, strict=True):
            self.assertAlmostEqual(there, here, delta=1e-5)


class Readme(Page, harness.Case):
    """Its stock shell goes on with the table that the program has loaded."""

    page = tutorial.README

    def open_door(self, lines, **options):
        if lines == tutorial.opening(self.text, "sh sqlite3"):
            super().open_door(tutorial.opening(self.text, "sh program"), input="")
        return super().open_door(lines, **options)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if not word.startswith("--")], verbosity=2)
